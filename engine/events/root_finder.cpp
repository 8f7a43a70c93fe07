#include "engine/events/root_finder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"
#include "engine/events/locate.hpp"

namespace mbs {
namespace {

// A root's time is found to this part of its step.
constexpr double fineness = 1e-12;

// A failure's place to the 2^-n-th of the way there.
constexpr int most_halvings = 10;

constexpr double not_yet = std::numeric_limits<double>::infinity();

signed char sign(double x) {
  return static_cast<signed char>((x > 0.0) - (x < 0.0));
}

bool is_side(signed char side) {
  return side == 1 || side == -1 || side == IndicatorSides::must_rise;
}

}  // namespace

RootFinder::RootFinder(const Equations& equations, Context context,
                       const IntegratorOptions& options, int points)
    : equations_(equations),
      context_(context),
      rules_(equations, options.rtol, options.atol),
      rtol_(options.rtol),
      points_(points),
      x_(equations.sizes()),
      hidden_(equations, context, rules_, options.rtol) {
  if (points < 0 || points > most_points) {
    throw std::invalid_argument("event_points is " + std::to_string(points) +
                                ", but must be 0 (chosen) or lie in 1 ... " +
                                std::to_string(most_points));
  }
  const int n = equations.sizes().phi;
  if (n > 0) ws_ = equations.make_workspace();
  phi_ = before_ = largest_ = largest_at_ = largest_before_ = Vector::Zero(n);
  sides_.setZero(n, most_points + 1);
  times_.assign(most_points + 1, 0.0);
  left_.assign(static_cast<std::size_t>(n), 0);
  roots_.reserve(static_cast<std::size_t>(n) * most_points);
}

void RootFinder::evaluate(const State& x) {
  equations_.switching(context_, x, *ws_);
  for (int i = 0; i < phi_.size(); ++i) {
    phi_[i] = rules_.is_time_event(i) ? 1.0 : ws_->phi[i];
    if (!std::isfinite(phi_[i])) rules_.refuse(x.t, i);
  }
  largest_ = largest_.cwiseMax(phi_.cwiseAbs());
}

// Behind zero, or at it, as seen from its side; guards have theirs above it.
bool RootFinder::left_side(int i, signed char side) const {
  if (rules_.guards(i)) return side > 0 && phi_[i] < 0.0;
  return !is_side(side) || side * phi_[i] <= 0.0;
}

signed char RootFinder::fresh_side(int i) const {
  if (rules_.guards(i)) return 1;
  return std::abs(phi_[i]) > band(i) ? sign(phi_[i]) : rules_.side_in_band(i, phi_[i]);
}

// Where it has left its side, with a root or without one, or had none.
signed char RootFinder::side_after(int i, signed char side, bool root) const {
  if (std::abs(phi_[i]) > band(i)) return sign(phi_[i]);
  if (root) return 0;
  if (is_side(side)) return rules_.side_in_band(i, phi_[i]);
  return side == IndicatorSides::jumped_to_zero ? rules_.false_side(i) : side;
}

void RootFinder::start(const State& x) {
  roots_.clear();
  last_ = 0;
  times_[0] = x.t;
  if (phi_.size() == 0) return;
  largest_.setZero();
  evaluate(x);
  largest_at_ = largest_;
  for (int i = 0; i < phi_.size(); ++i) {
    sides_(i, 0) = fresh_side(i);
  }
}

// Sides after the last point before t, or 0 after a root between that point and t. A root that lies
// behind t has not been, wherever its function changed its sign before projection, and one before t
// has.
void RootFinder::rewind(double t) {
  int k = last_;
  while (k > 0 && times_[static_cast<std::size_t>(k)] > t) --k;
  for (auto root = roots_.rbegin(); root != roots_.rend(); ++root) {
    signed char& side = sides_(root->function, k);
    if (root->column <= k && root->t > t) side = static_cast<signed char>(-root->direction);
  }
  for (const Root& root : roots_) {
    const bool behind = root.column > k || root.t > times_[static_cast<std::size_t>(k)];
    if (behind && root.t <= t) sides_(root.function, k) = 0;
  }
  if (k < last_) largest_ = largest_at_;
  last_ = k;
}

void RootFinder::leave(const State& x) {
  if (phi_.size() == 0) return;
  equations_.switching(context_, x, *ws_);
  left_at_ = x.t;
  for (int i = 0; i < phi_.size(); ++i)
    left_[static_cast<std::size_t>(i)] =
        std::abs(ws_->phi[i]) > band(i) ? sign(ws_->phi[i]) : static_cast<signed char>(0);
}

std::span<const Root> RootFinder::watch_again(std::span<const int> functions,
                                              Integrator& integrator, const State& x) {
  begin_at(x);
  for (const int i : functions)
    if (rules_.guards(i)) sides_(i, 0) = IndicatorSides::must_rise;
  look_to_the_end(integrator);
  return roots_;
}

// The points begin at x, within the last step.
void RootFinder::begin_at(const State& x) {
  rewind(x.t);
  roots_.clear();
  sides_.col(0) = sides_.col(last_);
  last_ = 0;
  times_[0] = x.t;
  evaluate(x);
  largest_at_ = largest_;
}

std::span<const Root> RootFinder::restart(const State& x) {
  if (phi_.size() == 0) return roots_;
  begin_at(x);
  for (int i = 0; i < phi_.size(); ++i) {
    signed char& side = sides_(i, 0);
    if (rules_.guards(i)) {
      side = fresh_side(i);
      if (rules_.guards_number(i) && phi_[i] < -slack(i, x)) roots_.push_back({x.t, i, -1, 0});
      continue;
    }
    const signed char left = left_[static_cast<std::size_t>(i)];
    if (left_at_ == x.t && left != 0) side = left;
    const signed char from = is_side(side) ? side : rules_.false_side(i);
    const double phi = phi_[i], magnitude = std::abs(phi);
    bool root = false;
    if (is_side(side)) {
      if (side * phi > 0.0) continue;
      if (phi == 0.0 && side == rules_.side_of_zero(i)) {
        side = side == rules_.false_side(i) ? IndicatorSides::jumped_to_zero
                                            : static_cast<signed char>(0);
        continue;
      }
      root = rules_.counts(i, side);
    } else if (side == IndicatorSides::jumped_to_zero) {
      if (magnitude <= rules_.digits(i, largest_[i])) continue;
      root = from * phi < 0.0;
    } else {
      root = side == IndicatorSides::false_in_band && magnitude > band(i) && from * phi < 0.0;
    }
    if (root) roots_.push_back({x.t, i, -from, 0});
    side = side_after(i, side, root);
  }
  return roots_;
}

std::span<const Root> RootFinder::examine(Integrator& integrator) {
  roots_.clear();
  if (phi_.size() == 0) return roots_;
  sides_.col(0) = sides_.col(last_).cwiseMin(static_cast<signed char>(1));
  times_[0] = integrator.step_begin();
  largest_at_ = largest_;
  last_ = 0;
  look_to_the_end(integrator);
  return roots_;
}

void RootFinder::look_to_the_end(Integrator& integrator) {
  try {
    look(integrator, integrator.state().t);
  } catch (const SolverFailure&) {  // thrown again by extend, if it comes to that
  }
}

double RootFinder::examined() const {
  return phi_.size() > 0 ? times_[static_cast<std::size_t>(last_)]
                         : std::numeric_limits<double>::infinity();
}

// What can be seen before a failure comes first: an event there may be as far as this goes.
std::span<const Root> RootFinder::extend(Integrator& integrator, double t) {
  if (phi_.size() == 0) return roots_;
  for (int halvings = 0;; ++halvings) {
    try {
      look(integrator, t);
      return roots_;
    } catch (const SolverFailure&) {
      if (halvings == most_halvings) throw;
      t = 0.5 * (examined() + t);
    }
  }
}

// From the last point to t_end. The points left are the same whoever stops in between.
void RootFinder::look(Integrator& integrator, double t_end) {
  const double a = integrator.step_begin(), b = integrator.state().t, begin = examined();
  const int chosen = std::max(2, integrator.statistics().last_order / 2);
  const int count = points_ > 0 ? points_ : std::min(chosen, most_points);
  const auto point = [&](int k) { return k < count ? a + (b - a) * k / count : b; };
  for (int k = 1; k <= count && examined() < t_end; ++k) {
    if (!(point(k) > examined())) continue;  // been there, or a step of a few spacings
    const double t = std::min(point(k), t_end);
    const double crossing =
        hidden_.find(integrator, examined(), t, phi_, {sides_.col(last_), largest_});
    if (crossing > examined() && crossing < t) look_at(integrator, crossing, begin);
    look_at(integrator, t, begin);
  }
}

// All or nothing.
void RootFinder::look_at(Integrator& integrator, double t, double begin) {
  if (last_ == most_points) forget_first_column();
  const std::size_t known = roots_.size();
  before_ = phi_;
  largest_before_ = largest_;
  try {
    find_roots(integrator, t, begin);
  } catch (const SolverFailure&) {
    phi_ = before_;
    largest_ = largest_before_;
    roots_.resize(known);
    throw;
  }
  times_[static_cast<std::size_t>(++last_)] = t;
  std::sort(roots_.begin(), roots_.end(), [](const Root& x, const Root& y) {
    return x.t != y.t ? x.t < y.t : x.function < y.function;
  });
}

// Between the last point and t.
void RootFinder::find_roots(Integrator& integrator, double t, double begin) {
  integrator.interpolate(t, hidden_.projects(), x_);
  evaluate(x_);
  for (int i = 0; i < phi_.size(); ++i) {
    const signed char side = sides_(i, last_);
    signed char& next = sides_(i, last_ + 1);
    next = side == IndicatorSides::must_rise && phi_[i] > slack(i, x_) ? static_cast<signed char>(1)
                                                                       : side;
    if (!left_side(i, side)) continue;
    if (side == IndicatorSides::jumped_to_zero &&
        std::abs(phi_[i]) <= rules_.digits(i, largest_[i]))
      continue;
    const bool moves_on =
        side == IndicatorSides::jumped_to_zero && rules_.false_side(i) * phi_[i] < 0.0;
    if (moves_on) {
      const double root = std::max(examined(), std::nextafter(begin, t));
      roots_.push_back({root, i, -rules_.false_side(i), last_ + 1});
    }
    const bool counts = is_side(side) && rules_.counts(i, side);
    if (counts) {
      // The dense output may be off the constraints by more than the function is from zero.
      const double there = projected(integrator, i, t);
      if (sign(side) * there > 0.0) {
        phi_[i] = there;
        continue;
      }
      const Interval interval{examined(), t, before_[i], phi_[i]};
      double root = locate(integrator, i, interval, begin);
      if (root == not_yet) continue;
      if (rules_.is_contact_force(i, x_) && interval.phi_a > 0.0 &&
          root <= std::nextafter(begin, t))
        root = std::max(root, vanishes(integrator, i, interval));
      roots_.push_back({root, i, side > 0 ? -1 : 1, last_ + 1});
    }
    next = rules_.guards(i) ? static_cast<signed char>(0) : side_after(i, side, counts || moves_on);
  }
}

double RootFinder::projected(Integrator& integrator, int i, double t) {
  integrator.interpolate(t, true, x_);
  equations_.switching(context_, x_, *ws_);
  if (!std::isfinite(ws_->phi[i])) rules_.refuse(t, i);
  return ws_->phi[i];
}

// A force that begins above zero, though by less than is resolved, and falls from there on: it is
// let go where it comes to zero, not before, where it would only be found to be needed.
double RootFinder::vanishes(Integrator& integrator, int i, const Interval& interval) {
  const auto [a, b, phi_a, phi_b] = interval;
  const auto phi = [&](double t) { return projected(integrator, i, t); };
  return polish_root(phi, {a + (b - a) * phi_a / (phi_a - phi_b), (phi_b - phi_a) / (b - a)}, 1.0,
                     a, b, fineness * (integrator.state().t - integrator.step_begin()));
}

// A guard that begins at zero, to rounding, may stay there before it falls, as the gap of a contact
// that has just opened: its event is where it falls. At the beginning the force of the closed
// contact may still pull, so that it would open and close again without time passing.
double RootFinder::last_at_zero(Integrator& integrator, int i, const Interval& interval) {
  const double level = std::min(interval.phi_a, 0.0);
  double a = interval.a, b = interval.b;
  for (double t = 0.5 * (a + b); a < t && t < b; t = 0.5 * (a + b))
    (projected(integrator, i, t) < level ? b : a) = t;
  return a;
}

// Only extend, in short pieces, makes more points than there is room for; the first are behind it.
void RootFinder::forget_first_column() {
  for (int k = 0; k < last_; ++k) {
    sides_.col(k) = sides_.col(k + 1);
    times_[static_cast<std::size_t>(k)] = times_[static_cast<std::size_t>(k + 1)];
  }
  --last_;
  for (Root& root : roots_) --root.column;
  std::erase_if(roots_, [&](const Root& root) { return root.column <= 0 && root.t <= examined(); });
}

// Not before `begin`, up to which the roots have been reported.
double RootFinder::locate(Integrator& integrator, int i, const Interval& interval, double begin) {
  auto [a, b, phi_a, phi_b] = interval;
  const double end = integrator.state().t, length = end - integrator.step_begin();
  const double spacing =
      std::numeric_limits<double>::epsilon() * std::max(std::abs(a), std::abs(b));
  const double tolerance = fineness * length + 4.0 * spacing;
  const auto phi = [&](bool projected) {
    return [&, projected](double t) {
      integrator.interpolate(t, projected, x_);
      equations_.switching(context_, x_, *ws_);
      if (!std::isfinite(ws_->phi[i])) rules_.refuse(t, i);
      return ws_->phi[i];
    };
  };
  // A guard that begins at zero, to rounding, may rise before it falls: from where it has risen on.
  const bool has_to_rise = sides_(i, last_) == IndicatorSides::must_rise;
  const double below = rules_.guards(i) ? -slack(i, x_) : 0.0;
  const double least = has_to_rise || rules_.is_contact_force(i, x_) ? -below : 0.0;
  if (rules_.guards(i) && phi_a <= -below) {
    const double phi_end = phi_b;
    if (least > 0.0 && phi_end >= below) return not_yet;  // within what is not resolved
    double low = b, risen = 0.5 * (a + b), value = phi(hidden_.projects())(risen);
    while (value <= least && risen - a > tolerance) {
      low = risen;
      if (value < 0.0) {
        b = risen;
        phi_b = value;
      }
      risen = 0.5 * (a + low);
      value = phi(hidden_.projects())(risen);
    }
    if (value <= least) {
      if (phi_end >= below || has_to_rise) return not_yet;
      const bool at_zero = least == 0.0 && interval.phi_a >= below;
      const double falls = at_zero ? last_at_zero(integrator, i, interval) : a;
      return std::max(falls, std::nextafter(begin, end));
    }
    a = risen;
    phi_a = value;
  }
  const Estimate raw = damped_newton(phi(hidden_.projects()), {a, b, phi_a, phi_b},
                                     std::max(100.0 * tolerance, 1e-2 * rtol_ * length));
  // The projected zero may lie a little outside of the points between which the other one does.
  const double side = sign(phi_a);
  const double from = phi(true)(a) * side > 0.0 ? a : std::max(begin, a - (b - a)),
               to = std::min(end, b + (b - a));
  const double root = polish_root(phi(true), raw, side, from, to, tolerance);
  return std::max(root, std::nextafter(begin, end));
}

void RootFinder::save(ByteWriter& out) const {
  out.put(phi_);
  out.put(largest_);
  out.put(largest_at_);
  out.put(last_);
  const auto columns = static_cast<std::size_t>(last_ + 1);
  out.raw(sides_.data(), static_cast<std::size_t>(phi_.size()) * columns);
  out.raw(times_.data(), sizeof(double) * columns);
  out.put<std::int64_t>(static_cast<std::int64_t>(roots_.size()));
  for (const Root& root : roots_) {
    out.put(root.t);
    out.put(root.function);
    out.put(root.direction);
    out.put(root.column);
  }
}

void RootFinder::restore(ByteReader& in) {
  const auto refuse = [](bool wrong) {
    if (wrong) throw std::runtime_error("the stored state has events that cannot be");
  };
  in.get(phi_);
  in.get(largest_);
  in.get(largest_at_);
  in.get(last_);
  refuse(last_ < 0 || last_ > most_points);
  const auto columns = static_cast<std::size_t>(last_ + 1);
  in.raw(sides_.data(), static_cast<std::size_t>(phi_.size()) * columns);
  in.raw(times_.data(), sizeof(double) * columns);
  std::int64_t count = 0;
  in.get(count);
  refuse(count < 0 || count > static_cast<std::int64_t>(roots_.capacity()));
  roots_.clear();
  for (std::int64_t k = 0; k < count; ++k) {
    Root root{};
    in.get(root.t);
    in.get(root.function);
    in.get(root.direction);
    in.get(root.column);
    refuse(root.function < 0 || root.function >= phi_.size());
    roots_.push_back(root);
  }
}

}  // namespace mbs
