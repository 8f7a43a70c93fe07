#include "engine/simulation/offset_indicators.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

OffsetIndicators::OffsetIndicators(const Equations& equations, const IntegratorOptions& options)
    : equations_(equations),
      sides_(equations, options.rtol, options.atol),
      ws_(equations.make_workspace()),
      side_(static_cast<std::size_t>(equations.sizes().phi), 0),
      offset_(Vector::Zero(equations.sizes().phi)),
      seen_(offset_),
      seen_at_(-infinity),
      largest_(offset_) {
  events_.reserve(64);
}

const Vector& OffsetIndicators::evaluate(const EvaluationPoint& point) {
  equations_.switching(point.context, point.x, *ws_);
  return ws_->phi;
}

void OffsetIndicators::start(const EvaluationPoint& point) {
  std::ranges::fill(side_, 0);
  largest_.setZero();
  seen_.setZero();
  seen_at_ = -infinity;
  offset_.setConstant(infinity);  // no guard counts at the start
  look(point, true);
  for (int i = 0; i < offset_.size(); ++i) {
    int& side = side_[static_cast<std::size_t>(i)];
    if (side == 0 && !sides_.guards(i)) side = sides_.side_in_band(i, seen_[i]);
  }
  offset_guards(point);
}

bool OffsetIndicators::any_left_its_side(const EvaluationPoint& point) {
  look(point, false);
  return !events_.empty();
}

std::span<const Root> OffsetIndicators::follow_sides(const EvaluationPoint& point) {
  look(point, true);
  return events_;
}

// Whether indicator i counts, and what becomes of its side when it does not.
bool OffsetIndicators::has_left_its_side(int i, double phi, bool looked_at_before, bool keep) {
  const double digits = sides_.digits(i, largest_[i]), rounding = keep ? digits : 0.0;
  const double seen = std::exchange(seen_[i], phi);
  int& side = side_[static_cast<std::size_t>(i)];
  const int false_side = sides_.false_side(i);
  if (sides_.guards(i)) return side == 0 ? phi + offset_[i] <= 0.0 : phi <= rounding;
  const int from = std::abs(side) == 1 ? side : false_side;
  if (side == IndicatorSides::false_in_band)
    return looked_at_before && from * sides_.sign_beyond_band(i, phi, largest_[i]) < 0;
  if (side == IndicatorSides::jumped_to_zero) {
    if (from * phi > digits) side = from;
    return from * phi < -digits;
  }
  if (side == 0) return false;
  const bool jumped = looked_at_before && side * seen > digits;
  if (jumped && phi == 0.0 && side == sides_.side_of_zero(i)) {
    side = side == false_side ? IndicatorSides::jumped_to_zero : 0;
    return false;
  }
  if (side * phi > (jumped ? 0.0 : rounding)) return false;
  if (sides_.counts(i, from)) return true;
  if (keep) side = sides_.side_in_band(i, phi);
  return false;
}

// keep: sides follow what counts, else that is left for the next time.
void OffsetIndicators::look(const EvaluationPoint& point, bool keep) {
  const State& x = point.x;
  const Vector& phi = evaluate(point);
  const auto& functions = equations_.structure().switching;
  const bool looked_at_before = x.t == std::exchange(seen_at_, x.t);
  events_.clear();
  for (int i = 0; i < phi.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (functions[k].of_time) continue;
    if (!std::isfinite(phi[i])) sides_.refuse(x.t, i);
    largest_[i] = std::max(largest_[i], std::abs(phi[i]));
    int& side = side_[k];
    const bool guards = sides_.guards(i);
    const int from = std::abs(side) == 1 ? side : sides_.false_side(i);
    const int fresh = guards ? phi[i] > sides_.slack(i, x, largest_[i])
                             : sides_.sign_beyond_band(i, phi[i], largest_[i]);
    const bool counts = has_left_its_side(i, phi[i], looked_at_before, keep);
    if (counts) events_.push_back({x.t, i, guards ? -1 : -from, 0});
    if (counts && !keep) {
      seen_[i] = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    if (counts) {
      side = guards ? 0 : fresh;
    } else if (fresh != 0) {
      side = fresh;
      offset_[i] = 0.0;
    }
    if (!keep || guards) continue;
    const double away = std::max(sides_.band(i, largest_[i]), sides_.last_digits(largest_[i]));
    offset_[i] = std::abs(side) == 1                      ? 0.0
                 : side == IndicatorSides::jumped_to_zero ? from * away
                                                          : std::copysign(away, phi[i]);
  }
}

std::vector<int> OffsetIndicators::time_events(const Context& context, State& x, double t) {
  const AtTime at_event(x, t);
  equations_.switching(context, x, *ws_);
  const auto& functions = equations_.structure().switching;
  std::vector<int> due;
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].of_time && ws_->phi[static_cast<Eigen::Index>(i)] == 0.0)
      due.push_back(static_cast<int>(i));
  return due;
}

void OffsetIndicators::forget_sides_of_guards() {
  for (int i = 0; i < offset_.size(); ++i)
    if (sides_.guards(i)) side_[static_cast<std::size_t>(i)] = 0;
}

void OffsetIndicators::offset_guards(const EvaluationPoint& point) {
  const Vector& phi = evaluate(point);
  for (int i = 0; i < phi.size(); ++i) {
    if (!sides_.guards(i)) continue;
    const bool has_side = side_[static_cast<std::size_t>(i)] != 0;
    const double slack = sides_.slack(i, point.x, largest_[i]);
    const bool is_wrong = sides_.guards_number(i) && phi[i] < -slack;  // it has an event of its own
    offset_[i] = has_side || is_wrong ? 0.0 : slack - std::min(0.0, phi[i]);
  }
}

Vector OffsetIndicators::detectable_gaps() const {
  const auto& contacts = equations_.structure().contacts;
  Vector gaps = Vector::Zero(std::ssize(contacts));
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (contacts[i].normal >= 0)
      gaps[static_cast<Eigen::Index>(i)] = sides_.last_digits(largest_[contacts[i].phi]);
  return gaps;
}

void OffsetIndicators::save(ByteWriter& writer) const {
  writer.put(side_);
  for (const Vector* part : {&offset_, &seen_, &largest_}) writer.put(*part);
  writer.put(seen_at_);
}

void OffsetIndicators::restore(ByteReader& reader) {
  reader.get(side_);
  for (Vector* part : {&offset_, &seen_, &largest_}) reader.get(*part);
  reader.get(seen_at_);
}

}  // namespace mbs
