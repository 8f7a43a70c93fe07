#include "tests/analysis/moving_linearisation.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <functional>
#include <limits>

namespace mbs::test {
namespace {

using Function = std::function<Vector(const Vector&)>;

// Central differences, extrapolated from three steps to sixth order.
Matrix derivative(const Function& function, const Vector& at, const Vector& steps) {
  Matrix J;
  Vector x = at;
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    const double size = steps[j];
    const auto central = [&](double h) -> Vector {
      x[j] = at[j] + h;
      const Vector above = function(x);
      x[j] = at[j] - h;
      const Vector below = function(x);
      x[j] = at[j];
      return (above - below) / (2.0 * h);
    };
    const Vector column =
        (64.0 * central(0.25 * size) - 20.0 * central(0.5 * size) + central(size)) / 45.0;
    if (J.size() == 0) J.resize(column.size(), at.size());
    J.col(j) = column;
  }
  return J;
}

Vector parts(double part, const Vector& of) {
  return part * of.cwiseAbs().cwiseMax(1.0);
}

// Newton's method in the sense of least squares, with the derivative at the first x.
class Solve {
 public:
  Solve(const Function& residual, const Vector& at, double part)
      : row_scale_(derivative(residual, at, parts(part, at)).rowwise().lpNorm<Eigen::Infinity>()) {
    for (double& size : row_scale_) size = size > 0.0 ? 1.0 / size : 1.0;
    const Matrix J = row_scale_.asDiagonal() * derivative(residual, at, parts(part, at));
    column_scale_ = J.colwise().lpNorm<Eigen::Infinity>().transpose();
    for (double& size : column_scale_) size = size > 0.0 ? 1.0 / size : 1.0;
    decomposed_.setThreshold(1e-11);
    decomposed_.compute(J * column_scale_.asDiagonal());
  }
  Vector operator()(const Function& residual, Vector x) const {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 50; ++k) {
      const Vector d = decomposed_.solve(row_scale_.cwiseProduct(residual(x)));
      const double size = d.lpNorm<Eigen::Infinity>();
      if (!(size < least)) break;  // rounding
      least = size;
      x -= column_scale_.cwiseProduct(d);
    }
    EXPECT_LT(least, 1e-9 * (1.0 + x.lpNorm<Eigen::Infinity>()));
    return x;
  }

 private:
  Vector row_scale_, column_scale_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposed_;
};

std::vector<int> places(const std::vector<std::string>& wanted,
                        const std::vector<std::string>& names, int first, int count) {
  std::vector<int> found;
  for (int i = first; i < first + count; ++i)
    found.push_back(static_cast<int>(std::ranges::find(names, wanted[static_cast<std::size_t>(i)]) -
                                     names.begin()));
  return found;
}

Vector join(const Vector& a, const Vector& b) {
  Vector both(a.size() + b.size());
  both << a, b;
  return both;
}

}  // namespace

Matrix moving_linearisation(const Assembled& model, const State& x, const LinearSystem& system) {
  const Equations& equations = *model;
  const Sizes& n = equations.sizes();
  const JacobianLayout at(n);
  const auto eta = places(system.states, system.coordinates, 0, system.eta);
  const auto nu = places(system.states, equations.structure().v_names, system.eta, system.nu);
  State now = x;
  const auto evaluate = [&]() -> const Vector& {
    equations.residual(model.context(), now, *model.ws);
    return model.ws->residual;
  };
  const auto apply_Z = [&](const Vector& change) {
    Vector z;
    equations.apply_Z(model.context(), now, change, z);
    return z;
  };
  Matrix Z(n.p, n.v);
  for (int j = 0; j < n.v; ++j) Z.col(j) = apply_Z(Vector::Unit(n.v, j));
  // Changes of p along the velocity coordinates: what Z^+ makes of them at x.
  const Matrix along = (Z.transpose() * Z).inverse() * Z.transpose();

  const Function of_p = [&](const Vector& p) {  // g, n, eta
    now.p = p;
    const Vector& R = evaluate();
    return join(join(R.segment(at.position, n.g), R.segment(at.norm, n.n)),
                Vector(along * (p - x.p))(eta));
  };
  const Function of_v = [&](const Vector& v) {
    now.v = v;
    const auto keep = now.lambda;  // of G v + gI - D lambda
    now.lambda.setZero();
    const Vector rows = evaluate().segment(at.velocity, n.lambda);
    now.lambda = keep;
    return join(rows, Vector((v - x.v)(nu)));
  };
  const Function of_forces = [&](const Vector& y) {
    now.a = y.head(n.v);
    now.lambda = y.segment(n.v, n.lambda);
    now.w = y.segment(n.v + n.lambda, n.w);
    now.s = y.tail(n.s);
    const Vector& R = evaluate();
    Vector rows(n.v + n.lambda + n.w + n.s);
    rows << R.segment(at.dynamics, n.v), R.segment(at.acceleration, n.lambda), R.segment(at.w, n.w),
        R.segment(at.s, n.s);
    return rows;
  };
  const Vector forces = join(join(x.a, x.lambda), join(x.w, x.s));
  const Solve solve_p(of_p, x.p, 1e-3);
  now = x;
  const Solve solve_v(of_v, x.v, 1e-3);
  now = x;
  const Solve solve_forces(of_forces, forces, 1e-3);

  const Function rates = [&](const Vector& xi) {
    now = x;
    now.r.head(system.rho) += xi.tail(system.rho);
    const Function p_rows = [&](const Vector& p) -> Vector {
      return of_p(p) - join(Vector::Zero(n.g + n.n), xi.head(system.eta));
    };
    now.p = solve_p(p_rows, x.p);
    const Function v_rows = [&](const Vector& v) -> Vector {
      return of_v(v) - join(Vector::Zero(n.lambda), xi.segment(system.eta, system.nu));
    };
    now.v = solve_v(v_rows, x.v);
    solve_forces(of_forces, forces);
    const Vector R = evaluate();
    Vector result(xi.size());
    result << Vector(along * R.segment(at.kinematics, n.p))(eta), now.a(nu),
        R.segment(at.r, system.rho);
    return result;
  };
  Vector sizes(system.A.rows());
  sizes << Vector::Ones(system.eta), x.v(nu), x.r.head(system.rho);
  return derivative(rates, Vector::Zero(sizes.size()), parts(1e-4, sizes));
}

}  // namespace mbs::test
