// The life of an instance from loading to freeing: a run as every importer does it, effects on the
// host, reset, several instances, the logger.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <chrono>
#include <clocale>
#include <cmath>
#include <limits>
#include <thread>

#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {
namespace {

using import::Causality;
using import::Initial;
using import::Status;
using import::Variable;

// The settings of the host that a library must leave as they were.
struct Host {
  std::string folder, locale;
  int rounding = 0;
  bool keeps_denormals = false;
  std::array<void (*)(int), 32> handlers{};

  static Host now() {
    Host host;
    std::error_code error;
    host.folder = std::filesystem::current_path(error).string();
    const char* locale = std::setlocale(LC_ALL, nullptr);
    host.locale = locale ? locale : "";
    host.rounding = std::fegetround();
    volatile double smallest = std::numeric_limits<double>::min();
    host.keeps_denormals = smallest / 2 > 0;
    for (int i = 1; i < 32; ++i) {
      struct sigaction action {};
      if (sigaction(i, nullptr, &action) == 0) host.handlers[i] = action.sa_handler;
    }
    return host;
  }
};

void compare_hosts(Trial& trial, const Host& before) {
  const Host after = Host::now();
  const auto changed = [&](const std::string& what) {
    trial.report("L4").error(trial.library(), 0, "changes " + what + " of the process",
                             "leave the host as it was");
  };
  if (after.folder != before.folder) changed("the working folder");
  if (after.locale != before.locale) changed("the locale");
  if (after.rounding != before.rounding) changed("the rounding mode");
  if (after.keeps_denormals != before.keeps_denormals) changed("the treatment of denormal numbers");
  if (after.handlers != before.handlers) changed("signal handlers");
}

// The declared start value must be that of the binary, unless initialization may change it.
bool is_comparable(const Variable& variable) {
  if (!variable.start || !variable.clocks.empty()) return false;
  if (variable.causality == Causality::input) return true;
  return variable.initial && *variable.initial == Initial::exact;
}

void compare_start(Trial& trial, import::Instance& instance, const Variable& variable) {
  const auto count = element_count(trial.description(), variable);
  if (!count || *count > import::most_elements || !is_comparable(variable)) return;
  import::Value expected = *variable.start;
  std::visit(
      [&](auto& elements) {
        if (elements.size() == 1) elements.resize(*count, elements.front());
      },
      expected);
  import::Value value;
  const Status status = get_value(instance, variable, *count, value);
  Report report = trial.report("M2");
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

void compare_categories(Trial& trial, const import::Instance& instance) {
  const auto& declared = trial.description().log_categories;
  std::set<std::string> reported;
  for (const import::LogMessage& message : instance.messages()) {
    const std::string name = message.category.value_or("");
    const bool good = declared.empty() ? !message.category
                                       : std::any_of(declared.begin(), declared.end(),
                                                     [&](const auto& c) { return c.name == name; });
    if (!good && reported.insert(name).second)
      trial.report("M17").error(0,
                                "the library logs the category " +
                                    (message.category ? in_quotes(name) : std::string("null")) +
                                    ", which is not declared",
                                "declare it in <LogCategories>");
  }
}

// False after a report.
bool are_finite(Trial& trial, import::Instance& instance, std::string_view rule,
                const std::string& when) {
  const Values values = trial.outputs(instance);
  const auto variables = trial.output_variables();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto* reals = std::get_if<import::Reals>(&values[i]))
      for (const double x : *reals)
        if (!std::isfinite(x)) {
          trial.report(rule).error(trial.library(), 0,
                                   in_quotes(variables[i]->name) + " is " + import::to_text(x) +
                                       " " + when + " although every call returned ok",
                                   "a call that leads to such values must return Error");
          return false;
        }
  return true;
}

// FMI 3 returns the time at which the step ended; both versions have it as the independent
// variable, if there is one.
void check_end(Trial& trial, import::Instance& instance, double end,
               const import::StepResult& result) {
  if (!trial.subject().is_fmi2() && result.time != end)
    trial.report("D3").error(trial.library(), 0,
                             "a step to " + import::to_text(end) + " says that it ended at " +
                                 import::to_text(result.time),
                             "lastSuccessfulTime is the communication point to the bit");
  const Variable* time = trial.find([](const Variable& v) {
    return v.causality == Causality::independent && v.type == import::VariableType::float64;
  });
  double now = end;
  if (time && is_good(instance.get_real({&time->reference, 1}, {&now, 1})) &&
      !(std::abs(now - end) <= 1e-9 * std::max(1.0, std::abs(end))))
    trial.report("D3").error(time->line,
                             in_quotes(time->name) + " is " + import::to_text(now) +
                                 " after a step to " + import::to_text(end),
                             "go exactly to the end of the step");
}

void whole_run(Trial& trial) {
  const Host before = Host::now();
  auto instance = trial.instantiate({.name = "check", .logging = true});
  trial.parent().doing("EnterInitializationMode");
  const Status status =
      instance->enter_initialization({.start = trial.grid().start, .stop = trial.grid().stop});
  if (!is_good(status)) {
    trial.report("L13").error(0,
                              "entering initialization with the default start values answers " +
                                  std::string(to_text(status)),
                              "choose start values the model can be initialized with");
    compare_categories(trial, *instance);
    return;
  }
  trial.parent().doing("reading start values");
  for (const Variable& variable : trial.description().variables)
    compare_start(trial, *instance, variable);
  trial.parent().doing("ExitInitializationMode");
  trial.expect_good(instance->exit_initialization(), "ExitInitializationMode");
  bool good = are_finite(trial, *instance, "L13", "after the initialization");
  const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  int done = 0;
  while (done < trial.grid().count && good) {
    const double time = trial.grid().time(done), end = trial.grid().time(done + 1);
    const import::StepResult result = trial.step(*instance, time, end - time);
    if (result.terminate) break;
    ++done;
    good = are_finite(trial, *instance, "D5", "at " + import::to_text(end));
    if (done == 1) check_end(trial, *instance, time + (end - time), result);
    if (done >= 2 && std::chrono::steady_clock::now() > limit) break;
  }
  trial.parent().doing("Terminate");
  trial.expect_good(instance->terminate(), "Terminate");
  compare_categories(trial, *instance);
  trial.parent().doing("FreeInstance");
  instance.reset();
  compare_hosts(trial, before);
  if (good && done > 0) trial.parent().result(std::to_string(done));
}

// Values that can be set before the initialization, read in initialization mode.
std::vector<double> settings(Trial& trial, import::Instance& instance) {
  std::vector<double> values;
  for (const Variable& variable : trial.description().variables) {
    if (!is_comparable(variable) || !is_scalar_real(variable)) continue;
    values.emplace_back();
    trial.expect_good(instance.get_real({&variable.reference, 1}, {&values.back(), 1}),
                      "reading " + in_quotes(variable.name) + " in initialization");
  }
  return values;
}

void resets(Trial& trial) {
  const std::string advice =
      "Reset restores all that Instantiate makes: time, states, parameters, integrator, caches";
  const int count = trial.grid().count;
  auto instance = trial.instantiate();
  trial.enter_initialization(*instance);
  const std::vector<double> before = settings(trial, *instance);
  trial.expect_good(instance->exit_initialization(), "ExitInitializationMode");
  const Values initially = trial.outputs(*instance);
  trial.advance(*instance, 0, (count + 1) / 2);
  const Variable* parameter = trial.find([](const Variable& v) {
    return is_scalar_real(v) && v.causality == Causality::parameter &&
           v.variability == import::Variability::tunable && v.start;
  });
  if (parameter) {  // something other than the default, if it lets itself be set
    const double other = 1.01 * std::get<import::Reals>(*parameter->start).front();
    trial.parent().doing("setting " + in_quotes(parameter->name));
    static_cast<void>(instance->set_real({&parameter->reference, 1}, {&other, 1}));
  }
  trial.parent().doing("Reset");
  trial.expect_good(instance->reset(), "Reset");
  trial.enter_initialization(*instance);
  if (!import::same_bits(settings(trial, *instance), before))
    trial.stop("parameters or inputs after Reset are not what they were at first", advice);
  trial.parent().doing("ExitInitializationMode after Reset");
  trial.expect_good(instance->exit_initialization(), "ExitInitializationMode after Reset");
  trial.expect_same(trial.outputs(*instance), initially, "initialized again after Reset", advice);
  trial.advance(*instance, 0, count);
  trial.expect_same(trial.outputs(*instance), trial.run_alone(count), "a run after Reset ends with",
                    advice);
}

bool may_be_many(const import::ModelDescription& d) {
  return !d.co_simulation->only_once_per_process;
}

void takes_turns(Trial& trial) {
  const int count = trial.grid().count;
  const Values alone = trial.run_alone(count);
  const auto a = trial.started({.name = "a"});
  trial.advance(*a, 0, 1);
  const auto b = trial.started({.name = "b"});
  for (int i = 0; i < count; ++i) {
    if (i + 1 < count) trial.advance(*a, i + 1, i + 2);
    trial.advance(*b, i, i + 1);
  }
  const std::string advice = "keep no variable outside of the instance";
  trial.expect_same(trial.outputs(*a), alone, "next to another instance", advice);
  trial.expect_same(trial.outputs(*b), alone, "next to another instance", advice);
}

void runs_in_threads(Trial& trial) {
  const int count = trial.grid().count;
  const Values alone = trial.run_alone(count);
  trial.parent().doing("a run of two instances in two threads");
  std::array<std::string, 2> found;
  std::array<std::thread, 2> threads;
  for (int k = 0; k < 2; ++k)
    threads[k] = std::thread([&trial, &alone, &text = found[k], count] {
      const auto instance = trial.fmu().instantiate({.name = "in a thread"});
      const Grid& grid = trial.grid();
      bool good =
          is_good(instance->enter_initialization({.start = grid.start, .stop = grid.stop})) &&
          is_good(instance->exit_initialization());
      for (int i = 0; i < count && good; ++i)
        good = is_good(instance->do_step(grid.time(i), grid.time(i + 1) - grid.time(i)).status);
      Values values;
      for (const Variable* variable : trial.output_variables()) {
        values.emplace_back();
        good = good &&
               is_good(get_value(*instance, *variable,
                                 *element_count(trial.description(), *variable), values.back()));
      }
      text = good ? trial.difference(values, alone) : "a call fails";
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : found)
    if (!text.empty()) {
      trial.advice("in one of two threads " + text,
                   "keep no variable outside of the instance: importers use threads");
      return;
    }
}

// Frees instances in every state.
void live_and_free(Trial& trial, int phase) {
  const auto instance = trial.instantiate();
  if (phase >= 1) trial.enter_initialization(*instance);
  if (phase >= 2) trial.expect_good(instance->exit_initialization(), "ExitInitializationMode");
  if (phase >= 3) trial.advance(*instance, 0, 1);
  if (phase >= 4) trial.expect_good(instance->terminate(), "Terminate");
  trial.parent().doing("FreeInstance");
}

void is_freed(Trial& trial) {
  const double kept = growth_per_cycle(30, [&](int i) { live_and_free(trial, i % 5); });
  if (kept > 64)
    trial.error(
        "keeps " + std::to_string(std::lround(kept)) + " bytes of each instance that is freed",
        "free all that the instance owns");
}

void is_silent(Trial& trial) {
  const auto instance = trial.started({.logging = false});
  trial.advance(*instance, 0, 1);
  if (!instance->messages().empty())
    trial.stop("logs although loggingOn is false: " + instance->messages().front().text,
               "call the logger only while logging is on");
  const import::ValueReference nowhere = 0xfffffff0;
  double value = 0;
  trial.parent().doing("reading a value reference that does not exist");
  static_cast<void>(instance->get_real({&nowhere, 1}, {&value, 1}));
  if (!instance->messages().empty())
    trial.advice("logs errors although loggingOn is false: " + instance->messages().front().text,
                 "call the logger only while logging is on");
}

void refuses_wrong_token(Trial& trial) {
  trial.fmu();
  trial.parent().doing("Instantiate with a wrong token");
  try {
    const auto instance =
        trial.fmu().instantiate({.name = "check", .logging = true, .token = "wrong token"});
    trial.report("M3").error(0, "the library accepts a wrong token",
                             "compare it in instantiate, log, return null");
  } catch (const import::ImportError&) {
  }
}

// Results must be bitwise the same wherever the system puts the library and its memory.
void is_independent_of_addresses(Trial& trial) {
  const Subject& subject = trial.subject();
  const import::TemporaryFolder folder;
  std::array<Values, 2> results;
  trial.parent().doing("a run in a process of another layout");
  std::string texts[2];
  for (int k = 0; k < 2; ++k) {
    const ChildEnd end =
        run_in_child({folder.path()}, subject.options.time_limit, [&](ToParent& parent) {
          // Many of each size, so that none is left over from before in both of them.
          std::vector<std::unique_ptr<char[]>> shift;
          for (int i = 0; i < 6400 * k; ++i)
            shift.push_back(std::make_unique<char[]>(16 + 16 * (i % 100)));
          const std::unique_ptr<char[]> large(k == 1 ? new char[16 << 20] : nullptr);
          Trial again(subject, trial.folder(), trial.grid(), "B5", parent);
          const auto variables = again.output_variables();
          const Values values = again.run_alone(again.grid().count);
          std::string text;
          for (std::size_t i = 0; i < values.size(); ++i)
            text +=
                variables[i]->name + " = " + import::to_text(values[i], variables[i]->type) + "\n";
          parent.result(text);
        });
    texts[k] = end.result;
  }
  if (texts[0] != texts[1])
    trial.error("two runs in processes of different memory layout end with different outputs",
                "look for uninitialized memory and for orders that depend on addresses");
}

}  // namespace

TrialEntry first_trial() {
  return {"L4", "a run as every importer does it", always, whole_run};
}

std::vector<TrialEntry> life_trials() {
  return {{"M3", "a wrong token", always, refuses_wrong_token},
          {"L9", "logging off", always, is_silent},
          {"L10", "reset", always, resets},
          {"L5", "two instances in turns", may_be_many, takes_turns},
          {"L5", "two instances in threads", may_be_many, runs_in_threads, true},
          {"L6", "freed in every phase", always, is_freed},
          {"B5", "memory layout", always, is_independent_of_addresses}};
}

}  // namespace mbs::check_fmu
