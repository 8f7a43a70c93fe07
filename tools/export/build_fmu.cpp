#include "tools/export/build_fmu.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "engine/model/resizable.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "fmu_src/variables.hpp"
#include "tools/check_fmu/check_fmu.hpp"
#include "tools/export/archive_writer.hpp"
#include "tools/export/dependencies.hpp"
#include "tools/export/documentation.hpp"
#include "tools/export/icon.hpp"
#include "tools/export/picture.hpp"
#include "tools/export/reference.hpp"
#include "tools/export/resolve_array_dimensions.hpp"
#include "tools/export/terminals.hpp"
#include "tools/import/library.hpp"
#include "tools/report/output_file.hpp"

namespace mbs {
namespace {

namespace fs = std::filesystem;

std::string read_whole_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file && !file.eof()) throw std::runtime_error("cannot read '" + path.string() + "'");
  if (content.empty()) throw std::runtime_error("'" + path.string() + "' is missing or empty");
  return content;
}

// The time of the build, or SOURCE_DATE_EPOCH for builds that are the same to the byte.
std::time_t build_time() {
  if (const char* epoch = std::getenv("SOURCE_DATE_EPOCH")) {
    char* end = nullptr;
    const long long seconds = std::strtoll(epoch, &end, 10);
    if (end != epoch && *end == '\0' && seconds >= 0) return static_cast<std::time_t>(seconds);
  }
  return std::time(nullptr);
}

std::string utc(std::time_t time) {
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// "crane.mbs.xml" -> "crane.fmu" in the working folder.
fs::path default_output(const fs::path& model) {
  std::string name = model.filename().string();
  for (const std::string_view ending : {".mbs.xml", ".xml"})
    if (name.ends_with(ending)) {
      name.erase(name.size() - ending.size());
      break;
    }
  return name + ".fmu";
}

// The model as the runtime reads it from the resources, which have no descriptions. Those of an
// element's own states are the reader's.
Model without_descriptions(Model model) {
  const auto clear = [](auto& list) {
    for (auto& one : list) one.doc.clear();
  };
  model.doc.clear();
  clear(model.parameters);
  clear(model.inputs);
  for (StateVariable& state : model.states)
    if (state.element < 0) state.doc.clear();
  clear(model.algebraics);
  clear(model.discretes);
  clear(model.outputs);
  clear(model.events);
  clear(model.conditions);
  return model;
}

InitialReport start_report(const Model& model, const std::shared_ptr<const Equations>& equations,
                           Diagnostics& diagnostics) {
  CoSimulationDriver simulation(equations, solver_choice(model));
  const InitialReport report = simulation.initialise(model.solver.start_time);
  if (!report.ok)
    diagnostics.error({model.file, 0, 0}, "no-consistent-start",
                      "the model has no consistent initial values: " + report.message);
  return report;
}

// Reactions that constraints share by least norms, because they depend on each other, have no
// derivatives that are known.
bool shares_reactions(const Equations& equations, const InitialReport& start) {
  return equations.structure().redundancy == Structure::Redundancy::minimum_norm &&
         start.redundant_rows > 0;
}

}  // namespace

bool starts(const Model& model, const std::shared_ptr<const Equations>& equations,
            Diagnostics& diagnostics) {
  return start_report(model, equations, diagnostics).ok;
}

