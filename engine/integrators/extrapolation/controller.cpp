#include "engine/integrators/extrapolation/controller.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mbs::extrapolation {
namespace {

// The constants of ODEX but for two that suit an h-extrapolation better, as found on Andrews'
// mechanism and the insulator chain: step_range (ODEX 0.02, SEULEX 0.1), less_work (ODEX 0.8).
constexpr double step_range = 0.05;  // H_j / H between range^(1/m) / 4 and range^(-1/m)
constexpr double less_work = 0.9;    // one row less when W_{j-1} < 0.9 W_j
constexpr double more_work = 0.9;    // one row more when W_j < 0.9 W_{j-1}
constexpr double safety_error = 0.65;
constexpr double safety_step = 0.94;
constexpr double most_predicted = 100.0;  // error of row k + 1

// Steps at the bound of stability (controller.hpp).
constexpr int recent = 6, repeats = 2, passed = 40;
constexpr double alike = 1.5, below_rejected = 0.7, growth = 1.02, far_below = 0.5;

}  // namespace

Controller::Controller(const Expansion& expansion, int max_rows, int saved)
    : expansion_(expansion), max_rows_(max_rows), saved_(saved) {
  cost_[0] = 2.0;  // the projections of p and v
  for (int j = 1; j <= max_rows_; ++j) {
    cost_[static_cast<std::size_t>(j)] = cost_[static_cast<std::size_t>(j - 1)] + n(j) - saved;
  }
}

void Controller::start(double rtol, double H) {
  const int aim = static_cast<int>(-std::log10(rtol) * 0.6 + 1.5);
  *this = Controller(expansion_, max_rows_, saved_);
  k_ = std::clamp(aim, 2, max_rows_ - 1);
  H_ = H;
}

void Controller::begin_step(double H, bool any_row) {
  H_ = H;
  any_row_ = any_row;
  diverging_ = false;
  last_row_ = 0;
  bound_ = 0.0;
}

void Controller::set_optimal(int j, double error) {
  const auto i = static_cast<std::size_t>(j);
  const double root = 1.0 / expansion_.error_order(j);
  const double least = std::pow(step_range, root);
  const double by =
      std::clamp(std::pow(error / safety_error, root) / safety_step, least, 4.0 / least);
  optimal_[i] = H_ / by;
  work_[i] = cost_[i] / optimal_[i];
}

// Rows up to k then count as made, with the errors predicted.
bool Controller::predicts_rejection(int j, double error) {
  if (any_row_ || j < 3 || j >= k_ - 1) return false;
  const auto n_to_q = [this](int i) { return expansion_.power == 1 ? n(i) : n(i) * n(i); };
  const double theta = n_to_q(j) * error / before_;
  const auto predict = [&](int to, auto&& use) {
    double predicted = error;
    for (int i = j + 1; i <= to; ++i) use(i, predicted *= theta / n_to_q(i));
    return predicted;
  };
  if (!(predict(k_ + 1, [](int, double) {}) > most_predicted)) return false;
  predict(k_, [this](int i, double predicted) { set_optimal(i, predicted); });
  last_row_ = k_;
  return true;
}

Controller::Verdict Controller::judge(int j, double error) {
  set_optimal(j, error);
  last_row_ = j;

  if (error > 1.0 && j > 2 && error >= bound_) {
    diverging_ = true;
    return Verdict::reject;
  }
  bound_ = std::max(4.0 * error, 1.0);

  const bool to_aim_at = !any_row_ && !after_rejection_;
  const bool may_accept = !to_aim_at || j >= k_ || (j == k_ - 1 && k_ > 2);
  if (may_accept && error <= 1.0) return Verdict::accept;
  if (j > k_ || j == max_rows_) return Verdict::reject;
  const bool linear = expansion_.power == 1;
  const double next = n(k_ + 1) / n(1), both = next * n(k_) / n(1);
  if (j == k_)
    return error > (linear ? 2.0 * n(k_ + 1) : next * next) ? Verdict::reject : Verdict::go_on;
  if (j == k_ - 1 && may_accept && !any_row_) {
    return error > (linear ? 4.0 * n(k_) * n(k_ + 1) : both * both) ? Verdict::reject
                                                                    : Verdict::go_on;
  }
  if (predicts_rejection(j, error)) return Verdict::reject;
  before_ = error;
  return Verdict::go_on;
}

void Controller::accepted(int j) {
  choose(j);
  ++since_;
  most_ *= growth;
  if (since_ > passed || (since_ > recent && H_ < far_below * most_)) most_ = 0.0;
  if (most_ > 0.0) H_ = std::min(H_, most_);
}

void Controller::choose(int j) {
  const int most = max_rows_ - 1;
  int best = j;
  if (j == 2) {
    best = after_rejection_ ? 2 : std::min(3, most);
  } else if (j <= k_) {
    if (work(j - 1) < work(j) * less_work) {
      best = j - 1;
    } else if (work(j) < work(j - 1) * more_work) {
      best = std::min(j + 1, most);
    }
  } else {
    best = j - 1;
    if (j > 3 && work(j - 2) < work(j - 1) * less_work) best = j - 2;
    if (work(j) < work(best) * more_work) best = std::min(j, most);
  }
  if (after_rejection_) {
    k_ = std::min(best, j);
    H_ = std::min(H_, optimal(k_));
    after_rejection_ = false;
    return;
  }
  if (best <= j) {
    H_ = optimal(best);
  } else {
    const bool rising = j < k_ && work(j) < work(j - 1) * more_work;
    const int to = rising ? std::min(best + 1, max_rows_) : best;
    H_ = optimal(j) * cost_[static_cast<std::size_t>(to)] / cost_[static_cast<std::size_t>(j)];
  }
  k_ = best;
}

void Controller::remember_rejection() {
  if (since_ == 0) return;
  const bool again = (most_ > 0.0 || since_ <= recent) && H_ < alike * rejected_size_ &&
                     H_ > rejected_size_ / alike;
  repeated_ = again ? repeated_ + 1 : 0;
  most_ = repeated_ >= repeats ? below_rejected * H_ : 0.0;
  rejected_size_ = H_;
  since_ = 0;
}

void Controller::rejected() {
  after_rejection_ = true;
  remember_rejection();
  if (diverging_) {
    H_ *= 0.5;
    k_ = std::min(k_, std::max(2, last_row_ - 1));
    return;
  }
  k_ = std::min({k_, last_row_, max_rows_ - 1});
  if (k_ > 2 && work(k_ - 1) < work(k_) * less_work) --k_;
  H_ = optimal(k_);
}

void Controller::failed() {
  after_rejection_ = true;
  H_ *= 0.5;
}

void Controller::shortened(double H) {
  after_rejection_ = true;
  H_ = H;
}

void Controller::rejected_for_kink() {
  remember_rejection();
  failed();
}

void Controller::resume(double H, int row) {
  H_ = H;
  k_ = row;
}

void Controller::save(ByteWriter& out) const {
  out.put(k_);
  out.put(H_);
  out.put(after_rejection_);
  out.put(rejected_size_);
  out.put(since_);
  out.put(repeated_);
  out.put(most_);
}

void Controller::restore(ByteReader& in) {
  int k = 0;
  in.get(k);
  if (k < 2 || k > max_rows_ - 1) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  k_ = k;
  in.get(H_);
  unsigned char after = 0;
  in.get(after);
  after_rejection_ = after != 0;
  in.get(rejected_size_);
  in.get(since_);
  in.get(repeated_);
  in.get(most_);
}

}  // namespace mbs::extrapolation
