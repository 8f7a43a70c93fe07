#include "engine/simulation/input_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mbs {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-13;

constexpr std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

bool differ_beyond_rounding(double a, double b) {
  return std::abs(a - b) > rounding * std::max(std::abs(a), std::abs(b));
}

double cube(double a) {
  return a * a * a;
}

// Inputs::jet without further powers.
Inputs::Jet jet_as_set(const Inputs& u, int i, double t) {
  const double s = t - u.t0, first = u.first[i], second = u.second[i];
  return {u.value[i] + s * (first + 0.5 * s * second), first + s * second, second};
}

bool is_constant(const Inputs& u, int i) {
  return u.first[i] == 0.0 && u.second[i] == 0.0;
}

bool is_same_constant(const Inputs& u, const Inputs& in_force, int i) {
  return is_constant(u, i) && is_constant(in_force, i) && u.value[i] == in_force.value[i];
}

void assign(Inputs& u, int i, const Inputs::Jet& to) {
  u.value[i] = to.value;
  u.first[i] = to.first;
  u.second[i] = to.second;
}

// The largest difference of two polynomials over a length, in parts of tol.
double largest_difference(double value, double first, double second, double length, double tol) {
  double du = std::abs(value);
  if (!(du + length * (std::abs(first) + 0.5 * length * std::abs(second)) > tol)) return 0.0;
  constexpr int places = 4;
  for (int j = 1; j <= (length > 0.0 ? places : 0); ++j) {
    const double s = j * length / places;
    du = std::max(du, std::abs(value + s * (first + 0.5 * s * second)));
  }
  return du / tol;
}

}  // namespace

bool moves_constraints(const Equations& equations, int input) {
  const JacobianLayout at(equations.sizes());
  const ColumnSparse& pattern = equations.structure().jacobian;
  if (pattern.cols() != at.cols) return equations.sizes().lambda > 0;
  for (ColumnSparse::InnerIterator entry(pattern, at.col_u + input); entry; ++entry)
    if ((entry.row() >= at.velocity && entry.row() < at.norm) || entry.row() >= at.acceleration)
      return true;
  return false;
}

InputPrediction::InputPrediction(const Equations& equations, Inputs& in_force, double rtol)
    : in_force_(&in_force),
      rtol_(rtol),
      latest_(in_force),
      inputs_(index(equations.sizes().u)),
      history_(equations.sizes().u) {
  latest_.further.resize(0);
  for (int i = 0; i < equations.sizes().u; ++i)
    inputs_[index(i)].moves = moves_constraints(equations, i);
}

// An input at t that is not pending.
Inputs::Jet InputPrediction::unset(int i, double t) const {
  const Inputs::Jet u = jet_as_set(latest_, i, t);
  return hold_ ? Inputs::Jet{u.value, 0.0, 0.0} : u;
}

double InputPrediction::value(int i, double t) const {
  const Input& input = inputs_[index(i)];
  return input.pending ? input.to.value : unset(i, t).value;
}

void InputPrediction::make_pending(int i, const Inputs::Jet& to) {
  Input& input = inputs_[index(i)];
  input.pending = any_pending_ = true;
  input.to = to;
  input.constant = std::numeric_limits<double>::quiet_NaN();
  ++revision_;
}

void InputPrediction::set(int i, const Inputs::Jet& to, double t) {
  Input& input = inputs_[index(i)];
  if (begun_ && !input.pending) {
    const Inputs::Jet now = unset(i, t);
    if (now.value == to.value && now.first == to.first && now.second == to.second) {
      if (to.first == 0.0 && to.second == 0.0) input.constant = to.value;
      input.varies = false;
      return;
    }
    input.varies = true;
  }
  make_pending(i, to);
}

void InputPrediction::set_value(int i, double value, double t) {
  if (set_varying_value(i, value)) return;
  if (begun_)
    set(i, {value, 0.0, 0.0}, t);
  else
    make_pending(i, {value, latest_.first[i], latest_.second[i]});
}

bool InputPrediction::set_varying_value(int i, double value) {
  Input& input = inputs_[index(i)];
  if (input.pending) {
    input.to.value = value;
  } else {
    if (!input.varies) return false;
    input.pending = any_pending_ = true;
    input.to = {value, 0.0, 0.0};
  }
  ++revision_;
  return true;
}

