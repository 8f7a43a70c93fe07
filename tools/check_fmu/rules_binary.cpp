// Properties of each library of the FMU that show without loading it: exports and needs, for every
// Linux platform.
#include <algorithm>
#include <optional>

#include "tools/check_fmu/elf.hpp"
#include "tools/check_fmu/subject.hpp"
#include "tools/import/library.hpp"

namespace mbs::check_fmu {
namespace {

constexpr std::size_t most_names = 8;  // in one message

// Whether a folder is for Linux: linux64, x86_64-linux, aarch64-linux and others.
bool has_64_bits(std::string_view platform) {
  return platform.find("32") == std::string_view::npos && !platform.starts_with("x86-");
}

// Calls with path and content of each library whose name has this ending.
template <class Function>
void for_each_file(const Subject& subject, std::string_view ending, Function function) {
  for (const import::ArchiveEntry& entry : subject.entries) {
    if (entry.is_folder || !entry.path.starts_with("binaries/") || !entry.path.ends_with(ending))
      continue;
    try {
      function(entry.path, subject.content(entry.path));
    } catch (const import::ImportError&) {  // damaged: L1 says so where it matters
    }
  }
}

// Calls with the path of each Linux library and its dynamic section, as far as it is readable.
template <class Function>
void for_each_library(const Subject& subject, Function function) {
  constexpr std::string_view binaries = "binaries/";
  for (const import::ArchiveEntry& entry : subject.entries) {
    const bool is_library = !entry.is_folder && entry.path.starts_with(binaries) &&
                            entry.path.ends_with(".so") &&
                            std::count(entry.path.begin(), entry.path.end(), '/') == 2;
    if (!is_library) continue;
    const std::size_t end = entry.path.find('/', binaries.size());
    if (!has_64_bits(entry.path.substr(binaries.size(), end - binaries.size()))) continue;
    std::optional<SharedLibrary> library;
    try {
      library = read_shared_library(subject.content(entry.path));
    } catch (const import::ImportError&) {  // damaged: read as little as one that is no library
    }
    function(entry.path, library);
  }
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most_names; ++i) text += " " + names[i];
  if (names.size() > most_names)
    text += " and " + std::to_string(names.size() - most_names) + " more";
  return text;
}

bool is_system_library(std::string_view name) {
  for (const std::string_view known :
       {"libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux"})
    if (name.starts_with(known)) return true;
  return false;
}

// Run times of languages and numerical libraries, whose versions rarely agree at the receiver.
bool is_run_time(std::string_view name) {
  for (const std::string_view known : {"libgfortran", "libquadmath", "libblas", "liblapack",
                                       "libopenblas", "libpython", "libjvm", "libgomp"})
    if (name.starts_with(known)) return true;
  return false;
}

}  // namespace

void check_exports(const Subject& subject, Report& report) {
  const std::vector<std::string> expected = import::function_names(subject.description.version);
  const std::set<std::string> allowed(expected.begin(), expected.end());
  for_each_library(subject, [&](const std::string& path, const auto& library) {
    if (!library) {
      report.error(path, 0, "is no 64-bit shared library of Linux, or a damaged one",
                   "build it again");
      return;
    }
    const std::set<std::string> exported(library->exported.begin(), library->exported.end());
    std::vector<std::string> missing, surplus;
    std::set_difference(allowed.begin(), allowed.end(), exported.begin(), exported.end(),
                        std::back_inserter(missing));
    for (const std::string& name : exported)
      if (!name.starts_with("fmi2") && !name.starts_with("fmi3")) surplus.push_back(name);
    if (!missing.empty())
      report.error(path, 0, "does not export" + join(missing),
                   "export every function; those not supported log and return Error");
    if (!surplus.empty())
      report.advice(path, 0, "exports" + join(surplus) + ", which are no FMI functions",
                    "hide them (-fvisibility=hidden, a version script)");
  });
}

void check_needed_libraries(const Subject& subject, Report& report) {
  for_each_library(subject, [&](const std::string& path, const auto& library) {
    if (!library) return;
    std::vector<std::string> others;
    for (const std::string& name : library->needed)
      if (!is_system_library(name) && !is_run_time(name)) others.push_back(name);
    if (!others.empty())
      report.advice(path, 0, "needs" + join(others) + ", which may be missing elsewhere",
                    "link them statically");
  });
}

void check_windows_libraries(const Subject& subject, Report& report) {
  for_each_file(subject, ".dll", [&](const std::string& path, const std::string& bytes) {
    std::vector<std::string> named;
    for (const char* name :
         {"libstdc++-6.dll", "libgcc_s_seh-1.dll", "libgcc_s_dw2-1.dll", "libwinpthread-1.dll"})
      if (bytes.find(name) != std::string::npos) named.push_back(name);
    if (!named.empty())
      report.advice(path, 0, "needs" + join(named) + ", which Windows does not have",
                    "link with -static");
  });
}

void check_run_times(const Subject& subject, Report& report) {
  const auto& d = subject.description;
  for (const auto* interface : {&d.model_exchange, &d.co_simulation})
    if (*interface && (*interface)->needs_execution_tool)
      report.advice((*interface)->line, "needs its tool at the receiver (needsExecutionTool)",
                    "nothing, if that is what it is for: it is no self-contained FMU");
  for_each_library(subject, [&](const std::string& path, const auto& library) {
    if (!library) return;
    std::vector<std::string> found;
    for (const std::string& name : library->needed)
      if (is_run_time(name)) found.push_back(name);
    if (!found.empty())
      report.advice(path, 0, "needs the run time" + join(found),
                    "link it statically or do without: its version differs from place to place");
  });
}

void check_stripped(const Subject& subject, Report& report) {
  const auto look = [&](const std::string& path, const std::string& bytes) {
    if (bytes.find(".debug_info") != std::string::npos)
      report.advice(path, 0, "holds debug information: names and paths of its sources", "strip it");
  };
  for_each_file(subject, ".so", look);
  for_each_file(subject, ".dll", look);
}

}  // namespace mbs::check_fmu
