#include "tools/mbsfmu/run_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>

#include "engine/base/text.hpp"
#include "tools/solution/record.hpp"

namespace mbs {
namespace {

// Sets every input of the table at a time, with the slope of the interval that begins there.
class InputFeed {
 public:
  InputFeed(const Model& model, const Table& table) : table_(table) {
    for (const Column& column : table.columns) {
      const auto found = std::find_if(model.inputs.begin(), model.inputs.end(),
                                      [&](const Input& in) { return in.name == column.name; });
      if (found == model.inputs.end())
        throw std::runtime_error("the input table has a column '" + column.name +
                                 "', the model no such input");
      check_unit(column, *found);
      index_.push_back(static_cast<int>(found - model.inputs.begin()));
    }
  }

  // Interpolates between the last row at or before t and the next one.
  void apply(double t, CoSimulationDriver& simulation) {
    if (index_.empty()) return;
    const auto after = std::upper_bound(table_.times.begin(), table_.times.end(), t);
    const auto next = static_cast<std::size_t>(after - table_.times.begin());
    const std::size_t row = next > 0 ? next - 1 : 0;
    const bool between = next > 0 && next < table_.times.size();
    for (std::size_t k = 0; k < index_.size(); ++k) {
      const double from = table_.rows[row][k];
      const double slope =
          between ? (table_.rows[next][k] - from) / (table_.times[next] - table_.times[row]) : 0.0;
      const double value = between ? from + slope * (t - table_.times[row]) : from;
      simulation.set_input(index_[k], value, slope);
    }
  }

  // Sets the inputs if t is the time of a row, from which on other slopes hold.
  void apply_at_row(double t, CoSimulationDriver& simulation) {
    if (std::binary_search(table_.times.begin(), table_.times.end(), t)) apply(t, simulation);
  }

  // The begin of the next interval: the next row's time after t, or infinity.
  double next_change(double t) const {
    const auto after = std::upper_bound(table_.times.begin(), table_.times.end(), t);
    return index_.empty() || after == table_.times.end() ? INFINITY : *after;
  }

 private:
  static void check_unit(const Column& column, const Input& input) {
    if (column.unit.empty()) return;  // SI
    const auto given = parse_unit(column.unit);
    if (!given || !same_up_to_angle(given->dimension, input.unit.dimension))
      throw std::runtime_error("'" + column.heading() + "' of the input table: the input is in " +
                               si_unit_name(input.unit.dimension));
  }

  const Table& table_;
  std::vector<int> index_;
};

// Advances the simulation from point to point and records the requested values.
class Run {
 public:
  Run(const Model& model, CoSimulationDriver& simulation, const RunRequest& request)
      : model_(model),
        simulation_(simulation),
        request_(request),
        inputs_(model, request.inputs),
        start_(request.start.value_or(model.solver.start_time)),
        stop_(request.stop.value_or(model.solver.stop_time)) {
    if (!(stop_ >= start_))
      throw std::runtime_error("the stop time " + number_text(stop_) +
                               " s is before the start time " + number_text(start_) + " s");
    choose_outputs();
  }

  Table table() {
    inputs_.apply(start_, simulation_);
    const InitialReport report = simulation_.initialise(start_, request_.tolerance);
    if (!report.ok) throw std::runtime_error("no consistent initial values: " + report.text());
    const bool alone = stop_ == start_;  // for the initial values
    if (request_.initial && (alone || !report.trimmed.empty())) request_.initial(report);
    if (alone) {
      record();
      return std::move(table_);
    }
    if (request_.progress)
      simulation_.set_progress([&](double t) {
        request_.progress(t);
        return true;
      });
    if (!request_.dump.empty())
      dump_.emplace(request_.dump, solution_head(model_.name, simulation_));
    dumped_ = start_;

    const OutputPoints& points = request_.points;
    if (!points.times.empty())
      at_times();
    else if (points.per_step || points.longest)
      at_steps();
    else
      equidistant();
    if (dump_) dump_->finish();
    return std::move(table_);
  }

 private:
  void choose_outputs() {
    const auto add = [&](std::size_t i) {
      const Output& output = model_.outputs[i];
      table_.columns.push_back({output.name, output.unit.name == "1" ? "" : output.unit.name,
                                output.unit.factor, output.unit.offset});
      outputs_.push_back(static_cast<int>(i));
    };
    for (std::size_t i = 0; request_.outputs.empty() && i < model_.outputs.size(); ++i) add(i);
    for (const std::string& name : request_.outputs) {
      const auto found = std::find_if(model_.outputs.begin(), model_.outputs.end(),
                                      [&](const Output& output) { return output.name == name; });
      if (found == model_.outputs.end())
        throw std::runtime_error("the model has no output '" + name +
                                 "'; 'mbsfmu info' lists those there are");
      add(static_cast<std::size_t>(found - model_.outputs.begin()));
    }
  }

