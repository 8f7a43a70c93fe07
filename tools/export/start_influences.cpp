// The start made anew with each parameter, input and the time by itself a little larger, at three
// points: the default values at the start time, and two beside them with other inputs at other
// times.
//
// Positions and velocities at the start satisfy their constraints as well as the solver does, and
// what acts on them by less than that cannot be told from what does not act: its effect is compared
// with that of the start's own accuracy, through the derivatives there.
//
// Contacts that are open at these points may be closed at others, and may slide or bounce. What
// tells them (their gaps and speeds, their laws) acts on all that they do then.

#include "tools/export/start_influences.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/analysis/tangent.hpp"
#include "engine/simulation/simulation.hpp"

namespace mbs {
namespace {

// Something that the importer sets before the start.
struct Knob {
  std::uint32_t reference = 0;
  Source source = Source::parameter;  // parameter, input, time
  int index = 0;
};

// In the order of Influence's columns: inputs, time, parameters.
std::vector<Knob> knobs_of(const VariableTable& table) {
  std::vector<Knob> knobs;
  for (const Source source : {Source::input, Source::time, Source::parameter})
    for (const Variable& v : table.variables)
      if (v.source == source &&
          (source != Source::parameter || v.causality == Causality::parameter))
        knobs.push_back({v.reference, v.source, v.index});
  return knobs;
}

// p, v, r, their rates and the outputs at the start, with what is set moved away from the defaults.
class Starts {
 public:
  Starts(const Model& model, const std::shared_ptr<const Equations>& equations)
      : equations_(*equations),
        simulation_(equations, solver_choice(model)),
        parameters_(equations->default_parameters().values),
        inputs_(equations->default_inputs(equations->default_parameters()).value),
        time_(model.solver.start_time),
        is_residual_(Vector::Zero(equations->sizes().y)) {
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
      const Quantity quantity = model.outputs[i].what.quantity;
      if (quantity == Quantity::residual || quantity == Quantity::velocity_residual)
        is_residual_[static_cast<Eigen::Index>(i)] = 1.0;
    }
  }

  int states() const {
    const Sizes& n = equations_.sizes();
    return n.p + n.v + n.r;
  }
  int rows() const { return 2 * states() + equations_.sizes().y; }

  // False where there is no start. moved: by the part `by` more.
  bool find(std::span<const Knob> knobs, int point, const Knob* moved, double by, Vector& values) {
    double t = time_ + 0.29 * point;
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      const Knob& knob = knobs[k];
      const bool is_moved = &knob == moved;
      if (knob.source == Source::parameter) {
        const double part = std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
        const double x = other(parameters_[knob.index], 0.04 * point * (part - 0.5));
        simulation_.set_parameter(knob.index, is_moved ? other(x, by) : x);
      } else if (knob.source == Source::input) {
        const double u = inputs_[knob.index];
        const double x = u + 0.37 * point * (1.0 + std::abs(u));
        simulation_.set_input(knob.index, is_moved ? x + by * (1.0 + std::abs(x)) : x);
      } else if (is_moved) {
        t += by * (1.0 + std::abs(t));
      }
    }
    try {
      if (!simulation_.initialise(t).ok) return false;
      const State& x = simulation_.state();
      values.resize(rows());
      values << x.p, x.v, x.r, simulation_.rates(), Vector::Zero(equations_.sizes().y);
      for (int i = 0; i < equations_.sizes().y; ++i)
        values[2 * states() + i] = simulation_.output(i);
    } catch (const std::runtime_error&) {
      return false;
    }
    return values.allFinite();
  }

  // What each value may change by when the start is as accurate as it is made, after find().
  Vector uncertainty() const {
    constexpr double accuracy = 1e-8;  // of p and v, in their scales: 100 times what is asked for
    const Sizes& n = equations_.sizes();
    const Structure& known = equations_.structure();
    Vector sum = Vector::Zero(rows());
    for (int j = 0; j < n.p; ++j) sum[j] = accuracy * nominal_of(known.p_scale, j);
    for (int j = 0; j < n.v; ++j) sum[n.p + j] = accuracy * nominal_of(known.v_scale, j);
    sum.tail(n.y) = accuracy * is_residual_;
    Tangent tangent(equations_);
    Parameters parameters = equations_.default_parameters();
    const Inputs inputs = equations_.default_inputs(parameters);
    try {
      tangent.evaluate({inputs, parameters}, simulation_.state());
    } catch (const std::runtime_error&) {
      return sum;
    }
    // Accelerations are rounding of each other.
    const Vector& a = simulation_.state().a;
    double largest = 0.0;
    for (int i = 0; i < n.v; ++i)
      largest = std::max(largest, std::abs(a[i]) / nominal_of(known.v_scale, i));
    for (int i = 0; i < n.v; ++i)
      sum[states() + n.p + i] = 1e-11 * largest * nominal_of(known.v_scale, i);
    Variation change(n);
    Vector rates, outputs;
    int j = 0;
    for (Vector* part : {&change.p, &change.v})
      for (double& unit : *part) {
        unit = sum[j++];
        tangent.follow(change);
        tangent.rates(change, rates);
        tangent.outputs({inputs, parameters}, change, outputs);
        unit = 0.0;
        sum.segment(states(), states()) += rates.cwiseAbs();
        sum.tail(n.y) += outputs.cwiseAbs();
      }
    return sum;
  }

 private:
  static double other(double x, double by) { return x == 0.0 ? 0.1 * by : x * (1.0 + by); }

