#pragma once

// Access to the continuous states x = (p, v, r), their rates and the event indicators for an
// importer that integrates them.

#include <vector>

#include "fmu_src/instance_core.hpp"

namespace mbs {

class ModelExchange {
 public:
  // `arrays`: states and indicators are arrays of FMI 3.0 and come in their order.
  ModelExchange(InstanceCore& core, bool arrays) : core_(core), arrays_(arrays) {}

  bool has_arrays() const { return arrays_; }
  int state_count() const { return mbs::state_count(core_.sizes()); }
  int indicator_count() const { return core_.sizes().phi; }

  void set_time(double time);
  void set_states(std::span<const double> values);
  // Values of single states; the variables that are none are passed over.
  template <class T>
  void set_states(std::span<const std::uint32_t> references, std::span<const T> values);
  void get_states(std::span<double> values);
  void get_rates(std::span<double> values);
  void get_nominals(std::span<double> values);
  void get_indicators(std::span<double> values);
  // True: event mode is needed.
  bool completed_step();

 private:
  template <class Fill>
  void fill_in_order(const std::vector<int> ExchangeArrays::*order, std::span<double> values,
                     const Fill& fill);

  InstanceCore& core_;
  bool arrays_;
  std::vector<double> unordered_;  // a buffer: states or indicators in the order of the equations
};

bool is_continuous_state(const Variable& variable);

template <class T>
void ModelExchange::set_states(std::span<const std::uint32_t> references,
                               std::span<const T> values) {
  unordered_.resize(static_cast<std::size_t>(state_count()));
  core_.system().get_states(unordered_);
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Variable& v = core_.variables().variables[references[i]];
    if (is_continuous_state(v))
      unordered_[static_cast<std::size_t>(place_of(v, core_.sizes()))] =
          static_cast<double>(values[i]);
  }
  core_.model_exchange().set_states(unordered_);
}

}  // namespace mbs
