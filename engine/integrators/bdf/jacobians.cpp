#include "engine/integrators/bdf/jacobians.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/snapshot.hpp"
#include "engine/base/sparse_index.hpp"
#include "engine/equations/differences.hpp"

namespace mbs::bdf {

JacobianSource::JacobianSource(System& system, JacobianKind kind)
    : system_(system),
      kind_(kind),
      grow_(kind == JacobianKind::groups),
      y_(Vector::Zero(system.size())),
      y_dot_(y_),
      F_(y_),
      increment_(Vector::Zero(system.at().eta)) {
  if (kind == JacobianKind::differences) {
    for (int j = 0; j <= increment_.size(); ++j) group_begin_.push_back(j);
    for (int j = 0; j < increment_.size(); ++j) group_columns_.push_back(j);
  }
}

void JacobianSource::make_groups() {
  group_columns_.clear();
  group_begin_.clear();
  colour(system_.pattern().leftCols(system_.at().eta), group_columns_, group_begin_);
}

// The increments (17), with |h y'| and the model's sizes as lower bounds, as in DASSL.
void JacobianSource::set_increments(double h, const Vector& y, const Vector& y_dot) {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon()), fourth = std::sqrt(root);
  const System::Layout& at = system_.at();
  const Structure& structure = system_.equations().structure();
  const Sizes& n = system_.sizes();
  const auto lambda = (system_.form() == Form::ggl ? y : y_dot).segment(at.lambda, n.lambda);
  const double largest = n.lambda > 0 ? std::max(1.0, lambda.cwiseAbs().maxCoeff()) : 1.0;
  for (int j = 0; j < increment_.size(); ++j) {
    double least = fourth;
    if (j < n.p && structure.p_scale.size() == n.p) least *= structure.p_scale[j];
    if (j >= at.v && j < at.r && structure.v_scale.size() == n.v) {
      least *= structure.v_scale[j - at.v];
    }
    double size = std::max({std::abs(y[j]), std::abs(h * y_dot[j]), least});
    if (j >= at.lambda) size = largest;
    const double x = j >= at.lambda ? lambda[j - at.lambda] : y[j];
    volatile double moved = x + root * size;
    increment_[j] = moved - x;
  }
}

void JacobianSource::move(int j, double sign) {
  const bool rate = j >= system_.at().lambda && system_.form() == Form::lambda_derivative;
  (rate ? y_dot_ : y_)[j] += sign * increment_[j];
}

void JacobianSource::find_pattern(double t, const Vector& y, const Vector& y_dot, const Vector& F) {
  std::vector<Eigen::Triplet<double>> places;
  full_.clear();
  for (int j = 0; j < omega_.cols(); ++j) {
    for (ColumnSparse::InnerIterator entry(omega_, j); entry; ++entry) {
      places.emplace_back(static_cast<int>(entry.row()), j, 1.0);
    }
  }
  for (int j = 0; j < increment_.size(); ++j) {
    y_ = y;
    y_dot_ = y_dot;
    move(j, 1.0);
    system_.residual(t, y_, y_dot_, F_);
    ++residuals_;
    for (int i = 0; i < F.size(); ++i) {
      if (F_[i] == F[i]) continue;
      places.emplace_back(i, j, 1.0);
      full_.emplace_back(i, j, (F_[i] - F[i]) / increment_[j]);
    }
  }
  omega_.resize(system_.size(), system_.size());
  omega_.setFromTriplets(places.begin(), places.end());
  omega_.makeCompressed();
}

bool JacobianSource::evaluate(double t, double h, const Vector& y, const Vector& y_dot,
                              const Vector& F, Vector& B, Vector& E) {
  if (kind_ == JacobianKind::exact) {
    system_.exact(t, y, y_dot, B, E);
    return false;
  }
  set_increments(h, y, y_dot);
  bool other_pattern = false;
  if (grow_) {
    const Eigen::Index before = omega_.nonZeros();
    find_pattern(t, y, y_dot, F);
    if (omega_.nonZeros() != before || B.size() == 0) {
      system_.use_pattern(omega_);
      make_groups();
      B.setZero(system_.pattern().nonZeros());
      E.setZero(system_.pattern().nonZeros());
      other_pattern = true;
    }
  }
  grown_ = grow_;
  grow_ = false;
  B.setZero();
  E.setZero();
  const ColumnSparse& A = system_.pattern();
  const auto of_column = [&](int j) -> Vector& {
    return j >= system_.at().lambda && system_.form() == Form::lambda_derivative ? E : B;
  };
  if (grown_) {
    for (const auto& x : full_) of_column(x.col())[sparse_index(A, x.row(), x.col())] = x.value();
    system_.complete(t, y, y_dot, B, E);
    return other_pattern;
  }
  y_ = y;
  y_dot_ = y_dot;
  for (std::size_t group = 0; group + 1 < group_begin_.size(); ++group) {
    const int begin = group_begin_[group], end = group_begin_[group + 1];
    for (int k = begin; k < end; ++k) move(group_columns_[static_cast<std::size_t>(k)], 1.0);
    system_.residual(t, y_, y_dot_, F_);
    ++residuals_;
    for (int k = begin; k < end; ++k) {
      const int j = group_columns_[static_cast<std::size_t>(k)];
      Vector& values = of_column(j);
      for (int e = A.outerIndexPtr()[j]; e < A.outerIndexPtr()[j + 1]; ++e) {
        const int i = A.innerIndexPtr()[e];
        values[e] = (F_[i] - F[i]) / increment_[j];
      }
      y_[j] = y[j];
      y_dot_[j] = y_dot[j];
    }
  }
  system_.complete(t, y, y_dot, B, E);
  return other_pattern;
}

void JacobianSource::save(ByteWriter& out) const {
  out.put(residuals_);
  out.put(grow_);
  out.put(grown_);
  if (kind_ != JacobianKind::groups) return;
  std::vector<int> places;
  for (int j = 0; j < omega_.cols(); ++j) {
    for (ColumnSparse::InnerIterator entry(omega_, j); entry; ++entry) {
      places.push_back(static_cast<int>(entry.row()));
      places.push_back(j);
    }
  }
  out.put<std::int64_t>(static_cast<std::int64_t>(places.size()));
  out.put(places);
}

bool JacobianSource::restore(ByteReader& in) {
  in.get(residuals_);
  grow_ = get_bool(in);
  grown_ = get_bool(in);
  if (kind_ != JacobianKind::groups) return false;
  std::int64_t count = 0;
  in.get(count);
  const std::int64_t most = 2 * std::int64_t{system_.size()} * system_.size();
  if (count < 0 || count > most || count % 2 != 0) {
    throw std::runtime_error("the stored state belongs to another model");
  }
  std::vector<int> places(static_cast<std::size_t>(count));
  in.get(places);
  std::vector<Eigen::Triplet<double>> triplets;
  for (std::size_t k = 0; k < places.size(); k += 2) {
    for (const int i : {places[k], places[k + 1]}) {
      if (i < 0 || i >= system_.size()) {
        throw std::runtime_error("the stored state belongs to another model");
      }
    }
    triplets.emplace_back(places[k], places[k + 1], 1.0);
  }
  omega_.resize(system_.size(), system_.size());
  omega_.setFromTriplets(triplets.begin(), triplets.end());
  omega_.makeCompressed();
  if (count == 0) return false;
  system_.use_pattern(omega_);
  make_groups();
  return true;
}

}  // namespace mbs::bdf
