// mbsfmu simulate: runs a model file directly, or any FMU, and writes its outputs.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "engine/model/indexed_name.hpp"
#include "tools/import/simulate.hpp"
#include "tools/mbsfmu/command_line.hpp"
#include "tools/mbsfmu/event_lines.hpp"
#include "tools/mbsfmu/loaded_model.hpp"
#include "tools/mbsfmu/run_model.hpp"
#include "tools/report/output_file.hpp"
#include "tools/report/table.hpp"

namespace mbs {
namespace {

struct Options {
  std::string file, output, inputs;
  std::vector<std::string> set;
  std::optional<double> start, stop, step, tolerance, longest;
  std::vector<double> times;
  std::vector<std::string> outputs;
  std::optional<int> per_step, dense_order;
  std::string dump;
  bool monitor = false;
  bool si = false, quiet = false, log = false;
};

// A column that shows factor * value + offset, for values as the FMU has them.
Column shown_as(const std::string& name, const std::string& unit, double factor, double offset) {
  return {name, unit, 1.0 / factor, -offset / factor};
}

Dimension dimension_of(const import::Unit& unit) {
  Dimension dimension;
  std::copy(unit.exponents.begin(), unit.exponents.end(), dimension.exponents.begin());
  return dimension;
}

// A unit for differences, as of temperatures, has no offset.
double offset_of(const import::Unit& unit, const import::Variable& variable) {
  return variable.attributes.relative_quantity ? 0.0 : unit.offset;
}

// In SI where that is requested and the description defines it, otherwise in the display unit.
Column result_column(const std::string& name, const import::ModelDescription& description,
                     bool si) {
  const import::Variable* variable = description.find(name);
  if (!variable) variable = description.find(split_indices(name).base);  // an element
  if (!variable) return {name, {}, 1.0, 0.0};
  const import::Attributes& attributes = variable->attributes;
  const import::Unit* unit = description.find_unit(attributes.unit);
  if (unit && si && unit->has_base)
    return shown_as(name, si_unit_name(dimension_of(*unit)), unit->factor,
                    offset_of(*unit, *variable));
  if (unit && !si)
    for (const import::DisplayUnit& display : unit->display_units)
      if (display.name == attributes.display_unit && !display.inverse)
        return shown_as(name, display.name, display.factor, display.offset);
  return {name, attributes.unit, 1.0, 0.0};
}

Table to_table(const import::SimulateResult& result, const import::ModelDescription& description,
               bool si) {
  Table table;
  for (const std::string& name : result.names)
    table.columns.push_back(result_column(name, description, si));
  table.times = result.times;
  table.rows = result.rows;
  return table;
}

// A column with a unit holds SI values by now and is converted to the unit that the FMU declares;
// the numbers of a column without a unit are in the FMU's own.
void to_own_unit(Table& table, std::size_t k, const import::ModelDescription& description) {
  const Column& column = table.columns[k];
  const import::Variable* variable = import::find_element(description, column.name).variable;
  if (column.unit.empty() || !variable) return;
  const std::string& own = variable->attributes.unit;
  const std::string where = "'" + column.heading() + "' of the input table: ";
  const import::Unit* unit = description.find_unit(own);
  if (!own.empty() && !(unit && unit->has_base))
    throw std::runtime_error(where + "the FMU does not say what its unit '" + own +
                             "' is in SI; leave the unit out and give the numbers in '" + own +
                             "'");
  const auto given = parse_unit(column.unit);
  const Dimension wanted = unit ? dimension_of(*unit) : Dimension{};
  if (!given || !same_up_to_angle(given->dimension, wanted))
    throw std::runtime_error(where + "the FMU takes this input " +
                             (own.empty() ? "without a unit" : "in '" + own + "'"));
  if (!unit) return;
  for (std::vector<double>& row : table.rows)
    row[k] = (row[k] - offset_of(*unit, *variable)) / unit->factor;
}

int finish(const Options& options, const Table& table, const std::string& name,
           const std::string& summary) {
  const std::string path = options.output.empty() ? name + ".csv" : options.output;
  write_file(path, to_csv(table));
  if (!options.quiet)
    std::printf("%s: %s; %zu points of %zu outputs in %s\n", options.file.c_str(), summary.c_str(),
                table.times.size(), table.columns.size(), path.c_str());
  return success;
}

void refuse_for_fmu(const Options& options) {
  const char* option = !options.times.empty()     ? "--times"
                       : options.per_step         ? "--per-step"
                       : options.longest          ? "--longest"
                       : !options.outputs.empty() ? "--outputs"
                       : options.dense_order      ? "--dense-order"
                       : !options.dump.empty()    ? "--dump"
                                                  : nullptr;
  if (option != nullptr)
    throw std::runtime_error(std::string(option) +
                             " is for models: what happens between the communication points of an "
                             "FMU cannot be seen; give the model file, or use --step");
}

int simulate_fmu(const Options& options) {
  refuse_for_fmu(options);
  const auto fmu = import::open_fmu(options.file);
  import::SimulateOptions run;
  run.start = options.start;
  run.stop = options.stop;
  run.step = options.step;
  run.tolerance = options.tolerance;
  run.logging = options.log;
  for (const std::string& text : options.set) run.start_values.push_back(split_assignment(text));
  if (!options.inputs.empty()) {
    Table table = read_csv(options.inputs);
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
      to_own_unit(table, k, fmu->description());
      run.inputs.names.push_back(table.columns[k].name);
    }
    run.inputs.times = table.times;
    run.inputs.rows = table.rows;
  }
  const auto& experiment = fmu->description().default_experiment;
  const double begin = options.start.value_or(experiment ? experiment->start.value_or(0.0) : 0.0);
  const double end =
      options.stop.value_or(experiment ? experiment->stop.value_or(begin + 1.0) : begin + 1.0);
  ProgressLine progress("simulate", begin, end);
  run.progress = [&](double time) { progress.at(time); };

