#include "engine/integrators/bdf/phases.hpp"

#include <algorithm>
#include <stdexcept>

namespace mbs {
namespace {

constexpr int longest_pause = 64;
constexpr double memory = 0.7;           // of the average effort
constexpr double clearly_better = 0.98;  // than the best so far
constexpr double worth_trying = 0.5;     // share of linear algebra

}  // namespace

PhaseChoice PhasePolicy::choice() const {
  switch (kind_) {
    case Kind::plain:
      return {0.0, false};
    case Kind::fixed:
      return fixed_;
    case Kind::automatic:
      break;
  }
  return choices[static_cast<std::size_t>(now_)];
}

void PhasePolicy::cycle(long steps, double operations, double linear) {
  if (kind_ != Kind::automatic || steps == 0) return;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const double effort = operations / static_cast<double>(steps);
  double& average = effort_[at(now_)];
  average = average == 0.0 ? effort : memory * average + (1.0 - memory) * effort;
  if (now_ != best_) {  // a trial has ended
    if (average < clearly_better * effort_[at(best_)]) {
      best_ = now_;
      pause_ = 4;
    } else {
      pause_ = std::min(2 * pause_, longest_pause);
    }
    cycles_ = 0;
  }
  now_ = best_;
  if (++cycles_ >= pause_ && linear > worth_trying * operations) {
    if (next_trial_ == best_) next_trial_ = (next_trial_ + 1) % static_cast<int>(choices.size());
    now_ = next_trial_;
    next_trial_ = (next_trial_ + 1) % static_cast<int>(choices.size());
  }
}

void PhasePolicy::save(ByteWriter& out) const {
  out.put(effort_);
  for (const int i : {best_, now_, next_trial_, cycles_, pause_}) out.put(i);
}

void PhasePolicy::restore(ByteReader& in) {
  in.get(effort_);
  for (int* i : {&best_, &now_, &next_trial_, &cycles_, &pause_}) in.get(*i);
  for (const int i : {best_, now_, next_trial_}) {
    if (i < 0 || i >= static_cast<int>(choices.size())) {
      throw std::runtime_error("the stored state belongs to other options of the integrator");
    }
  }
}

}  // namespace mbs
