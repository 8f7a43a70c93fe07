// Whole files, and every kind of element in them.

#include "tests/model/model_test.hpp"

namespace mbs::test {
namespace {

Model read_file(const std::string& name) {
  Diagnostics diagnostics;
  Model model = read_model(folder() + "/models/" + name, diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return model;
}

TEST(Reader, ReadsTheSliderCrank) {
  const Model m = read_file("slider_crank.mbs.xml");
  EXPECT_EQ(m.name, "SliderCrank");
  EXPECT_TRUE(m.planar);
  EXPECT_EQ(m.plane_axes, (std::array<int, 3>{0, 1, 2}));
  ASSERT_EQ(m.parameters.size(), 7u);
  EXPECT_EQ(m.parameters[5].name, "d");
  EXPECT_EQ(m.parameters[5].variability, Variability::tunable);
  EXPECT_EQ(m.parameters[5].unit.name, "N.m.s/rad");
  EXPECT_EQ(m.parameters[0].doc, "crank radius");
  ASSERT_EQ(m.inputs.size(), 1u);
  EXPECT_EQ(m.inputs[0].unit.name, "N.m");
  ASSERT_EQ(m.bodies.size(), 3u);
  const Element& crank = element(m, "crank");
  EXPECT_EQ(crank.tag->name, "body");
  EXPECT_DOUBLE_EQ(at_start(m, crank["mass"].numbers[0]), 0.36);
  EXPECT_DOUBLE_EQ(at_start(m, crank["com"].numbers[0]), 0.075);
  EXPECT_DOUBLE_EQ(at_start(m, crank["com"].numbers[1]), 0.0);
  EXPECT_DOUBLE_EQ(at_start(m, crank["inertia"].numbers[0]), 0.36 * 0.15 * 0.15 / 12);
  EXPECT_EQ(element(m, "slider")["inertia"].numbers.size(), 1u);
  const Frame& pin = frame(m, "rod.pin");
  EXPECT_EQ(pin.body, 1);
  EXPECT_EQ(pin.on, -1);
  EXPECT_DOUBLE_EQ(at_start(m, pin.position[0]), 0.3);
  const Element& main = element(m, "main");
  EXPECT_EQ(main["a"].index, 0);
  EXPECT_EQ(m.frames[main["b"].index].name, "crank");
  EXPECT_EQ(main["target"].text, "exact");
  EXPECT_EQ(main["target"].index, 1);
  EXPECT_EQ(main["axis"].numbers.size(), 1u);
  EXPECT_EQ(main["axis"].numbers[0].constant(), 1.0);
  EXPECT_FALSE(element(m, "big")["q"].given);
  EXPECT_TRUE(element(m, "big")["q"].numbers.empty());
  const Element& guide = element(m, "guide");
  ASSERT_EQ(guide["axis"].numbers.size(), 2u);
  EXPECT_EQ(guide["axis"].numbers[0].constant(), 1.0);
  EXPECT_DOUBLE_EQ(at_start(m, guide["q"].numbers[0]), 0.45);
  const Element& motor = element(m, "motor");
  EXPECT_EQ(m.elements[motor["joint"].index].name, "main");
  ASSERT_EQ(motor["value"].numbers.size(), 1u);
  const auto symbols = motor["value"].numbers[0].symbols();
  ASSERT_EQ(symbols.size(), 3u);
  EXPECT_EQ(symbols[0], (Symbol{SymbolKind::state, 0}));
  EXPECT_EQ(symbols[1], (Symbol{SymbolKind::parameter, 5}));
  EXPECT_EQ(symbols[2], (Symbol{SymbolKind::coordinate_rate, 0}));
  EXPECT_EQ(m.coordinates[0].name, "main.q");
  EXPECT_EQ(m.states[0].unit.name, "N.m");
  ASSERT_EQ(m.outputs.size(), 5u);
  EXPECT_EQ(m.outputs[0].unit.name, "mm");
  EXPECT_EQ(m.outputs[0].what.quantity, Quantity::position);
  EXPECT_EQ(m.outputs[1].what.component, 1);
  EXPECT_EQ(m.elements[m.outputs[1].what.element].name, "guide");
  EXPECT_EQ(m.outputs[1].what.axes, 0);  // those of the joint's a, ground
  EXPECT_EQ(m.outputs[2].what.quantity, Quantity::expression);
  EXPECT_EQ(m.outputs[3].unit.name, "1");
  EXPECT_EQ(m.gravity[1].constant(), -9.81);
  EXPECT_EQ(m.solver.method, "extrapolation");
  EXPECT_EQ(m.solver.rtol, 1e-6);
  EXPECT_EQ(motor.place.line, 25);
  EXPECT_EQ(motor["value"].place.column, 46);
}

TEST(Reader, ReadsTheHangingChain) {
  const Model m = read_file("hanging_chain.mbs.xml");
  EXPECT_EQ(m.bodies.size(), 33u);
  EXPECT_EQ(m.outputs.size(), 34u);
  EXPECT_EQ(m.outputs[33].name, "phi[32]");
  EXPECT_EQ(m.outputs[1].what.component, 6);
  EXPECT_FALSE(element(m, "conductor")["length"].given);
}

TEST(Reader, ReadsElementsInSpace) {
  const Model m = read(spatial(R"xml(
      <gravity g="0, 0, -9.81 m/s^2"/>
      <frame name="base" pos="1, 2, 3" rot="10 deg, 20 deg, 30 deg"/>
      <frame name="arm" on="base" pos="1, 0, 0"/>
      <body name="b" mass="1" inertia="1, 1, 1" com="0, 0, 1 m">
        <frame name="f" pos="1, 0, 0"/><frame name="g" on="b.f" pos="0, 1, 0"/></body>
      <body name="c" mass="1" inertia="2, 2, 3, 0.1, 0, 0"/>
      <spherical name="s" a="base" b="b" rot="0, 10 deg, 0" omega="0, 0, 1"/>
      <revolute name="r" a="b" b="c" axis="0, 1, 1"/>
      <prismatic name="p" a="ground" b="c" axis="-z"/>
      <free name="fly" b="c" pos="1, 2, 3" vel="0, 0, 1 m/s" target="exact"/>
      <weld a="b.f" b="c"/>
      <force name="push" on="b.f" value="1 N, 2 N, fly.zd*1 N.s/m" in="b" reaction_on="c"/>
      <torque name="turn" on="b" value="0, 0, 1 N.m*sin(r.q)"/>
      <damper name="d" a="b" b="c" law="xd*1 N.s/m"/>
      <spring name="k" a="b" b="c" length="1" law="1 N/m*x + 2 N.s/m*xd"/>
      <measure name="h" of="b.f" quantity="position" component="z" relative_to="base" in="b"/>
      <algebraic name="w" start="1 m" residual="w - h"/>
      <output name="R12" of="b" quantity="orientation" component="12"/>
      <output name="ry" of="b" quantity="orientation" component="ry" unit="deg"/>
      <output name="mx" of="s" quantity="reaction" component="mx"/>
      <output name="z" of="fly" quantity="qdd" component="z"/>
      <output name="n" quantity="statistic" component="steps"/>
      <output name="T" of="b" quantity="kinetic_energy"/>
      <output name="F" of="k" quantity="force"/>
      <init method="projection"/>
      <state name="lag" start="0" der="-lag/(0.1 s)"/>
      <tolerance of="c" rtol="1e-4" atol="1e-3"/>
      <tolerance of="lag" atol="1e-5"/>
      <solver coordinates="absolute" linear="sparse" max_order="9" scheme="modified" dense_order="5"
              stop_time="10 min"/>)xml"));
  EXPECT_FALSE(m.planar);
  EXPECT_EQ(m.frames[frame(m, "arm").on].name, "base");
  EXPECT_EQ(frame(m, "arm").body, ground);
  EXPECT_EQ(frame(m, "b.g").body, 0);
  EXPECT_EQ(m.frames[frame(m, "b.g").on].name, "b.f");
  EXPECT_EQ(element(m, "b")["inertia"].numbers.size(), 6u);
  EXPECT_EQ(element(m, "c")["inertia"].numbers[3].constant(), 0.1);
  EXPECT_EQ(element(m, "p")["axis"].numbers[2].constant(), -1.0);
  EXPECT_EQ(element(m, "r")["axis"].numbers[1].constant(), 1.0);
  EXPECT_EQ(element(m, "weld#1").tag->name, "weld");
  EXPECT_EQ(element(m, "fly")["a"].index, 0);
  EXPECT_EQ(element(m, "push")["value"].numbers.size(), 3u);
  EXPECT_EQ(m.frames[element(m, "push")["in"].index].name, "b");
  EXPECT_EQ(element(m, "k")["law"].numbers[0].symbols()[1], (Symbol{SymbolKind::local, 1}));
  EXPECT_EQ(m.measures[0].component, 2);
  EXPECT_EQ(m.frames[m.measures[0].reference].name, "base");
  EXPECT_EQ(m.frames[m.measures[0].axes].name, "b");
  EXPECT_EQ(m.outputs[0].what.component, 1);
  EXPECT_EQ(m.outputs[1].what.component, 10);
  EXPECT_EQ(m.outputs[2].what.component, 3);
  EXPECT_EQ(m.outputs[2].unit.name, "N.m");
  EXPECT_EQ(m.frames[m.outputs[2].what.axes].name, "base");
  EXPECT_EQ(m.coordinates[m.outputs[3].what.coordinate].name, "fly.z");
  EXPECT_EQ(m.outputs[3].unit.name, "m/s^2");
  EXPECT_EQ(m.outputs[4].what.keyword, "steps");
  EXPECT_EQ(m.outputs[5].unit.name, "J");
  EXPECT_EQ(m.solver.max_order, 9);
  EXPECT_EQ(m.solver.dense_order, 5);
  EXPECT_EQ(m.solver.scheme, "modified");
  ASSERT_EQ(m.solver.own_tolerances.size(), 2u);
  EXPECT_EQ(m.solver.own_tolerances[0].of, "c");
  EXPECT_EQ(m.solver.own_tolerances[0].rtol, 1e-4);
  EXPECT_EQ(m.solver.own_tolerances[0].atol, 1e-3);
  EXPECT_EQ(m.solver.own_tolerances[1].of, "lag");
  EXPECT_EQ(m.solver.own_tolerances[1].rtol, 0.0);
  EXPECT_EQ(m.solver.own_tolerances[1].atol, 1e-5);
  EXPECT_EQ(m.solver.stop_time, 600.0);
  EXPECT_EQ(m.gravity[2].constant(), -9.81);
  // r and p have one coordinate, fly three.
  EXPECT_EQ(m.coordinates.size(), 5u);
}

TEST(Reader, ReadsModelsInOtherPlanes) {
  const Model m = read(
      "<mbs name='V' version='1' planar='xz'><gravity g='0, -9.81'/>"
      "<body name='b' mass='1'/><prismatic name='p' a='ground' b='b' axis='z'/>"
      "<free name='f' b='b'/>"
      "<output name='z' of='b' quantity='position' component='z'/>"
      "<output name='v' value='f.zd'/></mbs>");
  EXPECT_EQ(m.plane_axes, (std::array<int, 3>{0, 2, 1}));
  EXPECT_EQ(element(m, "p")["axis"].numbers[1].constant(), 1.0);
  EXPECT_EQ(m.outputs[0].what.component, 1);
  EXPECT_EQ(m.coordinates[2].name, "f.z");
  EXPECT_NE(errors("<mbs name='V' version='1' planar='xz'><body name='b' mass='1'/>"
                   "<prismatic name='p' a='ground' b='b' axis='y'/></mbs>")
                .find("no axis"),
            std::string::npos);
}

TEST(Reader, KeepsForcesWithoutANameInsideABody) {
  const Model m = read(planar("<body name='b' mass='1'><drag area='1' cd='1'/></body>"));
  EXPECT_EQ(element(m, "drag#1").owner, 0);
}

TEST(Reader, ThrowsALogicErrorForAnUnknownAttribute) {
  const Model m = read(planar("<body name='b' mass='1'/>"));
  EXPECT_THROW(m.elements[0]["mas"], std::logic_error);
}

TEST(Reader, CountsCharactersAndEntitiesInColumns) {
  const std::string text = errors(
      "<mbs name='T' version='1' planar='xy'>\n"
      "<body name='b' doc='\xc3\xa4\xc3\xb6' mass='if(1 &lt; 2, x, 3)'/>"
      "\n</mbs>");
  EXPECT_NE(text.find("test.mbs.xml:2:44: error: there is no 'x'"), std::string::npos) << text;
}

TEST(Reader, ReadsByteOrderMarkAndWindowsLineEnds) {
  const Model m = read(
      "\xef\xbb\xbf<mbs name='T' version='1' planar='xy'>\r\n"
      "<body\r\n name='b' mass='1 +\r\n 2'/>\r\n</mbs>\r\n");
  EXPECT_EQ(element(m, "b")["mass"].numbers[0].constant(), 3.0);
  EXPECT_EQ(element(m, "b").place.line, 2);
  EXPECT_EQ(element(m, "b")["mass"].place.line, 3);
  EXPECT_NE(errors("<mbs name='T' version='1' planar='xy'>\r\n<body name='b' mass='1 +\r\n y'/>"
                   "</mbs>")
                .find("test.mbs.xml:3:2: error: there is no 'y'"),
            std::string::npos);
}

}  // namespace
}  // namespace mbs::test
