#include "engine/contact/newton/smoothing_path.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {
namespace {

constexpr double first_eta[] = {10.0, 1e3, 1e5};
constexpr int max_start_newton = 60;
constexpr int max_corrections = 12;
constexpr double on_the_path = 1e-4;   // residual, part of eta
constexpr double sharpest_turn = 0.5;  // cosine
constexpr double shortest_step = 1e-9, longest_step = 4.0;
constexpr double infinity = 1e13;
constexpr int max_end_newton = 16;

}  // namespace

SmoothingPath::SmoothingPath(const ScaledProblem& problem, NewtonSystem& system,
                             double least_compliance)
    : problem_(problem), system_(system), least_(least_compliance) {}

double SmoothingPath::eta() const {
  return std::exp(s_);
}

void SmoothingPath::evaluate(const Vector& x, double s, Residual& at) const {
  const double tau = std::exp(2.0 * s), epsilon = compliance(tau);
  const Vector Dx = problem_.D().cwiseProduct(x);
  const Vector y = x - problem_.product(x) - epsilon * Dx - problem_.b();
  const double epsilon_by_s = 2.0 * tau;
  at.F = Vector::Zero(x.size());
  at.by_s = Vector::Zero(x.size());
  at.A.resize(problem_.cones().size());
  for (std::size_t c = 0; c < at.A.size(); ++c) {
    const ConeEntries& cone = problem_.cones()[c];
    const ConeProjection P = project(cone.shape, part_of(y, cone), tau);
    put(part_of(x, cone) - P.p, cone, at.F);
    put(epsilon_by_s * (P.by_y * part_of(Dx, cone)) - 2.0 * tau * P.by_tau, cone, at.by_s);
    at.A[c] = P.by_y;
  }
}

bool SmoothingPath::start() {
  for (const double eta : first_eta) {
    s_ = std::log(eta);
    x_ = Vector::Zero(problem_.size());
    for (const ConeEntries& cone : problem_.cones())
      if (cone.shape.normal) x_[cone.index[0]] = 1.0;
    Residual trial;
    evaluate(x_, s_, at_);
    for (int k = 0; k < max_start_newton; ++k) {
      const double size = at_.F.norm();
      ++factorisations_;
      if (!system_.factor(at_.A, compliance(eta * eta))) break;
      const Vector step = system_.solve(at_.F);
      if (size <= 1e-8 * eta) {
        tangent_ = system_.solve(at_.by_s);
        const double length = std::hypot(1.0, tangent_.norm() / (1.0 + x_.norm()));
        tangent_ /= length;
        tangent_s_ = -1.0 / length;
        orientation_ = system_.determinant_sign();
        return tangent_.allFinite();
      }
      double length = 1.0;
      for (; length > 1e-3; length *= 0.5) {
        evaluate(x_ - length * step, s_, trial);
        if (trial.F.norm() <= (1.0 - 0.25 * length) * size) break;
      }
      if (!(length > 1e-3)) break;
      x_ -= length * step;
      std::swap(at_, trial);
    }
  }
  return false;
}

// Newton's method on F = 0 in the plane across the tangent. Its last step is not taken: it says
// how near the path is, and its matrix belongs to the point that is kept.
bool SmoothingPath::correct(const Vector& x0, double s0, Point& at) {
  const double unit = 1.0 + x0.norm(), weight = 1.0 / (unit * unit);
  double before = 0.0;
  for (corrections_ = 0; corrections_ <= max_corrections; ++corrections_) {
    evaluate(at.x, at.s, at_);
    const double size = at_.F.norm();
    if (!std::isfinite(size) || (corrections_ > 0 && size > 2.0 * before)) return false;
    before = size;
    ++factorisations_;
    if (!system_.factor(at_.A, compliance(std::exp(2.0 * at.s)))) return false;
    const Vector a = -system_.solve(at_.F);
    at.by_s = -system_.solve(at_.by_s);
    const double across = weight * tangent_.dot(at.x - x0) + tangent_s_ * (at.s - s0);
    const double ds =
        -(across + weight * tangent_.dot(a)) / (tangent_s_ + weight * tangent_.dot(at.by_s));
    if (!std::isfinite(ds) || std::abs(ds) > longest_step) return false;
    const Vector dx = a + ds * at.by_s;
    if (size <= on_the_path * std::min(1.0, std::exp(at.s)) &&
        std::max(dx.norm() / unit, std::abs(ds)) <= on_the_path)
      return true;
    at.x += dx;
    at.s += ds;
  }
  return false;
}

