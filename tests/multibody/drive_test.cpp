// Prescribed motion against closed forms, with every choice of coordinates and in motion with every
// integrator; what must not be prescribed, by its message.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/simulation/snapshot.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/multibody/run_model.hpp"

namespace mbs::test {
namespace {

// A slider of 2 kg moves as prescribed: the force is its mass times the acceleration.
TEST(Drive, SliderTakesMassTimesAcceleration) {
  const std::string text = planar(R"xml(
    <parameter name="A" value="0.3 m"/>
    <body name="slider" mass="2" inertia="1"/>
    <prismatic name="rail" a="ground" b="slider" axis="1, 1"/>
    <drive name="motor" joint="rail" q="A*sin(3 rad/s*time + 0.5)"/>
    <output name="q" of="rail" quantity="q"/><output name="F" of="motor" quantity="force"/>
    <output name="drift" quantity="residual"/>)xml");
  for (const auto& [coordinates, method] : every_choice) {
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(text, coordinates, method);
    ASSERT_TRUE(run.simulation->initialise(0.0).ok);
    for (const double t : {0.0, 0.4, 1.7}) {
      if (t > 0.0) run.simulation->advance(t);
      const double q = 0.3 * std::sin(3.0 * t + 0.5);
      EXPECT_NEAR(run.output("q"), q, 1e-8);
      EXPECT_NEAR(run.output("F"), -2.0 * 9.0 * q, 1e-6);
      EXPECT_LT(run.output("drift"), 1e-8);
    }
  }
}

// A table prescribes the motion: a clamped cubic through four points is known in closed form on its
// first interval from the tridiagonal system, here two points with level ends, y = 3 x^2 - 2 x^3.
TEST(Drive, SliderFollowsATable) {
  const std::string text = planar(R"xml(
    <curve name="rise" x_unit="s" y_unit="m" interpolation="spline" beyond="constant"
           points="0 0; 1 1"/>
    <body name="slider" mass="2" inertia="1"/>
    <prismatic name="rail" a="ground" b="slider" axis="x"/>
    <drive name="motor" joint="rail" q="rise(time)"/>
    <output name="q" of="rail" quantity="q"/><output name="F" of="motor" quantity="force"/>)xml");
  ModelRun run(text, "absolute", "extrapolation");
  ASSERT_TRUE(run.simulation->initialise(0.0).ok);
  for (const double t : {0.2, 0.5, 0.9}) {
    run.simulation->advance(t);
    EXPECT_NEAR(run.output("q"), t * t * (3.0 - 2.0 * t), 1e-8);
    EXPECT_NEAR(run.output("F"), 2.0 * (6.0 - 12.0 * t), 1e-6);
  }
}

// A pendulum whose pivot is shaken upright with large frequency stands on its head (Kapitza). Its
// equation l phi'' = -(g + y'') sin phi is integrated here by Runge and Kutta.
TEST(Drive, ShakenPivotMovesThePendulumAsIntegratedByHand) {
  const std::string lines = R"xml(
    <gravity g="0, -9.81"/>
    <body name="pivot" mass="1" inertia="1"/><body name="bob" mass="0.5" com="0, -0.4" inertia="0"/>
    <prismatic name="rail" a="ground" b="pivot" axis="y"/>
    <revolute name="hinge" a="pivot" b="bob" q="3" target="exact"/>
    <drive name="shaker" joint="rail" q="0.05 m*cos(80 rad/s*time)"/>
    <output name="phi" of="hinge" quantity="q"/><output name="F" of="shaker" quantity="force"/>)xml";
  const auto y_dd = [](double t) { return -0.05 * 6400.0 * std::cos(80.0 * t); };
  const auto phi_dd = [&](double t, double phi) { return -(9.81 + y_dd(t)) / 0.4 * std::sin(phi); };
  double phi = 3.0, w = 0.0, t = 0.0;
  constexpr double h = 1e-4;
  for (int k = 0; k < 5000; ++k, t = k * h) {
    const double k1 = phi_dd(t, phi), k2 = phi_dd(t + h / 2, phi + h / 2 * w);
    const double k3 = phi_dd(t + h / 2, phi + h / 2 * w + h * h / 4 * k1);
    const double k4 = phi_dd(t + h, phi + h * w + h * h / 2 * k2);
    phi += h * w + h * h / 6 * (k1 + k2 + k3);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  // The bob's upward acceleration is that of the pivot and l (phi' ^2 cos phi + phi'' sin phi).
  const double bob_dd = y_dd(t) + 0.4 * (w * w * std::cos(phi) + phi_dd(t, phi) * std::sin(phi));
  const double force = 1.0 * (y_dd(t) + 9.81) + 0.5 * (bob_dd + 9.81);
  for (const auto& [coordinates, method] : every_choice) {
    if (method == "bdf") continue;  // slow at this frequency
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(planar(lines), coordinates, method);
    ASSERT_TRUE(run.simulation->initialise(0.0).ok);
    run.simulation->advance(0.5);
    EXPECT_NEAR(run.output("phi"), phi, 1e-6);
    EXPECT_NEAR(run.output("F"), force, 1e-4 * std::abs(force));
  }
}

// A driven angle in space and in the plane counts its turns, from the turn where it begins.
TEST(Drive, CountsManyTurns) {
  const std::string lines = R"xml(
    <body name="disc" mass="1" inertia="INERTIA"/>
    <revolute name="axle" a="ground" b="disc" axis="z"/>
    <drive name="motor" joint="axle" q="20 + time*7 rad/s + time^2*1 rad/s^2"/>
    <output name="q" value="axle.q"/><output name="M" of="motor" quantity="force"/>)xml";
  for (const bool in_space : {false, true}) {
    std::string with = lines;
    with.replace(with.find("INERTIA"), 7, in_space ? "0.3, 0.3, 0.4" : "0.4");
    for (const auto& [coordinates, method] : every_choice) {
      SCOPED_TRACE(coordinates + " " + method + (in_space ? " space" : " plane"));
      ModelRun run(in_space ? spatial(with) : planar(with), coordinates, method);
      ASSERT_TRUE(run.simulation->initialise(0.0).ok);
      EXPECT_NEAR(run.output("q"), 20.0, 1e-12);
      run.simulation->advance(3.0);
      EXPECT_NEAR(run.output("q"), 50.0, 1e-7);
      EXPECT_NEAR(run.output("M"), 0.4 * 2.0, 1e-5);
    }
  }
}

// A step of the input at t = 0.1 through two lags: y = 1 - (1 + s) exp(-s), s = (t - 0.1)/T; and
// the slope after it. A second step comes before the first has died away.
TEST(Drive, FollowsAnInputSmoothly) {
  const std::string text = planar(R"xml(
    <input name="u" unit="m"/>
    <body name="slider" mass="3" inertia="1"/>
    <prismatic name="rail" a="ground" b="slider" axis="x"/>
    <drive name="motor" joint="rail" input="u" lag="0.2 s"/>
    <output name="q" of="rail" quantity="q"/><output name="F" of="motor" quantity="force"/>)xml");
  constexpr double T = 0.2;
  const auto step = [&](double s) { return s < 0.0 ? 0.0 : 1.0 - (1.0 + s) * std::exp(-s); };
  const auto second_derivative = [&](double s) {  // its second derivative, times T^2
    return s < 0.0 ? 0.0 : (1.0 - s) * std::exp(-s);
  };
  for (const auto& [coordinates, method] : every_choice) {
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(text, coordinates, method);
    CoSimulationDriver& s = *run.simulation;
    ASSERT_TRUE(s.initialise(0.0).ok);
    s.advance(0.1);
    EXPECT_NEAR(run.output("q"), 0.0, 1e-12);
    s.set_input(0, 1.0);
    for (const double t : {0.15, 0.3}) {
      s.advance(t);
      EXPECT_NEAR(run.output("q"), step((t - 0.1) / T), 1e-8);
      EXPECT_NEAR(run.output("F"), 3.0 / (T * T) * second_derivative((t - 0.1) / T), 1e-5);
    }
    s.set_input(0, -0.5);
    s.advance(0.5);
    EXPECT_NEAR(run.output("q"), step(0.4 / T) - 1.5 * step(0.2 / T), 1e-8);
    EXPECT_NEAR(run.output("F"),
                3.0 / (T * T) * (second_derivative(0.4 / T) - 1.5 * second_derivative(0.2 / T)),
                1e-5);
    // A ramp: after long it follows 2 lags behind.
    s.set_input(0, -0.5, 2.0);
    s.advance(6.0);
    EXPECT_NEAR(run.output("q"), -0.5 + 2.0 * (5.5 - 2.0 * T), 1e-8);
  }
}

// An importer that integrates in model exchange by the formula of Runge and Kutta.
class Importer {
 public:
  explicit Importer(ModelExchangeDriver& simulation)
      : s_(simulation),
        x_(static_cast<std::size_t>(state_count(simulation.system().equations().sizes()))) {
    s_.get_states(x_);
  }
  std::vector<double> rates(double t, const std::vector<double>& x) {
    s_.set_time(t);
    s_.set_states(x);
    const Vector& dx = s_.rates();
    return {dx.begin(), dx.end()};
  }
  void go_to(double t, int steps) {
    const double begin = s_.time(), h = (t - begin) / steps;
    for (int i = 0; i < steps; ++i) {
      std::vector<double> sum(x_.size(), 0.0), k(x_.size(), 0.0), at(x_.size());
      const double part[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
      for (int stage = 0; stage < 4; ++stage) {
        for (std::size_t j = 0; j < x_.size(); ++j) at[j] = x_[j] + part[stage] * h * k[j];
        k = rates(begin + (i + part[stage]) * h, at);
        for (std::size_t j = 0; j < x_.size(); ++j) sum[j] += weight[stage] / 6.0 * k[j];
      }
      for (std::size_t j = 0; j < x_.size(); ++j) x_[j] += h * sum[j];
      s_.set_time(begin + (i + 1) * h);
      s_.set_states(x_);
      if (!s_.completed_step()) continue;
      s_.apply_discrete_changes();
      s_.get_states(x_);
    }
  }
  const std::vector<double>& states() const { return x_; }

 private:
  ModelExchangeDriver& s_;
  std::vector<double> x_;
};

// In model exchange the driven coordinate itself is what the lags remember: steps of the input as
// above, far enough for turns of an angle to count, and slopes by all states.
TEST(Drive, FollowsAnInputInModelExchange) {
  const std::string slider = R"xml(
    <body name="b" mass="3" inertia="INERTIA"/><prismatic name="j" a="ground" b="b" axis="x"/>)xml";
  const std::string disc = R"xml(
    <body name="b" mass="1" inertia="INERTIA"/><revolute name="j" a="ground" b="b" axis="z"/>)xml";
  constexpr double T = 0.2, height = 25.0;
  const auto step = [&](double t) {
    return t < 0.0 ? 0.0 : height * (1.0 - (1.0 + t / T) * std::exp(-t / T));
  };
  const auto second_derivative = [&](double t) {
    return t < 0.0 ? 0.0 : height / (T * T) * (1.0 - t / T) * std::exp(-t / T);
  };
  for (const bool turns : {false, true})
    for (const bool in_space : {false, true})
      for (const char* coordinates : {"absolute", "joint", "mixed"}) {
        SCOPED_TRACE(std::string(coordinates) + (turns ? " disc" : " slider") +
                     (in_space ? " in space" : " in the plane"));
        std::string lines = "<input name=\"u\" unit=\"" + std::string(turns ? "rad" : "m") +
                            "\"/>" + (turns ? disc : slider) + R"xml(
    <drive name="motor" joint="j" input="u" lag="0.2 s"/>
    <output name="q" of="j" quantity="q"/><output name="F" of="motor" quantity="force"/>)xml";
        lines.replace(lines.find("INERTIA"), 7, in_space ? "3, 3, 3" : "3");
        ModelRun run(in_space ? spatial(lines) : planar(lines), coordinates, "extrapolation");
        const HybridSystem& system = run.simulation->system();
        ModelExchangeDriver s(system.model(), system.choice());
        const auto output = [&](const std::string& name) { return s.output(run.index(name)); };
        ASSERT_TRUE(s.initialise(0.0).ok);
        s.begin();
        Importer importer(s);
        importer.go_to(0.1, 1);
        s.set_input(0, height);
        EXPECT_NEAR(output("F"), 3.0 * second_derivative(0.0), 1e-6);
        importer.go_to(0.5, 400);
        EXPECT_NEAR(output("q"), step(0.4), 1e-6);
        EXPECT_NEAR(output("F"), 3.0 * second_derivative(0.4), 1e-4);
        s.set_input(0, 0.0);
        importer.go_to(1.0, 500);
        EXPECT_NEAR(output("q"), step(0.9) - step(0.5), 1e-6);
        EXPECT_NEAR(output("F"), 3.0 * (second_derivative(0.9) - second_derivative(0.5)), 1e-4);

