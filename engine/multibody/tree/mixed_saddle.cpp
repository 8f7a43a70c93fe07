#include "engine/multibody/tree/mixed_saddle.hpp"

#include <cmath>

#include "engine/multibody/mechanism.hpp"

namespace mbs {

namespace {

constexpr double smallest_determinant = 1e-3;  // of C: 1 where the axes agree
constexpr int most_closing_rows = 10;          // each costs a solution in every factorisation

// False when it is nearly singular.
bool invert(Mat<double, 1>& C) {
  C(0, 0) = 1.0 / C(0, 0);
  return std::isfinite(C(0, 0));
}
bool invert(Mat<double, 3>& C) {
  const Vec<double, 3> x = cross(C.row[1], C.row[2]), y = cross(C.row[2], C.row[0]),
                       z = cross(C.row[0], C.row[1]);
  const double determinant = dot(C.row[0], x);
  if (!(std::abs(determinant) > smallest_determinant)) return false;
  const double inverse = 1.0 / determinant;
  for (int i = 0; i < 3; ++i) C.row[i] = {{inverse * x[i], inverse * y[i], inverse * z[i]}};
  return true;
}

template <int n>
Vec<double, n> vector_at(const double* x) {
  Vec<double, n> v;
  for (int i = 0; i < n; ++i) v[i] = x[i];
  return v;
}

}  // namespace

template <class Space>
bool MixedSaddle<Space>::treats(const Mechanism<Space>& m, const Tree<Space>& tree, int closing) {
  if (closing > most_closing_rows) return false;
  for (const TreeNode& node : tree.nodes) {
    // The axes of a particle stand still, and torques on it go nowhere.
    const bool hangs_on_particle =
        node.parent >= 0 &&
        !m.bodies[tree.nodes[static_cast<std::size_t>(node.parent)].body].rotates;
    if (hangs_on_particle) return false;
    if (!m.bodies[node.body].rotates && node.kind == JointKind::weld) return false;
  }
  return true;
}

template <class Space>
MixedSaddle<Space>::MixedSaddle(const Tree<Space>& tree, std::vector<Place> places, int tree_rows,
                                const SaddleStructure& structure)
    : Base(tree, structure, structure.G.bottomRows(structure.G.rows() - tree_rows),
           structure.M.cols() + tree_rows, "auto"),
      places_(std::move(places)),
      tree_rows_(tree_rows),
      parts_(tree.nodes.size()),
      motion_(tree.nodes.size()),
      wrench_(tree.nodes.size()),
      more_(tree.nodes.size()),
      q_(Vector::Zero(tree.nv)) {}

template <class Space>
bool MixedSaddle<Space>::factor_by_fallback(const SaddleMatrix& matrix) {
  return this->fallback().factor({matrix.M, matrix.G, matrix.D, matrix.F});
}

template <class Space>
bool MixedSaddle<Space>::factor_articulated(const SaddleMatrix& matrix) {
  if (matrix.F != nullptr || (matrix.D.head(tree_rows_).array() != 0.0).any()) return false;
  const TreeMatrix<Space>& tree = this->unassembled(matrix);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Link<Space>& link = tree.links[k];
    parts_[k] = {tree.mixed[k].A, tree.mixed[k].C, link.c, link.mass, link.J};
    if (places_[k].row >= 0 && places_[k].turns && !invert(parts_[k].C)) return false;
  }
  closure_.set(matrix.G.valuePtr() + matrix.G.nonZeros() - closure_.G().nonZeros(),
               matrix.D.tail(closure_.rows()));
  return bodies_.factor(tree.links.data()) && close_loops();
}

template <class Space>
bool MixedSaddle<Space>::close_loops() {
  closure_.right_sides(X_);
  for (std::size_t j = 0; j < closure_.active().size(); ++j) {
    double* x = X_.col(static_cast<Eigen::Index>(j)).data();
    solve_tree(x, x + X_.rows() - tree_rows_);
  }
  return closure_.factor(X_);
}

