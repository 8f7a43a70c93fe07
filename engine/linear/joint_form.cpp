#include "engine/linear/joint_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mbs {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Ratios of pivots of equilibrated matrices, as for the nodes and the closure of tree_saddle.hpp.
constexpr double smallest_body_ratio = 1e-6;
constexpr double smallest_loop_ratio = 1e-9;
constexpr double largest_residual = 100.0 * std::numeric_limits<double>::epsilon();

}  // namespace

bool JointForm::analyse(const SaddleStructure& structure) {
  bodies_.clear(), loop_rows_.clear(), q_.clear();
  const int n = static_cast<int>(structure.M.cols()), m = static_cast<int>(structure.G.rows());
  const auto has_mass = [&](int j) { return ColumnSparse::InnerIterator(structure.M, j); };
  for (int j = 0; j < n; ++j) {
    if (!has_mass(j)) q_.push_back(j);
  }
  if (q_.empty()) return false;

  const BodyTree tree = find_body_tree(structure);
  body_of_.assign(at(n), -1);
  loop_rows_ = tree.cut;
  for (const BodyTree::Node& node : tree.nodes) {
    Body body;
    for (const int j : node.columns) {
      if (!has_mass(j)) continue;
      body.columns.push_back(j);
      body_of_[at(j)] = static_cast<int>(bodies_.size());
    }
    if (node.rows.size() < body.columns.size()) return false;
    const auto behind = node.rows.begin() + static_cast<std::ptrdiff_t>(body.columns.size());
    body.rows.assign(node.rows.begin(), behind);
    loop_rows_.insert(loop_rows_.end(), behind, node.rows.end());  // of a body to the ground
    body.K.resize(static_cast<int>(body.columns.size()));
    body.part.setZero(static_cast<Eigen::Index>(body.columns.size()));
    bodies_.push_back(std::move(body));
  }
  if (loop_rows_.size() > q_.size()) return false;

  M_ = structure.M;
  G_ = structure.G;
  M_.makeCompressed(), G_.makeCompressed();
  B_.setZero(loops(), static_cast<Eigen::Index>(q_.size()));
  pivoted_ = B_;
  Bd_.resize(loops());
  nu_.setZero(loops());
  order_.resize(q_.size());
  std::iota(order_.begin(), order_.end(), 0);
  S_.setOnes(n + m);
  for (Vector* x : {&w_, &force_, &x_, &b_, &b_left_}) x->setZero(n);
  for (Vector* x : {&mu_, &y_, &c_, &c_left_, &zero_}) x->setZero(m);
  return true;
}

bool JointForm::factor(const SaddleMatrix& matrix, const Vector& S) {
  if ((matrix.D.array() != 0.0).any()) return false;
  S_ = S;
  const Eigen::Index n = M_.cols();
  for (int j = 0; j < n; ++j) {
    ColumnSparse::InnerIterator to(M_, j);
    for (ColumnSparse::InnerIterator m(matrix.M, j); m; ++m, ++to) {
      to.valueRef() = m.value() * S[m.row()] * S[j];
    }
  }
  for (int i = 0; i < G_.outerSize(); ++i) {
    RowSparse::InnerIterator to(G_, i);
    for (RowSparse::InnerIterator g(matrix.G, i); g; ++g, ++to) {
      to.valueRef() = g.value() * S[n + i] * S[g.col()];
    }
  }
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    Body& body = bodies_[k];
    if (body.rows.empty()) continue;
    body.K.matrix().setZero();
    for (std::size_t i = 0; i < body.rows.size(); ++i) {
      for (RowSparse::InnerIterator g(G_, body.rows[i]); g; ++g) {
        if (body_of_[at(static_cast<int>(g.col()))] != static_cast<int>(k)) continue;
        const auto place = std::lower_bound(body.columns.begin(), body.columns.end(), g.col());
        body.K.matrix()(static_cast<Eigen::Index>(i), place - body.columns.begin()) = g.value();
      }
    }
    if (!body.K.factor() || !(body.K.pivot_ratio() > smallest_body_ratio)) return false;
  }
  for (int i = 0; i < loops(); ++i) {
    force_.setZero();
    for (RowSparse::InnerIterator g(G_, loop_rows_[at(i)]); g; ++g) force_[g.col()] = g.value();
    reduce();
    for (int j = 0; j < B_.cols(); ++j) B_(i, j) = force_[q_[at(j)]];
  }
  return choose_dependent();
}

// d: in each row of B, as the rows before have left it, the largest entry.
bool JointForm::choose_dependent() {
  const int joints = static_cast<int>(q_.size());
  std::iota(order_.begin(), order_.end(), 0);
  pivoted_ = B_;
  for (int i = 0; i < loops(); ++i) {
    const auto size = [&](int k) { return std::abs(pivoted_(i, order_[at(k)])); };
    int pivot = i;
    for (int k = i + 1; k < joints; ++k) {
      if (size(k) > size(pivot)) pivot = k;
    }
    if (!(size(pivot) > 0.0)) return false;
    std::swap(order_[at(i)], order_[at(pivot)]);
    for (int row = i + 1; row < loops(); ++row) {
      const double factor = pivoted_(row, order_[at(i)]) / pivoted_(i, order_[at(i)]);
      for (int k = i + 1; k < joints; ++k) {
        pivoted_(row, order_[at(k)]) -= factor * pivoted_(i, order_[at(k)]);
      }
    }
  }
  for (int j = 0; j < loops(); ++j) Bd_.matrix().col(j) = B_.col(order_[at(j)]);
  return loops() == 0 || (Bd_.factor() && Bd_.pivot_ratio() > smallest_loop_ratio);
}

