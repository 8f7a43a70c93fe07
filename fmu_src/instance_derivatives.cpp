// Derivatives, by references.

#include <algorithm>

#include "engine/model/words.hpp"
#include "fmu_src/instance.hpp"

namespace mbs {

// Which of (p, v, r, u).
int Instance::known_of(std::uint32_t known) const {
  const Variable* v = packed_->variables.find(known);
  const Sizes& n = packed_->equations->sizes();
  if (v != nullptr && v->source == Source::input) return state_count() + v->index;
  if (v != nullptr && v->source == Source::continuous) return v->index;
  if (v != nullptr && v->source == Source::state) return n.p + n.v + v->index;
  throw Refusal("derivatives are with respect to inputs and continuous states; " +
                std::to_string(known) + " is neither");
}

// Where values are, too.
Simulation::At Instance::derived_at() const {
  return phase_ == in_events && simulation_->has_pending() ? Simulation::At::preview
                                                           : Simulation::At::present;
}

// Before anything is computed. Importers ask for the same unknowns column after column.
void Instance::check_derivative(std::span<const std::uint32_t> unknowns,
                                std::span<const std::uint32_t> knowns) {
  if (!std::ranges::equal(unknowns, unknowns_)) {
    unknowns_.clear();
    rows_.clear();
    for (const std::uint32_t reference : unknowns) {
      const Variable& v = variable(reference, ValueType::real);
      if (v.source != Source::output && v.source != Source::derivative) {
        rows_.clear();
        throw Refusal("derivatives are those of outputs and of states' derivatives; '" + v.name +
                      "' is neither");
      }
      rows_.push_back(v.source == Source::output ? state_count() + v.index : v.index);
    }
    unknowns_.assign(unknowns.begin(), unknowns.end());
  }
  knowns_.clear();
  for (const std::uint32_t reference : knowns) knowns_.push_back(known_of(reference));
  if (phase_ == initialization) ensure_initialised();
}

// One known alone has its column of the Jacobian, which is kept; others are one direction.
void Instance::directional_derivative(std::span<const std::uint32_t> unknowns,
                                      std::span<const std::uint32_t> knowns,
                                      std::span<const double> seed, std::span<double> sensitivity) {
  expect_count(seed.size(), static_cast<int>(knowns.size()));
  expect_count(sensitivity.size(), static_cast<int>(unknowns.size()));
  check_derivative(unknowns, knowns);
  try {
    if (knowns.size() == 1) {
      const auto column = simulation_->derivative_column(knowns_.front(), derived_at());
      for (std::size_t i = 0; i < unknowns.size(); ++i) sensitivity[i] = seed[0] * column[rows_[i]];
      return;
    }
    Variation change(packed_->equations->sizes());
    for (std::size_t i = 0; i < knowns.size(); ++i) {
      Eigen::Index k = knowns_[i];
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
  } catch (const std::runtime_error& error) {
    throw Refusal(error.what(), Status::discard);
  }
}

// Column by column: they are kept, so that more adjoints at the same point are products alone.
void Instance::adjoint_derivative(std::span<const std::uint32_t> unknowns,
                                  std::span<const std::uint32_t> knowns,
                                  std::span<const double> seed, std::span<double> sensitivity) {
  expect_count(seed.size(), static_cast<int>(unknowns.size()));
  expect_count(sensitivity.size(), static_cast<int>(knowns.size()));
  check_derivative(unknowns, knowns);
  try {
    for (std::size_t j = 0; j < knowns.size(); ++j) {
      const auto column = simulation_->derivative_column(knowns_[j], derived_at());
      sensitivity[j] = 0.0;
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        sensitivity[j] += seed[i] * column[rows_[i]];
    }
  } catch (const std::runtime_error& error) {
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