template <class Space>
void MixedSaddle<Space>::do_solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  if (holds_ == Holds::fallback) return this->fallback().solve(x, y);
  solve_tree(x.data(), y.data());
  if (closure_.rows() == 0) return;
  auto closing = y.tail(closure_.rows());
  closing = closure_.multipliers(x, closing);
  closure_.subtract(X_.topRows(x.size()), x);
  closure_.subtract(X_.bottomRows(tree_rows_), y.head(tree_rows_));
}

template <class Space>
void MixedSaddle<Space>::solve_tree(double* x, double* y) {
  const std::size_t n = parts_.size();
  const auto inertial = [](const Part& part, const DoubleScrew<Space>& a) {
    return DoubleScrew<Space>{part.mass * (a.linear + cross(a.angular, part.c)),
                              times(part.J, a.angular) + part.mass * moment(part.c, a.linear)};
  };
  const auto add = [](DoubleScrew<Space>& to, double factor, const DoubleScrew<Space>& b) {
    to.linear += factor * b.linear;
    to.angular += factor * b.angular;
  };
  // y_c, and b_y - M y_c.
  for (std::size_t k = 0; k < n; ++k) {
    const Place& place = places_[k];
    const Part& part = parts_[k];
    DoubleScrew<Space>& a = motion_[k];
    a = place.parent < 0
            ? DoubleScrew<Space>{}
            : motion_on<Space>(motion_[static_cast<std::size_t>(place.parent)], bodies_.shift(k));
    if (place.row >= 0) {
      a.linear += vector_at<Space::dim>(y + place.row);
      if (place.turns) a.angular += part.C * vector_at<Space::rot>(y + place.row + Space::dim);
    }
    DoubleScrew<Space>& w = wrench_[k];
    w = {vector_at<Space::dim>(x + place.body), {}};
    if (place.turns) {
      w.angular = turn(part.A, vector_at<Space::rot>(x + place.body + Space::dim));
    }
    w.angular += moment(part.c, w.linear);
    add(w, -1.0, inertial(part, a));
    more_[k] = {-w.linear, -w.angular};
    for (int i = 0; i < place.nv; ++i) q_[place.v + i] = place.q < 0 ? 0.0 : x[place.q + i];
  }
  bodies_.solve(q_.data(), more_);
  // Adds T q to y_c, and finds the multipliers from what is left of the wrenches.
  for (std::size_t k = n; k-- > 0;) {
    const Place& place = places_[k];
    const Part& part = parts_[k];
    const DoubleScrew<Space>& more = more_[k];
    for (int i = 0; place.q >= 0 && i < place.nv; ++i) x[place.q + i] = q_[place.v + i];
    const auto angular = motion_[k].angular + more.angular;
    const auto linear = motion_[k].linear + more.linear + cross(angular, part.c);
    for (int i = 0; i < Space::dim; ++i) x[place.body + i] = linear[i];
    if (place.turns) {
      const auto own = turn_back(part.A, angular);
      for (int i = 0; i < Space::rot; ++i) x[place.body + Space::dim + i] = own[i];
    }
    DoubleScrew<Space>& w = wrench_[k];
    add(w, -1.0, inertial(part, more));
    if (place.parent >= 0) {
      add_wrench_back<Space>(wrench_[static_cast<std::size_t>(place.parent)], w, bodies_.shift(k));
    }
    if (place.row < 0) continue;
    for (int i = 0; i < Space::dim; ++i) y[place.row + i] = w.linear[i];
    if (!place.turns) continue;
    const auto mu = transposed_times(part.C, w.angular);
    for (int i = 0; i < Space::rot; ++i) y[place.row + Space::dim + i] = mu[i];
  }
}

template <class Space>
void MixedSaddle<Space>::save_matrix(ByteWriter& out) const {
  out.raw(parts_.data(), sizeof(Part) * parts_.size());
}

template <class Space>
void MixedSaddle<Space>::restore_matrix(ByteReader& in) {
  in.raw(parts_.data(), sizeof(Part) * parts_.size());
}

template class MixedSaddle<Planar>;
template class MixedSaddle<Spatial>;

}  // namespace mbs