namespace {

bool has_arrays(const FmuTarget& target) {
  return target.version != import::FmiVersion::fmi2 && !target.style.flat;
}

std::vector<ArchiveEntry> archive_entries(const FmuContents& contents, const FmuTarget& target,
                                          std::time_t now) {
  const Model& model = contents.model;
  const std::string identifier = c_identifier(model.name);
  const DescriptionRequest description{model,      contents.table, contents.token,
                                       identifier, utc(now),       target.style};
  const bool fmi2 = target.version == import::FmiVersion::fmi2, arrays = has_arrays(target);
  const auto start = contents.resolved.empty() ? std::nullopt : start_of(model);
  std::vector<ArchiveEntry> entries{
      {"modelDescription.xml",
       fmi2 ? description_fmi2(description) : description_fmi3(description)},
      {"binaries/" + import::platform_folder(target.version) + "/" + identifier + ".so",
       read_whole_file(contents.runtime), true, contents.runtime.string() + ".zip"}};
  if (!contents.resolved.empty()) entries.push_back({"resources/model.mbs.xml", contents.resolved});
  entries.push_back(
      {"documentation/index.html",
       documentation_html({model, contents.table, contents.coordinates, start ? start->solver : "",
                           start ? picture_svg(model, *start) : "", target.reference,
                           arrays && contents.table.resizable})});
  entries.push_back({"documentation/licenses/license.txt", licences_text()});
  const Icon icon = model_icon(model, start ? &*start : nullptr);
  if (fmi2) entries.push_back({"model.png", icon.png});
  const auto terminals = find_terminals(model, contents.table, arrays);
  entries.push_back({"terminalsAndIcons/terminalsAndIcons.xml",
                     terminals_xml(terminals, contents.table, arrays, target.style.structured)});
  entries.push_back({"terminalsAndIcons/icon.png", icon.png});
  entries.push_back({"terminalsAndIcons/icon.svg", icon.svg});
  if (!terminals.empty()) {
    const Icon flange = flange_icon();
    entries.push_back({"terminalsAndIcons/flange.png", flange.png});
    entries.push_back({"terminalsAndIcons/flange.svg", flange.svg});
  }
  return entries;
}

// Residuals are rounding errors: reference results leave them out.
std::set<std::string> residual_outputs(const Model& model) {
  std::set<std::string> names;
  for (const Output& output : model.outputs)
    if (output.what.quantity == Quantity::residual ||
        output.what.quantity == Quantity::velocity_residual)
      names.insert(output.name);
  return names;
}

std::string written_text(const FmuContents& contents, const FmuTarget& target) {
  const bool resizable = has_arrays(target) && contents.table.resizable;
  const bool exchange =
      contents.table.no_exchange.empty() && (!resizable || contents.table.exchange_arrays);
  return "wrote " + target.output.string() + " (FMI " +
         (target.version == import::FmiVersion::fmi2 ? "2.0" : "3.0") +
         (exchange ? " model exchange and co-simulation, " : " co-simulation, ") +
         (resizable ? "resizable, " : "") + std::to_string(fs::file_size(target.output) / 1024) +
         " KiB, " +
         std::to_string(
             std::ranges::count_if(contents.table.variables, &Variable::in_description)) +
         " variables; checked, no findings)";
}

// Whether the FMU has clocks; the table keeps them then alone.
bool choose_clocks(const BuildRequest& request, VariableTable& table, Diagnostics& diagnostics) {
  const bool clocks = request.clocks && !table.clocks.empty();
  if (request.clocks && request.version == import::FmiVersion::fmi2)
    diagnostics.error({request.model.string(), 0, 0}, "no-clocks", "FMI 2.0 has no clocks",
                      "add --fmi 3.0");
  else if (request.clocks && !clocks)
    diagnostics.warning({request.model.string(), 0, 0}, "no-clocks",
                        "the model has no events, so there are no clocks");
  if (!clocks) table.clocks.clear();
  return clocks;
}

std::string summary(const Model& model, const Equations& equations,
                    const std::string& coordinates) {
  const Sizes& n = equations.sizes();
  const int constraints = n.lambda - contact_rows(equations.structure());
  return model.name + ": " + std::to_string(model.bodies.size()) + " bodies, " +
         std::to_string(constraints) + " constraints, " + std::to_string(n.v - constraints) +
         " degrees of freedom; coordinates: " + coordinates;
}

}  // namespace

