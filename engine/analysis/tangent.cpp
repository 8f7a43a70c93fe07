// With the Jacobian J of the residuals (equations.hpp) at fixed a, a change of p, v, r, u has the
// effects e = J (dp, dv, dr, 0, 0, 0, du) on the rows, and da, dlambda, dw, ds solve
//
//   ( -M   D_lambda     D_w  D_s ) (   da    )     ( e_D )     D: dynamics
//   (  G   A_lambda-D   A_w  A_s ) ( dlambda ) = - ( e_A )     A: accelerations
//   (  0   W_lambda     W_w  W_s ) (   dw    )     ( e_W )     W: auxiliary unknowns
//   (  0      0          0   C_s ) (   ds    )     ( e_C )     C: contact variables
//
// Outputs follow by their own derivatives where the equations know them (output_derivatives.hpp).
// Others are differenced along the whole change with fourth order, which is accurate to about 1e-10
// and needs no system to be solved.

#include "engine/analysis/tangent.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "engine/equations/initial_rows.hpp"

namespace mbs {
namespace {

// Numbers between 0 and 1 that have nothing to do with each other.
double part(int k) {
  const double x = 0.6180339887498949 * (k + 1);
  return x - std::floor(x);
}

}  // namespace

Tangent::Tangent(const Equations& equations)
    : equations_(equations),
      exact_(dynamic_cast<const OutputDerivatives*>(&equations)),
      n_(equations.sizes()),
      at_(n_),
      size_(n_.v + n_.lambda + n_.w + n_.s),
      ws_(equations.make_workspace()),
      shown_(equations.make_workspace()),
      lu_(make_sparse_lu()),
      K_(size_, size_),
      x_(n_),
      moved_(n_),
      inputs_(n_.u),
      all_(Vector::Zero(at_.cols)),
      effect_(Vector::Zero(at_.rows)),
      right_(Vector::Zero(size_)) {}

void Tangent::assemble() {
  const std::array<std::array<int, 2>, 4> rows{
      {{at_.dynamics, n_.v}, {at_.acceleration, n_.lambda}, {at_.w, n_.w}, {at_.s, n_.s}}};
  const std::array<std::array<int, 2>, 3> columns{
      {{at_.col_lambda, n_.lambda}, {at_.col_w, n_.w}, {at_.col_s, n_.s}}};
  // Where a row of the Jacobian stands here; -1: nowhere.
  const auto place = [&](int row) {
    int begin = 0;
    for (const auto& [first, count] : rows) {
      if (row >= first && row < first + count) return begin + row - first;
      begin += count;
    }
    return -1;
  };
  entries_.clear();
  const auto put = [this](int i, int j, double x) { entries_.emplace_back(i, j, x); };
  if (equations_.structure().M_assembled) {
    for (int j = 0; j < n_.v; ++j)
      for (ColumnSparse::InnerIterator e(ws_->M, j); e; ++e)
        put(static_cast<int>(e.row()), j, -e.value());
  } else {
    Vector unit = Vector::Zero(n_.v), column(n_.v);
    for (int j = 0; j < n_.v; ++j) {
      unit[j] = 1.0;
      equations_.apply_M({inputs_, parameters_}, x_, unit, column, *ws_);
      unit[j] = 0.0;
      for (int i = 0; i < n_.v; ++i)
        if (column[i] != 0.0) put(i, j, -column[i]);
    }
  }
  for (int i = 0; i < n_.lambda; ++i) {
    for (RowSparse::InnerIterator e(ws_->G, i); e; ++e)
      put(n_.v + i, static_cast<int>(e.col()), e.value());
    put(n_.v + i, n_.v + i, -ws_->D[i]);
  }
  int column = n_.v;
  for (const auto& [first, count] : columns)
    for (int j = first; j < first + count; ++j, ++column)
      for (ColumnSparse::InnerIterator e(ws_->jacobian, j); e; ++e)
        if (const int row = place(static_cast<int>(e.row())); row >= 0) put(row, column, e.value());
  fill();
}

// What has been put is always at the same places, but for zeros of an M that is not assembled.
void Tangent::fill() {
  const auto same_place = [](const Eigen::Triplet<double>& a, const std::array<int, 2>& b) {
    return a.row() == b[0] && a.col() == b[1];
  };
  const bool known =
      std::equal(entries_.begin(), entries_.end(), where_.begin(), where_.end(), same_place);
  if (known) {
    K_.coeffs().setZero();
    for (std::size_t k = 0; k < entries_.size(); ++k)
      K_.valuePtr()[places_[k]] += entries_[k].value();
    lu_->forget();  // pivots are chosen anew: nothing depends on the points before
    return;
  }
  K_.setFromTriplets(entries_.begin(), entries_.end());
  K_.makeCompressed();
  lu_->analyse(K_);
  where_.clear();
  places_.clear();
  for (const auto& entry : entries_) {
    where_.push_back({entry.row(), entry.col()});
    const int* begin = K_.innerIndexPtr() + K_.outerIndexPtr()[entry.col()];
    const int* end = K_.innerIndexPtr() + K_.outerIndexPtr()[entry.col() + 1];
    places_.push_back(std::lower_bound(begin, end, entry.row()) - K_.innerIndexPtr());
  }
}

void Tangent::evaluate(const Given& given, const State& x, int generic) {
  x_ = x;
  outputs_prepared_ = false;
  generic_ = generic;
  inputs_ = given.inputs;
  parameters_ = given.parameters;
  equations_.jacobian(given, x, *ws_);
  for (int j = 0; j < ws_->jacobian.cols(); ++j)
    for (ColumnSparse::InnerIterator e(ws_->jacobian, j); e; ++e)
      if (!std::isfinite(e.value()))
        throw std::runtime_error("a derivative is not a finite number at t = " + four_digits(x.t) +
                                 ": the model is not smooth there");
  if (generic != 0)
    for (int k = 0; k < ws_->jacobian.nonZeros(); ++k)
      if (double& value = ws_->jacobian.valuePtr()[k]; value == 0.0)
        value = 0.1 + 0.9 * part(k + 1000 * generic);
  equations_.position(given, x, want_M | want_G, *ws_);
  if (size_ == 0) return;
  assemble();
  if (!lu_->factor(K_))
    throw std::runtime_error(
        "the accelerations and reactions are not determined there: something moves without "
        "inertia, constraints depend on each other, or an auxiliary unknown is in no equation");
}

void Tangent::follow(Variation& change) {
  all_.setZero();
  all_.segment(at_.col_p, n_.p) = change.p;
  all_.segment(at_.col_v, n_.v) = change.v;
  all_.segment(at_.col_r, n_.r) = change.r;
  all_.segment(at_.col_u, n_.u) = change.u;
  effect_.noalias() = ws_->jacobian * all_;
  if (size_ == 0) return;
  right_ << effect_.segment(at_.dynamics, n_.v), effect_.segment(at_.acceleration, n_.lambda),
      effect_.segment(at_.w, n_.w), effect_.segment(at_.s, n_.s);
  right_ = -right_;
  lu_->solve(right_);
  change.a = right_.head(n_.v);
  change.lambda = right_.segment(n_.v, n_.lambda);
  change.w = right_.segment(n_.v + n_.lambda, n_.w);
  change.s = right_.tail(n_.s);
  if (n_.r == 0) return;  // the rates of p do not follow them
  all_.segment(at_.col_lambda, n_.lambda) = change.lambda;
  all_.segment(at_.col_w, n_.w) = change.w;
  all_.segment(at_.col_s, n_.s) = change.s;
  effect_.noalias() = ws_->jacobian * all_;
}

void Tangent::rates(const Variation& change, Vector& dx) const {
  dx.resize(n_.p + n_.v + n_.r);
  dx << effect_.segment(at_.kinematics, n_.p), change.a, effect_.segment(at_.r, n_.r);
}

void Tangent::outputs(const Given& given, const Variation& change, Vector& dy) {
  if (exact_ == nullptr) {
    difference_outputs(given, change, dy);
    return;
  }
  if (!outputs_prepared_) exact_->prepare_outputs(given, x_, *shown_, generic_);
  outputs_prepared_ = true;
  exact_->output_change(change, dy, *shown_);
}

void Tangent::difference_outputs(const Given& given, const Variation& change, Vector& dy) {
  const Structure& known = equations_.structure();
  dy = Vector::Zero(n_.y);
  double largest = 0.0;
  const auto compare = [&](const Vector& d, const Vector& scale) {
    for (Eigen::Index i = 0; i < d.size(); ++i)
      largest = std::max(largest, std::abs(d[i]) / (scale.size() == d.size() ? scale[i] : 1.0));
  };
  compare(change.p, known.p_scale);
  compare(change.v, known.v_scale);
  compare(change.r, x_.r.cwiseAbs().array() + 1.0);
  compare(change.u, given.inputs.value.cwiseAbs().array() + 1.0);
  if (largest == 0.0 || n_.y == 0) return;
  const double h = 1e-3 / largest;
  shown_->y.setZero();
  for (const auto& [steps, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
    const double by = steps * h;
    moved_ = x_;
    inputs_ = given.inputs;
    moved_.p += by * change.p;
    moved_.v += by * change.v;
    moved_.r += by * change.r;
    moved_.a += by * change.a;
    moved_.lambda += by * change.lambda;
    moved_.w += by * change.w;
    moved_.s += by * change.s;
    inputs_.value += by * change.u;
    equations_.outputs({inputs_, given.parameters}, moved_, *shown_);
    dy += weight / (12.0 * h) * shown_->y;
  }
  inputs_ = given.inputs;
}

}  // namespace mbs
