// With the Jacobian J of the residuals (equations.hpp) at fixed a, a change of p, v, r, u has the
// effects e = J (dp, dv, dr, 0, 0, 0, du) on the rows, and da, dlambda, dw, ds solve
//
//   ( -M   D_lambda     D_w  D_s ) (   da    )     ( e_D )     D: dynamics
//   (  G   A_lambda-D   A_w  A_s ) ( dlambda ) = - ( e_A )     A: accelerations
//   (  0   W_lambda     W_w  W_s ) (   dw    )     ( e_W )     W: auxiliary unknowns
//   (  0      0          0   C_s ) (   ds    )     ( e_C )     C: contact variables
//
// The rows of accelerations of coordinates that follow an input through lags T have q and q' in
// them as well (input_filter_states.hpp): A = A + g/T^2 + 2 V/T by p and v, with the rows V of G v.
//
// Outputs follow by their own derivatives where the equations know them (output_derivatives.hpp).
// Others are differenced along the whole change with fourth order, which is accurate to about 1e-10
// and needs no system to be solved.

#include "engine/analysis/tangent.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "engine/equations/initial_rows.hpp"

namespace mbs {

namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

// A range of rows or columns of the Jacobian, and its place.
struct Block {
  int first, count, to;
};

int place_in(std::span<const Block> blocks, int index) {
  for (const Block& block : blocks)
    if (index >= block.first && index < block.first + block.count)
      return block.to + index - block.first;
  return -1;
}

// The pattern of the entries, and the place of each one; -1 for those with a negative index.
void build(const Triplets& entries, int height, int width, ColumnSparse& matrix,
           std::vector<int>& places) {
  matrix.resize(height, width);
  Triplets present;
  for (const auto& e : entries)
    if (e.row() >= 0 && e.col() >= 0) present.push_back(e);
  matrix.setFromTriplets(present.begin(), present.end());
  matrix.makeCompressed();
  places.clear();
  for (const auto& e : entries) {
    places.push_back(-1);
    if (e.row() < 0 || e.col() < 0) continue;
    const int* begin = matrix.innerIndexPtr() + matrix.outerIndexPtr()[e.col()];
    const int* end = matrix.innerIndexPtr() + matrix.outerIndexPtr()[e.col() + 1];
    places.back() =
        static_cast<int>(std::lower_bound(begin, end, e.row()) - matrix.innerIndexPtr());
  }
}

}  // namespace

Tangent::Tangent(const Equations& equations)
    : equations_(equations),
      exact_(equations.capabilities().output_derivatives),
      n_(equations.sizes()),
      at_(n_),
      rates_(n_.r + n_.p),
      size_(n_.v + n_.lambda + n_.w + n_.s),
      ws_(equations.make_workspace()),
      x_(n_),
      moved_(n_),
      inputs_(n_.u),
      effects_(Matrix::Zero(rates_ + size_, columns_at_once)),
      right_(Matrix::Zero(size_, 1)),
      rights_(Matrix::Zero(size_, columns_at_once)),
      unit_(Vector::Zero(n_.v)),
      unit_effect_(Vector::Zero(n_.v)) {
  if (const InputFilterStates* filters = equations.capabilities().input_filter_states)
    following_ = filters->following();
  ws_->jacobian_without_g = following_.empty();
}

