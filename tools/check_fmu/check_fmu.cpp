#include "tools/check_fmu/check_fmu.hpp"

#include <exception>
#include <optional>

#include "tools/check_fmu/subject.hpp"

namespace mbs::check_fmu {
namespace {

struct Rule {
  std::string_view id, title;
  void (*check)(const Subject&, Report&);
};

constexpr Rule rules[] = {
    {"A1", "zip: plain names, store or deflate, readable by version 2.0", check_zip},
    {"A2", "binaries: platform folders, library named after the model identifier", check_platforms},
    {"A3", "model identifier: a short C identifier", check_model_identifier},
    {"A5", "documentation and icon at their places", check_documentation},
    {"A6", "sources: the listed files exist, no FMI headers", check_sources},
    {"A7", "extra: folders named by reverse domain", check_extra},
    {"M1", "UTF-8 declared, fmiVersion exactly 2.0 or 3.0", check_header},
    {"M2", "numbers that FMI 2 can read; start values equal to the binary's", check_numbers},
    {"M3", "a token that is there, and a wrong one refused", check_token},
    {"M4", "generation date in UTC", check_date},
    {"M5", "variable names: unique, printable, following the convention", check_names},
    {"M6", "causality, variability, initial and start fit together", check_combinations},
    {"M7", "only reals are continuous", check_continuous},
    {"M8", "units, display units and declared types defined", check_units},
    {"M9", "the independent variable", check_independent},
    {"M10", "value references and aliases", check_value_references},
    {"M11", "start within min and max; a possible default experiment", check_bounds},
    {"M11", "", check_experiment},
    {"M12", "no unknown, missing or unreadable attribute", check_schema},
    {"M13", "memory functions of the importer not used", check_memory_functions},
    {"M14", "nothing that co-simulation ignores", check_ignored},
    {"M15", "list attributes without surplus blanks", check_lists},
    {"M16", "elements known, in order, lists not empty", check_order},
    {"M17", "log categories declared and used", check_log_categories},
    {"S1", "every output listed once", check_outputs},
    {"S2", "the right initial unknowns", check_initial_unknowns},
    {"S3", "dependencies on knowns", check_dependencies},
    {"S4", "kinds of dependencies", check_dependency_kinds},
    {"F3", "early return: capabilities fit together", check_early_return},
    {"F5", "intermediate update of continuous variables alone", check_intermediate_update},
    {"F6", "clocks: intervals, event mode", check_clocks},
    {"F7", "arrays: dimensions and number of start values", check_arrays},
    {"R1", "state capabilities fit together", check_state_capabilities},
    {"L1", "all functions of the version exported, and nothing else", check_exports},
    {"B1", "the library needs libc and libm alone", check_needed_libraries},
};

Finding unreadable(std::string_view rule, std::string file, const std::exception& error) {
  return {std::string(rule), Severity::error,
          std::move(file),   0,
          error.what(),      "nothing else can be checked before this is repaired"};
}

void check_description(const std::filesystem::path& file, const Options& options,
                       const std::vector<import::ArchiveEntry>& entries,
                       std::vector<Finding>& findings) {
  std::optional<import::XmlFile> xml;
  std::optional<import::ModelDescription> description;
  try {
    xml.emplace(description_name,
                import::read_from_archive(file, description_name, options.limits));
    description = import::read_model_description(*xml);
  } catch (const import::ImportError& error) {
    findings.push_back(unreadable("M1", description_name, error));
    return;
  }
  const Subject subject{file, options, entries, *xml, *description};
  for (const Rule& rule : rules) {
    Report report(rule.id, findings);
    rule.check(subject, report);
  }
  if (!options.run_binary) return;
  for (Finding& finding : run_binary(subject)) findings.push_back(std::move(finding));
}

}  // namespace

std::string to_text(const Finding& finding) {
  std::string text = finding.file.empty() ? "archive" : finding.file;
  if (finding.line > 0) text.append(":").append(std::to_string(finding.line));
  text += finding.severity == Severity::error ? ": error: " : ": advice: ";
  text += finding.what + " [" + finding.rule + "]";
  if (!finding.advice.empty()) text += "\n    " + finding.advice;
  return text;
}

std::vector<Finding> check_fmu(const std::filesystem::path& file, const Options& options) {
  std::vector<Finding> findings;
  try {
    const std::vector<import::ArchiveEntry> entries = import::list_archive(file, options.limits);
    check_description(file, options, entries, findings);
  } catch (const std::exception& error) {
    findings.push_back(unreadable("A1", "", error));
  }
  return findings;
}

std::vector<RuleTitle> rule_titles() {
  std::vector<RuleTitle> titles;
  for (const Rule& rule : rules)
    if (!rule.title.empty()) titles.push_back({rule.id, rule.title});
  return titles;
}

}  // namespace mbs::check_fmu