        ExactDerivatives derivatives(system.equations());
        const std::vector<double> x = importer.states();
        for (std::size_t k = 0; k < x.size(); ++k) {
          std::vector<double> column(x.size(), 0.0);
          constexpr double h = 1e-4;
          for (const double by : {h, -h}) {
            std::vector<double> moved = x;
            moved[k] += by;
            const std::vector<double> dx = importer.rates(1.0, moved);
            for (std::size_t i = 0; i < x.size(); ++i) column[i] += dx[i] / (2.0 * by);
          }
          importer.rates(1.0, x);
          const Vector derivative = derivatives.column(s.system().point(), static_cast<int>(k));
          for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(derivative[static_cast<Eigen::Index>(i)], column[i],
                        1e-5 * (1.0 + std::abs(column[i])))
                << k << ", " << i;
        }
        DifferenceDerivatives differences(system.equations(), "auto");
        EXPECT_LT(differences.by_time(s.system().point()).cwiseAbs().maxCoeff(), 1e-7);
      }
}

// The preview of a step of the input before it is in force: position and velocity stay, F = m (u -
// q - 2 T q')/T^2, and this is what the derivative says.
TEST(Drive, IsPreviewed) {
  constexpr double T = 0.2, m = 3.0;
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    ModelRun run(planar(R"xml(
    <input name="u" unit="m"/><body name="slider" mass="3" inertia="1"/>
    <prismatic name="rail" a="ground" b="slider" axis="x"/>
    <drive name="motor" joint="rail" input="u" lag="0.2 s"/>
    <output name="q" of="rail" quantity="q"/><output name="qd" of="rail" quantity="qd"/>
    <output name="F" of="motor" quantity="force"/>)xml"),
                 coordinates, "extrapolation");
    CoSimulationDriver& s = *run.simulation;
    ASSERT_TRUE(s.initialise(0.0).ok);
    s.set_input(0, 1.0);
    s.advance(0.3);
    const double q = run.output("q"), qd = run.output("qd");
    s.set_input(0, -2.0);
    Vector y(3);
    for (int i = 0; i < 3; ++i) y[i] = s.preview().output(i);
    EXPECT_NEAR(y[0], q, 1e-9);
    EXPECT_NEAR(y[1], qd, 1e-8);
    EXPECT_NEAR(y[2], m * (-2.0 - q - 2.0 * T * qd) / (T * T), 1e-6);
    ExactDerivatives derivatives(s.system().equations());
    const int of_u = state_count(s.system().equations().sizes());
    for (const EvaluationPoint& point : {s.system().point(), s.preview().point()})
      EXPECT_NEAR(derivatives.column(point, of_u)[of_u + 2], m / (T * T), 1e-9);
    s.apply_discrete_changes();
    EXPECT_NEAR(run.output("q"), q, 1e-9);
    EXPECT_NEAR(run.output("F"), y[2], 1e-6);
  }
}