// False: the path turns too sharply since the point before. Along the path eta falls where det F_x
// has the sign of the start, and rises where it has the other.
bool SmoothingPath::turn(const Point& to) {
  const double unit = 1.0 + to.x.norm(), weight = 1.0 / (unit * unit);
  const double length = std::sqrt(1.0 + weight * to.by_s.squaredNorm());
  const double cosine =
      (weight * to.by_s.dot(tangent_) + tangent_s_) /
      (length * std::sqrt(weight * tangent_.squaredNorm() + tangent_s_ * tangent_s_));
  if (std::abs(cosine) < sharpest_turn) return false;
  const int sign = system_.determinant_sign();
  const bool rises = cosine > 0.0;
  if (sign * orientation_ != 0 && rises == (sign == orientation_)) return false;
  tangent_s_ = (rises ? 1.0 : -1.0) / length;
  tangent_ = tangent_s_ * to.by_s;
  x_ = to.x;
  s_ = to.s;
  return true;
}

bool SmoothingPath::advance() {
  for (; step_ > shortest_step; step_ *= 0.3) {
    const Vector x0 = x_ + step_ * tangent_;
    const double s0 = s_ + step_ * tangent_s_;
    Point to{x0, {}, s0};
    if (!correct(x0, s0, to) || !turn(to)) continue;
    const double factor = corrections_ <= 1 ? 3.0 : corrections_ <= 3 ? 1.6 : 0.8;
    step_ = std::min(factor * step_, longest_step);
    return x_.norm() <= infinity;
  }
  return false;
}

bool SmoothingPath::oriented() const {
  return system_.determinant_sign() * orientation_ >= 0;
}

double SmoothingPath::residual(const Vector& x, const Vector& centre, double epsilon,
                               Vector& projected) const {
  const Vector y =
      x - problem_.product(x) - epsilon * problem_.D().cwiseProduct(x - centre) - problem_.b();
  projected = Vector::Zero(x.size());
  for (const ConeEntries& cone : problem_.cones())
    put(project(cone.shape, part_of(y, cone), 0.0).p, cone, projected);
  return (x - projected).cwiseAbs().maxCoeff();
}

std::optional<Vector> SmoothingPath::solve_at_end(Vector x, const Vector& centre, double epsilon,
                                                  double accuracy) {
  std::vector<ConeMatrix> A(problem_.cones().size());
  Vector F = Vector::Zero(x.size());
  for (int k = 0; k < max_end_newton; ++k) {
    const Vector y =
        x - problem_.product(x) - epsilon * problem_.D().cwiseProduct(x - centre) - problem_.b();
    for (std::size_t c = 0; c < A.size(); ++c) {
      const ConeEntries& cone = problem_.cones()[c];
      ConeProjection P = project(cone.shape, part_of(y, cone), 0.0);
      put(part_of(x, cone) - P.p, cone, F);
      A[c] = std::move(P.by_y);
    }
    const double size = F.cwiseAbs().maxCoeff(), scale = x.cwiseAbs().maxCoeff() + problem_.bias();
    ++factorisations_;
    if (!system_.factor(A, epsilon)) return {};
    if (size <= accuracy * scale) return x;
    x -= system_.solve(F);
    if (!x.allFinite()) return {};
  }
  return {};
}

}  // namespace mbs
