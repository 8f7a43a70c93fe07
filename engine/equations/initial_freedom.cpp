#include "engine/equations/initial_freedom.hpp"

#include <algorithm>
#include <cmath>

#include "engine/equations/initial_rows.hpp"
#include "engine/linear/dependencies.hpp"

namespace mbs {

namespace {

constexpr double given_tolerance = 1e-6;  // of values that a person writes

struct Freedom {
  int motions = 0;                       // dimension of the rows' kernel
  std::vector<std::string> coordinates;  // that take part in them
  std::vector<std::string> flat;         // conditions without any slope there
  std::vector<std::string> implied;      // conditions that depend on each other or on constraints
};

// `constraints`: how many of the rows are none of conditions.
Freedom freedom_of(const Rows& rows, Eigen::Index constraints, const Vector& scale,
                   const std::vector<std::string>& names) {
  const RowSparse C = rows.scale.cwiseInverse().asDiagonal() * rows.C * scale.asDiagonal();
  const RowSparse columns = C.transpose();
  Freedom found;
  const auto add = [](std::vector<std::string>& list, const std::vector<std::string>& of,
                      Eigen::Index i) { list.push_back(entry_name(of, i, "coordinate")); };
  for (Eigen::Index j = 0; j < columns.rows(); ++j) {
    if (columns.row(j).norm() > 0.0) continue;
    ++found.motions;
    add(found.coordinates, names, j);
  }
  for (const Dependency& one : find_dependencies(columns)) {
    ++found.motions;
    for (const int j : one.rows) add(found.coordinates, names, j);
  }
  for (Eigen::Index i = constraints; i < C.rows(); ++i) {
    if (C.row(i).norm() == 0.0) add(found.flat, rows.names, i);
  }
  for (const Dependency& one : find_dependencies(C)) {
    for (const int i : one.rows) {
      if (i >= constraints) add(found.implied, rows.names, i);
    }
  }
  return found;
}

std::vector<std::string> both(std::vector<std::string> list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return unique_names(list);
}

std::string degrees(int count, const char* of_what) {
  return std::to_string(count) + (count == 1 ? " degree" : " degrees") + " of freedom of " +
         of_what;
}

}  // namespace

std::string what_is_off(const Equations& equations, const Context& context, State x,
                        Workspace& ws) {
  equations.normalise(x);
  const Vector q = coordinate_scale(equations, context, x);
  for (const bool of_velocities : {false, true}) {
    const Rows rows = of_velocities ? velocity_rows(equations, context, x, ws)
                                    : position_rows(equations, context, x, ws, q);
    const Vector size = rows.scaled().cwiseAbs();
    std::vector<std::string> names;
    for (Eigen::Index i = 0; i < size.size(); ++i) {
      if (!(size[i] <= given_tolerance)) names.push_back(rows.names[static_cast<std::size_t>(i)]);
    }
    if (names.empty()) continue;
    return (of_velocities ? "velocities at " : "positions at ") + list_names(unique_names(names)) +
           ", at most by " + worst(rows) +
           (of_velocities ? " (metres or radians per second)" : " (metres or radians)");
  }
  return {};
}

std::string what_is_open(const Equations& equations, const Context& context, const State& x,
                         const State& guess, Workspace& ws, const Vector& q,
                         InitialReport& report) {
  const Sizes& n = equations.sizes();
  const Structure& known = equations.structure();
  const Vector v_scale = known.v_scale.size() == n.v ? known.v_scale : Vector::Ones(n.v);
  const Freedom of_p = freedom_of(position_rows(equations, context, x, ws, q), n.g, q,
                                  n.p == n.v ? known.p_names : known.v_names);
  const Freedom of_v =
      freedom_of(velocity_rows(equations, context, x, ws), n.lambda, v_scale, known.v_names);
  report.free_motions = of_p.motions + of_v.motions;
  report.undetermined = both(of_p.coordinates, of_v.coordinates);
  report.implied = both(of_p.implied, of_v.implied);
  if (report.free_motions == 0) return {};
  const std::string off = what_is_off(equations, context, guess, ws);
  if (off.empty()) return {};  // with too few conditions consistency is all that is asked for
  const std::vector<std::string> flat = both(of_p.flat, of_v.flat);
  std::string text =
      "Constraints and exact conditions do not determine the start (-2106 of GEOMS): they "
      "leave " +
      degrees(of_p.motions, "positions") + " and " + degrees(of_v.motions, "velocities") +
      ", in which " + list_names(report.undetermined) + " take part";
  if (!flat.empty()) text += "; " + list_names(flat) + " has no slope there";
  if (!report.implied.empty()) text += "; " + list_names(report.implied) + " repeat each other";
  return text + ". Nor are the values given consistent as they are: they miss " + off +
         ". Give as many conditions more (target=\"exact\" of a joint, <condition>), or let all "
         "else move as little as possible: <init conditions=\"fill\"/>.";
}

}  // namespace mbs
