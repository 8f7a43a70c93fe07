// Derivatives, by references.

#include <algorithm>

#include "engine/base/text.hpp"
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
  const bool same =
      unknowns.size() == unknowns_.size() &&
      std::equal(unknowns.data(), unknowns.data() + unknowns.size(), unknowns_.data());
  if (!same || at_start != of_start_) {
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
    const bool by_starting = derived_from_starts(v);
    knowns_.push_back({&v, by_starting ? -1 : place_of(v), by_starting});
    exact_ = exact_ && knowns_.back().place >= 0;
    if (starts_asked_ && !by_starting)
      throw Refusal("start values have derivatives with respect to inputs, parameters and time; '" +
                    v.name + "' is a state");
  }
  need_values();
}

// use(d unknowns / d known). That of an input or a state is kept.
template <class Use>
void Instance::derivative_column(const Known& known, const Use& use) {
  const Variable& v = *known.variable;
  const auto among_all = [&](const auto& all) {
    use([&](std::size_t i) { return all[rows_[i]]; });
  };
  if (known.by_starting) {
    column_.resize(unknowns_.size());
    start_column(v, column_);
    use([&](std::size_t i) { return column_[i]; });
  } else if (known.place >= 0) {
    among_all(simulation_->derivative_column(known.place, derived_at()));
  } else if (v.source == Source::time) {
    among_all(simulation_->time_column(derived_at()));
  } else {
    among_all(simulation_->parameter_column(v.index, v.minimum, v.maximum, derived_at()));
  }
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
    if (exact_ && knowns.size() == 1)
      return derivative_column(knowns_[0], [&](const auto& column) {
        for (std::size_t i = 0; i < sensitivity.size(); ++i) sensitivity[i] = seed[0] * column(i);
      });
    if (!exact_) {
      sums_.assign(unknowns.size(), 0.0);
      for (std::size_t k = 0; k < knowns.size(); ++k) {
        if (seed[k] == 0.0) continue;
        derivative_column(knowns_[k], [&](const auto& column) {
          for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += seed[k] * column(i);
        });
      }
      std::copy(sums_.begin(), sums_.end(), sensitivity.begin());
      return;
    }
    Variation change(packed_->equations->sizes());
    for (std::size_t i = 0; i < knowns.size(); ++i) {
      Eigen::Index k = knowns_[i].place;
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
    for (std::size_t j = 0; j < knowns.size(); ++j) {
      double sum = 0.0;
      derivative_column(knowns_[j], [&](const auto& column) {
        for (std::size_t i = 0; i < unknowns.size(); ++i) sum += seed[i] * column(i);
      });
      sensitivity[j] = sum;
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
