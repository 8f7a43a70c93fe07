#include "engine/analysis/influence_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/analysis/other_parameters.hpp"
#include "engine/contact/modes.hpp"

namespace mbs {
namespace {

constexpr int distances = 10, patterns = 3;

}  // namespace

InfluenceSample::InfluenceSample(const Equations& equations, const Context& context,
                                 const State& at, std::span<const KnownParameter> of_parameters,
                                 bool stays)
    : equations_(equations),
      known_(equations.structure()),
      context_(context),
      at_(at),
      of_parameters_(of_parameters),
      stays_(stays),
      distances_(stays ? 1 : distances),
      by_chance_(stays ? 10 : 30 + 2 * static_cast<int>(known_.contacts.size())),
      ws_(equations.make_workspace()) {}

int InfluenceSample::points() const {
  const int n = contacts();
  return n == 0 ? distances_ + 4 : distances_ * patterns + 2 * n + by_chance_;
}

InfluencePoint InfluenceSample::point(int k) {
  constexpr Distance all[distances] = {
      {1.0},       {0.02},      {4.0}, {1.0, 0.0, true},  {1.0, 1e-3},
      {1.0, 1e-6}, {1.0, 1e-9}, {1.0}, {4.0, 1e-3, true}, {1.0, 1e-12}};
  constexpr double times[] = {1.0, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-7, 1e-9};
  const int alone = k - distances_ * patterns;
  const bool is_alone = contacts() > 0 && alone >= 0 && alone < 2 * contacts();
  const Distance& by = all[is_alone ? 0 : k % distances_];
  const double time = times[k % std::ssize(times)];
  InfluencePoint point{at_, context_.inputs, context_.parameters, 0.7 * time * number(), {}};
  State& x = point.x;
  x.t += time * number();
  if (!stays_) move_unknowns(by, x);
  move(point.inputs.value, {}, by.far);
  if (parameters_move_) {
    std::vector<double> parts(static_cast<std::size_t>(point.parameters.values.size()));
    for (double& one : parts) one = 0.05 * std::abs(number()) * (engine_() % 2 == 0 ? 1.0 : -1.0);
    moved_ = mbs::move_parameters(equations_, parts, point.parameters) || moved_;
  }
  for (const auto& [parameter, tunable] : of_parameters_)
    point.others.push_back(possible_value(equations_, point.parameters, parameter));
  set_modes(k, time, by.far, point);
  return point;
}

double InfluenceSample::number() {
  const double size = 0.2 + 0.8 * part();
  return engine_() % 2 == 0 ? size : -size;
}

void InfluenceSample::move(Vector& x, const Vector& scale, double by) {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    x[i] += by * (i < scale.size() ? scale[i] : 1.0 + std::abs(x[i])) * number();
}

void InfluenceSample::move_unknowns(const Distance& by, State& x) {
  const Vector before = x.p;
  move(x.p, known_.p_scale, 0.3 * by.far);
  for (Eigen::Index i = 0; by.near && i < x.p.size(); ++i)
    if (before[i] != 0.0) x.p[i] = before[i] * (1.0 + 0.3 * number());
  equations_.normalise(x);
  if (by.rest > 0.0) x.v.setZero(), x.r.setZero();
  move(x.v, known_.v_scale, by.rest > 0.0 ? by.rest : by.far);
  move(x.r, {}, by.rest > 0.0 ? by.rest : by.far);
  for (Vector* rest : {&x.w, &x.a, &x.lambda}) move(*rest, {}, by.far);
}

void InfluenceSample::set_modes(int k, double time, double far, InfluencePoint& point) {
  const int n = contacts(), alone = k - distances_ * patterns;
  const double closed = part() + 0.2;
  State& x = point.x;
  for (int i = 0; i < n; ++i) {
    const Structure::Contact& c = known_.contacts[static_cast<std::size_t>(i)];
    int& mode = x.modes[static_cast<std::size_t>(c.mode)];
    if (alone < 0)
      mode = k / distances_;  // open, stick, slide
    else if (alone < 2 * n)
      mode = i == alone / 2 ? 1 + alone % 2 : static_cast<int>(ContactMode::open);
    else if (alone > 2 * n + 1)  // otherwise as they are
      mode = part() < closed ? 1 + static_cast<int>(engine_() % 2)
                             : static_cast<int>(ContactMode::open);
    if (c.tangents == 0 && mode != 0) set_contact_mode(x, c, ContactMode::stick);
    if (c.normal < 0 && mode == 0) set_contact_mode(x, c, ContactMode::slide);
    set_direction(c, time, far, x);
  }
  if (n > 0 && alone != 2 * n && alone != 2 * n + 1) release_dependent(point);
}

// A unit vector; and, now and then, so slow that it counts.
void InfluenceSample::set_direction(const Structure::Contact& c, double time, double far,
                                    State& x) {
  if (c.direction < 0) return;
  const double angle = 2.0 * std::numbers::pi * part();
  x.z[c.direction] = c.tangents == 2 ? std::cos(angle) : std::copysign(1.0, number());
  if (c.tangents == 2) x.z[c.direction + 1] = std::sin(angle);
  if (c.low_speed < 0 || engine_() % 2 == 0) return;
  x.z[c.low_speed] = 20.0 * far * (x.v.size() > 0 ? known_.v_scale.maxCoeff() : 1.0);
  x.z[c.low_speed + 1] = x.t - 0.3 * time;
  x.z[c.low_speed + 2] = 1.0 / time;
}

// What would say again what other rows of G say opens, or is held if that is so of its friction
// alone, in some order: the rest has accelerations.
void InfluenceSample::release_dependent(InfluencePoint& point) {
  const Sizes& n = equations_.sizes();
  equations_.position({point.inputs, point.parameters}, point.x, want_G, *ws_);
  const Matrix G = ws_->G;
  std::vector<Vector> basis;
  const auto is_new = [&](int row, std::vector<Vector>& more) {
    Vector rest = G.row(row);
    const double whole = rest.norm();
    for (const auto* list : {&basis, &more})
      for (const Vector& e : *list) rest -= e.dot(rest) * e;
    if (!(rest.norm() > 1e-8 * whole)) return false;
    more.push_back(rest.normalized());
    return true;
  };
  const auto accept = [&](std::vector<Vector>& more) {
    basis.insert(basis.end(), more.begin(), more.end());
    more.clear();
  };
  std::vector<char> of_contact(static_cast<std::size_t>(n.lambda), 0);
  for (const Structure::Contact& c : known_.contacts) {
    if (c.normal >= 0) of_contact[static_cast<std::size_t>(c.normal)] = 1;
    for (int k = 0; k < c.tangents; ++k) of_contact[static_cast<std::size_t>(c.tangent + k)] = 1;
  }
  std::vector<Vector> more;
  for (int row = 0; row < n.lambda; ++row)
    if (of_contact[static_cast<std::size_t>(row)] == 0 && is_new(row, more)) accept(more);
  std::vector<int> order(static_cast<std::size_t>(contacts()));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), engine_);
  for (const int i : order) {
    const Structure::Contact& c = known_.contacts[static_cast<std::size_t>(i)];
    const ContactMode mode = contact_mode(point.x, c);
    if (mode == ContactMode::open) continue;
    const bool presses = c.normal < 0 || is_new(c.normal, more);
    if (presses) accept(more);
    bool sticks = presses && mode == ContactMode::stick;
    for (int k = 0; k < c.tangents && sticks; ++k) sticks = is_new(c.tangent + k, more);
    if (sticks) accept(more);
    more.clear();
    if (!presses) {
      set_contact_mode(point.x, c, ContactMode::open);
    } else if (mode == ContactMode::stick && !sticks) {
      set_contact_mode(point.x, c, ContactMode::redundant);
      const double bears = std::abs(number());
      for (int k = 0; k < c.tangents && c.direction >= 0; ++k) point.x.z[c.direction + k] *= bears;
    }
  }
}

InfluencePoint InfluenceSample::blurred(const Equations& equations, const InfluencePoint& point) {
  constexpr double digits = 1e-13;
  InfluencePoint there = point;
  there.x.t += digits * number() * (point.x.t - at_.t);
  there.later *= 1.0 + digits * number();
  for (Vector* part : {&there.x.p, &there.x.v, &there.x.r, &there.x.w, &there.x.a, &there.x.lambda,
                       &there.inputs.value, &there.parameters.values})
    for (double& value : *part) value *= 1.0 + digits * number();
  // Small angles, too, in digits of their cosines.
  for (Eigen::Index i = 0; i < there.x.p.size() && i < known_.p_scale.size(); ++i)
    there.x.p[i] += digits * number() * known_.p_scale[i];
  if (!is_possible(equations, there.parameters)) there.parameters = point.parameters;
  return there;
}

}  // namespace mbs
