#include "engine/simulation/integrator_step.hpp"

#include <cmath>

namespace mbs {

IntegratorStep::IntegratorStep(const Equations& equations, Context context,
                               const std::string& method, const IntegratorOptions& options,
                               int event_points)
    : equations_(equations),
      context_(context),
      integrator_(make_integrator(method, equations, context, options)),
      finder_(std::make_unique<RootFinder>(equations, context, options, event_points)),
      ws_(equations.make_workspace()),
      at_end_(equations.sizes()) {
  events_.reserve(64);
  time_events_.reserve(64);
}

void IntegratorStep::gather_events(std::span<const Root> roots) {
  events_.assign(roots.begin(), roots.end());
  for (const int function : time_events_) events_.push_back({time_event_at_, function, 1, 0});
}

void IntegratorStep::start(const State& x) {
  integrator_->start(x, 0.0);
  finder_->start(integrator_->state());
}

std::span<const Root> IntegratorStep::restart(const State& x, double first_step) {
  events_.clear();
  time_events_.clear();
  const std::span<const Root> jumped = finder_->restart(x);
  integrator_->start(x, first_step);
  return jumped;
}

void IntegratorStep::make(double t_stop, EventRecord& record) {
  at_end_ = integrator_->state();
  const double begin = at_end_.t = end();
  const double next = equations_.next_time(context_, at_end_).t;
  const double last = std::nextafter(next, -std::numeric_limits<double>::infinity());
  const double before_event = std::isfinite(next) && last > begin ? last : next;
  integrator_->step(std::min(before_event, t_stop));
  record.log(integrator_->state().t, integrator_->warnings());
  const std::span<const Root> roots = finder_->examine(*integrator_);
  time_events_.clear();
  if (integrator_->state().t == before_event) {
    at_end_ = integrator_->state();
    time_event_at_ = at_end_.t = next;
    equations_.switching(context_, at_end_, *ws_);
    const auto& functions = equations_.structure().switching;
    for (std::size_t i = 0; i < functions.size(); ++i)
      if (functions[i].of_time && ws_->phi[static_cast<Eigen::Index>(i)] == 0.0)
        time_events_.push_back(static_cast<int>(i));
  }
  gather_events(roots);
}

void IntegratorStep::examine_to(double t) {
  gather_events(finder_->extend(*integrator_, t));
}

void IntegratorStep::watch_again(std::span<const int> functions, const State& x) {
  gather_events(finder_->watch_again(functions, *integrator_, x));
}

void IntegratorStep::save(ByteWriter& writer) const {
  writer.put<std::int64_t>(std::ssize(time_events_));
  for (const int function : time_events_) writer.put(function);
  writer.put(time_event_at_);
  integrator_->save(writer);
  finder_->save(writer);
}

void IntegratorStep::restore(ByteReader& reader) {
  time_events_.resize(restore_count(reader));
  for (int& function : time_events_) function = restore_function(reader, equations_.sizes().phi);
  reader.get(time_event_at_);
  integrator_->restore(reader);
  finder_->restore(reader);
  gather_events(finder_->roots());
}

}  // namespace mbs
