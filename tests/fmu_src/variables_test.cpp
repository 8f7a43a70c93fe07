#include "fmu_src/variables.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/fmu_src/fmu.hpp"

namespace mbs {
namespace {

using test::Description;

const Variable& find(const Description& d, const std::string& name) {
  return *d.table.find(d[name]);
}

TEST(Variables, HaveTheirKinds) {
  const Description d(test::rig_text);
  const auto expect = [&](const char* name, Causality causality, Change variability,
                          Initial initial, bool start) {
    const Variable& v = find(d, name);
    EXPECT_EQ(keyword(v.causality), keyword(causality)) << name;
    EXPECT_EQ(keyword(v.variability), keyword(variability)) << name;
    EXPECT_EQ(keyword(v.initial), keyword(initial)) << name;
    EXPECT_EQ(v.start.has_value(), start) << name;
  };
  using enum Causality;
  using enum Change;
  expect("time", independent, continuous, Initial::none, false);
  expect("n", local, constant, Initial::exact, true);
  expect("L", parameter, fixed, Initial::exact, true);
  expect("half", calculated_parameter, fixed, Initial::calculated, false);
  expect("d", parameter, tunable, Initial::exact, true);
  expect("d2", calculated_parameter, tunable, Initial::calculated, false);
  expect("M", input, continuous, Initial::none, true);
  expect("x", output, continuous, Initial::calculated, false);
  expect("steps", output, discrete, Initial::calculated, false);
  expect("lag", local, continuous, Initial::calculated, false);
  EXPECT_EQ(find(d, "steps").type, ValueType::integer);
}

// A parameter that the static equilibrium determines cannot be set, and depends on all that can.
TEST(Variables, TrimmedParametersAreCalculated) {
  const Description d(
      "<mbs name='T' version='1' planar='xy'><parameter name='F0' value='1 N'/>"
      "<parameter name='m' value='2 kg'/><gravity g='0, -10 m/s^2'/>"
      "<body name='b' mass='m' inertia='1'/>"
      "<prismatic name='p' a='ground' b='b' axis='y' q='0 m' target='exact'/>"
      "<force joint='p' value='F0'/><trim parameter='F0'/><init method='statics'/></mbs>");
  const Variable& found = find(d, "F0");
  EXPECT_EQ(found.causality, Causality::calculated_parameter);
  EXPECT_EQ(found.initial, Initial::calculated);
  EXPECT_FALSE(found.start.has_value());
  EXPECT_EQ(found.dependencies, std::vector<std::uint32_t>{find(d, "m").reference});
}

TEST(Variables, ReferencesAreIndicesAndNamesAreUnique) {
  const Description d(test::rig_text);
  std::set<std::string> names;
  for (std::size_t i = 0; i < d.table.variables.size(); ++i) {
    EXPECT_EQ(d.table.variables[i].reference, i);
    EXPECT_TRUE(names.insert(d.table.variables[i].name).second) << d.table.variables[i].name;
  }
  EXPECT_EQ(d.table.find(static_cast<std::uint32_t>(d.table.variables.size())), nullptr);
}

TEST(Variables, HaveStartValuesAndUnits) {
  const Description d(test::rig_text);
  const Variable& length = find(d, "L");
  EXPECT_EQ(*length.start, 0.4);
  EXPECT_EQ(length.minimum, 0.001);
  EXPECT_EQ(length.maximum, 2.0);
  EXPECT_EQ(length.unit, "m");
  ASSERT_TRUE(length.display);
  EXPECT_EQ(length.display->name, "mm");
  EXPECT_EQ(length.description, "length of a rod");
  EXPECT_EQ(*find(d, "n").start, 2.0);
  EXPECT_EQ(*find(d, "M").start, 0.3);
  EXPECT_FALSE(find(d, "M").display) << "N.m is what SI says already";
  EXPECT_EQ(find(d, "push").unit, "N");
  EXPECT_EQ(find(d, "push").display->name, "kN");
  EXPECT_EQ(find(d, "time").unit, "s");
  EXPECT_EQ(find(d, "w").unit, "rad/s");
  EXPECT_EQ(find(d, "P").unit, "W");
  EXPECT_EQ(find(d, "steps").unit, "");
}

TEST(Variables, DependenciesComeFromTheModel) {
  const Description d(test::rig_text);
  using List = std::vector<std::uint32_t>;
  for (const char* name : {"x", "w", "P", "drift", "steps", "lag"})
    EXPECT_EQ(find(d, name).dependencies, List{}) << name;
  // The torque command acts through a lag, the push directly.
  for (const char* name : {"alpha", "N"})
    EXPECT_EQ(find(d, name).dependencies, List{d["push"]}) << name;
  EXPECT_EQ(find(d, "direct").dependencies, List{d["M"]});
  EXPECT_EQ(find(d, "half").dependencies, List{d["L"]});
  EXPECT_EQ(find(d, "d2").dependencies, List{d["d"]});
}

TEST(Variables, CalculatedParametersDependOnSettableOnes) {
  const Description d(R"(<mbs name="P" version="1" planar="xy">
    <parameter name="c" value="a + b"/> <parameter name="b" value="2*a"/>
    <parameter name="a" value="3"/> <parameter name="e" value="b*c"/></mbs>)");
  for (const char* name : {"b", "c", "e"})
    EXPECT_EQ(find(d, name).dependencies, std::vector{d["a"]}) << name;
}

TEST(Variables, InputsPassThroughAuxiliaryUnknowns) {
  const Description d(R"(<mbs name="A" version="1" planar="xy">
    <input name="u"/> <input name="other"/>
    <algebraic name="w" start="0" residual="w + w^3 - u"/>
    <body name="b" mass="1 kg" inertia="1 kg.m^2"/>
    <torque name="t" on="b" value="w * 1 N.m"/>
    <free name="f" b="b"/>
    <output name="y" value="2*w"/>
    <output name="a" of="b" quantity="angular_acceleration"/>
    <output name="angle" value="f.phi"/></mbs>)");
  for (const char* name : {"w", "y", "a"})
    EXPECT_EQ(find(d, name).dependencies, std::vector{d["u"]}) << name;
  EXPECT_TRUE(find(d, "angle").dependencies.empty());
}

// The force of a stop follows all forces, that of a spring its own law.
TEST(Variables, InputsActOnConstraintForces) {
  const Description d(R"(<mbs name="F" version="1" planar="xy">
    <input name="u" unit="N"/> <input name="preload" unit="N"/>
    <body name="b" mass="1 kg"/> <prismatic name="way" a="ground" b="b" axis="x"/>
    <force joint="way" value="u"/> <end_stop name="stop" joint="way" upper="1 mm"/>
    <friction name="rubs" joint="way" force="2 N"/>
    <spring name="spring" a="ground" b="b" law="preload + 3 N/m*x" length="1 m"/>
    <output name="bears" of="stop" quantity="force" unit="N"/>
    <output name="holds" of="rubs" quantity="force" unit="N"/>
    <output name="pulls" of="spring" quantity="force" unit="N"/></mbs>)");
  for (const char* name : {"bears", "holds"})
    EXPECT_EQ(find(d, name).dependencies, (std::vector{d["u"], d["preload"]})) << name;
  EXPECT_EQ(find(d, "pulls").dependencies, std::vector{d["preload"]});
}

// A reaction depends on all forces, and so do expressions of it, in any order of definition.
TEST(Variables, InputsPassThroughReactions) {
  const Description d(R"(<mbs name="R" version="1" planar="xy">
    <input name="u" unit="N"/> <input name="other"/>
    <algebraic name="w" start="0 N" residual="w - N"/>
    <measure name="N" of="rail" quantity="reaction" component="fy"/>
    <body name="b" mass="1 kg" inertia="1 kg.m^2"/>
    <prismatic name="rail" a="ground" b="b" axis="x"/>
    <force name="rub" joint="rail" value="-0.1*w"/> <force name="load" on="b" value="0, u"/>
    <output name="y" value="2*N"/>
    <output name="a" of="rail" quantity="qdd"/>
    <output name="x" of="rail" quantity="q"/></mbs>)");
  for (const char* name : {"w", "y", "a"})
    EXPECT_EQ(find(d, name).dependencies, std::vector{d["u"]}) << name;
  EXPECT_TRUE(find(d, "x").dependencies.empty());
}

// M7: an expression of discrete variables is discrete; with any other variable it is continuous.
TEST(Variables, OutputsOfDiscreteVariablesAreDiscrete) {
  const Description d(R"(<mbs name="D" version="1" planar="xy">
    <parameter name="k" value="2" variability="tunable"/> <input name="u"/>
    <discrete name="z" start="0"/> <discrete name="w" start="1"/>
    <state name="r" start="0" der="z / 1 s"/>
    <body name="b" mass="1 kg" inertia="1 kg.m^2"/> <free name="f" b="b"/>
    <event name="on" every="0.1 s"><set z="z + 1"/></event>
    <output name="one" value="z"/> <output name="two" value="k*z + w"/>
    <output name="with_input" value="z + u"/> <output name="with_state" value="z + r"/>
    <output name="with_time" value="z * time"/> <output name="gain" value="2*k"/></mbs>)");
  for (const char* name : {"one", "two"})
    EXPECT_EQ(find(d, name).variability, Change::discrete) << name;
  for (const char* name : {"with_input", "with_state", "with_time", "gain"})
    EXPECT_EQ(find(d, name).variability, Change::continuous) << name;
}

TEST(Variables, TokenChangesWithEveryVisibleDetail) {
  const Description d(test::rig_text);
  EXPECT_EQ(d.token, Description(test::rig_text).token);
  EXPECT_EQ(d.token.size(), 38u);
  std::set<std::string> tokens{d.token};
  const auto changed = [&](const std::function<void(VariableTable&)>& change) {
    VariableTable table = d.table;
    change(table);
    EXPECT_TRUE(tokens.insert(interface_hash(table)).second) << tokens.size();
  };
  changed([](VariableTable& t) { t.variables[2].name += "x"; });
  changed([](VariableTable& t) { t.variables[2].description += "x"; });
  changed([](VariableTable& t) { *t.variables[2].start += 1e-15; });
  changed([](VariableTable& t) { t.variables[2].start.reset(); });
  changed([](VariableTable& t) { t.variables[2].minimum = 0.0; });
  changed([](VariableTable& t) { t.variables[2].maximum = 9.0; });
  changed([](VariableTable& t) { t.variables[2].unit = "mm"; });
  changed([](VariableTable& t) { t.variables[2].display.reset(); });
  changed([](VariableTable& t) { t.variables[2].variability = Change::tunable; });
  changed([](VariableTable& t) { t.variables[2].causality = Causality::local; });
  changed([](VariableTable& t) { t.variables[2].type = ValueType::integer; });
  changed([](VariableTable& t) { t.variables[2].dependencies = {1}; });
  changed([](VariableTable& t) { t.variables.pop_back(); });
  changed([](VariableTable& t) { std::swap(t.variables[2], t.variables[3]); });
}

TEST(Variables, ModelHashIsThatOfTheText) {
  EXPECT_EQ(model_hash(test::rig_text), model_hash(std::string(test::rig_text)));
  EXPECT_NE(model_hash(test::rig_text), model_hash(std::string(test::rig_text) + " "));
}

// Coordinates of bodies are lengths and angles; the model's own states have their declared units.
TEST(Variables, ContinuousStatesHaveUnits) {
  const Description description(R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Units" version="1" planar="xy">
  <input name="M" unit="N.m"/>
  <body name="b" mass="1 kg" inertia="1 kg.m^2"/>
  <free name="f" a="ground" b="b"/>
  <state name="lag" start="0 N.m" der="(M - lag)/(20 ms)"/>
  <solver coordinates="absolute"/>
</mbs>)xml");
  for (const auto& [name, unit] : {std::pair{"b.x", "m"},
                                   {"b.phi", "rad"},
                                   {"b.vx", "m/s"},
                                   {"b.omega", "rad/s"},
                                   {"der(b.y)", "m/s"},
                                   {"der(b.phi)", "rad/s"},
                                   {"der(b.vy)", "m/s^2"},
                                   {"der(b.omega)", "rad/s^2"}})
    EXPECT_EQ(description.table.find(description[name])->unit, unit) << name;
  const Variable& lag = *description.table.find(description["lag"]);
  const Variable& rate = *description.table.find(description["der(lag)"]);
  EXPECT_EQ(rate.dimension, product(lag.dimension, Dimension{{0, 0, 1}}, -1));
  EXPECT_FALSE(rate.unit.empty());
}

// States are reinit that events set, and those that constraints, contacts and norms determine.
TEST(Variables, StatesThatEventsSetAreReinit) {
  const auto marked = [](const std::string& elements, const char* planar = "planar='xy'") {
    const Description d("<mbs name='R' version='1' " + std::string(planar) + ">" + elements +
                        "</mbs>");
    std::set<std::string> names;
    for (const Variable& v : d.table.variables)
      if (v.reinit) names.insert(v.name);
    return names;
  };
  const std::string ball = "<body name='b' mass='1 kg' inertia='1 kg.m^2'/>";
  const std::string free = ball + "<free name='f' a='ground' b='b'/>";
  const std::string absolute = "<solver coordinates='absolute'/>";
  using Names = std::set<std::string>;
  EXPECT_EQ(marked(free), Names());
  EXPECT_EQ(
      marked(free + "<state name='s' start='0 s' der='1'/><state name='r' start='0 s' der='1'/>"
                    "<discrete name='z' start='0'/>"
                    "<event name='e' when='s &gt; 1 s'><set s='0 s' z='z + 1'/></event>"),
      Names{"s"});
  const std::string pin = ball + "<frame name='f' pos='1 m, 0'/><revolute name='j' a='f' b='b'/>";
  EXPECT_EQ(marked(pin + "<solver coordinates='joint'/>"), Names());
  const Names all = {"b.x", "b.y", "b.phi", "b.vx", "b.vy", "b.omega"};
  EXPECT_EQ(marked(pin + absolute), all);
  EXPECT_EQ(marked(free + "<contact name='c' a='ground' b='b' normal='y'/>" + absolute), all);
  EXPECT_EQ(marked("<body name='b' mass='1 kg' inertia='1 kg.m^2, 1 kg.m^2, 1 kg.m^2'/>"
                   "<free name='f' a='ground' b='b'/>" +
                       absolute,
                   ""),
            (Names{"b.x", "b.y", "b.z", "b.e0", "b.e1", "b.e2", "b.e3"}));
}

// Tools that keep tables of an FMU's variables have to see the difference.
TEST(Variables, TokenChangesWithReinit) {
  Description d(test::rig_text);
  const std::string token = interface_hash(d.table);
  Variable& state = d.table.variables[d.table.states.front()];
  state.reinit = !state.reinit;
  EXPECT_NE(interface_hash(d.table), token);
}

}  // namespace
}  // namespace mbs
