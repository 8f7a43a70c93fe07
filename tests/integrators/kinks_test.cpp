// Forces with a kink or a jump where no step ends and mostly no evaluation lies: initial values
// move the kink through the steps, and whatever its place the error must follow the tolerance.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "tests/integrators/problem_run.hpp"

namespace mbs::test {
namespace {

constexpr double pi = std::numbers::pi;

// One coordinate of mass 1 and one state, v' = force(x), r' = rate(x).
class Laws final : public Equations {
 public:
  using Law = std::function<double(const State&)>;
  Laws(Law force, Law rate) : force_(std::move(force)), rate_(std::move(rate)) {
    sizes_.p = sizes_.v = sizes_.r = 1;
    structure_.saddle.M = ColumnSparse(1, 1);
    structure_.saddle.M.setIdentity();
    structure_.saddle.G = RowSparse(0, 1);
    structure_.saddle.F = ColumnSparse(1, 0);
    structure_.p_names = structure_.v_names = {"mass.x"};
    structure_.r_names = {"actuator.r"};
  }
  State initial(const Context&, double t0) const override {
    State x(sizes_);
    x.t = t0;
    return x;
  }
  void position(const Context&, const State&, unsigned want, Workspace& ws) const override {
    if (want & want_M) ws.M.coeffs().setOnes();
  }
  void velocity(const Context&, const State& x, Workspace& ws) const override { ws.p_dot = x.v; }
  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_f) ws.f[0] = force_(x);
    if (want & want_b) ws.b[0] = rate_(x);
  }
  void gamma(const Context&, const State&, Workspace&) const override {}

 private:
  Law force_, rate_;
};

// A motion from the parameter `offset` in 0 ... 1, which moves its kinks, to t_end.
struct Problem {
  const char* name;
  Laws::Law force, rate;
  double t_end;
  std::function<void(double offset, double t, State& x)> exact;
};

// x'' = -25 x where x > 0, -100 x where x < 0: half a period of each in turn.
void two_springs_at(double offset, double t, State& x) {
  const double pulled = pi / 5.0, pressed = pi / 10.0;
  const double at = std::fmod(t + offset * pulled, pulled + pressed);
  const double w = at < pulled ? 5.0 : 10.0, s = at < pulled ? at : at - pulled;
  const double sign = at < pulled ? 1.0 : -1.0;
  x.p[0] = sign * std::sin(w * s) / w;
  x.v[0] = sign * std::cos(w * s);
}

// A weight falls from x = 1 + offset into a cable that is taut where x < 0, x'' = -10 - 400 x,
// and is thrown up again.
void cable_at(double offset, double t, State& x) {
  const double height = 1.0 + offset, v = std::sqrt(20.0 * height), fall = v / 10.0;
  const double taut = (2.0 * pi - 2.0 * std::atan(20.0 * v / 10.0)) / 20.0;
  const double at = std::fmod(t + fall, 2.0 * fall + taut);
  if (at < 2.0 * fall) {
    x.v[0] = v - 10.0 * at;
    x.p[0] = v * at - 5.0 * at * at;
  } else {
    const double s = 20.0 * (at - 2.0 * fall);
    x.p[0] = -0.025 * (1.0 - std::cos(s)) - v / 20.0 * std::sin(s);
    x.v[0] = -0.5 * std::sin(s) - v * std::cos(s);
  }
}

// A controller's output is limited, r' = 1 until r = 2 at t = 2 - offset and 3 - r from then on,
// and acts on an oscillator, x'' = r - x.
void actuator_at(double offset, double t, State& x) {
  const double kink = 2.0 - offset, x0 = 0.5 - offset, v0 = 1.0;
  const auto forced = [&](double s, double particular, double slope, double u0, double u1) {
    x.p[0] = particular + u0 * std::cos(s) + u1 * std::sin(s);
    x.v[0] = slope - u0 * std::sin(s) + u1 * std::cos(s);
  };
  const double before = std::min(t, kink);
  forced(before, offset + before, 1.0, x0 - offset, v0 - 1.0);
  x.r[0] = offset + before;
  if (t <= kink) return;
  const double s = t - kink, decay = std::exp(-s), u0 = x.p[0] - 2.5, u1 = x.v[0] - 0.5;
  forced(s, 3.0 - 0.5 * decay, 0.5 * decay, u0, u1);
  x.r[0] = 3.0 - decay;
}

// Dry friction without sticking, x'' = -16 x - sign(v): half periods about -+1/16, and the
// amplitude loses 1/8 in each.
void friction_at(double offset, double t, State& x) {
  const double half = pi / 4.0, s = std::fmod(t, half);
  const int passed = static_cast<int>(t / half);
  const double sign = passed % 2 == 0 ? -1.0 : 1.0;  // of v
  const double amplitude = 1.0 + offset - (2 * passed + 1) / 16.0;
  x.p[0] = -sign * (amplitude * std::cos(4.0 * s) + 1.0 / 16.0);
  x.v[0] = sign * 4.0 * amplitude * std::sin(4.0 * s);
}

