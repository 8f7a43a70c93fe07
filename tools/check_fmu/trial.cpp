#include "tools/check_fmu/trial.hpp"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/import/library.hpp"

namespace mbs::check_fmu {

using import::Status;
using import::ValueReference;
using import::Variable;

Grid make_grid(const import::ModelDescription& description) {
  constexpr int most = 40, least = 4;
  const import::DefaultExperiment experiment =
      description.default_experiment.value_or(import::DefaultExperiment{});
  Grid grid;
  grid.start = experiment.start.value_or(0);
  grid.stop = std::max(experiment.stop.value_or(grid.start + 1), grid.start);
  const double span = grid.stop > grid.start ? grid.stop - grid.start : 1;
  const auto internal = description.co_simulation->fixed_internal_step;
  grid.step = experiment.step.value_or(internal.value_or(span / most));
  const bool is_free = description.co_simulation->can_handle_variable_step && !internal;
  if (!(grid.step > 0) || (is_free && grid.step * least > span)) grid.step = span / least;
  grid.count = std::max(least, static_cast<int>(std::min<double>(most, span / grid.step + 1e-9)));
  grid.stop = std::max(grid.stop, grid.end());
  return grid;
}

double growth_per_cycle(int cycles, const std::function<void(int)>& cycle) {
  const auto allocated = [] {
    const struct mallinfo2 now = mallinfo2();
    return static_cast<double>(now.uordblks + now.hblkhd);
  };
  for (int i = 0; i < cycles / 3; ++i) cycle(i);
  double least = std::numeric_limits<double>::infinity();
  // Freed memory may stay with the allocator for a while, in lists for each size that fill slowly:
  // a leak shows in every batch.
  constexpr double nothing = 8.0;
  for (int batch = 0; batch < 12 && least > nothing; ++batch) {
    const double before = allocated();
    for (int i = 0; i < cycles; ++i) cycle(i);
    least = std::min(least, (allocated() - before) / cycles);
  }
  return least;
}

Trial::Trial(const Subject& subject, std::filesystem::path folder, const Grid& grid,
             std::string_view rule, ToParent& parent)
    : subject_(subject), folder_(std::move(folder)), grid_(grid), rule_(rule), parent_(parent) {}

std::string Trial::library() const {
  return subject_.library_path();
}

Report Trial::report(std::string_view rule) const {
  return Report(rule, [parent = &parent_](Finding finding) { parent->finding(finding); });
}

void Trial::error(std::string what, std::string advice) {
  report(rule_).error(library(), 0, std::move(what), std::move(advice));
}

void Trial::advice(std::string what, std::string advice) {
  report(rule_).advice(library(), 0, std::move(what), std::move(advice));
}

void Trial::stop(std::string what, std::string advice) {
  error(std::move(what), std::move(advice));
  throw Stopped{};
}

void Trial::expect_good(Status status, const std::string& what) {
  if (!is_good(status))
    stop(what + " answers " + std::string(to_text(status)), "it must be possible here");
}

void Trial::expect_refused(Status status, const std::string& what, const std::string& advice) {
  if (is_good(status)) error(what + " answers " + std::string(to_text(status)), advice);
}

import::Fmu& Trial::fmu(){if (!fmu_){parent_.doing("loading the library");
fmu_ = import::load_fmu(description(), folder_);
}  // namespace mbs::check_fmu
return *fmu_;
}

std::unique_ptr<import::Instance> Trial::instantiate(const import::InstanceOptions& options) {
  fmu();
  parent_.doing("Instantiate");
  return fmu_->instantiate(options);
}

void Trial::enter_initialization(import::Instance& instance) {
  parent_.doing("EnterInitializationMode");
  expect_good(instance.enter_initialization({.start = grid_.start, .stop = grid_.stop}),
              "entering initialization with the default start values");
}

void Trial::initialize(import::Instance& instance) {
  enter_initialization(instance);
  parent_.doing("ExitInitializationMode");
  expect_good(instance.exit_initialization(), "ExitInitializationMode");
}

std::unique_ptr<import::Instance> Trial::started(const import::InstanceOptions& options) {
  auto instance = instantiate(options);
  initialize(*instance);
  return instance;
}

import::StepResult Trial::step(import::Instance& instance, double time,
                               double size){parent_.doing("DoStep at " + import::to_text(time));
const std::string what = "DoStep from " + import::to_text(time) + " by " + import::to_text(size);
import::StepResult result = instance.do_step(time, size);
if (result.status == Status::discard && result.terminate) {
  result.status = Status::ok;  // how FMI 2 says that the model ends itself
} else if (result.status == Status::discard && subject_.is_fmi2()) {
  report("D4").error(library(), 0, what + " answers discard and not that it was terminated",
                     "answer fmi2GetRealStatus and fmi2GetBooleanStatus after Discard");
  throw Stopped{};
}
expect_good(result.status, what);
return result;
}

void Trial::advance(import::Instance& instance, int from, int to) {
  for (int i = from; i < to; ++i) step(instance, grid_.time(i), grid_.time(i + 1) - grid_.time(i));
}

std::vector<const Variable*> Trial::output_variables() const {
  std::vector<const Variable*> list;
  for (const Variable& variable : description().variables)
    if (variable.causality == import::Causality::output && variable.clocks.empty() &&
        variable.type != import::VariableType::clock &&
        element_count(description(), variable).value_or(import::most_elements + 1) <=
            import::most_elements)
      list.push_back(&variable);
  return list;
}

ValueReference Trial::unused_reference() const {
  const auto& variables = description().variables;
  ValueReference nowhere = 0xfffffff0;
  while (std::any_of(variables.begin(), variables.end(),
                     [&](const Variable& v) { return v.reference == nowhere; }))
    --nowhere;
  return nowhere;
}

Values Trial::outputs(import::Instance& instance) {
  parent_.doing("reading outputs");
  Values values;
  for (const Variable* variable : output_variables()) {
    values.emplace_back();
    expect_good(
        get_value(instance, *variable, *element_count(description(), *variable), values.back()),
        "reading " + in_quotes(variable->name));
  }
  return values;
}

Values Trial::run_alone(int count) {
  const auto instance = started();
  advance(*instance, 0, count);
  return outputs(*instance);
}

std::string Trial::difference(const Values& now, const Values& expected) const {
  const auto variables = output_variables();
  for (std::size_t i = 0; i < now.size() && i < expected.size(); ++i)
    if (!import::same_bits(now[i], expected[i]))
      return in_quotes(variables[i]->name) + " is " + import::to_text(now[i], variables[i]->type) +
             " instead of " + import::to_text(expected[i], variables[i]->type);
  return now.size() == expected.size() ? "" : "the number of outputs changes";
}

void Trial::expect_same(const Values& now, const Values& expected, const std::string& when,
                        const std::string& advice) {
  const std::string found = difference(now, expected);
  if (!found.empty()) stop(when + " " + found, advice);
}

}  // namespace mbs::check_fmu
