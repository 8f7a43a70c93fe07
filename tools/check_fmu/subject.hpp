// Within the checker: the subject of the rules and their reports.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/check_fmu/check_fmu.hpp"
#include "tools/import/archive.hpp"
#include "tools/import/fmu.hpp"
#include "tools/import/library.hpp"
#include "tools/import/model_description.hpp"
#include "tools/import/xml.hpp"

namespace mbs::check_fmu {

inline constexpr const char* description_name = "modelDescription.xml";

struct Subject {
  const std::filesystem::path& file;
  const Options& options;
  const std::vector<import::ArchiveEntry>& entries;
  const import::XmlFile& xml;
  const import::ModelDescription& description;
  mutable std::map<std::string, std::string> files = {};  // that have been read, by path

  // Throws import::ImportError for a damaged file.
  const std::string& content(const std::string& path) const {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    return files[path] = import::read_from_archive(file, path, options.limits);
  }
  bool is_fmi2() const { return description.version == import::FmiVersion::fmi2; }
  // Derivatives of states have no use in co-simulation unless partial derivatives are provided.
  bool ignores_derivatives() const {
    const auto& cs = description.co_simulation;
    return !description.model_exchange && cs && !cs->provides_directional_derivatives &&
           !cs->provides_adjoint_derivatives;
  }
  bool has_file(const std::string& path) const {
    for (const import::ArchiveEntry& entry : entries)
      if (!entry.is_folder && entry.path == path) return true;
    return false;
  }
  // The library for this machine's platform, for co-simulation.
  std::string library_path() const {
    return "binaries/" + import::platform_folder(description.version) + "/" +
           description.co_simulation->model_identifier + ".so";
  }
  bool has_folder(const std::string& path) const {
    for (const import::ArchiveEntry& entry : entries)
      if (entry.path.starts_with(path + "/") || (entry.is_folder && entry.path == path))
        return true;
    return false;
  }
};

// Takes the findings of one rule.
class Report {
 public:
  Report(std::string_view rule, std::function<void(Finding)> sink)
      : rule_(rule), sink_(std::move(sink)) {}
  Report(std::string_view rule, std::vector<Finding>& findings)
      : Report(rule, [&findings](Finding f) { findings.push_back(std::move(f)); }) {}

  void error(std::string file, int line, std::string what, std::string advice) {
    add(Severity::error, std::move(file), line, std::move(what), std::move(advice));
  }
  void advice(std::string file, int line, std::string what, std::string advice) {
    add(Severity::advice, std::move(file), line, std::move(what), std::move(advice));
  }
  // Findings in the model description.
  void error(int line, std::string what, std::string advice) {
    error(description_name, line, std::move(what), std::move(advice));
  }
  void advice(int line, std::string what, std::string text) {
    advice(description_name, line, std::move(what), std::move(text));
  }

 private:
  void add(Severity severity, std::string file, int line, std::string what, std::string advice) {
    sink_(
        {std::string(rule_), severity, std::move(file), line, std::move(what), std::move(advice)});
  }
  std::string_view rule_;
  std::function<void(Finding)> sink_;
};

inline std::string in_quotes(std::string_view text) {
  return std::string("'").append(text).append("'");
}

// rules_archive.cpp
void check_zip(const Subject&, Report&);
void check_platforms(const Subject&, Report&);
void check_model_identifier(const Subject&, Report&);
void check_documentation(const Subject&, Report&);
void check_sources(const Subject&, Report&);
void check_extra(const Subject&, Report&);

// rules_description.cpp
void check_header(const Subject&, Report&);
void check_token(const Subject&, Report&);
void check_date(const Subject&, Report&);
void check_units(const Subject&, Report&);
void check_experiment(const Subject&, Report&);
void check_schema(const Subject&, Report&);
void check_order(const Subject&, Report&);
void check_memory_functions(const Subject&, Report&);
void check_ignored(const Subject&, Report&);
void check_lists(const Subject&, Report&);
void check_log_categories(const Subject&, Report&);

// rules_variables.cpp
void check_numbers(const Subject&, Report&);
void check_names(const Subject&, Report&);
void check_combinations(const Subject&, Report&);
void check_continuous(const Subject&, Report&);
void check_independent(const Subject&, Report&);
void check_value_references(const Subject&, Report&);
void check_bounds(const Subject&, Report&);

// rules_structure.cpp
void check_outputs(const Subject&, Report&);
void check_initial_unknowns(const Subject&, Report&);
void check_dependencies(const Subject&, Report&);
void check_dependency_kinds(const Subject&, Report&);
void check_reinit(const Subject&, Report&);

// rules_fmi3.cpp
void check_early_return(const Subject&, Report&);
void check_intermediate_update(const Subject&, Report&);
void check_clocks(const Subject&, Report&);
void check_arrays(const Subject&, Report&);
void check_state_capabilities(const Subject&, Report&);

// rules_extra.cpp
void check_terminals(const Subject&, Report&);
void check_layered_standards(const Subject&, Report&);

// rules_binary.cpp
void check_exports(const Subject&, Report&);
void check_needed_libraries(const Subject&, Report&);
void check_windows_libraries(const Subject&, Report&);
void check_run_times(const Subject&, Report&);
void check_stripped(const Subject&, Report&);

// conformance.cpp: runs the library of this platform, if there is one, in processes of their own.
std::vector<Finding> run_conformance(const Subject&);

}  // namespace mbs::check_fmu
