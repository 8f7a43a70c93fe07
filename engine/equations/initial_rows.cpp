#include "engine/equations/initial_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "engine/equations/differences.hpp"
#include "engine/equations/metric_step.hpp"

namespace mbs {

namespace {

// Largest term of each row of C for changes of typical size, or 1.
Vector row_sizes(const RowSparse& C, const Vector& typical) {
  Vector size = Vector::Zero(C.rows());
  for (Eigen::Index i = 0; i < C.rows(); ++i) {
    for (RowSparse::InnerIterator entry(C, i); entry; ++entry) {
      size[i] = std::max(size[i], std::abs(entry.value()) * typical[entry.col()]);
    }
    if (!(size[i] > 0.0 && std::isfinite(size[i]))) size[i] = 1.0;
  }
  return size;
}

// The pattern of the rows p' = Z v of the Jacobian; full when the Jacobian's is not known.
ColumnSparse pattern_of_Z(const Equations& equations) {
  const Sizes& n = equations.sizes();
  const JacobianLayout at(n);
  const ColumnSparse& J = equations.structure().jacobian;
  if (J.rows() != at.rows || J.cols() != at.cols) return Matrix::Ones(n.p, n.v).sparseView();
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n.v; ++j) {
    for (ColumnSparse::InnerIterator entry(J, at.col_v + j); entry; ++entry) {
      const auto i = entry.row() - at.kinematics;
      if (i >= 0 && i < n.p) entries.emplace_back(static_cast<int>(i), j, 1.0);
    }
  }
  ColumnSparse Z(n.p, n.v);
  Z.setFromTriplets(entries.begin(), entries.end());
  return Z;
}

}  // namespace

double Rows::largest() const {
  double size = 0.0;
  for (Eigen::Index i = 0; i < residual.size(); ++i) {
    if (!std::isfinite(residual[i])) return std::numeric_limits<double>::infinity();
    size = std::max(size, std::abs(residual[i]) / scale[i]);
  }
  return size;
}

bool has_guesses(const Equations& equations, bool of_velocities) {
  const std::vector<char>& guesses = equations.structure().condition_guesses;
  const int first = of_velocities ? equations.sizes().conditions_p : 0;
  const int count = of_velocities ? equations.sizes().conditions_v : equations.sizes().conditions_p;
  for (int i = 0; i < count && !guesses.empty(); ++i) {
    if (guesses[static_cast<std::size_t>(first + i)] != 0) return true;
  }
  return false;
}

namespace {

constexpr double softness = 1e3;
constexpr double rounding = 1e-10;

// The rows of constraints, and after them those of the conditions that count; `first` is the number
// of the first condition.
Rows with_conditions(const Structure& known, const RowSparse& constraints, const Vector& g,
                     const RowSparse& conditions, const Vector& c, int first, Conditions which) {
  std::vector<int> chosen;
  std::vector<double> weight;
  for (int i = 0; i < c.size(); ++i) {
    const auto at = static_cast<std::size_t>(first + i);
    const bool guess = at < known.condition_guesses.size() && known.condition_guesses[at] != 0;
    if (which == Conditions::none || (which == Conditions::exact && guess)) continue;
    chosen.push_back(i);
    weight.push_back(guess && which == Conditions::soft ? softness : 1.0);
  }
  const auto count = static_cast<Eigen::Index>(chosen.size());
  RowSparse select(count, c.size());
  for (Eigen::Index k = 0; k < count; ++k)
    select.insert(k, chosen[static_cast<std::size_t>(k)]) = 1.0;
  Rows rows;
  rows.soft = Eigen::Map<const Vector>(weight.data(), count);
  rows.C = stack(constraints, select * conditions);
  rows.residual.resize(g.size() + count);
  rows.residual << g, select * c;
  for (Eigen::Index i = 0; i < g.size(); ++i) {
    rows.names.push_back(entry_name(known.lambda_names, i, "constraint"));
  }
  for (const int i : chosen) {
    rows.names.push_back(entry_name(known.condition_names, first + i, "condition"));
  }
  return rows;
}

}  // namespace

Rows position_rows(const Equations& equations, const Context& context, const State& x,
                   Workspace& ws, const Vector& q, Conditions which) {
  const Sizes& n = equations.sizes();
  const Structure& known = equations.structure();
  equations.position(context, x, want_M | want_G | want_g, ws);
  equations.velocity(context, x, ws);
  equations.conditions(context, x, ws);
  Rows rows = with_conditions(known, ws.G.topRows(n.g), ws.g, ws.condition_p_rows, ws.condition_p,
                              0, which);
  const Vector g_scale =
      known.g_scale.size() >= n.g ? Vector(known.g_scale.head(n.g)) : Vector::Ones(n.g);
  rows.scale = row_sizes(rows.C, q);
  rows.scale.head(n.g) = g_scale;
  rows.scale.tail(rows.soft.size()).array() *= rows.soft.array();
  return rows;
}

