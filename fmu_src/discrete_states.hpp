#pragma once

// Event mode: events that are due happen, clocks tick with them, and the integrator's counters,
// which are discrete outputs, change their values.

#include <vector>

#include "fmu_src/instance_core.hpp"

namespace mbs {

class DiscreteStates {
 public:
  // `clocks`: the FMU has them.
  DiscreteStates(InstanceCore& core, bool clocks) : core_(core), clocks_(clocks) {}

  void reset() { happened_.clear(); }

  void enter_event_mode();
  // All events that are due at this time happen. True: clocks tick with events that followed from
  // these, and another call ends that.
  bool update();
  void get_clocks(std::span<const std::uint32_t> references, std::span<bool> ticks) const;
  void refuse_clocks(std::span<const std::uint32_t> references) const;  // all are output clocks

  // With event mode, the integrator's counters change in it alone.
  void hold_counters();
  // The value of such an output in the last event mode; nothing: the output is no counter.
  std::optional<double> event_mode_counter(int output) const;

  // Stored states.
  struct Stored {
    std::vector<int> happened;
    Vector counters;
  };
  Stored stored() const;
  void restore(Stored stored);

 private:
  const OutputClock& clock(std::uint32_t reference) const;

  InstanceCore& core_;
  bool clocks_;
  std::vector<int> happened_;  // event indicators whose events happened in the last update()
  Vector counters_;            // in the order of Structure::statistic_outputs
};

}  // namespace mbs
