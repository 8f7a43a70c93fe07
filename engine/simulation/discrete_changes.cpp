#include "engine/simulation/discrete_changes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/equations/frozen_conditions.hpp"
#include "engine/equations/initial.hpp"
#include "engine/equations/input_filter_states.hpp"
#include "engine/simulation/evaluation_point.hpp"

namespace mbs {
namespace {

constexpr int most_handled_at_once = 200;
constexpr double infinity = std::numeric_limits<double>::infinity();

double largest(const Vector& x, const Vector& scale) {
  double result = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    result = std::max(result, std::abs(x[i]) / (i < scale.size() ? scale[i] : 1.0));
  return result;
}

}  // namespace

DiscreteChanges::DiscreteChanges(const Equations& equations, Context context,
                                 const IntegratorOptions& options)
    : equations_(equations),
      context_(context),
      rtol_(options.rtol),
      atol_(options.atol),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver(options.linear)),
      projection_(std::make_unique<Projection>(equations, context, options)),
      contacts_(std::make_unique<Contacts>(equations, context, options, options.linear)),
      buffer_(equations.sizes()),
      left_(Vector::Zero(equations.sizes().v + equations.sizes().r)),
      right_(left_) {}

bool DiscreteChanges::solve_for_accelerations(State& x) {
  return solve_accelerations(equations_, context_, x, *ws_, *solver_);
}

bool DiscreteChanges::freeze_conditions(State& x) {
  const FrozenConditions* conditions = equations_.capabilities().frozen_conditions;
  return conditions != nullptr && conditions->freeze_conditions(context_, x, *ws_);
}

bool DiscreteChanges::positions_and_velocities(State& x) {
  return projection_->positions(x, *ws_, *solver_).ok &&
         projection_->velocities(x, *ws_, *solver_).ok;
}

void DiscreteChanges::project(State& x) {
  if (!positions_and_velocities(x))
    throw SolverFailure(x.t, 0.0, "there is no state near that satisfies the constraints",
                        "integrate with smaller steps");
}

bool DiscreteChanges::violates_constraints(const State& x) {
  const Structure& known = equations_.structure();
  equations_.position(context_, x, want_G | want_g, *ws_);
  equations_.velocity(context_, x, *ws_);
  return std::max({largest(ws_->g, known.g_scale), largest(ws_->n, {}),
                   largest(ws_->G_v, known.g_scale)}) > rtol_;
}

void DiscreteChanges::resolve_contacts(std::span<const int> functions, State& x,
                                       EventRecord& record) {
  const ContactReport& report = contacts_->resolve_events(functions, x);
  if (!report.error.empty())
    throw SolverFailure(x.t, 0.0, report.error,
                        "look at the contacts and friction coefficients there");
  record.log(x.t, report.log);
}

void DiscreteChanges::update_input_filters(const Context& after, State& x) {
  const InputFilterStates* filters = equations_.capabilities().input_filter_states;
  if (filters == nullptr) return;
  const std::string wrong = filters->change(context_, after, x.t, x.z);
  if (!wrong.empty())
    throw SolverFailure(x.t, 0.0, wrong, "give the drive a lag, or change the input smoothly");
}

// A tunable length moves the constraints; exact targets of the initial values play no part.
void DiscreteChanges::restore_consistency(double last_step, State& x, EventRecord& record) {
  buffer_ = x;
  if (!positions_and_velocities(buffer_) || !solve_for_accelerations(buffer_))
    throw SolverFailure(x.t, last_step,
                        "after a change of inputs or parameters there is no state that satisfies "
                        "the constraints and the equations of motion",
                        "change them in smaller steps, or back");
  resolve_contacts({}, buffer_, record);
  std::swap(x, buffer_);
}