// Without a lag that would take derivatives of the input, which nobody gives there.
TEST(Drive, WithoutLagIsNotForModelExchange) {
  ModelRun run(planar(R"xml(
    <input name="u" unit="m"/><body name="slider" mass="3" inertia="1"/>
    <prismatic name="rail" a="ground" b="slider" axis="x"/>
    <drive name="motor" joint="rail" input="u" lag="0"/>)xml"),
               "absolute", "extrapolation");
  const HybridSystem& system = run.simulation->system();
  ModelExchangeDriver driver(system.model(), system.choice());
  ASSERT_TRUE(driver.initialise(0.0).ok);
  try {
    driver.begin();
    ADD_FAILURE();
  } catch (const SolverFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("the drive 'motor' follows its input without a lag"),
              std::string::npos)
        << failure.what();
  }
}

// It starts at rest, whatever slope the input begins with: x = b (t - 2 T + (t + 2 T) exp(-t/T)).
TEST(Drive, StartsWithoutMotionOnASlope) {
  const std::string text = planar(R"xml(
    <input name="u" unit="m"/><body name="slider" mass="3" inertia="1"/>
    <prismatic name="rail" a="ground" b="slider" axis="x"/>
    <drive name="motor" joint="rail" input="u" lag="0.2 s"/>
    <output name="q" of="rail" quantity="q"/><output name="qd" of="rail" quantity="qd"/>)xml");
  constexpr double T = 0.2, b = 2.0, t = 0.3;
  for (const auto& [coordinates, method] : every_choice) {
    SCOPED_TRACE(coordinates + " " + method);
    ModelRun run(text, coordinates, method);
    run.simulation->set_input(0, 0.1, b);
    ASSERT_TRUE(run.simulation->initialise(0.0).ok);
    EXPECT_NEAR(run.output("qd"), 0.0, 1e-12);
    run.simulation->advance(t);
    EXPECT_NEAR(run.output("q"), 0.1 + b * (t - 2.0 * T + (t + 2.0 * T) * std::exp(-t / T)), 1e-8);
  }
}

