#pragma once

// M^-1 of a tree in O(n): articulated bodies. Lubich et al. (1992), eq. (3.17) with K = I, H a
// shift and J = S (a joint's motion subspace): for the children before their parents
//
//   U = I S,  D = S^T U,  I_parent += X^T (I - U D^-1 U^T) X          (3.17a)
//   u = b - S^T p,        p_parent += X^T (p + U D^-1 u)              (3.17b)
//
// and outwards v' = D^-1 (u - U^T a'), a = a' + S v' (3.17c), a' = X a_parent. I, U, p, a are taken
// at each link's origin in inertial axes, so that X is the shift by d; a revolute joint's S has an
// angular part alone, a spherical one's S is that of all turns.

#include "engine/multibody/tree/lanes.hpp"
#include "engine/multibody/tree/links.hpp"

namespace mbs {

template <class Space>
class ArticulatedBodies {
 public:
  explicit ArticulatedBodies(const Tree<Space>& tree);

  // False when a D is zero to working precision.
  bool factor(const Link<Space>* links);
  // x <- M^-1 x for some columns, `stride` apart: four or two at a time (lanes.hpp); those of zeros
  // cost nothing.
  void solve(double* x, int columns = 1, std::ptrdiff_t stride = 0);
  // One column where p holds wrenches about the origins, less the other forces there: becomes the
  // accelerations S x of all bodies.
  void solve(double* x, std::vector<DoubleScrew<Space>>& p) const;
  // The origin from that of the parent, as it was factored.
  const Vec<double, Space::dim>& shift(std::size_t node) const { return nodes_[node].d; }

  // The smallest D by what it was before the children could move.
  double smallest_pivot() const { return smallest_pivot_; }

  void save(ByteWriter& out) const {
    out.raw(nodes_.data(), sizeof(Node) * nodes_.size());
    out.raw(multi_.data(), sizeof(Multi) * multi_.size());
    out.raw(steps_.data(), sizeof(Step) * steps_.size());
    out.put(smallest_pivot_);
  }
  void restore(ByteReader& in) {
    for (Node& node : nodes_) {
      Node stored;
      in.get(stored);
      const bool same = stored.kind == node.kind && stored.parent == node.parent &&
                        stored.v == node.v && stored.nv == node.nv && stored.multi == node.multi;
      if (!same) throw std::runtime_error("the stored state belongs to another model");
      node = stored;
    }
    in.raw(multi_.data(), sizeof(Multi) * multi_.size());
    in.raw(steps_.data(), sizeof(Step) * steps_.size());
    in.get(smallest_pivot_);
  }

 private:
  static constexpr int n = Space::nv;
  struct Inertia;  // ( A  B ; B^T C ), linear part first
  struct Node {
    JointKind kind;
    int parent, v, nv, multi;
    Vec<double, Space::dim> d;
    DoubleScrew<Space> S, U;  // of one coordinate
    double inverse_D;
  };
  // One coordinate of a serial joint, whose coordinates are taken one after the other, the last
  // first, as if there were massless bodies between them.
  struct Step {
    DoubleScrew<Space> S, U;
    double inverse_D;
  };
  // A joint with several coordinates that are factored at once.
  struct Multi {
    typename Space::template Rotation<double> R;
    std::array<double, n * n> L;  // Cholesky
    Mat<double, Space::dim> B;
  };

  template <class T>
  void forward(const Node& node, Screw<Space, T>& p, double* b, std::ptrdiff_t stride) const;
  template <class T>
  void backward(const Node& node, Screw<Space, T>& a, double* b, std::ptrdiff_t stride) const;
  // p: of each node what its children pass on, then its acceleration.
  template <class T>
  void outwards(double* x, std::ptrdiff_t stride, std::vector<Screw<Space, T>>& p) const;
  template <class T>
  void solve_from_rest(double* x, std::ptrdiff_t stride, std::vector<Screw<Space, T>>& p);

  std::vector<Node> nodes_;
  int v_ = 0;
  std::vector<char> pulled_;  // children have passed something on
  std::vector<Multi> multi_;
  std::vector<Step> steps_;
  // Inertias that children have passed on, and the nodes that they wait for: ancestors of the one
  // that is factored, the nearest last. In a chain there is but one.
  std::vector<int> waiting_;
  std::vector<Inertia> passed_on_;
  std::vector<DoubleScrew<Space>> p_;
  std::vector<Screw<Space, Pair>> p_of_two_;
  std::vector<Screw<Space, Quad>> p_of_four_;
  double smallest_pivot_ = 0.0;
};

template <>
struct ArticulatedBodies<Planar>::Inertia {
  double xx, xy, yy, xt, yt, tt;

