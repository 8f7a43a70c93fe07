#pragma once

// Inverse dynamics tau = S^T f of a tree, differentiated with respect to q and v, each entry in
// closed form: O(n) for all columns' vectors, then two scalar products for each pair of joints of
// which one hangs on the other. As Carpentier and Mansard (Analytical derivatives of rigid body
// dynamics algorithms, RSS 2018) all is taken about points that stand still, here where the root of
// each tree is: what belongs to bodies adds up along the tree without any shift. A twist is
// (l, w), the velocity of what is at that point and the angular velocity; a wrench (F, N).
//
//   (l, w) x (l', w') = (w x l' + l x w', w x w')     (l, w) x* (F, N) = (w x F, w x N + l x F)
//
// Column k, S_k: what it moves is displaced as one rigid body against the frame that stays, of
// twist b and acceleration b' (that of the parent; with the columns before it in the same joint
// that do not follow its displacement, see `standing`). I, f: of a body; v, a: its twist and its
// derivative; gravity is in a. Then of bodies behind the joint
//
//   psi' = b x S       delta v = psi' + S x v         delta a = psi'' + psi' x v + S x a
//   psi'' = b x psi' + b' x S
//   delta f = S x* f + I psi'' + B psi' + D S
//   B psi = I (psi x v) + psi x* (I v) + v x* (I psi)
//
// and of a change of v_k: delta v = S, delta a = xi + S x v, delta f = I xi + B S, where
// xi = S' + b x S, S' = b x S but for joints turned by Euler parameters, whose axes turn with the
// body: there S' = v x S. With sums over all that hangs on a joint (I, B, D, f from here on), of a
// row i and a column k of which the second is nearer to the ground, or the first:
//
//   i behind k    S_i . (I_i psi''_k + B_i psi'_k + D_i S_k)             S_i . (I_i xi_k + B_i S_k)
//   k behind i    S_i . (I_k psi''_k + B_k psi'_k + D_k S_k + S_k x* f_k)  S_i . (I_k xi_k + B_k
//   S_k)
//
// for S_i turns with k in the first case, and (S_k x S_i) . f = - S_i . (S_k x* f).
//
// B is 12 numbers, not 36: summed over points, of mass m at x moving by x',
//
//   B (l, w) = sum ( 2 m w x x', x x (2 m w x x') ) = ( w x P, N w ),  P = sum 2 m x',
//   N = sum (x . 2 m x') 1 - 2 m x' x^T
//
// and D likewise with the forces F on the bodies in the place of 2 m x': they stay as they are in
// inertial axes when their bodies turn, where S x* f takes them along. What else they do when their
// own body moves, K S + C psi' and C S (see Impedance), adds up along the tree, too, and is taken
// off; what they do when others move is added by who knows them.

#include <span>
#include <vector>

#include "engine/multibody/tree/recursions.hpp"

namespace mbs {

// Vectors of inertial axes, fixed to points, that would turn with w: ( w x P, N w ) in all.
template <class Space>
struct Stirred {
  Vec<double, Space::dim> P;
  Mat<double, Space::rot> N;

  void add(const Stirred& b) {
    P += b.P;
    for (int i = 0; i < Space::rot; ++i) N.row[i] += b.N.row[i];
  }
  DoubleScrew<Space> operator*(const Vec<double, Space::rot>& w) const {
    return {cross(w, P), N * w};
  }
  // S . (this w) = w . transposed(S)
  Vec<double, Space::rot> transposed(const DoubleScrew<Space>& S) const {
    return moment(P, S.linear) + transposed_times(N, S.angular);
  }
};

// How the wrench on a body follows its own motion, about the point that stands still: displaced by
// S with its twist as it is there, and with its twist changed by S. Columns for unit twists.
template <class Space>
struct Impedance {
  using Matrix = std::array<DoubleScrew<Space>, Space::nv>;
  Matrix K{}, C{};

  static DoubleScrew<Space> times(const Matrix& A, const DoubleScrew<Space>& S) {
    DoubleScrew<Space> w;
    for (int i = 0; i < Space::nv; ++i) {
      const double s = component(S, i);
      w.linear += s * A[i].linear;
      w.angular += s * A[i].angular;
    }
    return w;
  }
  static DoubleScrew<Space> transposed_times(const Matrix& A, const DoubleScrew<Space>& S) {
    DoubleScrew<Space> w;
    for (int i = 0; i < Space::nv; ++i) {
      component(w, i) = dot(A[i].linear, S.linear) + dot(A[i].angular, S.angular);
    }
    return w;
  }
  void add(const Impedance& b) {
    for (int i = 0; i < Space::nv; ++i) {
      for (const auto part : {&Impedance::K, &Impedance::C}) {
        (this->*part)[i].linear += (b.*part)[i].linear;
        (this->*part)[i].angular += (b.*part)[i].angular;
      }
    }
  }
  template <class S>
  static auto& component(S& s, int i) {
    return i < Space::dim ? s.linear[i] : s.angular[i - Space::dim];
  }
};

template <class Space>
class TreeDerivatives {
 public:
  struct Column {
    DoubleScrew<Space> S, psi_1, psi_2, xi;
    DoubleScrew<Space> IS;          // I S
    Vec<double, Space::rot> B, D;   // B^T S, D^T S
    DoubleScrew<Space> K, C;        // K^T S, C^T S
    DoubleScrew<Space> of_q, of_v;  // what the ancestors see
  };
  struct Body {
    Vec<double, Space::dim> arm;  // link's origin from the point that stands still
    DoubleScrew<Space> v, a, f;
    Composite<Space> I;
    Stirred<Space> B, D;
  };

