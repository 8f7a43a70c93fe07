// The start made anew with each parameter, input and the time by itself a little larger, at three
// points: the default values at the start time, and two beside them with other inputs at other
// times.
//
// Positions and velocities at the start satisfy their constraints as well as the solver does: what
// it leaves, and rounding, are other numbers where the model's numbers are others by some 1e-13 of
// them, and effects are not.
//
// Contacts that are open at these points may be closed at others, and may slide or bounce. What
// tells them (their gaps and speeds, their laws) acts on all that they do then.

#include "tools/export/start_influences.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "engine/analysis/other_parameters.hpp"
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

// Numbers between 0 and 1 that have nothing to do with each other.
double part(std::size_t k) {
  return std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
}

// p, v, r, their rates and the outputs at the start, with what is set moved away from the defaults.
class Starts {
 public:
  Starts(const Model& model, const std::shared_ptr<const Equations>& equations)
      : equations_(*equations),
        simulation_(equations, solver_choice(model)),
        start_time_(model.solver.start_time) {
    for (const Output& output : model.outputs)
      is_residual_.push_back(output.what.quantity == Quantity::residual ||
                             output.what.quantity == Quantity::velocity_residual);
    go_to(0);
  }

  int states() const {
    const Sizes& n = equations_.sizes();
    return n.p + n.v + n.r;
  }
  int rows() const { return 2 * states() + equations_.sizes().y; }
  // Of the change of a value at first `before`: no less than that is one. Positions and velocities
  // satisfy their constraints to some digits, and residuals are what the solver leaves of them.
  double least(int row, double before) const {
    constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon(), leftover = 1e-8;
    const Sizes& n = equations_.sizes();
    const Structure& known = equations_.structure();
    double scale = std::abs(before);
    if (row < n.p)
      scale += nominal_of(known.p_scale, row);
    else if (row < n.p + n.v)
      scale += nominal_of(known.v_scale, row - n.p);
    else if (row >= 2 * states() && is_residual_[static_cast<std::size_t>(row - 2 * states())])
      return leftover;
    return rounding * scale;
  }

  // Large loops that are far from closed take hundreds of iterations each time.
  bool is_too_dear() const { return work_ > 5e5; }

  // Default values at the start time, or some beside them.
  void go_to(int point) {
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

  // False where there is no start. moved: by the part `by` more. blur: in their last digits, 0: as
  // they are.
  bool find(std::span<const Knob> knobs, int blur, const Knob* moved, double by, Vector& values) {
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
        simulation_.set_parameter(knob.index, x);
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
      values << x.p, x.v, x.r, simulation_.rates(), Vector::Zero(equations_.sizes().y);
      for (int i = 0; i < equations_.sizes().y; ++i)
        values[2 * states() + i] = simulation_.output(i);
    } catch (const std::runtime_error&) {
      return false;
    }
    return values.allFinite();
  }

