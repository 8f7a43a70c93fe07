#pragma once

// Resizable structural parameters of FMI 3.0: in configuration mode other array sizes are chosen,
// and at its end the model is read again with them. Values that were set before stay, as far as
// their variables are still there.

#include <vector>

#include "fmu_src/instance_core.hpp"

namespace mbs {

class Configuration {
 public:
  // `exchange_arrays`: the states are arrays, too, whose dimensions must resolve to the sizes.
  Configuration(InstanceCore& core, std::shared_ptr<const PackedModel> original,
                bool exchange_arrays)
      : core_(core), original_(std::move(original)), exchange_arrays_(exchange_arrays) {}

  void enter();
  // Both return whether the model has been replaced; reset() takes the model of the original sizes.
  bool exit();
  void reset();

  // References are those of arrays, as everything in a model with resizable parameters has.
  void get(std::span<const std::uint32_t> references, std::span<std::uint64_t> values) const;
  void set(std::span<const std::uint32_t> references, std::span<const std::uint64_t> values);

  // Stored states.
  struct Stored {
    std::vector<double> present, requested;
  };
  Stored stored() const;
  // The model with the stored sizes; nothing: they are the present ones. Throws Refusal or
  // std::runtime_error, as stored sizes may be anything.
  std::optional<SimulatedModel> stored_model(const Stored& stored) const;
  void restore(Stored stored) { requested_ = std::move(stored.requested); }

 private:
  std::size_t find(std::uint32_t reference) const;
  std::vector<double> present() const;
  SimulatedModel resized(const std::vector<double>& sizes) const;

  InstanceCore& core_;
  std::shared_ptr<const PackedModel> original_;  // with the sizes that the FMU was made with
  bool exchange_arrays_;
  std::vector<double> requested_;  // in configuration mode
};

}  // namespace mbs
