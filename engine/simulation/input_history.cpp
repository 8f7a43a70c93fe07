#include "engine/simulation/input_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace mbs {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-14;  // relative, in an extrapolated value

// x^(1/(3 m)), m = 1, 2, 3
double root(double x, int m) {
  const double third = std::cbrt(x);
  return m == 1 ? third : m == 2 ? std::sqrt(third) : std::cbrt(third);
}

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

// Computed in place; differences of equal nodes are derivatives. The first ones do not depend on m.
InputHistory::Powers InputHistory::divided_differences(int i, int from, int m) const {
  const auto point = [&](int k) { return static_cast<std::size_t>(from + k); };
  constexpr double inverse_order[] = {0.0, 1.0, 0.5};
  double inverse[most][most];
  for (int k = 1; k < m; ++k)
    for (int j = 0; j < k; ++j) inverse[k][j] = 1.0 / (t_[point(k)] - t_[point(j)]);
  Powers d{};
  for (int k = 0; k < 3 * m; ++k) d[static_cast<std::size_t>(k)] = jet_[point(k / 3)][0][i];
  for (int order = 1; order < 3 * m; ++order)
    for (int k = 3 * m - 1; k >= order; --k) {
      const auto at = static_cast<std::size_t>(k), by = static_cast<std::size_t>(order);
      const int here = k / 3, there = (k - order) / 3;
      d[at] = here == there ? jet_[point(here)][by][i] * inverse_order[by]
                            : (d[at] - d[at - 1]) * inverse[here][there];
    }
  return d;
}

// Horner's scheme on polynomials, from Newton's form to powers of t - t_0.
InputHistory::Powers InputHistory::powers(int i, int m) const {
  const Powers d = divided_differences(i, 0, m);
  const std::size_t n = 3 * static_cast<std::size_t>(m);
  Powers c{};
  for (std::size_t k = n; k-- > 0;) {
    const double shift = t_[k / 3] - t_[0];
    for (std::size_t power = n - 1 - k; power > 0; --power)
      c[power] = c[power - 1] - shift * c[power];
    c[0] = d[k] - shift * c[0];
  }
  return c;
}

InputHistory::Prediction InputHistory::predict(int i, double size, double tol) const {
  Prediction best{1, infinity, {}};
  if (count_ < 2 || tol == 0.0) return best;
  const double h = t_[0] - t_[1];
  const Powers d = divided_differences(i, 1, count_ - 1);
  best.reach = 0.0;
  for (int m = 1; m < count_ && best.reach < 4.0 * h; ++m) {
    std::array<double, 3> p{};  // p, p', p''/2 at t_0, by Horner's scheme on Newton's form
    for (std::size_t k = 3 * static_cast<std::size_t>(m); k-- > 0;) {
      const double s = t_[0] - t_[1 + k / 3];
      p = {p[0] * s + d[k], p[1] * s + p[0], p[2] * s + p[1]};
    }
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
    const double reach = h * root(ratio, ratio > 1.0 ? m : 1);
    if (!(reach > best.reach)) continue;
    best.reach = reach;
    best.points = m;
  }
  if (best.points > 1) best.powers = powers(i, best.points);
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

void save_inputs(const Inputs& inputs, ByteWriter& out) {
  out.put(inputs.t0);
  for (const Vector* part : {&inputs.value, &inputs.first, &inputs.second, &inputs.further})
    out.put(*part);
}

void restore_inputs(Inputs& inputs, ByteReader& in) {
  in.get(inputs.t0);
  for (Vector* part : {&inputs.value, &inputs.first, &inputs.second, &inputs.further})
    in.get(*part);
}

}  // namespace mbs
