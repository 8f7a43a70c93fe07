#pragma once

// The contract between models and integrators: the equations of motion in descriptor form,
//
//   p' = Z(p,t) v
//   M(p,t) v' = f(t,p,v,r,w,s,lambda,u) - G(p,s,t)^T lambda
//   r' = b(t,p,v,r,w,s,lambda,u)
//   0  = d(t,p,v,r,w,s,lambda,u)
//   0  = g(p,s,t)          holonomic
//   0  = G v + gI          all velocity constraints: the derivative of g first, then nonholonomic
//   0  = n(p)              norms of Euler parameters: no multiplier, no row of G
//
// G has Sizes::lambda rows; the first Sizes::g of them belong to g, the others are nonholonomic (H
// and mu of the general form are those last rows and their multipliers). docs/theory/symbols.md has
// the whole list of symbols.
//
// Equations are immutable after assembly. A State, Inputs and Parameters go in, a Workspace holds
// what an evaluation computed. Evaluation is staged and only what is asked for is computed:
//
//   stage          reads of the state      needs before it, same state     leaves
//   position       t p s z modes           -                               M G D gI, g n, c
//   velocity       + v                     position (want_G)               p_dot, G_v
//   force          + r w lambda            position (want_G), velocity     f, b, d
//   gamma          t p v                   position (want_G), velocity     gamma
//   friction       as force                force (want_f)                  F
//   residual       all                     nothing                         residual
//   jacobian       all                     nothing                         jacobian
//   switching      all                     nothing                         phi
//   outputs        all                     nothing                         y
//
// A later stage is valid until position is called again for another t, p, s, z or modes; what is
// not wanted keeps its old value. Results depend on the arguments alone, never on what a workspace
// held before: replay is the same to the bit. A stage that cannot be evaluated leaves a NaN.
// No stage allocates.

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"
#include "engine/linear/saddle_solver.hpp"

namespace mbs {

struct Sizes {
  int p = 0;       // position coordinates
  int v = 0;       // velocity coordinates
  int r = 0;       // first-order states
  int w = 0;       // auxiliary unknowns
  int s = 0;       // contact variables
  int z = 0;       // discrete numbers (set at the start and by events)
  int g = 0;       // holonomic constraints
  int lambda = 0;  // rows of G and multipliers: g holonomic ones, then nonholonomic ones
  int n = 0;       // norms of Euler parameters
  int e = 0;       // invariants
  int u = 0;       // inputs
  int phi = 0;     // switching functions
  int modes = 0;   // discrete modes
  int y = 0;       // outputs
  int parameters = 0;
  int derived = 0;       // values computed from parameters, see derive()
  int conditions_p = 0;  // conditions on the initial position beyond g: targets, exact or guesses
  int conditions_v = 0;
};

// All unknowns at a time. a = v'.
struct State {
  double t = 0.0;
  Vector p, v, r, w, s, z, a, lambda;
  std::vector<int> modes;

  State() = default;
  explicit State(const Sizes& sizes);
  void save(ByteWriter&) const;
  void restore(ByteReader&);  // into a State of the same sizes
};

// Inputs as polynomials around t0:
//
//   u(t0 + s) = value + s first + s^2/2 second + sum_k c_k s^k,  k = 3 ... highest_power
//
// with c_k of input i at further[i + (k - 3) n]; where `further` is empty, they end at the second.
struct Inputs {
  static constexpr int highest_power = 8;

  double t0 = 0.0;
  Vector value, first, second, further;

  struct Jet {
    double value, first, second;
  };

