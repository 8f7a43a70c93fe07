// Consistent initial values: positions (position_projection.cpp), velocities by (2.12) of
// Lubich et al. (1992) with the conditions on v as further rows,
//
//   ( M  C^T ) ( dv )     (       0        )
//   ( C   0  ) ( mu ) = - ( G v + gI, c_v  )
//
// then the rank of G, accelerations and multipliers. What fails is explained by names.

#include "engine/equations/initial.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/scatter.hpp"
#include "engine/equations/inertia.hpp"
#include "engine/equations/initial_freedom.hpp"
#include "engine/equations/initial_rows.hpp"
#include "engine/equations/metric_step.hpp"
#include "engine/equations/position_projection.hpp"
#include "engine/equations/redundancy.hpp"
#include "engine/equations/start.hpp"

namespace mbs {

namespace {

constexpr int velocity_iterations = 10, velocity_attempts = 4;
constexpr double missed = 1e-6;  // deviation of a guess that is not reported
constexpr int most_turns = 8;

// The first value that is no number, by name; empty when all are.
std::string not_finite(const Vector& x, const std::vector<std::string>& names, const char* kind) {
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return entry_name(names, i, kind);
  }
  return {};
}

using Redundancy = Structure::Redundancy;

RowSparse scaled(const RowSparse& C, const Vector& row_scale, const Vector& column_scale) {
  return row_scale.cwiseInverse().asDiagonal() * C * column_scale.asDiagonal();
}

void add(std::vector<std::string>& to, const std::vector<std::string>& names) {
  to.insert(to.end(), names.begin(), names.end());
}

std::vector<std::string> names_of(const std::vector<Dependency>& dependencies,
                                  const Structure& known) {
  std::vector<std::string> found;
  for (const Dependency& one : dependencies) {
    for (const int row : one.rows) {
      add(found, elements_of_row(known, known.saddle.G, row,
                                 entry_name(known.lambda_names, row, "constraint")));
    }
  }
  return unique_names(found);
}

// Rows that contradict: those left with a residual, and those they depend on.
std::vector<std::string> contradicting(const Rows& rows, const Vector& column_scale,
                                       const Structure& known) {
  const Vector residual = rows.scaled().cwiseAbs();
  const double largest = residual.maxCoeff();
  const auto left = [&](int row) { return residual[row] > 1e-2 * largest; };
  std::vector<std::string> found;
  const auto name = [&](int row) {
    add(found, elements_of_row(known, rows.C, row, rows.names[static_cast<std::size_t>(row)]));
  };
  for (int i = 0; i < residual.size(); ++i) {
    if (left(i)) name(i);
  }
  for (const Dependency& one : find_dependencies(scaled(rows.C, rows.scale, column_scale))) {
    if (!std::ranges::any_of(one.rows, left)) continue;
    for (const int row : one.rows) name(row);
  }
  return unique_names(found);
}

std::vector<Movement> movements(const Vector& from, const Vector& to, const Vector& scale,
                                const std::vector<std::string>& names, const char* otherwise,
                                double tolerance) {
  struct Ranked {
    double size;
    Eigen::Index i;
  };
  std::vector<Ranked> ranked;
  for (Eigen::Index i = 0; i < from.size(); ++i) {
    const double size = std::abs(to[i] - from[i]) / (scale.size() == from.size() ? scale[i] : 1.0);
    if (size > 10.0 * tolerance) ranked.push_back({size, i});
  }
  std::ranges::stable_sort(ranked, std::ranges::greater(), &Ranked::size);
  std::vector<Movement> moved;
  for (const Ranked& one : ranked) {
    moved.push_back({entry_name(names, one.i, otherwise), from[one.i], to[one.i]});
  }
  return moved;
}

void report_movements(const Equations& equations, const State& from, const State& to,
                      const InitialOptions& options, InitialReport& report) {
  const Structure& known = equations.structure();
  report.moved_p = movements(from.p, to.p, known.p_scale, known.p_names, "p", options.tolerance);
  report.moved_v = movements(from.v, to.v, known.v_scale, known.v_names, "v", options.tolerance);
}

std::string depending(const std::vector<std::string>& names, std::size_t count) {
  return "The constraints of " + list_names(names) +
         " depend on each other at the initial position: " + std::to_string(count) +
         (count == 1 ? " of them takes" : " of them take") +
         " away no motion that the others leave";
}

std::string singular(const std::vector<std::string>& names, std::size_t count) {
  return depending(names, count) +
         ", but not next to it. A mechanism cannot start where its ways part: start off the "
         "singular position.";
}

std::string undetermined(const std::vector<std::string>& massless) {
  return "The accelerations are not determined: " + list_names(massless) +
         " can move without inertia. Give mass or inertia to what moves there, or constrain it.";
}

class Initial {
 public:
  Initial(const Equations& equations, const Context& context, const State& guess,
          const InitialOptions& options)
      : equations_(equations),
        context_(context),
        options_(options),
        known_(equations.structure()),
        ws_(equations.make_workspace()),
        guess_(guess),
        x_(guess) {
    for (int i = 0; known_.dropped >= 0 && i < equations.sizes().lambda; ++i) {
      x_.modes[static_cast<std::size_t>(known_.dropped + i)] = 0;
    }
  }