// Whether a or b change at a time event by more than the tolerance. Afterwards x has the
// accelerations after it in either case.
bool DiscreteChanges::laws_jump(State& x) {
  const auto evaluate = [&](Vector& rates) {
    const bool solved = solve_for_accelerations(x);
    equations_.force(context_, x, want_b, *ws_);
    rates << x.a, ws_->b;
    return solved && rates.allFinite();
  };
  bool known_before = false;
  {
    const AtTime before(x, std::nextafter(x.t, -infinity));
    known_before = evaluate(left_);
  }
  if (!evaluate(right_))
    throw SolverFailure(x.t, 0.0, "the accelerations are not determined after an event of time",
                        "look at the laws that change there");
  if (!known_before) return true;
  const auto jumps = [&](Eigen::Index begin, Eigen::Index count) {
    if (count == 0) return false;
    const auto a = left_.segment(begin, count), b = right_.segment(begin, count);
    const double size = std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
    return (b - a).cwiseAbs().maxCoeff() > rtol_ * size + atol_;
  };
  return jumps(0, x.v.size()) || jumps(x.v.size(), x.r.size());
}

// How long ago events were handled before; infinity: at this very time, or never. Bounces follow
// each other faster and faster: steps have to shrink with them, or rounding in long ones hides the
// flights.
double DiscreteChanges::count_repetition(int function, double t, double last_step) {
  const double passed = t - handled_.at, same_time = 1e-12 * std::max(std::abs(t), last_step);
  handled_.here = passed <= same_time ? handled_.here + 1 : 1;
  const bool first = handled_.all++ == 0;
  handled_.at = t;
  if (handled_.here > most_handled_at_once) {
    const auto& last = equations_.structure().switching[static_cast<std::size_t>(function)];
    throw SolverFailure(
        t, 0.0,
        last.internal || !last.guards_mode
            ? "events follow each other without time passing, the last is '" + last.name + "'"
            : "contact '" + last.name + "' changes its mode again and again",
        last.internal      ? "a law must not switch to and fro at one place: take <friction> or a "
                             "smooth law such as tanh(v/v0), or noEvent(...) to go on without events"
        : last.guards_mode ? "its friction or its force is next to a limit: take another tolerance "
                             "or slightly other friction"
                           : "what an event sets must not lead to the same event at once");
  }
  return handled_.here > 1 || first ? infinity : passed;
}

DiscreteChanges::Outcome DiscreteChanges::handle_events(std::span<const int> functions,
                                                        double last_step, bool laws_may_jump,
                                                        State& x, EventRecord& record) {
  const auto acts = [&](int function) { return record.acts(function); };
  const auto of_time = [&](int function) { return record.is_time_event(function); };
  const bool any_acts = std::ranges::any_of(functions, acts);
  laws_may_jump = laws_may_jump && std::ranges::any_of(functions, of_time);
  bool changed = laws_may_jump && !any_acts && laws_jump(x);
  if (!any_acts && !changed) return {};
  const double since = count_repetition(functions.front(), x.t, last_step);

  const auto& known = equations_.structure().switching;
  for (const int function : functions)
    if (known[static_cast<std::size_t>(function)].acts)
      changed = equations_.act(context_, function, x, *ws_) || changed;
  if (laws_may_jump && !changed) changed = laws_jump(x);
  if (contacts_->any()) {
    resolve_contacts(functions, x, record);
    changed = changed || contacts_->report().changed;
  } else if (changed && (!positions_and_velocities(x) || !solve_for_accelerations(x))) {
    throw SolverFailure(x.t, 0.0,
                        "after event '" + known[static_cast<std::size_t>(functions.front())].name +
                            "' there is no state that satisfies the constraints",
                        "look at what the event sets");
  }
  return {changed, !changed && contacts_->any(),
          std::min(2.0 * since, contacts_->report().longest_step)};
}

void DiscreteChanges::save(ByteWriter& writer) const {
  writer.put(handled_.here);
  writer.put(handled_.at);
  writer.put(handled_.all);
  solver_->save(writer);
}

void DiscreteChanges::restore(ByteReader& reader) {
  reader.get(handled_.here);
  reader.get(handled_.at);
  reader.get(handled_.all);
  solver_->restore(reader);
}

}  // namespace mbs
