// The whole internal state of an instance as bytes.

#include <bit>
#include <cmath>
#include <limits>

#include "engine/simulation/sealed.hpp"
#include "fmu_src/instance.hpp"

namespace mbs {
namespace {

enum Flag : std::uint32_t {
  is_initialized = 1u,
  uses_event_mode = 2u,
  is_model_exchange = 4u,
  has_input_derivatives = 8u
};

// The beginning of a stored state, before the parts that depend on array sizes.
struct Head {
  unsigned mode = 0;
  double start = 0.0, tolerance = 0.0;
  double stop = std::numeric_limits<double>::quiet_NaN();  // not a number: there is none
  std::uint32_t flags = 0;
};

void write(ByteWriter& writer, const Head& head) {
  writer.put(head.mode);
  writer.put(head.start);
  writer.put(head.tolerance);
  writer.put(head.stop);
  writer.put(head.flags);
}

Head read_head(ByteReader& reader) {
  Head head;
  reader.get(head.mode);
  reader.get(head.start);
  reader.get(head.tolerance);
  reader.get(head.stop);
  reader.get(head.flags);
  return head;
}

void check(const Head& head, const InstanceCore& core) {
  const bool model_exchange = core.machine.kind() == Kind::model_exchange;
  if (((head.flags & is_model_exchange) != 0) != model_exchange)
    throw std::runtime_error("the stored state is of an instance for " +
                             std::string(model_exchange ? "co-simulation" : "model exchange"));
  if (((head.flags & uses_event_mode) != 0) != core.options.event_mode_used)
    throw std::runtime_error("the stored state is of an instance " +
                             std::string(core.options.event_mode_used ? "without" : "with") +
                             " event mode");
  if (std::popcount(head.mode) != 1 || (head.mode & any_mode & ~intermediate_update_mode) == 0)
    throw std::runtime_error("the stored state has no mode");
}

DiscreteStates::Stored read_discrete(ByteReader& reader, int indicators) {
  DiscreteStates::Stored stored;
  std::int64_t count = 0;
  reader.get(count);
  if (count < 0 || count > 1000 * static_cast<std::int64_t>(indicators))
    throw std::runtime_error("the stored state has more events than there can be");
  stored.happened.resize(static_cast<std::size_t>(count));
  for (int& function : stored.happened) {
    reader.get(function);
    if (function < 0 || function >= indicators)
      throw std::runtime_error("the stored state has an event that is not there");
  }
  return stored;
}

}  // namespace

void Instance::store(StoredState& state) const {
  const Experiment& experiment = core.experiment;
  const StateMachine& machine = core.machine;
  const InputAccess::Stored input = inputs.stored();
  const DiscreteStates::Stored discrete_state = discrete.stored();
  const Configuration::Stored sizes = configuration.stored();
  state.bytes.resize(envelope_size);
  ByteWriter writer(state.bytes);
  write(writer,
        {machine.is_in(intermediate_update_mode) ? step_mode : machine.mode(), experiment.start,
         experiment.tolerance, experiment.stop.value_or(std::numeric_limits<double>::quiet_NaN()),
         (experiment.initialized ? is_initialized : 0u) |
             (core.options.event_mode_used ? uses_event_mode : 0u) |
             (machine.kind() == Kind::model_exchange ? is_model_exchange : 0u) |
             (input.has_derivatives ? has_input_derivatives : 0u)});
  for (const auto* list : {&sizes.present, &sizes.requested})
    for (const double size : *list) writer.put(size);
  writer.put(discrete_state.happened);
  writer.put(input.samples);
  writer.put(discrete_state.counters);
  core.model().with_driver([&](const auto& driver) { driver.save(writer); });
  seal(state.bytes, core.packed().hash);
}

void Instance::restore(const StoredState& state) {
  try {
    ByteReader reader(open_stored(state.bytes, core.packed()));
    const Head head = read_head(reader);
    Configuration::Stored sizes = configuration.stored();
    for (auto* list : {&sizes.present, &sizes.requested})
      for (double& size : *list) reader.get(size);
    std::optional<SimulatedModel> other = configuration.stored_model(sizes);
    const Equations& equations = *(other ? *other->packed : core.packed()).equations;
    DiscreteStates::Stored discrete_state = read_discrete(reader, equations.sizes().phi);
    InputAccess::Stored input{(head.flags & has_input_derivatives) != 0,
                              Vector(SampledInputs::numbers(equations.sizes().u))};
    reader.get(input.samples);
    discrete_state.counters.resize(
        static_cast<Eigen::Index>(equations.structure().statistic_outputs.size()));
    reader.get(discrete_state.counters);
    check(head, core);
    (other ? *other : core.model()).with_driver([&](auto& driver) { driver.restore(reader); });
    // Nothing fails from here on.
    if (other) {
      core.replace_model(std::move(*other));
      forget_model();
    }
    configuration.restore(std::move(sizes));
    core.machine.enter(head.mode);
    core.experiment = {head.start,
                       std::isnan(head.stop) ? std::nullopt : std::optional(head.stop),
                       head.tolerance,
                       (head.flags & is_initialized) != 0,
                       {}};
    discrete.restore(std::move(discrete_state));
    inputs.restore(input);
  } catch (const std::runtime_error& error) {
    throw Refusal(error.what());
  }
}

std::span<const std::byte> open_stored(std::span<const std::byte> bytes,
                                       const PackedModel& packed) {
  try {
    return open_sealed(bytes, packed.hash);
  } catch (const std::runtime_error& error) {
    throw Refusal(error.what());
  }
}

}  // namespace mbs
