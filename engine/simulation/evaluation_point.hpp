#pragma once

// The point of the trajectory at which equations are evaluated.

#include <cstdint>
#include <utility>

#include "engine/equations/equations.hpp"

namespace mbs {

struct EvaluationPoint {
  Context context;
  State& x;          // with its accelerations and multipliers
  double law_time;   // where laws of force are taken, see EventRecord::law_time
  std::uint64_t id;  // differs between any two points: results are kept by it
};

// While it lives, the state x has another time, at which laws of force are evaluated.
class AtTime {
 public:
  AtTime(State& x, double t) : x_(x), t_(std::exchange(x.t, t)) {}
  ~AtTime() { x_.t = t_; }
  AtTime(const AtTime&) = delete;
  AtTime& operator=(const AtTime&) = delete;

 private:
  State& x_;
  double t_;
};

// (p', v', r') at x, whose accelerations are known.
inline void evaluate_rates(const Equations& equations, const Context& context, const State& x,
                           Workspace& ws, Vector& rates) {
  equations.position(context, x, want_G, ws);
  equations.velocity(context, x, ws);
  equations.force(context, x, want_b, ws);
  rates.resize(x.p.size() + x.v.size() + x.r.size());
  rates << ws.p_dot, x.a, ws.b;
}

// Event indicators at x. Functions of time alone are announced as time events and have no sign.
inline void evaluate_indicators(const Equations& equations, const Context& context, const State& x,
                                Workspace& ws, Vector& phi) {
  equations.switching(context, x, ws);
  phi = ws.phi;
  for (int i = 0; i < phi.size(); ++i)
    if (equations.structure().switching[static_cast<std::size_t>(i)].of_time) phi[i] = 1.0;
}

}  // namespace mbs