const Laws::Law nothing = [](const State&) { return 0.0; };
const Problem two_springs = {
    "two springs", [](const State& x) { return (x.p[0] > 0.0 ? -25.0 : -100.0) * x.p[0]; }, nothing,
    1.7, two_springs_at};
const Problem cable = {"cable",
                       [](const State& x) { return -10.0 + 400.0 * std::max(-x.p[0], 0.0); },
                       nothing, 3.0, cable_at};
const Problem actuator = {"actuator", [](const State& x) { return x.r[0] - x.p[0]; },
                          [](const State& x) { return std::min(1.0, 3.0 - x.r[0]); }, 4.0,
                          actuator_at};
const Problem friction = {
    "friction", [](const State& x) { return -16.0 * x.p[0] - (x.v[0] > 0.0 ? 1.0 : -1.0); },
    nothing, 2.2, friction_at};

struct Swept {
  double largest = 0.0, mean = 0.0;  // errors of p, v, r in tolerances
  long attempts = 0;                 // most of one run: steps and rejections
};

Swept sweep(const Problem& problem, const std::string& method, double tolerance) {
  constexpr int places = 200;
  Swept swept;
  double steps = 0.0, evaluations = 0.0;
  const auto equations = std::make_shared<Laws>(problem.force, problem.rate);
  for (int i = 0; i < places; ++i) {
    const double offset = (i + 0.5) / places;
    State x(equations->sizes()), exact = x;
    problem.exact(offset, 0.0, x);
    ProblemRun run(equations, x, problem.t_end);
    IntegratorOptions options = with_tolerance(tolerance);
    options.max_steps = 100000;
    const auto integrator = run.start(method, options);
    ProblemRun::advance(*integrator, run.t_end);
    problem.exact(offset, run.t_end, exact);
    const State& there = integrator->state();
    const double error =
        std::max({std::abs(there.p[0] - exact.p[0]), std::abs(there.v[0] - exact.v[0]),
                  std::abs(there.r[0] - exact.r[0])}) /
        tolerance;
    const Statistics& counts = integrator->statistics();
    swept.largest = std::max(swept.largest, error);
    swept.mean += error / places;
    swept.attempts = std::max(swept.attempts, counts.steps + counts.rejected);
    steps += double(counts.steps) / places;
    evaluations += double(counts.force_evaluations) / places;
  }
  std::printf(
      "%-11s %-13s %.0e: error %.2f tolerances in the mean, %.0f at most; %.0f steps, "
      "%.0f evaluations, at most %ld attempts\n",
      problem.name, method.c_str(), tolerance, swept.mean, swept.largest, steps, evaluations,
      swept.attempts);
  return swept;
}

// Bounds of the error in tolerances, the same at every tolerance: of its mean over all places and
// of its largest value. In the mean a step may leave about a tolerance at a kink, 1 + |v| in v, and
// at most some fifty, where rows agree by chance or the forces near the ends are as uncertain
// (endpoint_check.hpp). The model determines what this error becomes until the end.
struct Allowed {
  const Problem& problem;
  double mean, largest;
};

// Two springs: 4 kinks at |v| = 1, where a tolerance is 2 in v, and as much is left at the end; 1
// in x is 10 in v. 4 * 2; 50 * 10.
constexpr double of_springs = 10.0, most_of_springs = 500.0;
// The cable throws the weight back with v = 4.5 ... 6.3, where a tolerance is 7 in v. Each flight
// of 2 v / 10 is then 1.4 too long, which is 9 in x at the end of it, and where that lies in the
// cable, as an eighth of all ends do, up to 20 v * 1.4 = 180 in v. After two flights of the three
// seconds that is 12 or 350, and 40 in the mean; 5 kinks.
constexpr double of_cable = 5.0 * 40.0, most_of_cable = 50.0 * 400.0;
// The actuator: one kink at r = 2, a tolerance is 3, and what follows is damped.
constexpr double of_actuator = 5.0, most_of_actuator = 50.0 * 3.0;
// Dry friction: 2 jumps at v = 0; 1 in v is 1, 1 in x, where a tolerance is 2, is 4 in v. The many
// short rows of the first rule leave less than a tolerance at a jump.
constexpr double of_friction = 10.0, most_of_friction = 50.0 * 4.0;

const char* const methods[] = {"extrapolation", "midpoint"};

void expect_within(const Allowed& allowed, const char* method, long attempts) {
  for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-11}) {
    SCOPED_TRACE(tolerance);
    const Swept swept = sweep(allowed.problem, method, tolerance);
    EXPECT_LE(swept.mean, allowed.mean) << allowed.problem.name << " " << method;
    EXPECT_LE(swept.largest, allowed.largest) << allowed.problem.name << " " << method;
    EXPECT_LE(swept.attempts, attempts);
  }
}

