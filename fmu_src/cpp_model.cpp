#include "fmu_src/cpp_model.hpp"

#include <stdexcept>

namespace mbs {

VariableTable make_variables(const Interface& interface) {
  VariableTable table = make_variables(interface.model());
  std::vector<std::uint32_t> inputs;
  for (const Variable& v : table.variables)
    if (v.source == Source::input) inputs.push_back(v.reference);
  for (Variable& v : table.variables)
    if (v.source == Source::algebraic ||
        (v.source == Source::output && interface.direct({v.index}) == Direct::inputs))
      v.dependencies = inputs;
  return table;
}

std::shared_ptr<const PackedModel> packed_cpp_model() {
  const CppModel linked = cpp_model();
  const Model& model = linked.interface.model();
  if (!linked.equations) throw std::runtime_error("the C++ model has no equations");
  const Sizes& n = linked.equations->sizes();
  const auto agree = [](const char* what, std::size_t declared, int in_equations) {
    if (declared == static_cast<std::size_t>(in_equations)) return;
    throw std::runtime_error("the C++ model declares " + std::to_string(declared) + " " + what +
                             ", its equations have " + std::to_string(in_equations));
  };
  agree("parameters", model.parameters.size(), n.parameters);
  agree("inputs", model.inputs.size(), n.u);
  agree("outputs", model.outputs.size(), n.y);
  if (model.states.size() > static_cast<std::size_t>(n.r))
    agree("states", model.states.size(), n.r);
  agree("auxiliary unknowns", model.algebraics.size(), n.w);
  auto packed = std::make_shared<PackedModel>();
  packed->model = model;
  packed->equations = linked.equations;
  packed->add_variables(make_variables(linked.interface));
  packed->hash = model_hash(model.name + packed->token);
  return packed;
}

}  // namespace mbs
