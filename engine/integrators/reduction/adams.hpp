#pragma once

// Adams methods of orders 1 ... 12 for y' = f on nodes of any spacing, as PECE with local
// extrapolation (Shampine and Gordon (1975)).
// With the newest node t_0, t_1, ... the older ones, h = t - t_0, N_i(s) = prod_{j<i} (s - t_j) and
// Q_m the polynomial through the slopes of the m newest nodes, a step of order k is
//
//   P   y^p = y + int Q_k                              from t_0 to t
//   E   D_m = f(t, y^p) - Q_m(t)
//   C   y^c = y^p + h gamma_k D_k                      which is the corrector of order k + 1
//   E   f(t, y^c) becomes a node
//
//   gamma_m = 1/h int N_m(s) ds / N_m(t),    error of order m:  h (gamma_{m-1} - gamma_m) D_m
//
// Shampine and Gordon carry modified divided differences from step to step. Here the slopes
// themselves are kept and Q_m is taken from them in each step: a node can replace another, errors
// of neighbouring orders are those of the actual spacing, and the integrated variables may change
// between two steps to other linear functions of the same slopes without any loss of order, since
// their history is that function of the stored history.
//
// Dense output over the last step takes the polynomial Q through the slopes of its k + 1 newest
// nodes, t_0 now being its end, and c such that y is met at both ends:
//
//   y(t) = y_1 + int (Q + c N_{k+1})                   from t_0 to t
//
// with continuous slopes from step to step. All integrals are Gauss' with 7 points, exact for these
// degrees.

#include <array>

#include "engine/base/bytes.hpp"
#include "engine/base/types.hpp"

namespace mbs::reduction {

class Adams {
 public:
  static constexpr int most_order = 12;

  // Slopes have `rows` entries; the first `integrated` of them are those of y.
  Adams(int integrated, int rows);

  void clear() { nodes_ = 0; }
  int nodes() const { return nodes_; }
  double newest() const { return time(0); }
  // Adds a node; `in_place`: it replaces the newest one.
  void push(double t, const Vector& slope, bool in_place = false);

  // Plans a step to t of order k <= nodes().
  void plan(double t, int k);
  void predict(const Vector& y, Vector& y_new) const;
  void extrapolate(Vector& slope);              // Q_k(t), all rows
  const Vector& error(const Vector& f, int m);  // error of order m <= nodes(), from f(t, y^p)
  void correct(const Vector& f, Vector& y_new);

  // Interpolates at t within the last step, of order `order`, from t_begin with y0 to the newest
  // node with y1.
  void interpolate(double t, double t_begin, const Vector& y0, const Vector& y1, int order,
                   Vector& y, Vector& slope);

  void save(ByteWriter&) const;
  void restore(ByteReader&);

 private:
  static constexpr int most_nodes = most_order + 1;
  using Weights = Eigen::Matrix<double, most_nodes, 1>;
  using Newton = std::array<double, most_nodes + 1>;  // of N_0 ... N_nodes

  double time(int j) const {
    return t_[static_cast<std::size_t>(at_[static_cast<std::size_t>(j)])];
  }
  void divide(double origin, double unit, int count);
  Weights combine(const Newton& c, int count) const;
  Newton values(double s, int count) const;
  Newton integrals(double from, double to, int count) const;

  int integrated_, nodes_ = 0;
  Matrix slopes_;  // a column for each node
  std::array<double, most_nodes> t_{};
  std::array<int, most_nodes> at_{};  // column of the j-th newest node

  double h_ = 0.0;
  int order_ = 0;
  std::array<double, most_nodes> s_{};  // (t_j - origin) / unit
  std::array<std::array<double, most_nodes>, most_nodes>
      divided_{};                 // [i][j]: weight of f_j in f[t_0..t_i]
  Newton at_end_{}, integral_{};  // N_i at t, and its mean over the step
  Weights predictor_;
  Vector defect_;
};

}  // namespace mbs::reduction
