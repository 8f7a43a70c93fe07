#include "engine/simulation/solver_choice.hpp"

#include <algorithm>

namespace mbs {

SolverChoice solver_choice(const SolverSettings& settings) {
  SolverChoice choice;
  choice.method = settings.method;
  choice.options.rtol = settings.rtol;
  choice.options.atol = settings.atol;
  choice.options.initial_step = settings.initial_step;
  choice.options.max_step = settings.max_step;
  choice.options.max_order = settings.max_order;
  choice.options.max_steps = settings.max_steps;
  choice.options.linear = settings.linear;
  choice.options.scheme = settings.scheme;
  choice.options.dense_order = settings.dense_order;
  choice.event_points = settings.event_points;
  for (const MethodSetting& own : settings.method_settings) {
    choice.options.method_options.push_back({own.method, own.name, own.value});
  }
  choice.own_tolerances = settings.own_tolerances;
  return choice;
}

SolverChoice solver_choice(const Model& model) {
  SolverChoice choice = solver_choice(model.solver);
  choice.statics = model.init_method == "statics";
  choice.trims = trims_of(model);
  choice.conditions = conditions_of(model);
  return choice;
}

InitialOptions::Conditions conditions_of(const Model& model) {
  using Conditions = InitialOptions::Conditions;
  if (model.init_conditions == "complete") return Conditions::complete;
  return model.init_conditions == "given" ? Conditions::given : Conditions::fill;
}

bool start_follows_inputs(const Model& model) {
  const auto names_input = [](const InitialCondition& condition) {
    return std::ranges::any_of(condition.value.symbols(), [](const Symbol& symbol) {
      return symbol.kind == SymbolKind::input;
    });
  };
  return solver_choice(model).statics || std::ranges::any_of(model.conditions, names_input);
}

std::vector<Trim> trims_of(const Model& model) {
  std::vector<Trim> trims;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& parameter = model.parameters[i];
    if (parameter.trimmed) trims.push_back({static_cast<int>(i), parameter.name});
  }
  return trims;
}

void give_own_tolerances(const Equations& equations, SolverChoice& solver) {
  if (solver.own_tolerances.empty()) return;
  IntegratorOptions& options = solver.options;
  const Sizes& n = equations.sizes();
  const int count = n.p + n.v + n.r;
  if (options.rtol_each.size() == 0) options.rtol_each.setConstant(count, options.rtol);
  if (options.atol_each.size() == 0) options.atol_each.setConstant(count, options.atol);
  const Structure& names = equations.structure();
  for (const OwnTolerance& own : solver.own_tolerances) {
    int component = 0;
    for (const auto* list : {&names.p_names, &names.v_names, &names.r_names}) {
      for (const std::string& name : *list) {
        // a body's unknowns are called "body.x"; a state's name is its own
        // (in joint coordinates those of the joint that carries it are its)
        const auto* owners = list == &names.p_names   ? &names.p_bodies
                             : list == &names.v_names ? &names.v_bodies
                                                      : nullptr;
        const auto index = static_cast<std::size_t>(&name - list->data());
        const bool owned =
            owners != nullptr && index < owners->size() && (*owners)[index] == own.of;
        const bool meant = owned ? true
                           : list == &names.r_names
                               ? name == own.of
                               : name.starts_with(own.of + ".") &&
                                     name.find('.', own.of.size() + 1) == std::string::npos;
        if (meant && own.rtol > 0.0) options.rtol_each[component] = own.rtol;
        if (meant && own.atol > 0.0) options.atol_each[component] = own.atol;
        ++component;
      }
    }
  }
}

}  // namespace mbs