void InputPrediction::set_derivative(int i, int order, double value, double t) {
  Input& input = inputs_[index(i)];
  Inputs::Jet to = input.pending ? input.to : unset(i, t);
  (order == 1 ? to.first : to.second) = value;
  if (input.pending)
    make_pending(i, to);
  else
    set(i, to, t);
}

bool InputPrediction::set_derivatives_too(int i, double first, const double* second) {
  Input& input = inputs_[index(i)];
  if (!input.pending) return false;
  input.to.first = first;
  if (second != nullptr) input.to.second = *second;
  ++revision_;
  return true;
}

void InputPrediction::pending(double t, Inputs& inputs) const {
  inputs = latest_;
  inputs.t0 = t;
  inputs.further = Vector::Zero(in_force_->further.size());
  for (int i = 0; i < std::ssize(inputs_); ++i) {
    const Input& input = inputs_[index(i)];
    assign(inputs, i, input.pending ? input.to : unset(i, t));
  }
}

void InputPrediction::start(double t0) {
  for (int i = 0; i < std::ssize(inputs_); ++i) {
    Input& input = inputs_[index(i)];
    if (std::exchange(input.pending, false)) assign(latest_, i, input.to);
  }
  latest_.t0 = t0;
  any_pending_ = hold_ = false;
  put_in_force();
}

void InputPrediction::put_in_force() {
  in_force_->t0 = latest_.t0;
  in_force_->value = latest_.value;
  in_force_->first = latest_.first;
  in_force_->second = latest_.second;
  if (!std::exchange(any_predicted_, false)) return;
  in_force_->further.setZero();
  for (Input& input : inputs_) input.predicted.remove();
}

void InputPrediction::replace() {
  history_.forget();
  put_in_force();
}

// All that small communication steps of smooth inputs cost is here.
bool InputPrediction::follow_prediction(double t, double step_end) {
  if (!any_pending_ || !any_predicted_) return false;
  const double length = t - in_force_->t0, ahead = step_end - t;
  const int n = static_cast<int>(inputs_.size());
  bool exact = true;
  for (int i = 0; i < n; ++i) {
    const Input& input = inputs_[index(i)];
    if (!input.pending) {
      if (input.predicted || !is_same_constant(latest_, *in_force_, i)) return false;
      continue;
    }
    const double value = input.to.value;
    if (!input.predicted || value == latest_.value[i]) return false;
    const double size = std::max(input.size, std::abs(value)), tol = rtol_ * size;
    const Inputs::Jet now = input.predicted.at(length);
    const double off = std::abs(value - now.value), first = std::abs(input.to.first - now.first),
                 second = std::abs(input.to.second - now.second);
    if (!(off + ahead * (first + 0.5 * ahead * second) <= tol)) return false;
    if (off <= rounding * size) continue;
    exact = false;
    if (cube(0.95 * length) * tol > off * cube(valid_for_)) return false;
  }
  for (int i = 0; i < n; ++i) {
    Input& input = inputs_[index(i)];
    if (!std::exchange(input.pending, false)) continue;
    assign(latest_, i, input.to);
    input.size = std::max(input.size, std::abs(input.to.value));
  }
  latest_.t0 = t;
  any_pending_ = hold_ = false;
  if (exact) valid_for_ = infinity;
  return true;
}

