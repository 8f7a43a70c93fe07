#include "engine/equations/static_equations.hpp"

#include <algorithm>
#include <cmath>

#include "engine/equations/initial_rows.hpp"

namespace mbs {
namespace {

double inverse(double value) {
  return value > 0.0 ? 1.0 / value : 1.0;
}

}  // namespace

StaticEquations::StaticEquations(const Sizes& sizes, int states, int trims)
    : n_(sizes), at_(sizes), states_(states), trims_(trims) {}

void StaticEquations::fill(const Equations& equations, const Context& context, const State& x,
                           Workspace& ws, const Matrix& by, const RowSparse& conditions) {
  equations.jacobian(context, x, ws);
  const Matrix J = ws.jacobian;
  equations.position(context, x, want_M | want_G, ws);
  Z = matrix_Z(equations, context, x);
  K.setZero(size(), size());
  const auto put = [&](int row, int begin, int count) {
    K.block(row, 0, count, n_.v) = -J.block(begin, at_.col_p, count, n_.p) * Z;
    K.block(row, r(), count, n_.r) = -J.block(begin, at_.col_r, count, n_.r);
    K.block(row, lambda(), count, n_.lambda) = -J.block(begin, at_.col_lambda, count, n_.lambda);
    K.block(row, w(), count, n_.w) = -J.block(begin, at_.col_w, count, n_.w);
    K.block(row, this->trims(), count, trims_) = -by.block(begin, 0, count, trims_);
  };
  put(0, at_.dynamics, n_.v);
  put(r(), at_.r, n_.r);
  put(w(), at_.w, n_.w);
  for (int i = r() + states_; i < lambda(); ++i) {  // conditions
    K.row(i).setZero();
    K(i, i) = 1.0;
  }
  K.block(lambda(), 0, n_.lambda, n_.v) = Matrix(ws.G);
  K.block(lambda(), lambda(), n_.lambda, n_.lambda).diagonal() = -ws.D;
  if (trims_ > 0) K.block(this->trims(), 0, trims_, n_.v) = Matrix(conditions);
}

void StaticEquations::factor(bool redundant) {
  redundant_ = redundant;
  left_.resize(size());
  right_.resize(size());
  for (int i = 0; i < size(); ++i) left_[i] = inverse(K.row(i).lpNorm<Eigen::Infinity>());
  K = left_.asDiagonal() * K;
  for (int i = 0; i < size(); ++i) right_[i] = inverse(K.col(i).lpNorm<Eigen::Infinity>());
  K = K * right_.asDiagonal();
  if (redundant)
    orthogonal_.compute(K);
  else
    lu_.compute(K);
}

Vector StaticEquations::g_of(const Vector& residual) const {
  Vector g = Vector::Zero(n_.lambda);
  g.head(n_.g) = residual.segment(at_.position, n_.g);
  return g;
}

bool StaticEquations::solve(const Vector& residual, const Vector& g, const Vector& c,
                            Vector& d) const {
  Vector right = Vector::Zero(size());
  right.head(n_.v) = residual.segment(at_.dynamics, n_.v);
  right.segment(r(), states_) = residual.segment(at_.r, states_);
  right.segment(lambda(), n_.lambda) = -g;
  right.segment(w(), n_.w) = residual.segment(at_.w, n_.w);
  right.tail(trims_) = -c;
  const Vector scaled = left_.cwiseProduct(right);
  d = right_.cwiseProduct(redundant_ ? Vector(orthogonal_.solve(scaled))
                                     : Vector(lu_.solve(scaled)));
  return d.allFinite();
}

Vector residual_by_parameter(const Equations& equations, const Context& context, const State& x,
                             Workspace& ws, Parameters& parameters, int which) {
  double& value = parameters.values[which];
  const double here = value, h = 1e-3 * std::max(1.0, std::abs(here));
  Vector change = Vector::Zero(JacobianLayout(equations.sizes()).rows);
  for (const double sign : {1.0, -1.0}) {
    value = here + sign * h;
    if (!equations.derive(parameters).empty()) continue;
    equations.residual(context, x, ws);
    change += (sign / (2.0 * h)) * ws.residual;
  }
  value = here;
  equations.derive(parameters);
  return change;
}

}  // namespace mbs
