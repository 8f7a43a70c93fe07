#pragma once

// The model as plain data: repeats and subsystems expanded, names bound, units gone (all SI),
// structural parameters folded. What multibody assembles and what the FMU's variables are made of.

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/diagnostic.hpp"
#include "engine/model/dimension.hpp"
#include "engine/model/expression.hpp"
#include "engine/model/schema.hpp"

namespace mbs {

enum class Variability : unsigned char { structural, fixed, tunable };

struct Parameter {
  std::string name, doc;
  Unit unit;  // for display; values are SI
  Variability variability = Variability::fixed;
  Expression value;         // over other parameters
  bool calculated = false;  // depends on other non-structural parameters: cannot be set
  bool trimmed = false;     // found with the static equilibrium at the start, `value` is a guess
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  Place place;
};

struct Input {
  std::string name, doc;
  Unit unit;
  Expression start;  // over parameters
  Place place;
};

// r' = der
struct StateVariable {
  std::string name, doc;
  Unit unit;
  Expression start, der;
  int element = -1;  // whose own it is, with a rate that the element computes: Model::elements
  std::string_view start_attribute = {};  // of that element
  Place place;
};

// 0 = residual(w)
struct AlgebraicVariable {
  std::string name, doc;
  Unit unit;
  Expression start, residual;
  Place place;
};

// Keeps its value until an event sets it.
struct DiscreteVariable {
  std::string name, doc;
  Unit unit;
  Expression start;
  // Of one that is not the file's, without `start`: the part of a law that it holds between events
  // (reading/discontinuities.hpp).
  Expression holds;
  bool is_internal() const { return !holds.is_constant(); }
  Place place;
};

// A joint coordinate that expressions and outputs may use: "main.q".
struct Coordinate {
  std::string name;
  int element = 0;  // the joint, in Model::elements
  int local = 0;    // which of the joint's coordinates
  Dimension dimension;
  // In a mirrored subsystem -1 where the published value is minus the joint's own (only <free>:
  // joints with an axis have their axis mirrored instead).
  double sign = 1.0;
};

constexpr int ground = -1;

struct Frame {
  std::string name;
  int body = ground;  // in Model::bodies
  int on = -1;  // the frame it is placed on, fixed to the same body; -1: a body's origin, ground
  std::array<Expression, 3> position;  // of its origin, in the axes of `on`; planar: [0], [1]
  // Turned about x, then the new y, then the new z: R = Rx Ry Rz takes components in this frame to
  // components in `on`; planar: [2] is the angle.
  std::array<Expression, 3> rotation;
  Place place;
};

// One scalar that can be measured. Model::measures depend on p, v and lambda alone.
enum class Quantity : unsigned char {
  position,
  velocity,
  acceleration,  // of a frame's origin against another frame, in its axes
  orientation,   // planar: the angle; spatial: entry of R (component "11" ... "33") or
                 // "rx","ry","rz"
  angular_velocity,
  angular_acceleration,
  coordinate,
  coordinate_rate,
  coordinate_acceleration,
  reaction,     // force and torque of a joint on its frame b, in the axes of a
  force_value,  // scalar force of a spring, damper, ... element
  kinetic_energy,
  potential_energy,
  energy,
  residual,
  velocity_residual,  // largest constraint residual, scaled
  statistic,          // a counter of the integrator, by keyword
  event_count,
  event_time,  // of an event
  expression   // <output value="...">
};

struct Measure {
  std::string name;  // empty: anonymous
  Quantity quantity = Quantity::position;
  int frame = 0;        // of what: Model::frames
  int reference = 0;    // against which frame
  int axes = 0;         // in whose axes: Model::frames
  int element = -1;     // reaction, force_value, coordinates: Model::elements
  int event = -1;       // event_count, event_time: Model::events
  int coordinate = -1;  // Model::coordinates
  // 0..2: x y z (in the plane 0, 1, and 2 about the normal); reaction: 3..5 moments; 6 norm, 7 norm
  // of the moment; orientation: planar 2; spatial 3*row+column of R (0..8, R takes components in
  // the frame to the axes), 9..11 the angles rx, ry, rz of R = Rx Ry Rz; force_value: which of the
  // numbers its tag lists.
  int component = 0;
  double sign = 1.0;    // what is published is sign times that (-1: seen in a mirrored subsystem)
  std::string keyword;  // statistic: which
  Dimension dimension;
  Place place;
};

struct Output {
  std::string name, doc;
  Unit unit;  // for display; the value is SI
  Measure what;
  Expression value;  // when what.quantity is `expression`
  Place place;
};

// Happens where `function` crosses zero, or at times.
struct Event {
  std::string name, doc;
  Expression function;
  bool rising = false, falling = false;
  bool true_at_zero = false;  // >=, <=, ==
  enum class Time : unsigned char { none, at, every } time = Time::none;
  Expression at, every;  // over parameters: at `at`; at `at` + k `every`, k >= 0
  struct Set {
    bool discrete;  // else a state
    int index;      // Model::discretes, Model::states
    Expression value;
  };
  std::vector<Set> sets;
  bool terminate = false;
  bool internal = false;    // not the file's: sets an internal discrete variable, where `function`
                            // is no longer positive
  double tolerance = -1.0;  // |function| that counts as 0; < 0: from the solver's tolerances
  Place place;
};

// The equation value = equals at the start; one of velocities when it depends on any, otherwise of
// positions.
struct InitialCondition {
  std::string name, doc;
  Expression value, equals;  // equals: over parameters
  bool of_velocities = false;
  bool guess = false;
  Place place;
};

// Components of a joint's reaction that are set to zero: fx fy fz mx my mz (planar: [0], [1] and
// [5]).
struct DroppedReactions {
  int element = 0;  // the joint, in Model::elements
  std::array<bool, 6> components{};
  Place place;
};

// The value of an attribute of an item, as it was read. Numbers that depend on parameters stay
// expressions.
struct AttributeValue {
  bool given = false;  // written in the file (or a default class), not the schema's default
  std::vector<Expression> numbers;  // number 1, vectors their components, runtime(_vector) likewise
  std::string text;                 // name, text, keyword, file, unit
  int index = -1;  // frame, body, joint, element: in the Model's list; integer: the value; boolean:
                   // 0/1; keyword: which choice
  Place place;
};

// A body, joint or force with its attributes in the order of its tag's schema.
struct Element {
  const TagSchema* tag = nullptr;
  std::string name;  // structured: "fl.link[3]"; never empty (an anonymous one gets "spring#2")
  std::vector<AttributeValue> attributes;
  int owner = -1;  // the body that holds it, for elements inside a body: Model::bodies
  int first_state = 0, state_count = 0;  // of its own: Model::states
  Place place;