// y = K^-1 (c - J q), with q in w_.
void JointForm::follow_bodies(const Vector& c) {
  for (auto body = bodies_.rbegin(); body != bodies_.rend(); ++body) {
    if (body->rows.empty()) continue;
    for (const int j : body->columns) w_[j] = 0.0;
    for (std::size_t i = 0; i < body->rows.size(); ++i) {
      double sum = c[body->rows[i]];
      for (RowSparse::InnerIterator g(G_, body->rows[i]); g; ++g) sum -= g.value() * w_[g.col()];
      body->part[static_cast<Eigen::Index>(i)] = sum;
    }
    body->K.solve(body->part);
    for (std::size_t i = 0; i < body->columns.size(); ++i) {
      w_[body->columns[i]] = body->part[static_cast<Eigen::Index>(i)];
    }
  }
}

// w_ satisfies all rows, with z in it.
void JointForm::satisfy_rows(const Vector& c) {
  for (int k = 0; k < loops(); ++k) w_[joint(k)] = 0.0;
  follow_bodies(c);
  if (loops() == 0) return;
  for (int i = 0; i < loops(); ++i) {
    const int row = loop_rows_[at(i)];
    double sum = c[row];
    for (RowSparse::InnerIterator g(G_, row); g; ++g) sum -= g.value() * w_[g.col()];
    nu_[i] = sum;
  }
  Bd_.solve(nu_);
  for (int k = 0; k < loops(); ++k) w_[joint(k)] = nu_[k];
  follow_bodies(c);
}

// mu = K^-T f_y; what is left of the force is f_q - J^T mu.
void JointForm::reduce() {
  for (Body& body : bodies_) {
    if (body.rows.empty()) continue;
    for (std::size_t i = 0; i < body.columns.size(); ++i) {
      body.part[static_cast<Eigen::Index>(i)] = force_[body.columns[i]];
    }
    body.K.solve_transposed(body.part);
    for (std::size_t i = 0; i < body.rows.size(); ++i) {
      const double mu = body.part[static_cast<Eigen::Index>(i)];
      mu_[body.rows[i]] = mu;
      for (RowSparse::InnerIterator g(G_, body.rows[i]); g; ++g) force_[g.col()] -= g.value() * mu;
    }
  }
}

// N^T force, and nu with it.
void JointForm::reduce_to_z(Vector& z) {
  reduce();
  for (int k = 0; k < loops(); ++k) nu_[k] = force_[joint(k)];
  if (loops() > 0) Bd_.solve_transposed(nu_);
  for (int k = 0; k < size(); ++k) {
    double sum = force_[joint(loops() + k)];
    for (int i = 0; i < loops(); ++i) sum -= B_(i, order_[at(loops() + k)]) * nu_[i];
    z[k] = sum;
  }
}

void JointForm::begin(Eigen::Ref<const Vector> x, Eigen::Ref<const Vector> y) {
  b_ = b_left_ = x.cwiseProduct(S_.head(x.size()));
  c_ = c_left_ = y.cwiseProduct(S_.tail(y.size()));
  x_.setZero();
  y_.setZero();
}

void JointForm::right_side(Vector& b) {
  for (int k = 0; k < size(); ++k) w_[joint(loops() + k)] = 0.0;
  satisfy_rows(c_left_);
  force_ = b_left_;
  force_.noalias() -= M_ * w_;
  reduce_to_z(b);
}

void JointForm::apply(const Vector& z, Vector& Az) {
  for (int k = 0; k < size(); ++k) w_[joint(loops() + k)] = z[k];
  satisfy_rows(zero_);
  force_.noalias() = M_ * w_;
  reduce_to_z(Az);
}

bool JointForm::add(const Vector& z) {
  for (int k = 0; k < size(); ++k) w_[joint(loops() + k)] = z[k];
  satisfy_rows(c_left_);
  b_left_.noalias() -= M_ * w_;
  if (loops() > 0) {
    force_ = b_left_;
    reduce();
    for (int k = 0; k < loops(); ++k) nu_[k] = force_[joint(k)];
    Bd_.solve_transposed(nu_);
    for (int i = 0; i < loops(); ++i) {
      mu_[loop_rows_[at(i)]] = nu_[i];
      for (RowSparse::InnerIterator g(G_, loop_rows_[at(i)]); g; ++g) {
        b_left_[g.col()] -= g.value() * nu_[i];
      }
    }
  }
  force_ = b_left_;
  reduce();
  x_ += w_;
  y_ += mu_;
  b_left_ = b_;
  b_left_.noalias() -= M_ * x_;
  b_left_.noalias() -= G_.transpose() * y_;
  c_left_ = c_;
  c_left_.noalias() -= G_ * x_;
  const auto largest = [](const Vector& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; };
  // Entries are about 1.
  const double size = std::max({largest(x_), largest(y_), largest(b_), largest(c_)});
  return std::max(largest(b_left_), largest(c_left_)) <= largest_residual * size;
}

void JointForm::end(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) const {
  x = x_.cwiseProduct(S_.head(x.size()));
  y = y_.cwiseProduct(S_.tail(y.size()));
}

void JointForm::precondition(SaddleSolver& neighbour, const Vector& r, Vector& z) {
  w_.setZero();
  mu_.setZero();
  for (int k = 0; k < size(); ++k) {
    const int j = joint(loops() + k);
    w_[j] = r[k] / S_[j];
  }
  neighbour.solve(w_, mu_);
  for (int k = 0; k < size(); ++k) {
    const int j = joint(loops() + k);
    z[k] = w_[j] / S_[j];
  }
}

}  // namespace mbs
