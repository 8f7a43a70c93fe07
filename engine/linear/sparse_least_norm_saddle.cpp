#include "engine/linear/sparse_least_norm_saddle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "engine/linear/dependencies.hpp"

namespace mbs {

namespace {

// delta, by the entries of compliance(): below the least, and so that it is not lost against
// others.
constexpr double of_least = 1e-8, of_most = 1e-10;
constexpr double enough = 1e-6;  // of the change of z, by y: each pass gains as much
constexpr int most_filters = 10, passes = 2;
constexpr double poor = 30.0;  // multipliers of a force, by those it was made of
constexpr std::size_t most_choices = 2;

}  // namespace

std::string SparseLeastNormSaddle::title() const {
  std::string text = "least_norm, sparse by " + lu_->name();
  if (!choices_.empty()) text += ", redundant rows: " + std::to_string(redundant().size());
  return text;
}

void SparseLeastNormSaddle::do_analyse(const SaddleStructure& structure) {
  if (structure.F.nonZeros() > 0) {
    throw std::invalid_argument("sparse multipliers of least norm take no F = df/dlambda");
  }
  whole_.analyse(structure);
  lu_->analyse(whole_.matrix());
  filter_->analyse(whole_.matrix());
  G_ = G_I_ = structure.G;
  for (RowSparse* G : {&G_, &G_I_}) G->makeCompressed();
  const auto v = structure.M.cols(), lambda = structure.G.rows();
  for (Vector* x : {&D_, &delta_, &z_}) x->setZero(lambda);
  x_.setZero(v);
  y_.setZero(lambda);
  probe_.setZero(lambda);
  std::minstd_rand numbers;  // the same ones each time
  for (double& u : probe_) u = 2.0 * static_cast<double>(numbers()) / numbers.max() - 1.0;
  solution_.setZero(v + lambda);
  choices_.clear();
}

void SparseLeastNormSaddle::choose(const ColumnSparse& M, const Vector& D) {
  const auto known = std::ranges::find_if(choices_, [&](const Choice& one) { return one.D == D; });
  if (known != choices_.end()) {
    std::rotate(choices_.begin(), known, known + 1);
    return;
  }
  if (choices_.size() == most_choices) choices_.pop_back();
  choices_.insert(choices_.begin(), {D, redundant_rows(M, G_, D)});
}

bool SparseLeastNormSaddle::do_factor(const SaddleMatrix& matrix) {
  if (matrix.F != nullptr || matrix.G.nonZeros() != G_.nonZeros() || matrix.D.size() != D_.size()) {
    throw std::logic_error("a saddle matrix differs from the structure given to its solver");
  }
  G_.coeffs() = matrix.G.coeffs();
  if (!G_.coeffs().allFinite()) return false;
  choose(matrix.M, matrix.D);
  const bool regular = factor_chosen(matrix);
  if (redundant().empty() || (regular && good_choice())) return regular;
  // Other rows of the same rank may do.
  std::vector<int> others = redundant_rows(matrix.M, G_, matrix.D, off_constraints_tolerance);
  if (others.size() != redundant().size() || std::ranges::equal(others, redundant()))
    return regular;
  choices_[0].redundant = std::move(others);
  return factor_chosen(matrix);
}

// Whether the rows chosen can bear a force of all rows without forces much larger.
bool SparseLeastNormSaddle::good_choice() {
  const auto v = x_.size(), lambda = y_.size();
  solution_.head(v).noalias() = G_.transpose() * probe_;
  solution_.tail(lambda).setZero();
  solve(*lu_);
  return y_.norm() <= poor * probe_.norm();
}

bool SparseLeastNormSaddle::factor_chosen(const SaddleMatrix& matrix) {
  G_I_.coeffs() = G_.coeffs();
  D_ = matrix.D;
  for (const int i : redundant()) {
    for (RowSparse::InnerIterator g(G_I_, i); g; ++g) g.valueRef() = 0.0;
    D_[i] = 1.0;
  }
  whole_.fill({matrix.M, G_I_, D_});
  const long before = lu_->full_factorisations();
  bool regular = lu_->factor(whole_.matrix());
  statistics_.analyses += lu_->full_factorisations() - before;
  if (!regular || redundant().empty()) return regular;
  compliance(matrix.M, G_, matrix.D, delta_);
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (const double s : delta_) {
    if (s > 0.0) least = std::min(least, s);
    most = std::max(most, s);
  }
  const double delta = most > 0.0 ? std::max(of_least * least, of_most * most) : of_least;
  for (Eigen::Index i = 0; i < D_.size(); ++i) delta_[i] = matrix.D[i] == 0.0 ? delta : 0.0;
  D_ = matrix.D + delta_;
  whole_.fill({matrix.M, G_, D_});
  return filter_->factor(whole_.matrix());
}

void SparseLeastNormSaddle::solve(SparseLu& lu) {
  lu.solve(solution_);
  x_ = solution_.head(x_.size());
  y_ = solution_.tail(y_.size());
}

void SparseLeastNormSaddle::do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  const auto v = x.size(), lambda = y.size();
  if (choices_.empty()) throw std::logic_error("nothing has been factored");
  for (const int i : redundant()) y[i] = 0.0;
  solution_ << x, y;
  solve(*lu_);
  x = x_;
  y = y_;
  if (redundant().empty()) return;
  for (int pass = 0; pass < passes; ++pass) {
    z_ = y;
    for (int k = 0; k < most_filters; ++k) {
      solution_.head(v).setZero();
      solution_.tail(lambda) = -delta_.cwiseProduct(z_);
      solve(*filter_);
      const double change = (y_ - z_).norm();
      z_ = y_;
      if (k > 0 && !(change > enough * y.norm())) break;
    }
    solution_.head(v).noalias() = G_.transpose() * z_;
    solution_.tail(lambda).setZero();
    solve(*lu_);
    y += y_ - z_;
  }
}

void SparseLeastNormSaddle::do_save(ByteWriter& out) const {
  out.put<std::int32_t>(static_cast<std::int32_t>(choices_.size()));
  for (const Choice& one : choices_) {
    out.put(one.D);
    out.put<std::int32_t>(static_cast<std::int32_t>(one.redundant.size()));
    out.put(one.redundant);
  }
  out.put(delta_);
  out.raw(G_.valuePtr(), sizeof(double) * static_cast<std::size_t>(G_.nonZeros()));
  lu_->save(out);
  filter_->save(out);
}

void SparseLeastNormSaddle::do_restore(ByteReader& in) {
  const auto expect = [](bool right) {
    if (!right) throw std::runtime_error("the stored state belongs to another model");
  };
  std::int32_t count = 0;
  in.get(count);
  expect(count >= 0 && count <= static_cast<std::int32_t>(most_choices));
  std::vector<Choice> choices(static_cast<std::size_t>(count));
  for (Choice& one : choices) {
    std::int32_t rows = 0;
    one.D.setZero(D_.size());
    in.get(one.D);
    in.get(rows);
    expect(rows >= 0 && rows <= D_.size());
    one.redundant.resize(static_cast<std::size_t>(rows));
    in.get(one.redundant);
    for (const int i : one.redundant) expect(i >= 0 && i < D_.size());
  }
  choices_ = std::move(choices);
  in.get(delta_);
  in.raw(G_.valuePtr(), sizeof(double) * static_cast<std::size_t>(G_.nonZeros()));
  lu_->restore(in);
  filter_->restore(in);
}

}  // namespace mbs
