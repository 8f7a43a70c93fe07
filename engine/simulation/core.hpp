#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "engine/equations/projection.hpp"
#include "engine/simulation/input_history.hpp"
#include "engine/simulation/simulation.hpp"

namespace mbs {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr double spacings = 64.0 * std::numeric_limits<double>::epsilon();  // between equal times

// Inputs that positions or velocities follow: drives. Any change of theirs is a jump.
std::vector<char> inputs_that_move(const Equations& equations);

// Inputs::jet without further powers.
inline Inputs::Jet jet_as_set(const Inputs& u, int i, double t) {
  const double s = t - u.t0, first = u.first[i], second = u.second[i];
  return {u.value[i] + s * (first + 0.5 * s * second), first + s * second, second};
}

// Of model exchange.
struct Exchange {
  bool on = false, states_changed = false;
  std::vector<int> side;   // per switching function
  Vector before;           // (p, v, r) before the last events
  Vector shift;            // of what is quiet, away from zero; else 0
  Vector seen;             // phi where watch() has looked last; not a number: it is to count
  double seen_at = never;  // when that was
  Vector largest;          // max |phi| so far
  double next_time = 0.0;  // of time
  int next_function = -1;
};

// All that a snapshot holds, and the objects that compute with it. The integrator refers to the
// inputs and parameters in force, so a Core never moves.
struct Simulation::Core : Simulation::Near {
  Core(const Equations& equations, const SolverChoice& choice)
      : Near(equations.sizes(), never),
        parameters(equations.default_parameters()),
        inputs(equations.sizes().u),
        latest(equations.sizes().u),
        input_size(Vector::Zero(equations.sizes().u)),
        foreseen(settings.size()),
        history(equations.sizes().u),
        moves(inputs_that_move(equations)),
        landing(equations.sizes()),
        dx(Vector::Zero(x.p.size() + x.v.size() + x.r.size())),
        phi(Vector::Zero(equations.sizes().phi)),
        left(Vector::Zero(x.v.size() + x.r.size())),
        right(left),
        event_count(Vector::Zero(equations.sizes().phi)),
        event_time(Vector::Zero(equations.sizes().phi)),
        ws(equations.make_workspace()),
        solver(equations.make_solver(choice.options.linear)) {
    events.reserve(64);
    jumped.reserve(64);
    found.reserve(64);
    open.reserve(64);
    fired.reserve(64);
    reacting.reserve(64);
    timed.reserve(64);
    equations.derive(parameters);
    requested = parameters;
    latest = equations.default_inputs(parameters);
    inputs.further = Vector::Zero((Inputs::highest_power - 2) * latest.value.size());
    put_in_force(latest);
    make_integrator(equations, choice);
  }

  Context context() const { return {inputs, parameters}; }

  // An input at t = x.t that is not set.
  Inputs::Jet unset(int i, double t) const {
    const Inputs::Jet u = jet_as_set(latest, i, t);
    return slopes_end ? Inputs::Jet{u.value, 0.0, 0.0} : u;
  }

  // Polynomials as they were set; predict_inputs() lets them go on.
  void put_in_force(const Inputs& u) {
    inputs.t0 = u.t0;
    inputs.value = u.value;
    inputs.first = u.first;
    inputs.second = u.second;
    if (!std::exchange(predicted, false)) return;
    inputs.further.setZero();
    for (ForeseenInput& one : foreseen) one.stop();
  }

  void find_foreseen() {
    const Eigen::Index n = latest.value.size();
    for (Eigen::Index i = 0; i < n; ++i) {
      bool any = false;
      for (Eigen::Index k = i; k < inputs.further.size(); k += n)
        any = any || inputs.further[k] != 0.0;
      ForeseenInput& one = foreseen[static_cast<std::size_t>(i)];
      if (any)
        one = ForeseenInput(inputs, static_cast<int>(i));
      else
        one.stop();
    }
  }

  void make_integrator(const Equations& equations, const SolverChoice& choice) {
    IntegratorOptions options = choice.options;
    if (tolerance > 0.0) {
      const double factor = tolerance / options.rtol;
      const auto possible = [](double rtol) { return std::clamp(rtol, 1e-15, 0.5); };
      options.rtol = possible(tolerance);
      options.atol *= factor;
      for (double& rtol : options.rtol_each) rtol = possible(rtol * factor);
      options.atol_each *= factor;
    }
    accuracy = options.rtol;
    atol = options.atol;
    integrator = mbs::make_integrator(choice.method, equations, context(), options);
    finder = std::make_unique<RootFinder>(equations, context(), options, choice.event_points);
    projection = std::make_unique<Projection>(equations, context(), options);
    contacts = std::make_unique<Contacts>(equations, context(), options, options.linear);
  }