// Once, from the first Jacobian: all have its pattern.
void Tangent::set_patterns() {
  const int columns_of_states = n_.p + n_.v + n_.r + n_.u;
  const Block rows[] = {{at_.r, n_.r, 0},
                        {at_.kinematics, n_.p, n_.r},
                        {at_.dynamics, n_.v, rates_},
                        {at_.acceleration, n_.lambda, rates_ + n_.v},
                        {at_.w, n_.w, rates_ + n_.v + n_.lambda},
                        {at_.s, n_.s, rates_ + n_.v + n_.lambda + n_.w}};
  const Block columns[] = {{at_.col_p, n_.p, 0},
                           {at_.col_v, n_.v, n_.p},
                           {at_.col_r, n_.r, n_.p + n_.v},
                           {at_.col_u, n_.u, n_.p + n_.v + n_.r},
                           {at_.col_lambda, n_.lambda, columns_of_states},
                           {at_.col_w, n_.w, columns_of_states + n_.lambda},
                           {at_.col_s, n_.s, columns_of_states + n_.lambda + n_.w}};
  Triplets entries;
  for (int j = 0; j < ws_->jacobian.cols(); ++j)
    for (ColumnSparse::InnerIterator e(ws_->jacobian, j); e; ++e)
      entries.emplace_back(place_in(rows, static_cast<int>(e.row())), place_in(columns, j), 0.0);
  following_entries_.clear();
  const std::size_t of_rows = entries.size();
  for (int j = 0; j < at_.col_r; ++j)
    for (ColumnSparse::InnerIterator e(ws_->jacobian, j); e && !following_.empty(); ++e)
      for (std::size_t k = 0; k < following_.size(); ++k) {
        const int row = following_[k].row;
        const bool velocity = e.row() == at_.velocity + row;
        if (!velocity && e.row() != at_.position + row) continue;
        following_entries_.push_back(
            {k, velocity, static_cast<int>(&e.value() - ws_->jacobian.valuePtr()), -1});
        entries.emplace_back(place_in(rows, at_.acceleration + row), place_in(columns, j), 0.0);
      }
  build(entries, rates_ + size_, columns_of_states + n_.lambda + n_.w + n_.s, J_, to_J_);
  for (std::size_t k = 0; k < following_entries_.size(); ++k)
    following_entries_[k].to = to_J_[of_rows + k];
  to_J_.resize(of_rows);
  set_K_pattern();
}

void Tangent::set_K_pattern() {
  const int states = n_.p + n_.v + n_.r + n_.u;
  Triplets entries;
  if (equations_.structure().M_assembled) {
    for (int j = 0; j < n_.v; ++j)
      for (ColumnSparse::InnerIterator e(ws_->M, j); e; ++e) entries.emplace_back(e.row(), j, 0.0);
  } else {
    for (int j = 0; j < n_.v; ++j)
      for (int i = 0; i < n_.v; ++i) entries.emplace_back(i, j, 0.0);
  }
  const std::size_t of_M = entries.size();
  for (int i = 0; i < n_.lambda; ++i)
    for (RowSparse::InnerIterator e(ws_->G, i); e; ++e)
      entries.emplace_back(n_.v + i, e.col(), 0.0);
  const std::size_t of_G = entries.size();
  for (int i = 0; i < n_.lambda; ++i) entries.emplace_back(n_.v + i, n_.v + i, 0.0);
  const std::size_t of_D = entries.size();
  for (int j = states; j < J_.cols(); ++j)
    for (ColumnSparse::InnerIterator e(J_, j); e; ++e)
      entries.emplace_back(e.row() - rates_, n_.v + j - states, 0.0);
  std::vector<int> places;
  build(entries, size_, size_, K_, places);
  const auto part = [&](std::size_t begin, std::size_t end) {
    return std::vector<int>(places.begin() + static_cast<std::ptrdiff_t>(begin),
                            places.begin() + static_cast<std::ptrdiff_t>(end));
  };
  M_places_ = part(0, of_M);
  G_places_ = part(of_M, of_G);
  D_places_ = part(of_G, of_D);
  J_to_K_ = part(of_D, places.size());
  if (size_ == 0) return;
  tree_ = make_tree();
  lu_ = make_lu_for(K_);
  lu_->analyse(K_);
}

// Without auxiliary unknowns, and with D_lambda = -G^T, K is that of the accelerations but for the
// sign of its first rows. Loops are better left to LU, which takes some columns at once.
std::unique_ptr<TreeSaddle> Tangent::make_tree() const {
  const Structure& known = equations_.structure();
  if (n_.w + n_.s > 0 || known.f_depends_on_lambda || !known.M_assembled || better_dense(K_))
    return nullptr;
  if (saddle_keyword_for(known.saddle) != "tree") return nullptr;
  auto tree = std::make_unique<TreeSaddle>(TreeSaddle::Nodes::bodies, true);
  tree->analyse(known.saddle);
  return tree->tree().cut.empty() ? std::move(tree) : nullptr;
}

// Adds g/T^2 and 2 V/T (file head) to the rows of coordinates that follow an input.
void Tangent::add_following() {
  for (const FollowingEntry& entry : following_entries_) {
    const double T = parameters_.derived[following_[entry.of].lag];
    if (T > 0.0)
      J_.valuePtr()[entry.to] +=
          (entry.velocity ? 2.0 / T : 1.0 / (T * T)) * ws_->jacobian.valuePtr()[entry.from];
  }
}

