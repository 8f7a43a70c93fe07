// The start position that is found: the root that is meant, turns, and the memory of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "engine/equations/initial_rows.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

constexpr double pi = std::numbers::pi;

const std::string orientation = R"xml(
  <output name="r11" of="s" quantity="orientation" component="11"/>
  <output name="r22" of="s" quantity="orientation" component="22"/>
  <output name="r33" of="s" quantity="orientation" component="33"/>)xml";
const std::string body = R"xml(<body name="s" mass="1" inertia="1, 1.2, 0.9"/>)xml";

std::string guess(const std::string& rot) {
  return "<free name=\"guess\" b=\"s\" rot=\"" + rot + "\" pos=\"0.3, -0.2, 0.5\"/>";
}

// A guess that is nearer to the wrong root, where two pairs of axes are antiparallel.
TEST(HalfTurn, OfAWeldIsCorrected) {
  for (const std::string turn : {"0, 0, 100 deg", "0, 0, 150 deg", "0, 0, 180 deg", "180 deg, 0, 0",
                                 "0, -170 deg, 0", "2, 2, 2"}) {
    const Assembled m(spatial(orientation + body + guess(turn) +
                              R"(<frame name="wall" pos="1, 2, 3"/><weld a="wall" b="s"/>)"));
    const State x = m.start();
    for (const char* name : {"r11", "r22", "r33"}) EXPECT_NEAR(m.output(x, name), 1.0, 1e-12);
    EXPECT_NEAR((x.p.head<3>() - Eigen::Vector3d(1, 2, 3)).norm(), 0.0, 1e-12);
  }
}

TEST(HalfTurn, OfARevoluteJointIsCorrected) {
  for (const std::string turn : {"100 deg, 0, 0", "180 deg, 0, 0", "0, 150 deg, 1"}) {
    for (const std::string sides : {"a=\"ground\" b=\"s\"", "a=\"s\" b=\"ground\""}) {
      const Assembled m(spatial(orientation + body + guess(turn) + "<revolute name=\"r\" " + sides +
                                " axis=\"z\"/>"));
      const State x = m.start();
      EXPECT_NEAR(m.output(x, "r33"), 1.0, 1e-12) << turn << sides;
      EXPECT_NEAR(m.output(x, "r11"), m.output(x, "r22"), 1e-12);
    }
  }
}