  // The finder's roots, and the events of time at the end of the step.
  void gather_found() {
    const std::span<const Root> roots = finder->roots();
    found.assign(roots.begin(), roots.end());
    for (const int function : timed) found.push_back({timed_at, function, 1, 0});
  }

  // Where the integrator's last step leads to. One that meets an event of time ends one spacing of
  // numbers before it, as laws may jump there.
  double step_end() const { return timed.empty() ? integrator->state().t : timed_at; }

  void set_tolerance(double value, const Equations& equations, const SolverChoice& choice) {
    if (value == tolerance) return;
    tolerance = value;
    make_integrator(equations, choice);
  }

  // Parameters and inputs in force, and as they are to be from the next advance on.
  Parameters parameters, requested;
  bool derive_pending = false;
  std::string parameter_error;          // of the last derive(requested)
  Inputs inputs;                        // in force
  Inputs latest;                        // as they were set last; the next step takes them over
  Vector input_size;                    // the largest magnitude of each so far
  std::vector<ForeseenInput> foreseen;  // of those in force, which go on beyond what was set
  InputHistory history;
  std::vector<char> moves;  // inputs that enter constraints

  State landing;
  double tolerance = 0.0;  // 0: that of the options
  double atol = 0.0;
  double accuracy = 0.0;  // relative, what follows from it
  bool initialised = false;
  bool started = false;         // the integrator is at x.t or beyond
  bool restart_needed = false;  // what is in force has changed, its surplus does not count
  bool inputs_differ = false;   // coast() has found that; advance() is to follow
  Vector dx, phi;               // rates, indicators
  Vector left, right;           // a and b before and after an event of time

  // Events up to x.t.
  std::vector<Root> jumped;        // of the last change of inputs or parameters
  Vector event_count, event_time;  // per switching function
  std::vector<Root> found;         // in the integrator's last step
  std::vector<int> timed;          // functions of time that happen at its end ...
  double timed_at = never;         // ... which is then here
  std::vector<Root> open;          // at x.t, that have not happened yet
  // Functions whose event at x.t has not acted yet, or of time, where laws may jump; buffer.
  std::vector<int> fired, reacting;
  bool leave_open = false;  // as the running advance() was asked
  int reactions_here = 0;   // since time moved on
  double reacted_at = 0.0;
  std::int64_t reactions = 0;
  std::vector<Notice> notices;
  Exchange exchange;

  std::unique_ptr<Workspace> ws;
  std::unique_ptr<SaddleSolver> solver;
  std::unique_ptr<Integrator> integrator;
  std::unique_ptr<RootFinder> finder;  // its roots are those of the integrator's last step
  std::unique_ptr<Projection> projection;
  std::unique_ptr<Contacts> contacts;
  // Made when derivatives are asked for.
  std::unique_ptr<Tangent> tangent;
  Matrix columns;
  std::vector<char> column_known;
  std::vector<Variation> units;      // some at once
  Vector dy, ddy, along, ddx, path;  // with respect to time; along: x' as it goes on
  std::unique_ptr<Workspace> beside;
  std::unique_ptr<SaddleSolver> beside_solver;
  State moved;
  Parameters shifted;  // of differences.cpp
  Inputs shifted_inputs;
  Vector difference;
  std::unique_ptr<Preview> preview;
  Inputs pending_inputs;

  // While it lives, laws at the state x are those of another time.
  class LawsAt {
   public:
    LawsAt(State& x, double t) : x_(x), t_(std::exchange(x.t, t)) {}
    ~LawsAt() { x_.t = t_; }
    LawsAt(const LawsAt&) = delete;
    LawsAt& operator=(const LawsAt&) = delete;

   private:
    State& x_;
    double t_;
  };

  // While it lives, what has been set is in force, as preview() has put it together.
  class PendingInForce {
   public:
    explicit PendingInForce(Core& core) : c_(core) { exchange(); }
    ~PendingInForce() { exchange(); }
    PendingInForce(const PendingInForce&) = delete;
    PendingInForce& operator=(const PendingInForce&) = delete;

   private:
    void exchange() {
      std::swap(c_.inputs, c_.pending_inputs);
      std::swap(c_.parameters, c_.requested);
    }
    Core& c_;
  };
};

}  // namespace mbs
