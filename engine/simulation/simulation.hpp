#pragma once

// One simulation of one model: parameters and inputs go in, time advances to communication points,
// outputs come out; snapshot and restore give bitwise the same continuation.
//
// The integrator runs on past a communication point with its own step, on the inputs it has, and
// points in between are interpolated when somebody looks at them, so that small communication steps
// cost almost nothing. When a tunable parameter then differs, or an input by more than can be told
// (changes.cpp), the surplus is discarded and integration starts anew from the projected
// interpolant at that point.
//
// Events are found inside of advance(), at their own times, and counted once their time is reached:
// those beyond a communication point wait, and are forgotten when the surplus is. One that ends the
// simulation is where advance() stops for good.
//
// Some events act: they change modes, velocities and states. Integration then begins anew at their
// time. advance() does that by itself, unless it is asked to stop at events, or to leave them open:
// then state and outputs are those before (left limits), and take_effect() or the next advance()
// makes them those after.
//
// Laws of forces may jump at events of time, whether these act or not: integration then begins anew
// there, too. Steps to such an event end one spacing of numbers before it, and left limits are
// those of laws there, so that a condition time >= 0.5 s is not true yet where an event at 0.5 s is
// still to happen.
//
// What is set takes effect with the next advance() (or initialise(), or take_effect()): until then
// the outputs are those of the step that has been made. Setting a value that holds already changes
// no result.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/analysis/tangent.hpp"
#include "engine/contact/contacts.hpp"
#include "engine/equations/equations.hpp"
#include "engine/equations/initial.hpp"
#include "engine/events/root_finder.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "engine/simulation/solver_choice.hpp"

namespace mbs {

// Of a state, by the scales of its kind (Structure::p_scale, v_scale).
inline double nominal_of(const Vector& scale, int i) {
  return i < scale.size() ? scale[i] : 1.0;
}

class Simulation {
 public:
  // Throws std::invalid_argument when the method, an option or a statistic is not possible.
  Simulation(std::shared_ptr<const Equations> equations, SolverChoice solver);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  const Equations& equations() const { return *equations_; }
  const SolverChoice& solver() const { return solver_; }
  // What works and why: integrator, scheme, linear solver.
  std::string describe_solver() const;
  const SaddleStatistics& linear_statistics() const;

  // Before initialise() or between advances. Calculated parameters follow the others; what is set
  // to one of them is lost.
  double parameter(int i);
  void set_parameter(int i, double value);
  // The input at time(); as a polynomial from time() on: value, slope, curvature. It goes on until
  // it is set again.
  double input(int i) const;
  void set_input(int i, double value, double first = 0.0, double second = 0.0);
  // The value alone, or one derivative: what else has been set since the last step stays.
  void set_input_value(int i, double value) {
    if (!near_->set_value(i, value)) set_value_anew(i, value);
  }
  void set_input_derivative(int i, int order, double value) {
    Setting& setting = near_->settings[static_cast<std::size_t>(i)];
    if (!setting.touched) {
      set_derivative_anew(i, order, value);
      return;
    }
    (order == 1 ? setting.to.first : setting.to.second) = value;
    near_->shown &= ~(Near::pendings | Near::pending_tangents);
  }
  // The first one, and the second unless it is null, of an input whose value has just been set.
  // False: it has not; nothing has been done.
  bool set_input_derivatives(int i, double first, const double* second) {
    Setting& setting = near_->settings[static_cast<std::size_t>(i)];
    if (!setting.touched) return false;
    setting.to.first = first;
    if (second != nullptr) setting.to.second = *second;
    near_->shown &= ~(Near::pendings | Near::pending_tangents);
    return true;
  }
  // Inputs stay at the values that they have now until they are set again.
  void end_slopes() { near_->slopes_end = near_->any_touched = true; }
  // True: it is known that set_input(i, value) would change nothing.
  bool holds_input(int i, double value) const {
    return near_->settings[static_cast<std::size_t>(i)].held == value;
  }

  // Consistent initial values at t0. A tolerance > 0 replaces rtol (and scales atol with it).
  // May be called again with other parameters and inputs until the first advance.
  InitialReport initialise(double t0, double tolerance = 0.0);

