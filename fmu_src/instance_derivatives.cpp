// Derivatives, by references.

#include <algorithm>

#include "engine/model/words.hpp"
#include "fmu_src/instance.hpp"

namespace mbs {

// FMI 2.0 knows inputs and states once it runs; before, and in 3.0 always, parameters and time as
// well, as far as they are real numbers that somebody can set.
const Variable& Instance::known(std::uint32_t reference) const {
  const Variable* v = packed_->variables.find(reference);
  const bool always =
      v != nullptr &&
      (v->source == Source::input || v->source == Source::continuous || v->source == Source::state);
  const bool beside = v != nullptr && v->type == ValueType::real &&
                      (v->source == Source::time ||
                       (v->source == Source::parameter && v->causality == Causality::parameter));
  const bool all = fmi_version_ == 3 || phase_ == initialization;
  if (always || (all && beside)) return *v;
  throw Refusal(
      std::string("derivatives are with respect to inputs") +
      (all ? ", continuous states, real parameters and time; " : " and continuous states; ") +
      (v != nullptr ? "'" + v->name + "'" : std::to_string(reference)) + " is none of them");
}

// Of (p, v, r, u) which; -1: something else.
int Instance::place_of(const Variable& known) const {
  const Sizes& n = packed_->equations->sizes();
  if (known.source == Source::input) return state_count() + known.index;
  if (known.source == Source::continuous) return known.index;
  return known.source == Source::state ? n.p + n.v + known.index : -1;
}

// Where values are, too.
Simulation::At Instance::derived_at() const {
  return phase_ == in_events && simulation_->has_pending() ? Simulation::At::preview
                                                           : Simulation::At::present;
}

// Before anything is computed. Importers ask for the same unknowns column after column.
void Instance::check_derivative(std::span<const std::uint32_t> unknowns,
                                std::span<const std::uint32_t> knowns) {
  if (!packed_->variables.has_jacobian)
    throw Refusal(
        "there are no directional derivatives: the Jacobian in so many joint coordinates would be "
        "too large; build the FMU with coordinates = absolute or mixed");
  const bool at_start = phase_ == initialization;
  if (!std::ranges::equal(unknowns, unknowns_) || at_start != of_start_) {
    of_start_ = at_start;
    starts_asked_ = false;
    unknowns_.clear();
    rows_.clear();
    for (const std::uint32_t reference : unknowns) {
      const Variable& v = variable(reference, ValueType::real);
      const bool is_rate = v.source == Source::output || v.source == Source::derivative;
      const bool of_start = v.source == Source::continuous ||
                            (v.source == Source::parameter && v.initial == Initial::calculated);
      if (!is_rate && !(at_start && of_start)) {
        rows_.clear();
        starts_asked_ = false;
        throw Refusal("derivatives are those of outputs and of states' derivatives; '" + v.name +
                      "' is neither");
      }
      starts_asked_ = starts_asked_ || !is_rate;
      rows_.push_back(!is_rate                     ? -1
                      : v.source == Source::output ? state_count() + v.index
                                                   : v.index);
    }
    unknowns_.assign(unknowns.begin(), unknowns.end());
  }
  knowns_.clear();
  exact_ = true;
  for (const std::uint32_t reference : knowns) {
    const Variable& v = known(reference);
    knowns_.push_back(&v);
    exact_ = exact_ && place_of(v) >= 0 && !derived_from_starts(v);
    if (derived_from_starts(v)) continue;
    if (starts_asked_)
      throw Refusal("start values have derivatives with respect to inputs, parameters and time; '" +
                    v.name + "' is a state");
  }
  need_values();
}

// d unknowns / d known. That of an input or a state is kept.
void Instance::derivative_column(const Variable& known, std::span<double> column) {
  if (derived_from_starts(known)) return start_column(known, column);
  const auto take = [&](const auto& all) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = all[rows_[i]];
  };
  if (const int place = place_of(known); place >= 0)
    take(simulation_->derivative_column(place, derived_at()));
  else if (known.source == Source::time)
    take(simulation_->time_column(derived_at()));
  else
    take(simulation_->parameter_column(known.index, known.minimum, known.maximum, derived_at()));
}

