// Forward differences of residual(): column j by
//
//   (R(x + h_j e_j) - R(x)) / h_j,   h_j = sqrt(eps) max(|x_j|, scale_j)
//
// with h_j rounded so that x_j + h_j is exact. Where x_j is zero, the smaller one of this entry and
// the one below: a law that jumps there (dry friction of what starts at rest) has no slope of 1e8,
// with which Newton's changes would be nothing but small. Columns without a common row in the
// pattern of the Jacobian are taken together (Curtis, Powell, Reid), in the order of a greedy
// colouring.

#include "engine/equations/differences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbs {

namespace {

ColumnSparse full_pattern(int rows, int cols) {
  return Matrix::Ones(rows, cols).sparseView();
}

double increment(double x, double scale) {
  const double h = std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(std::abs(x), scale);
  volatile double moved = x + h;
  return moved - x;
}

// The unknowns in the order of JacobianLayout's columns.
struct Block {
  Vector* x;
  int begin;
};

template <class Function>
void for_blocks(State& x, Inputs& inputs, const JacobianLayout& at, Function&& function) {
  for (const Block& block :
       {Block{&x.p, at.col_p}, Block{&x.v, at.col_v}, Block{&x.r, at.col_r}, Block{&x.w, at.col_w},
        Block{&x.s, at.col_s}, Block{&x.lambda, at.col_lambda}, Block{&inputs.value, at.col_u}}) {
    function(*block.x, block.begin);
  }
}

double& unknown(State& x, Inputs& inputs, const JacobianLayout& at, int column) {
  double* found = nullptr;
  for_blocks(x, inputs, at, [&](Vector& block, int begin) {
    const int i = column - begin;
    if (i >= 0 && i < block.size()) found = &block[i];
  });
  return *found;
}

// A block without sizes from the model takes its largest entry (multipliers differ widely), or 1.
void set_increments(const Structure& structure, const JacobianLayout& at, Differences& diff) {
  for_blocks(diff.x, diff.inputs, at, [&](const Vector& block, int begin) {
    const Vector* scales = nullptr;
    if (&block == &diff.x.p) scales = &structure.p_scale;
    if (&block == &diff.x.v) scales = &structure.v_scale;
    const double largest = block.size() > 0 ? block.cwiseAbs().maxCoeff() : 0.0;
    const double common = &block == &diff.x.lambda && largest > 0.0 ? largest : 1.0;
    for (int i = 0; i < block.size(); ++i) {
      const double scale = scales && scales->size() == block.size() ? (*scales)[i] : common;
      diff.increment[begin + i] = increment(block[i], scale);
    }
  });
}

// The differences' own copies of state and inputs. Inputs are moved at t by their values.
Differences& prepare(const Equations& equations, const Context& context, const State& x,
                     Workspace& ws) {
  if (!ws.differences) ws.differences = std::make_unique<Differences>(equations, context, x);
  Differences& diff = *ws.differences;
  diff.x = x;  // of the same sizes: nothing is allocated
  diff.inputs = context.inputs;
  return diff;
}

}  // namespace

// Greedy: each column goes to the first group none of whose columns has one of its rows.
void colour(const ColumnSparse& pattern, std::vector<int>& columns, std::vector<int>& begin) {
  const int cols = static_cast<int>(pattern.cols());
  const RowSparse by_row = pattern;
  std::vector<int> group(static_cast<std::size_t>(cols), -1);
  std::vector<int> taken(static_cast<std::size_t>(cols) + 1, -1);
  int groups = 0;
  for (int j = 0; j < cols; ++j) {
    for (ColumnSparse::InnerIterator row(pattern, j); row; ++row) {
      for (RowSparse::InnerIterator other(by_row, row.row()); other; ++other) {
        const int g = group[static_cast<std::size_t>(other.col())];
        if (g >= 0) taken[static_cast<std::size_t>(g)] = j;
      }
    }
    int g = 0;
    while (taken[static_cast<std::size_t>(g)] == j) ++g;
    group[static_cast<std::size_t>(j)] = g;
    groups = std::max(groups, g + 1);
  }
  for (int g = 0; g < groups; ++g) {
    begin.push_back(static_cast<int>(columns.size()));
    for (int j = 0; j < cols; ++j) {
      if (group[static_cast<std::size_t>(j)] == g) columns.push_back(j);
    }
  }
  begin.push_back(cols);
}