TEST(Kinks, ErrorsFollowTheToleranceWhereverTheyLie) {
  for (const char* method : methods) {
    expect_within({two_springs, of_springs, most_of_springs}, method, 1000);
    expect_within({cable, of_cable, most_of_cable}, method, 1000);
    expect_within({actuator, of_actuator, most_of_actuator}, method, 1000);
  }
}

// Jumps are met by steps short enough, and not by ever shorter ones.
TEST(Kinks, JumpsAreCrossed) {
  expect_within({friction, 0.5 * of_friction, 0.1 * most_of_friction}, "extrapolation", 500);
  expect_within({friction, of_friction, most_of_friction}, "midpoint", 500);
}

// A body starts at rest under dry friction: Newton's matrix is differenced at the jump itself. The
// radau method judges a jump against its own tolerance, 0.1 tol^(2/3) (radau/controller.hpp).
TEST(Kinks, RadauLeavesAJumpThatItStartsAt) {
  for (const double tolerance : {1e-5, 1e-7}) {
    const Swept swept = sweep(friction, "radau", tolerance);
    const double own = 0.1 * std::pow(tolerance, -1.0 / 3.0);  // in tolerances
    EXPECT_LE(swept.mean, of_friction * own);
    EXPECT_LE(swept.largest, most_of_friction * own);
  }
}

TEST(Kinks, DifferencesAtAJumpHaveTheSlopeAfterIt) {
  const Laws equations(friction.force, nothing);
  State x(equations.sizes());
  x.p[0] = 1.5;
  const Parameters parameters = equations.default_parameters();
  const Inputs inputs = equations.default_inputs(parameters);
  const auto ws = equations.make_workspace();
  equations.jacobian({inputs, parameters}, x, *ws);
  const JacobianLayout at(equations.sizes());
  EXPECT_NEAR(std::abs(ws->jacobian.coeff(at.dynamics, at.col_p)), 16.0, 1e-6);
  EXPECT_NEAR(ws->jacobian.coeff(at.dynamics, at.col_v), 0.0, 1e-6);
}

// A square wave of 1 kHz, with at most one of its jumps in a step.
TEST(Kinks, ManyJumpsAreCrossed) {
  const auto square = [](double t) { return std::fmod(t, 1e-3) < 0.5e-3 ? 1.0 : -1.0; };
  const auto equations =
      std::make_shared<Laws>([&](const State& x) { return square(x.t); }, nothing);
  for (const char* method : {"extrapolation", "midpoint"}) {
    ProblemRun run(equations, State(equations->sizes()), 0.0505);
    IntegratorOptions options = with_tolerance(1e-8);
    options.max_step = 4e-4;
    options.max_steps = 10000;
    const auto integrator = run.start(method, options);
    ProblemRun::advance(*integrator, run.t_end);
    std::printf("%s: %ld steps, %ld rejected, error %.1e\n", method, integrator->statistics().steps,
                integrator->statistics().rejected, std::abs(integrator->state().v[0] - 5e-4));
    EXPECT_NEAR(integrator->state().v[0], 5e-4, 101 * 10 * 1e-8) << method;  // of 101 jumps
  }
}

// A jump so large that times lie too far apart to meet it within the tolerance: the shortest step
// goes over it, and leaves as much as it is long, 32 of the last bits of t.
TEST(Kinks, JumpsThatNoStepCanEndAtAreCrossed) {
  constexpr double at = 1000.5, jump = 1e5, spacing = 1.2e-13;
  const auto equations =
      std::make_shared<Laws>([](const State& x) { return x.t > at ? jump : 0.0; }, nothing);
  for (const char* method : methods)
    for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
      SCOPED_TRACE(std::string(method) + " " + std::to_string(tolerance));
      State begin(equations->sizes());
      begin.t = 1000.0;
      ProblemRun run(equations, begin, 1000.9);
      const auto integrator = run.start(method, with_tolerance(tolerance));
      ProblemRun::advance(*integrator, run.t_end);
      const double exact = jump * (run.t_end - at);
      EXPECT_NEAR(integrator->state().v[0], exact,
                  2.0 * 32.0 * spacing * jump + 100.0 * tolerance * exact);
      EXPECT_LE(integrator->statistics().steps, 200);
    }
}

// A solution that grows without bound is not taken for a jump.
TEST(Kinks, NoStepsCrossASingularity) {
  const auto equations = std::make_shared<Laws>(
      [](const State& x) { return 2.0 * x.v[0] * x.v[0]; }, nothing);  // v = 1 / (1 - 2 t)
  for (const char* method : methods) {
    State begin(equations->sizes());
    begin.v[0] = 1.0;
    ProblemRun run(equations, begin, 1.0);
    IntegratorOptions options = with_tolerance(1e-8);
    options.max_steps = 20000;
    const auto integrator = run.start(method, options);
    EXPECT_THROW(ProblemRun::advance(*integrator, run.t_end), SolverFailure);
    EXPECT_LE(integrator->statistics().steps, 5000) << method;
  }
}

}  // namespace
}  // namespace mbs::test
