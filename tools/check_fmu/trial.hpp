// Within the checker: a trial of the conformance run. It runs in a process of its own, reports its
// findings under its rule and ends by returning or by stop().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/check_fmu/child.hpp"
#include "tools/check_fmu/subject.hpp"

namespace mbs::check_fmu {

// The communication points of the trials: those of the default experiment, as many as take little
// time.
struct Grid {
  double start = 0, step = 0, stop = 0;  // stop: given to the FMU, at or behind the last point
  int count = 0;
  double time(int i) const { return start + i * step; }
  double end() const { return time(count); }
};
Grid make_grid(const import::ModelDescription& description);

using Values = std::vector<import::Value>;

class Trial {
 public:
  struct Stopped {};

  Trial(const Subject& subject, std::filesystem::path folder, const Grid& grid,
        std::string_view rule, ToParent& parent);

  const Subject& subject() const { return subject_; }
  const import::ModelDescription& description() const { return subject_.description; }
  const import::Interface& capabilities() const { return *subject_.description.co_simulation; }
  const std::filesystem::path& folder() const { return folder_; }
  const Grid& grid() const { return grid_; }
  std::string library() const;  // its path within the FMU, for messages
  ToParent& parent() { return parent_; }

  // Reports of this trial's rule, or of another one.
  Report report(std::string_view rule) const;
  void error(std::string what, std::string advice);
  void advice(std::string what, std::string advice);
  [[noreturn]] void stop(std::string what, std::string advice);

  // Ends the trial if the status is worse than a warning.
  void expect_good(import::Status status, const std::string& what);
  // For calls that must be refused; nothing else is done with that instance.
  void expect_refused(import::Status status, const std::string& what, const std::string& advice);

  import::Fmu& fmu();  // loaded at the first use
  std::unique_ptr<import::Instance> instantiate(const import::InstanceOptions& options = {});
  void enter_initialization(import::Instance& instance);
  void initialize(import::Instance& instance);
  std::unique_ptr<import::Instance> started(const import::InstanceOptions& options = {});
  import::StepResult step(import::Instance& instance, double time, double size);
  void advance(import::Instance& instance, int from, int to);  // communication points
  Values outputs(import::Instance& instance);
  Values run_alone(int count);  // a new instance over so many steps

  // "'x' is 1 instead of 2"; empty when both are the same to the bit.
  std::string difference(const Values& now, const Values& expected) const;
  void expect_same(const Values& now, const Values& expected, const std::string& when,
                   const std::string& advice);

  std::vector<const import::Variable*> output_variables() const;
  import::ValueReference unused_reference() const;
  // The first variable that is good for a trial, or none.
  template <class Condition>
  const import::Variable* find(Condition condition) const {
    for (const import::Variable& variable : description().variables)
      if (variable.clocks.empty() && condition(variable)) return &variable;
    return nullptr;
  }

 private:
  const Subject& subject_;
  std::filesystem::path folder_;
  Grid grid_;
  std::string_view rule_;
  ToParent& parent_;
  std::unique_ptr<import::Fmu> fmu_;
};

inline bool is_scalar_real(const import::Variable& variable) {
  return variable.type == import::VariableType::float64 && variable.dimensions.empty();
}
// Bytes that stay allocated each time, by the smallest of several batches: caches and the allocator
// itself stop growing at some point. 0 where the allocator does not report its use.
double growth_per_cycle(int cycles, const std::function<void(int)>& cycle);

struct TrialEntry {
  std::string_view rule, name;
  bool (*applies)(const import::ModelDescription&);
  void (*run)(Trial&);
  // The standards forbid the importer to do this: a crash or a hang is advice.
  bool is_advisory = false;
};

// One list a file.
std::vector<TrialEntry> life_trials();        // trials_life.cpp
std::vector<TrialEntry> value_trials();       // trials_values.cpp
std::vector<TrialEntry> argument_trials();    // trials_arguments.cpp
std::vector<TrialEntry> step_trials();        // trials_step.cpp
std::vector<TrialEntry> state_trials();       // trials_state.cpp
std::vector<TrialEntry> event_trials();       // trials_fmi3.cpp
std::vector<TrialEntry> derivative_trials();  // trials_derivatives.cpp
std::vector<TrialEntry> exchange_trials();    // trials_exchange.cpp

// The trial that comes first and alone: a run as every importer does it. Its result is the number
// of steps that it took, as text.
TrialEntry first_trial();

// Conditions for `applies`.
inline bool always(const import::ModelDescription&) {
  return true;
}
inline bool fmi2_only(const import::ModelDescription& d) {
  return d.version == import::FmiVersion::fmi2;
}
inline bool fmi3_only(const import::ModelDescription& d) {
  return d.version == import::FmiVersion::fmi3;
}

}  // namespace mbs::check_fmu