 private:
  const Equations& equations_;
  Simulation simulation_;
  Parameters parameters_;
  Vector inputs_;
  double start_time_, time_ = 0.0;
  std::vector<bool> is_residual_;  // outputs
  double work_ = 0.0;              // iterations times unknowns
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

// What has been found at a point.
struct Changes {
  Matrix by_knob;          // the change of each value
  std::vector<double> by;  // the step; 0: there is no start with another value
};

// By the first of the steps that there is a start with.
bool find_changes(Starts& starts, std::span<const Knob> knobs, Changes& changes) {
  constexpr double steps[] = {0.03, -0.03, 0.003, -0.003, 1e-5, -1e-5, 1e-7, -1e-7};
  Vector before, after;
  if (!starts.find(knobs, 0, nullptr, 0.0, before)) return false;
  changes.by_knob.setZero(before.size(), static_cast<Eigen::Index>(knobs.size()));
  changes.by.assign(knobs.size(), 0.0);
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    for (const double by : steps) {
      if (!starts.find(knobs, 0, &knobs[k], by, after)) continue;
      changes.by[k] = by;
      break;
    }
    if (changes.by[k] == 0.0) continue;
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

// Empty where there is no start at all, or starts take too long.
std::optional<Acting> seen_to_act(Starts& starts, Starts& blurred, std::span<const Knob> knobs) {
  constexpr int points = 3;
  const int rows = starts.rows();
  Acting acts(rows, knobs.size());
  std::vector<char> moved(knobs.size(), 0);
  bool any = false;
  Changes changes;
  for (int point = 0; point < points; ++point) {
    starts.go_to(point);
    blurred.go_to(point);
    if (!find_changes(starts, knobs, changes)) continue;
    any = true;
    drop_rounding(blurred, knobs, acts, changes);
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      if (changes.by[k] != 0.0) moved[k] = 1;
      for (int i = 0; i < rows; ++i)
        if (changes.by_knob(i, static_cast<Eigen::Index>(k)) != 0.0) acts(i, k) = 1;
    }
  }
  if (starts.is_too_dear() || blurred.is_too_dear()) return {};
  for (std::size_t k = 0; k < knobs.size(); ++k)
    for (int i = 0; i < rows && moved[k] == 0; ++i) acts(i, k) = 1;
  if (!any) return {};
  return acts;
}

// Importers order their loops by inputs: what reacts to one in any digit is listed, rounding or
// not. It is that of the model itself, not of the one without pieces.
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

// Contacts that may act on each other: what they touch is the same somewhere, through others.
struct ContactGroup {
  std::vector<int> contacts;
  std::vector<char> touched;  // rates, by forces or impacts
};

std::vector<ContactGroup> groups_of(const Influence& running) {
  std::vector<ContactGroup> groups;
  for (int c = 0; c < running.contacts; ++c) {
    ContactGroup group{{c}, std::vector<char>(static_cast<std::size_t>(running.rates))};
    for (int i = 0; i < running.rates; ++i)
      group.touched[static_cast<std::size_t>(i)] = running.acts(i, running.column_of_contact(c));
    std::erase_if(groups, [&group](const ContactGroup& other) {
      const auto both = [](char a, char b) { return a != 0 && b != 0; };
      if (!std::inner_product(group.touched.begin(), group.touched.end(), other.touched.begin(),
                              false, std::logical_or<>(), both))
        return false;
      group.contacts.insert(group.contacts.end(), other.contacts.begin(), other.contacts.end());
      std::ranges::transform(group.touched, other.touched, group.touched.begin(),
                             std::logical_or<>());
      return true;
    });
    groups.push_back(std::move(group));
  }
  return groups;
}

// What contacts add, in any of their modes. For each contact and knob, whether it acts on its mode.
// (Knobs are the columns after those of the states: what is found with the start makes it begin at
// rest, and such are not looked at.)
std::vector<std::vector<char>> add_contacts(const Sizes& n, const Influence& running,
                                            std::size_t knobs, Acting& acts) {
  const int states = running.rates;
  std::vector<std::vector<char>> on_modes(static_cast<std::size_t>(running.contacts),
                                          std::vector<char>(knobs, 0));
  for (const ContactGroup& group : groups_of(running)) {
    std::vector<int> touched;  // velocities
    for (int i = n.p; i < n.p + n.v; ++i)
      if (group.touched[static_cast<std::size_t>(i)] != 0) touched.push_back(i);
    std::vector<int> follow = touched;  // values
    for (int i = 0; i < states + running.outputs; ++i) {
      const auto on_i = [&](int c) { return running.acts(i, running.column_of_contact(c)); };
      if (std::ranges::any_of(group.contacts, on_i) ||
          std::ranges::any_of(touched, [&](int j) { return running.acts(i, j); }))
        follow.push_back(states + i);
    }
    for (std::size_t k = 0; k < knobs; ++k) {
      const auto acts_on = [&](int row) {
        bool any = running.acts(row, states + static_cast<int>(k));
        for (int j = 0; j < states && !any; ++j) any = acts(j, k) != 0 && running.acts(row, j);
        return any;
      };
      const auto on_row = [&](int c) { return acts_on(running.row_of_contact(c)); };
      if (std::ranges::none_of(group.contacts, on_row) && std::ranges::none_of(touched, acts_on))
        continue;
      for (const int c : group.contacts) on_modes[static_cast<std::size_t>(c)][k] = 1;
      for (const int i : follow) acts(i, k) = 1;
    }
  }
  return on_modes;
}

}  // namespace

void add_start_influences(VariableTable& table, const Model& model,
                          const std::shared_ptr<const Equations>& whole,
                          const std::shared_ptr<const Equations>& smooth,
                          const std::shared_ptr<const Equations>& blurred,
                          const Influence& running) {
  constexpr double most_work = 2e6;  // starts times unknowns
  constexpr double most_listed = 5e5;
  const Sizes& n = smooth->sizes();
  const std::vector<Knob> knobs = knobs_of(table);
  const double count = static_cast<double>(knobs.size());
  const double work = 3.0 * (1.0 + count) * (n.p + n.v + n.lambda + n.r + n.w + n.y);
  const bool contacts = !smooth->structure().contacts.empty();
  if (solver_choice(model).statics || work > most_work) return;
  if (contacts && running.kinds.empty()) return;
  Starts starts(model, smooth), beside(model, blurred);
  std::optional<Acting> acts = seen_to_act(starts, beside, knobs);
  if (!acts) return;
  Starts itself(model, whole);
  add_digits(itself, knobs, *acts);
  std::vector<std::vector<char>> on_modes;
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
      list(v.reference,
           [&](std::size_t k) { return on_modes[static_cast<std::size_t>(v.index)][k] != 0; });
  }
}

}  // namespace mbs
