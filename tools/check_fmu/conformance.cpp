// The conformance run: trials one after the other, each in a process of its own. The first one is a
// run as every importer does it; where that fails, nothing else is tried.
#include <cstdlib>
#include <map>

#include "tools/check_fmu/reference.hpp"
#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {
namespace {

std::vector<TrialEntry> all_trials() {
  std::vector<TrialEntry> all;
  for (const auto& list :
       {life_trials(), value_trials(), argument_trials(), step_trials(), state_trials(),
        event_trials(), derivative_trials(), exchange_trials(), reference_trials()})
    all.insert(all.end(), list.begin(), list.end());
  return all;
}

// Everything in a folder: path, size and time of the last change.
std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>> files_in(
    const std::filesystem::path& folder) {
  std::map<std::string, std::pair<std::uintmax_t, std::filesystem::file_time_type>> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator i(folder, error), end; !error && i != end;
       i.increment(error)) {
    if (!i->is_regular_file(error)) continue;
    files[i->path().lexically_relative(folder).string()] = {i->file_size(error),
                                                            i->last_write_time(error)};
  }
  return files;
}

class Conformance {
 public:
  Conformance(const Subject& subject, const import::TemporaryFolder& folder)
      : subject_(subject),
        place_{folder.path()},
        unpacked_(import::unpack_fmu(subject.file, subject.options.limits)),
        grid_(make_grid(subject.description)) {}

  std::vector<Finding> run() {
    const auto before = files_in(unpacked_.folder.path());
    const bool everything = subject_.options.run == Options::Run::everything;
    if (!everything) grid_.count = 0;
    const std::string steps = try_one(first_trial());
    if (steps.empty() || !everything) return findings_;  // it did not come to its end
    grid_.count = std::atoi(steps.c_str());
    for (const TrialEntry& trial : all_trials())
      if (trial.applies(subject_.description)) try_one(trial);
    if (files_in(unpacked_.folder.path()) != before)
      Report("A4", findings_)
          .error("", 0, "the library changes the files of the unpacked FMU",
                 "only read them: several instances share them, and they may be write-protected");
    look_at_traces();
    return findings_;
  }

 private:
  std::string try_one(const TrialEntry& trial) {
    const auto limit = subject_.options.time_limit / (trial.is_advisory ? 4 : 1);
    const ChildEnd end = run_in_child(place_, limit, [&](ToParent& parent) {
      Trial now(subject_, unpacked_.folder.path(), grid_, trial.rule, parent);
      try {
        trial.run(now);
      } catch (const Trial::Stopped&) {
      } catch (const import::ImportError& error) {
        now.report("L1").error("binaries", 0, error.what(),
                               "the FMU cannot be used on this platform");
      }
    });
    findings_.insert(findings_.end(), end.findings.begin(), end.findings.end());
    report_end(trial, end);
    return end.result;
  }

  void report_end(const TrialEntry& trial, const ChildEnd& end) {
    const std::string where = " in " + (end.doing.empty() ? "the library's start" : end.doing) +
                              " (trial: " + std::string(trial.name) + ")";
    const auto add = [&](std::string what, std::string advice) {
      findings_.push_back({std::string(trial.rule),
                           trial.is_advisory ? Severity::advice : Severity::error,
                           subject_.library_path(), 0, std::move(what), std::move(advice)});
    };
    switch (end.how) {
      case ChildEnd::How::finished:
        break;
      case ChildEnd::How::crashed:
        add("crashes" + where + ": " + end.why, "run it there in a debugger");
        break;
      case ChildEnd::How::ended_process:
        add("ends the process" + where, "an FMU must not call exit or let exceptions out");
        break;
      case ChildEnd::How::hung:
        add("did not come back" + where, "look where it hangs; a slow model may need more time");
        break;
      case ChildEnd::How::not_started:
        add("cannot be tried: " + end.why, "try again");
    }
  }

  void look_at_traces() {
    Report report("L4", findings_);
    const auto left = files_in(place_.work());
    if (!left.empty())
      report.error(subject_.library_path(), 0,
                   "writes " + in_quotes(left.begin()->first) + " into the working folder",
                   "write no files unless a parameter asks for them");
    std::error_code error;
    if (std::filesystem::file_size(place_.printed(), error) > 0 && !error)
      report.advice(subject_.library_path(), 0, "prints to the standard output or error",
                    "say it through the logger");
  }

  const Subject& subject_;
  ChildPlace place_;
  import::UnpackedFmu unpacked_;
  Grid grid_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> run_conformance(const Subject& subject) {
  if (!subject.description.co_simulation || !subject.description.problems.empty() ||
      !subject.has_file(subject.library_path()))
    return {};
  const import::TemporaryFolder folder;
  try {
    return Conformance(subject, folder).run();
  } catch (const import::ImportError&) {  // what is wrong with the archive is reported elsewhere
    return {};
  }
}

}  // namespace mbs::check_fmu
