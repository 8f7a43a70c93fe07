// Events of what jumps: they happen where their comparisons become true, equality with the rest.

#include <array>
#include <utility>
#include <vector>

#include "tests/events/simulated.hpp"

namespace mbs {
namespace {

using test::simulated;

// Below, at and above a level, in all orders.
std::vector<double> values_about(double level) {
  std::vector<double> values;
  for (unsigned k = 0, random = 1; k < 60; ++k) {
    random = 1664525u * random + 1013904223u;
    values.push_back(level + static_cast<double>(random >> 16u) / 65536.0 * 3.0 - 1.5);
    values.back() = std::round(values.back());
  }
  return values;
}

bool holds(int comparison, double u, double level) {
  const std::array<bool, 4> all{u > level, u >= level, u < level, u <= level};
  return all[static_cast<std::size_t>(comparison)];
}

// A model with events that compare an input u, a discrete variable that takes it over, and a state
// that does, with a level; the coordinate of a mass that rests is there to be integrated.
std::string comparisons(double start, double level) {
  const std::string at = std::to_string(level), from = std::to_string(start);
  std::string text = "<input name=\"u\" start=\"" + from + "\"/><discrete name=\"n\" start=\"" +
                     from + "\"/><state name=\"s\" start=\"" + from + "\" der=\"0 1/s\"/>" + R"(
<body name="mass" mass="1 kg"/><prismatic name="rail" a="ground" b="mass" axis="x" q="1 m" stiffness="9 N/m"/>
<event name="take" every="0.1 s"><set n="u" s="u"/></event>)";
  for (const char* name : {"u", "n", "s"})
    for (const char* comparison : {">", ">=", "&lt;", "&lt;="})
      text += std::string("<event name=\"") + name + std::to_string(text.size()) + "\" when=\"" +
              name + " " + comparison + " " + at + "\"/>";
  return text;
}

// How often they are to have happened.
struct Counts {
  Counts(double start, double level) : level_(level), last_(start) {}
  void add(double u) {
    for (int i = 0; i < 4; ++i)
      counts[static_cast<std::size_t>(i)] += !holds(i, last_, level_) && holds(i, u, level_);
    last_ = u;
  }
  std::array<int, 4> counts{};