void Tangent::assemble() {
  double* K = K_.valuePtr();
  std::fill_n(K, K_.nonZeros(), 0.0);
  if (equations_.structure().M_assembled) {
    const double* M = ws_->M.valuePtr();
    for (const int place : M_places_) K[place] -= *M++;
  } else {
    const int* place = M_places_.data();
    for (int j = 0; j < n_.v; ++j) {
      unit_[j] = 1.0;
      equations_.apply_M({inputs_, parameters_}, x_, unit_, unit_effect_, *ws_);
      unit_[j] = 0.0;
      for (int i = 0; i < n_.v; ++i) K[*place++] -= unit_effect_[i];
    }
  }
  const double* G = ws_->G.valuePtr();
  for (const int place : G_places_) K[place] += *G++;
  for (int i = 0; i < n_.lambda; ++i) K[D_places_[static_cast<std::size_t>(i)]] -= ws_->D[i];
  const double* J = J_.valuePtr() + J_.outerIndexPtr()[n_.p + n_.v + n_.r + n_.u];
  for (const int place : J_to_K_) {
    if (place >= 0) K[place] += *J;
    ++J;
  }
}

void Tangent::evaluate(const Context& context, const State& x) {
  x_ = x;
  outputs_prepared_ = false;
  inputs_ = context.inputs;
  parameters_ = context.parameters;
  set_filters_to_motion(equations_, context, x_, *ws_);
  equations_.jacobian(context, x_, *ws_);
  for (int j = 0; j < ws_->jacobian.cols(); ++j)
    for (ColumnSparse::InnerIterator e(ws_->jacobian, j); e; ++e)
      if (!std::isfinite(e.value()))
        throw std::runtime_error("a derivative is not a finite number at t = " + four_digits(x.t) +
                                 ": the model is not smooth there");
  equations_.position(context, x_, want_M | want_G, *ws_);
  if (to_J_.empty()) set_patterns();
  if (!following_entries_.empty()) J_.coeffs().setZero();
  for (std::size_t k = 0; k < to_J_.size(); ++k)
    if (to_J_[k] >= 0) J_.valuePtr()[to_J_[k]] = ws_->jacobian.valuePtr()[k];
  add_following();
  if (size_ == 0) return;
  if (!factor())
    throw std::runtime_error(
        "the accelerations and reactions are not determined there: something moves without "
        "inertia, constraints depend on each other, or an auxiliary unknown is in no equation");
}

// Scales and pivots are chosen anew: nothing depends on the points before.
bool Tangent::factor() {
  if (tree_) tree_->forget();
  by_tree_ = tree_ && tree_->factor(ws_->saddle());
  if (by_tree_) return true;
  assemble();
  lu_->forget();
  return lu_->factor(K_);
}

void Tangent::add_column(int column, double factor, Eigen::Ref<Vector> effect) const {
  const int* begin = J_.outerIndexPtr() + column;
  const int* row = J_.innerIndexPtr();
  const double* value = J_.valuePtr();
  for (int k = begin[0]; k < begin[1]; ++k) effect[row[k]] += factor * value[k];
}

// The effects e on all rows (file head).
void Tangent::set_effect(const Variation& change, Eigen::Ref<Vector> effect) const {
  effect.setZero();
  int column = 0;
  for (const Vector* part : {&change.p, &change.v, &change.r, &change.u})
    for (const double factor : *part) {
      if (factor != 0.0) add_column(column, factor, effect);
      ++column;
    }
}

bool Tangent::acts(int unknown) const {
  const int* row = J_.innerIndexPtr();
  const double* value = J_.valuePtr();
  for (int k = J_.outerIndexPtr()[unknown + 1]; k-- > J_.outerIndexPtr()[unknown];) {
    if (row[k] < rates_) break;
    if (value[k] != 0.0) return true;
  }
  return false;
}

void Tangent::complete(Variation& change) {
  set_effect(change, effects_.col(0));
  solve({&change, 1});
}

void Tangent::complete(Variation& change, const Vector& residual) {
  auto effect = effects_.col(0);
  set_effect(change, effect);
  Eigen::Index to = 0;
  for (const auto& [first, count] : {std::pair{at_.r, n_.r},
                                     {at_.kinematics, n_.p},
                                     {at_.dynamics, n_.v},
                                     {at_.acceleration, n_.lambda},
                                     {at_.w, n_.w},
                                     {at_.s, n_.s}}) {
    effect.segment(to, count) += residual.segment(first, count);
    to += count;
  }
  solve({&change, 1});
}

