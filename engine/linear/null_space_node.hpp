#pragma once

// Elimination of one node of a tree, with parent j (Lubich et al. (1992), section 3.2),
//
//   ( M  G^T ) ( w   )   ( f          )
//   ( G   0  ) ( lam ) = ( g - C w_j  ),     C^T lam goes to the parent's f_j,
//
// by the null space of G. Columns of G are chosen as pivots, w = (y, z), G = (K, J) with K regular:
//
//   Jb = K^-1 J,  Hb = K^-1 C,  h = K^-1 g                        (3.12)
//   E = M_yz - M_yy Jb,  A = M_zz - M_zy Jb - Jb^T E              (3.13), A = (-Jb; I)^T M (-Jb; I)
//   U = E A^-1,  S = M_yy - U E^T,  W = S Hb
//   M_j := M_j + Hb^T W                                           (3.16)
//   t = f_z - Jb^T f_y,  r = f_y - U t - S h,  f_j := f_j - Hb^T r
//
// and back, with w_j known:
//
//   q = h - Hb w_j,  z = A^-1 t - U^T q,  y = q - Jb z            (3.14)
//   lam = K^-T (r + W w_j)
//
// In joint coordinates (1.15) w_k = (y_k, z_k), M = diag(M_k, 0), G = (K_k, J_k), C = H_k, and with
// the body's columns as pivots this is (3.17). With joints by constraints it takes the place of
// (3.10): M need not be regular, only A, so that a massless body passes that its joint holds, and
// bodies with few free directions need factors of few columns. With all bodies in one node it is
// the elimination to joint accelerations (3.3), (3.4).
//
// Arrays are row by row. Sizes known when this is compiled (>= 0) let loops be unrolled.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mbs {

struct NodeSize {
  int n = 0, m = 0, s = 0;  // columns, rows, columns of the parent

  constexpr int d() const { return n - m; }
  // Doubles of what eliminate() leaves, of the rows given to it, and of scratch.
  constexpr int factors() const { return 2 * m * m + 2 * m * d() + 2 * m * s + d() * d(); }
  constexpr int rows() const { return m * (n + s); }
  constexpr int scratch() const { return (m + 1) * (n + 1); }

  friend bool operator==(const NodeSize&, const NodeSize&) = default;
};

// Entries of equilibrated rows are about 1; below this one a pivot is too small.
inline constexpr double smallest_node_pivot = 1e-3;
inline constexpr double largest_number = std::numeric_limits<double>::max();
// A is a sum of squares: it may be this much smaller than M.
inline constexpr double smallest_reduced_mass = 1e-12;

// A <- A^-1 for positive definite A. False when a pivot is small by its diagonal entry, or below.
inline bool invert_positive(double* A, int n, double smallest) {
  for (int j = 0; j < n; ++j) {
    const double diagonal = A[j * n + j];
    for (int k = 0; k < j; ++k) A[j * n + j] -= A[j * n + k] * A[j * n + k];
    if (!(A[j * n + j] > smallest_reduced_mass * diagonal && diagonal > smallest)) return false;
    if (n == 1) {
      A[0] = 1.0 / A[0];
      return true;
    }
    A[j * n + j] = 1.0 / std::sqrt(A[j * n + j]);
    for (int i = j + 1; i < n; ++i) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = sum * A[j * n + j];
    }
  }
  for (int j = 0; j < n; ++j) {  // L^-1, whose diagonal stands there already
    for (int i = j + 1; i < n; ++i) {
      double sum = 0.0;
      for (int k = j; k < i; ++k) sum -= A[i * n + k] * A[k * n + j];
      A[i * n + j] = sum * A[i * n + i];
    }
  }
  for (int i = 0; i < n; ++i) {  // L^-T L^-1
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int k = i; k < n; ++k) sum += A[k * n + i] * A[k * n + j];
      A[i * n + j] = A[j * n + i] = sum;
    }
  }
  return true;
}

// A size known when this is compiled, or (-1) given later.
template <int Value>
struct Extent {
  explicit constexpr Extent(int) {}
  constexpr operator int() const { return Value; }
};
template <>
struct Extent<-1> {
  explicit constexpr Extent(int given) : value(given) {}
  constexpr operator int() const { return value; }
  int value;
};

template <int Columns, int Rows, int Span>
class NullSpaceNode {
 public:
  // scratch is used where sizes are given later.
  NullSpaceNode(const NodeSize& size, double* scratch)
      : n(size.n), m(size.m), s(size.s), d(size.d()), scratch_(scratch) {}

