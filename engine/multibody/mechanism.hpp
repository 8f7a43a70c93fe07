#pragma once

// A model bound to numbers: bodies, frames, joints, constraints, coordinates, forces and run-time
// expressions as plain tables, by type, with indices instead of names. Made once by
// make_mechanism, never changed afterwards; what evaluates it (absolute.hpp) chooses the
// coordinates.
//
// Everything that depends on parameters alone stands in Parameters::derived: first one number for
// each slot, then the constants of the frames. derive() fills it.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/model/model.hpp"
#include "engine/multibody/rows.hpp"

namespace mbs {

// A number of an element that depends on parameters alone.
struct Slot {
  Expression value;
  std::string owner;  // for messages: "spring 'k1'"
  const AttributeSchema* attribute = nullptr;
  int element = -1;  // in Model::elements
};
constexpr int absent = -1;

struct BodyData {
  std::string name;
  int element = 0, origin = 0;  // in Model::elements, Mechanism::frames
  bool rotates = true;          // a particle does not
  int p = 0, v = 0;             // where its coordinates start
  int mass = absent;            // slots
  int inertia = absent;         // the first of Space::inertia_numbers
  bool published = false;       // its inertia need not be that of a distribution of mass
};

struct FrameData {
  int body = ground;  // in Mechanism::bodies
  int base = -1;      // the frame it stands on; -1: the body's origin, ground
  // Placed by position and rotation (first slots), or turned so that its axis `turned_axis` lies
  // along a direction (first slot) of `base`.
  int position = absent, rotation = absent;
  int direction = absent, turned_axis = 0;
  int next = absent;  // slots of the direction of the axis after that, perpendicular to it
  int com = absent;   // an origin: minus these slots from the centre of mass
  int element = -1;   // whose direction it is
  std::string owner;
};

// A coordinate of a joint: q, its row dq/dv and q'' are functions of two frames.
struct CoordinateData {
  enum class Kind : unsigned char { translation, plane_angle, turning, second_turning };
  Kind kind = Kind::translation;
  int axis = 0;                 // of frame a; second_turning: of frame b
  int a = 0, b = 0;             // frames
  std::string name;             // "main.q"
  int sign = absent;            // slot: +1 or -1
  int q = absent, qd = absent;  // slots: start values
  int counter = -1;             // in space: r state that counts turns
  int turns = -1;               // in the plane: in z, turns between a and b that q leaves out
  bool measurable = true;       // false: a particle has no angle
};

// How a body hangs on its parent in the tree (tree/joints.hpp). `point`: a particle held at its
// point, without a motion of its own; `free_point`: a free particle; `universal_back`: the parent
// has side b.
enum class JointKind : unsigned char {
  weld,
  revolute,
  prismatic,
  spherical,
  cylindrical,
  universal,
  universal_back,
  planar,
  screw,
  point,
  free,
  free_point
};

// Kinds of joints that recursions along the tree treat alike: nothing moves; a turn or a slide; all
// turns; turns and slides one after the other, each about or along an axis that the next ones move,
// with the coordinates of Mechanism::coordinates; everything moves.
enum class JointGroup : unsigned char { fixed, one_axis, spherical, serial, free };
constexpr JointGroup group_of(JointKind kind) {
  using enum JointKind;
  if (kind == weld || kind == point) return JointGroup::fixed;
  if (kind == revolute || kind == prismatic) return JointGroup::one_axis;
  if (kind == spherical) return JointGroup::spherical;
  return kind == free || kind == free_point ? JointGroup::free : JointGroup::serial;
}

constexpr std::size_t most_constraint_types = 5;

struct JointData {
  std::string name;
  int element = 0;
  std::optional<JointKind> kind;  // how b moves against a; none: it is in no tree
  int a = 0, b = 0;               // frames; turned ones where the joint has an axis
  bool exact = false;
  int first_row = 0, rows = 0;  // of G
  // Its constraints: first and past the last in each list of Mechanism::constraints.
  std::array<std::array<int, 2>, most_constraint_types> constraints{};
  bool couples = false;                   // it has no frames
  std::vector<int> coordinates;           // from a to b: translations, then turns
  int rotation = absent, omega = absent;  // slots: start of a joint with free orientation in space
  int pitch = absent;                     // slot: of a screw
};

// Constraints by type. `rows` functions each, which are lengths or cosines and angles; `row` is the
// first of them in G. at: Evaluation.
template <class Space>
struct Coincide {
  static constexpr int rows = Space::dim;
  static constexpr bool is_length = true;
  int a = 0, b = 0, row = 0;
  template <class At, class A, class B>
  void evaluate(const At&, const Side<Space, A>& at_a, const Side<Space, B>& at_b,
                Row<Space, Product<A, B>>* out) const {
    coincide(at_a, at_b, out);
  }
};
template <class Space>
struct Across {  // axis i of a is perpendicular to the line between the origins
  static constexpr int rows = 1;
  static constexpr bool is_length = true;
  int a = 0, b = 0, row = 0, i = 0;
  template <class At, class A, class B>
  void evaluate(const At&, const Side<Space, A>& at_a, const Side<Space, B>& at_b,
                Row<Space, Product<A, B>>* out) const {
    *out = across(at_a, at_b, i);
  }
};
template <class Space>
struct Perpendicular {  // axis i of a and axis j of b
  static constexpr int rows = 1;
  static constexpr bool is_length = false;
  int a = 0, b = 0, row = 0, i = 0, j = 0;
  template <class At, class A, class B>
  void evaluate(const At&, const Side<Space, A>& at_a, const Side<Space, B>& at_b,
                Row<Space, Product<A, B>>* out) const {
    *out = perpendicular(at_a, at_b, i, j);
  }
};
template <class Space>
struct EqualAngle {  // but for whole turns
  static constexpr int rows = 1;
  static constexpr bool is_length = false;
  int a = 0, b = 0, row = 0, turns = 0;
  template <class At, class A, class B>
  void evaluate(const At& at, const Side<Space, A>& at_a, const Side<Space, B>& at_b,
                Row<Space, Product<A, B>>* out) const {
    *out = angle(at_a, at_b, at.x.z[turns]);
  }
};
template <class Space>
struct Distance {  // between the origins: a length in a slot, or that of the start in z
  static constexpr int rows = 1;
  static constexpr bool is_length = true;
  int a = 0, b = 0, row = 0, length = absent, start_length = absent;
  template <class At, class A, class B>
  void evaluate(const At& at, const Side<Space, A>& at_a, const Side<Space, B>& at_b,
                Row<Space, Product<A, B>>* out) const {
    *out = half_square(at_a, at_b, length == absent ? at.x.z[start_length] : at[length]);
  }
};
template <class Space>
struct Helix {  // axis 2 of a: the advance along it goes with the turn about it
  static constexpr int rows = 1;
  static constexpr bool is_length = true;
  int a = 0, b = 0, row = 0, pitch = absent;
  template <class At, class A, class B>
  void evaluate(const At& at, const Side<Space, A>& at_a, const Side<Space, B>& at_b,
                Row<Space, Product<A, B>>* out) const {
    *out = helix(at_a, at_b, at[pitch] / (2.0 * std::numbers::pi));
  }
};

template <class Space>
struct ConstraintTypes;
template <>
struct ConstraintTypes<Planar> {
  using type = std::tuple<std::vector<Coincide<Planar>>, std::vector<Across<Planar>>,
                          std::vector<EqualAngle<Planar>>, std::vector<Distance<Planar>>>;
};
template <>
struct ConstraintTypes<Spatial> {
  using type = std::tuple<std::vector<Coincide<Spatial>>, std::vector<Across<Spatial>>,
                          std::vector<Perpendicular<Spatial>>, std::vector<Distance<Spatial>>,
                          std::vector<Helix<Spatial>>>;
};

// The place of a type among Mechanism::constraints.
template <class Space, class Constraint>
constexpr std::size_t constraint_type =
    []<class... Types>(std::type_identity<std::tuple<std::vector<Types>...>>) {
      static_assert(sizeof...(Types) <= most_constraint_types);
      std::size_t place = 0;
      (void)((std::is_same_v<Types, Constraint> || (++place, false)) || ...);
      return place;
    }(std::type_identity<typename ConstraintTypes<Space>::type>{});

// An expression evaluated while the model runs.
struct Law {
  Expression expression;
  struct Argument {
    SymbolKind kind;
    int index;          // coordinates: in Mechanism::coordinates
    double sign = 1.0;  // of a coordinate seen in a mirrored subsystem
  };
  std::vector<Argument> arguments;
  bool has_locals = false;   // of the element that it belongs to
  bool has_columns = false;  // of the Jacobian: it depends on more than time and parameters
};

// 0 = law, linear in the coordinates that are its arguments, or 0 = sum factor_k q_k - constant:
// one row of G.
struct CouplingData {
  int law = absent, row = -1;
  struct Term {
    int coordinate;
    double sign;
    int factor = absent;  // slot; absent: 1
  };
  std::vector<Term> terms = {};
  int constant = absent;
};

// An event of the model: a condition (law), or a time `at`, or the times at + k every. What it sets
// are laws for states (r) and discrete variables (z).
struct EventData {
  std::string name;
  int condition = absent;
  int at = absent, every = absent;  // slots
  struct Set {
    bool discrete;
    int index, law;
  };
  std::vector<Set> sets;
  bool of_time() const { return condition == absent; }
};

// The coordinate of a joint as a function of time, or following an input: one row of G, drives.hpp.
struct DriveData {
  std::string name;
  int coordinate = -1;
  double sign = 1.0;             // of the coordinate as a mirrored subsystem counts it
  int law = -1;                  // of time and parameters; or
  int input = -1, lag = absent;  // slot
  int row = -1;
  int state = -1;  // first of three in z: a time, what the coordinate and its rate were to be then
};

// A wheel, disc or ball that rolls on a plane, or a knife edge: rolling.hpp.
struct RollingData {
  enum class Kind : unsigned char { edge, circle, disc, ball };
  Kind kind = Kind::edge;
  std::string name;
  int a = 0, b = 0;      // frames, turned: axis 0 of a is the normal, of b the axis or `across`
  int radius = absent;   // slot
  bool touches = false;  // the normal is a row of g
  int slips = 0;         // directions along which it does not slide
  int normal = -1, slip = -1;  // rows of G, the first of them
};

// A point on a curve or surface that is given by its coordinates as functions of its place:
// guides.hpp.
struct GuideData {
  std::string name;
  int a = 0, b = 0;                          // frames
  std::array<int, 3> law{};                  // of the places, one for each axis of a
  int distance = absent;                     // slot
  std::array<int, 2> start{absent, absent};  // slots: the places to begin the search with
  int s = 0;                                 // the first place in State::s
  int row = -1;
};

// A unilateral contact, a stop of a coordinate or dry friction along one, see contacts.hpp.
struct ContactData {
  enum class Kind : unsigned char { plane, balls, stop, friction };
  Kind kind = Kind::plane;
  std::string name;
  int element = -1;  // in Model::elements
  int a = 0, b = 0;  // frames
  int axis = 0;      // plane: of a, its normal
  int coordinate = -1;
  double side = 1.0;  // stop: sign of the gap
  double sign = 1.0;  // of the coordinate as a mirrored subsystem counts it
  int bound = absent, radius_a = absent, radius_b = absent;  // slots, from here on
  int restitution = absent, mu = absent, mu_static = absent, rest_speed = absent;
  int static_ratio = absent, speed = absent;
  bool poisson = false;
  int limit = absent;                           // law
  int normal = -1, tangent = -1, tangents = 0;  // rows of G
  int mode = -1, direction = -1, low_speed = -1, phi = -1;
  int pole = -1;  // two balls in space: in z, from which their tangents are turned
};

// A condition on initial values: a law (or, without one, a coordinate or a function of frames) is a
// number.
struct Condition {
  std::string name;
  int law = absent;
  bool guess = false;
  int coordinate = -1;
  int a = 0, b = 0, axis = 0;  // position: axis and the next one of a and b; velocity: spin
  int target = absent;         // slot; absent: zero
};

// A value of the start that z keeps: the distance of two frames (of springs that are not given
// their length), or the whole turns of b against a in the plane, by which b - a differs from an
// angle, or the axis next to the line between them: 0 ... 2, and 3 ... 5 for the negative ones.
struct StartValue {
  enum class Kind : unsigned char { distance, turns, pole };
  Kind kind;
  int a, b;
  int angle = absent, sign = absent;  // slots
};

// Axes of two frames that are to be parallel where the rows vanish for antiparallel ones too.
struct Alignment {
  int joint;
  int a, b, axis;
};

struct MeasureData {
  Measure measure;  // its frames are valid here too
  int coordinate = -1;
  int joint = -1;  // reaction
  double sign = 1.0;
};

struct OutputData : MeasureData {
  bool filled_by_simulation() const {
    return measure.quantity == Quantity::statistic || measure.quantity == Quantity::event_count ||
           measure.quantity == Quantity::event_time;
  }
  int body = -1;                               // kinetic energy of one
  int force_type = -1, force = -1, shown = 0;  // force_value: which of its numbers
  int law = -1;                                // expression
};

// Why parameters cannot be, and whose they are. No message: they can.
struct Defect {
  std::string message;
  int element = -1;  // in Model::elements; -1: no element's
};

template <class Space>
class Forces;

template <class Space>
struct Mechanism {
  std::vector<Slot> slots;
  std::vector<FrameData> frames;  // those of the model first, with the same indices
  std::vector<int> frame_order;   // each after its base
  std::vector<BodyData> bodies;
  std::vector<JointData> joints;
  std::vector<CoordinateData> coordinates;
  typename ConstraintTypes<Space>::type constraints;
  std::vector<CouplingData> couplings;
  std::vector<DriveData> drives;
  std::vector<RollingData> rolling;
  std::vector<GuideData> guides;
  std::vector<ContactData> contacts;
  std::vector<std::shared_ptr<Forces<Space>>> forces;  // which copies share
  std::vector<Law> laws;
  std::vector<MeasureData> measures;  // Model::measures
  std::vector<OutputData> outputs;
  std::vector<EventData> events;   // Model::events
  std::vector<int> observed;       // outputs that these use
  std::vector<int> accelerations;  // coordinates whose acceleration they use
  std::vector<Condition> position_conditions, velocity_conditions;
  std::vector<int> named_rows;      // of joints, left out by name
  std::vector<int> der, residuals;  // laws of <state> (absent: an element's) and <algebraic>
  std::vector<int> state_start, algebraic_start, input_start;  // slots
  std::vector<int> evaluated, evaluated_in_outputs;  // coordinates that laws use; and outputs too
  std::vector<int> counted;  // coordinates with a counter of turns, in the order of the counters
  // Coordinates whose gradients the Jacobian needs; those that the Jacobian of the outputs needs in
  // addition.
  std::vector<int> differentiated, differentiated_in_outputs;
  int gravity = absent;              // first of dim slots
  int rows = 0;                      // of G
  int velocity_rows = 0;             // the last of them, that belong to no function of positions
  int directions = 0;                // of sliding, in z after `start_values`
  int followed = 0;                  // numbers of drives that follow inputs, in z after those
  int discrete = 0;                  // first of the discrete variables, in z after those
  std::vector<int> discrete_start;   // slots; absent: of the internal ones
  std::vector<int> discrete_frozen;  // laws of the internal ones; absent: of the others
  std::vector<StartValue> start_values;  // z
  std::vector<Alignment> alignments;

