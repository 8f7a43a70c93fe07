#include "engine/simulation/input_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace mbs {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-14;  // of a value that was extrapolated

}  // namespace

InputHistory::InputHistory(int inputs) {
  static_assert(3 * (most - 1) - 1 == Inputs::highest_power);
  for (auto& jet : jet_) jet.fill(Vector::Zero(inputs));
}

void InputHistory::record(const Inputs& inputs) {
  if (count_ > 0 && !(inputs.t0 > t_[0])) return;
  std::rotate(t_.begin(), t_.end() - 1, t_.end());
  std::rotate(jet_.begin(), jet_.end() - 1, jet_.end());
  t_[0] = inputs.t0;
  jet_[0][0] = inputs.value;
  jet_[0][1] = inputs.first;
  jet_[0][2] = inputs.second;
  count_ = std::min(count_ + 1, most);
}

InputHistory::Powers InputHistory::interpolate(int i, int from, int m) const {
  const auto node = [&](int k) { return t_[static_cast<std::size_t>(from + k / 3)]; };
  const auto jet = [&](int order, int k) {
    return jet_[static_cast<std::size_t>(from + k / 3)][static_cast<std::size_t>(order)][i];
  };
  // Divided differences, in place; those of equal nodes are derivatives.
  const int n = 3 * m;
  Powers d{};
  for (int k = 0; k < n; ++k) d[static_cast<std::size_t>(k)] = jet(0, k);
  for (int order = 1; order < n; ++order)
    for (int k = n - 1; k >= order; --k) {
      const auto at = static_cast<std::size_t>(k);
      d[at] = k / 3 == (k - order) / 3 ? jet(order, k) / order
                                       : (d[at] - d[at - 1]) / (node(k) - node(k - order));
    }
  // Horner's scheme on polynomials, from Newton's form to powers of t - t_from.
  Powers c{};
  for (int k = n - 1; k >= 0; --k) {
    const double shift = node(k) - node(0);
    for (std::size_t power = static_cast<std::size_t>(n - 1); power > 0; --power)
      c[power] = c[power - 1] - shift * c[power];
    c[0] = d[static_cast<std::size_t>(k)] - shift * c[0];
  }
  return c;
}

InputHistory::Prediction InputHistory::predict(int i, double size, double tol) const {
  Prediction best{1, infinity, {}};
  if (count_ < 2 || tol == 0.0) return best;
  const double h = t_[0] - t_[1];
  best.reach = 0.0;
  for (int m = 1; m < count_ && best.reach < 4.0 * h; ++m) {
    const Powers c = interpolate(i, 1, m);
    std::array<double, 3> p{};  // p, p', p''/2 at t_0
    for (std::size_t k = c.size(); k-- > 0;)
      p = {p[0] * h + c[k], p[1] * h + p[0], p[2] * h + p[1]};
    double off = std::abs(p[0] - jet_[0][0][i]) + h * std::abs(p[1] - jet_[0][1][i]) +
                 h * h * std::abs(p[2] - 0.5 * jet_[0][2][i]);
    if (m > 1) off = std::max(off, rounding * size);
    double grown = off;  // at t_0 + h
    for (int j = 0; j < m; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double by = (h + t_[0] - t_[at]) / (t_[0] - t_[at + 1]);
      grown *= by * by * by;
    }
    // Beyond h it grows by (s/h)^3m at most, within by (s/h)^3 at least.
    const double ratio = 0.5 * tol / grown;
    const double reach = h * std::pow(ratio, 1.0 / (ratio > 1.0 ? 3 * m : 3));
    if (!(reach > best.reach)) continue;
    best.reach = reach;
    best.points = m;
  }
  if (best.points > 1) best.powers = interpolate(i, 0, best.points);
  return best;
}

void InputHistory::save(ByteWriter& out) const {
  out.put(count_);
  for (std::size_t k = 0; k < most; ++k) {
    out.put(t_[k]);
    for (const Vector& one : jet_[k]) out.put(one);
  }
}

void InputHistory::restore(ByteReader& in) {
  in.get(count_);
  if (count_ < 0 || count_ > most)
    throw std::runtime_error("the stored state has more points of inputs than can be");
  for (std::size_t k = 0; k < most; ++k) {
    in.get(t_[k]);
    for (Vector& one : jet_[k]) in.get(one);
  }
}

}  // namespace mbs
