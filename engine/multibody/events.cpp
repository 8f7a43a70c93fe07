// Events of the model: their switching functions, their times, and what they set.

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/multibody/output_evaluator.hpp"

namespace mbs {

namespace {

// The first of the times at + k every (k >= 0; every 0: k = 0 alone) that is after t, or at t or
// after it.
double next_of(double at, double every, double t, bool from_t) {
  const auto comes = [&](double time) { return from_t ? time >= t : time > t; };
  if (comes(at)) return at;
  if (!(every > 0.0)) return std::numeric_limits<double>::infinity();
  double k = std::floor((t - at) / every);
  while (k > 0.0 && comes(at + (k - 1.0) * every)) --k;
  for (int i = 0; i < 3 && !comes(at + k * every); ++i) ++k;
  return std::max(at + k * every, from_t ? t : std::nextafter(t, at + 2.0 * k * every));
}

template <class Space>
double next_of(const Evaluation<Space>& here, const EventData& event, double t, bool from_t) {
  return next_of(here.optional(event.at), here.optional(event.every), t, from_t);
}

}  // namespace

// The indicator of a time event is the time that is left until it happens.
template <class Space>
void OutputEvaluator<Space>::switching(const Context& context, const State& x, Own& ws) const {
  const Evaluation<Space> here = event_signals(context, x, ws);
  int i = 0;
  for (const EventData& event : mechanism_.events) {
    ws.phi[i++] =
        event.of_time() ? next_of(here, event, x.t, true) - x.t : here.law(event.condition);
  }
  contact_switching(here, elements_.structure().g_scale, ws.phi);
}

template <class Space>
bool OutputEvaluator<Space>::act(const Context& context, int function, State& x, Own& ws) const {
  const auto& events = mechanism_.events;
  if (function >= static_cast<int>(events.size())) return false;
  const std::vector<EventData::Set>& sets = events[static_cast<std::size_t>(function)].sets;
  const Evaluation<Space> here = event_signals(context, x, ws);
  ws.set_values.resize(static_cast<Eigen::Index>(sets.size()));
  for (std::size_t k = 0; k < sets.size(); ++k) {
    ws.set_values[static_cast<Eigen::Index>(k)] = here.law(sets[k].law);
  }
  bool changed = false;
  for (std::size_t k = 0; k < sets.size(); ++k) {
    double& variable =
        sets[k].discrete ? x.z[mechanism_.discrete + sets[k].index] : x.r[sets[k].index];
    const double value = ws.set_values[static_cast<Eigen::Index>(k)];
    changed = changed || variable != value;
    variable = value;
  }
  return changed;
}

// The condition time > t0 is to hold from t0 on: at the start conditions are those just after it.
template <class Space>
bool OutputEvaluator<Space>::freeze_conditions(const Context& context, State& x, Own& ws) const {
  const auto& frozen = mechanism_.discrete_frozen;
  const auto is_frozen = [](int law) { return law != absent; };
  if (std::ranges::none_of(frozen, is_frozen)) return false;
  const double t = std::exchange(x.t, std::nextafter(x.t, std::numeric_limits<double>::infinity()));
  const Evaluation<Space> here = event_signals(context, x, ws);
  for (std::size_t i = 0; i < frozen.size(); ++i) {
    if (is_frozen(frozen[i]))
      x.z[mechanism_.discrete + static_cast<Eigen::Index>(i)] = here.law(frozen[i]);
  }
  x.t = t;
  return true;
}

template <class Space>
Equations::TimeEvent OutputEvaluator<Space>::next_time(const Context& context, double now) const {
  Equations::TimeEvent next;
  const double* derived = context.parameters.derived.data();
  const auto& events = mechanism_.events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!events[i].of_time()) continue;
    const double every = events[i].every == absent ? 0.0 : derived[events[i].every];
    const double t = next_of(derived[events[i].at], every, now, false);
    if (t < next.t) next = {t, static_cast<int>(i)};
  }
  return next;
}

template class OutputEvaluator<Planar>;
template class OutputEvaluator<Spatial>;

}  // namespace mbs