  Inputs() = default;
  explicit Inputs(int count);
  double at(int i, double t) const { return jet(i, t).value; }
  Jet jet(int i, double t) const {
    const double s = t - t0;
    const Eigen::Index n = value.size();
    Jet rest{0.0, 0.0, 0.0};  // over s^2, s and 1
    for (int k = further.size() > 0 ? highest_power : 2; k > 2; --k) {
      const double c = further[i + (k - 3) * n];
      rest = {s * (rest.value + c), s * (rest.first + k * c), s * (rest.second + k * (k - 1) * c)};
    }
    return {value[i] + s * (first[i] + s * (0.5 * second[i] + rest.value)),
            first[i] + s * (second[i] + rest.first), second[i] + rest.second};
  }
};

// Raw values, and the numbers that Equations::derive computes from them (masses, positions, folded
// expressions) once per change instead of in every right-hand side.
struct Parameters {
  Vector values, derived;
};

// The arguments of an evaluation other than the state; both must outlive it.
struct Context {
  const Inputs& inputs;
  const Parameters& parameters;
};

// The results that a stage is asked for.
enum Want : unsigned {
  want_M = 1u,
  want_G = 2u,   // G, D and gI
  want_g = 4u,   // g and n
  want_c = 8u,   // c
  want_f = 16u,  // force stage: f
  want_b = 32u,  // force stage: b
  want_d = 64u,  // force stage: d
  // M for apply_M and the solver of make_solver alone: the entries of ws.M may stay behind.
  want_solver = want_M | 128u,
  want_position_all = want_M | want_G | want_g | want_c,
  want_force_all = want_f | want_b | want_d
};

// Immutable facts about the equations that solvers and messages need.
struct Structure {
  SaddleStructure saddle;  // patterns of M, G and F = df/dlambda
  ColumnSparse jacobian;   // pattern of jacobian(), see JacobianLayout
  bool f_depends_on_lambda = false;
  // The treatment of constraints that depend on others where the motion starts. error: the motion
  // does not start; drop: make_consistent chooses rows that are left out; minimum_norm: all rows
  // stay, and the multipliers are those of least norm. RedundantRows (redundant_rows.hpp) carries
  // it out.
  enum class Redundancy : unsigned char { error, drop, minimum_norm };
  Redundancy redundancy = Redundancy::error;
  // Rows that the model leaves out by name, whatever the policy.
  std::vector<int> named_rows;
  // The first of Sizes::lambda modes, 1 for a row that is left out; -1: no row can be.
  int dropped = -1;
  // 1 for a condition that is a guess, to be met as far as the constraints and the exact conditions
  // leave it free; conditions on positions come first. Empty: all are exact.
  std::vector<char> condition_guesses;
  // False: M would be large and full, its pattern is empty, and only apply_M and the solver of
  // make_solver know it.
  bool M_assembled = true;
  // M depends much on p, and f with it, as in joint coordinates: the acceleration of a force is
  // known to M and f together, and a method that takes them at different points does harm.
  bool configuration_dependent_mass = false;
  // The first index in p of each quadruple of Euler parameters.
  std::vector<int> euler_parameters;
  // For messages: the model's name of each unknown and each row ("crank.x", "main", ...).
  // p_bodies, v_bodies: the body whose coordinate it is, where the names do not begin with it.
  std::vector<std::string> p_bodies, v_bodies;
  std::vector<std::string> p_names, v_names, r_names, w_names, lambda_names, input_names,
      output_names, condition_names;
  // Outputs that are counters of the integrator: filled by HybridSystem, by Statistics' keywords.
  struct StatisticOutput {
    int output;
    std::string keyword;
  };
  std::vector<StatisticOutput> statistic_outputs;
  // The switching functions: Sizes::phi entries.
  struct SwitchingFunction {
    std::string name;
    bool rising = true, falling = true;  // the changes of sign that count
    double dead_band = -1.0;             // |phi| that counts as 0; < 0: by tolerances
    bool terminate = false;              // the simulation ends there
    bool acts = false;                   // act() changes the state there
    // Positive as long as a contact's mode or an internal discrete number holds: it counts where it
    // falls, however soon.
    bool guards_mode = false;
    bool of_time = false;  // happens at next_time() and has no zeros
    // For one-sided indicators: the comparison already holds at zero (>=, <=).
    bool true_at_zero = false;
    bool at_events = false;  // changes at events alone: no integrator's error is in it
    bool internal = false;   // of a discontinuity in a law: neither counted nor reported
  };
  std::vector<SwitchingFunction> switching;
  // Unilateral contacts and dry friction: rows of G that act or not by a mode (ContactMode,
  // contact/modes.hpp). Sliding friction is a part of f, -limit along `direction`; sticking
  // friction is the multipliers of rows; redundant friction is a part of f, and the length of
  // `direction` is the part of the static limit that it bears.
  struct Contact {
    std::string name;
    int mode;                        // in State::modes
    int normal = -1;                 // row of g: gap >= 0, force -lambda >= 0; -1: friction alone
    int tangent = -1, tangents = 0;  // rows of G, of velocities alone, that are 0 while it sticks
    int direction = -1;              // in z: along which it slides, or began to; unit length
    int low_speed = -1;  // in z, with two tangents: the speed below which `direction` counts as
                         // well as the velocity (contact/low_speed_direction.hpp)
    int phi = -1;  // 1 + (tangents > 0) switching functions that guard its mode: the gap or the
                   // normal force, then the friction limit less the friction, or the sliding speed
    bool turns = false;  // its gap is an angle
  };
  std::vector<Contact> contacts;
  // Outputs that are the number of a function's events, or the time of the last: filled by
  // HybridSystem.
  struct EventOutput {
    int output, function;
    bool time;
  };
  std::vector<EventOutput> event_outputs;
  // Typical sizes (p: 1 rad or the model's length; g: likewise per row), for scaling before any
  // pivoting and for judging residuals. Never zero.
  Vector p_scale, v_scale, g_scale;
};

// Rows and columns of the residuals
//
//   Z v | f - M a - G^T lambda | b | d | c | G v + gI - D lambda | g | n | G a + gamma | e
//
// and of their sparse Jacobian with respect to p, v, r, w, s, lambda, u at fixed a: plain partial
// derivatives, each position coordinate by itself. (d/da is 0, -M, 0, ..., G and not stored; G and
// F themselves are total derivatives where there are contact variables or auxiliary unknowns.) An
// inactive row has g = 0, gI = 0, gamma = 0 and zeros in G.
struct JacobianLayout {
  int kinematics, dynamics, r, w, s, velocity, position, norm, acceleration, invariant, rows;
  int col_p, col_v, col_r, col_w, col_s, col_lambda, col_u, cols;
  explicit JacobianLayout(const Sizes& n);
};

struct Differences;  // difference_jacobian.cpp

// Optional abilities; null: these equations do not have it.
class ExplicitTimeDependence;  // explicit_time_dependence.hpp
class OutputDerivatives;       // output_derivatives.hpp
class InputFilterStates;       // input_filter_states.hpp
class ClosedStart;             // start.hpp
class FrozenConditions;        // frozen_conditions.hpp
struct Capabilities {
  const ExplicitTimeDependence* explicit_time_dependence = nullptr;
  const OutputDerivatives* output_derivatives = nullptr;
  const InputFilterStates* input_filter_states = nullptr;
  const ClosedStart* closed_start = nullptr;
  const FrozenConditions* frozen_conditions = nullptr;
};

// The results of the stages. Equations may derive from it to keep caches of their own.
struct Workspace {
  Workspace(const Sizes& sizes, const Structure& structure);
  virtual ~Workspace();

