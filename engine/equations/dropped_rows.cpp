#include "engine/equations/dropped_rows.hpp"

namespace mbs {

void drop_positions(const Structure& known, const State& x, unsigned want, Workspace& ws) {
  if (known.dropped < 0) return;
  for (int i = 0; i < ws.G.rows(); ++i) {
    if (!is_dropped(known, x, i)) continue;
    if (want & want_G) {
      for (RowSparse::InnerIterator entry(ws.G, i); entry; ++entry) entry.valueRef() = 0.0;
      ws.D[i] = 1.0;
      ws.gI[i] = 0.0;
    }
    if ((want & want_g) && i < ws.g.size()) ws.g[i] = 0.0;
  }
}

void drop_gamma(const Structure& known, const State& x, Workspace& ws) {
  if (known.dropped < 0) return;
  for (int i = 0; i < ws.gamma.size(); ++i) {
    if (is_dropped(known, x, i)) ws.gamma[i] = 0.0;
  }
}

// The rows of g, G v and G a + gamma; the column of lambda, which is 0, in the dynamics.
void drop_jacobian(const Sizes& n, const Structure& known, const State& x, Workspace& ws) {
  if (known.dropped < 0) return;
  const JacobianLayout at(n);
  const auto out = [&](Eigen::Index row, int first, int count) {
    const int i = static_cast<int>(row) - first;
    return i >= 0 && i < count && is_dropped(known, x, i);
  };
  ColumnSparse& J = ws.jacobian;
  // Entries G_ij of the dynamics' lambda_i column, which may hold df/dlambda beside.
  for (int j = 0; j < n.v; ++j) {
    for (ColumnSparse::InnerIterator entry(J, at.col_v + j); entry; ++entry) {
      if (!out(entry.row(), at.velocity, n.lambda) || entry.value() == 0.0) continue;
      const auto i = entry.row() - at.velocity;
      J.coeffRef(at.dynamics + j, at.col_lambda + i) += entry.value();
    }
  }
  for (int j = 0; j < J.cols(); ++j) {
    for (ColumnSparse::InnerIterator entry(J, j); entry; ++entry) {
      const auto row = entry.row();
      if (out(row, at.velocity, n.lambda) || out(row, at.position, n.g) ||
          out(row, at.acceleration, n.lambda)) {
        entry.valueRef() = 0.0;
      }
    }
  }
  for (int i = 0; i < n.lambda; ++i) {
    if (is_dropped(known, x, i)) J.coeffRef(at.velocity + i, at.col_lambda + i) = -1.0;
  }
}

}  // namespace mbs
