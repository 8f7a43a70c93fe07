// Linearisation of
//
//   p' = Z v,  M a = f - G^T lambda,  r' = b,  0 = d,  0 = c,  0 = g,  0 = G v + gI,
//   0 = G a + gamma
//
// with the exact Jacobian J of the residuals (rows K dynamics, ..., columns p, v, r, w, s, lambda,
// u) at fixed a. Changes that satisfy the constraints are
//
//   dp = Z dq,   G_g dq = 0          dq = N_q eta              (G_g: the holonomic rows)
//   G dv = - V_p Z dq                dv = N_v nu + X dq        (V: rows G v + gI)
//
// with N and X by QR with column pivoting, the pivots being the dependent ones. s follows p by 0 =
// c. Then da, dlambda, dw follow as in tangent.cpp, and eta' = Z^+ (K_p dp + Z dv) at its places,
// nu' = da at its places, rho' by the rows of r. Z^+ = (Z^T Z)^-1 Z^T is kept at the point.

#include "engine/analysis/linearise.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/analysis/tangent.hpp"
#include "engine/equations/initial_rows.hpp"
#include "engine/equations/redundancy.hpp"

namespace mbs {
namespace {

constexpr double rank_tolerance = 1e-9;

// Coordinates that are independent under C dx = b, and dx = N xi + X b for them.
struct Reduction {
  std::vector<int> independent;
  Matrix N, X;
};

Reduction reduce(const Matrix& C, const Vector& row_scale, const Vector& scale) {
  const Eigen::Index n = scale.size();
  Reduction result;
  result.N = Matrix::Zero(n, n);
  result.X = Matrix::Zero(n, C.rows());
  const Matrix scaled = row_scale.cwiseInverse().asDiagonal() * C * scale.asDiagonal();
  Eigen::ColPivHouseholderQR<Matrix> qr;
  qr.setThreshold(rank_tolerance);
  Eigen::Index rank = 0;
  Eigen::VectorXi order = Eigen::VectorXi::LinSpaced(n, 0, static_cast<int>(n) - 1);
  if (C.rows() > 0) {
    qr.compute(scaled);
    rank = qr.rank();
    order = qr.colsPermutation().indices();
  }
  for (Eigen::Index k = rank; k < n; ++k) result.independent.push_back(order[k]);
  std::sort(result.independent.begin(), result.independent.end());
  const auto count = static_cast<Eigen::Index>(result.independent.size());
  result.N.conservativeResize(Eigen::NoChange, count);
  Matrix right = Matrix::Zero(rank, count);  // R12, its columns in the order of `independent`
  for (Eigen::Index k = 0; k < count; ++k) {
    const int column = result.independent[static_cast<std::size_t>(k)];
    result.N(column, k) = 1.0;
    for (Eigen::Index j = rank; j < n && rank > 0; ++j)
      if (order[j] == column) right.col(k) = qr.matrixR().col(j).head(rank) / scale[column];
  }
  if (rank == 0) return result;
  const auto R = qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  const Matrix dependent = R.solve(right);
  const Matrix Qt = Matrix(qr.householderQ()).transpose().topRows(rank);
  const Matrix particular = R.solve(Qt * row_scale.cwiseInverse().asDiagonal());
  for (Eigen::Index k = 0; k < rank; ++k) {
    result.N.row(order[k]) = -scale[order[k]] * dependent.row(k);
    result.X.row(order[k]) = scale[order[k]] * particular.row(k);
  }
  return result;
}

std::string at_row(const Structure& names, const JacobianLayout& at, const Sizes& n, int row) {
  const auto in = [&](int begin, int count) { return row >= begin && row < begin + count; };
  if (in(at.kinematics, n.p)) return "the rate of " + quoted(names.p_names[row - at.kinematics]);
  if (in(at.dynamics, n.v)) return "the force on " + quoted(names.v_names[row - at.dynamics]);
  if (in(at.r, n.r)) return "the rate of " + quoted(names.r_names[row - at.r]);
  if (in(at.w, n.w)) return "the equation of " + quoted(names.w_names[row - at.w]);
  for (const int begin : {at.velocity, at.position, at.acceleration})
    if (in(begin, n.lambda)) return "the constraint " + quoted(names.lambda_names[row - begin]);
  return "row " + std::to_string(row);
}

class Lineariser {
 public:
  Lineariser(const Equations& equations, const Context& context, const State& x, int states)
      : equations_(equations),
        context_(context),
        x_(x),
        n_(equations.sizes()),
        known_(equations.structure()),
        at_(n_),
        ws_(equations.make_workspace()),
        tangent_(equations),
        rho_(states < 0 ? n_.r : std::min(states, n_.r)) {}

  LinearSystem run() {
    evaluate();
    reduce_coordinates();
    solve_for_accelerations();
    first_order();
    differentiate_outputs();
    names();
    return std::move(system_);
  }

 private:
  auto rows(int begin, int count, int column, int columns) const {
    return J_.block(begin, column, count, columns);
  }