  InitialReport run(State& x) {
    report_.ok = finite_guess() && accept_given() && positions() && velocities() && complete() &&
                 independent();
    if (report_.ok) equations_.initialize_memory(context_, x_, *ws_);
    report_.ok = report_.ok && accelerations();
    if (report_.ok) {
      if (!known_.condition_guesses.empty()) missed_guesses();
      report_movements(equations_, guess_, x_, options_, report_);
      x = x_;
    }
    return report_;
  }

 private:
  bool failed(std::string message) {
    report_.message = std::move(message);
    return false;
  }

  bool finite_guess() {
    std::string name = not_finite(x_.p, known_.p_names, "position");
    if (name.empty()) name = not_finite(x_.v, known_.v_names, "velocity");
    if (name.empty()) name = not_finite(x_.r, known_.r_names, "state");
    if (name.empty()) name = not_finite(x_.w, known_.w_names, "auxiliary unknown");
    return name.empty() ||
           failed("The initial value of " + quoted(name) + " is not a finite number.");
  }

  bool accept_given() {
    if (options_.conditions != InitialOptions::Conditions::given) return true;
    const std::string off = what_is_off(equations_, context_, guess_, *ws_);
    return off.empty() ||
           failed("The initial values given are not consistent (-1105 of GEOMS): they miss " + off +
                  ". Give values that fit, or let them be corrected: <init conditions=\"fill\"/>.");
  }

  bool complete() {
    if (options_.conditions != InitialOptions::Conditions::complete) return true;
    const std::string message = what_is_open(equations_, context_, x_, guess_, *ws_, q_, report_);
    return message.empty() || failed(message);
  }

  bool positions() {
    equations_.normalise(x_);
    for (int turns = 0;; ++turns) {
      if (!closed()) return false;
      const std::vector<std::string> names = equations_.choose_assembly_branch(context_, x_);
      if (names.empty()) return true;
      if (turns == most_turns) {
        return failed("No initial position was found in which the axes of " +
                      list_names(unique_names(names)) +
                      " agree: the constraints hold, but half a turn off. Give initial positions "
                      "closer to the one that is meant.");
      }
    }
  }

  // A position that satisfies the constraints, whichever.
  bool closed() {
    q_ = coordinate_scale(equations_, context_, x_);
    if (has_guesses(equations_, false)) {
      for (const Conditions guesses : {Conditions::all, Conditions::soft}) {
        PositionResult near =
            project_position(equations_, context_, x_, *ws_, q_, options_, guesses);
        report_.iterations += near.iterations;
        if (!near.found && guesses == Conditions::all) continue;
        if (std::isfinite(near.residual)) x_ = std::move(near.x);
        break;
      }
    }
    PositionResult result = project_position(equations_, context_, x_, *ws_, q_, options_);
    report_.iterations += result.iterations;
    report_.position_residual = result.residual;
    const Rows rows = position_rows(equations_, context_, result.x, *ws_, q_);
    if (result.found) {
      x_ = std::move(result.x);
      return true;
    }
    if (!std::isfinite(result.residual)) {
      return failed(quoted(not_finite(rows.residual, rows.names, "constraint")) +
                    " cannot be evaluated at the initial positions: the result is not a finite "
                    "number.");
    }
    report_.contradictory = result.stationary;
    const std::vector<std::string> names = contradicting(rows, q_, known_);
    if (!result.stationary) {
      return failed("No initial position was found that satisfies the constraints of " +
                    list_names(names) + ": after " + std::to_string(result.iterations) +
                    " iterations " + worst(rows) +
                    " remains (metres or radians). Give initial positions closer to an assembled "
                    "one.");
    }
    report_.redundant = names;
    return failed("The constraints of " + list_names(names) +
                  " cannot be satisfied together: at best " + worst(rows) +
                  " remains (metres or radians). Check the lengths and positions that meet there, "
                  "take out a joint or an exact initial value, or start closer to a position in "
                  "which they fit.");
  }

