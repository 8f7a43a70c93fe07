#pragma once

// What each known does at one point, by differences: the columns that influence_search.hpp looks at
// where constraints depend on each other and share reactions by least norms, which have no Jacobian
// that is known. No contacts.
//
// Which of the rows that say the same count is chosen where the model starts
// (least_norm_saddle.hpp), as simulations do. Points lie off the constraints, where others might.

#include <memory>
#include <span>

#include "engine/analysis/influence_point.hpp"

namespace mbs {

class DifferenceColumns {
 public:
  // start: satisfies the constraints.
  DifferenceColumns(const Equations& equations, const Context& context, const State& start,
                    std::span<const KnownParameter> parameters);

  const Equations& equations() const { return equations_; }
  void make_consistent(InfluencePoint&) const {}
  bool go_to(const InfluencePoint& point);
  // Accelerations and reactions.
  const Vector& response() const { return response_; }
  bool responds_as(const Vector& response) const;
  // As InfluenceColumns::find().
  bool find(int j, Eigen::Ref<Vector> direct, Eigen::Ref<Vector> follows);

 private:
  struct Values {
    Vector rows, g, G_v;  // rates, outputs, switching functions; constraints
  };
  bool project(const Context& context, State& x);
  bool evaluate(const Context& context, State x, Values& values);
  static void note(const Values& there, const Values& here, Eigen::Ref<Vector> column);

  const Equations& equations_;
  const std::span<const KnownParameter> of_parameters_;
  const Sizes& n_;
  const int states_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  InfluencePoint point_;
  Values here_;
  Vector response_;
};

}  // namespace mbs
