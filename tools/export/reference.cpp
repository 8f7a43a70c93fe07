#include "tools/export/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>

#include "engine/base/text.hpp"
#include "tools/export/svg.hpp"
#include "tools/import/simulate.hpp"
#include "tools/report/table.hpp"

namespace mbs {
namespace {

using import::SimulateOptions;
using import::SimulateResult;

constexpr double finer = 0.1, margin = 4.0, least = 1e-6;

// Continuous outputs at the communication points alone: no event mode.
SimulateResult run(import::Fmu& fmu, double tolerance, const std::set<std::string>& noise) {
  SimulateOptions options;
  options.event_mode = false;
  options.tolerance = tolerance;
  for (const import::Variable& v : fmu.description().variables)
    if (v.causality == import::Causality::output &&
        v.variability == import::Variability::continuous && !noise.contains(v.name))
      options.outputs.push_back(v.name);
  if (options.outputs.empty())
    throw std::runtime_error("there is no continuous output to make a reference of");
  SimulateResult result = import::simulate(fmu, options);
  if (!is_good(result.status) && !result.terminated)
    throw std::runtime_error("the reference experiment fails: " + result.failure);
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    for (std::size_t k = 0; k < result.names.size(); ++k)
      if (!std::isfinite(result.rows[i][k]))
        throw std::runtime_error("'" + result.names[k] + "' is no number at t = " +
                                 number_text(result.times[i]) + ": it has no reference");
  return result;
}

double largest(const SimulateResult& result, std::size_t k) {
  double scale = 0.0;
  for (const auto& row : result.rows) scale = std::max(scale, std::abs(row[k]));
  return scale;
}

// An output that is zero throughout is so up to the rounding of the numbers that it is made of.
// They have its unit, so its accuracy is by the largest of all outputs with this unit, and by one
// SI unit if they are all zero.
double scale_of_zero(const import::ModelDescription& description, const SimulateResult& result,
                     std::size_t k) {
  const auto unit = [&](std::size_t i) {
    const import::Variable* v = import::find_element(description, result.names[i]).variable;
    return v == nullptr ? std::string() : v->attributes.unit;
  };
  double scale = 0.0;
  for (std::size_t i = 0; i < result.names.size(); ++i)
    if (unit(i) == unit(k)) scale = std::max(scale, largest(result, i));
  return scale == 0.0 ? 1.0 : scale;
}

double promised_distance(const import::ModelDescription& description, const SimulateResult& a,
                         const SimulateResult& b, std::size_t k) {
  double difference = 0.0;
  for (std::size_t i = 0; i < b.rows.size(); ++i)
    difference = std::max(difference, std::abs(a.rows[i][k] - b.rows[i][k]));
  const double promised = std::max(margin * difference, least * largest(b, k));
  return promised > 0.0 ? promised : least * scale_of_zero(description, b, k);
}

// Two digits, upwards.
std::string rounded_up(double x) {
  const double unit = std::pow(10.0, std::floor(std::log10(x)) - 1.0);
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", std::ceil(x / unit) * unit);
  return text;
}

std::string csv(const SimulateResult& result) {
  Table table;
  for (const std::string& name : result.names) table.columns.push_back({name, "", 1.0, 0.0});
  table.times = result.times;
  table.rows = result.rows;
  return to_csv(table);
}

constexpr const char* manifest = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiReferences xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest"
    fmi-ls:fmi-ls-name="org.fmi-standard.fmi-ls-ref"
    fmi-ls:fmi-ls-version="1.0.0-alpha.1"
    fmi-ls:fmi-ls-description="Layered Standard providing information on related files included in an FMU.">
  <Related type="application/x-ma-hs-experiments" source="default.exp"
      role="experiment/smoke-test" description="The default experiment with its results"/>
  <Related type="text/csv" source="reference.csv" role="result"
      description="Results of the default experiment"/>
</fmiReferences>
)";

}  // namespace

std::vector<ArchiveEntry> reference_entries(const std::filesystem::path& file,
                                            const std::set<std::string>& noise) {
  const auto fmu = import::open_fmu(file);
  const import::DefaultExperiment experiment = *fmu->description().default_experiment;
  const double tolerance = *experiment.tolerance;
  const SimulateResult coarse = run(*fmu, tolerance, noise),
                       reference = run(*fmu, finer * tolerance, noise);
  if (coarse.times != reference.times)
    throw std::runtime_error(
        "the reference experiment ends at another time with a tighter tolerance: it has no "
        "reference");
  std::ostringstream experiments;
  experiments << R"(<?xml version="1.0" encoding="UTF-8"?>
<Experiments name="reference" description="The default experiment, to see that the FMU runs as it did where it was made">
  <Experiment name="default" tolerance=")"
              << number_text(tolerance) << R"(">
    <TransientSimulation startTime=")"
              << number_text(*experiment.start) << "\" stopTime=\"" << number_text(*experiment.stop)
              << "\" stepSize=\"" << number_text(*experiment.step) << R"("/>
    <References type="text/csv" source="reference.csv"/>
    <Annotations>
      <Annotation type="mbsfmu.comparison"><comparison>
)";
  for (std::size_t k = 0; k < reference.names.size(); ++k)
    experiments << "        <output name=\"" << escape_xml(reference.names[k]) << "\" within=\""
                << rounded_up(promised_distance(fmu->description(), coarse, reference, k))
                << "\"/>\n";
  experiments << R"(      </comparison></Annotation>
    </Annotations>
  </Experiment>
</Experiments>
)";
  const std::string text =
      "extra/org.fmi-standard.fmi-ls-ref holds the results of the default experiment "
      "(reference.csv),\n"
      "computed with a tenth of its tolerance, without event mode, all inputs and parameters at "
      "their\n"
      "start values. Simulated with the tolerance and step size of default.exp each output "
      "stays\n"
      "as near to them as it says there: four times what was seen where the FMU was made, in SI "
      "units.\n";
  const std::string folder = "extra/org.fmi-standard.fmi-ls-ref/";
  return {{folder + "fmi-ls-manifest.xml", manifest},
          {folder + "default.exp", experiments.str()},
          {folder + "reference.csv", csv(reference)},
          {"documentation/fmi-ls-ref.txt", text}};
}

}  // namespace mbs
