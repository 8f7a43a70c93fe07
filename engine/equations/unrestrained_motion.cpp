// The force on a motion d is d^T M a, with the accelerations a from rest. It is followed along the
// motion that begins at x, projected onto the constraints, over twice the coordinates' sizes.

#include "engine/equations/unrestrained_motion.hpp"

#include "engine/equations/initial_rows.hpp"
#include "engine/equations/position_projection.hpp"

namespace mbs {
namespace {

constexpr int stretches = 4;
constexpr double stretch = 0.5;   // of the coordinates' sizes
constexpr double the_same = 0.8;  // what must be left of the force
constexpr double takes_part = 0.3;
constexpr std::size_t most_names = 3;

}  // namespace

std::string unrestrained_motion(const Equations& equations, const Context& context,
                                const State& from, const Vector& scale) {
  const std::unique_ptr<Workspace> ws = equations.make_workspace();
  const std::unique_ptr<SaddleSolver> solver = equations.make_solver("auto");
  State x = from;
  x.v.setZero();
  if (!solve_accelerations(equations, context, x, *ws, *solver)) return {};
  const double fastest = x.a.cwiseQuotient(scale).lpNorm<Eigen::Infinity>();
  if (!(fastest > 0.0) || !std::isfinite(fastest)) return {};
  const Vector along = x.a / fastest;
  const auto pull = [&](const State& at) {
    State there = at;
    if (!solve_accelerations(equations, context, there, *ws, *solver)) return 0.0;
    Vector force(along.size());
    equations.position(context, there, want_M, *ws);
    equations.apply_M(context, there, there.a, force, *ws);
    return along.dot(force);
  };
  const double first = pull(x);
  Vector z;
  for (int k = 0; k < stretches; ++k) {
    equations.apply_Z(context, x, along, z);
    x.p += stretch * z;
    equations.normalise(x);
    PositionResult closed =
        project_position(equations, context, x, *ws, scale, InitialOptions{}, Conditions::none);
    if (!closed.found) return {};
    x = std::move(closed.x);
    if (!(pull(x) > the_same * first)) return {};
  }
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < along.size() && names.size() < most_names; ++i) {
    if (std::abs(along[i]) > takes_part * scale[i]) {
      names.push_back(entry_name(equations.structure().v_names, i, "v"));
    }
  }
  return "there is no static equilibrium: " + list_names(names) +
         " would begin to move, and moved on by twice the model's size (or 2 rad) the force on "
         "that "
         "motion is still the same. Nothing holds it there: it lacks a spring, a stop, a brake, or "
         "friction that sticks (a force law with a coefficient of friction only slides).";
}

}  // namespace mbs
