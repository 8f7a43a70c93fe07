#include "engine/multibody/tree/articulated.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

// T: double or lanes.
template <class T>
void solve_cholesky(const double* a, int m, int stride, T* x) {
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= a[i * stride + k] * x[k];
    x[i] *= 1.0 / a[i * stride + i];
  }
  for (int i = m - 1; i >= 0; --i) {
    for (int k = i + 1; k < m; ++k) x[i] -= a[k * stride + i] * x[k];
    x[i] *= 1.0 / a[i * stride + i];
  }
}

template <class T, int n>
Vec<T, n> load(const double* x, std::ptrdiff_t stride) {
  Vec<T, n> to;
  for (int i = 0; i < n; ++i) mbs::load(x + i, stride, to[i]);
  return to;
}
template <class T, int n>
void store(const Vec<T, n>& from, double* x, std::ptrdiff_t stride) {
  for (int i = 0; i < n; ++i) mbs::store(from[i], x + i, stride);
}

}  // namespace

template <class Space>
ArticulatedBodies<Space>::ArticulatedBodies(const Tree<Space>& tree)
    : nodes_(tree.nodes.size()), v_(tree.nv), pulled_(tree.nodes.size(), 0) {
  waiting_.reserve(static_cast<std::size_t>(tree.depth) + 1);
  passed_on_.reserve(waiting_.capacity());
  int several = 0, steps = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    nodes_[k].kind = node.kind;
    nodes_[k].parent = node.parent;
    nodes_[k].v = node.v;
    nodes_[k].nv = node.nv;
    nodes_[k].multi = -1;
    if (is_serial(node.kind)) {
      nodes_[k].multi = steps;
      steps += node.nv;
    } else if (node.nv > 1) {
      nodes_[k].multi = several++;
    }
  }
  steps_.resize(static_cast<std::size_t>(steps));
  multi_.resize(static_cast<std::size_t>(several));
}

