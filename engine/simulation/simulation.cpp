#include "engine/simulation/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "engine/analysis/equilibrium.hpp"
#include "engine/integrators/common/projection.hpp"
#include "engine/integrators/common/text.hpp"
#include "engine/simulation/sealed.hpp"

namespace mbs {
namespace {

constexpr int most_reactions = 200;  // at one time
constexpr std::int64_t most_stored_events = 1 << 20;

}  // namespace

SolverChoice solver_choice(const SolverSettings& settings) {
  SolverChoice choice;
  choice.method = settings.method;
  choice.options.rtol = settings.rtol;
  choice.options.atol = settings.atol;
  choice.options.initial_step = settings.initial_step;
  choice.options.max_step = settings.max_step;
  choice.options.max_order = settings.max_order;
  choice.options.max_steps = settings.max_steps;
  choice.options.linear = settings.linear;
  choice.options.scheme = settings.scheme;
  choice.options.dense_order = settings.dense_order;
  choice.event_points = settings.event_points;
  for (const MethodSetting& own : settings.method_settings) {
    choice.options.method_options.push_back({own.method, own.name, own.value});
  }
  choice.own_tolerances = settings.own_tolerances;
  return choice;
}

SolverChoice solver_choice(const Model& model) {
  SolverChoice choice = solver_choice(model.solver);
  choice.statics = model.init_method == "statics";
  return choice;
}

// All that a snapshot holds, and the objects that compute with it. The integrator refers to the
// inputs and parameters in force, so a Core never moves.
struct Simulation::Core {
  Core(const Equations& equations, const SolverChoice& choice)
      : parameters(equations.default_parameters()),
        inputs(equations.sizes().u),
        pending(equations.sizes().u),
        touched(static_cast<std::size_t>(equations.sizes().u), 0),
        x(equations.sizes()),
        landing(equations.sizes()),
        event_count(Vector::Zero(equations.sizes().phi)),
        event_time(Vector::Zero(equations.sizes().phi)),
        ws(equations.make_workspace()),
        solver(equations.make_solver(choice.options.linear)) {
    events.reserve(64);
    jumped.reserve(64);
    found.reserve(64);
    fired.reserve(64);
    equations.derive(parameters);
    requested = parameters;
    inputs = equations.default_inputs(parameters);
    make_integrator(equations, choice);
  }

  Given given() const { return {inputs, parameters}; }

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
    integrator = mbs::make_integrator(choice.method, equations, given(), options);
    finder = std::make_unique<RootFinder>(equations, given(), options, choice.event_points);
    projection = std::make_unique<Projection>(equations, given(), options);
    contacts = std::make_unique<Contacts>(equations, given(), options, options.linear);
  }

  // The finder's roots, and the event of time at the end of the step.
  void gather_found() {
    const std::span<const Root> roots = finder->roots();
    found.assign(roots.begin(), roots.end());
    if (timed >= 0) found.push_back({integrator->state().t, timed, 1, 0});
  }

  void set_tolerance(double value, const Equations& equations, const SolverChoice& choice) {
    if (value == tolerance) return;
    tolerance = value;
    make_integrator(equations, choice);
  }

  // Parameters and inputs in force, and as they are to be from the next advance on.
  Parameters parameters, requested;
  bool derive_pending = false;
  std::string parameter_error;  // of the last derive(requested)
  Inputs inputs, pending;
  std::vector<int> touched;  // which of `pending` have been set

  State x, landing;
  double tolerance = 0.0;  // 0: that of the options
  bool initialised = false;
  bool started = false;         // the integrator is at x.t or beyond
  bool restart_needed = false;  // what is in force has changed, its surplus does not count
  bool run_ahead = true;        // past the next communication point
  bool outputs_valid = false;

  // Events up to x.t.
  std::vector<Root> events;        // of the last advance
  std::vector<Root> jumped;        // of the last change of inputs or parameters
  Vector event_count, event_time;  // per switching function
  int ended_by = -1;               // the switching function that ended the simulation
  std::vector<Root> found;         // in the integrator's last step
  int timed = -1;                  // the function of time at its end
  std::vector<int> fired;          // functions whose event at x.t has not acted yet
  int reactions_here = 0;          // since time moved on
  double reacted_at = 0.0;
  std::int64_t reactions = 0;
  std::vector<Notice> notices;