bool InputPrediction::differ(double t, double step_end) {
  if (go_on()) return false;
  any_pending_ = false;
  const double ahead = std::max(0.0, step_end - t), length = t - in_force_->t0;
  double err = 0.0, missed = 0.0;
  for (int i = 0; i < std::ssize(inputs_); ++i) {
    Input& input = inputs_[index(i)];
    const bool pending = std::exchange(input.pending, false);
    if (!pending && !input.predicted && is_same_constant(latest_, *in_force_, i)) {
      input.size = std::max(input.size, std::abs(latest_.value[i]));
      continue;
    }
    const Inputs::Jet wanted = pending ? input.to : unset(i, t);
    const Inputs::Jet now =
        input.predicted ? input.predicted.at(length) : jet_as_set(*in_force_, i, t);
    if (pending && latest_.value[i] == wanted.value && is_constant(latest_, i))
      input.varies = wanted.first != 0.0 || wanted.second != 0.0;
    assign(latest_, i, wanted);
    input.size = std::max(input.size, std::abs(wanted.value));
    const double tol = rtol_ * input.size, off = wanted.value - now.value;
    err = std::max(err, largest_difference(off, wanted.first - now.first,
                                           wanted.second - now.second, ahead, tol));
    if (std::abs(off) > rounding * input.size) missed = std::max(missed, std::abs(off) / tol);
    if (input.moves && (differ_beyond_rounding(wanted.value, now.value) ||
                        differ_beyond_rounding(wanted.first, now.first) ||
                        differ_beyond_rounding(wanted.second, now.second)))
      err = infinity;
  }
  latest_.t0 = t;
  hold_ = false;
  const auto reach = [](double e) { return 0.95 / std::cbrt(e); };
  if (err <= 1.0) {
    if (missed == 0.0)
      valid_for_ = infinity;
    else if (cube(0.95 * length) > missed * cube(valid_for_))
      valid_for_ = length * reach(missed);
    return false;
  }
  valid_for_ = std::isfinite(err) ? (length + ahead) * reach(err) : 0.0;
  return true;
}

double InputPrediction::predict(double begin, double last_step, double t_stop) {
  history_.record(latest_);
  put_in_force();
  double longest = valid_for_;
  const int n = static_cast<int>(inputs_.size());
  for (int i = 0; i < n; ++i) {
    const Input& input = inputs_[index(i)];
    if (input.moves) continue;
    const InputHistory::Prediction prediction = history_.predict(i, input.size, rtol_ * input.size);
    longest = std::min(longest, prediction.reach);
    for (int k = 3; k <= Inputs::highest_power; ++k)
      in_force_->further[i + (k - 3) * n] = prediction.powers[index(k)];
    any_predicted_ = any_predicted_ || prediction.points > 1;
  }
  if (any_predicted_) predict_from_powers();
  const double reach = latest_.t0 + longest;
  if (!(reach > t_stop)) {
    put_in_force();
    return t_stop;
  }
  if (!std::isfinite(reach)) return reach;
  // The end is no place to step to exactly: an integrator that wants a little less is not to halve
  // its step for it. With twice the length before it, and optimal lengths between a half and a
  // whole, it takes what it wants, and half of it when it wants more.
  const double H = reach - begin;
  return last_step < 0.99 * H ? begin + 2.02 * H : reach;
}

void InputPrediction::predict_from_powers() {
  const Vector& further = in_force_->further;
  const int n = static_cast<int>(inputs_.size());
  for (int i = 0; i < n; ++i) {
    bool any = false;
    for (Eigen::Index k = i; k < further.size(); k += n) any = any || further[k] != 0.0;
    PredictedInput& predicted = inputs_[index(i)].predicted;
    if (any)
      predicted = PredictedInput(*in_force_, i);
    else
      predicted.remove();
  }
}

void InputPrediction::save(ByteWriter& writer) const {
  writer.put<std::uint32_t>(any_predicted_ | hold_ << 1 | begun_ << 2);
  save_inputs(latest_, writer);
  for (const Input& input : inputs_) {
    writer.put<std::uint32_t>(input.pending | input.varies << 1);
    const auto& [value, first, second] = input.to;
    for (const double x : {value, first, second, input.size}) writer.put(x);
  }
  history_.save(writer);
  writer.put(valid_for_);
}

// Inputs in force have been restored before.
void InputPrediction::restore(ByteReader& reader) {
  std::uint32_t flags = 0;
  reader.get(flags);
  any_predicted_ = flags & 1u;
  hold_ = flags & 2u;
  begun_ = flags & 4u;
  restore_inputs(latest_, reader);
  any_pending_ = hold_;
  for (Input& input : inputs_) {
    std::uint32_t bits = 0;
    reader.get(bits);
    input.pending = bits & 1u;
    input.varies = bits & 2u;
    input.constant = std::numeric_limits<double>::quiet_NaN();
    auto& [value, first, second] = input.to;
    for (double* x : {&value, &first, &second, &input.size}) reader.get(*x);
    any_pending_ = any_pending_ || input.pending;
  }
  predict_from_powers();
  history_.restore(reader);
  reader.get(valid_for_);
  ++revision_;
}

}  // namespace mbs