bool write_fmu(const FmuContents& contents, const FmuTarget& target, Diagnostics& diagnostics) {
  const std::time_t now = build_time();
  std::vector<ArchiveEntry> entries = archive_entries(contents, target, now);
  OutputFile file(target.output);
  write_archive(file.partial(), entries, now);
  if (target.reference) {
    for (ArchiveEntry& entry : reference_entries(file.partial(), residual_outputs(contents.model)))
      entries.push_back(std::move(entry));
    write_archive(file.partial(), entries, now);
  }
  for (const auto& finding :
       check_fmu::check_fmu(file.partial(), {.run = check_fmu::Options::Run::start}))
    if (finding.severity == check_fmu::Severity::error)
      diagnostics.error({target.output.string(), 0, 0}, "fmu-check",
                        "the FMU made breaks a rule: " + check_fmu::to_text(finding),
                        "this is a fault of mbsfmu; please report it with the model");
  if (!diagnostics.ok()) return false;
  file.commit();
  if (target.say) target.say(written_text(contents, target));
  return true;
}

bool build_fmu(const BuildRequest& request, Diagnostics& diagnostics) {
  auto [model, resolved] = read_resolved(request.model.string(), diagnostics, request.overrides);
  if (!diagnostics.ok()) return false;
  const std::vector<std::string> resizable = resizable_parameters(resolved);
  const bool native = request.version == import::FmiVersion::fmi3 && !request.style.flat;
  const auto common = native ? common_coordinates(model, resolved, resizable) : std::nullopt;
  if (common) {
    model.solver.coordinates = common->keyword;
    resolved = with_setting(resolved, {"solver.coordinates", common->keyword});
  }
  std::string coordinates;
  const auto equations = assemble(model, diagnostics, &coordinates);
  if (common) coordinates = common->explanation;
  if (!equations) return false;
  const InitialReport start = start_report(model, equations, diagnostics);
  if (!start.ok) return false;
  if (request.say) request.say(summary(model, *equations, coordinates));

  VariableTable table, in_runtime;  // the token is that of the variables as the runtime reads them
  try {
    table = make_variables(model, resizable);
    in_runtime = make_variables(without_descriptions(model), resizable);
  } catch (const std::runtime_error& error) {
    diagnostics.error({request.model.string(), 0, 0}, "not-resizable", error.what(),
                      "use each=\"...\" outside of repeats, or no resizable parameter");
    return false;
  }
  for (VariableTable* one : {&table, &in_runtime}) add_exchange_variables(*one, *equations);
  if (!table.no_exchange.empty())
    diagnostics.warning({request.model.string(), 0, 0}, "no-model-exchange",
                        "the FMU is for co-simulation alone: " + table.no_exchange,
                        "give the drive a lag");
  if (native && !resolve_array_dimensions(table, resolved, resizable, diagnostics)) return false;
  const bool clocks = choose_clocks(request, table, diagnostics);
  if (!diagnostics.ok()) return false;
  if (shares_reactions(*equations, start)) {
    table.has_jacobian = false;
    diagnostics.warning({request.model.string(), 0, 0}, "no-derivatives",
                        "the FMU has no directional derivatives: constraints depend on each other, "
                        "and their reactions are those of least norm",
                        "take redundancy=\"drop\" where derivatives are wanted");
  }
  if (native && table.resizable)
    add_array_dependencies(table, resolved, resizable);
  else
    add_dependencies(table, model, *equations);
  const Extra extra = clocks                            ? Extra::clocks
                      : native && table.exchange_arrays ? Extra::exchange_arrays
                                                        : Extra::none;
  const FmuContents contents{model,
                             table,
                             interface_hash(in_runtime, extra),
                             request.runtime.empty() ? find_runtime() : request.runtime,
                             resolved,
                             coordinates};
  return write_fmu(
      contents,
      {request.version, request.output.empty() ? default_output(request.model) : request.output,
       request.say, request.style, request.reference},
      diagnostics);
}

fs::path find_runtime() {
  if (const char* named = std::getenv("MBSFMU_RUNTIME")) return named;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& place :
       {program / "../../fmu_src", program, program / MBSFMU_PATH_TO_RUNTIME}) {
    const fs::path file = place / "mbsfmu_runtime.so";
    if (fs::exists(file, error)) return file;
  }
  throw std::runtime_error(
      "the runtime library mbsfmu_runtime.so was found neither in the folder of the program (" +
      program.string() +
      ") nor where it is installed: build the target mbsfmu_runtime, or name the file in "
      "MBSFMU_RUNTIME");
}

}  // namespace mbs