  SaddleMatrix saddle(bool with_F = false) const {
    return {M, G, D, with_F ? &F : nullptr, unassembled};
  }

  const UnassembledMatrix* unassembled = nullptr;  // set by formalisms with solvers of their own
  // position
  ColumnSparse M;
  RowSparse G;
  Vector D, gI;  // per row of G
  Vector g, n, c;
  // velocity
  Vector p_dot;
  Vector G_v;  // G v + gI
  // force
  Vector f, b, d;
  // on request
  Vector gamma, e, phi, y;
  ColumnSparse F;
  Vector Ma;              // of residual()
  Vector residual;        // JacobianLayout rows
  ColumnSparse jacobian;  // allocated by the first call of jacobian()
  // jacobian() may leave the rows of g and G v (but for d(G v)/dv) at 0: nobody needs them.
  bool jacobian_without_g = false;
  // conditions on initial values: residuals, and rows that act on changes of v (of Z v for p)
  Vector condition_p, condition_v;
  RowSparse condition_p_rows, condition_v_rows;
  // The memory of jacobian() and friction() of the base class; made by their first call.
  std::unique_ptr<Differences> differences;
  ColumnSparse jacobian_of_all_rows;  // of RedundantRows
};

class Equations {
 public:
  virtual ~Equations() = default;

  const Sizes& sizes() const { return sizes_; }
  const Structure& structure() const { return structure_; }
  virtual Capabilities capabilities() const { return {}; }

  virtual std::unique_ptr<Workspace> make_workspace() const;