  // Parameters.
  std::vector<Expression> parameter_values;
  std::vector<int> parameter_order;
  std::vector<char> calculated;

  int derived_size() const {
    return static_cast<int>(slots.size() + Space::frame_numbers * frames.size());
  }
  FrameConstants<Space> frame(const double* derived, int index) const {
    return load_frame<Space>(derived + slots.size() + Space::frame_numbers * index);
  }
  int add_start_value(const StartValue& value) {  // its index in z
    start_values.push_back(value);
    return static_cast<int>(start_values.size()) - 1;
  }
  Defect derive(Parameters& parameters) const;
  bool massless(const Parameters& parameters) const;  // somebody, in a direction
};

// Rows of what is no joint: of drives, guides and normals after those of joints and couplings, then
// all of velocities alone.
template <class Space>
void number_further_rows(Mechanism<Space>& mechanism);

extern template struct Mechanism<Planar>;
extern template struct Mechanism<Spatial>;

// R = Rx(rx) Ry(ry) Rz(rz); the turn by an angle about an axis of a frame.
Mat<double, 3> cardan_rotation(const double* angles);
Mat<double, 3> rotation_about(int axis, double angle);
// The four Euler parameters of a rotation.
void euler_parameters(const Mat<double, 3>& R, double* e);

}  // namespace mbs