Differences::Differences(const Equations& equations, const Context& context, const State& state)
    : ws(equations.make_workspace()), x(state), inputs(context.inputs) {
  const JacobianLayout at(equations.sizes());
  base.resize(at.rows);
  increment.resize(at.cols);
  const ColumnSparse& pattern = equations.structure().jacobian;
  const bool known = pattern.rows() == at.rows && pattern.cols() == at.cols;
  if (known) {
    colour(pattern, group_columns, group_begin);
  } else {
    for (int j = 0; j <= at.cols; ++j) group_begin.push_back(j);
    for (int j = 0; j < at.cols; ++j) group_columns.push_back(j);
  }
}

void Equations::jacobian(const Context& context, const State& x, Workspace& ws) const {
  const JacobianLayout at(sizes_);
  Differences& diff = prepare(*this, context, x, ws);
  if (ws.jacobian.rows() != at.rows || ws.jacobian.cols() != at.cols) {
    const bool known =
        structure_.jacobian.rows() == at.rows && structure_.jacobian.cols() == at.cols;
    ws.jacobian = known ? structure_.jacobian : full_pattern(at.rows, at.cols);
    ws.jacobian.makeCompressed();
  }
  const Context moved{diff.inputs, context.parameters};
  residual(moved, diff.x, *diff.ws);
  diff.base = diff.ws->residual;
  set_increments(structure_, at, diff);
  // The residual with unknowns moved by their increments, all or those that are zero; false where
  // there is none.
  const auto move = [&](std::span<const int> columns, double by, bool zeros_alone) {
    bool any = false;
    for (const int j : columns) {
      double& x_j = unknown(diff.x, diff.inputs, at, j);
      if (zeros_alone && x_j != 0.0) continue;
      x_j += by * diff.increment[j];
      any = true;
    }
    if (any) residual(moved, diff.x, *diff.ws);
    diff.x = x;
    diff.inputs.value = context.inputs.value;
    return any;
  };
  for (std::size_t group = 0; group + 1 < diff.group_begin.size(); ++group) {
    const std::span<const int> columns(diff.group_columns.data() + diff.group_begin[group],
                                       diff.group_columns.data() + diff.group_begin[group + 1]);
    move(columns, 1.0, false);
    const Vector& there = diff.ws->residual;
    for (const int j : columns)
      for (ColumnSparse::InnerIterator entry(ws.jacobian, j); entry; ++entry)
        entry.valueRef() = (there[entry.row()] - diff.base[entry.row()]) / diff.increment[j];
    if (!move(columns, -1.0, true)) continue;
    for (const int j : columns) {
      if (unknown(diff.x, diff.inputs, at, j) != 0.0) continue;
      for (ColumnSparse::InnerIterator entry(ws.jacobian, j); entry; ++entry) {
        const double below = (diff.base[entry.row()] - there[entry.row()]) / diff.increment[j];
        if (std::abs(below) < std::abs(entry.value())) entry.valueRef() = below;
      }
    }
  }
}

void Equations::friction(const Context& context, const State& x, Workspace& ws) const {
  Differences& diff = prepare(*this, context, x, ws);
  Workspace& at = *diff.ws;
  const auto f_of = [&]() -> const Vector& {
    if (sizes_.w > 0) solve_auxiliary(context, diff.x, at);
    position(context, diff.x, want_G, at);
    velocity(context, diff.x, at);
    force(context, diff.x, want_f, at);
    return at.f;
  };
  auto base = diff.base.head(sizes_.v);
  base = f_of();
  const double largest = sizes_.lambda > 0 ? x.lambda.cwiseAbs().maxCoeff() : 0.0;
  for (int j = 0; j < sizes_.lambda; ++j) {
    const double h = increment(x.lambda[j], largest > 0.0 ? largest : 1.0);
    diff.x.lambda[j] += h;
    f_of();
    for (ColumnSparse::InnerIterator entry(ws.F, j); entry; ++entry) {
      entry.valueRef() = (at.f[entry.row()] - base[entry.row()]) / h;
    }
    diff.x.lambda[j] = x.lambda[j];
    diff.x.w = x.w;
  }
}

}  // namespace mbs