 private:
  double level_, last_;
};

template <class Driver>
void expect_counts(const Driver& simulation, const Counts& of_u, const Counts& of_others) {
  for (int i = 0; i < 12; ++i) {
    const auto& wanted = (i < 4 ? of_u : of_others).counts;
    EXPECT_EQ(simulation.system().events().count(1 + i), wanted[static_cast<std::size_t>(i % 4)])
        << i;
  }
}

TEST(Comparisons, HappenWhereTheyBecomeTrueInAJump) {
  for (const char* method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
    for (const double level : {0.0, 3.0}) {
      for (const double start : {level - 1.0, level, level + 1.0}) {
        SCOPED_TRACE(method + (" " + std::to_string(level)) + " from " + std::to_string(start));
        CoSimulationDriver simulation =
            simulated(comparisons(start, level), "auto",
                      std::string("rtol=\"1e-6\" atol=\"1e-8\" method=\"") + method + "\"");
        Counts of_u(start, level), of_others(start, level);
        int k = 0;
        for (const double u : values_about(level)) {
          simulation.advance(0.1 * k + 0.05);
          simulation.set_input(0, u);
          simulation.advance(0.1 * k + 0.08);
          of_u.add(u);
          expect_counts(simulation, of_u, of_others);
          simulation.advance(0.1 * ++k + 0.02);
          of_others.add(u);
          expect_counts(simulation, of_u, of_others);
          if (HasFailure()) return;
        }
      }
    }
  }
}

// In model exchange inputs jump in event mode. The indicators that an importer reads then are not
// zero, and have the signs that they keep.
TEST(Comparisons, HappenWhereTheyBecomeTrueInEventMode) {
  for (const double level : {0.0, 3.0}) {
    for (const double start : {level - 1.0, level, level + 1.0}) {
      SCOPED_TRACE(std::to_string(level) + " from " + std::to_string(start));
      ModelExchangeDriver simulation = simulated<ModelExchangeDriver>(
          comparisons(start, level), "auto", "rtol=\"1e-6\" atol=\"1e-8\"");
      simulation.begin();
      Counts of_u(start, level), of_others(start, level);
      std::vector<double> x(
          static_cast<std::size_t>(state_count(simulation.system().equations().sizes())));
      const auto update = [&] {
        simulation.apply_discrete_changes();
        EXPECT_TRUE((simulation.indicators().array() != 0.0).all());
        expect_counts(simulation, of_u, of_others);
      };
      const auto step = [&](double t, bool event) {
        const Vector before = simulation.indicators();
        simulation.get_states(x);
        simulation.set_time(t);
        simulation.set_states(x);
        EXPECT_EQ(simulation.indicators(), before);
        EXPECT_EQ(simulation.completed_step(), event) << t;
      };
      update();
      int k = 0;
      for (const double u : values_about(level)) {
        step(0.1 * k + 0.05, false);
        simulation.set_input(0, u);
        of_u.add(u);
        update();
        step(simulation.system().events().announced().t, true);
        of_others.add(u);
        update();
        ++k;
        if (HasFailure()) return;
      }
    }
  }
}

// Without a jump all is as before: what begins or rests at zero is on no side.
TEST(Comparisons, DoNotHappenWhereWhatRestsAtZeroMovesOn) {
  CoSimulationDriver simulation =
      simulated(R"xml(<gravity g="-9.81 m/s^2, 0"/><body name="mass" mass="1 kg"/>
<prismatic name="rail" a="ground" b="mass" axis="x"/><input name="u"/><force joint="rail" value="u*(1 N)"/>
<event name="down" when="rail.qd &lt; 0"/><event name="low" when="rail.q &lt; 0"/>)xml");
  simulation.advance(0.5);
  simulation.set_input(0, 20.0);
  simulation.advance(0.5 + 1e-3);
  EXPECT_EQ(simulation.system().events().count(0), 0.0);
  EXPECT_EQ(simulation.system().events().count(1), 0.0);
}

// A signal that an event sets to the value itself is not beyond it yet, and comes beyond it when it
// goes on.
TEST(Comparisons, HappenWhereASignalLeavesTheValueThatItHasJumpedOnto) {
  CoSimulationDriver simulation = simulated(R"(
<discrete name="due" start="100 s"/><state name="x" start="-1" der="1 1/s"/>
<event name="set" at="0.25 s"><set due="time" x="0"/></event>
<event name="rings" when="time > due"/><event name="passes" when="x > 0"/>
<event name="is_there" when="x >= 0"/>)");
  simulation.advance(0.25);
  EXPECT_EQ(simulation.system().events().count(1), 0.0);
  EXPECT_EQ(simulation.system().events().count(2), 0.0);
  EXPECT_EQ(simulation.system().events().count(3), 1.0);
  simulation.advance(1.0);
  for (const int function : {1, 2}) {
    EXPECT_EQ(simulation.system().events().count(function), 1.0);
    EXPECT_NEAR(simulation.system().events().time(function), 0.25, 1e-12);
  }
  EXPECT_EQ(simulation.system().events().count(3), 1.0);
}

// Whatever the tolerances, and however large a discrete variable has been before: no integrator's
// error is in it.
TEST(Comparisons, OfDiscreteVariablesAreExact) {
  CoSimulationDriver simulation = simulated(R"(
<discrete name="n" start="1e13"/><state name="x" start="0" der="1 1/s"/>
<event name="off" at="0.1 s"><set n="0"/></event><event name="on" at="0.2 s"><set n="1e-12"/></event>
<event name="off_again" at="0.3 s"><set n="0"/></event>
<event name="seen" when="n > 5e-13"/><event name="below" when="n &lt;= 5e-13"/>)",
                                            "auto", R"(rtol="1e-6" atol="1e-8")");
  simulation.advance(1.0);
  EXPECT_EQ(simulation.system().events().count(3), 1.0);
  EXPECT_EQ(simulation.system().events().time(3), 0.2);
  EXPECT_EQ(simulation.system().events().count(4), 2.0);
  EXPECT_EQ(simulation.system().events().time(4), 0.3);
}

// Next to contacts, too, whose guards count again after that.
TEST(Comparisons, HappenOnceWhereTheyChangeNothing) {
  CoSimulationDriver simulation = simulated(R"(
<gravity g="0, -9.81 m/s^2"/><particle name="ball" mass="1 kg"/>
<free name="fall" a="ground" b="ball" pos="0, 1 m"/>
<contact name="floor" a="ground" b="ball" normal="y" restitution="0.9"/>
<discrete name="n" start="1"/><state name="x" start="0" der="1 1/s"/>
<event name="under" when="0.2 - x &lt; 0"><set n="n"/></event>
<event name="over" when="x > 0.3"><set n="n"/></event>
<event name="both" when="x == 0.25"><set n="n"/></event>)");
  simulation.advance(0.4);
  simulation.advance(1.0);
  const std::pair<int, double> all[] = {{0, 0.2}, {1, 0.3}, {2, 0.25}};
  for (const auto& [function, t] : all) {
    EXPECT_EQ(simulation.system().events().count(function), 1.0) << function;
    EXPECT_NEAR(simulation.system().events().time(function), t, 1e-12) << function;
  }
}

}  // namespace
}  // namespace mbs
