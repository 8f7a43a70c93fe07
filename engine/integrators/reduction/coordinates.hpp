#pragma once

// Dependent directions and, by them, independent coordinates. At a reference point, with the
// constraints' matrix scaled to G^ = R G S (S = diag(v_scale), R to rows of size 1), directions D
// of as many columns as constraints are chosen so that G D is well conditioned; they stay while G
// changes. A predicted point is projected onto the constraints along D alone,
//
//   p <- p + Z D y,  G D y = -g                 Newton (2.2.1)
//   v <- v + D y,    G D y = -(G v + gI)        (2.2.5), (5.3.10), (6.4.10)
//
// so that all linear functions which vanish on D, the independent coordinates, keep the values they
// were integrated to. The methods are choices of D; equation numbers are those of the reduction
// survey:
//
//   pivots         unit vectors by elimination of G^ with full pivoting     Wehage and Haug (1982)
//   svd            D = S V_D^T, the right singular vectors of G^            Mani et al. (1985)
//   gram_schmidt   D = S V_D, G^^T made orthonormal from left to right      Liang and Lance (1987)
//
// With pivots the dependent velocities are H times the others, H = -(G D)^-1 G (appendix B).
// Coordinates are chosen among those of v, whatever Z: a body's rotation about one of its axes may
// depend, and its Euler parameters follow by Z and are normalised apart. Nonholonomic constraints
// depend only in v; with them there are two sets, the one for p from the first n_g rows.
//
// Differences from the survey: scales, since units would decide pivots (2.3); G^^T is made
// orthonormal twice (the plain process of 6.3.2 loses orthogonality with the condition of G); V_I
// is never formed (options.hpp).

#include "engine/base/error_norm.hpp"
#include "engine/equations/projection.hpp"
#include "engine/linear/dense_lu.hpp"

namespace mbs::reduction {

class Coordinates {
 public:
  enum class Choice { pivots, svd, gram_schmidt };
  Coordinates(const Equations& equations, Context context, const Tolerances& tolerances);
  ~Coordinates();

  // Uses the position stage (G, D) in ws. False when the constraints depend on each other there.
  bool choose(Choice choice, const Workspace& ws);

  // Changes x.p (and x.s). Leaves the position stage of a point nearby in ws.
  ProjectionResult positions(State& x, Workspace& ws);
  // Changes x.v, with the position stage (G) of x in ws; `fresh`: the factors of positions() are
  // not those at x.
  ProjectionResult velocities(State& x, Workspace& ws, bool fresh);

  // The distance of x from the constraints along D, after the position stage (G, g) of x: |.|_TOL
  // of the first Newton steps of both. `dy` is scratch for (p, v, r).
  double distance(const State& x, Workspace& ws, const ErrorNorm& norm, Vector& dy);

  // The largest entry of H over the scaled independent coordinates, which is the amplification of
  // the dependent ones, at the point of the position stage (G). With orthonormal D it is the
  // largest tangent of the angles between G^'s rows and D's.
  double amplification(const Workspace& ws);
  // The ratio of the smallest to the largest pivot of R G S at that point, with R = 1 / g_scale, so
  // that a row that vanishes counts as well; 0 where the constraints lose rank.
  double regularity(const Workspace& ws);
  // The dependent columns in the order of the rows; with pivots alone.
  const std::vector<int>& dependent() const { return v_set_.columns; }
  double pivot_ratio() const { return v_set_.pivot_ratio; }

  // The part of x.v within D, for the energy criterion.
  void dependent_part(const Vector& v, Vector& v_D);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  struct Set {
    int rows = 0;
    Matrix D;                  // n_v x rows; a column of zeros for an inactive row
    std::vector<int> columns;  // of the unit vectors; -1 none
    double pivot_ratio = 1.0;  // smallest by largest pivot or singular value of G^
    DenseLu lu;                // of G D
    Vector y;

    void resize(int count, int n_v);
    void save(ByteWriter&) const;
    void restore(ByteReader&);
  };
  struct Svd;
  bool choose(Choice choice, const Workspace& ws, Set& set);
  double eliminate(Eigen::Ref<Matrix> A, std::vector<int>& columns) const;
  bool by_pivots(Set& set);
  bool by_svd(Set& set);
  bool by_gram_schmidt(Set& set);
  static bool factor(Set& set, const Workspace& ws);
  Set& p_set() { return shared_ ? v_set_ : p_set_; }

  const Equations& equations_;
  Context context_;
  Sizes sizes_;
  ErrorNorm norm_;
  bool shared_;  // no nonholonomic rows: one set for both
  Set v_set_, p_set_;
  Vector scale_;      // S
  Vector row_scale_;  // 1 / R of regularity()
  Matrix G_hat_;      // rows of G^, then scratch
  std::vector<int> pivots_;
  std::vector<char> active_;
  std::unique_ptr<Svd> svd_;
  Vector nu_, dp_;
};

}  // namespace mbs::reduction
