#include "engine/simulation/hybrid_system.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "engine/contact/equilibrium_on_contacts.hpp"
#include "engine/equations/input_filter_states.hpp"
#include "engine/equations/start.hpp"
#include "engine/simulation/input_history.hpp"
#include "engine/simulation/sealed.hpp"

namespace mbs {
namespace {

SolverChoice checked(const Equations& equations, SolverChoice choice) {
  give_own_tolerances(equations, choice);
  choice.options.check(equations.sizes());
  for (const auto& [output, statistic] : equations.structure().statistic_outputs)
    if (std::ranges::find(Statistics::keywords(), statistic) == Statistics::keywords().end())
      throw std::invalid_argument("there is no counter '" + statistic + "' of the integrator");
  return choice;
}

IntegratorOptions with_tolerance(IntegratorOptions options, double tolerance) {
  if (!(tolerance > 0.0)) return options;
  const double factor = tolerance / options.rtol;
  const auto possible = [](double rtol) { return std::clamp(rtol, 1e-15, 0.5); };
  options.rtol = possible(tolerance);
  options.atol *= factor;
  for (double& rtol : options.rtol_each) rtol = possible(rtol * factor);
  options.atol_each *= factor;
  return options;
}

}  // namespace

HybridSystem::HybridSystem(std::shared_ptr<const Equations> equations, SolverChoice choice)
    : equations_(std::move(equations)),
      choice_(checked(*equations_, std::move(choice))),
      options_(choice_.options),
      parameters_(*equations_),
      inputs_(equations_->default_inputs(parameters_.in_force())),
      x_(equations_->sizes()),
      buffer_(x_),
      dx_(Vector::Zero(state_count(equations_->sizes()))),
      phi_(Vector::Zero(equations_->sizes().phi)),
      events_(*equations_),
      ws_(equations_->make_workspace()),
      changes_(std::make_unique<DiscreteChanges>(*equations_, context(), options_)) {
  inputs_.further = Vector::Zero((Inputs::highest_power - 2) * inputs_.value.size());
}

bool HybridSystem::set_tolerance(double tolerance) {
  if (tolerance == tolerance_) return false;
  tolerance_ = tolerance;
  options_ = with_tolerance(choice_.options, tolerance);
  changes_ = std::make_unique<DiscreteChanges>(*equations_, context(), options_);
  return true;
}

InitialReport HybridSystem::initialise(double t0) {
  initialised_ = false;
  ++revision_;
  // The search for trimmed parameters begins where it did before: the same start is the same to the
  // bit.
  const Vector defaults = equations_->default_parameters().values;
  for (const Trim& trim : choice_.trims)
    if (choice_.statics) parameters_.set(trim.parameter, defaults[trim.parameter]);
  InitialReport report;
  report.message = parameters_.error();
  if (!report.message.empty()) return report;
  parameters_.put_in_force();
  inputs_.t0 = t0;
  events_.start(t0);

  report = make_start(*equations_, context(), t0, x_, {.conditions = choice_.conditions});
  complete_ = true;
  if (report.ok && report.redundant_rows > 0 && report.dropped.empty() &&
      !treats_redundancy(choice_.method)) {
    report.ok = false;
    report.message = "The method '" + choice_.method +
                     "' cannot go on with redundant constraints, there are " +
                     std::to_string(report.redundant_rows) +
                     " of them: take redundancy=\"drop\" instead of \"minimum_norm\", or the "
                     "method radau, extrapolation or midpoint.";
  }
  Contacts& contacts = changes_->contacts();
  if (report.ok && choice_.statics) {
    Equilibrium found =
        find_static_equilibrium(*equations_, context(), contacts, x_, {.trims = choice_.trims});
    report.ok = found.ok;
    report.message = found.message;
    report.moved_p = std::move(found.moved);
    report.moved_v.clear();
    if (found.ok && !choice_.trims.empty()) parameters_.set_all(found.parameters);
    report.trimmed = std::move(found.trimmed);
  }
  if (report.ok) {
    if (changes_->freeze_conditions(x_)) changes_->solve_for_accelerations(x_);
    report.message = contacts.start(x_).error;
    report.ok = report.message.empty();
  }
  events_.log(t0, contacts.report().log);
  initialised_ = report.ok;
  return report;
}

const State& HybridSystem::state() {
  if (complete_) return x_;
  const double t = x_.t, law_time = events_.law_time(t);
  if (integrator_ == nullptr) {
    const AtTime laws(x_, law_time);
    set_filters_to_motion(*equations_, context(), x_, *ws_);
    if (!changes_->solve_for_accelerations(x_))
      throw SolverFailure(t, 0.0, "the accelerations are not determined at the states given",
                          "integrate with smaller steps");
    complete_ = true;
    return x_;
  }
  integrator_->interpolate(std::min(t, integrator_->state().t), true, buffer_);
  buffer_.t = t;
  if (!buffer_.p.allFinite() || !buffer_.v.allFinite() || !buffer_.r.allFinite())
    throw SolverFailure(t, integrator_->statistics().last_step, "the solution is no longer finite",
                        "look for a force that grows without bound");
  if (law_time != t) {
    const AtTime laws(buffer_, law_time);
    if (!changes_->solve_for_accelerations(buffer_))
      throw SolverFailure(t, 0.0, "the accelerations are not determined before an event of time",
                          "look at the laws that change there");
  }
  std::swap(x_, buffer_);
  complete_ = true;
  return x_;
}

State& HybridSystem::changing_state() {
  state();
  ++revision_;
  return x_;
}

bool HybridSystem::try_move_to(double t) {
  const double before = x_.t;
  const bool was_complete = complete_;
  try {
    move_to(t);
    state();
    return true;
  } catch (const SolverFailure&) {
    x_.t = before;
    complete_ = was_complete;
    return false;
  }
}

void HybridSystem::place(const State& x, double t) {
  x_ = x;
  x_.t = t;
  complete_ = true;
  ++revision_;
}

// Setting the values that hold already changes nothing: what is known of the point is kept.
void HybridSystem::set_states(std::span<const double> values) {
  const double* from = values.data();
  bool same = true;
  for (Vector* part : {&x_.p, &x_.v, &x_.r}) {
    const auto bytes = static_cast<std::size_t>(part->size()) * sizeof(double);
    if (bytes > 0 && std::memcmp(part->data(), from, bytes) != 0) {
      same = false;
      std::memcpy(part->data(), from, bytes);
    }
    from += part->size();
  }
  if (!same) move_to(x_.t);
}

void HybridSystem::evaluate_outputs(const Context& context, const State& x, Workspace& ws) const {
  equations_->outputs(context, x, ws);
  events_.fill(ws.y);
  const Statistics none, &counted = integrator_ != nullptr ? integrator_->statistics() : none;
  for (const auto& [output, keyword] : equations_->structure().statistic_outputs)
    ws.y[output] = counted.by_keyword(keyword);
}

double HybridSystem::output(int i) {
  if (!initialised_) throw std::logic_error("outputs need a successful initialise() first");
  if (outputs_of_ != revision()) {
    state();
    const AtTime laws(x_, events_.law_time(x_.t));
    evaluate_outputs(context(), x_, *ws_);
    outputs_of_ = revision();
  }
  return ws_->y[i];
}

const Vector& HybridSystem::rates() {
  if (rates_of_ != revision()) {
    state();
    const AtTime laws(x_, events_.law_time(x_.t));
    evaluate_rates(*equations_, context(), x_, *ws_, dx_);
    rates_of_ = revision();
  }
  return dx_;
}

const Vector& HybridSystem::indicators() {
  if (indicators_of_ != revision()) {
    state();
    const AtTime laws(x_, events_.law_time(x_.t));
    evaluate_indicators(*equations_, context(), x_, *ws_, phi_);
    indicators_of_ = revision();
  }
  return phi_;
}

EvaluationPoint HybridSystem::point() {
  state();
  return {context(), x_, events_.law_time(x_.t), revision()};
}

void HybridSystem::save(ByteWriter& writer) {
  state();
  writer.put<std::uint64_t>(fnv(choice_.method, fnv(choice_.options.linear)));
  writer.put(tolerance_);
  writer.put<std::uint32_t>(initialised_);
  parameters_.save(writer);
  save_inputs(inputs_, writer);
  x_.save(writer);
  events_.save(writer);
  changes_->save(writer);
}

bool HybridSystem::restore(ByteReader& reader, std::uint64_t id) {
  std::uint64_t method = 0;
  reader.get(method);
  if (method != fnv(choice_.method, fnv(choice_.options.linear)))
    throw std::runtime_error("the stored state comes from another integration method");
  double tolerance = 0.0;
  reader.get(tolerance);
  const bool other_options = set_tolerance(tolerance);
  std::uint32_t flags = 0;
  reader.get(flags);
  initialised_ = flags != 0;
  parameters_.restore(reader);
  restore_inputs(inputs_, reader);
  x_.restore(reader);
  events_.restore(reader);
  changes_->restore(reader);
  complete_ = true;
  revision_ = std::max(revision(), id) + 1;
  return other_options;
}

int state_count(const Sizes& sizes) {
  return sizes.p + sizes.v + sizes.r;
}

void get_states(const State& x, std::span<double> values) {
  auto to = values.begin();
  for (const Vector* part : {&x.p, &x.v, &x.r}) to = std::copy(part->begin(), part->end(), to);
}

double nominal_of(const Vector& scale, int i) {
  return i < scale.size() ? scale[i] : 1.0;
}

void get_nominals(const Equations& equations, std::span<double> values) {
  const Structure& known = equations.structure();
  const Sizes& n = equations.sizes();
  auto to = values.begin();
  for (int i = 0; i < n.p; ++i) *to++ = nominal_of(known.p_scale, i);
  for (int i = 0; i < n.v; ++i) *to++ = nominal_of(known.v_scale, i);
  std::fill_n(to, n.r, 1.0);
}

}  // namespace mbs
