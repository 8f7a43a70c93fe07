// Robot descriptions move as the same mechanisms written by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

constexpr const char* gravity = "<gravity g='0, 0, -9.81 m/s^2'/>";

std::string model_with(const std::string& attributes, const std::string& sets,
                       const std::string& lines) {
  return spatial(std::string(gravity) + "<import name='r' " + attributes + ">" + sets +
                 "</import>" + lines);
}

// The outputs of a model, which may name robots of the tests, from 0 to 1 s.
std::vector<std::vector<double>> outputs(const std::string& text) {
  Diagnostics diagnostics;
  const Model model =
      read_model_text(text, std::string(MBS_ROBOT_FILES) + "/test.mbs.xml", diagnostics);
  const auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(diagnostics.ok() && equations) << diagnostics.text();
  std::vector<std::vector<double>> rows;
  if (!equations) return rows;
  CoSimulationDriver simulation(std::shared_ptr<const Equations>(equations),
                                solver_choice(model.solver));
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.text();
  for (int k = 0; k <= 10; ++k) {
    if (k > 0) simulation.advance(0.1 * k);
    rows.emplace_back();
    for (std::size_t i = 0; i < model.outputs.size(); ++i) {
      rows.back().push_back(simulation.output(static_cast<int>(i)));
    }
  }
  return rows;
}

void expect_near(const std::vector<std::vector<double>>& a,
                 const std::vector<std::vector<double>>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      EXPECT_NEAR(a[k][i], b[k][i], tolerance) << "output " << i << " at point " << k;
    }
  }
}

std::string looked_at(const std::string& of) {
  std::string lines;
  for (const std::string joint : {"shoulder", "elbow"}) {
    lines += "<output name='" + joint + "_q' of='" + of + joint + "' quantity='q'/><output name='" +
             joint + "_a' of='" + of + joint + "' quantity='qdd'/>";
  }
  for (const char* c : {"x", "y", "z"}) {
    lines += std::string("<output name='") + c + "' of='" + of +
             "tool' quantity='position' component='" + c + "'/>";
  }
  return lines + "<output name='e' quantity='energy'/>";
}

constexpr const char* starts =
    "<set shoulder_q0='20 deg' elbow_q0='-0.5 rad' elbow_qd0='1 rad/s'/>";

// To the last bit: the inertia of the lower link is turned by hand, with the same two lines.
TEST(Urdf, TwoLinksAreThoseWrittenByHand) {
  const double c = std::cos(0.5), s = std::sin(0.5);
  const double xx = 0.004, yy = 0.003, zz = 0.002, xz = 0.0001;
  char inertia[300];
  std::snprintf(inertia, sizeof inertia, "%.17g, %.17g, %.17g, %.17g, %.17g, %.17g",
                c * (xx * c) + s * (yy * s), s * (xx * s) + c * (yy * c), zz,
                s * (xx * c) - c * (yy * s), c * xz, s * xz);
  const std::string by_hand =
      spatial(std::string(gravity) +
              "<frame name='base'/>"
              "<body name='upper' mass='2 kg' com='0, 0, 0.15' inertia='0.015, 0.015, 0.001'/>"
              "<frame name='fixed_end' on='base' pos='0, 0, 0.4' rot='0.1, 0, 0'/>"
              "<revolute name='shoulder' a='fixed_end' b='upper' axis='0, 1, 0' q='20 deg' "
              "qd='0' damping='0.1'/>"
              "<body name='lower' mass='1 kg' com='0, 0, 0.1' inertia='" +
              inertia +
              "'/><frame name='end' on='upper' pos='0, 0.05, 0.3'/>"
              "<revolute name='elbow' a='end' b='lower' axis='0, 0.6, 0.8' q='-0.5 rad' "
              "qd='1 rad/s'/>"
              "<frame name='tool' on='lower' pos='0, 0, 0.25' rot='0, 1.5, 0'/>" +
              looked_at(""));
  const auto written = outputs(by_hand),
             imported = outputs(model_with("file='arm.urdf'", starts, looked_at("r.")));
  ASSERT_EQ(written.size(), 11u);
  EXPECT_GT(std::fabs(written[10][0] - written[0][0]), 0.1);  // it moves
  expect_near(written, imported, 0.0);
}

TEST(Urdf, WeldedAndMergedLinksMoveTheSame) {
  std::string lines;
  for (const char* name : {"r._1st_joint.q", "r.ice_u.q", "r.ice.q", "r.flight.z", "r.hinge.q"}) {
    lines += "<output name='o" + std::to_string(lines.size()) + "' value='" + name + "'/>";
  }
  lines +=
      "<output name='lens' of='r.lens' quantity='position' component='x'/>"
      "<output name='e' quantity='energy'/><force on='r.puck' value='1 N, 2 N, 0 N'/>"
      "<torque on='r.puck' value='0 N.m, 0 N.m, 0.1 N.m'/>"
      "<solver rtol='1e-9' atol='1e-10'/>";
  const std::string sets = "<set _1st_joint_q0='0.3 rad' _1st_joint_qd0='1 rad/s'/>";
  const std::string free = "file='every_tag.urdf' limits='none' friction='none'";
  const auto merged = outputs(model_with(free, sets, lines)),
             welded = outputs(model_with(free + " fixed_joints='weld'", sets, lines));
  expect_near(merged, welded, 1e-7);
  EXPECT_GT(std::fabs(merged[10][1]), 0.05);
  EXPECT_NEAR(merged[10][3], -0.5 * 9.81, 1e-7);  // it falls
}

// The slide follows by -2 m/rad + 0.25 m, the lid 3 rad/m of that.
TEST(Urdf, MimicsFollow) {
  const auto rows = outputs(model_with(
      "file='every_tag.urdf'", "<set _1st_joint_q0='0.3 rad' _1st_joint_qd0='1 rad/s'/>",
      "<output name='a' value='r._1st_joint.q'/><output name='b' value='r.time_joint.q'/>"
      "<output name='c' value='r.hinge.q'/><output name='d' value='r.time_joint.qd'/>"
      "<output name='e' value='r._1st_joint.qd'/>"));
  for (const auto& row : rows) {
    EXPECT_NEAR(row[1], 0.25 - 2 * row[0], 1e-12);
    EXPECT_NEAR(row[2], 3 * row[1], 1e-12);
    EXPECT_NEAR(row[3], -2 * row[4], 1e-12);
  }
  // The first joint comes to its upper limit and goes no further.
  double most = 0.0;
  for (const auto& row : rows) most = std::max(most, row[0]);
  EXPECT_NEAR(most, 1.0, 1e-9);
  EXPECT_NEAR(rows[0][0], 0.3, 1e-12);
  EXPECT_NEAR(rows[0][4], 1.0, 1e-12);
}

}  // namespace
}  // namespace mbs::test