// Without a lag the input's own derivatives count; a step is refused.
TEST(Drive, WithoutLagFollowsAtOnce) {
  const std::string text = planar(R"xml(
    <input name="u" unit="m"/>
    <body name="slider" mass="3" inertia="1"/>
    <prismatic name="rail" a="ground" b="slider" axis="x"/>
    <drive name="motor" joint="rail" input="u" lag="0"/>
    <output name="q" of="rail" quantity="q"/><output name="F" of="motor" quantity="force"/>)xml");
  ModelRun run(text, "absolute", "extrapolation");
  CoSimulationDriver& s = *run.simulation;
  s.set_input(0, 0.1, 0.5, 4.0);
  ASSERT_TRUE(s.initialise(0.0).ok);
  s.advance(0.5);
  EXPECT_NEAR(run.output("q"), 0.1 + 0.25 + 0.5, 1e-8);
  EXPECT_NEAR(run.output("F"), 12.0, 1e-6);
  s.set_input(0, 0.2);
  try {
    s.advance(0.6);
    ADD_FAILURE();
  } catch (const SolverFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("drive 'motor' would have to move by -0.6"),
              std::string::npos)
        << failure.what();
  }
}

// Snapshots hold what the lags remember.
TEST(Drive, IsRestored) {
  const std::string text = planar(R"xml(
    <input name="u" unit="m"/><body name="slider" mass="3" inertia="1"/>
    <prismatic name="rail" a="ground" b="slider" axis="x"/>
    <drive joint="rail" input="u"/><output name="q" of="rail" quantity="q"/>)xml");
  ModelRun run(text, "absolute", "extrapolation");
  CoSimulationDriver& s = *run.simulation;
  ASSERT_TRUE(s.initialise(0.0).ok);
  s.set_input(0, 1.0);
  s.advance(0.02);
  const auto bytes = serialise(s, 1);
  s.advance(0.05);
  const double q = run.output("q");
  EXPECT_NEAR(q, 1.0 - 6.0 * std::exp(-5.0), 1e-8);
  s.set_input(0, 0.0);
  s.advance(0.06);
  deserialise(s, bytes, 1);
  s.advance(0.05);
  EXPECT_EQ(run.output("q"), q);
}

