#pragma once

// What each known does at one point: the columns that influence_search.hpp looks at.
//
// Columns of time and parameters: with the difference e of the residuals between here and there at
// the same a, lambda, w, s, these follow as with any other effect (tangent.cpp), to first order in
// e; the outputs are then evaluated once more. That has the zeros of the derivative and takes no
// difference of small numbers.
//
// Where e has parts e_g and e_v in the rows of g and of G v, the same equations, solved for these
// in place of the accelerations' rows, move the positions by Z dq and the velocities by dv:
//
//   G dq = -e_g,     G dv = -(e_v + d(G v)/dp Z dq)
//
// Switching functions have no derivatives: they are evaluated beside.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/analysis/influence.hpp"
#include "engine/analysis/tangent.hpp"

namespace mbs {

// A point, with the steps of time and parameters that are taken from it.
struct InfluencePoint {
  State x;
  Inputs inputs;
  Parameters parameters;
  double later = 0.0;
  std::vector<double> others;  // of the parameters; NaN: none is possible
};

// What has changed by its last digits alone has not.
void drop_digits(Vector& change, const Vector& of);

class InfluenceColumns {
 public:
  InfluenceColumns(const Equations& equations, std::span<const KnownParameter> parameters);

  bool knows_outputs() const { return tangent_.knows_outputs(); }
  const Equations& equations() const { return equations_; }

  // Accelerations and reactions that belong to the point, where it has them: masses and forces that
  // grow together cancel in these alone.
  void make_consistent(InfluencePoint& point);
  // False where there are no accelerations, or no outputs.
  bool go_to(const InfluencePoint& point);
  // What some forces and accelerations of the constraints do to accelerations and reactions.
  const Variation& response() const { return response_; }
  bool responds_as(const Variation& response) const;
  // Of the known j, in the order of Influence's columns: rows of rates, outputs and residuals.
  // `follows`: what it does beside by positions that follow it. False, and zeros: it cannot be
  // told.
  bool find(int j, Eigen::Ref<Vector> direct, Eigen::Ref<Vector> follows);

 private:
  void of_unknown(int unknown, Eigen::Ref<Vector> direct, Eigen::Ref<Vector> follows);
  // Another time or other parameters. at_events: what can be set in event mode.
  void of_change(const Context& there, double t, bool at_events, Eigen::Ref<Vector> direct,
                 Eigen::Ref<Vector> follows);
  void of_contact(int which, Eigen::Ref<Vector> direct);
  void clear();
  double& unit(int unknown);
  void note(Eigen::Ref<Vector> column);
  void note(const Context& there, double t, Eigen::Ref<Vector> column);
  Vector residual(const Context& context, double t);
  Vector outputs(const Context& context, const State& x);
  void note_events(const Context& context, const State& x, Eigen::Ref<Vector> column);
  void note_rows(const Vector& e, bool laws, Eigen::Ref<Vector> column) const;
  void add_columns(Vector& e) const;
  Vector made_up(const Vector& part);
  bool follow_constraints(const Vector& e);

  const Equations& equations_;
  const std::span<const KnownParameter> of_parameters_;
  const Sizes& n_;
  const JacobianLayout at_;
  const int states_, exact_;  // of p, v, r; with u
  Tangent tangent_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  ColumnSparse J_;
  Variation change_, response_;
  InfluencePoint point_;
  std::optional<Context> context_;
  Vector here_, y_, phi_;
  struct Laws {  // of contacts
    std::vector<std::array<double, 4>> friction;
    std::vector<std::array<double, 2>> impacts;
  };
  Laws here_laws_, laws_;
};

}  // namespace mbs