  // M: n x n, T: (G C), both overwritten. into: the first entry of the parent's M to be touched,
  // whose rows have the length stride. order: the columns, y first. False when a pivot is small.
  bool eliminate(double* M, double* T, double* factors, int* order, double* into,
                 int stride) const {
    if constexpr (Columns < 0) {
      return find_K(M, T, factors, order) && reduce(M, T, factors, scratch_, into, stride);
    } else {
      // Local copies can stay in registers, since nothing else refers to them.
      double own_M[fixed.n * fixed.n], own_T[fixed.rows() + 1], own[fixed.factors()], E[capacity];
      int columns[fixed.n];
      for (int i = 0; i < fixed.n * fixed.n; ++i) own_M[i] = M[i];
      for (int i = 0; i < fixed.rows(); ++i) own_T[i] = T[i];
      if (!find_K(own_M, own_T, own, columns) || !reduce(own_M, own_T, own, E, into, stride)) {
        return false;
      }
      for (int i = 0; i < fixed.factors(); ++i) factors[i] = own[i];
      for (int i = 0; i < fixed.n; ++i) order[i] = columns[i];
      return true;
    }
  }

  // (f, g) becomes (r, t, h).
  void forward(const double* factors, const int* order, double* x, double* parent) const {
    const Parts<const double> part(*this, factors);
    double local[capacity];
    double* f = Columns >= 0 ? local : scratch_;
    double* g = f + n;
    for (int i = 0; i < n; ++i) f[i] = x[order[i]];
    for (int i = 0; i < m; ++i) g[i] = x[n + i];
    double* r = x;
    double* t = r + m;
    double* h = t + d;
    for (int i = 0; i < m; ++i) {
      double sum = 0.0;
      for (int k = 0; k < m; ++k) sum += part.K[i * m + k] * g[k];
      h[i] = sum;
    }
    for (int i = 0; i < d; ++i) {
      double sum = f[m + i];
      for (int k = 0; k < m; ++k) sum -= part.J[k * d + i] * f[k];
      t[i] = sum;
    }
    for (int i = 0; i < m; ++i) {
      double sum = f[i];
      for (int k = 0; k < d; ++k) sum -= part.U[i * d + k] * t[k];
      for (int k = 0; k < m; ++k) sum -= part.S[i * m + k] * h[k];
      r[i] = sum;
    }
    for (int k = 0; k < m; ++k) {
      for (int j = 0; j < s; ++j) parent[j] -= part.H[k * s + j] * r[k];
    }
  }

