// F = df/dlambda at fixed t, p, v, r, u: f depends on lambda where a force law names the reaction
// of a joint, directly or by an auxiliary unknown,
//
//   F = f_lambda - f_w d_w^-1 d_lambda,     0 = d(w, lambda)
//
// Its pattern holds every place that a law can reach, whatever branch of an `if` is taken.

#include <algorithm>

#include "engine/multibody/element_evaluator.hpp"

namespace mbs {

template <class Space>
void ElementEvaluator<Space>::record_friction(const Evaluation<Space>& here) {
  const JacobianLayout& at = layout_;
  const auto within = [](int i, int begin, int count) { return i >= begin && i < begin + count; };
  std::vector<Fill::Entry> seen;
  Fill fill(seen);
  fill_laws(here, fill);
  std::vector<Eigen::Triplet<double>> F;
  std::vector<int> f_rows, d_columns;  // of f_w and d_lambda
  for (Fill::Entry& e : seen) {
    const bool in_f = within(e.row, at.dynamics, sizes_.v), in_d = within(e.row, at.w, sizes_.w);
    const bool of_w = within(e.column, at.col_w, sizes_.w);
    const bool of_lambda = within(e.column, at.col_lambda, sizes_.lambda);
    e.present = (in_f || in_d) && (of_w || of_lambda);
    if (in_f && of_w) f_rows.push_back(e.row - at.dynamics);
    if (in_d && of_lambda) d_columns.push_back(e.column - at.col_lambda);
    if (in_f && of_lambda) F.emplace_back(e.row - at.dynamics, e.column - at.col_lambda, 0.0);
  }
  for (const int i : f_rows) {
    for (const int j : d_columns) F.emplace_back(i, j, 0.0);
  }
  law_pattern_ = pattern_of<ColumnSparse>(seen, at.rows, at.cols, law_places_);
  structure_.f_depends_on_lambda = !F.empty();
  structure_.saddle.F = ColumnSparse(sizes_.v, sizes_.lambda);
  structure_.saddle.F.setFromTriplets(F.begin(), F.end());
}

template <class Space>
void ElementEvaluator<Space>::friction(const Context& context, const State& x, Own& ws) const {
  if (!structure_.f_depends_on_lambda) return;
  linearise(context, x, ws);
  const Evaluation<Space> here = linearised(context, x, ws);
  ws.law_partials.coeffs().setZero();
  Fill fill(law_places_, ws.law_partials.valuePtr());
  fill_laws(here, fill);

  // The entries of a column in the rows of f, and in those of d.
  const auto column = [&](int index, const auto& in_f, const auto& in_d) {
    for (ColumnSparse::InnerIterator entry(ws.law_partials, index); entry; ++entry) {
      const int row = static_cast<int>(entry.row());
      if (row < layout_.dynamics + sizes_.v) {
        in_f(row - layout_.dynamics, entry.value());
      } else {
        in_d(row - layout_.w, entry.value());
      }
    }
  };
  const auto nothing = [](int, double) {};
  ws.F.coeffs().setZero();
  ws.d_w.setZero();
  for (int k = 0; k < sizes_.w; ++k) {
    column(layout_.col_w + k, nothing, [&](int i, double value) { ws.d_w(i, k) = value; });
  }
  if (sizes_.w > 0) ws.d_w_factors.compute(ws.d_w);
  for (int j = 0; j < sizes_.lambda; ++j) {
    bool by_w = false;
    ws.w_trial.setZero();
    column(
        layout_.col_lambda + j, [&](int i, double value) { ws.F.coeffRef(i, j) += value; },
        [&](int i, double value) {
          ws.w_trial[i] = value;
          by_w = true;
        });
    if (!by_w) continue;
    ws.w_step = ws.d_w_factors.solve(ws.w_trial);
    for (int k = 0; k < sizes_.w; ++k) {
      column(
          layout_.col_w + k,
          [&](int i, double value) { ws.F.coeffRef(i, j) -= value * ws.w_step[k]; }, nothing);
    }
  }
}

template class ElementEvaluator<Planar>;
template class ElementEvaluator<Spatial>;

}  // namespace mbs