  const AttributeValue& operator[](std::string_view attribute) const;  // throws std::logic_error
};

struct Body {
  int element = 0;
  int origin = 0;  // its frame "origin" in Model::frames
};

// Tolerances of one body or state; 0: those of the solver.
struct OwnTolerance {
  std::string of;
  double rtol = 0.0, atol = 0.0;
};

// An attribute of a method's own tag that the file gives: <radau form="index1"/>.
struct MethodSetting {
  std::string method, name, value;
};

struct SolverSettings {
  std::string method = "auto";
  std::string coordinates = "auto";
  std::string linear = "auto";
  std::string scheme = "auto";
  std::string redundancy = "error";
  double rtol = 1e-6, atol = 1e-8;
  double initial_step = 0.0;  // 0: chosen
  double max_step = 0.0;      // 0: no limit
  int max_order = 0;          // 0: the method's own
  int dense_order = 0;        // 0: the step's order
  int event_points = 0;       // 0: from the step's order
  long max_steps = 0;         // 0: no limit
  double start_time = 0.0, stop_time = 1.0,
         output_step = 0.0;  // the default experiment; output_step 0: 1/500 of it
  std::vector<OwnTolerance> own_tolerances;
  std::vector<MethodSetting> method_settings;
};

struct Model {
  std::string name, doc, file;
  int version = 1;
  bool planar = false;
  std::array<int, 3> plane_axes{
      0, 1, 2};  // planar: which global axes x and y of the plane are, and its normal
  std::vector<Parameter> parameters;  // structural ones too, though no expression refers to them
  std::vector<int> parameter_order;   // all of them, each after those it depends on
  std::vector<Input> inputs;
  std::vector<StateVariable> states;
  std::vector<AlgebraicVariable> algebraics;
  std::vector<DiscreteVariable> discretes;
  std::vector<Coordinate> coordinates;
  std::vector<Measure> measures;
  std::vector<Output> outputs;
  std::vector<Event> events;
  std::vector<InitialCondition> conditions;
  std::vector<DroppedReactions> drops;
  std::vector<Frame> frames;  // 0 is ground
  std::vector<Body> bodies;
  std::vector<Element> elements;      // bodies, joints, forces, in the order of the file
  std::array<Expression, 3> gravity;  // planar: [0], [1]
  std::string init_method = "projection", init_conditions = "fill";
  SolverSettings solver;
};

// The values of an expression's symbols, when all of them are parameters.
double evaluate(const Expression& expression, std::span<const double> parameters);
// The start value of every parameter of the model.
std::vector<double> parameter_start_values(const Model& model);

}  // namespace mbs
