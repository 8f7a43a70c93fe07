#pragma once

// Getting and setting the values of variables by their references.

#include <array>

#include "fmu_src/derivatives.hpp"
#include "fmu_src/discrete_states.hpp"
#include "fmu_src/input_access.hpp"
#include "fmu_src/model_exchange.hpp"

namespace mbs {

class VariableAccess {
 public:
  VariableAccess(InstanceCore& core, InputAccess& inputs, ModelExchange& exchange,
                 const DiscreteStates& discrete, Derivatives& derivatives)
      : core_(core),
        inputs_(inputs),
        exchange_(exchange),
        discrete_(discrete),
        derivatives_(derivatives) {}

  // The scalars that references of arrays stand for (arrays.hpp), in the `buffer` of this number:
  // they are valid until its next use.
  std::span<const std::uint32_t> scalars(std::span<const std::uint32_t> references, int buffer = 0);

  // All other references here are those of scalars. T: double or std::int32_t.
  template <class T>
  void get(std::span<const std::uint32_t> references, std::span<T> values);
  template <class T>
  void set(std::span<const std::uint32_t> references, std::span<const T> values);
  // Derivatives of outputs with respect to time; order 1 or 2, one for each reference, which may be
  // that of an array.
  void get_output_derivatives(std::span<const std::uint32_t> references,
                              std::span<const int> orders, std::span<double> values);

 private:
  double value_of(const Variable& variable);
  double output(const Variable& variable, const Preview* pending);
  double indicator(int i, const Preview* pending);
  double computed(const Variable& variable);
  void check_settable(const Variable& variable, double value) const;

  InstanceCore& core_;
  InputAccess& inputs_;
  ModelExchange& exchange_;
  const DiscreteStates& discrete_;
  Derivatives& derivatives_;
  std::array<std::vector<std::uint32_t>, 2> scalars_;
};

}  // namespace mbs
