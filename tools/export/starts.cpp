#include "tools/export/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "engine/analysis/other_parameters.hpp"

namespace mbs {
namespace {

// Numbers between 0 and 1 that have nothing to do with each other.
double part(std::size_t k) {
  return std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
}

// What has been found at a point.
struct Changes {
  Matrix by_knob;          // the change of each value
  std::vector<double> by;  // the step; 0: there is no start with another value
};

// By the first of the steps that there is a start with.
bool find_changes(Starts& starts, std::span<const Knob> knobs, StartWatch* watch,
                  Changes& changes) {
  constexpr double steps[] = {0.03, -0.03, 0.003, -0.003, 1e-5, -1e-5, 1e-7, -1e-7};
  Vector before, after;
  if (!starts.find(knobs, 0, nullptr, 0.0, before)) return false;
  if (watch) watch->see(starts);
  changes.by_knob.setZero(before.size(), static_cast<Eigen::Index>(knobs.size()));
  changes.by.assign(knobs.size(), 0.0);
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    for (const double by : steps) {
      if (!starts.find(knobs, 0, &knobs[k], by, after)) continue;
      changes.by[k] = by;
      break;
    }
    if (changes.by[k] == 0.0) continue;
    if (watch) watch->see(starts, k);
    auto change = changes.by_knob.col(static_cast<Eigen::Index>(k));
    change = after - before;
    for (int i = 0; i < change.size(); ++i)
      if (std::abs(change[i]) <= starts.least(i, before[i])) change[i] = 0.0;
  }
  return true;
}

// Takes back what is rounding, of knobs whose changes say something new.
void drop_rounding(Starts& blurred, std::span<const Knob> knobs, Acting& acts, Changes& changes) {
  const auto is_new = [&](std::size_t k) {
    const auto change = changes.by_knob.col(static_cast<Eigen::Index>(k));
    for (int i = 0; i < change.size(); ++i)
      if (change[i] != 0.0 && acts(i, k) == 0) return true;
    return false;
  };
  Vector before, after;
  for (int blur = 1; blur <= 4; ++blur) {
    if (!blurred.find(knobs, blur, nullptr, 0.0, before)) continue;
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      if (!is_new(k) || !blurred.find(knobs, blur, &knobs[k], changes.by[k], after)) continue;
      auto change = changes.by_knob.col(static_cast<Eigen::Index>(k));
      for (int i = 0; i < change.size(); ++i)
        if (!(std::abs(after[i] - before[i] - change[i]) < 0.05 * std::abs(change[i])))
          change[i] = 0.0;
    }
  }
}

}  // namespace

std::vector<Knob> knobs_of(const VariableTable& table) {
  std::vector<Knob> knobs;
  for (const Source source : {Source::input, Source::time, Source::parameter})
    for (const Variable& v : table.variables)
      if (v.source == source &&
          (source != Source::parameter || v.causality == Causality::parameter))
        knobs.push_back({v.reference, v.source, v.index});
  return knobs;
}

Starts::Starts(const Model& model, const std::shared_ptr<const Equations>& equations,
               const SolverChoice& solver)
    : equations_(*equations),
      simulation_(equations, solver),
      at_rest_(solver.statics),
      trims_(solver.statics ? solver.trims : std::vector<Trim>{}),
      start_time_(model.solver.start_time) {
  for (const Output& output : model.outputs)
    is_residual_.push_back(output.what.quantity == Quantity::residual ||
                           output.what.quantity == Quantity::velocity_residual);
  go_to(0);
}

int Starts::states() const {
  const Sizes& n = equations_.sizes();
  return n.p + n.v + n.r;
}

double Starts::least(int row, double before) const {
  constexpr double leftover = 1e-8;
  const double rounding =
      at_rest_ ? EquilibriumOptions().tolerance : 8.0 * std::numeric_limits<double>::epsilon();
  const Sizes& n = equations_.sizes();
  const Structure& known = equations_.structure();
  const int output = row - row_of_output(0);
  double scale = std::abs(before);
  if (row < n.p)
    scale += nominal_of(known.p_scale, row);
  else if (row < n.p + n.v)
    scale += nominal_of(known.v_scale, row - n.p);
  else if (at_rest_ && row >= states() && output < 0)
    return std::numeric_limits<double>::infinity();
  else if (output >= 0 && output < n.y && is_residual_[static_cast<std::size_t>(output)])
    return leftover;
  return rounding * scale;
}

void Starts::go_to(int point) {
  parameters_ = equations_.default_parameters();
  const Vector inputs = equations_.default_inputs(parameters_).value;
  std::vector<double> by(static_cast<std::size_t>(parameters_.values.size()));
  for (std::size_t k = 0; k < by.size(); ++k) by[k] = 0.04 * point * (part(k) - 0.5);
  if (point > 0) move_parameters(equations_, by, parameters_);
  inputs_ = inputs;
  for (Eigen::Index k = 0; k < inputs.size(); ++k)
    inputs_[k] += 0.5 * point * (0.3 + part(static_cast<std::size_t>(k) + 3)) *
                  (k % 2 == 0 ? 1.0 : -1.0) * (1.0 + std::abs(inputs[k]));
  time_ = start_time_ + 0.29 * point;
}

