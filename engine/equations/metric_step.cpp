#include "engine/equations/metric_step.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mbs {

namespace {

constexpr double mass_multiple = 1e-8;

}  // namespace

MetricStep::MetricStep(const ColumnSparse& M, const Vector& q) {
  double largest = 0.0;
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    largest = std::max(largest, M.coeff(j, j) * q[j] * q[j]);
  }
  energy_ = largest > 0.0 ? largest : 1.0;
  ColumnSparse R(M.rows(), M.cols());
  R.setIdentity();
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    R.coeffRef(j, j) = mass_multiple * energy_ / (q[j] * q[j]);
  }
  M_ = M + R;
  M_.makeCompressed();
}

bool MetricStep::solve(const RowSparse& C, const Vector& s, const Vector& nu, const Vector& c,
                       Vector& delta, double damping) const {
  SaddleStructure structure;
  structure.M = M_;
  structure.G = C;
  structure.G.makeCompressed();
  const std::unique_ptr<SaddleSolver> solver = make_saddle_solver("auto", structure);
  const Vector D = damping * s.cwiseAbs2() / energy_;
  if (!solver->factor({structure.M, structure.G, D})) return false;
  delta = -(M_ * nu);
  Vector mu = -c;
  solver->solve(delta, mu);
  return delta.allFinite();
}

double MetricStep::norm(const Vector& nu) const {
  return std::sqrt(std::max(0.0, nu.dot(M_ * nu)) / energy_);
}

RowSparse stack(const RowSparse& upper, const RowSparse& lower) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](const RowSparse& part, Eigen::Index from) {
    for (Eigen::Index i = 0; i < part.outerSize(); ++i) {
      for (RowSparse::InnerIterator entry(part, i); entry; ++entry) {
        entries.emplace_back(static_cast<int>(from + i), static_cast<int>(entry.col()),
                             entry.value());
      }
    }
  };
  add(upper, 0);
  add(lower, upper.rows());
  RowSparse both(upper.rows() + lower.rows(), upper.cols());
  both.setFromTriplets(entries.begin(), entries.end());
  both.makeCompressed();
  return both;
}

}  // namespace mbs
