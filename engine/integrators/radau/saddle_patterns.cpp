// The places of the entries of E(sigma), found once from the patterns of the model.

#include "engine/base/sparse_index.hpp"
#include "engine/integrators/radau/saddle_system.hpp"

namespace mbs::radau {

// The rows and columns of E that the rows and columns of J become.
void SaddleSystem::number_rows_and_columns() {
  row_of_.assign(static_cast<std::size_t>(at_.rows), -1);
  col_of_.assign(static_cast<std::size_t>(at_.cols), -1);
  const auto number = [](std::vector<int>& list, int from, int count, int to) {
    for (int i = 0; i < count; ++i) list[static_cast<std::size_t>(from + i)] = to + i;
  };
  const int r = n_.v + n_.lambda, w = r + n_.r, s = w + n_.w;
  number(row_of_, at_.dynamics, n_.v, 0);
  number(row_of_, at_.velocity, n_.lambda, n_.v);
  number(row_of_, at_.r, n_.r, r);
  number(row_of_, at_.w, n_.w, w);
  number(row_of_, at_.s, n_.s, s);
  number(col_of_, at_.col_v, n_.v, 0);
  number(col_of_, at_.col_lambda, n_.lambda, n_.v);
  number(col_of_, at_.col_r, n_.r, r);
  number(col_of_, at_.col_w, n_.w, w);
  number(col_of_, at_.col_s, n_.s, s);
}

// The terms of E's entries: entries of J, and for columns of p their products with those of (Z v)_v
// and (Z v)_p.
std::vector<SaddleSystem::Term> SaddleSystem::find_terms() const {
  struct Entry {
    int column, index;  // in J
  };
  std::vector<std::vector<Entry>> by_row_of_kinematics(static_cast<std::size_t>(n_.p));
  std::vector<Term> terms;
  for (int j = 0; j < at_.col_u; ++j) {
    for (int k = J_.outerIndexPtr()[j]; k < J_.outerIndexPtr()[j + 1]; ++k) {
      const int i = J_.innerIndexPtr()[k];
      if (i < n_.p) by_row_of_kinematics[static_cast<std::size_t>(i)].push_back({j, k});
    }
  }
  for (int j = 0; j < at_.col_u; ++j) {
    for (int k = J_.outerIndexPtr()[j]; k < J_.outerIndexPtr()[j + 1]; ++k) {
      const int row = row_of_[static_cast<std::size_t>(J_.innerIndexPtr()[k])];
      if (row < 0) continue;
      if (j >= n_.p) {
        terms.push_back({row, col_of_[static_cast<std::size_t>(j)], 0, k, -1, -1});
        continue;
      }
      for (const Entry& first : by_row_of_kinematics[static_cast<std::size_t>(j)]) {
        if (first.column >= at_.col_v && first.column < at_.col_v + n_.v) {
          terms.push_back({row, first.column - at_.col_v, 1, k, first.index, -1});
        } else if (first.column < n_.p) {
          for (const Entry& second : by_row_of_kinematics[static_cast<std::size_t>(first.column)]) {
            if (second.column >= at_.col_v && second.column < at_.col_v + n_.v) {
              terms.push_back({row, second.column - at_.col_v, 2, k, second.index, first.index});
            }
          }
        }
      }
    }
  }
  return terms;
}

void SaddleSystem::make_patterns() {
  const mbs::Structure& structure = context_.equations.structure();
  const bool known = structure.jacobian.rows() == at_.rows && structure.jacobian.cols() == at_.cols;
  J_ = known ? structure.jacobian : ColumnSparse(Matrix::Ones(at_.rows, at_.cols).sparseView());
  J_.makeCompressed();
  M_ = structure.saddle.M;
  if (M_.size() == 0) M_.resize(n_.v, n_.v);
  M_.makeCompressed();

  number_rows_and_columns();
  const std::vector<Term> terms = find_terms();
  const int r = n_.v + n_.lambda;
  std::vector<Eigen::Triplet<double>> places;
  for (const Term& entry : terms) places.emplace_back(entry.row, entry.col, 1.0);
  for (int j = 0; j < n_.v; ++j) {
    for (ColumnSparse::InnerIterator entry(M_, j); entry; ++entry) {
      places.emplace_back(static_cast<int>(entry.row()), j, 1.0);
    }
  }
  for (int i = 0; i < n_.r; ++i) places.emplace_back(r + i, r + i, 1.0);
  for (int i = 0; i < n_.lambda; ++i) places.emplace_back(n_.v + i, n_.v + i, 1.0);
  E_.resize(size_, size_);
  E_.setFromTriplets(places.begin(), places.end());
  E_.makeCompressed();
  const auto target = [this](int row, int col) { return sparse_index(E_, row, col); };
  for (const Term& entry : terms) {
    auto& list = entry.order == 0 ? constant_ : entry.order == 1 ? first_ : second_;
    list.push_back({target(entry.row, entry.col), entry.a, entry.b, entry.c,
                    algebraic(entry.row) ? 1.0 : -1.0});  // minus, as in sigma - J
  }
  for (int j = 0; j < n_.v; ++j) {
    for (ColumnSparse::InnerIterator entry(M_, j); entry; ++entry) {
      mass_.push_back(target(static_cast<int>(entry.row()), j));
    }
  }
  for (int i = 0; i < n_.r; ++i) mass_.push_back(target(r + i, r + i));
  for (Vector* x : {&of_sigma_, &of_one_, &of_first_, &of_second_}) x->setZero(E_.nonZeros());
  const bool qr = context_.options.differential == Differential::qr;
  if (sparse_) {
    real_ = make_sparse_lu();
    complex_ = make_complex_sparse_lu();
    real_->analyse(E_);
    E_complex_ = E_.cast<Complex>();
    E_complex_.makeCompressed();
    complex_->analyse(E_complex_);
  } else {
    dense_real_.resize(size_, qr);
    dense_complex_.resize(size_, qr);
  }
}

}  // namespace mbs::radau
