#pragma once

// The points at which influence_search.hpp looks.

#include <optional>
#include <random>
#include <span>

#include "engine/analysis/influence_point.hpp"

namespace mbs {

// All different from zero: states, rates, multipliers and inputs, parameters after the first point.
// Near the given state and far from it, and nearly at rest, where some laws are flat but there; at
// times near and far, also for what fades fast. Contacts open, closed, sliding, each alone, and by
// chance as many as do not say the same; held where others keep them. Or at the given state alone,
// with contacts likewise.
class InfluenceSample {
 public:
  InfluenceSample(const Equations& equations, const Context& context, const State& at,
                  std::span<const KnownParameter> of_parameters, bool stays = false);

  int points() const;
  InfluencePoint point(int k);
  // From now on with other parameters.
  void move_parameters() { parameters_move_ = true; }
  bool has_moved_parameters() const { return moved_; }
  // The same but for a few last digits.
  InfluencePoint blurred(const Equations& equations, const InfluencePoint& point);

 private:
  struct Distance {
    double far = 1.0;   // in the typical sizes of unknowns
    double rest = 0.0;  // > 0: rates and first-order states at so much of their sizes
    bool near = false;  // positions by parts of themselves, where they are not zero
  };
  double number();
  double part() { return std::uniform_real_distribution(0.0, 1.0)(engine_); }
  int contacts() const { return static_cast<int>(known_.contacts.size()); }
  void move(Vector& x, const Vector& scale, double by);
  void move_unknowns(const Distance& by, State& x);
  void set_modes(int k, double time, double far, InfluencePoint& point);
  void release_dependent(InfluencePoint& point);
  void set_direction(const Structure::Contact& contact, double time, double far, State& x);

  const Equations& equations_;
  const Structure& known_;
  const Context context_;
  const State at_;
  const std::span<const KnownParameter> of_parameters_;
  const bool stays_;
  const int distances_, by_chance_;
  std::unique_ptr<Workspace> ws_;
  std::mt19937 engine_{12345};
  bool parameters_move_ = false, moved_ = false;
};

}  // namespace mbs