void Tangent::complete(std::span<const int> unknowns, std::span<Variation> changes) {
  bool any = false;
  for (std::size_t c = 0; c < changes.size(); ++c) {
    Variation& change = changes[c];
    int k = unknowns[c];
    for (Vector* part : {&change.p, &change.v, &change.r, &change.u}) {
      part->setZero();
      if (k >= 0 && k < part->size()) (*part)[k] = 1.0;
      k -= static_cast<int>(part->size());
    }
    auto effect = effects_.col(static_cast<Eigen::Index>(c));
    effect.setZero();
    add_column(unknowns[c], 1.0, effect);
    any = any || acts(unknowns[c]);
  }
  if (any) return solve(changes);
  for (Variation& change : changes)
    for (Vector* part : {&change.a, &change.lambda, &change.w, &change.s}) part->setZero();
}

// Solves for a, lambda, w, s of the changes whose effects are set.
void Tangent::solve(std::span<Variation> changes) {
  if (size_ == 0) return;
  const auto count = static_cast<Eigen::Index>(changes.size());
  if (by_tree_) {
    for (Eigen::Index c = 0; c < count; ++c) {
      Variation& change = changes[static_cast<std::size_t>(c)];
      change.a = effects_.col(c).segment(rates_, n_.v);
      change.lambda = -effects_.col(c).tail(n_.lambda);
      tree_->solve(change.a, change.lambda);
    }
  } else {
    Matrix& right = count == 1 ? right_ : rights_;
    right.leftCols(count) = -effects_.bottomLeftCorner(size_, count);
    right.rightCols(right.cols() - count).setZero();
    lu_->solve_columns(right);
    for (Eigen::Index c = 0; c < count; ++c) {
      Variation& change = changes[static_cast<std::size_t>(c)];
      const auto x = right.col(c);
      change.a = x.head(n_.v);
      change.lambda = x.segment(n_.v, n_.lambda);
      change.w = x.segment(n_.v + n_.lambda, n_.w);
      change.s = x.tail(n_.s);
    }
  }
  if (n_.r == 0) return;
  // b follows them; the rates of p do not.
  const int* begin = J_.outerIndexPtr();
  const int* row = J_.innerIndexPtr();
  for (Eigen::Index c = 0; c < count; ++c) {
    const Variation& change = changes[static_cast<std::size_t>(c)];
    int column = n_.p + n_.v + n_.r + n_.u;
    for (const Vector* part : {&change.lambda, &change.w, &change.s})
      for (const double x : *part) {
        for (int k = begin[column]; x != 0.0 && k < begin[column + 1] && row[k] < n_.r; ++k)
          effects_(row[k], c) += x * J_.valuePtr()[k];
        ++column;
      }
  }
}

void Tangent::rates(const Variation& change, Eigen::Ref<Vector> dx, int which) const {
  const auto effect = effects_.col(which);
  dx.head(n_.p) = effect.segment(n_.r, n_.p);
  dx.segment(n_.p, n_.v) = change.a;
  dx.tail(n_.r) = effect.head(n_.r);
}

void Tangent::outputs(const Context& context, const Variation& change, Eigen::Ref<Vector> dy) {
  if (exact_ == nullptr) {
    difference_outputs(context, change, dy);
    return;
  }
  if (!outputs_prepared_) exact_->prepare_outputs(context, x_, *ws_);
  outputs_prepared_ = true;
  exact_->output_change(change, dy, *ws_);
}

void Tangent::difference_outputs(const Context& context, const Variation& change,
                                 Eigen::Ref<Vector> dy) {
  const Structure& known = equations_.structure();
  dy.setZero();
  double largest = 0.0;
  const auto compare = [&](const Vector& d, const Vector& scale) {
    for (Eigen::Index i = 0; i < d.size(); ++i)
      largest = std::max(largest, std::abs(d[i]) / (scale.size() == d.size() ? scale[i] : 1.0));
  };
  compare(change.p, known.p_scale);
  compare(change.v, known.v_scale);
  compare(change.r, x_.r.cwiseAbs().array() + 1.0);
  compare(change.u, context.inputs.value.cwiseAbs().array() + 1.0);
  if (largest == 0.0 || n_.y == 0) return;
  const double h = 1e-3 / largest;
  ws_->y.setZero();
  for (const auto& [steps, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
    const double by = steps * h;
    moved_ = x_;
    inputs_ = context.inputs;
    change.move(moved_, by);
    inputs_.value += by * change.u;
    equations_.outputs({inputs_, context.parameters}, moved_, *ws_);
    dy += weight / (12.0 * h) * ws_->y;
  }
  inputs_ = context.inputs;
}

}  // namespace mbs