  bool velocities() {
    const Vector v_scale =
        known_.v_scale.size() == x_.v.size() ? known_.v_scale : Vector::Ones(x_.v.size());
    if (has_guesses(equations_, true)) {
      const Vector guess = x_.v;
      if (!(correct_velocities(v_scale, Conditions::all).largest() <= options_.tolerance)) {
        x_.v = guess;
        correct_velocities(v_scale, Conditions::soft);
        if (!x_.v.allFinite()) x_.v = guess;
      }
    }
    const Vector v0 = x_.v;
    Rows rows = correct_velocities(v_scale, Conditions::exact);
    // Conditions that are not linear in v may have no slope there: from somewhere else, then.
    Scatter scatter;
    for (int k = 1; k < velocity_attempts && !(rows.largest() <= options_.tolerance); ++k) {
      if (equations_.sizes().conditions_v == 0) break;
      x_.v = v0;
      for (Eigen::Index j = 0; j < v0.size(); ++j) x_.v[j] += k * v_scale[j] * scatter.next();
      Rows there = correct_velocities(v_scale, Conditions::exact);
      if (there.largest() <= options_.tolerance) rows = std::move(there);
    }
    report_.velocity_residual = rows.largest();
    if (report_.velocity_residual <= options_.tolerance) return true;
    if (!std::isfinite(report_.velocity_residual)) {
      return failed(quoted(not_finite(rows.residual, rows.names, "constraint")) +
                    " cannot be evaluated at the initial velocities: the result is not a finite "
                    "number.");
    }
    report_.contradictory = true;
    report_.redundant = contradicting(rows, v_scale, known_);
    return failed("No initial velocities satisfy " + list_names(report_.redundant) +
                  " together: at best " + worst(rows) +
                  " remains (metres or radians per second). Take out an exact initial velocity, or "
                  "a drive, that contradicts the others.");
  }

  // The factors for the accelerations show it when they are far from singular: next to dependent
  // rows, with pivots of 1e-8 in G, the matrix has the square of that. Spares the QR of G, which
  // fills where there are many loops.
  bool surely_independent() {
    constexpr double far_from_singular = 1e-9;
    if (known_.redundancy == Redundancy::minimum_norm) return false;
    equations_.position(context_, x_, want_solver | want_G, *ws_);
    const std::unique_ptr<SaddleSolver> solver = equations_.make_solver("auto");
    return solver->factor(ws_->saddle()) && solver->reciprocal_condition() > far_from_singular;
  }

  Rows correct_velocities(const Vector& v_scale, Conditions which) {
    Rows rows = velocity_rows(equations_, context_, x_, *ws_, which);
    const MetricStep metric(ws_->M, v_scale);
    const Vector none = Vector::Zero(x_.v.size());
    Vector dv;
    for (int k = 0; k < velocity_iterations && std::isfinite(rows.largest()); ++k) {
      if (!metric.solve(rows.C, rows.scale, none, rows.residual, dv)) break;
      if (dv.size() == 0 || dv.cwiseQuotient(v_scale).cwiseAbs().maxCoeff() <= 1e-13) break;
      x_.v += dv;
      ++report_.iterations;
      rows = velocity_rows(equations_, context_, x_, *ws_, which);
    }
    return rows;
  }

  // Conditions that are guesses and could not be met.
  void missed_guesses() {
    const Sizes& n = equations_.sizes();
    equations_.position(context_, x_, want_G, *ws_);
    equations_.velocity(context_, x_, *ws_);
    equations_.conditions(context_, x_, *ws_);
    for (int i = 0; i < n.conditions_p + n.conditions_v; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (at >= known_.condition_guesses.size() || known_.condition_guesses[at] == 0) continue;
      const double off =
          i < n.conditions_p ? ws_->condition_p[i] : ws_->condition_v[i - n.conditions_p];
      if (std::abs(off) <= missed) continue;
      report_.missed.push_back({entry_name(known_.condition_names, i, "condition"), 0.0, off});
    }
  }