  const import::SimulateResult result = import::simulate(*fmu, run);
  for (const import::LogMessage& message : result.messages)
    std::fprintf(stderr, "[%s] %s\n", message.category.value_or("-").c_str(), message.text.c_str());
  if (!is_good(result.status) && !result.terminated) {
    std::fprintf(stderr, "mbsfmu: %s: %s\n", options.file.c_str(), result.failure.c_str());
    if (!options.log) std::fprintf(stderr, "  --log shows the FMU's own messages\n");
    return failed;
  }
  char summary[128];
  std::snprintf(summary, sizeof summary, "%g s in %zu communication steps%s", end - begin,
                result.steps, result.terminated ? ", ended by the FMU" : "");
  return finish(options, to_table(result, fmu->description(), options.si),
                std::filesystem::path(options.file).stem().string(), summary);
}

std::string at_time(double t) {
  char text[40];
  std::snprintf(text, sizeof text, " at t = %.12g s", t);
  return text;
}

// The contact that a log entry begins with, "'ball': impact at 4.43 m/s".
std::string named_in(const std::string& text) {
  const std::size_t end = text.find("':");
  return text.starts_with('\'') && end != std::string::npos ? text.substr(1, end - 1) : text;
}

int simulate_model(const Options& options) {
  Diagnostics diagnostics;
  const auto loaded = load_model(options.file, options.set, diagnostics);
  show(diagnostics);
  if (!loaded) return failed;

  RunRequest request;
  request.start = options.start;
  request.stop = options.stop;
  request.points = {options.step, options.times, options.per_step, options.longest};
  request.outputs = options.outputs;
  request.dump = options.dump;
  const std::string csv = options.output.empty() ? loaded->model.name + ".csv" : options.output;
  const auto place = [](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  if (!options.dump.empty() && place(options.dump) == place(csv))
    throw std::runtime_error("--dump and the CSV are both '" + csv + "': give them two names");
  request.tolerance = options.tolerance.value_or(0.0);
  if (!options.inputs.empty()) request.inputs = read_csv(options.inputs);
  request.initial = [&](const InitialReport& report) {
    if (!options.quiet) std::fputs(report.text().c_str(), stdout);
  };
  ProgressLine progress("simulate", options.start.value_or(loaded->model.solver.start_time),
                        options.stop.value_or(loaded->model.solver.stop_time));
  request.progress = [&](double time) { progress.at(time); };

  SolverChoice solver = solver_choice(loaded->model);
  if (options.dense_order) solver.options.dense_order = *options.dense_order;
  solver.options.monitor = options.monitor;
  CoSimulationDriver simulation = loaded->simulation(solver);
  const auto begin = std::chrono::steady_clock::now();
  const auto& functions = loaded->equations->structure().switching;
  EventLines event_lines;
  request.event = [&](const Root& event) {
    const auto& function = functions[static_cast<std::size_t>(event.function)];
    if (options.quiet) return;
    event_lines.print(function.name, "event '" + function.name + "'" + at_time(event.t) +
                                         (function.terminate ? ", which ends the simulation" : ""));
  };
  request.log = [&](const LogEntry& entry) {
    if (!options.quiet) event_lines.print(named_in(entry.text), entry.text + at_time(entry.t));
  };
  Table table = run_model(loaded->model, simulation, request);
  event_lines.print_summary();
  if (options.si)
    for (Column& column : table.columns)
      if (const auto unit = parse_unit(column.unit))
        column = {column.name, si_unit_name(unit->dimension), 1.0, 0.0};
  const Statistics& cost = simulation.statistics();
  char summary[200];
  std::snprintf(summary, sizeof summary,
                "%g s in %ld steps (%ld rejected), %ld evaluations, %ld factorisations",
                table.times.back() - table.times.front(), cost.steps, cost.rejected + cost.failed,
                cost.matrix_evaluations, cost.factorisations);
  if (!options.quiet) {
    std::printf("coordinates: %s\n", loaded->coordinates.c_str());
    std::printf("integrator: %s\n", simulation.step().integrator().describe().c_str());
  }
  if (options.monitor) {
    const std::chrono::duration<double, std::milli> whole =
        std::chrono::steady_clock::now() - begin;
    const SaddleStatistics& linear = simulation.step().integrator().linear_statistics();
    std::printf(
        "time: %.3g ms, of which linear systems: %.3g ms analysing, %.3g ms factorising, %.3g ms "
        "solving\n",
        whole.count(), 1e3 * linear.analyse_seconds, 1e3 * linear.factor_seconds,
        1e3 * linear.solve_seconds);
  }
  return finish(options, table, loaded->model.name, summary);
}

int simulate(const Options& options) {
  return is_fmu(options.file) ? simulate_fmu(options) : simulate_model(options);
}

}  // namespace

void add_simulate(CLI::App& program, int& exit_code) {
  const auto [command, options] =
      add_subcommand(program, exit_code, "simulate", "run a model file or any FMU", simulate);
  command->add_option("file", options->file, "a model (*.mbs.xml) or an FMU (*.fmu)")->required();
  command->add_option("-o,--output", options->output, "the CSV to write (default: NAME.csv)");
  command->add_option("--start", options->start, "start time in s");
  command->add_option("--stop", options->stop,
                      "stop time in s; the start time: initial values alone, and how they were "
                      "found");
  CLI::Option* step = command->add_option("--step", options->step, "distance of outputs in s");
  CLI::Option* times = command
                           ->add_option("--times", options->times,
                                        "outputs at these times and no others: 0.1,0.25,0.3")
                           ->delimiter(',');
  CLI::Option* per_step =
      command
          ->add_option("--per-step", options->per_step,
                       "outputs at the integrator's own steps, with so many points inside each")
          ->check(CLI::Range(0, 1000));
  CLI::Option* longest =
      command->add_option("--longest", options->longest,
                          "outputs at the integrator's own steps, each divided so that no interval "
                          "is longer than this, in s");
  for (CLI::Option* one : {step, times, per_step, longest})
    for (CLI::Option* other : {step, times, per_step, longest})
      if (one < other) one->excludes(other);
  command->add_option("--outputs", options->outputs, "these outputs and no others: phi,load")
      ->delimiter(',');
  command
      ->add_option("--dense-order", options->dense_order,
                   "highest order of the interpolation between steps; lower is cheaper and coarser")
      ->check(CLI::Range(3, 18));
  command->add_option("--dump", options->dump,
                      "write the continuous solution of all unknowns for 'mbsfmu interpolate'");
  command->add_option("--tolerance", options->tolerance, "relative tolerance of the integrator");
  command->add_option("--set", options->set,
                      "name=value of a parameter or input; a model understands units, 'F=2 kN', "
                      "and settings of its solver, solver.method=midpoint");
  command->add_flag("--monitor", options->monitor,
                    "print where the time went (models; starting and writing included)");
  command->add_option("--inputs", options->inputs,
                      "CSV with a table of inputs over time: time, then a column for each; units "
                      "are converted: 'time [ms],F [kN]'");
  command->add_flag("--si", options->si, "write SI instead of the outputs' own units");
  command->add_flag("--log", options->log, "show the messages of an FMU");
  command->add_flag("-q,--quiet", options->quiet, "print nothing but errors");
  command->footer(
      "What is not given comes from the model's <solver> or the FMU's default experiment. A "
      "model's\n"
      "events are printed and have a row each, unless --times says which rows there are.\n"
      "--times, --per-step, --longest, --outputs, --dense-order and --dump are for models.\n"
      "Example: mbsfmu simulate crane.fmu --set F=1000 --stop 20 -o crane.csv");
}

}  // namespace mbs
