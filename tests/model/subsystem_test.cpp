// Models used in models, their mirror images, and the one file an FMU carries.

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "tests/model/model_test.hpp"
#include "tests/support/own_folder.hpp"

namespace mbs::test {
namespace {

Model vehicle() {
  Diagnostics diagnostics;
  Model model = read_model(folder() + "/models/vehicle.mbs.xml", diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return model;
}

TEST(Use, BindsNamesParametersAndGround) {
  const Model m = vehicle();
  EXPECT_EQ(m.bodies.size(), 7u);
  const Element& swing = element(m, "fl.swing");
  EXPECT_EQ(m.frames[swing["a"].index].name, "chassis.left");
  EXPECT_EQ(m.frames[element(m, "fr.swing")["a"].index].name, "chassis.right");
  EXPECT_EQ(m.frames[element(m, "fl.hub.axle")["a"].index].name, "fl.arm.end");
  // A frame of the subsystem's ground is placed on the frame `at`.
  const Frame& top = frame(m, "fl.top");
  EXPECT_EQ(m.frames[top.on].name, "chassis.left");
  EXPECT_EQ(top.body, 0);
  EXPECT_EQ(m.frames[element(m, "bar")["b"].index].name, "fr.hub.rim");
  EXPECT_EQ(at_start(m, element(m, "fl.hub.rim")["mass"].numbers[0]), 16.0);
  EXPECT_EQ(at_start(m, element(m, "trailer[2].rim")["mass"].numbers[0]), 2.0);
  // k of the corner follows `stiff`, which is tunable.
  for (const Parameter& p : m.parameters) {
    if (p.name != "fl.k") continue;
    EXPECT_TRUE(p.calculated);
    EXPECT_EQ(p.variability, Variability::tunable);
    EXPECT_EQ(at_start(m, p.value), 32000.0);
  }
  EXPECT_EQ(m.gravity[2].constant(), 0.0);  // a subsystem's own gravity does not count
  EXPECT_EQ(m.outputs[0].name, "fl.load");
}

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

// Rodrigues: I + sin q [e] + (1 - cos q) [e]^2.
Matrix turned(const std::array<double, 3>& e, double q) {
  const Matrix k{{{0, -e[2], e[1]}, {e[2], 0, -e[0]}, {-e[1], e[0], 0}}};
  const Matrix k2 = multiply(k, k);
  Matrix r{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      r[i][j] = (i == j) + std::sin(q) * k[i][j] + (1 - std::cos(q)) * k2[i][j];
    }
  }
  return r;
}

std::array<double, 3> numbers(const Model& m, const AttributeValue& v) {
  return {at_start(m, v.numbers[0]), at_start(m, v.numbers[1]), at_start(m, v.numbers[2])};
}

Matrix rotation(const Model& m, const Frame& f) {
  return multiply(multiply(turned({1, 0, 0}, at_start(m, f.rotation[0])),
                           turned({0, 1, 0}, at_start(m, f.rotation[1]))),
                  turned({0, 0, 1}, at_start(m, f.rotation[2])));
}

void expect_mirrored(const Matrix& left, const Matrix& right) {
  const double s[3] = {1, -1, 1};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(right[i][j], s[i] * left[i][j] * s[j], 1e-15);
  }
}

TEST(Mirror, MirrorsFramesJointsInertiaAndForces) {
  const Model m = vehicle();
  const Frame &left = frame(m, "fl.arm.end"), &right = frame(m, "fr.arm.end");
  EXPECT_EQ(at_start(m, left.position[1]), 0.5);
  EXPECT_EQ(at_start(m, right.position[1]), -0.5);
  expect_mirrored(rotation(m, left), rotation(m, right));
  EXPECT_EQ(at_start(m, frame(m, "fr.top").position[1]), -0.3);
  EXPECT_EQ(at_start(m, frame(m, "fr.top").position[0]), 0.1);
  // At the same coordinate a joint's rotation is the mirror image.
  for (const std::string name : {"swing", "hub.axle"}) {
    const double q = 0.3;
    expect_mirrored(turned(numbers(m, element(m, "fl." + name)["axis"]), q),
                    turned(numbers(m, element(m, "fr." + name)["axis"]), q));
    EXPECT_EQ(element(m, "fl." + name)["q"].numbers, element(m, "fr." + name)["q"].numbers);
  }
  // S J S
  const auto &j = element(m, "fl.arm")["inertia"].numbers,
             &k = element(m, "fr.arm")["inertia"].numbers;
  for (const int same : {0, 1, 2, 4}) EXPECT_EQ(j[same], k[same]);
  for (const int other : {3, 5}) EXPECT_EQ(j[other].constant(), -k[other].constant());
  EXPECT_EQ(at_start(m, element(m, "fr.arm")["com"].numbers[1]), -0.25);
  // Forces are vectors, torques axial vectors.
  EXPECT_EQ(numbers(m, element(m, "fr.side")["value"]), (std::array<double, 3>{1, -2, 3}));
  EXPECT_EQ(numbers(m, element(m, "fr.twist")["value"]), (std::array<double, 3>{-1, 2, -3}));
  // Measures along the mirrored axis have the opposite sign.
  EXPECT_EQ(m.measures[0].name, "fl.track");
  EXPECT_EQ(m.measures[0].sign, 1.0);
  EXPECT_EQ(m.measures[1].sign, -1.0);
}

TEST(Mirror, MirrorsInThePlane) {
  const Model m = read(planar(R"xml(
      <use name="u" mirror="x"><mbs name="U" version="1" planar="xy">
        <frame name="f" pos="1, 2" rot="30 deg"/>
        <body name="b" mass="1" inertia="1"/>
        <revolute name="r" a="f" b="b" q="10 deg"/>
        <prismatic name="p" a="ground" b="b" axis="x"/>
        <free name="g" b="b" pos="1, 2" rot="3" omega="4"/>
        <torque name="t" on="b" value="5 N.m"/>
        <torque name="j" joint="r" value="6 N.m"/>
        <output name="o" of="b" quantity="orientation"/>
        <output name="w" of="r" quantity="reaction" component="m"/>
      </mbs></use>)xml"));
  EXPECT_EQ(frame(m, "u.f").position[0].constant(), -1.0);
  EXPECT_EQ(frame(m, "u.f").position[1].constant(), 2.0);
  EXPECT_LT(frame(m, "u.f").rotation[2].constant(), 0.0);
  EXPECT_EQ(element(m, "u.r")["axis"].numbers[0].constant(), -1.0);
  EXPECT_GT(element(m, "u.r")["q"].numbers[0].constant(), 0.0);
  EXPECT_EQ(element(m, "u.p")["axis"].numbers[0].constant(), -1.0);
  EXPECT_EQ(element(m, "u.g")["rot"].numbers[0].constant(), -3.0);
  EXPECT_EQ(element(m, "u.g")["omega"].numbers[0].constant(), -4.0);
  EXPECT_EQ(element(m, "u.t")["value"].numbers[0].constant(), -5.0);
  EXPECT_EQ(element(m, "u.j")["value"].numbers[0].constant(), 6.0);
  const double signs[] = {1, 1, -1, 1, -1};  // r.q p.q g.x g.y g.phi
  for (int k = 0; k < 5; ++k) EXPECT_EQ(m.coordinates[k].sign, signs[k]) << m.coordinates[k].name;
  EXPECT_EQ(m.outputs[0].what.sign, -1.0);
  EXPECT_EQ(m.outputs[1].what.sign, -1.0);
}

TEST(Mirror, TwiceIsARotation) {
  const Model m = read(spatial(R"xml(
      <use name="u" mirror="x"><mbs name="U" version="1">
        <use name="v" mirror="y"><mbs name="V" version="1">
          <body name="b" mass="1" inertia="1, 1, 1" com="1, 2, 3"/>
          <revolute name="r" a="ground" b="b" axis="1, 2, 3"/>
        </mbs></use></mbs></use>)xml"));
  EXPECT_EQ(numbers(m, element(m, "u.v.b")["com"]), (std::array<double, 3>{-1, -2, 3}));
  EXPECT_EQ(numbers(m, element(m, "u.v.r")["axis"]), (std::array<double, 3>{-1, -2, 3}));
}

TEST(Resolve, GivesTheSameModel) {
  for (const std::string name : {"slider_crank", "hanging_chain", "vehicle", "corner"}) {
    Diagnostics d;
    const std::string path = folder() + "/models/" + name + ".mbs.xml";
    const Model original = read_model(path, d);
    const std::string text = read_resolved(path, d).text;
    EXPECT_EQ(text.find("file="), std::string::npos);
    EXPECT_EQ(text.find("doc="), std::string::npos);
    EXPECT_EQ(text.find("<!--"), std::string::npos);
    const Model again = read_model_text(text, "one.mbs.xml", d);
    EXPECT_EQ(d.text(), "");
    EXPECT_EQ(described(original), described(again));
    // Resolving the resolved file changes nothing.
    const std::string one = own_folder() + "one_" + name + ".mbs.xml";
    std::ofstream(one) << text;
    EXPECT_EQ(read_resolved(one, d).text, text);
    std::filesystem::remove(one);
  }
}

TEST(Resolve, KeepsOverridesAndRepeats) {
  Diagnostics d;
  const Override overrides[] = {{"N", "3"}, {"L", "1 m"}};
  const std::string path = folder() + "/models/hanging_chain.mbs.xml";
  const std::string text = read_resolved(path, d, overrides).text;
  EXPECT_NE(text.find("<repeat"), std::string::npos);
  EXPECT_NE(text.find("count=\"N\""), std::string::npos);
  EXPECT_EQ(described(read_model(path, d, overrides)), described(read(text)));
  EXPECT_EQ(read(text).bodies.size(), 4u);
  const Override bare[] = {{"L", "0.5"}};
  EXPECT_EQ(described(read_model(path, d, bare)),
            described(read(read_resolved(path, d, bare).text)));
  EXPECT_EQ(d.text(), "");
}

TEST(Resolve, LeavesUnusedCirclesOut) {
  const std::string path = own_folder() + "mbs_self.mbs.xml";
  std::ofstream(path) << "<mbs name='A' version='1'><repeat index='i' count='0'>"
                         "<use name='a' file='mbs_self.mbs.xml'/><use name='b' file='none'/>"
                         "</repeat></mbs>";
  Diagnostics d;
  const std::string text = read_resolved(path, d).text;
  EXPECT_EQ(d.text(), "");
  EXPECT_EQ(text.find("none"), std::string::npos);
  EXPECT_EQ(described(read_model(path, d)), described(read(text)));
  std::filesystem::remove(path);
}

TEST(Resolve, RefusesWhatCouldNotBeReadAgain) {
  const std::string base = own_folder() + "mbs_large_test";
  std::filesystem::remove_all(base);
  std::filesystem::create_directories(base);
  std::ofstream main(base + "/main.mbs.xml");
  main << "<mbs name='A' version='1'>";
  for (int k = 0; k < 8; ++k) main << "<use name='b" << k << "' file='b.mbs.xml'/>";
  main << "</mbs>";
  main.close();
  std::ofstream(base + "/b.mbs.xml")
      << "<mbs name='B' version='1'>" << std::string(500, ' ') << "</mbs>";
  Diagnostics d;
  ReadLimits limits;
  limits.file_bytes = 2000;
  EXPECT_EQ(read_resolved(base + "/main.mbs.xml", d, {}, limits).text, "");
  EXPECT_NE(d.text().find("[limit-file-size]"), std::string::npos) << d.text();
  std::filesystem::remove_all(base);
}

TEST(Use, LimitsSubsystemsInPlace) {
  const auto nested = [](int n) {
    std::string text = "<mbs name='A' version='1'><particle name='p'/></mbs>";
    for (int k = 0; k < n; ++k) {
      text = "<mbs name='A' version='1'><use name='u'>" + text + "</use></mbs>";
    }
    return text;
  };
  EXPECT_EQ(read(nested(60)).bodies.size(), 1u);
  EXPECT_NE(errors(nested(64)).find("subsystems are nested deeper than 64 [limit-nesting]"),
            std::string::npos);
  std::string repeats = "<particle name='p'/>";
  for (int k = 0; k < 60; ++k) repeats = "<repeat index='i' count='1'>" + repeats + "</repeat>";
  std::string all = "<mbs name='A' version='1'>" + repeats + "</mbs>";
  for (int k = 0; k < 5; ++k) {
    std::string inside = "<use name='u'>" + all + "</use>";
    for (int j = 0; j < 60; ++j) inside = "<repeat index='i' count='1'>" + inside + "</repeat>";
    all = "<mbs name='A' version='1'>" + inside + "</mbs>";
  }
  EXPECT_NE(errors(all).find("nested deeper than 256 [limit-nesting]"), std::string::npos);
}

TEST(Use, EndsAtLinksInACircle) {
  const std::string base = own_folder() + "mbs_use_test";
  std::filesystem::remove_all(base);
  std::filesystem::create_directories(base);
  std::ofstream(base + "/a.mbs.xml")
      << "<mbs name='A' version='1'><use name='b' file='loop/a.mbs.xml'/></mbs>";
  std::filesystem::create_directory_symlink(".", base + "/loop");
  Diagnostics d;
  read_model(base + "/a.mbs.xml", d);
  EXPECT_NE(d.text().find("its links go round in a circle"), std::string::npos) << d.text();
  EXPECT_EQ(d.errors(), 1);
  std::filesystem::remove_all(base);
}

TEST(Use, RefusesTooManyFiles) {
  const std::string base = own_folder() + "mbs_files_test";
  std::filesystem::remove_all(base);
  std::filesystem::create_directories(base);
  std::ofstream main(base + "/main.mbs.xml");
  main << "<mbs name='A' version='1'>";
  for (int k = 0; k < 12; ++k) {
    const std::string name = "f" + std::to_string(k);
    std::ofstream(base + "/" + name + ".mbs.xml") << "<mbs name='B' version='1'/>";
    main << "<use name='" << name << "' file='" << name << ".mbs.xml'/>";
  }
  main << "</mbs>";
  main.close();
  Diagnostics d, within;
  ReadLimits limits;
  limits.files = 10;
  read_model(base + "/main.mbs.xml", d, {}, limits);
  EXPECT_NE(d.text().find("more than 10 files [limit-files]"), std::string::npos) << d.text();
  limits.files = 13;
  read_model(base + "/main.mbs.xml", within, {}, limits);
  EXPECT_EQ(within.text(), "");
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace mbs::test