  const Equations& equations_;
  Simulation simulation_;
  Vector parameters_, inputs_;
  double time_;
  Vector is_residual_;  // 1: outputs that are, in their scales
};

// Which knobs act on which values.
class Acting {
 public:
  Acting(int rows, std::size_t knobs)
      : rows_(rows), acts_(static_cast<std::size_t>(rows) * knobs, 0) {}
  char& operator()(int row, std::size_t knob) {
    return acts_[knob * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(row)];
  }

 private:
  int rows_;
  std::vector<char> acts_;
};

// Empty where there is no start at all.
std::optional<Acting> seen_to_act(Starts& starts, std::span<const Knob> knobs) {
  constexpr int points = 3;
  constexpr double negligible = 1e-12;
  const int rows = starts.rows();
  Acting acts(rows, knobs.size());
  std::vector<char> moved(knobs.size(), 0);
  bool any = false;
  Vector before, after, uncertainty;
  Matrix change(rows, static_cast<Eigen::Index>(knobs.size()));
  for (int point = 0; point < points; ++point) {
    if (!starts.find(knobs, point, nullptr, 0.0, before)) continue;
    if (!any) uncertainty = starts.uncertainty();
    any = true;
    change.setZero();
    for (std::size_t k = 0; k < knobs.size(); ++k)
      for (const double by : {0.03, -0.03, 0.003, -0.003})
        if (starts.find(knobs, point, &knobs[k], by, after)) {
          change.col(static_cast<Eigen::Index>(k)) = after - before;
          moved[k] = 1;
          break;
        }
    for (int i = 0; i < rows; ++i) {
      const double largest = std::max(std::abs(before[i]), change.row(i).lpNorm<Eigen::Infinity>());
      for (std::size_t k = 0; k < knobs.size(); ++k)
        // Importers order their loops by inputs: what reacts to one in any digit is listed.
        if (std::abs(change(i, static_cast<Eigen::Index>(k))) >
            (knobs[k].source == Source::input ? 0.0 : negligible * largest + uncertainty[i]))
          acts(i, k) = 1;
    }
  }
  for (std::size_t k = 0; k < knobs.size(); ++k)
    for (int i = 0; i < rows && moved[k] == 0; ++i) acts(i, k) = 1;
  if (!any) return {};
  return acts;
}

// What contacts add, in any of their modes. For each knob whether it acts on which modes they have.
std::vector<char> add_contacts(const Sizes& n, const Influence& running, std::size_t knobs,
                               Acting& acts) {
  const int states = running.rates, contacts = running.of_contacts();
  std::vector<int> touched;  // velocities, by forces or impacts
  for (int i = n.p; i < n.p + n.v; ++i)
    if (running.acts(i, contacts)) touched.push_back(i);
  std::vector<int> follow = touched;  // values
  for (int i = 0; i < states + running.outputs; ++i)
    if (running.acts(i, contacts) ||
        std::ranges::any_of(touched, [&](int j) { return running.acts(i, j); }))
      follow.push_back(states + i);
  std::vector<char> on_modes(knobs, 0);
  for (std::size_t k = 0; k < knobs; ++k) {
    const auto acts_on = [&](int row) {
      bool any = running.acts(row, states + static_cast<int>(k));
      for (int j = 0; j < states && !any; ++j) any = acts(j, k) != 0 && running.acts(row, j);
      return any;
    };
    if (!acts_on(running.contacts()) && std::ranges::none_of(touched, acts_on)) continue;
    on_modes[k] = 1;
    for (const int i : follow) acts(i, k) = 1;
  }
  return on_modes;
}

}  // namespace

void add_start_influences(VariableTable& table, const Model& model,
                          const std::shared_ptr<const Equations>& equations,
                          const Influence& running) {
  constexpr double most_work = 2e6;  // starts times unknowns
  constexpr double most_listed = 5e5;
  const Sizes& n = equations->sizes();
  const std::vector<Knob> knobs = knobs_of(table);
  const double count = static_cast<double>(knobs.size());
  const double work = 3.0 * (1.0 + count) * (n.p + n.v + n.lambda + n.r + n.w + n.y);
  const bool contacts = !equations->structure().contacts.empty();
  if (solver_choice(model).statics || work > most_work) return;
  if (contacts && running.kinds.empty()) return;
  Starts starts(model, equations);
  std::optional<Acting> acts = seen_to_act(starts, knobs);
  if (!acts) return;
  std::vector<char> on_modes;
  if (contacts) on_modes = add_contacts(n, running, knobs.size(), *acts);
  const auto list = [&](std::uint32_t reference, const auto& is_listed) {
    std::vector<std::uint32_t>& influences = table.variables[reference].start_influences.emplace();
    for (std::size_t k = 0; k < knobs.size(); ++k)
      if (is_listed(k)) influences.push_back(knobs[k].reference);
    std::sort(influences.begin(), influences.end());
  };
  const auto list_row = [&](std::uint32_t reference, int row) {
    list(reference, [&](std::size_t k) { return (*acts)(row, k) != 0; });
  };
  const int states = starts.states();
  if (starts.rows() * count <= most_listed)
    for (int i = 0; i < states; ++i) {
      list_row(table.states[static_cast<std::size_t>(i)], i);
      list_row(table.derivatives[static_cast<std::size_t>(i)], states + i);
    }
  for (const Variable& v : table.variables) {
    if (v.causality != Causality::output) continue;
    if (v.source == Source::output) list_row(v.reference, 2 * states + v.index);
    if (v.source == Source::contact_mode)
      list(v.reference, [&](std::size_t k) { return on_modes[k] != 0; });
  }
}

}  // namespace mbs