// One known alone has its column; inputs and states together are one direction.
void Instance::directional_derivative(std::span<const std::uint32_t> unknowns,
                                      std::span<const std::uint32_t> knowns,
                                      std::span<const double> seed, std::span<double> sensitivity) {
  expect_count(seed.size(), static_cast<int>(knowns.size()));
  expect_count(sensitivity.size(), static_cast<int>(unknowns.size()));
  check_derivative(unknowns, knowns);
  if (knowns.empty()) {
    std::fill(sensitivity.begin(), sensitivity.end(), 0.0);
    return;
  }
  try {
    if (!exact_ || knowns.size() == 1) {
      column_.resize(unknowns.size());
      sums_.assign(unknowns.size(), 0.0);
      for (std::size_t k = 0; k < knowns.size(); ++k) {
        if (seed[k] == 0.0 && !exact_) continue;
        derivative_column(*knowns_[k], column_);
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += seed[k] * column_[i];
      }
      std::copy(sums_.begin(), sums_.end(), sensitivity.begin());
      return;
    }
    Variation change(packed_->equations->sizes());
    for (std::size_t i = 0; i < knowns.size(); ++i) {
      Eigen::Index k = place_of(*knowns_[i]);
      for (Vector* part : {&change.p, &change.v, &change.r, &change.u}) {
        if (k >= 0 && k < part->size()) (*part)[k] += seed[i];
        k -= part->size();
      }
    }
    Vector dx, dy;
    simulation_->differentiate(change, dx, &dy, derived_at());
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      const Eigen::Index row = rows_[i];
      sensitivity[i] = row < dx.size() ? dx[row] : dy[row - dx.size()];
    }
  } catch (const Refusal&) {
    throw;
  } catch (const std::exception& error) {  // also std::invalid_argument: no such Jacobian
    throw Refusal(error.what(), Status::discard);
  }
}

// Column by column: those of inputs and states are kept, so that more adjoints at the same point
// are products alone.
void Instance::adjoint_derivative(std::span<const std::uint32_t> unknowns,
                                  std::span<const std::uint32_t> knowns,
                                  std::span<const double> seed, std::span<double> sensitivity) {
  expect_count(seed.size(), static_cast<int>(unknowns.size()));
  expect_count(sensitivity.size(), static_cast<int>(knowns.size()));
  check_derivative(unknowns, knowns);
  try {
    column_.resize(unknowns.size());
    for (std::size_t j = 0; j < knowns.size(); ++j) {
      derivative_column(*knowns_[j], column_);
      sensitivity[j] = 0.0;
      for (std::size_t i = 0; i < unknowns.size(); ++i) sensitivity[j] += seed[i] * column_[i];
    }
  } catch (const Refusal&) {
    throw;
  } catch (const std::exception& error) {  // also std::invalid_argument: no such Jacobian
    throw Refusal(error.what(), Status::discard);
  }
}

void Instance::output_derivatives(std::span<const std::uint32_t> references,
                                  std::span<const int> orders, std::span<double> values) {
  std::fill(values.begin(), values.end(), 0.0);
  for (const int order : orders)
    if (order < 1 || order > 2)
      throw Refusal("derivatives of outputs have order 1 or 2, not " + std::to_string(order));
  const auto elements = scalars(references);
  expect_count(values.size(), static_cast<int>(elements.size()));
  for (const std::uint32_t reference : elements) {
    const Variable& v = variable(reference, ValueType::real);
    if (v.source != Source::output) throw Refusal("'" + v.name + "' is not an output");
  }
  need_values();
  try {
    // One order for each reference, that of an array for all its elements.
    for (std::size_t k = 0, i = 0; k < references.size(); ++k) {
      const std::size_t count = scalars(references.subspan(k, 1), 1).size();
      for (const std::size_t end = i + count; i < end; ++i)
        values[i] =
            simulation_->output_derivative(orders[k])[packed_->variables.find(elements[i])->index];
    }
  } catch (const SolverFailure& failure) {
    throw Refusal(failure.what(), Status::discard);
  }
}

}  // namespace mbs
