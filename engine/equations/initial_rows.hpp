#pragma once

// The rows that consistent initial values satisfy, with their names and typical sizes: constraints
// first, then conditions.

#include <string>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs {

struct Rows {
  RowSparse C;      // act on changes of v (of p by Z)
  Vector residual;  // what is to vanish
  Vector scale;     // typical sizes, never zero
  Vector soft;      // of the conditions: factors that are in them
  std::vector<std::string> names;

  Vector scaled() const { return residual.cwiseQuotient(scale); }
  double largest() const;  // of the scaled residuals; infinite when one is not finite
};

// The conditions that count: none, the exact ones, or all, guesses included; soft: guesses weigh
// little against the exact ones, because they cannot all be met.
enum class Conditions { none, exact, all, soft };
bool has_guesses(const Equations&, bool of_velocities);

// Evaluate what they need of the workspace.
Rows position_rows(const Equations&, const Context&, const State&, Workspace&, const Vector& q,
                   Conditions = Conditions::exact);
Rows velocity_rows(const Equations&, const Context&, const State&, Workspace&,
                   Conditions = Conditions::exact);

// For messages about a row of C on changes of v: its own name, and in joint coordinates before it
// those of the joints that it depends on: with these it forms loops.
std::vector<std::string> elements_of_row(const Structure&, const RowSparse& C, int row,
                                         const std::string& name);

// The largest residual, as it stands, with its row.
std::string worst(const Rows& rows);

// The typical change of each velocity coordinate when positions change by Structure::p_scale.
Vector coordinate_scale(const Equations&, const Context&, const State&);

// Z of p' = Z v, column by column.
Matrix matrix_Z(const Equations&, const Context&, const State&);

// Names without repetition, in order: "'a', 'b' and 'c'", after ten "and 5 more".
std::vector<std::string> unique_names(const std::vector<std::string>& names);
std::string list_names(const std::vector<std::string>& names);
std::string entry_name(const std::vector<std::string>& names, Eigen::Index i,
                       const char* otherwise);
std::string quoted(const std::string& name);
std::string four_digits(double x);

}  // namespace mbs