  // links: placed and moved; u, du: v and v'; a: of the links' origins; f: wrenches there, of each
  // body alone, less what acts on it; forces: what acts at the centres of mass, when it is not
  // gravity alone, which then is in a. impedances: of each body, or none. Between the two parts
  // body() is that of each body alone.
  void go_outwards(const Tree<Space>& tree, const Link<Space>* links, const double* u,
                   const double* du, const DoubleScrew<Space>* a, const DoubleScrew<Space>* f,
                   const Vec<double, Space::dim>* forces, const Vec<double, Space::dim>& gravity);
  void go_inwards(const Tree<Space>& tree, const Impedance<Space>* impedances);

  // use(row, column, d tau/dq, d tau/dv) for all pairs, in the order of v.
  template <class Use>
  void for_entries(const Tree<Space>& tree, const Use& use) const;

  const Body& body(std::size_t node) const { return bodies_[node]; }
  const Column& column(int v) const { return columns_[static_cast<std::size_t>(v)]; }

 private:
  void column_of(const TreeNode& node, const Link<Space>& link, int j, const double* u,
                 const double* du, const DoubleScrew<Space>& gravity, const Body* parent,
                 const Body& body);

  bool with_forces_ = false, with_impedances_ = false;
  std::vector<Impedance<Space>> impedances_;  // sums
  std::vector<Body> bodies_;
  std::vector<Column> columns_;
};

template <class Space>
DoubleScrew<Space> twist_cross(const DoubleScrew<Space>& a, const DoubleScrew<Space>& b) {
  return {cross(a.angular, b.linear) - cross(b.angular, a.linear), cross(a.angular, b.angular)};
}
template <class Space>
DoubleScrew<Space> operator+(const DoubleScrew<Space>& a, const DoubleScrew<Space>& b) {
  return {a.linear + b.linear, a.angular + b.angular};
}
template <class Space>
double pair(const DoubleScrew<Space>& a, const DoubleScrew<Space>& b) {
  return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

// How many columns of the same joint stay where they are when column j is displaced.
template <class Space>
int standing(JointKind kind, int j) {
  int count = 0;
  with_joint<Space>(kind, [&]<class Joint>(Joint) {
    if constexpr (requires { Joint::standing(j); }) count = Joint::standing(j);
  });
  return count;
}

template <class Space>
template <class Use>
void TreeDerivatives<Space>::for_entries(const Tree<Space>& tree, const Use& use) const {
  const auto behind = [&](const Column& row, const Column& column, double& of_q, double& of_v) {
    of_q = pair<Space>(row.IS, column.psi_2) + dot(row.B, column.psi_1.angular);
    if (with_forces_) of_q += dot(row.D, column.S.angular);
    of_v = pair<Space>(row.IS, column.xi) + dot(row.B, column.S.angular);
    if (!with_impedances_) return;
    of_q -= pair<Space>(row.K, column.S) + pair<Space>(row.C, column.psi_1);
    of_v -= pair<Space>(row.C, column.S);
  };
  const auto before = [&](const Column& row, const Column& column, double& of_q, double& of_v) {
    of_q = pair<Space>(row.S, column.of_q);
    of_v = pair<Space>(row.S, column.of_v);
  };
  double of_q = 0.0, of_v = 0.0;
  for (const TreeNode& node : tree.nodes) {
    for (int i = 0; i < node.nv; ++i) {
      const Column& own = columns_[static_cast<std::size_t>(node.v + i)];
      for (int j = 0; j < node.nv; ++j) {
        const Column& column = columns_[static_cast<std::size_t>(node.v + j)];
        if (node.nv > 1 && i < standing<Space>(node.kind, j)) {
          before(own, column, of_q, of_v);
        } else {
          behind(own, column, of_q, of_v);
        }
        use(node.v + i, node.v + j, of_q, of_v);
      }
      for (int k = node.parent; k >= 0; k = tree.nodes[static_cast<std::size_t>(k)].parent) {
        const TreeNode& other = tree.nodes[static_cast<std::size_t>(k)];
        for (int j = other.v; j < other.v + other.nv; ++j) {
          const Column& theirs = columns_[static_cast<std::size_t>(j)];
          behind(own, theirs, of_q, of_v);
          use(node.v + i, j, of_q, of_v);
          before(theirs, own, of_q, of_v);
          use(j, node.v + i, of_q, of_v);
        }
      }
    }
  }
}

extern template class TreeDerivatives<Planar>;
extern template class TreeDerivatives<Spatial>;

}  // namespace mbs