  // Redundant rows leave the multipliers undetermined, and need a policy.
  bool independent() {
    if (!known_.named_rows.empty() && !drop_named()) return false;
    if (surely_independent()) return true;
    const std::vector<Dependency> found = dependencies_at(equations_, context_, x_, *ws_, q_);
    if (found.empty()) return true;
    report_.redundant = names_of(found, known_);
    report_.redundant_rows = static_cast<int>(found.size());
    const std::string these = depending(report_.redundant, found.size());
    const bool treatable = known_.redundancy == Redundancy::minimum_norm ||
                           (known_.redundancy == Redundancy::drop && known_.dropped >= 0);
    const bool always =
        stays_redundant(equations_, context_, x_, found.size(), *ws_, q_, options_.tolerance);
    if (!always) return failed(singular(report_.redundant, found.size()));
    if (!treatable) {
      return failed(these +
                    ", so that their reactions are not determined. Use a joint with fewer "
                    "constraints in that loop, or say in <solver> what becomes of them: "
                    "redundancy=\"drop\" leaves such rows out, redundancy=\"minimum_norm\" takes "
                    "the smallest reactions.");
    }
    if (known_.redundancy == Redundancy::drop) {
      std::vector<std::string> out;
      for (const Dependency& one : found) {
        x_.modes[static_cast<std::size_t>(known_.dropped + one.own)] = 1;
        out.push_back(entry_name(known_.lambda_names, one.own, "constraint"));
      }
      report_.dropped = unique_names(out);
    }
    return true;
  }

  // Every row that is left out by name must be one that depends on the others, all together.
  bool drop_named() {
    const std::vector<Dependency> all = dependencies_at(equations_, context_, x_, *ws_, q_);
    const std::size_t before = all.size();
    if (before > 0 &&
        !stays_redundant(equations_, context_, x_, before, *ws_, q_, options_.tolerance)) {
      return failed(singular(names_of(all, known_), before));
    }
    const auto name = [&](int row) { return entry_name(known_.lambda_names, row, "constraint"); };
    std::vector<std::string> needed, out;
    std::size_t count = 0;
    for (const int row : known_.named_rows) {
      x_.modes[static_cast<std::size_t>(known_.dropped + row)] = 1;
      const std::size_t now = dependencies_at(equations_, context_, x_, *ws_, q_).size();
      if (now + ++count != before) {
        needed.push_back(name(row));
        x_.modes[static_cast<std::size_t>(known_.dropped + row)] = 0;
        --count;
      }
      out.push_back(name(row));
    }
    report_.named_rows = static_cast<int>(known_.named_rows.size());
    report_.named = unique_names(out);
    if (needed.empty()) return true;
    return failed("<drop> names " + std::to_string(needed.size()) +
                  (needed.size() == 1 ? " reaction of " : " reactions of ") +
                  list_names(unique_names(needed)) + " that nothing else replaces (of " +
                  std::to_string(known_.named_rows.size()) + " in all, where " +
                  std::to_string(before) +
                  " are redundant): without them a motion would be free. Take them out of <drop>.");
  }

  bool accelerations() {
    const std::unique_ptr<SaddleSolver> solver = equations_.make_solver("auto");
    const bool solved = solve_accelerations(equations_, context_, x_, *ws_, *solver);
    if (solved) equations_.position(context_, x_, want_M | want_G, *ws_);
    const std::vector<std::string> massless =
        solved ? lost_in_rounding(known_, *ws_, q_, *solver) : without_inertia(known_, *ws_);
    if (solved && massless.empty()) return true;
    const std::string name = not_finite(ws_->f, known_.v_names, "velocity");
    if (!name.empty()) {
      return failed("The force on " + quoted(name) +
                    " cannot be evaluated at the initial state: it is not a finite number.");
    }
    if (!massless.empty()) return failed(undetermined(massless));
    return failed(
        "The accelerations and reactions at the initial state could not be computed: Newton's "
        "iteration for friction forces and auxiliary unknowns does not converge. Check the "
        "coefficients of friction and the initial values of auxiliary unknowns.");
  }

  const Equations& equations_;
  const Context& context_;
  const InitialOptions& options_;
  const Structure& known_;
  std::unique_ptr<Workspace> ws_;
  const State guess_;
  State x_;
  Vector q_;
  InitialReport report_;
};

}  // namespace

InitialReport make_consistent(const Equations& equations, const Context& context, State& x,
                              const InitialOptions& options) {
  return Initial(equations, context, x, options).run(x);
}

InitialReport make_start(const Equations& equations, const Context& context, double t0, State& x,
                         const InitialOptions& options) {
  const auto* in_others = equations.capabilities().closed_start;
  if (in_others == nullptr) {
    x = equations.initial(context, t0);
    x.t = t0;
    return make_consistent(equations, context, x, options);
  }
  State guess;
  const InitialReport closing = in_others->close(context, t0, options, guess, x);
  InitialReport report = make_consistent(equations, context, x, options);
  if (report.ok) {
    report_movements(equations, guess, x, options, report);
    return report;
  }
  return closing.ok ? report : closing;
}

}  // namespace mbs