  std::unique_ptr<Workspace> ws;
  std::unique_ptr<SaddleSolver> solver;
  std::unique_ptr<Integrator> integrator;
  std::unique_ptr<RootFinder> finder;  // its roots are those of the integrator's last step
  std::unique_ptr<Projection> projection;
  std::unique_ptr<Contacts> contacts;
};

namespace {

// Tolerances by name become tolerances per component.
void give_own_tolerances(const Equations& equations, SolverChoice& solver) {
  if (solver.own_tolerances.empty()) return;
  IntegratorOptions& options = solver.options;
  const Sizes& n = equations.sizes();
  const int count = n.p + n.v + n.r;
  if (options.rtol_each.size() == 0) options.rtol_each.setConstant(count, options.rtol);
  if (options.atol_each.size() == 0) options.atol_each.setConstant(count, options.atol);
  const Structure& names = equations.structure();
  for (const OwnTolerance& own : solver.own_tolerances) {
    int component = 0;
    for (const auto* list : {&names.p_names, &names.v_names, &names.r_names}) {
      for (const std::string& name : *list) {
        // a body's unknowns are called "body.x"; a state's name is its own
        // (in joint coordinates those of the joint that carries it are its)
        const auto* owners = list == &names.p_names   ? &names.p_bodies
                             : list == &names.v_names ? &names.v_bodies
                                                      : nullptr;
        const auto index = static_cast<std::size_t>(&name - list->data());
        const bool owned =
            owners != nullptr && index < owners->size() && (*owners)[index] == own.of;
        const bool meant = owned ? true
                           : list == &names.r_names
                               ? name == own.of
                               : name.starts_with(own.of + ".") &&
                                     name.find('.', own.of.size() + 1) == std::string::npos;
        if (meant && own.rtol > 0.0) options.rtol_each[component] = own.rtol;
        if (meant && own.atol > 0.0) options.atol_each[component] = own.atol;
        ++component;
      }
    }
  }
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const Equations> equations, SolverChoice solver)
    : equations_(std::move(equations)), solver_(std::move(solver)) {
  give_own_tolerances(*equations_, solver_);
  solver_.options.check(equations_->sizes());
  for (const auto& [output, statistic] : equations_->structure().statistic_outputs) {
    const std::span<const std::string_view> known = Statistics::words();
    if (std::find(known.begin(), known.end(), statistic) == known.end())
      throw std::invalid_argument("there is no counter '" + statistic + "' of the integrator");
  }
  reset();
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const SaddleStatistics& Simulation::linear_statistics() const {
  return core_->integrator->linear_statistics();
}

std::string Simulation::describe_solver() const {
  return core_->integrator->describe();
}

void Simulation::reset() {
  core_ = std::make_unique<Core>(*equations_, solver_);
}

const State& Simulation::state() const {
  return core_->x;
}

const Statistics& Simulation::statistics() const {
  return core_->integrator->statistics();
}

double Simulation::parameter(int i) {
  Core& c = *core_;
  if (std::exchange(c.derive_pending, false)) c.parameter_error = equations_->derive(c.requested);
  return c.requested.values[i];
}

void Simulation::set_parameter(int i, double value) {
  core_->requested.values[i] = value;
  core_->derive_pending = true;
}

double Simulation::input(int i) const {
  const Core& c = *core_;
  return c.touched[i] ? c.pending.value[i] : c.inputs.at(i, c.x.t);
}

void Simulation::set_input(int i, double value, double first, double second) {
  Core& c = *core_;
  c.pending.value[i] = value;
  c.pending.first[i] = first;
  c.pending.second[i] = second;
  c.touched[i] = 1;
}

InitialReport Simulation::initialise(double t0, double tolerance) {
  Core& c = *core_;
  if (c.started) throw std::logic_error("a simulation that has begun cannot be initialised again");
  c.initialised = c.restart_needed = c.outputs_valid = false;
  c.set_tolerance(tolerance, *equations_, solver_);

  InitialReport report;
  c.derive_pending = false;
  report.message = c.parameter_error = equations_->derive(c.requested);
  if (!report.message.empty()) return report;
  c.parameters = c.requested;
  c.inputs.t0 = t0;
  for (int i = 0; i < equations_->sizes().u; ++i)
    if (std::exchange(c.touched[i], 0)) {
      c.inputs.value[i] = c.pending.value[i];
      c.inputs.first[i] = c.pending.first[i];
      c.inputs.second[i] = c.pending.second[i];
    }

  c.x = equations_->initial(c.given(), t0);
  c.x.t = t0;
  c.event_time.setConstant(t0);
  report = mbs::make_consistent(*equations_, c.given(), c.x);
  if (report.ok && solver_.statics) {
    Equilibrium found = find_equilibrium(*equations_, c.given(), c.x);
    report.ok = found.ok;
    report.message = found.message;
    report.moved_p = std::move(found.moved);
    report.moved_v.clear();
  }
  if (report.ok) {
    report.message = c.contacts->start(c.x);
    report.ok = report.message.empty();
  }
  for (const std::string& notice : c.contacts->notices()) c.notices.push_back({t0, notice});
  c.initialised = report.ok;
  return report;
}

// Takes over what has been set. When it differs from what is in force the integrator has to start
// anew from x.
void Simulation::apply_changes() {
  Core& c = *core_;
  while (!c.fired.empty() && c.ended_by < 0) react();
  const double t = c.x.t;
  const int count = equations_->sizes().u;
  const auto slope = [&](int i) {
    return c.inputs.first[i] + (t - c.inputs.t0) * c.inputs.second[i];
  };

  bool changed = false;
  for (int i = 0; i < count && !changed; ++i)
    changed = c.touched[i] &&
              (c.pending.value[i] != c.inputs.at(i, t) || c.pending.first[i] != slope(i) ||
               c.pending.second[i] != c.inputs.second[i]);
  if (changed) {
    for (int i = 0; i < count; ++i)
      if (!c.touched[i]) {
        c.pending.value[i] = c.inputs.at(i, t);
        c.pending.first[i] = slope(i);
        c.pending.second[i] = c.inputs.second[i];
      }
    c.pending.t0 = t;
    c.inputs = c.pending;
    c.restart_needed = true;
  }
  std::fill(c.touched.begin(), c.touched.end(), 0);

  if (std::exchange(c.derive_pending, false)) c.parameter_error = equations_->derive(c.requested);
  if (c.requested.values != c.parameters.values) {
    if (!c.parameter_error.empty())
      throw SolverFailure(t, 0.0, c.parameter_error, "set parameters that are possible");
    c.parameters = c.requested;
    c.restart_needed = true;
  }

  c.run_ahead = !c.restart_needed;
  double hint = 0.0;
  if (c.restart_needed) {
    if (c.started) hint = c.integrator->state().t - c.integrator->step_begin();
    c.landing = c.x;
    // A tunable length moves the constraints; exact targets of the initial values play no part.
    if (!c.projection->positions(c.landing, *c.ws, *c.solver).ok ||
        !c.projection->velocities(c.landing, *c.ws, *c.solver).ok ||
        !solve_accelerations(*equations_, c.given(), c.landing, *c.ws, *c.solver))
      throw SolverFailure(t, hint,
                          "after a change of inputs or parameters there is no state that satisfies "
                          "the constraints and the equations of motion",
                          "change them in smaller steps, or back");
    std::swap(c.x, c.landing);
    settle_contacts({});
    begin_anew(hint);
  } else if (!c.started) {
    begin_anew(hint);
  }
  // A jump of an input may have carried functions over zero whose events act.
  while (!c.fired.empty() && c.ended_by < 0) react();
}

// The integrator starts at x, with nothing found ahead. Functions that have jumped over zero have
// events there.
void Simulation::begin_anew(double hint) {
  Core& c = *core_;
  c.found.clear();
  c.timed = -1;
  if (c.started) {
    for (const Root& root : c.finder->restart(c.x)) {
      note(root);
      c.jumped.push_back(root);
      if (acts(root)) c.fired.push_back(root.function);
    }
  }
  c.integrator->start(c.x, hint);
  if (!c.started) c.finder->start(c.integrator->state());
  c.started = true;
  c.restart_needed = false;
}

void Simulation::settle_contacts(std::span<const int> fired) {
  Core& c = *core_;
  const std::string wrong = c.contacts->settle(fired, c.x);
  if (!wrong.empty()) {
    throw SolverFailure(c.x.t, 0.0, wrong, "look at the contacts and friction coefficients there");
  }
  for (const std::string& notice : c.contacts->notices()) c.notices.push_back({c.x.t, notice});
}

bool Simulation::acts(const Root& root) const {
  const auto& function = equations_->structure().switching[static_cast<std::size_t>(root.function)];
  return function.acts || function.guards_mode;
}

bool Simulation::reaction_due() const {
  return !core_->fired.empty();
}

void Simulation::react() {
  Core& c = *core_;
  if (c.fired.empty()) return;
  const double t = c.x.t;
  const auto& functions = equations_->structure().switching;
  const double same = 1e-12 * std::max(std::abs(t), c.integrator->statistics().last_step);
  c.reactions_here = t - c.reacted_at <= same ? c.reactions_here + 1 : 1;
  const double since = c.reactions > 0 ? t - c.reacted_at : std::numeric_limits<double>::infinity();
  ++c.reactions;
  c.reacted_at = t;
  if (c.reactions_here > most_reactions) {
    throw SolverFailure(t, 0.0,
                        "events follow each other without time passing, the last is '" +
                            functions[static_cast<std::size_t>(c.fired.front())].name + "'",
                        "what an event sets must not lead to the same event at once");
  }
  c.outputs_valid = false;
  std::vector<int> fired;
  std::swap(fired, c.fired);
  bool changed = false;
  for (const int function : fired) {
    if (functions[static_cast<std::size_t>(function)].acts) {
      changed = equations_->act(c.given(), function, c.x, *c.ws) || changed;
    }
  }
  if (c.contacts->any()) {
    settle_contacts(fired);
  } else if (changed && (!c.projection->positions(c.x, *c.ws, *c.solver).ok ||
                         !c.projection->velocities(c.x, *c.ws, *c.solver).ok ||
                         !solve_accelerations(*equations_, c.given(), c.x, *c.ws, *c.solver))) {
    throw SolverFailure(t, 0.0,
                        "after event '" + functions[static_cast<std::size_t>(fired.front())].name +
                            "' there is no state that satisfies the constraints",
                        "look at what the event sets");
  }
  if (!changed && !c.contacts->any()) return;
  // Bounces follow each other faster and faster: steps have to shrink with them, or rounding in
  // long ones hides the flights.
  const double step = c.integrator->state().t - c.integrator->step_begin();
  begin_anew(c.reactions_here > 1 ? step : std::min(step, 2.0 * since));
}

void Simulation::make_step(double t_stop) {
  Core& c = *core_;
  const Equations::TimeEvent next = equations_->next_time(c.given(), c.integrator->state());
  c.integrator->step(
      std::min(next.t, c.run_ahead ? std::numeric_limits<double>::infinity() : t_stop));
  c.finder->examine(*c.integrator);
  c.timed = c.integrator->state().t == next.t ? next.function : -1;
  c.gather_found();
}

void Simulation::note(const Root& root) {
  Core& c = *core_;
  c.event_count[root.function] += 1.0;
  c.event_time[root.function] = root.t;
  const auto& functions = equations_->structure().switching;
  if (c.ended_by < 0 && functions[static_cast<std::size_t>(root.function)].terminate)
    c.ended_by = root.function;
}

// In the integrator's last step.
void Simulation::land(double t) {
  Core& c = *core_;
  c.integrator->interpolate(t, true, c.landing);
  c.landing.t = t;
  if (!c.landing.p.allFinite() || !c.landing.v.allFinite() || !c.landing.r.allFinite())
    throw SolverFailure(t, c.integrator->statistics().last_step, "the solution is no longer finite",
                        "look for a force that grows without bound");
  std::swap(c.x, c.landing);
}

// As far as the solution and its events are known; time() stays where it was when that is past t,
// which is so when the interpolation failed.
void Simulation::land_before_failure(double t) {
  Core& c = *core_;
  const double end = c.integrator->state().t, known = std::min(end, c.finder->examined());
  if (!(known > c.x.t && known < t)) return;
  if (known == end) {
    c.x = c.integrator->state();
    return;
  }
  try {
    land(known);
  } catch (const SolverFailure&) {
  }
}

Simulation::Advance Simulation::advance(double t, bool stop_at_events) {
  Core& c = *core_;
  if (!c.initialised) throw std::logic_error("advance() needs a successful initialise() first");
  if (c.ended_by >= 0) throw std::logic_error(ended());
  if (!(t > c.x.t) || !std::isfinite(t))
    throw std::invalid_argument("advance() needs a time after the present one");
  c.outputs_valid = false;
  c.events.clear();
  c.notices.clear();
  apply_changes();
  std::swap(c.events, c.jumped);
  if (c.ended_by >= 0) return Advance::terminated;

  Integrator& integrator = *c.integrator;
  double counted = c.x.t;  // events up to here are
  try {
    for (;;) {
      const double reached = std::min(integrator.state().t, t);
      if (count_events(counted, reached, stop_at_events)) {
        land(c.events.back().t);
        if (c.ended_by >= 0) return Advance::terminated;
        if (stop_at_events)
          return c.x.t == t && c.fired.empty() ? Advance::reached : Advance::event;
        while (!c.fired.empty() && c.ended_by < 0) react();
        c.events.insert(c.events.end(), c.jumped.begin(), c.jumped.end());
        c.jumped.clear();
        if (c.ended_by >= 0) return Advance::terminated;
        if (c.x.t >= t) return Advance::reached;
        counted = c.x.t;
        continue;
      }
      if (c.finder->examined() < reached) {  // what was in the way counts now
        counted = std::max(counted, c.finder->examined());
        if (!c.events.empty()) counted = std::max(counted, c.events.back().t);
        c.finder->extend(integrator, reached);
        c.gather_found();
        continue;
      }
      if (integrator.state().t >= t) break;
      if (progress_ && counted < reached && !progress_(reached)) {
        c.x = integrator.state();
        return Advance::stopped;
      }
      counted = reached;
      make_step(t);
    }
    land(t);
  } catch (const SolverFailure&) {
    land_before_failure(t);
    throw;
  }
  return Advance::reached;
}

// Counts events after `from`, up to `to` or to the first ones at which advance() has to stop: true
// then, and events().back() is the last of them. Events that act nearly at once act together.
bool Simulation::count_events(double from, double to, bool stop_at_events) {
  Core& c = *core_;
  const double at_once = 1e-10 * (c.integrator->state().t - c.integrator->step_begin());
  bool stop = false;
  for (const Root& root : c.found) {
    if (root.t <= from || root.t > to) continue;
    if (stop && root.t > c.events.back().t + (c.fired.empty() ? 0.0 : at_once)) break;
    note(root);
    c.events.push_back(root);
    if (acts(root)) c.fired.push_back(root.function);
    stop = stop || stop_at_events || c.ended_by >= 0 || !c.fired.empty();
  }
  return stop;
}

std::span<const Root> Simulation::events() const {
  return core_->events;
}

std::span<const Simulation::Notice> Simulation::notices() const {
  return core_->notices;
}

double Simulation::event_count(int function) const {
  return core_->event_count[function];
}

double Simulation::event_time(int function) const {
  return core_->event_time[function];
}

std::string Simulation::ended() const {
  const Core& c = *core_;
  if (c.ended_by < 0) return {};
  const auto by = static_cast<std::size_t>(c.ended_by);
  return "event '" + equations_->structure().switching[by].name +
         "' at t = " + short_number(c.event_time[c.ended_by]) + " ended the simulation";
}

double Simulation::step_ahead(double t_stop) {
  Core& c = *core_;
  if (!c.initialised) throw std::logic_error("step_ahead() needs a successful initialise() first");
  apply_changes();
  if (c.ended_by >= 0) {
    c.events.clear();
    std::swap(c.events, c.jumped);
    return c.x.t;
  }
  if (c.integrator->state().t <= c.x.t) make_step(t_stop);
  for (const Root& root : c.found) {
    const auto function = static_cast<std::size_t>(root.function);
    const bool ends = equations_->structure().switching[function].terminate || acts(root);
    if (root.t > c.x.t && ends) return root.t;
  }
  // What cannot be examined is told by advance().
  const double end = c.integrator->state().t, examined = c.finder->examined();
  return examined > c.x.t ? std::min(end, examined) : end;
}

void Simulation::dense_output(double t, State& x) {
  core_->integrator->interpolate(t, false, x);
}

double Simulation::output(int i) {
  Core& c = *core_;
  if (!c.initialised) throw std::logic_error("outputs need a successful initialise() first");
  if (!c.outputs_valid) {
    equations_->outputs(c.given(), c.x, *c.ws);
    for (const auto& [output, word] : equations_->structure().statistic_outputs)
      c.ws->y[output] = statistics().by_word(word);
    for (const auto& [output, function, time] : equations_->structure().event_outputs)
      c.ws->y[output] = time ? c.event_time[function] : c.event_count[function];
    c.outputs_valid = true;
  }
  return c.ws->y[i];
}

void Simulation::save(ByteWriter& writer) const {
  const Core& c = *core_;
  writer.put<std::uint64_t>(fnv(solver_.method, fnv(solver_.options.linear)));
  writer.put(c.tolerance);
  writer.put<std::uint32_t>(c.initialised | c.started << 1 | c.restart_needed << 2);
  writer.put(c.parameters.values);
  writer.put(c.requested.values);
  for (const Inputs* inputs : {&c.inputs, &c.pending}) {
    writer.put(inputs->t0);
    writer.put(inputs->value);
    writer.put(inputs->first);
    writer.put(inputs->second);
  }
  writer.put(c.touched);
  writer.put(c.event_count);
  writer.put(c.event_time);
  writer.put(c.ended_by);
  writer.put<std::int64_t>(static_cast<std::int64_t>(c.fired.size()));
  for (const int function : c.fired) writer.put(function);
  writer.put(c.reactions_here);
  writer.put(c.reacted_at);
  writer.put(c.reactions);
  writer.put(c.timed);
  c.x.save(writer);
  c.solver->save(writer);
  if (!c.started) return;
  c.integrator->save(writer);
  c.finder->save(writer);
}

void Simulation::restore(ByteReader& reader) {
  if (!spare_) spare_ = std::make_unique<Core>(*equations_, solver_);
  Core& c = *spare_;
  std::uint64_t method = 0;
  reader.get(method);
  if (method != fnv(solver_.method, fnv(solver_.options.linear)))
    throw std::runtime_error("the stored state comes from another integration method");
  double tolerance = 0.0;
  reader.get(tolerance);
  c.set_tolerance(tolerance, *equations_, solver_);
  std::uint32_t flags = 0;
  reader.get(flags);
  c.initialised = flags & 1u;
  c.started = flags & 2u;
  c.restart_needed = flags & 4u;
  reader.get(c.parameters.values);
  reader.get(c.requested.values);
  for (Inputs* inputs : {&c.inputs, &c.pending}) {
    reader.get(inputs->t0);
    reader.get(inputs->value);
    reader.get(inputs->first);
    reader.get(inputs->second);
  }
  reader.get(c.touched);
  reader.get(c.event_count);
  reader.get(c.event_time);
  reader.get(c.ended_by);
  if (c.ended_by < -1 || c.ended_by >= equations_->sizes().phi)
    throw std::runtime_error("the stored state was ended by an event that is not there");
  const auto possible = [&](int function) {
    if (function >= 0 && function < equations_->sizes().phi) return;
    throw std::runtime_error("the stored state has an event that is not there");
  };
  std::int64_t fired = 0;
  reader.get(fired);
  if (fired < 0 || fired > most_stored_events)
    throw std::runtime_error("the stored state has more events than can be");
  c.fired.resize(static_cast<std::size_t>(fired));
  for (int& function : c.fired) {
    reader.get(function);
    possible(function);
  }
  reader.get(c.reactions_here);
  reader.get(c.reacted_at);
  reader.get(c.reactions);
  reader.get(c.timed);
  if (c.timed >= 0) possible(c.timed);
  c.x.restore(reader);
  c.solver->restore(reader);
  if (c.started) {
    c.integrator->restore(reader);
    c.finder->restore(reader);
    c.gather_found();
  } else {
    c.make_integrator(*equations_, solver_);
  }
  c.events.clear();
  c.jumped.clear();
  c.notices.clear();
  // What follows from the values is not stored.
  equations_->derive(c.parameters);
  c.parameter_error = equations_->derive(c.requested);
  c.derive_pending = false;
  c.outputs_valid = false;
  std::swap(core_, spare_);
}

std::vector<std::byte> Simulation::serialise(std::uint64_t model_hash) const {
  std::vector<std::byte> bytes(envelope_size);
  ByteWriter writer(bytes);
  save(writer);
  seal(bytes, model_hash);
  return bytes;
}

void Simulation::deserialise(std::span<const std::byte> bytes, std::uint64_t model_hash) {
  ByteReader reader(open_sealed(bytes, model_hash));
  restore(reader);
  if (!reader.at_end()) {
    std::swap(core_, spare_);
    throw std::runtime_error("the stored state is too long");
  }
}

}  // namespace mbs