Rows velocity_rows(const Equations& equations, const Context& context, const State& x,
                   Workspace& ws, Conditions which) {
  const Sizes& n = equations.sizes();
  const Structure& known = equations.structure();
  equations.position(context, x, want_M | want_G, ws);
  equations.velocity(context, x, ws);
  equations.conditions(context, x, ws);
  Rows rows = with_conditions(known, ws.G, ws.G_v, ws.condition_v_rows, ws.condition_v,
                              n.conditions_p, which);
  const Vector v_scale = known.v_scale.size() == n.v ? known.v_scale : Vector::Ones(n.v);
  rows.scale = row_sizes(rows.C, v_scale.cwiseMax(x.v.cwiseAbs()));
  // A row that is zero but for rounding (a redundant one in joint coordinates) gets its typical
  // size, so that it does not count.
  const bool sized = known.g_scale.size() >= n.lambda;
  for (int i = 0; i < n.lambda; ++i) {
    const double typical = sized ? known.g_scale[i] : 1.0;
    if (rows.scale[i] < rounding * typical) rows.scale[i] = typical;
  }
  rows.scale.tail(rows.soft.size()).array() *= rows.soft.array();
  return rows;
}

std::string worst(const Rows& rows) {
  Eigen::Index row = 0;
  const Vector size = rows.scaled().cwiseAbs();
  size.maxCoeff(&row);
  return four_digits(std::abs(rows.residual[row])) + " in " +
         quoted(rows.names[static_cast<std::size_t>(row)]);
}

Matrix matrix_Z(const Equations& equations, const Context& context, const State& x) {
  const Sizes& n = equations.sizes();
  Matrix Z(n.p, n.v);
  Vector unit = Vector::Zero(n.v), z;
  for (int j = 0; j < n.v; ++j) {
    unit[j] = 1.0;
    equations.apply_Z(context, x, unit, z);
    Z.col(j) = z;
    unit[j] = 0.0;
  }
  return Z;
}

// Columns of Z without a common row are taken together: that is a few products whatever the size.
Vector coordinate_scale(const Equations& equations, const Context& context, const State& x) {
  const Sizes& n = equations.sizes();
  const Vector& p_scale = equations.structure().p_scale;
  const bool scaled = p_scale.size() == n.p;
  std::vector<int> columns, begin;
  const ColumnSparse Z = pattern_of_Z(equations);
  colour(Z, columns, begin);
  Vector q = Vector::Ones(n.v), units = Vector::Zero(n.v), z = Vector::Zero(n.p);
  for (std::size_t group = 0; group + 1 < begin.size(); ++group) {
    const std::span<const int> together(columns.data() + begin[group],
                                        columns.data() + begin[group + 1]);
    for (const int j : together) units[j] = 1.0;
    equations.apply_Z(context, x, units, z);
    for (const int j : together) {
      units[j] = 0.0;
      double moved = 0.0;
      for (ColumnSparse::InnerIterator entry(Z, j); entry; ++entry) {
        const auto i = entry.row();
        moved = std::max(moved, std::abs(z[i]) / (scaled ? p_scale[i] : 1.0));
      }
      if (moved > 0.0 && std::isfinite(moved)) q[j] = 1.0 / moved;
    }
  }
  return q;
}

std::vector<std::string> elements_of_row(const Structure& known, const RowSparse& C, int row,
                                         const std::string& name) {
  std::vector<std::string> names;
  for (RowSparse::InnerIterator entry(C, row); entry; ++entry) {
    const auto j = static_cast<std::size_t>(entry.col());
    if (j >= known.v_bodies.size() || j >= known.v_names.size()) continue;
    const std::string& body = known.v_bodies[j];
    const std::string joint = known.v_names[j].substr(0, known.v_names[j].rfind('.'));
    if (!body.empty() && joint != body) names.push_back(joint);
  }
  names.push_back(name);
  return unique_names(names);
}

std::vector<std::string> unique_names(const std::vector<std::string>& names) {
  std::vector<std::string> unique;
  for (const std::string& name : names) {
    if (std::ranges::find(unique, name) == unique.end()) unique.push_back(name);
  }
  return unique;
}

std::string list_names(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 10;
  std::string text;
  const std::size_t count = names.size() <= shown + 1 ? names.size() : shown;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += quoted(names[i]);
  }
  if (count < names.size()) text += " and " + std::to_string(names.size() - count) + " more";
  return text;
}

std::string entry_name(const std::vector<std::string>& names, Eigen::Index i,
                       const char* otherwise) {
  const auto at = static_cast<std::size_t>(i);
  return at < names.size() ? names[at] : std::string(otherwise) + ' ' + std::to_string(i + 1);
}

std::string quoted(const std::string& name) {
  std::string text(1, '\'');
  text += name;
  text += '\'';
  return text;
}

std::string four_digits(double x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 4).ptr;
  return std::string(text, end);
}

}  // namespace mbs