  // To t > time(), landing on it bit for bit; or only to the first event before it, as `events`
  // says. Throws SolverFailure; time() is then the last time that was reached.
  enum class Advance {
    reached,
    event,       // time() is that of events, which follow in events()
    terminated,  // likewise; there is no way on
    stopped      // by the progress function
  };
  enum class Events {
    handled,          // inside
    stop,             // advance() stops at each; those that act have not acted yet
    left_open,        // it stops at each, and nothing has happened yet: not even the counters
    left_open_at_end  // only those at t itself are left open, what is before is handled
  };
  Advance advance(double t, Events events = Events::handled);
  // The same where nothing happens on the way: t lies in what is known, what was set does not
  // change that, and there are no events() and no new notices. False: that takes an advance(), or
  // time() is not within `slack` of `from`.
  bool coast(double t, double from, double slack) {
    Near& c = *near_;
    if (!(t > c.x.t && t <= c.uneventful && std::abs(from - c.x.t) <= slack)) return false;
    if (c.any_touched || c.predicted) return coast_on_inputs(t);
    c.horizon = std::numeric_limits<double>::infinity();
    c.events.clear();
    c.land(t);
    return true;
  }

  // Events at time() are open or have not acted yet.
  bool event_due() const;
  bool event_due(int function) const;
  // They happen now, and what has been set takes effect; the events of that are in events(). State
  // and outputs are then right limits. Throws SolverFailure where nothing is consistent with them.
  void take_effect();
  // The next one that is known beforehand, by its time; infinity: none.
  double next_time_event() const;

  // Of the last advance() or take_effect(), in order of time; Root::function counts as
  // Structure::switching does.
  std::span<const Root> events() const;
  // What contacts did since the last call, for the log.
  struct Notice {
    double t;
    std::string text;
  };
  std::vector<Notice> take_notices();
  // Since initialise(); the time is that of the start while there was none.
  double event_count(int function) const;
  double event_time(int function) const;
  // "event 'floor' at t = 1.25 ended the simulation"; empty while it has not ended.
  std::string ended() const;
  bool has_ended() const { return near_->ended_by >= 0; }

  // Makes the integrator's step that begins at time() or holds it, unless it is there; t_stop
  // limits a first step. Returns its end, or that of the simulation when it comes before. Points up
  // to there cost an interpolation, and dense_output() is valid: as it is, without projection.
  double step_ahead(double t_stop);
  void dense_output(double t, State& x);

  // Model exchange (exchange.cpp): somebody else integrates (p, v, r). begin_exchange() comes after
  // initialise() and in place of advance(); inputs are in force at once, events and parameters with
  // take_effect().
  void begin_exchange();
  int exchange_size() const;
  void set_exchange_time(double t);
  void set_exchange_states(std::span<const double> values);
  void exchange_states(std::span<double> values) const;
  void exchange_nominals(std::span<double> values) const;
  bool completed_step();        // true: there is something to take effect
  bool states_changed() const;  // by the last take_effect()

  // Positions or velocities follow it themselves: a drive.
  bool input_moves(int i) const;

  // Derivatives at time() in a direction: p, v, r, u of `change` are given, the rest follows.
  // dx: of (p', v', r'), dy: of the outputs. Throws std::runtime_error.
  enum class At { present, preview };  // preview: with what has been set, as in preview()
  void differentiate(Variation& change, Vector& dx, Vector* dy = nullptr, At at = At::present);
  // The same of (p', v', r', y) by one of (p, v, r, u), counted through; kept until something
  // changes, with those of the next ones, for which one solution is made.
  Eigen::Ref<const Vector> derivative_column(int known, At at = At::present);
  // The same by a parameter, or by time, alone: all of (p, v, r, u) stay as they are. Differences
  // (differences.cpp); least, largest: values that the parameter may have. Valid until the next
  // call. Throws std::runtime_error.
  const Vector& parameter_column(int parameter, double least, double largest, At at = At::present);
  const Vector& time_column(At at = At::present);
  // d/dt, d^2/dt^2 of the outputs as they go on from time(), where they bend there those of what
  // follows; what is discrete has none. Throws SolverFailure.
  const Vector& output_derivative(int order);

  // (p', v', r') and phi at time(), a constant for functions of time alone.
  const Vector& rates();
  const Vector& indicators();

  // Called after each step of a long advance with the time reached; false stops it there.
  using Progress = std::function<bool(double time)>;
  void set_progress(Progress progress) { progress_ = std::move(progress); }

  double time() const { return near_->x.t; }
  const State& state() const;
  // Outputs at time(), computed when first asked for, statistics filled in. After initialise().
  double output(int i);

  // What has been set and is not in force yet, and what take_effect() would show of it before any
  // event, were it beyond the tolerance: state, outputs, rates and indicators at time() with the
  // states as they are. Nothing changes. Throws SolverFailure.
  bool has_pending() const;
  struct Preview {
    State x;
    Vector y, dx, phi;
  };
  const Preview& preview();
  const Statistics& statistics() const;

