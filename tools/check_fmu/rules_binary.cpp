// Rules that need the library: what it exports and needs, read from the file, for every Linux
// platform of the FMU; and on the machine's own platform what it does, in a process of its own that
// may crash or hang without harm.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tools/check_fmu/elf.hpp"
#include "tools/check_fmu/subject.hpp"
#include "tools/import/library.hpp"

namespace mbs::check_fmu {
namespace {

using import::Causality;
using import::Initial;
using import::Status;
using import::Variable;
using import::VariableType;

constexpr std::size_t most_names = 8;  // in one message
constexpr std::chrono::seconds time_limit{60};
constexpr int finished =
    42;  // the exit code of a child that came to its end; a library may call exit(0)

// By the folder's name, the platform: linux64, x86_64-linux, aarch64-linux and what may come.
bool has_64_bits(std::string_view platform) {
  return platform.find("32") == std::string_view::npos && !platform.starts_with("x86-");
}

// Calls with the path of each Linux library and what could be read of it.
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
      library = read_shared_library(
          import::read_from_archive(subject.file, entry.path, subject.options.limits));
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

// The start value must be what the binary has: not for what initialisation may change.
bool is_comparable(const Variable& variable) {
  if (!variable.start || !variable.clocks.empty()) return false;
  if (variable.causality == Causality::input) return true;
  return variable.initial && *variable.initial == Initial::exact;
}

void compare_start(const Subject& subject, import::Instance& instance, const Variable& variable,
                   Report& report) {
  const auto count = element_count(subject.description, variable);
  if (!count || *count > import::most_elements || !is_comparable(variable)) return;
  import::Value expected = *variable.start;
  std::visit(
      [&](auto& elements) {
        if (elements.size() == 1) elements.resize(*count, elements.front());
      },
      expected);
  import::Value value;
  const Status status = get_value(instance, variable, *count, value);
  if (!is_good(status))
    report.error(variable.line,
                 in_quotes(variable.name) +
                     " cannot be read in initialization: " + std::string(to_text(status)),
                 "every variable can be read there");
  else if (!import::same_bits(expected, value))
    report.error(variable.line,
                 in_quotes(variable.name) + " starts as " +
                     import::to_text(expected, variable.type) + " in the description and as " +
                     import::to_text(value, variable.type) + " in the binary",
                 "write numbers with all their digits (%.17g), from the same source");
}

void check_refuses_wrong_token(import::Fmu& fmu, Report& report) {
  try {
    const auto instance =
        fmu.instantiate({.name = "check", .logging = true, .token = "wrong token"});
    report.error(0, "the library accepts a wrong token",
                 "compare it in instantiate, log, return null");
  } catch (const import::ImportError&) {
  }
}

void check_categories(const Subject& subject, const import::Instance& instance, Report& report) {
  const auto& declared = subject.description.log_categories;
  std::set<std::string> reported;
  for (const import::LogMessage& message : instance.messages()) {
    const std::string name = message.category.value_or("");
    const bool good = declared.empty() ? !message.category
                                       : std::any_of(declared.begin(), declared.end(),
                                                     [&](const auto& c) { return c.name == name; });
    if (!good && reported.insert(name).second)
      report.error(0,
                   "the library logs the category " +
                       (message.category ? in_quotes(name) : std::string("null")) +
                       ", which is not declared",
                   "declare it in <LogCategories>");
  }
}

// Runs in the child process.
std::vector<Finding> run_here(const Subject& subject) {
  std::vector<Finding> findings;
  Report loading("L1", findings), token("M3", findings), start("M2", findings),
      categories("M17", findings), life("L13", findings);
  try {
    const auto fmu = import::open_fmu(subject.file, subject.options.limits);
    check_refuses_wrong_token(*fmu, token);
    const auto instance = fmu->instantiate({.name = "check", .logging = true});
    const auto& experiment = subject.description.default_experiment;
    const double begin = experiment ? experiment->start.value_or(0) : 0;
    const Status status = instance->enter_initialization({.start = begin});
    if (is_good(status)) {
      for (const Variable& variable : subject.description.variables)
        compare_start(subject, *instance, variable, start);
    } else {
      life.error(0,
                 "entering initialization with the default start values answers " +
                     std::string(to_text(status)),
                 "choose start values the model can be initialized with");
    }
    check_categories(subject, *instance, categories);
  } catch (const import::ImportError& error) {
    loading.error("binaries", 0, error.what(), "the FMU cannot be used on this platform");
  }
  return findings;
}

// Findings travel through the pipe as lengths and texts.
void put(std::string& stream, const std::string& text) {
  stream += std::to_string(text.size()) + ":" + text;
}

std::string take(std::string_view& stream) {
  const std::size_t colon = stream.find(':');
  if (colon == std::string_view::npos) {
    stream = {};
    return {};
  }
  std::size_t size = 0;
  for (const char c : stream.substr(0, colon)) size = size * 10 + static_cast<std::size_t>(c - '0');
  stream.remove_prefix(colon + 1);
  std::string text(stream.substr(0, size));
  stream.remove_prefix(text.size());
  return text;
}

std::string serialize(const std::vector<Finding>& findings) {
  std::string stream;
  for (const Finding& f : findings) {
    put(stream, f.rule);
    put(stream, f.severity == Severity::error ? "e" : "a");
    put(stream, f.file);
    put(stream, std::to_string(f.line));
    put(stream, f.what);
    put(stream, f.advice);
  }
  return stream;
}

std::vector<Finding> deserialize(std::string_view stream) {
  std::vector<Finding> findings;
  while (!stream.empty()) {
    Finding f;
    f.rule = take(stream);
    f.severity = take(stream) == "e" ? Severity::error : Severity::advice;
    f.file = take(stream);
    f.line = std::atoi(take(stream).c_str());
    f.what = take(stream);
    f.advice = take(stream);
    findings.push_back(std::move(f));
  }
  return findings;
}

[[noreturn]] void be_child(const Subject& subject, int output, const std::string& folder) {
  setenv("TMPDIR", folder.c_str(), 1);  // a crash leaves files behind, the parent removes them
  // What the library prints does not belong to the report.
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  std::string stream;
  try {
    stream = serialize(run_here(subject));
  } catch (...) {
    _exit(1);
  }
  for (std::size_t done = 0; done < stream.size();) {
    const ssize_t count = write(output, stream.data() + done, stream.size() - done);
    if (count < 0 && errno != EINTR) _exit(1);
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  _exit(finished);
}

// All that comes until the child closes its end, or the time is over.
std::string read_until(int input, std::chrono::steady_clock::time_point end, bool& in_time) {
  std::string stream;
  char buffer[4096];
  in_time = true;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd wait{input, POLLIN, 0};
    const int ready = left.count() > 0 ? poll(&wait, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      in_time = false;
      return stream;
    }
    const ssize_t count = read(input, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return stream;
    stream.append(buffer, static_cast<std::size_t>(count));
  }
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
      if (!is_system_library(name)) others.push_back(name);
    if (!others.empty())
      report.advice(path, 0, "needs" + join(others) + ", which may be missing elsewhere",
                    "link them statically");
  });
}

std::vector<Finding> run_binary(const Subject& subject) {
  if (!subject.description.co_simulation || !subject.description.problems.empty()) return {};
  const import::ModelDescription& d = subject.description;
  const std::string library = "binaries/" + import::platform_folder(d.version) + "/" +
                              d.co_simulation->model_identifier + ".so";
  if (!subject.has_file(library)) return {};
  std::vector<Finding> findings;
  Report report("L4", findings);
  const import::TemporaryFolder folder;
  int pipe_ends[2];
  const auto cannot_be_tried = [&] {
    report.error(library, 0, std::string("cannot be tried: ") + std::strerror(errno), "try again");
    return findings;
  };
  if (pipe(pipe_ends) != 0) return cannot_be_tried();
  const pid_t child = fork();
  if (child < 0) {
    const int reason = errno;
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    errno = reason;
    return cannot_be_tried();
  }
  if (child == 0) {
    close(pipe_ends[0]);
    be_child(subject, pipe_ends[1], folder.path().string());
  }
  close(pipe_ends[1]);
  bool in_time = false;
  const std::string stream =
      read_until(pipe_ends[0], std::chrono::steady_clock::now() + time_limit, in_time);
  close(pipe_ends[0]);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time)
    report.error(library, 0,
                 "did not initialize within " + std::to_string(time_limit.count()) + " seconds",
                 "look where it hangs");
  else if (WIFSIGNALED(status))
    report.error(library, 0,
                 std::string("crashes while it is initialized: ") + strsignal(WTERMSIG(status)),
                 "run it in a debugger; the checker loads it, enters initialization, reads values");
  else if (WEXITSTATUS(status) != finished)
    report.error(library, 0, "ends the process while it is initialized",
                 "an FMU must not call exit or let exceptions out");
  if (!findings.empty()) return findings;
  return deserialize(stream);
}

}  // namespace mbs::check_fmu
