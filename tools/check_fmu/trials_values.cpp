// Getting and setting values: when they can be read, which calls must be refused, dependencies.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {
namespace {

using import::Causality;
using import::Status;
using import::Variability;
using import::Variable;
using import::VariableType;

double start_of(const Variable& variable) {
  return std::get<import::Reals>(*variable.start).front();
}

void read_all(Trial& trial, import::Instance& instance, const std::string& when) {
  for (const Variable& variable : trial.description().variables) {
    const auto count = element_count(trial.description(), variable);
    if (!count || *count > import::most_elements || !variable.clocks.empty() ||
        variable.type == VariableType::clock)
      continue;
    trial.parent().doing("reading " + in_quotes(variable.name) + " " + when);
    import::Value value;
    const Status status = get_value(instance, variable, *count, value);
    if (!is_good(status)) {
      trial.report("L7").error(variable.line,
                               in_quotes(variable.name) + " cannot be read " + when + ": " +
                                   std::string(to_text(status)),
                               "every variable of the description can be read there");
      throw Trial::Stopped{};
    }
  }
}

void reads_everything(Trial& trial) {
  const auto instance = trial.started();
  read_all(trial, *instance, "after the initialization");
  trial.advance(*instance, 0, 1);
  read_all(trial, *instance, "after a step");
  trial.expect_good(instance->terminate(), "Terminate");
  read_all(trial, *instance, "after Terminate");
}

// Values after an error help to find its cause (FMI 2.0.5, 4.2.4; FMI 3.0.2: the state is
// Terminated then).
void reads_after_an_error(Trial& trial) {
  const auto instance = trial.started();
  trial.parent().doing("ExitInitializationMode a second time");
  if (is_good(instance->exit_initialization())) return;
  read_all(trial, *instance, "after an error");
  if (!trial.capabilities().can_get_and_set_state) return;
  import::State state = nullptr;
  trial.parent().doing("GetFMUState after an error");
  trial.expect_good(instance->get_state(state), "GetFMUState after an error");
  instance->free_state(state);
}

void refuses_bad_references(Trial& trial) {
  const std::string advice = "answer Error and log which value reference";
  const import::ValueReference nowhere = trial.unused_reference();
  double real = 0;
  std::int64_t whole = 0;
  std::string text;
  // Each call has an instance of its own: after an error only few calls are allowed.
  trial.parent().doing("reading a real of a value reference that does not exist");
  trial.expect_refused(trial.started()->get_real({&nowhere, 1}, {&real, 1}),
                       "reading a real of a value reference that does not exist", advice);
  trial.parent().doing("setting a real of a value reference that does not exist");
  trial.expect_refused(trial.started()->set_real({&nowhere, 1}, {&real, 1}),
                       "setting a real of a value reference that does not exist", advice);
  trial.parent().doing("reading a whole number of a value reference that does not exist");
  trial.expect_refused(
      trial.started()->get_integer(VariableType::int32, {&nowhere, 1}, {&whole, 1}),
      "reading a whole number of a value reference that does not exist", advice);
  trial.parent().doing("reading a text of a value reference that does not exist");
  trial.expect_refused(trial.started()->get_text(VariableType::string, {&nowhere, 1}, {&text, 1}),
                       "reading a text of a value reference that does not exist", advice);
}

void refuses_to_set(Trial& trial) {
  const Variable* calculated = trial.find([](const Variable& v) {
    return is_scalar_real(v) && v.causality == Causality::output &&
           v.initial == import::Initial::calculated;
  });
  const Variable* constant = trial.find([](const Variable& v) {
    return is_scalar_real(v) && v.variability == Variability::constant;
  });
  for (const Variable* variable : {calculated, constant}) {
    if (!variable) continue;
    const std::string what = "setting the " +
                             std::string(variable == constant ? "constant " : "output ") +
                             in_quotes(variable->name);
    const auto instance = trial.started();
    const double value = 1;
    trial.parent().doing(what);
    trial.expect_refused(instance->set_real({&variable->reference, 1}, {&value, 1}), what,
                         "answer Error: it is not the importer's to set");
  }
}

void sets_inputs_early(Trial& trial) {
  const Variable* input = trial.find([](const Variable& v) {
    return is_scalar_real(v) && v.causality == Causality::input && v.start;
  });
  if (!input) return;
  const auto instance = trial.instantiate();
  const double value = start_of(*input);
  trial.parent().doing("setting an input before the initialization");
  if (!is_good(instance->set_real({&input->reference, 1}, {&value, 1})))
    trial.advice("the input " + in_quotes(input->name) + " cannot be set before the initialization",
                 "allow it: importers do");
}

void sets_parameters_between_steps(Trial& trial) {
  for (const Variability variability : {Variability::tunable, Variability::fixed}) {
    const Variable* parameter = trial.find([&](const Variable& v) {
      return is_scalar_real(v) && v.causality == Causality::parameter &&
             v.variability == variability && v.start;
    });
    if (!parameter) continue;
    const auto instance = trial.started();
    trial.advance(*instance, 0, 1);
    const double value = start_of(*parameter);
    const std::string what = "setting the " + std::string(to_text(variability)) + " parameter " +
                             in_quotes(parameter->name) + " between steps";
    trial.parent().doing(what);
    const Status status = instance->set_real({&parameter->reference, 1}, {&value, 1});
    if (variability == Variability::tunable) {
      trial.expect_good(status, what);
      trial.advance(*instance, 1, 2);
    } else if (is_good(status)) {
      trial.advice(what + " is accepted", "answer Error, or declare it tunable");
    }
  }
}

void copies_strings(Trial& trial) {
  const Variable* variable = trial.find([](const Variable& v) {
    return v.type == VariableType::string && v.dimensions.empty() && v.start &&
           (v.causality == Causality::parameter || v.causality == Causality::input);
  });
  if (!variable) return;
  const auto instance = trial.instantiate();
  const std::string expected = std::get<import::Strings>(*variable->start).front();
  {
    std::string lent = expected;
    trial.parent().doing("setting " + in_quotes(variable->name));
    trial.expect_good(instance->set_text(variable->type, {&variable->reference, 1}, {&lent, 1}),
                      "setting " + in_quotes(variable->name) + " before the initialization");
    std::fill(lent.begin(), lent.end(), '#');  // the importer may do so as soon as it is back
  }
  trial.enter_initialization(*instance);
  std::string now;
  trial.parent().doing("reading " + in_quotes(variable->name));
  trial.expect_good(instance->get_text(variable->type, {&variable->reference, 1}, {&now, 1}),
                    "reading " + in_quotes(variable->name));
  if (now != expected)
    trial.error(in_quotes(variable->name) + " changes with the buffer it was set from",
                "copy strings when they are set");
}

// In initialization every output can be read and reacts to inputs; an output
// without a declared dependency on an input must not react to it.
void depends_as_declared(Trial& trial) {
  constexpr int most_inputs = 32;
  const auto instance = trial.instantiate();
  trial.enter_initialization(*instance);
  const auto& d = trial.description();
  const auto read = [&](const Variable& variable, double& value) {
    trial.parent().doing("reading " + in_quotes(variable.name) + " in initialization");
    return is_good(instance->get_real({&variable.reference, 1}, {&value, 1}));
  };
  int tried = 0;
  for (std::size_t i = 0; i < d.variables.size() && tried < most_inputs; ++i) {
    const Variable& input = d.variables[i];
    if (!is_scalar_real(input) || input.causality != Causality::input || !input.start) continue;
    ++tried;
    const double start = start_of(input);
    const double other = start + std::max(0.01, 0.01 * std::abs(start));
    for (const import::Unknown& unknown : d.structure.initial_unknowns) {
      if (!unknown.variable || !unknown.has_dependencies) continue;
      const Variable& output = d.variables[*unknown.variable];
      const bool declared =
          std::any_of(unknown.dependencies.begin(), unknown.dependencies.end(),
                      [&](std::uint32_t given) { return d.position(given) == i; });
      if (declared || !is_scalar_real(output) || !output.clocks.empty()) continue;
      double before = 0, after = 0;
      if (!read(output, before)) continue;
      if (!is_good(instance->set_real({&input.reference, 1}, {&other, 1}))) break;
      const bool good = read(output, after);
      trial.expect_good(instance->set_real({&input.reference, 1}, {&start, 1}),
                        "setting " + in_quotes(input.name) + " in initialization");
      if (good && !import::same_bits(import::Reals{before}, import::Reals{after}))
        trial.report("S5").error(unknown.line,
                                 in_quotes(output.name) + " reacts to " + in_quotes(input.name) +
                                     ", which its dependencies do not list",
                                 "list the input there: importers order their loops by it");
    }
  }
}

// Structural parameters that are whole numbers, each changed by one within its range; those that
// cannot be stay. The number of those that were changed.
int change_sizes(import::ModelDescription& description, std::int64_t by) {
  const auto whole = [](const std::optional<import::Value>& value, std::int64_t otherwise) {
    const auto* list = value ? std::get_if<import::Integers>(&*value) : nullptr;
    return list && list->size() == 1 ? list->front() : otherwise;
  };
  int changed = 0;
  for (Variable& v : description.variables) {
    if (v.causality != Causality::structural_parameter || v.type != import::VariableType::uint64 ||
        !v.dimensions.empty() || !v.start)
      continue;
    const std::int64_t start = whole(v.start, 1);
    if (by > 0 && start > std::numeric_limits<std::int64_t>::max() - by) continue;
    const std::int64_t size = start + by;
    if (size < std::max<std::int64_t>(1, whole(v.attributes.min, 1)) ||
        size > whole(v.attributes.max, size))
      continue;
    v.start = import::Value(import::Integers{size});
    ++changed;
  }
  return changed;
}

// False when the FMU has no room for these sizes.
bool configures(Trial& trial, import::Instance& instance, const import::ModelDescription& other) {
  trial.parent().doing("configuration mode");
  trial.expect_good(instance.enter_configuration_mode(), "entering configuration mode");
  bool taken = true;
  for (const Variable& v : other.variables)
    if (v.causality == Causality::structural_parameter && v.start && taken)
      taken = is_good(import::set_value(instance, v, *v.start));
  return taken && is_good(instance.exit_configuration_mode());
}

// The numbers of model exchange are those of all elements that ModelStructure lists.
void counts_resized(Trial& trial, const import::ModelDescription& other) {
  const auto instance = trial.instantiate({.model_exchange = true});
  if (!configures(trial, *instance, other)) return;
  trial.initialize(*instance);
  const auto expect = [&](const char* what, const std::vector<import::Unknown>& list,
                          std::size_t count) {
    std::size_t wanted = 0;
    for (const import::Unknown& unknown : list)
      if (unknown.variable)
        wanted += import::element_count(other, other.variables[*unknown.variable]).value_or(0);
    if (count != wanted)
      trial.error("there are " + std::to_string(count) + " " + what +
                      " after sizes have changed, but the variables that the model structure lists "
                      "have " +
                      std::to_string(wanted) + " elements",
                  "list them all, and count those of the present sizes");
  };
  trial.parent().doing("counting states and event indicators after resizing");
  expect("continuous states", other.structure.derivatives, instance->state_count());
  expect("event indicators", other.structure.event_indicators, instance->indicator_count());
}

// In configuration mode sizes change, and with them the number of values of each array. Larger ones
// may be more than the FMU has room for: then smaller ones.
void resizes(Trial& trial) {
  for (const std::int64_t by : {1, -1}) {
    import::ModelDescription other = trial.description();
    if (change_sizes(other, by) == 0) continue;
    const auto instance = trial.instantiate();
    if (!configures(trial, *instance, other)) continue;
    trial.initialize(*instance);
    for (const Variable& v : other.variables) {
      const auto count = import::element_count(other, v);
      if (!v.clocks.empty() || v.type == import::VariableType::clock || !count ||
          *count > import::most_elements)
        continue;
      import::Value value;
      trial.parent().doing("reading " + in_quotes(v.name) + " after resizing");
      if (!is_good(import::get_value(*instance, v, *count, value)))
        trial.error(in_quotes(v.name) + " cannot be read with " + std::to_string(*count) +
                        " values after its size has changed",
                    "arrays have the sizes of their structural parameters once configuration mode "
                    "is left");
    }
    if (other.model_exchange) counts_resized(trial, other);
    return;
  }
  trial.advice("no other size is taken in configuration mode",
               "declare with min and max what is possible");
}

bool has_structural_parameters(const import::ModelDescription& d) {
  return std::any_of(d.variables.begin(), d.variables.end(), [](const Variable& v) {
    return v.causality == Causality::structural_parameter;
  });
}

}  // namespace

std::vector<TrialEntry> value_trials() {
  return {{"L7", "everything can be read", always, reads_everything},
          {"L7", "values and states after an error", always, reads_after_an_error, true},
          {"L7", "value references that do not exist", always, refuses_bad_references},
          {"L7", "outputs and constants are not set", always, refuses_to_set},
          {"L8", "inputs before the initialization", always, sets_inputs_early},
          {"L14", "parameters between steps", always, sets_parameters_between_steps},
          {"L15", "strings", always, copies_strings},
          {"F7", "other sizes", has_structural_parameters, resizes},
          {"S5", "dependencies at the start", always, depends_as_declared}};
}

}  // namespace mbs::check_fmu
