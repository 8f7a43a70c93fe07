#include "engine/integrators/bdf/iteration_matrix.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/base/sparse_index.hpp"

namespace mbs::bdf {
namespace {

constexpr int largest_block = 4;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor,
                                  largest_block, largest_block>;

// A representative for each set of coordinates that the kinematic rows couple.
std::vector<int> components(const ColumnSparse& A, int n) {
  std::vector<int> root(static_cast<std::size_t>(n));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[static_cast<std::size_t>(i)] != i) i = root[static_cast<std::size_t>(i)];
    return i;
  };
  for (int j = 0; j < n; ++j) {
    for (ColumnSparse::InnerIterator entry(A, j); entry && entry.row() < n; ++entry) {
      const int a = find(static_cast<int>(entry.row())), b = find(j);
      root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  for (int i = 0; i < n; ++i) root[static_cast<std::size_t>(i)] = find(i);
  return root;
}

}  // namespace

void IterationMatrix::clear() {
  blocks_.clear();
  block_rows_.clear();
  block_columns_.clear();
  D1_from_.clear();
  D2_from_.clear();
  A21_.clear();
  A22_.clear();
  products_.clear();
  left_out_.clear();
  expansion_operations_ = form_operations_ = 0;
}

void IterationMatrix::analyse(const ColumnSparse& A, int kinematic, int eta) {
  clear();
  kinematic_ = kinematic;
  A_.setZero(A.nonZeros());
  if (find_blocks(A) > largest_block) {
    clear();
    kinematic_ = 0;
  }
  if (kinematic_ == 0) {
    reduced_ = A;
    reduced_.makeCompressed();
  } else {
    find_products(A, eta);
    expansion_operations_ = static_cast<long>(A21_.size() + D2_from_.size() + D1_from_.size());
    form_operations_ = static_cast<long>(products_.size());
    for (const Block& block : blocks_) {
      form_operations_ += block.count * block.count * (block.n_columns + block.count);
    }
  }
  lu_->analyse(reduced_);
}

// The blocks of D1 with their rows of D2; the size of the largest.
int IterationMatrix::find_blocks(const ColumnSparse& A) {
  const int m = kinematic_;
  const std::vector<int> root = components(A, m);
  const RowSparse by_row = A;
  std::vector<std::vector<int>> members(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) {
    members[static_cast<std::size_t>(root[static_cast<std::size_t>(i)])].push_back(i);
  }
  block_of_.assign(static_cast<std::size_t>(m), -1);
  int n_inverse = 0, n_T = 0, largest = 0;
  for (const std::vector<int>& rows : members) {
    if (rows.empty()) continue;
    const int k = static_cast<int>(rows.size());
    largest = std::max(largest, k);
    if (largest > largest_block) return largest;
    std::set<int> columns;
    for (const int i : rows) {
      for (RowSparse::InnerIterator entry(by_row, i); entry; ++entry) {
        if (entry.col() >= m) columns.insert(static_cast<int>(entry.col()));
      }
    }
    const Block block{static_cast<int>(block_rows_.size()),
                      k,
                      n_inverse,
                      static_cast<int>(block_columns_.size()),
                      static_cast<int>(columns.size()),
                      n_T};
    for (const int i : rows) {
      block_of_[static_cast<std::size_t>(i)] = static_cast<int>(blocks_.size());
      block_rows_.push_back(i);
      for (const int j : rows) D1_from_.push_back(sparse_index(A, i, j));
      for (const int j : columns) D2_from_.push_back(sparse_index(A, i, j));
    }
    block_columns_.insert(block_columns_.end(), columns.begin(), columns.end());
    n_inverse += k * k;
    n_T += k * block.n_columns;
    blocks_.push_back(block);
  }
  inverse_.setZero(n_inverse);
  T_.setZero(n_T);
  x1_.setZero(m);
  return largest;
}

// The pattern of the reduced matrix and the terms of its entries.
void IterationMatrix::find_products(const ColumnSparse& A, int eta) {
  const int n = static_cast<int>(A.cols()), m = kinematic_;
  std::vector<Eigen::Triplet<double>> places;
  std::vector<LeftOut> terms;
  for (int j = 0; j < n; ++j) {
    for (ColumnSparse::InnerIterator entry(A, j); entry; ++entry) {
      const int i = static_cast<int>(entry.row());
      if (i < m) continue;
      if (j >= m) {
        places.emplace_back(i - m, j - m, 1.0);
        continue;
      }
      const int from = sparse_index(A, i, j);
      A21_.push_back({i, j, from});
      const Block& block =
          blocks_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(j)])];
      int row = 0;
      while (block_rows_[static_cast<std::size_t>(block.first + row)] != j) ++row;
      for (int c = 0; c < block.n_columns; ++c) {
        const int col = block_columns_[static_cast<std::size_t>(block.columns + c)];
        const bool leave_out = col >= eta && i < eta;
        (leave_out ? left_out_ : terms)
            .push_back({from, block.T + row * block.n_columns + c, i - m, col - m});
        if (!leave_out) places.emplace_back(i - m, col - m, 1.0);
      }
    }
  }
  reduced_.resize(n - m, n - m);
  reduced_.setFromTriplets(places.begin(), places.end());
  reduced_.makeCompressed();
  for (int j = m; j < n; ++j) {
    for (ColumnSparse::InnerIterator entry(A, j); entry; ++entry) {
      const int i = static_cast<int>(entry.row());
      if (i >= m) A22_.emplace_back(sparse_index(A, i, j), sparse_index(reduced_, i - m, j - m));
    }
  }
  for (const LeftOut& x : terms) {
    products_.push_back({x.A21, x.T, sparse_index(reduced_, x.row, x.col)});
  }
}

