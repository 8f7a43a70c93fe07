#include "engine/integrators/radau/options.hpp"

namespace mbs::radau {

bool is_large(const Sizes& sizes) {
  constexpr int most_dense = 40;  // velocities and multipliers
  return sizes.v + sizes.lambda > most_dense;
}

Options read_options(const IntegratorOptions& options, const Sizes& sizes) {
  OptionReader read("radau", options.method_options);
  Options o;
  o.form = static_cast<Form>(read.keyword("form", "projected|index1"));
  o.structure = static_cast<Structure>(read.keyword("structure", "auto|dense|sparse"));
  o.exploit_mass = read.keyword("mass", "auto|general") == 0;
  o.algebraic = static_cast<Algebraic>(read.keyword("algebraic", "auto|lu|qr|svd"));
  o.differential = static_cast<Differential>(read.keyword("differential", "lu|qr"));
  o.selectors = static_cast<Selectors>(read.keyword("selectors", "tangent|adapted|every_step"));
  o.extrapolate = read.keyword("start_values", "extrapolated|constant") == 0;
  const int otherwise = o.extrapolate ? o.newton_stage : 0;
  o.newton_stage = read.integer("newton_stage", otherwise, 0, o.extrapolate ? 3 : 0);
  o.newton_updates = read.integer("newton_updates", o.newton_updates, 0, 10);
  o.iterations = read.integer("newton_iterations", o.iterations, 2, 50);
  o.kappa = read.number("newton_stop", o.kappa, 0.0, 1.0);
  o.predictive = read.keyword("step_control", "predictive|classical") == 0;
  o.safety = read.number("safety", o.safety, 0.01, 0.999);
  o.jacobian_reuse = read.number("jacobian_reuse", o.jacobian_reuse, -1.0, 0.99);
  o.keep_step_from = read.number("keep_step_from", o.keep_step_from, 0.01, 1.0);
  o.keep_step_to = read.number("keep_step_to", o.keep_step_to, 1.0, 100.0);
  o.most_shrinkage = read.number("least_change", o.most_shrinkage, 0.001, 0.999);
  o.most_growth = read.number("largest_change", o.most_growth, 1.001, 1000.0);
  read.finish();
  if (o.newton_stage < 0) o.newton_stage = is_large(sizes) ? 3 : 2;
  return o;
}

}  // namespace mbs::radau
