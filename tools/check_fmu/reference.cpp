#include "tools/check_fmu/reference.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "engine/model/indexed_name.hpp"
#include "tools/import/simulate.hpp"
#include "tools/report/table.hpp"

namespace mbs::check_fmu {
namespace {

using import::SimulateOptions;
using import::SimulateResult;
using import::XmlFile;

namespace fs = std::filesystem;

// The accuracy of experiments that do not state theirs.
constexpr double usual_accuracy = 1e-3;

XmlFile load(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return XmlFile(path.filename().string(), std::string{std::istreambuf_iterator<char>(file), {}});
}

// A file of the unpacked FMU; throws ImportError for what leads out of it.
fs::path inside(const fs::path& root, const fs::path& folder, const std::string& source) {
  const fs::path path = (folder / source).lexically_normal();
  const fs::path relative = path.lexically_relative(root.lexically_normal());
  if (source.empty() || relative.empty() || *relative.begin() == "..")
    throw import::ImportError("'" + source + "' is no file of the FMU");
  return path;
}

// Findings about an experiment that states an accuracy are errors, otherwise advice.
class Experiment {
 public:
  Experiment(Trial& trial, const fs::path& folder, pugi::xml_node node)
      : trial_(trial), folder_(folder), node_(node), name_(node.attribute("name").value()) {}

  void run() {
    const pugi::xml_node references = node_.child("References");
    if (!references) return;
    for (const char* analysis : {"SteadyState", "ParameterOptimization", "SetPointOptimization",
                                 "SensitivityAnalysis", "TrajectoryOptimization", "Linearization"})
      if (node_.child(analysis))
        return trial_.report("A9").advice(folder_.filename().string(), 0,
                                          "the experiment " + in_quotes(name_) +
                                              " is not tried: it is no simulation but <" +
                                              analysis + ">",
                                          "");
    if (node_.child("Parameters"))
      return trial_.report("A9").advice(
          folder_.filename().string(), 0,
          "the experiment " + in_quotes(name_) + " is not tried: it has a file of parameters", "");
    const Table table = read("References");
    SimulateOptions options = settings();
    std::set<std::string> wanted;
    for (const Column& column : table.columns) {
      const auto named = import::find_element(trial_.description(), column.name);
      if (!named.variable)
        return error("its results have " + in_quotes(column.name) +
                     ", which is no variable of the FMU");
      if (!named.variable->dimensions.empty() && !named.element)
        return error("its results have " + in_quotes(column.name) +
                     ", which is an array: columns are elements, such as " +
                     in_quotes(import::element_name(trial_.description(), *named.variable, 0)));
      if (wanted.insert(named.variable->name).second)
        options.outputs.push_back(named.variable->name);
    }
    trial_.parent().doing("the reference experiment " + in_quotes(name_));
    const SimulateResult result = import::simulate(trial_.fmu(), options);
    if (!is_good(result.status) && !result.terminated) return error(result.failure);
    compare(table, result);
  }

 private:
  void error(const std::string& what) {
    const std::string place = "extra/" + folder_.filename().string();
    const std::string text = "the reference experiment " + in_quotes(name_) + ": " + what;
    const std::string advice = "make the FMU anew, with the results that it has";
    if (promised().empty())
      trial_.report("A9").advice(place, 0, text, advice);
    else
      trial_.report("A9").error(place, 0, text, advice);
  }
  Table read(const char* part) {
    return read_csv(
        inside(trial_.folder(), folder_, node_.child(part).attribute("source").value()));
  }

  SimulateOptions settings() {
    SimulateOptions options;
    // Drafts of the format had all of them at the experiment.
    const pugi::xml_node simulation = node_.child("TransientSimulation");
    const auto number = [&](const char* name) -> std::optional<double> {
      pugi::xml_attribute attribute = simulation.attribute(name);
      if (!attribute) attribute = node_.attribute(name);
      return attribute ? import::parse_real(attribute.value()) : std::nullopt;
    };
    options.start = number("startTime");
    options.stop = number("stopTime");
    options.step = number("stepSize");
    options.tolerance = number("tolerance");
    options.event_mode = false;
    if (node_.child("Stimuli")) {
      const Table stimuli = read("Stimuli");
      for (const Column& column : stimuli.columns) options.inputs.names.push_back(column.name);
      options.inputs.times = stimuli.times;
      options.inputs.rows = stimuli.rows;
    }
    // The parent limits the time of this process with all experiments.
    const double limit =
        0.7 * std::chrono::duration<double>(trial_.subject().options.time_limit).count();
    options.progress = [this, limit](double time) {
      if (static_cast<double>(std::clock()) / CLOCKS_PER_SEC < limit) return;
      trial_.report("A9").advice("extra/" + folder_.filename().string(), 0,
                                 "the reference experiment " + in_quotes(name_) +
                                     " was given up at time " + import::to_text(time),
                                 "give it more time: --time-limit");
      throw Trial::Stopped{};
    };
    return options;
  }

