#include "engine/multibody/tree/articulated.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {

namespace {

constexpr double zero_pivot = 1e-14;

// Cholesky of the leading m x m part, rows of length `stride`; the smallest pivot by its diagonal.
double cholesky(double* a, int m, int stride) {
  double smallest = 1.0;
  for (int j = 0; j < m; ++j) {
    double* row = a + j * stride;
    const double before = row[j];
    double pivot = before;
    for (int k = 0; k < j; ++k) pivot -= row[k] * row[k];
    if (!(pivot > zero_pivot * before)) return 0.0;
    smallest = std::min(smallest, pivot / before);
    row[j] = std::sqrt(pivot);
    for (int i = j + 1; i < m; ++i) {
      double* other = a + i * stride;
      double sum = other[j];
      for (int k = 0; k < j; ++k) sum -= other[k] * row[k];
      other[j] = sum / row[j];
    }
  }
  return smallest;
}

void solve_cholesky(const double* a, int m, int stride, double* x) {
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= a[i * stride + k] * x[k];
    x[i] /= a[i * stride + i];
  }
  for (int i = m - 1; i >= 0; --i) {
    for (int k = i + 1; k < m; ++k) x[i] -= a[k * stride + i] * x[k];
    x[i] /= a[i * stride + i];
  }
}

}  // namespace

template <class Space>
ArticulatedBodies<Space>::ArticulatedBodies(const Tree<Space>& tree)
    : nodes_(tree.nodes.size()), inertias_(tree.nodes.size()), p_(tree.nodes.size()) {
  int several = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    nodes_[k].kind = node.kind;
    nodes_[k].father = node.father;
    nodes_[k].v = node.v;
    nodes_[k].multi = node.nv > 1 ? several++ : -1;
  }
  multi_.resize(static_cast<std::size_t>(several));
}

template <class Space>
bool ArticulatedBodies<Space>::factor(const Link<Space>* links) {
  smallest_pivot_ = 1.0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    inertias_[k] = Inertia::of(links[k].mass, links[k].c, links[k].J);
  }
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    Node& node = nodes_[k];
    const Link<Space>& link = links[k];
    Inertia& I = inertias_[k];
    node.d = link.d;
    switch (node.kind) {
      case JointKind::weld:
      case JointKind::point:
        break;
      case JointKind::revolute:
      case JointKind::prismatic: {
        double D;
        if (node.kind == JointKind::revolute) {
          node.U = I.of_turn(link.axis.angular);
          D = dot(link.axis.angular, node.U.angular);
        } else {
          node.U = I.of_slide(link.axis.linear);
          D = dot(link.axis.linear, node.U.linear);
        }
        node.S = link.axis;
        if (!(D > 0.0) || !std::isfinite(D)) return false;
        node.inverse_D = 1.0 / D;
        I.take_out(node.U, node.inverse_D);
        break;
      }
      case JointKind::spherical:
        if constexpr (Space::dim == 3) {
          // U = (B; C), D = C: only I_A - B C^-1 B^T passes on.
          Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
          multi.R = link.R;
          multi.B = I.B;
          const Mat<double, 3> C = full(I.C);
          for (int i = 0; i < 9; ++i) multi.L[i] = C(i / 3, i % 3);
          const double pivot = cholesky(multi.L.data(), 3, 3);
          if (pivot == 0.0) return false;
          smallest_pivot_ = std::min(smallest_pivot_, pivot);
          Mat<double, 3> X;  // C^-1 B^T by columns: its rows belong to those of B
          for (int i = 0; i < 3; ++i) {
            X.row[i] = I.B.row[i];
            solve_cholesky(multi.L.data(), 3, 3, X.row[i].x.data());
          }
          constexpr int index[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
          for (int i = 0; i < 6; ++i) I.A[i] -= dot(I.B.row[index[i][0]], X.row[index[i][1]]);
          I.B = {};
          I.C = {};
        }
        break;
      case JointKind::free:
      case JointKind::free_point: {
        Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
        multi.R = link.R;
        I.fill(multi.L.data());
        const double pivot =
            cholesky(multi.L.data(), node.kind == JointKind::free ? n : Space::dim, n);
        if (pivot == 0.0) return false;
        smallest_pivot_ = std::min(smallest_pivot_, pivot);
        break;
      }
    }
    if (node.father >= 0) inertias_[static_cast<std::size_t>(node.father)].add(I, node.d);
  }
  return true;
}

