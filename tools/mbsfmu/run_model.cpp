#include "tools/mbsfmu/run_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace mbs {
namespace {

// Sets every input of the table at a time, with the slope of the piece that begins there.
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

  // The last row at or before t, and how far t is on the way to the next.
  void apply(double t, Simulation& simulation) {
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

  // Where a new piece begins: the next row's time after t, or infinity.
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

}  // namespace

Table run_model(const Model& model, Simulation& simulation, const RunRequest& request) {
  const double start = request.start.value_or(model.solver.start_time);
  const double stop = request.stop.value_or(model.solver.stop_time);
  if (!(stop > start))
    throw std::runtime_error("the stop time " + std::to_string(stop) +
                             " s is not after the start time " + std::to_string(start) + " s");
  double step = request.step.value_or(model.solver.output_step);
  if (step == 0.0) step = (stop - start) / 500.0;
  if (!(step > 0.0)) throw std::runtime_error("the output step must be above 0");
  if ((stop - start) / step > 1e8)
    throw std::runtime_error("more than 1e8 output points: the output step is too small");

  Table table;
  for (const Output& output : model.outputs)
    table.columns.push_back({output.name, output.unit.name == "1" ? "" : output.unit.name,
                             output.unit.factor, output.unit.offset});
  const auto record = [&](double t) {
    table.times.push_back(t);
    std::vector<double> row;
    for (std::size_t i = 0; i < model.outputs.size(); ++i)
      row.push_back(simulation.output(static_cast<int>(i)));
    table.rows.push_back(std::move(row));
  };

  InputFeed inputs(model, request.inputs);
  inputs.apply(start, simulation);
  const InitialReport report = simulation.initialise(start, request.tolerance);
  if (!report.ok) throw std::runtime_error("no consistent initial values: " + report.text());
  if (request.progress)
    simulation.set_progress([&](double t) {
      request.progress(t);
      return true;
    });

  record(start);
  const auto count = static_cast<long>(std::ceil((stop - start) / step - 1e-9));
  for (long i = 1; i <= count; ++i) {
    const double target = i == count ? stop : start + static_cast<double>(i) * step;
    for (;;) {
      const double change = inputs.next_change(simulation.time());
      if (!(change < target)) break;
      simulation.advance(change);
      inputs.apply(change, simulation);
    }
    simulation.advance(target);
    if (inputs.next_change(target) != inputs.next_change(std::nextafter(target, start)))
      inputs.apply(target, simulation);
    record(target);
  }
  return table;
}

}  // namespace mbs