TEST(HalfTurn, OfAPrismaticJointIsCorrected) {
  for (const std::string turn : {"110 deg, 0, 0", "0, 0, 180 deg", "0, 150 deg, 0"}) {
    const Assembled m(spatial(orientation + body + guess(turn) +
                              R"(<prismatic name="p" a="ground" b="s" axis="x"/>
                   <output name="q" of="p" quantity="q"/>)"));
    const State x = m.start();
    for (const char* name : {"r11", "r22", "r33"}) EXPECT_NEAR(m.output(x, name), 1.0, 1e-12);
    EXPECT_NEAR(x.p[0], 0.3, 1e-9);  // the nearest position on the rail, also after the turn
    EXPECT_NEAR(m.output(x, "q"), x.p[0], 1e-12);
  }
}

// Bodies that hang on the turned body turn with it, and a velocity stays what it is in inertial
// axes.
TEST(HalfTurn, TakesTheFarSideAlong) {
  const Assembled m(spatial(orientation + body + guess("0, 0, 180 deg") + R"xml(
    <body name="far" mass="1" inertia="1, 1, 1"/>
    <frame name="tip" on="s" pos="1, 0, 0"/>
    <spherical name="ball" a="tip" b="far" rot="0, 0, 0.4" omega="0, 0, 3 rad/s"/>
    <weld name="w" a="ground" b="s"/>
    <output name="spin" of="far" quantity="angular_velocity" component="z"/>)xml"));
  const State x = m.start();
  EXPECT_NEAR(m.output(x, "r11"), 1.0, 1e-12);
  EXPECT_NEAR(x.p[m.p("far.x")], 1.0, 1e-12);
  EXPECT_NEAR(m.output(x, "spin"), 3.0, 1e-12);
  EXPECT_NEAR(2.0 * std::atan2(x.p[m.p("far.e3")], x.p[m.p("far.e0")]), 0.4, 1e-12);
}

// A loop in space: a four-bar of parallel axes, its coupler guessed upside down.
TEST(HalfTurn, InALoopIsCorrected) {
  const Assembled m(spatial(R"xml(
    <frame name="right" pos="2, 0, 0"/>
    <body name="crank" mass="1" inertia="1, 1, 1"><frame name="f" pos="0, 1, 0"/></body>
    <body name="coupler" mass="1" inertia="1, 1, 1"><frame name="f" pos="2, 0, 0"/></body>
    <body name="rocker" mass="1" inertia="1, 1, 1"><frame name="f" pos="0, 1, 0"/></body>
    <free name="guess" b="coupler" pos="0, 1, 0" rot="180 deg, 0, 0"/>
    <revolute name="one" a="ground" b="crank" axis="z" q="0.1" target="exact"/>
    <revolute name="two" a="crank.f" b="coupler" axis="z"/>
    <spherical name="three" a="coupler.f" b="rocker.f"/>
    <spherical name="four" a="right" b="rocker"/>
    <output name="r33" of="coupler" quantity="orientation" component="33"/>
    <output name="r11" of="coupler" quantity="orientation" component="11"/>)xml"));
  const State x = m.start();
  EXPECT_NEAR(m.output(x, "r33"), 1.0, 1e-12);
  EXPECT_NEAR(m.output(x, "r11"), 1.0, 1e-9);  // a parallelogram
}

TEST(HalfTurn, ThatCannotBeLeftIsRefused) {
  const Assembled m(spatial(body + R"xml(
    <free name="held" b="s" rot="180 deg, 0, 0" target="exact"/>
    <revolute name="hinge" a="ground" b="s" axis="z"/>)xml"));
  State x = m->initial(m.context(), 0.0);
  const InitialReport report = make_consistent(*m, m.context(), x);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.message.find("'hinge'"), std::string::npos) << report.message;
}

// Joints that have no start values of their own do not move what others place: the end of a coupler
// on a crank is held by each of them such that the start values fit, on the way along a circle or
// along a line.
struct Tie {
  std::string name, element;
  bool along_line;
};

TEST(StartValues, AreKeptNextToJointsThatHaveNone) {
  const std::string slope = "asin(sin(0.5)/2)", slope_rate = "cos(0.5)/(2*cos(asin(sin(0.5)/2)))";
  const Tie ties[] = {{"rod", R"(<rod a="pole" b="coupler.end"/>)", false},
                      {"rod with a length", R"(<rod a="pole" b="coupler.end" length="1"/>)", false},
                      {"parallel", R"(<parallel a="ground" b="coupler" AXIS/>)", false},
                      {"in_line", R"(<in_line a="ground" b="coupler.end" axis="x"/>)", true},
                      {"in_plane", R"(<in_plane a="ground" b="coupler.end" axis="y"/>)", true}};
  for (const bool in_space : {false, true}) {
    const auto vector = [&](const std::string& x) { return x + (in_space ? ", 0, 0" : ", 0"); };
    const auto turn = [&](const std::string& x) { return in_space ? "0, 0, " + x : x; };
    for (const auto& [name, element, along_line] : ties) {
      if (name == "in_plane" && !in_space) continue;
      std::string tie = element;
      if (const auto axis = tie.find("AXIS"); axis != std::string::npos)
        tie.replace(axis, 4, in_space ? "axis=\"x\"" : "");
      tie.insert(tie.find(' '), " name=\"tie\"");
      const std::string q = along_line ? "-0.5 - " + slope : "-0.5",
                        qd = along_line ? "(-1 - " + slope_rate + ")*1 rad/s" : "-1 rad/s";
      const std::string inertia = in_space ? "1, 1, 1" : "1", axis = in_space ? "axis=\"z\" " : "";
      std::vector<std::string> lines = {
          "<frame name=\"pole\" pos=\"" + vector("2") + "\"/>",
          "<body name=\"crank\" mass=\"1\" inertia=\"" + inertia + "\"><frame name=\"tip\" pos=\"" +
              vector("1") + "\"/></body>",
          "<body name=\"coupler\" mass=\"1\" inertia=\"" + inertia +
              "\"><frame name=\"end\" pos=\"" + vector("2") + "\"/></body>",
          "<revolute name=\"main\" a=\"ground\" b=\"crank\" " + axis + "q=\"0.5\" qd=\"1 rad/s\"/>",
          (in_space ? "<spherical name=\"pin\" a=\"crank.tip\" b=\"coupler\" rot=\"" + turn(q) +
                          "\" omega=\"" + turn(qd)
                    : "<revolute name=\"pin\" a=\"crank.tip\" b=\"coupler\" q=\"" + q + "\" qd=\"" +
                          qd) +
              "\"/>",
          tie};
      const std::string outputs = R"(<output name="q" of="main" quantity="q"/>
        <output name="qd" of="main" quantity="qd"/>
        <output name="x" of="coupler.end" quantity="position" component="x"/>
        <output name="y" of="coupler.end" quantity="position" component="y"/>
        <output name="vx" of="coupler.end" quantity="velocity" component="x"/>
        <output name="vy" of="coupler.end" quantity="velocity" component="y"/>)";
      for (const bool reversed : {false, true}) {
        std::string text = outputs;
        if (reversed) std::reverse(lines.begin(), lines.end());
        for (const std::string& line : lines) text += line;
        for (const char* coordinates : {"absolute", "joint", "mixed"}) {
          SCOPED_TRACE(name + " " + coordinates + (in_space ? " in space" : "") +
                       (reversed ? ", reversed" : ""));
          const Assembled m(in_space ? spatial(text) : planar(text), coordinates);
          const State x = m.start();
          const double s = std::sin(0.5), c = std::cos(0.5), b = std::asin(0.5 * s);
          EXPECT_NEAR(m.output(x, "q"), 0.5, 1e-12);
          EXPECT_NEAR(m.output(x, "qd"), 1.0, 1e-12);
          EXPECT_NEAR(m.output(x, "x"), along_line ? c + 2.0 * std::cos(b) : c + 2.0, 1e-12);
          EXPECT_NEAR(m.output(x, "y"), along_line ? 0.0 : s, 1e-12);
          EXPECT_NEAR(m.output(x, "vx"), along_line ? -s - c * std::tan(b) : -s, 1e-12);
          EXPECT_NEAR(m.output(x, "vy"), along_line ? 0.0 : c, 1e-12);
        }
      }
    }
  }
}

// Bodies that no other joint reaches are placed by those, one after the other, and what hangs on
// them by its own start values.
TEST(StartValues, AreKeptBehindJointsThatHaveNone) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    const Assembled m(planar(R"(<frame name="pole" pos="0, 3"/>
      <body name="bob" mass="1" inertia="1"/>
      <body name="upper" mass="1" inertia="1"/>
      <parallel name="first" a="ground" b="upper"/>
      <rod name="second" a="pole" b="bob"/>
      <revolute name="pin" a="upper" b="bob" q="0.7" qd="2"/>
      <output name="q" of="pin" quantity="q"/><output name="qd" of="pin" quantity="qd"/>)"),
                      coordinates);
    const State x = m.start();
    EXPECT_NEAR(m.output(x, "q"), 0.7, 1e-12) << coordinates;
    EXPECT_NEAR(m.output(x, "qd"), 2.0, 1e-12) << coordinates;
  }
}

