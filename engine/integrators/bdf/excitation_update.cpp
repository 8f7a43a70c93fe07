#include "engine/integrators/bdf/excitation_update.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "engine/base/snapshot.hpp"
#include "engine/equations/explicit_time_dependence.hpp"

namespace mbs::bdf {
namespace {

constexpr int most_times = 6;   // at which B is evaluated
constexpr int farthest = 16;    // the last time is 2^k steps away
constexpr double apart = 0.05;  // of a function's range: it counts as independent beyond that
constexpr double input_change = 0.01, noticeable = 0.01;

}  // namespace

ExcitationUpdate::ExcitationUpdate(System& system, Context context,
                                   const IntegratorOptions& options)
    : system_(system),
      context_(context),
      inputs_(system.sizes().u),
      time_dependence_(system.equations().capabilities().explicit_time_dependence),
      functions_(time_dependence_ == nullptr ? 0 : time_dependence_->count()),
      u_(Vector::Zero(inputs_ + functions_)),
      u_of_B_(u_),
      projection_(system.equations(), context, options),
      solver_(system.equations().make_solver(options.linear)),
      x_(system.sizes()) {}

void ExcitationUpdate::excitation(double t, Vector& u) const {
  for (int i = 0; i < inputs_; ++i) u[i] = context_.inputs.at(i, t);
  if (functions_ > 0) time_dependence_->values(context_, t, u.tail(functions_));
}

void ExcitationUpdate::find(double t, double h, const Vector& y, const Vector& y_dot,
                            const Vector& B, const Evaluate& evaluate) {
  B_by_c_.setZero(B.size(), inputs_);
  c_by_u_.setZero(inputs_, u_.size());
  excitation(t, u_);
  Vector moved = B;
  for (int i = 0; i < inputs_; ++i) {
    const double change = input_change * std::max(1.0, std::abs(u_[i]));
    system_.move_input(i, change);
    evaluate(t, y, y_dot, moved);
    system_.restore_inputs();
    B_by_c_.col(i) = (moved - B) / change;
    c_by_u_(i, i) = 1.0;
  }
  if (functions_ > 0) find_by_time(t, h, y, y_dot, B, evaluate);
  c_.setZero(B_by_c_.cols());
  change_.setZero(B.size());
  known_ = trusted_ = true;
}

void ExcitationUpdate::find_by_time(double t, double h, const Vector& y, const Vector& y_dot,
                                    const Vector& B, const Evaluate& evaluate) {
  Matrix ranges = Matrix::Zero(functions_, farthest + 1);
  Vector u = u_;
  for (int k = 0; k <= farthest; ++k) {
    excitation(t + std::ldexp(h, k), u);
    const Vector change = (u - u_).tail(functions_);
    if (change.allFinite()) ranges.col(k) = change;
  }
  const Vector largest = ranges.cwiseAbs().rowwise().maxCoeff();
  const Vector scale = (largest.array() > 0.0).select(largest.cwiseInverse(), 0.0);
  // The next time is the one whose change of u is farthest from the span of those before it (Gram
  // and Schmidt).
  Matrix rest = scale.asDiagonal() * ranges;
  std::vector<int> times;
  std::vector<Vector> changes;
  for (int count = 0; count < most_times; ++count) {
    Eigen::Index k = 0;
    const double size = rest.colwise().norm().maxCoeff(&k);
    if (!(size > apart)) break;
    const Vector direction = rest.col(k) / size;
    rest -= direction * (direction.transpose() * rest).eval();
    const double other = t + std::ldexp(h, static_cast<int>(k));
    Vector at = y, moved = B;
    if (!follow(other, y, at)) continue;
    evaluate(other, at, y_dot, moved);
    if (!moved.allFinite()) continue;
    times.push_back(static_cast<int>(k));
    changes.push_back(moved - B);
  }
  const auto count = static_cast<Eigen::Index>(times.size());
  if (count == 0) return;
  // c = (U^T U)^-1 U^T times the change of u, scaled.
  Matrix U(functions_, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    U.col(j) = scale.asDiagonal() * ranges.col(times[static_cast<std::size_t>(j)]);
  }
  B_by_c_.conservativeResize(Eigen::NoChange, inputs_ + count);
  c_by_u_.conservativeResize(inputs_ + count, Eigen::NoChange);
  c_by_u_.bottomRows(count).setZero();
  c_by_u_.bottomRightCorner(count, functions_) =
      (U.transpose() * U).eval().fullPivLu().solve(Matrix(U.transpose())) * scale.asDiagonal();
  for (Eigen::Index j = 0; j < count; ++j) {
    B_by_c_.col(inputs_ + j) = changes[static_cast<std::size_t>(j)];
  }
}

// Projects positions onto the constraints at another time, so that driven coordinates follow.
bool ExcitationUpdate::follow(double t, const Vector& y, Vector& moved) {
  const Sizes& n = system_.sizes();
  if (n.g == 0) return true;
  system_.unpack(t, y, y, x_);
  if (!projection_.positions(x_, system_.workspace(), *solver_).ok) return false;
  moved.segment(system_.at().p, n.p) = x_.p;
  moved.segment(system_.at().s, n.s) = x_.s;
  return true;
}

void ExcitationUpdate::made(double t) {
  excitation(t, u_of_B_);
}

bool ExcitationUpdate::changed(double t) {
  if (!known_ || !trusted_) return false;
  excitation(t, u_);
  for (int i = 0; i < u_.size(); ++i) {
    const double most = std::max(std::abs(u_[i]), std::abs(u_of_B_[i]));
    if (std::abs(u_[i] - u_of_B_[i]) > noticeable * most) return true;
  }
  return false;
}

// The change of B from the time of its evaluation to t.
void ExcitationUpdate::find_change(double t) {
  excitation(t, u_);
  u_of_B_ = u_ - u_of_B_;
  c_.noalias() = c_by_u_ * u_of_B_;
  change_.noalias() = B_by_c_ * c_;
  u_of_B_ = u_;
}

void ExcitationUpdate::update(double t, Vector& B) {
  if (!trusted_) return;
  find_change(t);
  B += change_;
}

void ExcitationUpdate::judge(double t, const Vector& before, const Vector& now) {
  if (!known_) return;
  find_change(t);
  // Entries are scaled, since each has its own unit.
  const auto scale = (now.cwiseAbs() + before.cwiseAbs()).array().max(1e-300).inverse();
  const double without = ((now - before).array() * scale).matrix().squaredNorm(),
               with = ((now - before - change_).array() * scale).matrix().squaredNorm();
  trusted_ = with < without;
}

void ExcitationUpdate::save(ByteWriter& out) const {
  out.put(known_);
  out.put(trusted_);
  if (!known_) return;
  out.put<std::int64_t>(B_by_c_.cols());
  for (Eigen::Index i = 0; i < B_by_c_.cols(); ++i) {
    out.put(Vector(B_by_c_.col(i)));
    out.put(Vector(c_by_u_.row(i)));
  }
  out.put(u_of_B_);
}

void ExcitationUpdate::restore(ByteReader& in, Eigen::Index entries) {
  known_ = get_bool(in);
  trusted_ = get_bool(in);
  if (!known_) return;
  std::int64_t count = 0;
  in.get(count);
  if (count < inputs_ || count > inputs_ + most_times) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  B_by_c_.setZero(entries, count);
  c_by_u_.setZero(count, u_.size());
  c_.setZero(count);
  change_.setZero(entries);
  Vector column(entries), row(u_.size());
  for (Eigen::Index i = 0; i < count; ++i) {
    in.get(column);
    in.get(row);
    B_by_c_.col(i) = column;
    c_by_u_.row(i) = row;
  }
  in.get(u_of_B_);
}

}  // namespace mbs::bdf
