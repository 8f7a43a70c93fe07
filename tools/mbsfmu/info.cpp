// mbsfmu info: what is in a model file or an FMU.

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>

#include "tools/import/fmu.hpp"
#include "tools/mbsfmu/command_line.hpp"
#include "tools/mbsfmu/loaded_model.hpp"

namespace mbs {
namespace {

struct Options {
  std::string file;
};

const char* keyword(Variability variability) {
  switch (variability) {
    case Variability::structural:
      return "structural";
    case Variability::fixed:
      return "fixed";
    case Variability::tunable:
      return "tunable";
  }
  return "";
}

void print_row(const std::string& name, const std::string& value, const std::string& unit,
               const std::string& kind, const std::string& doc) {
  std::printf("  %-22s %-14s %-10s %-12s %s\n", name.c_str(), value.c_str(), unit.c_str(),
              kind.c_str(), doc.c_str());
}

std::string shown(double si, const Unit& unit) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", (si - unit.offset) / unit.factor);
  return buffer;
}

int info_model(const Options& options) {
  Diagnostics diagnostics;
  const auto loaded = load_model(options.file, {}, diagnostics);
  show(diagnostics);
  if (!loaded) return failed;
  const Model& model = loaded->model;
  const Equations& equations = *loaded->equations;
  const Sizes& n = equations.sizes();

  std::printf("%s, %s%s%s\n", model.name.c_str(), model.planar ? "planar" : "spatial",
              model.doc.empty() ? "" : ": ", model.doc.c_str());
  std::map<std::string_view, int> count;
  for (const Element& element : model.elements) ++count[element.tag->name];
  std::printf("\nelements     ");
  for (const auto& [tag, times] : count)
    std::printf(" %d %.*s", times, static_cast<int>(tag.size()), tag.data());
  std::printf("\nequations     %d positions, %d velocities, %d constraints", n.p, n.v, n.lambda);
  if (n.r > 0) std::printf(", %d first-order states", n.r);
  if (n.w > 0) std::printf(", %d auxiliary unknowns", n.w);
  std::printf("\nDOF           %d\ncoordinates   %s\nsolver        %s, rtol %g, atol %g\n",
              n.v - n.lambda, loaded->coordinates.c_str(), model.solver.method.c_str(),
              model.solver.rtol, model.solver.atol);

  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  if (!model.parameters.empty()) std::printf("\nparameters\n");
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& item = model.parameters[i];
    print_row(item.name, shown(parameters.values[static_cast<Eigen::Index>(i)], item.unit),
              item.unit.name, item.calculated ? "calculated" : keyword(item.variability), item.doc);
  }
  if (!model.inputs.empty()) std::printf("\ninputs\n");
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const Input& item = model.inputs[i];
    print_row(item.name, shown(inputs.value[static_cast<Eigen::Index>(i)], item.unit),
              item.unit.name, "", item.doc);
  }
  if (!model.outputs.empty()) std::printf("\noutputs\n");
  for (const Output& item : model.outputs) print_row(item.name, "", item.unit.name, "", item.doc);
  return success;
}

// "R[3,3]" of an array, with the name of the parameter where a size can be chosen: "phi[N=8]".
std::string name_with_sizes(const import::ModelDescription& fmu, const import::Variable& variable) {
  const std::vector<std::size_t> sizes = import::dimension_sizes(fmu, variable);
  std::string text = variable.name;
  for (std::size_t k = 0; k < variable.dimensions.size(); ++k) {
    text += k == 0 ? "[" : ",";
    if (const auto reference = variable.dimensions[k].reference)
      if (const auto at = fmu.position(*reference)) text += fmu.variables[*at].name + "=";
    text += k < sizes.size() ? std::to_string(sizes[k]) : "?";
  }
  return variable.dimensions.empty() ? text : text + ']';
}

int info_fmu(const Options& options) {
  const import::ModelDescription fmu = import::read_description(options.file);
  std::printf("%s, FMI %s", fmu.model_name.c_str(), fmu.version_text.c_str());
  if (!fmu.generation_tool.empty()) std::printf(", made by %s", fmu.generation_tool.c_str());
  if (!fmu.generation_date.empty()) std::printf(" on %s", fmu.generation_date.c_str());
  std::printf("\n%s%s", fmu.description.c_str(), fmu.description.empty() ? "" : "\n");
  if (fmu.co_simulation) {
    const import::Interface& can = *fmu.co_simulation;
    std::printf("\nco-simulation as '%s':", can.model_identifier.c_str());
    if (can.can_handle_variable_step) std::printf(" variable step,");
    if (can.can_get_and_set_state) std::printf(" state save and restore,");
    if (can.can_serialize_state) std::printf(" state as bytes,");
    if (can.can_interpolate_inputs) std::printf(" input derivatives,");
    if (can.provides_directional_derivatives) std::printf(" directional derivatives,");
    if (can.has_event_mode) std::printf(" event mode,");
    std::printf(" output derivatives up to order %u\n", can.max_output_derivative_order);
  }
  if (fmu.model_exchange)
    std::printf("\nmodel exchange as '%s'\n", fmu.model_exchange->model_identifier.c_str());
  if (fmu.default_experiment && fmu.default_experiment->stop)
    std::printf("default experiment to %g s\n", *fmu.default_experiment->stop);

  for (const import::Causality kind :
       {import::Causality::structural_parameter, import::Causality::parameter,
        import::Causality::calculated_parameter, import::Causality::input,
        import::Causality::output}) {
    bool first = true;
    for (const import::Variable& variable : fmu.variables) {
      if (variable.causality != kind) continue;
      if (first) std::printf("\n%s\n", std::string(import::to_text(kind)).c_str());
      first = false;
      print_row(name_with_sizes(fmu, variable), variable.start_text.value_or(""),
                variable.attributes.unit, std::string(import::to_text(variable.variability)),
                variable.description);
    }
  }
  return success;
}

int info(const Options& options) {
  return is_fmu(options.file) ? info_fmu(options) : info_model(options);
}

}  // namespace

void add_info(CLI::App& program, int& exit_code) {
  const auto [command, options] =
      add_subcommand(program, exit_code, "info",
                     "what is in a model file or an FMU: size, variables, solver", info);
  command->add_option("file", options->file, "a model (*.mbs.xml) or an FMU (*.fmu)")->required();
}

}  // namespace mbs