  void record() {
    table_.times.push_back(simulation_.time());
    std::vector<double> row;
    for (const int i : outputs_) row.push_back(simulation_.output(i));
    table_.rows.push_back(std::move(row));
  }

  bool on() const {
    return simulation_.time() < stop_ && simulation_.system().events().end_message().empty();
  }
  // The time up to which the present inputs hold.
  double limit() const { return std::min(stop_, inputs_.next_change(simulation_.time())); }

  // Advances to target or to the end of the simulation, with rows at events; inputs change on the
  // way.
  void advance(double target) {
    while (simulation_.time() < target && on()) {
      double goal = std::min(target, limit());
      if (dump_) {
        if (simulation_.time() >= dumped_) {
          dumped_ = std::min(simulation_.step_ahead(limit()), limit());
          if (dumped_ > simulation_.time())
            dump_->add(solution_piece(simulation_, simulation_.time(), dumped_));
        }
        goal = std::min(goal, dumped_);
      }
      if (goal > simulation_.time()) simulation_.advance(goal, CoSimulationDriver::Events::stop);
      const double now = simulation_.time();
      report_events();
      if (!simulation_.events().empty() && now != target && request_.points.times.empty()) record();
      if (now == goal) inputs_.apply_at_row(now, simulation_);
    }
  }
  void report_events() {
    for (const LogEntry& entry : simulation_.system().events().take_log_entries())
      if (request_.log) request_.log(entry);
    if (!request_.event) return;
    for (const Root& event : simulation_.events()) request_.event(event);
  }
  // Advances and adds a row at target, if it is reached.
  void point(double target) {
    advance(target);
    if (simulation_.time() == target) record();
  }

  void equidistant() {
    double step = request_.points.step.value_or(model_.solver.output_step);
    if (step == 0.0) step = (stop_ - start_) / 500.0;
    if (!(step > 0.0)) throw std::runtime_error("the output step must be above 0");
    check_count((stop_ - start_) / step);
    record();
    const auto count = static_cast<long>(std::ceil((stop_ - start_) / step - 1e-9));
    for (long i = 1; i <= count && on(); ++i)
      point(i == count ? stop_ : start_ + static_cast<double>(i) * step);
  }

  void at_times() {
    double before = -INFINITY;
    for (const double t : request_.points.times) {
      if (!(t >= start_ && t <= stop_ && t > before))
        throw std::runtime_error("the times of outputs must increase and lie between " +
                                 number_text(start_) + " s and " + number_text(stop_) + " s, " +
                                 number_text(t) + " s does not");
      before = t;
    }
    for (const double t : request_.points.times) {
      if (t == start_)
        record();
      else
        point(t);
    }
    advance(stop_);
  }

  void at_steps() {
    const double longest = request_.points.longest.value_or(INFINITY);
    if (!(longest > 0.0)) throw std::runtime_error("the longest interval must be above 0");
    check_count((stop_ - start_) / longest);
    record();
    while (on()) {
      const double begin = simulation_.time();
      const double end = std::min(simulation_.step_ahead(limit()), limit());
      if (!(end > begin)) return report_events();  // a changed input ended it where it stands
      const double parts = request_.points.per_step ? *request_.points.per_step + 1
                                                    : std::ceil((end - begin) / longest);
      for (double k = 1.0; k <= parts && on(); ++k)
        point(k == parts ? end : begin + (end - begin) * k / parts);
    }
  }

  static void check_count(double count) {
    if (count > 1e8)
      throw std::runtime_error("more than 1e8 output points: the output step is too small");
  }

  const Model& model_;
  CoSimulationDriver& simulation_;
  const RunRequest& request_;
  InputFeed inputs_;
  double start_, stop_;
  Table table_;
  std::vector<int> outputs_;
  std::optional<SolutionWriter> dump_;
  double dumped_ = 0.0;  // up to here
};

}  // namespace

Table run_model(const Model& model, CoSimulationDriver& simulation, const RunRequest& request) {
  return Run(model, simulation, request).table();
}

}  // namespace mbs