// The counter of turns starts at the angle that was found, not at the guess.
TEST(Turns, CounterStartsAtTheAngleFound) {
  const Assembled m(spatial(body + R"xml(
    <free name="st" b="s" rot="0, 0, 170 deg" omega="0, 0, 1 rad/s" target="exact"/>
    <revolute name="r" a="ground" b="s" axis="z"/>
    <output name="q" of="r" quantity="q"/>)xml"));
  State x = m.start();
  const double start = 170.0 * pi / 180.0;
  EXPECT_NEAR(m.output(x, "q"), start, 1e-12);
  ASSERT_EQ(x.r.size(), 1);
  EXPECT_NEAR(x.r[0], start, 1e-12);
  for (double turned = 0.0; turned < 20.0; turned += 0.1) {
    x.p.tail<4>() << std::cos(0.5 * (start + turned)), 0, 0, std::sin(0.5 * (start + turned));
    x.r[0] = start + turned;
    EXPECT_NEAR(m.output(x, "q"), start + turned, 1e-12);
  }
}

// A loop that closes after a whole turn is the same loop: angles 300 deg and -60 deg.
TEST(Turns, AroundALoopInThePlaneAreCounted) {
  const auto text = [](const std::string& q) {
    return planar(R"xml(<gravity g="0, -9.81"/>
      <body name="crank" mass="1" inertia="1"><frame name="pin" pos="1, 0"/></body>
      <body name="rod" mass="1" inertia="1"><frame name="end" pos="2, 0"/></body>
      <frame name="rail" pos="0, -sqrt(3)/2"/>
      <revolute name="main" a="ground" b="crank" target="exact" q=")xml" +
                  q + R"xml("/>
      <revolute name="big" a="crank.pin" b="rod" q="50 deg" stiffness="7" rest="50 deg"/>
      <prismatic name="guide" a="rail" b="rod" axis="x"/>
      <output name="q" of="big" quantity="q"/>
      <output name="n" of="guide" quantity="reaction" component="fy"/>)xml");
  };
  const Assembled plus(text("300 deg")), minus(text("-60 deg"));
  State x = plus.start(), y = minus.start();
  EXPECT_NEAR(plus.output(x, "q"), pi / 3.0, 1e-12);
  EXPECT_NEAR(minus.output(y, "q"), pi / 3.0, 1e-12);
  plus.solve(x);
  minus.solve(y);
  EXPECT_LT((x.a - y.a).norm(), 1e-11);
  EXPECT_NEAR(plus.output(x, "n"), minus.output(y, "n"), 1e-11);
}

// The coordinate of a joint that closes a loop is next to its start value: its spring at rest there
// does nothing.
TEST(Turns, OfAJointThatClosesALoopAreCounted) {
  const Assembled m(planar(R"xml(
    <body name="one" mass="1" inertia="1"><frame name="f" pos="1, 0"/></body>
    <body name="two" mass="1" inertia="1"><frame name="f" pos="1, 0"/></body>
    <body name="three" mass="1" inertia="1"><frame name="f" pos="1, 0"/></body>
    <revolute name="a" a="ground" b="one" q="200 deg" target="exact"/>
    <revolute name="b" a="one.f" b="two" q="120 deg" target="exact"/>
    <revolute name="c" a="two.f" b="three" q="120 deg" stiffness="3" rest="120 deg"/>
    <revolute name="d" a="three.f" b="one" q="120 deg" stiffness="5" rest="120 deg"/>
    <output name="at_c" of="c" quantity="q"/> <output name="at_d" of="d" quantity="q"/>)xml"));
  State x = m.start();
  EXPECT_NEAR(m.output(x, "at_c"), 2.0 * pi / 3.0, 1e-10);
  EXPECT_NEAR(m.output(x, "at_d"), 2.0 * pi / 3.0, 1e-10);
  m.solve(x);
  EXPECT_LT(x.a.norm(), 1e-8);
}

// A spring without length is relaxed where the mechanism starts, not where the guess was.
TEST(Spring, WithoutLengthIsRelaxedAtTheStart) {
  const Assembled m(planar(R"xml(
    <frame name="wall" pos="5, 0"/>
    <body name="crank" mass="1" inertia="1"><frame name="pin" pos="1, 0"/></body>
    <body name="rod" mass="1" inertia="1"><frame name="end" pos="2, 0"/></body>
    <body name="s" mass="1" inertia="1"/>
    <revolute name="main" a="ground" b="crank" q="60 deg" target="exact"/>
    <revolute name="big" a="crank.pin" b="rod"/>
    <revolute name="small" a="rod.end" b="s"/>
    <prismatic name="guide" a="ground" b="s" axis="x" q="1 m"/>
    <spring name="k" a="s" b="wall" stiffness="1"/>
    <output name="x" of="s" quantity="position" component="x"/>
    <output name="f" of="k" quantity="force"/>)xml"));
  const State x = m.start();
  EXPECT_NEAR(m.output(x, "x"), 0.5 + std::sqrt(4.0 - 0.75), 1e-12);
  EXPECT_NEAR(m.output(x, "f"), 0.0, 1e-12);
  EXPECT_LT(x.a.norm(), 1e-11);
}

// Counts products with Z.
class Counting final : public Equations {
 public:
  explicit Counting(const Equations& inner) : inner_(inner) {
    sizes_ = inner.sizes();
    structure_ = inner.structure();
  }
  State initial(const Context& context, double t0) const override {
    return inner_.initial(context, t0);
  }
  void position(const Context&, const State&, unsigned, Workspace&) const override {}
  void velocity(const Context&, const State&, Workspace&) const override {}
  void force(const Context&, const State&, unsigned, Workspace&) const override {}
  void gamma(const Context&, const State&, Workspace&) const override {}
  void apply_Z(const Context& context, const State& x, const Vector& v, Vector& z) const override {
    ++products;
    inner_.apply_Z(context, x, v, z);
  }
  mutable int products = 0;

 private:
  const Equations& inner_;
};

// The typical changes of all coordinates cost a few products, whatever the size of the model.
TEST(CoordinateScale, NeedsAFewProducts) {
  const auto many = [](int count) {
    return "<gravity g=\"0, 0, -9.81\"/><repeat index=\"i\" count=\"" + std::to_string(count) +
           "\"><body name=\"b\" mass=\"1\" inertia=\"1, 1, 1\"/>"
           "<free b=\"b[i]\" rot=\"i, 0.3, -0.2*i\"/></repeat><frame name=\"f\" pos=\"3, 4, 0\"/>";
  };
  for (const int count : {1, 10, 2000}) {
    const Assembled m(spatial(many(count)));
    const Counting counting(*m);
    const State x = m->initial(m.context(), 0.0);
    const Vector q = coordinate_scale(counting, m.context(), x);
    EXPECT_LE(counting.products, 6);
    for (int i = 0; i < count; i += 77) {
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(q[6 * i + k], 5.0, 1e-12);
      for (int k = 0; k < 3; ++k) {  // |e_i omega_k / 2| at most 1
        const Eigen::Vector4d e = x.p.segment<4>(7 * i + 3);
        EXPECT_NEAR(q[6 * i + 3 + k], 2.0 / e.cwiseAbs().maxCoeff(), 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace mbs::test
