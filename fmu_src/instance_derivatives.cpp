// Derivatives, by references.

#include <algorithm>

#include "engine/model/words.hpp"
#include "fmu_src/instance.hpp"

namespace mbs {

double& Instance::seed_of(Variation& change, std::uint32_t known) const {
  const Variable* v = packed_->variables.find(known);
  if (v != nullptr && v->source == Source::input) return change.u[v->index];
  const std::vector<std::uint32_t>& states = packed_->variables.states;
  const auto found = std::find(states.begin(), states.end(), known);
  if (found == states.end())
    throw Refusal("derivatives are with respect to inputs and continuous states; " +
                  std::to_string(known) + " is neither");
  Eigen::Index i = found - states.begin();
  for (Vector* part : {&change.p, &change.v}) {
    if (i < part->size()) return (*part)[i];
    i -= part->size();
  }
  return change.r[i];
}

// Before anything is computed.
void Instance::check_derivative(std::span<const std::uint32_t> unknowns,
                                std::span<const std::uint32_t> knowns) {
  for (const std::uint32_t reference : unknowns) {
    const Variable& v = variable(reference, ValueType::real);
    if (v.source != Source::output && v.source != Source::derivative)
      throw Refusal("derivatives are those of outputs and of states' derivatives; '" + v.name +
                    "' is neither");
  }
  Variation change(packed_->equations->sizes());
  for (const std::uint32_t reference : knowns) seed_of(change, reference);
  if (phase_ == initialization) ensure_initialised();
}

void Instance::directional_derivative(std::span<const std::uint32_t> unknowns,
                                      std::span<const std::uint32_t> knowns,
                                      std::span<const double> seed, std::span<double> sensitivity) {
  expect_count(seed.size(), static_cast<int>(knowns.size()));
  expect_count(sensitivity.size(), static_cast<int>(unknowns.size()));
  check_derivative(unknowns, knowns);
  Variation change(packed_->equations->sizes());
  for (std::size_t i = 0; i < knowns.size(); ++i) seed_of(change, knowns[i]) += seed[i];
  const auto is_output = [&](std::uint32_t reference) {
    return packed_->variables.find(reference)->source == Source::output;
  };
  Vector dx, dy;
  const bool outputs = std::any_of(unknowns.begin(), unknowns.end(), is_output);
  try {
    simulation_->differentiate(change, dx, outputs ? &dy : nullptr);
  } catch (const std::runtime_error& error) {
    throw Refusal(error.what(), Status::discard);
  }
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const Variable& v = *packed_->variables.find(unknowns[i]);
    sensitivity[i] = v.source == Source::output ? dy[v.index] : dx[v.index];
  }
}

// Known by known: there is one system to factor, and outputs have no Jacobian to be transposed.
void Instance::adjoint_derivative(std::span<const std::uint32_t> unknowns,
                                  std::span<const std::uint32_t> knowns,
                                  std::span<const double> seed, std::span<double> sensitivity) {
  expect_count(seed.size(), static_cast<int>(unknowns.size()));
  expect_count(sensitivity.size(), static_cast<int>(knowns.size()));
  std::vector<double> column(unknowns.size());
  const double one = 1.0;
  for (std::size_t j = 0; j < knowns.size(); ++j) {
    directional_derivative(unknowns, knowns.subspan(j, 1), {&one, 1}, column);
    sensitivity[j] = 0.0;
    for (std::size_t i = 0; i < column.size(); ++i) sensitivity[j] += seed[i] * column[i];
  }
}

void Instance::output_derivatives(std::span<const std::uint32_t> references,
                                  std::span<const int> orders, std::span<double> values) {
  std::fill(values.begin(), values.end(), 0.0);
  for (const int order : orders)
    if (order != 1)
      throw Refusal("derivatives of outputs have order 1, not " + std::to_string(order));
  const auto elements = scalars(references);
  expect_count(values.size(), static_cast<int>(elements.size()));
  for (const std::uint32_t reference : elements) {
    const Variable& v = variable(reference, ValueType::real);
    if (v.source != Source::output) throw Refusal("'" + v.name + "' is not an output");
  }
  try {
    for (std::size_t i = 0; i < elements.size(); ++i)
      values[i] = simulation_->output_rates()[packed_->variables.find(elements[i])->index];
  } catch (const SolverFailure& failure) {
    throw Refusal(failure.what(), Status::discard);
  }
}

}  // namespace mbs
