#include "tools/check_fmu/check_fmu.hpp"

#include <exception>
#include <optional>

#include "tools/check_fmu/subject.hpp"

namespace mbs::check_fmu {
namespace {

struct Rule {
  std::string_view id;
  void (*check)(const Subject&, Report&);
};

constexpr Rule rules[] = {
    {"A1", check_zip},                  // zip: plain names, store or deflate, version 2.0
    {"A2", check_platforms},            // platform folders, the library named after the identifier
    {"A3", check_model_identifier},     // model identifier: a short C identifier
    {"A5", check_documentation},        // documentation and icon at their places
    {"A6", check_sources},              // sources: the listed files exist, no FMI headers
    {"A7", check_extra},                // extra: folders named by reverse domain
    {"A8", check_terminals},            // terminals and icons: names, members, pictures
    {"A9", check_layered_standards},    // layered standards: manifests, files
    {"M1", check_header},               // UTF-8 declared, fmiVersion exactly 2.0 or 3.0
    {"M2", check_numbers},              // numbers that FMI 2 can read; starts as in the binary
    {"M3", check_token},                // a token that is there, and a wrong one refused
    {"M4", check_date},                 // generation date in UTC
    {"M5", check_names},                // names: unique, printable, following the convention
    {"M6", check_combinations},         // causality, variability, initial, start fit together
    {"M7", check_continuous},           // only reals are continuous
    {"M8", check_units},                // units, display units and declared types defined
    {"M9", check_independent},          // the independent variable
    {"M10", check_value_references},    // value references and aliases
    {"M11", check_bounds},              // start within min and max
    {"M11", check_experiment},          // a possible default experiment
    {"M12", check_schema},              // no unknown, missing or unreadable attribute
    {"M13", check_memory_functions},    // memory functions of the importer not used
    {"M14", check_ignored},             // nothing that co-simulation ignores
    {"M15", check_lists},               // list attributes without surplus blanks
    {"M16", check_order},               // elements known, in order, lists not empty
    {"M17", check_log_categories},      // log categories: declared, used, those of the standard
    {"M18", check_reinit},              // reinit on continuous states alone
    {"S1", check_outputs},              // every output listed once
    {"S2", check_initial_unknowns},     // the right initial unknowns
    {"S3", check_dependencies},         // dependencies on knowns
    {"S4", check_dependency_kinds},     // kinds of dependencies
    {"F3", check_early_return},         // early return: capabilities fit together
    {"F5", check_intermediate_update},  // intermediate update of continuous variables
    {"F6", check_clocks},               // clocks: intervals, event mode
    {"F7", check_arrays},               // arrays: dimensions and number of start values
    {"R1", check_state_capabilities},   // state capabilities fit together
    {"L1", check_exports},              // all functions exported, and nothing else
    {"B1", check_needed_libraries},     // Linux: needs libc and libm alone
    {"B2", check_windows_libraries},    // Windows: needs no libraries of the compiler
    {"B3", check_run_times},            // no Fortran, BLAS, Python, Java; no tool
    {"B4", check_stripped},             // no debug information
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
  if (options.run == Options::Run::nothing) return;
  for (Finding& finding : run_conformance(subject)) findings.push_back(std::move(finding));
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

}  // namespace mbs::check_fmu