  // Default values of parameters and inputs; initial() is a guess, made consistent elsewhere
  // (initial.hpp).
  virtual Parameters default_parameters() const;
  virtual Inputs default_inputs(const Parameters& parameters) const;
  // Fills `derived`. What is wrong with the values, for a person; empty when they are fine.
  virtual std::string derive(Parameters&) const { return {}; }
  virtual State initial(const Context&, double t0) const = 0;

  virtual void position(const Context&, const State&, unsigned want, Workspace&) const = 0;
  virtual void velocity(const Context&, const State&, Workspace&) const = 0;
  virtual void force(const Context&, const State&, unsigned want, Workspace&) const = 0;
  // Needs position and velocity.
  virtual void gamma(const Context&, const State&, Workspace&) const = 0;
  // Only when structure().f_depends_on_lambda. Base class: differences of f, with w solved anew.
  virtual void friction(const Context&, const State&, Workspace&) const;
  // Base class: from the stages.
  virtual void residual(const Context&, const State&, Workspace&) const;
  // Base class: differences of residual(), accurate to about 1e-7 relative, in groups of columns
  // that share no row of structure().jacobian; without that pattern column by column, and dense.
  virtual void jacobian(const Context&, const State&, Workspace&) const;
  // Solves 0 = d for w (and 0 = c for s), from the values in the state; explicit methods call it,
  // implicit ones take the residuals. False when Newton fails. Base class: nothing to solve.
  virtual bool solve_auxiliary(const Context&, State&, Workspace&) const { return true; }
  // M x after position(want_M). Base class: by the assembled M.
  virtual void apply_M(const Context&, const State&, const Vector& x, Vector& Mx, Workspace&) const;
  // A solver for this model's saddle matrix. Base class: make_saddle_solver.
  virtual std::unique_ptr<SaddleSolver> make_solver(const std::string& keyword) const;
  // Z(p,t) x: the change of p by a change x of the velocity coordinates. Base class: the identity.
  virtual void apply_Z(const Context&, const State&, const Vector& x, Vector& z) const;
  // Some constraints have a second root half a turn away (axes that are to be parallel are
  // antiparallel there). Turns the bodies at a wrong root and returns the names of their joints;
  // none: the state is on the assembly branch that is meant. For initial values; may allocate.
  virtual std::vector<std::string> choose_assembly_branch(const Context&, State&) const {
    return {};
  }
  // Sets the memory of the start (in r and z: free lengths, counters of turns) from its consistent
  // p and v. Restarts after events leave it as it is.
  virtual void initialize_memory(const Context&, State&, Workspace&) const {}
  // Brings Euler parameters to norm 1. Base class: by Structure::euler_parameters.
  virtual void normalise(State&) const;

  virtual void switching(const Context&, const State&, Workspace&) const {}
  // Applies the event of a function to r, z and v. True when anything has changed.
  virtual bool act(const Context&, int /*function*/, State&, Workspace&) const { return false; }
  // The next time after x.t at which a function of time alone happens.
  struct TimeEvent {
    double t = std::numeric_limits<double>::infinity();
    int function = -1;
  };
  virtual TimeEvent next_time(const Context&, const State&) const { return {}; }
  // The law of one of Structure::contacts, at x with its a and lambda.
  struct ContactLaw {
    double restitution = 0.0;
    bool poisson = false;                    // restitution of impulses instead of velocities
    double mu = 0.0, mu_static = 0.0;        // of contacts with a normal, sliding and sticking
    double limit = 0.0, limit_static = 0.0;  // forces of friction alone
    double rest_speed = 0.0;  // a contact that leaves more slowly stays; 0: by the tolerance
  };
  virtual void contact_laws(const Context&, const State&, Workspace&, std::span<ContactLaw>) const {
  }
  // y at a state with consistent a and lambda. Statistics of the integrator are not known here;
  // their entries are left as they are.
  virtual void outputs(const Context&, const State&, Workspace&) const {}
  virtual void conditions(const Context&, const State&, Workspace&) const {}
  // Kinetic and potential energy (of conservative forces), for monitors; NaN when not known. Needs
  // no stage before. Base class: the kinetic one.
  struct Energy {
    double kinetic, potential;
  };
  virtual Energy energy(const Context&, const State&, Workspace&) const;

 protected:
  Sizes sizes_;
  Structure structure_;
};

}  // namespace mbs
