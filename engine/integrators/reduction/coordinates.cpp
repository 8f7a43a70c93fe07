#include "engine/integrators/reduction/coordinates.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/snapshot.hpp"

namespace mbs::reduction {
namespace {

// Pivots, singular values and remainders of rows of size 1 below this are rounding.
constexpr double dependent_rows = 1e-12;

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

double largest(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

struct Coordinates::Svd {
  Eigen::JacobiSVD<Matrix> of;
};

Coordinates::Coordinates(const Equations& equations, Context context, const Tolerances& tolerances)
    : equations_(equations),
      context_(context),
      sizes_(equations.sizes()),
      norm_(tolerances, equations.sizes().p, equations.sizes().v, equations.sizes().r),
      shared_(sizes_.g == sizes_.lambda),
      scale_(equations.structure().v_scale),
      row_scale_(equations.structure().g_scale),
      G_hat_(Matrix::Zero(sizes_.lambda, sizes_.v)),
      pivots_(index(sizes_.lambda), -1),
      active_(index(sizes_.lambda), 1),
      nu_(Vector::Zero(sizes_.v)),
      dp_(Vector::Zero(sizes_.p)) {
  if (scale_.size() != sizes_.v) scale_ = Vector::Ones(sizes_.v);
  if (row_scale_.size() != sizes_.lambda) row_scale_ = Vector::Ones(sizes_.lambda);
  v_set_.resize(sizes_.lambda, sizes_.v);
  if (!shared_) p_set_.resize(sizes_.g, sizes_.v);
}

Coordinates::~Coordinates() = default;

void Coordinates::Set::resize(int count, int n_v) {
  rows = count;
  D = Matrix::Zero(n_v, count);
  columns.assign(index(count), -1);
  lu.resize(count);
  y = Vector::Zero(count);
}

bool Coordinates::choose(Choice choice, const Workspace& ws) {
  return choose(choice, ws, v_set_) && (shared_ || choose(choice, ws, p_set_));
}

bool Coordinates::choose(Choice choice, const Workspace& ws, Set& set) {
  const int m = set.rows;
  set.D.setZero();
  std::fill(set.columns.begin(), set.columns.end(), -1);
  set.pivot_ratio = 1.0;
  if (m == 0) return true;
  auto G = G_hat_.topRows(m);
  G = ws.G.topRows(m);
  G *= scale_.asDiagonal();
  for (int i = 0; i < m; ++i) {
    active_[index(i)] = ws.D[i] == 0.0 ? 1 : 0;
    const double size = G.row(i).cwiseAbs().maxCoeff();
    if (!active_[index(i)]) {
      G.row(i).setZero();
    } else if (size > 0.0 && std::isfinite(size)) {
      G.row(i) /= size;
    } else {
      return false;
    }
  }
  bool regular = false;
  switch (choice) {
    case Choice::pivots:
      regular = by_pivots(set);
      break;
    case Choice::svd:
      regular = by_svd(set);
      break;
    case Choice::gram_schmidt:
      regular = by_gram_schmidt(set);
      break;
  }
  set.D.array().colwise() *= scale_.array();
  return regular;
}

// Elimination with full pivoting over the active rows. Returns the columns of the pivots and the
// ratio of the smallest to the first: 0 when a row is rounding alone.
double Coordinates::eliminate(Eigen::Ref<Matrix> A, std::vector<int>& columns) const {
  const int rows = static_cast<int>(A.rows());
  double first = 0.0, ratio = 1.0;
  for (;;) {
    int row = -1, column = -1, left = 0;
    double most = 0.0;
    for (int i = 0; i < rows; ++i) left += active_[index(i)] && columns[index(i)] < 0 ? 1 : 0;
    if (left == 0) return ratio;
    for (int j = 0; j < sizes_.v; ++j) {
      for (int i = 0; i < rows; ++i) {
        if (active_[index(i)] && columns[index(i)] < 0 && std::abs(A(i, j)) > most) {
          most = std::abs(A(i, j));
          row = i;
          column = j;
        }
      }
    }
    if (row < 0 || most < dependent_rows * first) return 0.0;
    if (first == 0.0) first = most;
    ratio = std::min(ratio, most / first);
    columns[index(row)] = column;
    for (int i = 0; i < rows; ++i) {
      if (!active_[index(i)] || columns[index(i)] >= 0) continue;
      const double factor = A(i, column) / A(row, column);
      if (factor != 0.0) A.row(i) -= factor * A.row(row);
      A(i, column) = 0.0;
    }
  }
}

bool Coordinates::by_pivots(Set& set) {
  set.pivot_ratio = eliminate(G_hat_.topRows(set.rows), set.columns);
  if (!(set.pivot_ratio > 0.0)) return false;
  for (int i = 0; i < set.rows; ++i) {
    if (active_[index(i)]) set.D(set.columns[index(i)], i) = 1.0;
  }
  return true;
}

bool Coordinates::by_svd(Set& set) {
  if (!svd_) svd_ = std::make_unique<Svd>();
  svd_->of.compute(G_hat_.topRows(set.rows).transpose(), Eigen::ComputeThinU);
  const auto& sigma = svd_->of.singularValues();
  int k = 0;
  for (int i = 0; i < set.rows; ++i) {
    if (!active_[index(i)]) continue;
    if (!(sigma[k] > dependent_rows * sigma[0])) return false;
    set.pivot_ratio = sigma[k] / sigma[0];
    set.D.col(i) = svd_->of.matrixU().col(k++);
  }
  return true;
}

bool Coordinates::by_gram_schmidt(Set& set) {
  for (int i = 0; i < set.rows; ++i) {
    if (!active_[index(i)]) continue;
    auto q = set.D.col(i);
    q = G_hat_.row(i).transpose();
    q.normalize();
    for (int pass = 0; pass < 2; ++pass) {
      for (int j = 0; j < i; ++j) q -= set.D.col(j).dot(q) * set.D.col(j);
      const double rest = q.norm();
      if (pass == 0) set.pivot_ratio = std::min(set.pivot_ratio, rest);
      if (!(rest > dependent_rows)) return false;
      q /= rest;
    }
  }
  return true;
}

bool Coordinates::factor(Set& set, const Workspace& ws) {
  Matrix& J = set.lu.matrix();
  J.noalias() = ws.G.topRows(set.rows) * set.D;
  for (int i = 0; i < set.rows; ++i) {
    if (ws.D[i] != 0.0) J(i, i) = 1.0;
  }
  return J.allFinite() && set.lu.factor();
}

ProjectionResult Coordinates::positions(State& x, Workspace& ws) {
  constexpr int most = 15;
  constexpr double enough = 1e-2;  // in tolerances
  constexpr double square = 1e-8;  // the square of such a change is rounding
  ProjectionResult result;
  if (sizes_.n > 0) equations_.normalise(x);
  if (sizes_.g == 0) {
    result.ok = true;
    return result;
  }
  Set& set = p_set();
  norm_.set_scale_p(x.p);
  double before = 0.0;
  for (int k = 0; k < most; ++k) {
    if (sizes_.s > 0 && !equations_.solve_auxiliary(context_, x, ws)) return result;
    equations_.position(context_, x, k == 0 ? want_G | want_g : want_g, ws);
    result.residual = ws.g.cwiseAbs().maxCoeff(&result.row);
    if (!ws.g.allFinite()) return result;
    if (k == 0 && !factor(set, ws)) {
      result.singular = true;
      return result;
    }
    set.y = -ws.g;
    set.lu.solve(set.y);
    ++result.iterations;
    nu_.noalias() = set.D * set.y;
    equations_.apply_Z(context_, x, nu_, dp_);
    x.p += dp_;
    if (sizes_.n > 0) equations_.normalise(x);
    result.change = norm_.of_p(dp_);
    if (!std::isfinite(result.change)) return result;
    if (result.change <= enough || largest(set.y) <= square) {
      result.ok = true;
      return result;
    }
    if (k > 0 && result.change > 2.0 * before) return result;
    before = result.change;
  }
  return result;
}

ProjectionResult Coordinates::velocities(State& x, Workspace& ws, bool fresh) {
  constexpr int most = 5;
  constexpr double enough = 1e-11;  // the error left is this times the distance of the factors
  ProjectionResult result;
  Set& set = v_set_;
  if (set.rows == 0) {
    result.ok = true;
    return result;
  }
  if ((fresh || !shared_) && !factor(set, ws)) {
    result.singular = true;
    return result;
  }
  for (int k = 0; k < most; ++k) {
    set.y = -ws.gI;
    set.y.noalias() -= ws.G * x.v;
    result.residual = set.y.cwiseAbs().maxCoeff(&result.row);
    set.lu.solve(set.y);
    nu_.noalias() = set.D * set.y;
    x.v += nu_;
    result.change = largest(nu_);
    if (!std::isfinite(result.change)) return result;
    if (result.change <= enough * (1.0 + largest(x.v))) break;
    // With factors of this point one more solution leaves rounding alone; with others the error
    // falls by their distance.
    if (k > 0 && (fresh || !shared_)) break;
  }
  result.ok = true;
  return result;
}

double Coordinates::distance(const State& x, Workspace& ws, const ErrorNorm& norm, Vector& dy) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  dy.setZero();
  if (sizes_.g > 0) {
    Set& set = p_set();
    if (!factor(set, ws)) return infinite;
    set.y = ws.g;
    set.lu.solve(set.y);
    nu_.noalias() = set.D * set.y;
    equations_.apply_Z(context_, x, nu_, dp_);
    dy.head(sizes_.p) = dp_;
  }
  if (!shared_ && !factor(v_set_, ws)) return infinite;
  v_set_.y = ws.gI;
  v_set_.y.noalias() += ws.G * x.v;
  v_set_.lu.solve(v_set_.y);
  dy.segment(sizes_.p, sizes_.v).noalias() = v_set_.D * v_set_.y;
  return norm(dy);
}

double Coordinates::amplification(const Workspace& ws) {
  Set& set = v_set_;
  double most = 0.0;
  if (!factor(set, ws)) return std::numeric_limits<double>::infinity();
  for (int i = 0; i < set.rows; ++i) {
    if (ws.D[i] != 0.0) continue;
    set.y.setZero();
    set.y[i] = 1.0;
    set.lu.solve_transposed(set.y);
    nu_.noalias() = ws.G.transpose() * set.y;
    nu_.array() *= scale_.array();
    if (set.columns[index(i)] >= 0) {
      for (const int column : set.columns) {
        if (column >= 0) nu_[column] = 0.0;
      }
      most = std::max(most, largest(nu_));
    } else {
      nu_.array() -= set.D.col(i).array() / scale_.array();
      most = std::max(most, nu_.norm());
    }
  }
  return most;
}

double Coordinates::regularity(const Workspace& ws) {
  G_hat_ = ws.G;
  G_hat_ *= scale_.asDiagonal();
  G_hat_.array().colwise() /= row_scale_.array();
  for (int i = 0; i < sizes_.lambda; ++i) active_[index(i)] = ws.D[i] == 0.0 ? 1 : 0;
  std::fill(pivots_.begin(), pivots_.end(), -1);
  return eliminate(G_hat_, pivots_);
}

void Coordinates::dependent_part(const Vector& v, Vector& v_D) {
  Set& set = v_set_;
  nu_ = v.array() / scale_.array().square();  // D = S V_D: V_D^T S^-1 v = D^T S^-2 v
  set.y.noalias() = set.D.transpose() * nu_;
  v_D.noalias() = set.D * set.y;
}

void Coordinates::Set::save(ByteWriter& out) const {
  out.raw(D.data(), sizeof(double) * static_cast<std::size_t>(D.size()));
  out.put(columns);
  out.put(pivot_ratio);
}

void Coordinates::Set::restore(ByteReader& in) {
  in.raw(D.data(), sizeof(double) * static_cast<std::size_t>(D.size()));
  in.get(columns);
  for (const int column : columns) expect_within(column, -1, D.rows() - 1);
  in.get(pivot_ratio);
}

void Coordinates::save(ByteWriter& out) const {
  v_set_.save(out);
  p_set_.save(out);
}

void Coordinates::restore(ByteReader& in) {
  v_set_.restore(in);
  p_set_.restore(in);
}

}  // namespace mbs::reduction