  void evaluate() {
    equations_.jacobian(context_, x_, *ws_);
    J_ = Matrix(ws_->jacobian);
    for (Eigen::Index j = 0; j < J_.cols(); ++j)
      for (Eigen::Index i = 0; i < J_.rows(); ++i)
        if (!std::isfinite(J_(i, j)))
          throw std::runtime_error("a derivative of " +
                                   at_row(known_, at_, n_, static_cast<int>(i)) +
                                   " is not a finite number at t = " + four_digits(x_.t) +
                                   ": the model is not smooth there");
    if (n_.s > 0) {  // s follows p
      const Matrix c_s = rows(at_.s, n_.s, at_.col_s, n_.s);
      const Matrix S = -c_s.partialPivLu().solve(Matrix(rows(at_.s, n_.s, at_.col_p, n_.p)));
      J_.middleCols(at_.col_p, n_.p) += Matrix(J_.middleCols(at_.col_s, n_.s)) * S;
    }
    equations_.position(context_, x_, want_M | want_G, *ws_);
    Z_ = matrix_Z(equations_, context_, x_);
    J_q_ = J_.middleCols(at_.col_p, n_.p) * Z_;
    for (int k = 0; k < n_.u; ++k)
      for (int i = 0; i < n_.lambda; ++i)
        if (J_(at_.velocity + i, at_.col_u + k) != 0.0 ||
            J_(at_.acceleration + i, at_.col_u + k) != 0.0 ||
            (i < n_.g && J_(at_.position + i, at_.col_u + k) != 0.0))
          throw std::runtime_error(
              "the input " + quoted(known_.input_names[k]) + " moves the constraint " +
              quoted(known_.lambda_names[i]) +
              ": the linear system would need its derivatives as inputs; put a filter with states "
              "of its own between them, or let it act by a force");
  }

  void reduce_coordinates() {
    const Vector scale = coordinate_scale(equations_, context_, x_);
    const Vector row_scale =
        known_.g_scale.size() == n_.lambda ? known_.g_scale : Vector::Ones(n_.lambda);
    const Matrix G = Matrix(ws_->G);
    Matrix active = row_scale.cwiseInverse().asDiagonal() * G * scale.asDiagonal();
    if (const auto found = find_dependencies(active.sparseView()); !found.empty()) {
      std::vector<std::string> list;
      for (const Dependency& one : found)
        for (const int row : one.rows) list.push_back(known_.lambda_names[row]);
      throw std::runtime_error(
          "the constraints of " + list_names(unique_names(list)) +
          " depend on each other here: what can move, and with which forces, is "
          "not determined. Leave out what is not needed: redundancy=\"drop\" in <solver>, or "
          "<drop> with the rows by name; or use a joint with fewer constraints in that loop. At "
          "a singular position, linearise off it");
    }
    const Reduction q = reduce(G.topRows(n_.g), row_scale.head(n_.g), scale);
    const Reduction v = reduce(G, row_scale, scale);
    system_.eta = static_cast<int>(q.independent.size());
    system_.nu = static_cast<int>(v.independent.size());
    system_.rho = rho_;
    eta_ = q.independent;
    nu_ = v.independent;
    count_ = system_.eta + system_.nu + rho_;
    system_.dq = Matrix::Zero(n_.v, count_);
    system_.dq.leftCols(system_.eta) = q.N;
    system_.dv = -v.X * J_q_.middleRows(at_.velocity, n_.lambda) * system_.dq;
    system_.dv.middleCols(system_.eta, system_.nu) += v.N;
    system_.coordinate_scale = scale;
    dp_ = Z_ * system_.dq;
    dr_ = Matrix::Zero(n_.r, count_);
    dr_.topRightCorner(rho_, rho_).setIdentity();
  }

  // The derivatives of these rows with respect to xi and to the inputs.
  Matrix effect(int begin, int count) const {
    Matrix sum(count, count_ + n_.u);
    sum.leftCols(count_) = rows(begin, count, at_.col_p, n_.p) * dp_ +
                           rows(begin, count, at_.col_v, n_.v) * system_.dv +
                           rows(begin, count, at_.col_r, n_.r) * dr_;
    sum.rightCols(n_.u) = rows(begin, count, at_.col_u, n_.u);
    return sum;
  }

  // dp, dv, dr, du of column k.
  Variation change(int k) const {
    Variation change(n_);
    if (k < count_) {
      change.p = dp_.col(k);
      change.v = system_.dv.col(k);
      change.r = dr_.col(k);
    } else {
      change.u[k - count_] = 1.0;
    }
    return change;
  }

  void solve_for_accelerations() {
    tangent_.evaluate(context_, x_);
    solution_.resize(n_.v + n_.lambda + n_.w, count_ + n_.u);
    for (int k = 0; k < count_ + n_.u; ++k) {
      changes_.push_back(change(k));
      tangent_.complete(changes_.back());
      solution_.col(k) << changes_.back().a, changes_.back().lambda, changes_.back().w;
    }
  }