// The start: exact values must agree, guesses give way.
TEST(Drive, StartsWhereItIsPrescribed) {
  const std::string lines = R"xml(
    <body name="slider" mass="3" inertia="1"/>
    <prismatic name="rail" a="ground" b="slider" axis="x" q="0.3" qd="9" TARGET/>
    <drive name="motor" joint="rail" q="0.5 + time*(2 m/s)"/><output name="q" of="rail" quantity="q"/>
    <output name="qd" of="rail" quantity="qd"/>)xml";
  const auto with = [&](const std::string& target) {
    std::string text = lines;
    return planar(text.replace(text.find("TARGET"), 6, target));
  };
  ModelRun guess(with(""), "absolute", "extrapolation");
  ASSERT_TRUE(guess.simulation->initialise(1.0).ok);
  EXPECT_NEAR(guess.output("q"), 2.5, 1e-14);
  EXPECT_NEAR(guess.output("qd"), 2.0, 1e-14);
  ModelRun exact(with("target=\"exact\""), "absolute", "extrapolation");
  const InitialReport report = exact.simulation->initialise(1.0);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.text().find("motor"), std::string::npos) << report.text();
  EXPECT_NE(report.text().find("rail.q"), std::string::npos) << report.text();
}

TEST(Drive, RefusesWhatCannotBePrescribed) {
  const auto message = [](const std::string& drive) {
    return errors_of(planar(R"xml(<input name="u"/><curve name="c" points="0 0; 1 2; 2 0"/>
<body name="b" mass="1" inertia="1"/><body name="d" mass="1" inertia="1"/>
<revolute name="r" a="ground" b="b"/><free name="f" b="d"/>
)xml" + drive));
  };
  const auto bent = [&](const std::string& q, const std::string& keyword) {
    EXPECT_EQ(
        message("<drive name=\"m\" joint=\"r\" q=\"" + q + "\"/>"),
        "test.mbs.xml:5:1: error: drive 'm' prescribes a motion with " + keyword +
            ", which has no two derivatives: it would take an infinite force "
            "[no-derivatives]\n  hint: use smooth functions (tanh for a step), or a <curve> with "
            "interpolation=\"spline\"\n");
  };
  bent("abs(time)/(1 s)", "abs");
  bent("if(time > 1 s, 1, 0)", "a comparison");
  bent("min(time/(1 s), 1)", "min");
  bent("2*floor(time/(1 s))", "floor");
  bent("c(time/(1 s))", "a curve that is no spline");
  EXPECT_EQ(
      message("<drive joint=\"r\" q=\"u*time/(1 s)\"/>"),
      "test.mbs.xml:5:1: error: drive 'drive#1' prescribes a motion that depends on more "
      "than time and parameters [not-of-time]\n  hint: to follow an input write input=\"...\" "
      "instead of q\n");
  EXPECT_NE(message("<drive joint=\"r\" q=\"r.qd*(1 s)\"/>").find("use <force> or <torque>"),
            std::string::npos);
  EXPECT_EQ(message("<drive joint=\"r\" input=\"2*u\"/>"),
            "test.mbs.xml:5:1: error: drive 'drive#1' needs the name of one input to follow "
            "[not-an-input]\n  hint: declare an <input>; what is computed from time stands in "
            "q=\"...\"\n");
  EXPECT_NE(message("<drive joint=\"f\" q=\"1\"/>").find("needs a joint with one coordinate"),
            std::string::npos);
  EXPECT_NE(message("<drive joint=\"r\" input=\"u\" lag=\"-1\"/>").find("lag"), std::string::npos);
  EXPECT_NE(message("<drive joint=\"r\"/>").find("needs 'q' or 'input'"), std::string::npos);
  EXPECT_NE(message("<drive joint=\"r\" q=\"1\" lag=\"1\"/>").find("which also needs 'input'"),
            std::string::npos);
  // A branch that parameters alone choose is chosen once.
  const Assembled fine(planar(R"xml(<parameter name="k" value="1"/>
    <body name="b" mass="1" inertia="1"/><revolute name="r" a="ground" b="b"/>
    <drive joint="r" q="if(k > 0, sin(time*1 rad/s), abs(k))"/>)xml"));
}

}  // namespace
}  // namespace mbs::test
