// The whole internal state as bytes.

#include "fmu_src/instance.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "engine/simulation/sealed.hpp"

namespace mbs {

void Instance::store(StoredState& state) const {
  state.bytes.resize(envelope_size);
  ByteWriter writer(state.bytes);
  writer.put<unsigned>(phase_ == intermediate ? stepping : phase_);
  writer.put(start_time_);
  writer.put(tolerance_);
  writer.put(stop_time_.value_or(std::numeric_limits<double>::quiet_NaN()));
  writer.put<std::uint32_t>(initialised_ | event_mode_ << 1 | (kind_ == Kind::model_exchange) << 2 |
                            ramps_ << 3);
  for (const auto& list : {sizes(), phase_ == configuration ? wanted_sizes_ : sizes()})
    for (const double size : list) writer.put(size);
  writer.put(static_cast<std::int64_t>(happened_.size()));
  for (const int function : happened_) writer.put(function);
  writer.put(sampled_.stored());
  Vector counters = Vector::Zero(
      static_cast<Eigen::Index>(packed_->equations->structure().statistic_outputs.size()));
  if (counters_.size() == counters.size()) counters = counters_;
  writer.put(counters);
  simulation_->save(writer);
  seal(state.bytes, packed_->hash);
}

void Instance::recall(const StoredState& state) {
  try {
    ByteReader reader(open_sealed(state.bytes, packed_->hash));
    unsigned phase = 0;
    double start = 0.0, tolerance = 0.0, stop = 0.0;
    std::uint32_t initialised = 0;
    reader.get(phase);
    reader.get(start);
    reader.get(tolerance);
    reader.get(stop);
    reader.get(initialised);
    std::vector<double> stored = sizes(), wanted = stored;
    for (auto* list : {&stored, &wanted})
      for (double& size : *list) reader.get(size);
    Sized other;  // where the sizes are not those of now
    if (stored != sizes()) other = with_sizes(stored);
    const Equations& equations = *(other.packed ? other.packed : packed_)->equations;
    const Sizes& n = equations.sizes();
    Vector counters(static_cast<Eigen::Index>(equations.structure().statistic_outputs.size()));
    std::int64_t count = 0;
    reader.get(count);
    const int functions = n.phi;
    if (count < 0 || count > 1000 * static_cast<std::int64_t>(functions))
      throw std::runtime_error("the stored state has more events than can be");
    std::vector<int> happened(static_cast<std::size_t>(count));
    for (int& function : happened) {
      reader.get(function);
      if (function < 0 || function >= functions)
        throw std::runtime_error("the stored state has an event that is not there");
    }
    Vector sampled(SampledInputs::numbers(n.u));
    reader.get(sampled);
    reader.get(counters);
    if ((initialised >> 2 & 1u) != (kind_ == Kind::model_exchange))
      throw std::runtime_error(
          "the stored state is of an instance for " +
          std::string(kind_ == Kind::model_exchange ? "co-simulation" : "model exchange"));
    if ((initialised >> 1 & 1u) != event_mode_)
      throw std::runtime_error("the stored state is of an instance " +
                               std::string(event_mode_ ? "without" : "with") + " event mode");
    if (std::popcount(phase) != 1 || (phase & any_phase & ~intermediate) == 0)
      throw std::runtime_error("the stored state has no phase");
    if (wanted != stored) check_sizes(wanted);
    (other.simulation ? *other.simulation : *simulation_).restore(reader);
    if (other.packed) take(std::move(other));
    wanted_sizes_ = std::move(wanted);
    phase_ = phase;
    start_time_ = start;
    tolerance_ = tolerance;
    stop_time_ = std::isnan(stop) ? std::nullopt : std::optional(stop);
    initialised_ = (initialised & 1u) != 0;
    initial_report_.clear();
    happened_ = std::move(happened);
    ramps_ = (initialised >> 3 & 1u) != 0;
    sampled_.restore(sampled);
    counters_ = std::move(counters);
  } catch (const std::runtime_error& error) {
    throw Refusal(error.what());
  }
}

void Instance::check_stored(std::span<const std::byte> bytes) const {
  try {
    open_sealed(bytes, packed_->hash);
  } catch (const std::runtime_error& error) {
    throw Refusal(error.what());
  }
}

}  // namespace mbs
