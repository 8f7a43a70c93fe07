// linearize, eigen, statics and energy as a person uses them.

#include <cstdlib>

#include "tests/tools/mbsfmu/command_line.hpp"

namespace mbs::test {
namespace {

constexpr const char* swing = R"(<?xml version="1.0"?>
<mbs name="Swing" version="1" planar="xy">
  <input name="M" unit="N.m"/>
  <gravity g="0, -9.81 m/s^2"/>
  <body name="rod" mass="2 kg" com="0.4 m, 0" inertia="0.15 kg.m^2"/>
  <revolute name="hinge" a="ground" b="rod" q="-60 deg" damping="0.1 N.m.s/rad"/>
  <torque name="drive" joint="hinge" value="M"/>
  <output name="phi" of="hinge" quantity="q" unit="deg"/>
  <solver stop_time="3 s" rtol="1e-9" atol="1e-9"/>
</mbs>)";

class Analysis : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("swing.mbs.xml", swing);
  }
};

TEST_F(Analysis, ModesAreTextJsonOrCsv) {
  const Outcome text = mbsfmu("eigen swing.mbs.xml --statics");
  EXPECT_EQ(text.exit_code, 0) << text.text;
  EXPECT_TRUE(says(text, "0.650355"));  // sqrt(7.848 / 0.47) / 2 pi
  for (const char* other : {"joint", "mixed"}) {
    const Outcome same =
        mbsfmu(std::string("eigen swing.mbs.xml --statics --set solver.coordinates=") + other);
    EXPECT_EQ(same.exit_code, 0) << same.text;
    EXPECT_TRUE(says(same, "0.650355")) << other;
  }
  const Outcome json = mbsfmu("eigen swing.mbs.xml --statics --format json -o m.json");
  EXPECT_EQ(json.exit_code, 0) << json.text;
  EXPECT_NE(content("m.json").find("\"modes\": {\"columns\": [\"mode\", \"frequency [Hz]\""),
            std::string::npos);
  const Outcome csv = mbsfmu("linearize swing.mbs.xml --statics --format csv");
  EXPECT_TRUE(says(csv, "A of,"));
  EXPECT_TRUE(says(csv, "\nphi,"));
}

TEST_F(Analysis, StatesThatAreNoEquilibriumAreRefused) {
  const Outcome refused = mbsfmu("eigen swing.mbs.xml");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(says(refused, "is not in equilibrium"));
  EXPECT_TRUE(says(refused, "--statics"));
  EXPECT_EQ(mbsfmu("eigen swing.mbs.xml --moving").exit_code, 0);
  EXPECT_EQ(mbsfmu("linearize swing.mbs.xml --moving --time 0.5").exit_code, 0);
}

TEST_F(Analysis, StaticsFollowAnInput) {
  const Outcome run = mbsfmu("statics swing.mbs.xml --set M=3.924 --format csv");
  EXPECT_EQ(run.exit_code, 0) << run.text;
  EXPECT_TRUE(says(run, "\nphi,-1.0471975"));  // sin = 3.924 / 7.848 past straight down
  EXPECT_TRUE(says(run, "stability,stable: no mode grows"));
}

TEST_F(Analysis, TheStartOfTheFileCanBeStatics) {
  std::string model = swing;
  model.insert(model.find("<solver"), "<init method=\"statics\"/>\n");
  write("rest.mbs.xml", model);
  const Outcome check = mbsfmu("check rest.mbs.xml");
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_TRUE(says(check, "rod.phi"));
  EXPECT_EQ(mbsfmu("eigen rest.mbs.xml").exit_code, 0);
}

// Rounding errors are no forces that are left.
TEST_F(Analysis, StaticsNeedNoForce) {
  const std::string bars =
      std::string(std::getenv("MBS_SOURCE")) + "/model_templates/four_bar/four_bar.mbs.xml";
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    const Outcome run =
        mbsfmu("statics " + bars + " --format csv --set solver.coordinates=" + coordinates);
    EXPECT_EQ(run.exit_code, 0) << run.text;
    EXPECT_TRUE(says(run, "iterations,0\n")) << run.text;
    EXPECT_TRUE(says(run, "stability,stable: no mode grows")) << run.text;
    EXPECT_TRUE(says(run, "\ncrank_angle,1\n")) << run.text;
  }
}

TEST_F(Analysis, ParametersFoundAtTheStartAreSaid) {
  std::string model = swing;
  model.insert(model.find("<gravity"), "<parameter name=\"hold\" value=\"1 N.m\"/>\n");
  model.replace(model.find("value=\"M\""), 9, "value=\"hold\"");
  model.insert(model.find(" damping"), " target=\"exact\"");
  model.insert(model.find("<solver"), "<trim parameter=\"hold\"/>\n<init method=\"statics\"/>\n");
  write("held.mbs.xml", model);
  const Outcome run = mbsfmu("simulate held.mbs.xml --stop 0.1");
  EXPECT_EQ(run.exit_code, 0) << run.text;
  EXPECT_TRUE(says(run, "Parameters found")) << run.text;
  EXPECT_TRUE(says(run, "hold")) << run.text;
  EXPECT_TRUE(says(run, "3.924")) << run.text;  // 2 * 9.81 * 0.4 cos 60 deg
}

TEST_F(Analysis, EnergyIsBalanced) {
  const Outcome run = mbsfmu("energy swing.mbs.xml --set M=0.5 --format json");
  EXPECT_EQ(run.exit_code, 0) << run.text;
  const std::string key = "relative to the energy in motion\": ";
  const auto at = run.text.find(key);
  ASSERT_NE(at, std::string::npos) << run.text;
  EXPECT_LT(std::abs(std::stod(run.text.substr(at + key.size()))), 1e-7);
}

TEST_F(Analysis, WhatCannotBeDoneIsSaid) {
  write("fall.mbs.xml", R"(<mbs name="F" version="1" planar="xy"><gravity g="0, -9.81"/>
    <body name="stone" mass="1 kg" inertia="1"/></mbs>)");
  const Outcome run = mbsfmu("statics fall.mbs.xml");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "no static equilibrium"));
  EXPECT_TRUE(says(run, "stone"));
  EXPECT_EQ(mbsfmu("eigen").exit_code, 2);
  EXPECT_TRUE(says(mbsfmu("eigen some.fmu"), "needs the model file"));
}

}  // namespace
}  // namespace mbs::test