  void first_order() {
    system_.A.resize(count_, count_);
    system_.B.resize(count_, n_.u);
    Matrix both = Matrix::Zero(count_, count_ + n_.u);
    const Matrix rate =
        (Z_.transpose() * Z_).ldlt().solve(Z_.transpose() * effect(at_.kinematics, n_.p));
    for (int i = 0; i < system_.eta; ++i) both.row(i) = rate.row(eta_[i]);
    for (int i = 0; i < system_.nu; ++i) both.row(system_.eta + i) = solution_.row(nu_[i]);
    const Matrix r =
        effect(at_.r, n_.r) +
        rows(at_.r, n_.r, at_.col_lambda, n_.lambda) * solution_.middleRows(n_.v, n_.lambda) +
        rows(at_.r, n_.r, at_.col_w, n_.w) * solution_.bottomRows(n_.w);
    both.bottomRows(rho_) = r.topRows(rho_);
    system_.A = both.leftCols(count_);
    system_.B = both.rightCols(n_.u);
  }

  void differentiate_outputs() {
    system_.C = Matrix::Zero(n_.y, count_);
    system_.D = Matrix::Zero(n_.y, n_.u);
    if (n_.y == 0) return;
    Vector slope(n_.y);
    for (int k = 0; k < count_ + n_.u; ++k) {
      tangent_.outputs(context_, changes_[static_cast<std::size_t>(k)], slope);
      if (k < count_)
        system_.C.col(k) = slope;
      else
        system_.D.col(k - count_) = slope;
    }
    for (int i = 0; i < n_.y; ++i)
      if (!system_.C.row(i).allFinite() || !system_.D.row(i).allFinite())
        throw std::runtime_error("the output " + quoted(known_.output_names[i]) +
                                 " has no finite derivatives at t = " + four_digits(x_.t));
  }

  // A change that moves one position coordinate alone is called after it.
  std::string change_name(int j) const {
    int row = -1;
    for (int i = 0; i < n_.p; ++i)
      if (Z_(i, j) != 0.0) row = row < 0 && Z_(i, j) == 1.0 ? i : n_.p;
    if (row >= 0 && row < n_.p) return known_.p_names[row];
    std::string name = known_.v_names[j];
    const std::size_t omega = name.rfind("omega");
    if (omega != std::string::npos) return name.replace(omega, 5, "turn");
    return name + ".moved";
  }

  void names() {
    for (int j = 0; j < n_.v; ++j) system_.coordinates.push_back(change_name(j));
    for (const int j : eta_) system_.states.push_back(system_.coordinates[j]);
    for (const int j : nu_) system_.states.push_back(known_.v_names[j]);
    for (int i = 0; i < rho_; ++i) system_.states.push_back(known_.r_names[i]);
    system_.inputs = known_.input_names;
    system_.outputs = known_.output_names;
    for (std::size_t k = system_.inputs.size(); k < static_cast<std::size_t>(n_.u); ++k)
      system_.inputs.push_back("u" + std::to_string(k + 1));
    for (std::size_t k = system_.outputs.size(); k < static_cast<std::size_t>(n_.y); ++k)
      system_.outputs.push_back("y" + std::to_string(k + 1));
  }

  const Equations& equations_;
  const Context& context_;
  const State& x_;
  const Sizes& n_;
  const Structure& known_;
  const JacobianLayout at_;
  std::unique_ptr<Workspace> ws_;
  Tangent tangent_;
  std::vector<Variation> changes_;  // of the states, then of the inputs
  int rho_, count_ = 0;
  Matrix J_, J_q_, Z_;
  std::vector<int> eta_, nu_;
  Matrix dp_, dr_;
  Matrix solution_;  // da, dlambda, dw from xi and u
  LinearSystem system_;
};

}  // namespace

LinearSystem linearise(const Equations& equations, const Context& context, const State& x,
                       const LineariseOptions& options) {
  return Lineariser(equations, context, x, options.states).run();
}

std::string unrest(const Equations& equations, const Context& context, const State& x,
                   double tolerance, int states) {
  const Structure& known = equations.structure();
  const auto ws = equations.make_workspace();
  equations.position(context, x, want_M | want_G, *ws);
  equations.velocity(context, x, *ws);
  equations.force(context, x, want_b, *ws);
  double largest = tolerance;
  std::string text;
  const auto compare = [&](const char* what, const Vector& values, const Vector& scale,
                           const std::vector<std::string>& names, Eigen::Index count) {
    for (Eigen::Index i = 0; i < count; ++i) {
      const double size = std::abs(values[i]) / (scale.size() == values.size() ? scale[i] : 1.0);
      if (size <= largest) continue;
      largest = size;
      text =
          std::string(what) + quoted(entry_name(names, i, "v")) + " is " + four_digits(values[i]);
    }
  };
  compare("the velocity of ", x.v, known.v_scale, known.v_names, x.v.size());
  compare("the acceleration of ", x.a, known.v_scale, known.v_names, x.a.size());
  compare("the rate of ", ws->b, {}, known.r_names, states < 0 ? ws->b.size() : states);
  return text;
}

}  // namespace mbs