  void put_in(double m, const Vec<double, 2>& c, const std::array<double, 1>& J) {
    xx += m, yy += m;
    xt -= m * c[1], yt += m * c[0];
    tt += J[0];
  }
  DoubleScrew<Planar> of_turn(const Vec<double, 1>& u) const {
    return {{{u[0] * xt, u[0] * yt}}, {{u[0] * tt}}};
  }
  DoubleScrew<Planar> of_slide(const Vec<double, 2>& s) const {
    return {{{xx * s[0] + xy * s[1], xy * s[0] + yy * s[1]}}, {{xt * s[0] + yt * s[1]}}};
  }
  void take_out(const DoubleScrew<Planar>& U, double f) {
    const double x = U.linear[0], y = U.linear[1], t = U.angular[0];
    xx -= f * x * x, xy -= f * x * y, yy -= f * y * y;
    xt -= f * x * t, yt -= f * y * t, tt -= f * t * t;
  }
  // Adds another's, given d farther on: a' = a + alpha x d.
  void add(const Inertia& b, const Vec<double, 2>& d) {
    const double x = b.xt - b.xx * d[1] + b.xy * d[0], y = b.yt - b.xy * d[1] + b.yy * d[0];
    xx += b.xx, xy += b.xy, yy += b.yy;
    xt += x, yt += y;
    tt += b.tt + d[0] * (b.yt + y) - d[1] * (b.xt + x);
  }
  void fill(double* a) const {  // 3 x 3
    const double all[] = {xx, xy, xt, xy, yy, yt, xt, yt, tt};
    for (int i = 0; i < 9; ++i) a[i] = all[i];
  }
};

template <>
struct ArticulatedBodies<Spatial>::Inertia {
  std::array<double, 6> A;  // xx yy zz xy xz yz
  Mat<double, 3> B;
  std::array<double, 6> C;

  void put_in(double m, const Vec<double, 3>& c, const std::array<double, 6>& J) {
    for (int i = 0; i < 3; ++i) A[i] += m;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      B(i, j) += m * c[k];
      B(i, k) -= m * c[j];
    }
    for (int i = 0; i < 6; ++i) C[i] += J[i];
  }
  DoubleScrew<Spatial> of_turn(const Vec<double, 3>& u) const { return {B * u, times(C, u)}; }
  DoubleScrew<Spatial> of_slide(const Vec<double, 3>& s) const {
    return {times(A, s), transposed_times(B, s)};
  }
  static void take(std::array<double, 6>& a, const Vec<double, 3>& x, const Vec<double, 3>& y) {
    a[0] -= x[0] * y[0], a[1] -= x[1] * y[1], a[2] -= x[2] * y[2];
    a[3] -= x[0] * y[1], a[4] -= x[0] * y[2], a[5] -= x[1] * y[2];
  }
  void take_out(const DoubleScrew<Spatial>& U, double f) {
    const Vec<double, 3> l = f * U.linear, a = f * U.angular;
    take(A, l, U.linear);
    take(C, a, U.angular);
    for (int i = 0; i < 3; ++i) B.row[i] -= l[i] * U.angular;
  }
  void add(const Inertia& b, const Vec<double, 3>& d) {
    for (int i = 0; i < 6; ++i) A[i] += b.A[i];
    // B' = B + A D, D x = x x d: row i of A D is d x A_i; C' = C + D^T B' + B^T D.
    const Mat<double, 3> full_A = full(b.A);
    Mat<double, 3> shifted;
    for (int i = 0; i < 3; ++i) shifted.row[i] = b.B.row[i] + cross(d, full_A.row[i]);
    for (int i = 0; i < 3; ++i) B.row[i] += shifted.row[i];
    // Row i of D^T B' is (d x .) applied to its columns, row i of B^T D likewise to B's.
    const auto entry = [&](int i, int j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      return d[i1] * shifted(i2, j) - d[i2] * shifted(i1, j) + d[j1] * b.B(j2, i) -
             d[j2] * b.B(j1, i);
    };
    C[0] += b.C[0] + entry(0, 0);
    C[1] += b.C[1] + entry(1, 1);
    C[2] += b.C[2] + entry(2, 2);
    C[3] += b.C[3] + entry(0, 1);
    C[4] += b.C[4] + entry(0, 2);
    C[5] += b.C[5] + entry(1, 2);
  }
  void fill(double* a) const {  // 6 x 6
    const Mat<double, 3> full_A = full(A), full_C = full(C);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        a[6 * i + j] = full_A(i, j);
        a[6 * i + 3 + j] = B(i, j);
        a[6 * (3 + j) + i] = B(i, j);
        a[6 * (3 + i) + 3 + j] = full_C(i, j);
      }
    }
  }
};

extern template class ArticulatedBodies<Planar>;
extern template class ArticulatedBodies<Spatial>;

}  // namespace mbs