  // Everything that influences what follows, in memory or as bytes that other processes can read
  // (see sealed.hpp; refused with std::runtime_error, the simulation is then as it was).
  std::vector<std::byte> serialise(std::uint64_t model_hash) const;
  void deserialise(std::span<const std::byte> bytes, std::uint64_t model_hash);
  // The same as a part of a larger stream.
  void save(ByteWriter& writer) const;
  void restore(ByteReader& reader);

  void reset();  // as constructed

 private:
  struct Core;
  // What has been set of an input and is not in force yet.
  struct Setting {
    bool touched = false;
    bool varies = false;  // it has done so when it was set last, within a step
    Inputs::Jet to{0.0, 0.0, 0.0};
    // What it stays at until it is set; NaN: not known.
    double held = std::numeric_limits<double>::quiet_NaN();
  };
  // What most small communication steps need, and no more.
  struct Near {
    Near(const Sizes& sizes, double never)
        : x(sizes), uneventful(never), settings(static_cast<std::size_t>(sizes.u)) {}

    enum : unsigned {  // of `shown`
      outputs = 1,
      rates = 2,
      indicators = 4,
      tangents = 8,
      slopes = 16,
      curvatures = 32,
      pendings = 64,
      pending_tangents = 128
    };

    State x;
    bool landed =
        true;  // false: of x, t alone is that of the point; the rest is interpolated on demand
    unsigned shown = 0;        // what has been computed since x changed
    bool any_touched = false;  // inputs have been set
    bool slopes_end = false;   // those that have not been set are to stay at their values
    bool predicted = false;    // those in force go on beyond what was set
    int ended_by = -1;         // the switching function that ended the simulation
    // So far nothing happens, unless inputs change: no event, no parameter, no step of the
    // integrator. Any call that may lead to such sets it back.
    double uneventful;
    double integrated = 0.0;        // where the integrator is, then
    double horizon = 0.0;           // how far from latest.t0 polynomials of inputs may be relied on
    std::vector<Setting> settings;  // of all inputs
    std::vector<Root> events;       // of the last advance

    // In the integrator's last step. Nobody may look: interpolation waits for that.
    void land(double t) {
      x.t = t;
      landed = false;
      shown = 0;
    }
    // False: what there is has to be looked at first.
    bool set_value(int i, double value) {
      Setting& setting = settings[static_cast<std::size_t>(i)];
      if (!setting.touched) {
        if (!setting.varies) return false;
        setting.touched = any_touched = true;
        setting.to = {value, 0.0, 0.0};
        shown &= ~(pendings | pending_tangents);
        return true;
      }
      setting.to.value = value;
      shown &= ~(pendings | pending_tangents);
      return true;
    }
  };
  void change_places();
  void linearise(At at);
  void make_beside();
  double fastest_rate(const Vector& dx) const;
  void look_beside(const Context& context, State& moved, double by);
  void rates_beside(const Context& context, const State& moved, Vector& rates);
  void add_beside(const Context& context, double factor);
  const State& begin_differences(At at);
  void check_change(const Context& before, const Context& after);
  void apply_changes();
  void make_step(double t_stop);
  void land_before_failure(double t);
  const State& landed() const;
  void note(const Root& root);
  bool acts(const Root& root) const;
  bool of_time(int function) const;
  double law_time() const;
  bool laws_jump();
  bool count_events(double from, double to, double end, Events events);
  bool coast_on_inputs(double t);
  bool inputs_changed();
  inline bool go_on_as_foreseen();  // of changes.cpp alone
  void set_value_anew(int i, double value);
  void set_derivative_anew(int i, int order, double value);
  void change_input(int i, const Inputs::Jet& to);
  double predict_inputs(double t_stop);
  void leave();
  void restart();
  void react();
  void react_to_all();
  void begin_anew(double hint);
  void settle_contacts(std::span<const int> fired);
  void solve_exchange() const;
  void count_into(Vector& y) const;
  void hide_times(Vector& phi) const;
  bool guards(int function) const;
  bool watch(bool keep);
  void shift_quiet();
  void tell_unseen_flights();
  void schedule();
  bool drifted();
  void refuse_without_lag() const;
  void exchange_events();

  std::shared_ptr<const Equations> equations_;
  SolverChoice solver_;
  Progress progress_;
  std::unique_ptr<Core> core_;
  Near* near_ = nullptr;         // of core_
  std::unique_ptr<Core> spare_;  // restore() works here, so that a refused stream changes nothing
};

}  // namespace mbs