template <class Space>
bool ArticulatedBodies<Space>::factor(const Link<Space>* links) {
  smallest_pivot_ = 1.0;
  waiting_.clear();
  passed_on_.clear();
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    Node& node = nodes_[k];
    const Link<Space>& link = links[k];
    Inertia I{};
    if (!waiting_.empty() && waiting_.back() == static_cast<int>(k)) {
      I = passed_on_.back();
      waiting_.pop_back();
      passed_on_.pop_back();
    }
    I.put_in(link.mass, link.c, link.J);
    node.d = link.d;
    switch (group_of(node.kind)) {
      case JointGroup::fixed:
        break;
      case JointGroup::one_axis: {
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
      case JointGroup::spherical:
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
      case JointGroup::serial:
        for (int j = node.nv; j-- > 0;) {
          Step& step = steps_[static_cast<std::size_t>(node.multi + j)];
          step.S = serial_column(node.kind, link, j);
          const DoubleScrew<Space> turn = I.of_turn(step.S.angular),
                                   slide = I.of_slide(step.S.linear);
          step.U = {turn.linear + slide.linear, turn.angular + slide.angular};
          const double D = dot(step.S.linear, step.U.linear) + dot(step.S.angular, step.U.angular);
          if (!(D > 0.0) || !std::isfinite(D)) return false;
          step.inverse_D = 1.0 / D;
          I.take_out(step.U, step.inverse_D);
        }
        break;
      case JointGroup::free: {
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
    if (node.parent < 0) continue;
    if (waiting_.empty() || waiting_.back() != node.parent) {
      waiting_.push_back(node.parent);
      passed_on_.push_back({});
    }
    passed_on_.back().add(I, node.d);
  }
  return true;
}

template <class Space>
template <class T>
void ArticulatedBodies<Space>::forward(const Node& node, Screw<Space, T>& p, double* b,
                                       std::ptrdiff_t stride) const {
  switch (group_of(node.kind)) {
    case JointGroup::fixed:
      break;
    case JointGroup::one_axis: {
      T u;
      load(b, stride, u);
      u -= node.kind == JointKind::revolute ? dot(node.S.angular, p.angular)
                                            : dot(node.S.linear, p.linear);
      u *= node.inverse_D;
      store(u, b, stride);
      for (int i = 0; i < Space::dim; ++i) p.linear[i] += node.U.linear[i] * u;
      for (int i = 0; i < Space::rot; ++i) p.angular[i] += node.U.angular[i] * u;
      break;
    }
    case JointGroup::spherical:
      if constexpr (Space::dim == 3) {
        const Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
        const Vec<T, 3> torque = multi.R * load<T, 3>(b, stride);
        Vec<T, 3> u = torque - p.angular;
        p.angular = torque;
        solve_cholesky(multi.L.data(), 3, 3, u.x.data());
        p.linear += multi.B * u;
        store<T, 3>(u, b, stride);
      }
      break;
    case JointGroup::serial:
      for (int j = node.nv; j-- > 0;) {
        const Step& step = steps_[static_cast<std::size_t>(node.multi + j)];
        T u;
        load(b + j, stride, u);
        u -= dot(step.S.linear, p.linear) + dot(step.S.angular, p.angular);
        u *= step.inverse_D;
        store(u, b + j, stride);
        for (int i = 0; i < Space::dim; ++i) p.linear[i] += step.U.linear[i] * u;
        for (int i = 0; i < Space::rot; ++i) p.angular[i] += step.U.angular[i] * u;
      }
      break;
    case JointGroup::free: {
      const Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
      const bool turns = node.kind == JointKind::free;
      Vec<T, n> u;
      for (int i = 0; i < Space::dim; ++i) {
        load(b + i, stride, u[i]);
        u[i] -= p.linear[i];
      }
      if (turns) {
        const Vec<T, Space::rot> torque =
            turn(multi.R, load<T, Space::rot>(b + Space::dim, stride)) - p.angular;
        for (int i = 0; i < Space::rot; ++i) u[Space::dim + i] = torque[i];
      }
      solve_cholesky(multi.L.data(), turns ? n : Space::dim, n, u.x.data());
      for (int i = 0; i < (turns ? n : Space::dim); ++i) store(u[i], b + i, stride);
      break;
    }
  }
}

template <class Space>
template <class T>
void ArticulatedBodies<Space>::backward(const Node& node, Screw<Space, T>& a, double* b,
                                        std::ptrdiff_t stride) const {
  switch (group_of(node.kind)) {
    case JointGroup::fixed:
      break;
    case JointGroup::one_axis: {
      T u;
      load(b, stride, u);
      u -= node.inverse_D * (dot(node.U.linear, a.linear) + dot(node.U.angular, a.angular));
      store(u, b, stride);
      if (node.kind == JointKind::revolute) {
        for (int i = 0; i < Space::rot; ++i) a.angular[i] += node.S.angular[i] * u;
      } else {
        for (int i = 0; i < Space::dim; ++i) a.linear[i] += node.S.linear[i] * u;
      }
      break;
    }
    case JointGroup::spherical:
      if constexpr (Space::dim == 3) {
        const Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
        Vec<T, 3> pull = transposed_times(multi.B, a.linear);
        solve_cholesky(multi.L.data(), 3, 3, pull.x.data());
        const Vec<T, 3> whole = load<T, 3>(b, stride) - pull;
        store<T, 3>(turn_back(multi.R, whole - a.angular), b, stride);
        a.angular = whole;
      }
      break;
    case JointGroup::serial:
      for (int j = 0; j < node.nv; ++j) {
        const Step& step = steps_[static_cast<std::size_t>(node.multi + j)];
        T u;
        load(b + j, stride, u);
        u -= step.inverse_D * (dot(step.U.linear, a.linear) + dot(step.U.angular, a.angular));
        store(u, b + j, stride);
        for (int i = 0; i < Space::dim; ++i) a.linear[i] += step.S.linear[i] * u;
        for (int i = 0; i < Space::rot; ++i) a.angular[i] += step.S.angular[i] * u;
      }
      break;
    case JointGroup::free: {
      a.linear = load<T, Space::dim>(b, stride);
      if (node.kind == JointKind::free_point) break;
      const Multi& multi = multi_[static_cast<std::size_t>(node.multi)];
      a.angular = load<T, Space::rot>(b + Space::dim, stride);
      store<T, Space::rot>(turn_back(multi.R, a.angular), b + Space::dim, stride);
      break;
    }
  }
}

template <class Space>
template <class T>
void ArticulatedBodies<Space>::outwards(double* x, std::ptrdiff_t stride,
                                        std::vector<Screw<Space, T>>& p) const {
  // p becomes the accelerations.
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    p[k] = node.parent < 0 ? Screw<Space, T>{}
                           : motion_on<Space>(p[static_cast<std::size_t>(node.parent)], node.d);
    backward(node, p[k], x + node.v, stride);
  }
}

template <class Space>
void ArticulatedBodies<Space>::solve(double* x, std::vector<DoubleScrew<Space>>& p) const {
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    forward(node, p[k], x + node.v, 0);
    if (node.parent >= 0) {
      add_wrench_back<Space>(p[static_cast<std::size_t>(node.parent)], p[k], node.d);
    }
  }
  outwards(x, 0, p);
}

// Columns are mostly those of a coordinate or of what its displacement changes: inwards only the
// bodies between what is not zero and the ground take part.
template <class Space>
template <class T>
void ArticulatedBodies<Space>::solve_from_rest(double* x, std::ptrdiff_t stride,
                                               std::vector<Screw<Space, T>>& p) {
  if (p.size() != nodes_.size()) p.resize(nodes_.size());  // once
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    if (!pulled_[k]) {
      bool rests = true;
      for (int i = 0; rests && i < node.nv; ++i) {
        T b;
        load(x + node.v + i, stride, b);
        rests = is_zero(b);
      }
      if (rests) continue;
      p[k] = {};
    }
    pulled_[k] = 0;
    forward(node, p[k], x + node.v, stride);
    if (node.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(node.parent);
    if (std::exchange(pulled_[parent], 1)) {
      add_wrench_back<Space>(p[parent], p[k], node.d);
    } else {
      p[parent] = wrench_back<Space>(p[k], node.d);
    }
  }
  outwards(x, stride, p);
}

template <class Space>
void ArticulatedBodies<Space>::solve(double* x, int columns, std::ptrdiff_t stride) {
  const auto rests = [&] { return std::all_of(x, x + v_, [](double b) { return b == 0.0; }); };
  while (columns > 0) {
    if (rests()) {
      --columns, x += stride;
    } else if (columns >= 4) {
      solve_from_rest(x, stride, p_of_four_);
      columns -= 4, x += 4 * stride;
    } else if (columns >= 2) {
      solve_from_rest(x, stride, p_of_two_);
      columns -= 2, x += 2 * stride;
    } else {
      solve_from_rest(x, stride, p_);
      columns = 0;
    }
  }
}

template class ArticulatedBodies<Planar>;
template class ArticulatedBodies<Spatial>;
}  // namespace mbs