template <class Space>
void ArticulatedBodies<Space>::forward(const Node& node, DoubleScrew<Space>& p, double* b) const {
  switch (node.kind) {
    case JointKind::weld:
    case JointKind::point:
      break;
    case JointKind::revolute:
    case JointKind::prismatic: {
      const double u = (node.kind == JointKind::revolute ? b[0] - dot(node.S.angular, p.angular)
                                                         : b[0] - dot(node.S.linear, p.linear)) *
                       node.inverse_D;
      b[0] = u;
      p.linear += u * node.U.linear;
      p.angular += u * node.U.angular;
      break;
    }
    case JointKind::spherical:
      if constexpr (Space::dim == 3) {
        const Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
        const Vec<double, 3> torque = multi.R * Vec<double, 3>{{b[0], b[1], b[2]}};
        Vec<double, 3> u = torque - p.angular;
        p.angular = torque;
        solve_cholesky(multi.L.data(), 3, 3, u.x.data());
        p.linear += multi.B * u;
        for (int i = 0; i < 3; ++i) b[i] = u[i];
      }
      break;
    case JointKind::free:
    case JointKind::free_point: {
      const Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
      std::array<double, n> u{};
      for (int i = 0; i < Space::dim; ++i) u[i] = b[i] - p.linear[i];
      const bool turns = node.kind == JointKind::free;
      if (turns) {
        Vec<double, Space::rot> torque;
        for (int i = 0; i < Space::rot; ++i) torque[i] = b[Space::dim + i];
        torque = turn(multi.R, torque) - p.angular;
        for (int i = 0; i < Space::rot; ++i) u[Space::dim + i] = torque[i];
      }
      solve_cholesky(multi.L.data(), turns ? n : Space::dim, n, u.data());
      for (int i = 0; i < (turns ? n : Space::dim); ++i) b[i] = u[i];
      break;
    }
  }
}

template <class Space>
void ArticulatedBodies<Space>::backward(const Node& node, DoubleScrew<Space>& a, double* b) const {
  switch (node.kind) {
    case JointKind::weld:
    case JointKind::point:
      break;
    case JointKind::revolute:
      b[0] -= node.inverse_D * (dot(node.U.linear, a.linear) + dot(node.U.angular, a.angular));
      a.angular += b[0] * node.S.angular;
      break;
    case JointKind::prismatic:
      b[0] -= node.inverse_D * (dot(node.U.linear, a.linear) + dot(node.U.angular, a.angular));
      a.linear += b[0] * node.S.linear;
      break;
    case JointKind::spherical:
      if constexpr (Space::dim == 3) {
        const Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
        Vec<double, 3> pull = transposed_times(multi.B, a.linear);
        solve_cholesky(multi.L.data(), 3, 3, pull.x.data());
        const Vec<double, 3> whole = Vec<double, 3>{{b[0], b[1], b[2]}} - pull;
        const Vec<double, 3> own = turn_back(multi.R, whole - a.angular);
        a.angular = whole;
        for (int i = 0; i < 3; ++i) b[i] = own[i];
      }
      break;
    case JointKind::free:
    case JointKind::free_point: {
      for (int i = 0; i < Space::dim; ++i) a.linear[i] = b[i];
      if (node.kind == JointKind::free_point) break;
      const Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
      for (int i = 0; i < Space::rot; ++i) a.angular[i] = b[Space::dim + i];
      const auto own = turn_back(multi.R, a.angular);
      for (int i = 0; i < Space::rot; ++i) b[Space::dim + i] = own[i];
      break;
    }
  }
}

template <class Space>
void ArticulatedBodies<Space>::solve(double* x, int columns, std::ptrdiff_t stride) {
  const auto count = static_cast<std::size_t>(columns);
  p_.assign(nodes_.size() * count, {});  // keeps its memory
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    for (int c = 0; c < columns; ++c) {
      DoubleScrew<Space>& p = p_[k * count + static_cast<std::size_t>(c)];
      forward(node, p, x + c * stride + node.v);
      if (node.father < 0) continue;
      add_wrench_back<Space>(p_[static_cast<std::size_t>(node.father * columns + c)], p, node.d);
    }
  }
  // p_ becomes the accelerations.
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    for (int c = 0; c < columns; ++c) {
      DoubleScrew<Space>& a = p_[k * count + static_cast<std::size_t>(c)];
      a = node.father < 0
              ? DoubleScrew<Space>{}
              : motion_on<Space>(p_[static_cast<std::size_t>(node.father * columns + c)], node.d);
      backward(node, a, x + c * stride + node.v);
    }
  }
}

template class ArticulatedBodies<Planar>;
template class ArticulatedBodies<Spatial>;

}  // namespace mbs