  // (r, t, h) becomes (w, lam).
  void backward(const double* factors, const int* order, double* x, const double* parent) const {
    const Parts<const double> part(*this, factors);
    double local[capacity];
    double* q = Columns >= 0 ? local : scratch_;
    double* z = q + m;
    double* u = z + d;
    const double* r = x;
    const double* t = r + m;
    const double* h = t + d;
    for (int i = 0; i < m; ++i) {
      double sum = h[i];
      for (int j = 0; j < s; ++j) sum -= part.H[i * s + j] * parent[j];
      q[i] = sum;
      sum = r[i];
      for (int j = 0; j < s; ++j) sum += part.W[i * s + j] * parent[j];
      u[i] = sum;
    }
    for (int i = 0; i < d; ++i) {
      double sum = 0.0;
      for (int k = 0; k < d; ++k) sum += part.A[i * d + k] * t[k];
      for (int k = 0; k < m; ++k) sum -= part.U[k * d + i] * q[k];
      z[i] = sum;
    }
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < d; ++k) q[i] -= part.J[i * d + k] * z[k];
    }
    for (int i = 0; i < n; ++i) x[order[i]] = q[i];
    for (int i = 0; i < m; ++i) {
      double sum = 0.0;
      for (int k = 0; k < m; ++k) sum += part.K[k * m + i] * u[k];
      x[n + i] = sum;
    }
  }

 private:
  // The factors of a node: K^-1, Jb, Hb, U, W, S, A^-1.
  template <class T>
  struct Parts {
    Parts(const NullSpaceNode& of, T* factors)
        : K(factors),
          J(K + of.m * of.m),
          H(J + of.m * of.d),
          U(H + of.m * of.s),
          W(U + of.m * of.d),
          S(W + of.m * of.s),
          A(S + of.m * of.m) {}
    T *K, *J, *H, *U, *W, *S, *A;
  };

  // (K J C) -> (I Jb Hb) by Gauss-Jordan, row by row with the largest entry left in it as pivot.
  bool find_K(double* M, double* T, double* factors, int* order) const {
    double* K = factors;
    const int width = n + s;
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int i = 0; i < m * m; ++i) K[i] = 0.0;
    for (int i = 0; i < m; ++i) {
      double largest = std::abs(T[i * width + i]);
      int pivot = i;
      for (int k = i + 1; k < n; ++k) {
        const double size = std::abs(T[i * width + k]);
        if (size > largest) largest = size, pivot = k;
      }
      if (!(largest > smallest_node_pivot && largest <= largest_number)) return false;
      for (int k = i + 1; k < n; ++k) {  // not exchange(i, pivot): here both can be constants
        if (k == pivot) exchange(i, k, M, T, order);
      }
      const double inverse = 1.0 / T[i * width + i];
      for (int k = i + 1; k < width; ++k) T[i * width + k] *= inverse;
      for (int k = 0; k < i; ++k) K[i * m + k] *= inverse;
      K[i * m + i] = inverse;
      for (int other = 0; other < m; ++other) {
        if (other == i) continue;
        const double factor = T[other * width + i];
        for (int k = i + 1; k < width; ++k) T[other * width + k] -= factor * T[i * width + k];
        for (int k = 0; k <= i; ++k) K[other * m + k] -= factor * K[i * m + k];
      }
    }
    return true;
  }

  void exchange(int i, int k, double* M, double* T, int* order) const {
    std::swap(order[i], order[k]);
    for (int row = 0; row < m; ++row) std::swap(T[row * (n + s) + i], T[row * (n + s) + k]);
    for (int row = 0; row < n; ++row) std::swap(M[row * n + i], M[row * n + k]);
    for (int column = 0; column < n; ++column) std::swap(M[i * n + column], M[k * n + column]);
  }

  bool reduce(const double* M, const double* T, double* factors, double* E, double* into,
              int stride) const {
    const Parts<double> part(*this, factors);
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < d; ++k) part.J[i * d + k] = T[i * (n + s) + m + k];
      for (int k = 0; k < s; ++k) part.H[i * s + k] = T[i * (n + s) + n + k];
    }
    double largest = 0.0;
    for (int i = 0; i < n; ++i) largest = M[i * n + i] > largest ? M[i * n + i] : largest;
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < d; ++k) {
        double sum = M[i * n + m + k];
        for (int l = 0; l < m; ++l) sum -= M[i * n + l] * part.J[l * d + k];
        E[i * d + k] = sum;
      }
    }
    for (int i = 0; i < d; ++i) {
      for (int k = 0; k < d; ++k) {
        double sum = M[(m + i) * n + m + k];
        for (int l = 0; l < m; ++l) {
          sum -= M[(m + i) * n + l] * part.J[l * d + k] + part.J[l * d + i] * E[l * d + k];
        }
        part.A[i * d + k] = sum;
      }
    }
    if (!invert_positive(part.A, d, smallest_reduced_mass * largest)) return false;
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < d; ++k) {
        double sum = 0.0;
        for (int l = 0; l < d; ++l) sum += E[i * d + l] * part.A[l * d + k];
        part.U[i * d + k] = sum;
      }
    }
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < m; ++k) {
        double sum = M[i * n + k];
        for (int l = 0; l < d; ++l) sum -= part.U[i * d + l] * E[k * d + l];
        part.S[i * m + k] = sum;
      }
    }
    if (s == 0) {  // a root: no other node would see what is not finite here
      for (int i = 0; i < m * m; ++i) {
        if (!std::isfinite(part.S[i])) return false;
      }
    }
    pass_on(part, into, stride);
    return true;
  }

  void pass_on(const Parts<double>& part, double* into, int stride) const {
    for (int i = 0; i < m; ++i) {
      for (int k = 0; k < s; ++k) {
        double sum = 0.0;
        for (int l = 0; l < m; ++l) sum += part.S[i * m + l] * part.H[l * s + k];
        part.W[i * s + k] = sum;
      }
    }
    for (int i = 0; i < s; ++i) {
      for (int k = 0; k < s; ++k) {
        double sum = into[i * stride + k];
        for (int l = 0; l < m; ++l) sum += part.H[l * s + i] * part.W[l * s + k];
        into[i * stride + k] = sum;
      }
    }
  }

  static constexpr NodeSize fixed{Columns, Rows, Span};
  static constexpr int capacity = Columns >= 0 ? (Rows + 1) * (Columns + 1) : 1;

  Extent<Columns> n;
  Extent<Rows> m;
  Extent<Span> s;
  Extent<(Columns < 0 ? -1 : Columns - Rows)> d;
  double* scratch_;
};

}  // namespace mbs