  // The tolerance of each result; the usual accuracy for those without one.
  std::map<std::string, double> promised() const {
    std::map<std::string, double> within;
    for (const pugi::xml_node a : node_.child("Annotations").children("Annotation"))
      for (const pugi::xml_node output : a.child("comparison").children("output"))
        if (const auto given = import::parse_real(output.attribute("within").value()))
          within[output.attribute("name").value()] = *given;
    return within;
  }

  void compare(const Table& table, const SimulateResult& result) {
    std::map<std::string, std::size_t> column_of;
    for (std::size_t k = 0; k < result.names.size(); ++k) column_of[result.names[k]] = k;
    const std::map<std::string, double> within = promised();
    std::size_t compared = 0;
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      const auto found = column_of.find(table.columns[k].name);
      if (found == column_of.end()) continue;
      double worst = 0.0, scale = 0.0, when = 0.0;
      std::size_t i = 0;
      for (std::size_t row = 0; row < table.times.size(); ++row) {
        const double t = table.times[row], close = 1e-9 * std::max(1.0, std::abs(t));
        while (i < result.times.size() && result.times[i] < t - close) ++i;
        if (i == result.times.size() || result.times[i] > t + close) continue;
        ++compared;
        const double difference = std::abs(result.rows[i][found->second] - table.rows[row][k]);
        scale = std::max(scale, std::abs(table.rows[row][k]));
        if (!(difference <= worst) && !std::isnan(worst)) {
          worst = difference;
          when = t;
        }
      }
      const auto given = within.find(table.columns[k].name);
      const double allowed = given == within.end() ? usual_accuracy * scale : given->second;
      if (!(worst <= allowed) || !std::isfinite(worst))
        error(in_quotes(table.columns[k].name) + " differs at time " + import::to_text(when) +
              " by " + import::to_text(worst) + ", " + import::to_text(allowed) + " is allowed");
    }
    if (compared == 0) error("none of its results is at a communication point");
    const double last = table.times.empty() ? 0.0 : table.times.back();
    if (compared > 0 && result.times.back() < last - 1e-9 * std::max(1.0, std::abs(last)))
      error("it ends at time " + import::to_text(result.times.back()) + ", its results at " +
            import::to_text(last));
  }

  Trial& trial_;
  fs::path folder_;
  pugi::xml_node node_;
  std::string name_;
};

// A message without the path of the unpacked FMU.
std::string without_folder(std::string text, const fs::path& folder) {
  const std::string begin = folder.string() + "/";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin))
    text.erase(at, begin.size());
  return text;
}

// A table of results without an experiment belongs to the default experiment.
void compare_with_default(Trial& trial, const fs::path& folder, const std::string& source) {
  pugi::xml_document document;
  pugi::xml_node experiment = document.append_child("Experiment");
  experiment.append_attribute("name").set_value("default");
  experiment.append_child("References").append_attribute("source").set_value(source.c_str());
  try {
    Experiment(trial, folder, experiment).run();
  } catch (const std::runtime_error& error) {  // who wrote it is free in its form
    trial.report("A9").advice(source, 0,
                              "cannot be compared: " + without_folder(error.what(), trial.folder()),
                              "write one number into each cell");
  }
}

void reproduces_references(Trial& trial) {
  const fs::path folder = trial.folder() / "extra" / reference_standard;
  const fs::path manifest = folder / "fmi-ls-manifest.xml";
  if (!fs::exists(manifest)) return;
  try {
    const XmlFile related = load(manifest);
    bool any = false;
    for (const pugi::xml_node node : related.root().children("Related")) {
      const std::string role = node.attribute("role").value();
      const std::string source = node.attribute("source").value();
      if (!is_experiments_file(role, source)) continue;
      const fs::path path = inside(trial.folder(), folder, source);
      if (!fs::exists(path)) continue;  // reported elsewhere
      const XmlFile experiments = load(path);
      any = true;
      for (const pugi::xml_node experiment : experiments.root().children("Experiment"))
        Experiment(trial, path.parent_path(), experiment).run();
    }
    for (const pugi::xml_node node : related.root().children("Related")) {
      const std::string source = node.attribute("source").value();
      if (any || std::string_view(node.attribute("role").value()) != "result" ||
          !source.ends_with(".csv") || source.find(':') != std::string::npos)
        continue;
      if (fs::exists(inside(trial.folder(), folder, source)))
        compare_with_default(trial, folder, source);
    }
  } catch (const std::runtime_error& error) {
    trial.report("A9").error(std::string("extra/") + reference_standard, 0,
                             without_folder(error.what(), trial.folder()), "repair the file");
  }
}

}  // namespace

bool is_experiments_file(std::string_view role, std::string_view path) {
  return role.starts_with("experiment") && (path.ends_with(".exp") || path.ends_with(".xml"));
}

std::vector<TrialEntry> reference_trials() {
  return {{"A9", "reference results", always, reproduces_references}};
}

}  // namespace mbs::check_fmu