bool IterationMatrix::form(const Vector& values) {
  A_ = values;
  double* S = reduced_.valuePtr();
  if (kinematic_ == 0) {
    std::copy_n(values.data(), values.size(), S);
    return true;
  }
  const double* A = A_.data();
  const int *D1 = D1_from_.data(), *D2 = D2_from_.data();
  for (const Block& block : blocks_) {
    const int k = block.count;
    double* T = T_.data() + block.T;
    if (k == 1) {
      const double inverse = 1.0 / A[*D1];
      inverse_[block.inverse] = inverse;
      for (int c = 0; c < block.n_columns; ++c) T[c] = D2[c] < 0 ? 0.0 : inverse * A[D2[c]];
    } else {
      SmallMatrix d(k, k);
      for (int i = 0; i < k * k; ++i) d.data()[i] = D1[i] < 0 ? 0.0 : A[D1[i]];
      const SmallMatrix inverse = d.inverse();
      std::copy_n(inverse.data(), k * k, inverse_.data() + block.inverse);
      for (int c = 0; c < block.n_columns; ++c) {
        for (int i = 0; i < k; ++i) {
          double sum = 0.0;
          for (int j = 0; j < k; ++j) {
            const int from = D2[j * block.n_columns + c];
            if (from >= 0) sum += inverse(i, j) * A[from];
          }
          T[i * block.n_columns + c] = sum;
        }
      }
    }
    D1 += k * k;
    D2 += k * block.n_columns;
  }
  std::fill_n(S, reduced_.nonZeros(), 0.0);
  for (const auto& [from, to] : A22_) S[to] = A[from];
  for (const Product& x : products_) S[x.to] -= A[x.A21] * T_[x.T];
  return T_.allFinite();
}

bool IterationMatrix::factor(const Vector& values) {
  return form(values) && lu_->factor(reduced_);
}

void IterationMatrix::reduce(Eigen::Ref<Vector> x) {
  if (kinematic_ == 0) return;
  for (const Block& block : blocks_) {
    const int* rows = block_rows_.data() + block.first;
    const double* inverse = inverse_.data() + block.inverse;
    for (int i = 0; i < block.count; ++i) {
      double sum = 0.0;
      for (int j = 0; j < block.count; ++j) sum += inverse[i * block.count + j] * x[rows[j]];
      x1_[rows[i]] = sum;
    }
  }
  x.head(kinematic_) = x1_;
  for (const Entry& a : A21_) x[a.row] -= A_[a.from] * x1_[a.col];
}

void IterationMatrix::expand(Eigen::Ref<Vector> x) {
  for (const Block& block : blocks_) {
    const int* rows = block_rows_.data() + block.first;
    const int* columns = block_columns_.data() + block.columns;
    const double* T = T_.data() + block.T;
    for (int i = 0; i < block.count; ++i, T += block.n_columns) {
      double sum = 0.0;
      for (int c = 0; c < block.n_columns; ++c) sum += T[c] * x[columns[c]];
      x[rows[i]] -= sum;
    }
  }
}

void IterationMatrix::left_out(const Eigen::Ref<const Vector>& x, Eigen::Ref<Vector> b) const {
  b.setZero();
  for (const LeftOut& a : left_out_) b[a.row] += A_[a.A21] * T_[a.T] * x[a.col];
}

void IterationMatrix::solve(Eigen::Ref<Vector> x) {
  reduce(x);
  lu_->solve(x.tail(x.size() - kinematic_));
  expand(x);
}

void IterationMatrix::save(ByteWriter& out) const {
  out.put(A_);
  lu_->save(out);
}

void IterationMatrix::restore(ByteReader& in) {
  in.get(A_);
  const Vector values = A_;
  form(values);  // values that are not finite were never factored
  lu_->restore(in);
}

}  // namespace mbs::bdf