void Starts::go_to(const Starts& other) {
  parameters_ = other.parameters_;
  inputs_ = other.inputs_;
  time_ = other.time_;
}

bool Starts::go_near(int point, std::span<const Knob> knobs) {
  go_to(point);
  Vector values;
  if (find(knobs, 0, nullptr, 0.0, values)) return true;
  const Parameters parameters = parameters_;
  const Vector inputs = inputs_;
  const double time = time_;
  go_to(0);
  if (!find(knobs, 0, nullptr, 0.0, values)) return false;
  for (const Knob& knob : knobs) {
    double& x = knob.source == Source::parameter ? parameters_.values[knob.index]
                : knob.source == Source::input   ? inputs_[knob.index]
                                                 : time_;
    const double there = knob.source == Source::parameter ? parameters.values[knob.index]
                         : knob.source == Source::input   ? inputs[knob.index]
                                                          : time;
    const double here = x;
    for (const double value : {there, 2.0 * here - there}) {
      x = value;
      if (find(knobs, 0, nullptr, 0.0, values)) break;
      x = here;
    }
  }
  return true;
}

bool Starts::find(std::span<const Knob> knobs, int blur, const Knob* moved, double by,
                  Vector& values) {
  double t = time_;
  Parameters asked = parameters_;
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    const Knob& knob = knobs[k];
    const bool is_moved = &knob == moved;
    const double digits = 1e-13 * (part(k + 7 * static_cast<std::size_t>(blur)) - 0.5) * blur;
    if (knob.source == Source::parameter) {
      double& x = asked.values[knob.index];
      const double step = is_moved ? other_number(x, by) - x : 0.0;
      x = x * (1.0 + digits) + step;
      simulation_.system().parameters().set(knob.index, x);
    } else if (knob.source == Source::input) {
      const double u = inputs_[knob.index];
      const double step = is_moved ? by * (1.0 + std::abs(u)) : 0.0;
      simulation_.set_input(knob.index, u * (1.0 + digits) + step);
    } else if (is_moved) {
      t += by * (1.0 + std::abs(t));
    }
  }
  if (!is_possible(equations_, asked)) return false;
  try {
    if (is_too_dear()) return false;
    const InitialReport report = simulation_.initialise(t);
    const Sizes& n = equations_.sizes();
    work_ += (1.0 + report.iterations) * (n.p + n.v + n.lambda);
    if (!report.ok) return false;
    const State& x = simulation_.state();
    values.resize(rows());
    values << x.p, x.v, x.r, simulation_.system().rates(), Vector::Zero(rows() - 2 * states());
    for (int i = 0; i < n.y; ++i) values[row_of_output(i)] = simulation_.output(i);
    for (std::size_t i = 0; i < trims_.size(); ++i)
      values[row_of_trim(static_cast<int>(i))] =
          simulation_.system().parameters().value(trims_[i].parameter);
    found_inputs_ = equations_.default_inputs(asked);
    found_inputs_.t0 = t;
    for (int i = 0; i < n.u; ++i) found_inputs_.value[i] = simulation_.input(i);
    found_parameters_ = std::move(asked);
  } catch (const std::runtime_error&) {
    return false;
  }
  return values.allFinite();
}

std::optional<Acting> seen_to_act(Starts& starts, Starts& blurred, std::span<const Knob> knobs,
                                  bool everywhere, StartWatch* watch) {
  constexpr int points = 3;
  const int rows = starts.rows();
  Acting acts(rows, knobs.size());
  std::vector<char> moved(knobs.size(), 0);
  bool any = false;
  Changes changes;
  for (int point = 0; point < points; ++point) {
    if (starts.go_near(point, knobs)) blurred.go_to(starts);
    if (!find_changes(starts, knobs, watch, changes)) {
      if (everywhere) return {};
      continue;
    }
    any = true;
    drop_rounding(blurred, knobs, acts, changes);
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      if (changes.by[k] != 0.0) moved[k] = 1;
      for (int i = 0; i < rows; ++i)
        if (changes.by_knob(i, static_cast<Eigen::Index>(k)) != 0.0) acts(i, k) = 1;
    }
  }
  if (starts.is_too_dear() || blurred.is_too_dear()) return {};
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    if (moved[k] != 0) continue;
    for (int i = 0; i < rows; ++i) acts(i, k) = 1;
    if (watch) watch->see_none(k);
  }
  if (!any) return {};
  return acts;
}

void add_digits(Starts& whole, std::span<const Knob> knobs, Acting& acts) {
  Vector before, after;
  for (const int point : {0, 1}) {
    whole.go_to(point);
    if (!whole.find(knobs, 0, nullptr, 0.0, before)) continue;
    for (std::size_t k = 0; k < knobs.size(); ++k)
      for (const double by : {0.01, -0.03, 0.3}) {
        if (knobs[k].source != Source::input || !whole.find(knobs, 0, &knobs[k], by, after))
          continue;
        for (int i = 0; i < before.size(); ++i)
          if (before[i] != after[i]) acts(i, k) = 1;
      }
  }
}

}  // namespace mbs
