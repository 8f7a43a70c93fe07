#include "engine/integrators/bdf/cycle_policy.hpp"

#include <algorithm>
#include <stdexcept>

namespace mbs::bdf {
namespace {

constexpr int longest_pause = 64;
constexpr double memory = 0.7;           // in an average
constexpr double longer_memory = 0.9;    // in sums over cycles
constexpr double clearly_better = 0.95;  // effort relative to the best so far
constexpr double worth_trying = 0.4;     // share of triangular solves that asks for a trial
constexpr double margin = 0.8;           // of the cost of a step in the third phase

void average_in(double& average, double value) {
  average = average == 0.0 ? value : memory * average + (1.0 - memory) * value;
}

}  // namespace

double CyclePolicy::drop_tolerance() const {
  if (kind_ != Kind::automatic) return drop_tolerance_;
  return tolerances[static_cast<std::size_t>(now_)];
}

bool CyclePolicy::krylov(double operations) const {
  return kind_ == Kind::automatic ? operations * steps_ < margin * operations_ : krylov_;
}

void CyclePolicy::end(const Cycle& cycle) {
  if (kind_ != Kind::automatic || cycle.steps == 0) return;
  const auto add = [](double& sum, double value) { sum = longer_memory * sum + value; };
  add(steps_, static_cast<double>(cycle.steps));
  add(operations_, cycle.operations);
  add(triangular_, cycle.triangular);
  if (cycle.early_steps == 0) return;
  const auto at = [this](int i) -> double& { return efforts_[static_cast<std::size_t>(i)]; };
  average_in(at(now_), cycle.early / static_cast<double>(cycle.early_steps));
  if (now_ != best_) {  // a trial has ended
    if (at(now_) < clearly_better * at(best_)) {
      best_ = now_;
      pause_ = 4;
    } else {
      pause_ = std::min(2 * pause_, longest_pause);
    }
    cycles_ = 0;
  }
  now_ = best_;
  if (++cycles_ >= pause_ && triangular_ > worth_trying * operations_) {
    const int count = static_cast<int>(tolerances.size());
    if (next_trial_ == best_) next_trial_ = (next_trial_ + 1) % count;
    now_ = next_trial_;
    next_trial_ = (next_trial_ + 1) % count;
  }
}

void CyclePolicy::save(ByteWriter& out) const {
  for (const double x : {steps_, operations_, triangular_}) out.put(x);
  out.put(efforts_);
  for (const int i : {best_, now_, next_trial_, cycles_, pause_}) out.put(i);
}

void CyclePolicy::restore(ByteReader& in) {
  for (double* x : {&steps_, &operations_, &triangular_}) in.get(*x);
  in.get(efforts_);
  for (int* i : {&best_, &now_, &next_trial_, &cycles_, &pause_}) in.get(*i);
  for (const int i : {best_, now_, next_trial_}) {
    if (i < 0 || i >= static_cast<int>(tolerances.size())) {
      throw std::runtime_error("the stored state belongs to other options of the integrator");
    }
  }
}

}  // namespace mbs::bdf
