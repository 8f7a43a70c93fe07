// A chain of parallelograms in space, each hinged to the coupler above it by parallel revolutes:
// three redundant rows each, so many that ranks are revealed by sparse QR. The same chain in the
// plane has none, and its reactions in the plane are the same.

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <sstream>

#include "engine/integrators/radau/radau.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

std::string chain(int cells, bool in_space) {
  std::ostringstream text;
  const std::string z = in_space ? ", 0" : "", axis = in_space ? " axis=\"z\"" : "";
  const std::string thin = in_space ? "0.03, 0.01, 0.03" : "0.03";
  const std::string bar = in_space ? "0.1, 0.5, 0.5" : "0.5";
  text << "<gravity g=\"0, -9.81" << z << "\"/><frame name=\"left\" pos=\"0, 0" << z
       << "\"/><frame name=\"right\" pos=\"2, 0" << z << "\"/>\n";
  for (int i = 1; i <= cells; ++i) {
    const std::string k = std::to_string(i), above = "coupler" + std::to_string(i - 1);
    const std::string left = i == 1 ? "left" : above + ".left";
    const std::string right = i == 1 ? "right" : above + ".right";
    for (const std::string crank : {"one", "two"}) {
      text << "<body name=\"" << crank << k << "\" mass=\"0.3\" com=\"0, -0.5" << z
           << "\" inertia=\"" << thin << "\"><frame name=\"tip\" pos=\"0, -1" << z
           << "\"/></body>\n";
    }
    text << "<body name=\"coupler" << k << "\" mass=\"2\" com=\"1, 0" << z << "\" inertia=\"" << bar
         << "\"><frame name=\"left\" pos=\"0, 0" << z << "\"/><frame name=\"right\" pos=\"2, 0" << z
         << "\"/></body>\n";
    const double q = 0.5 * std::cos(i);
    const auto revolute = [&](const char* name, const std::string& a, const std::string& b,
                              double angle, const char* target) {
      text << "<revolute name=\"" << name << k << "\" a=\"" << a << "\" b=\"" << b << "\"" << axis
           << " q=\"" << angle << "\"" << target << "/>\n";
    };
    revolute("a", left, "one" + k, q, " target=\"exact\"");
    revolute("b", right, "two" + k, q, "");
    revolute("c", "one" + k + ".tip", "coupler" + k + ".left", -q, "");
    revolute("d", "two" + k + ".tip", "coupler" + k + ".right", -q, "");
  }
  text << "<output name=\"x\" of=\"coupler" << cells
       << "\" quantity=\"position\" component=\"x\"/>\n"
          "<output name=\"fx\" of=\"a1\" quantity=\"reaction\" component=\"fx\" in=\"ground\"/>\n"
          "<output name=\"fy\" of=\"a1\" quantity=\"reaction\" component=\"fy\" in=\"ground\"/>\n"
          "<solver redundancy=\""
       << (in_space ? "minimum_norm" : "error") << "\"/>";
  return in_space ? spatial(text.str()) : planar(text.str());
}

struct ChainRun {
  ChainRun(int cells, bool in_space, const std::string& method, double tolerance)
      : model(chain(cells, in_space)), start(model.start()) {
    IntegratorOptions options;
    options.rtol = options.atol = tolerance;
    integrator = make_integrator(method, *model, model.given(), options);
    integrator->start(start);
  }
  void advance(double t) {
    while (integrator->state().t < t) integrator->step(t);
  }
  Assembled model;
  State start;
  std::unique_ptr<Integrator> integrator;
};

TEST(RedundantChain, MovesAsInThePlaneWithItsReactions) {
  constexpr int cells = 6;
  ChainRun space(cells, true, "radau", 1e-8), plane(cells, false, "extrapolation", 1e-10);
  const std::string text = space.integrator->describe();
  EXPECT_NE(text.find("sparse"), std::string::npos) << text;
  EXPECT_NE(text.find("18 constraints are redundant: multipliers of least norm"), std::string::npos)
      << text;
  space.advance(1.0);
  plane.advance(1.0);
  const State& x = space.integrator->state();
  const State& y = plane.integrator->state();
  EXPECT_NEAR(space.model.output(x, "x"), plane.model.output(y, "x"), 1e-6);
  EXPECT_NEAR(space.model.output(x, "fx"), plane.model.output(y, "fx"), 1e-4);
  EXPECT_NEAR(space.model.output(x, "fy"), plane.model.output(y, "fy"), 1e-4);
  const auto ws = space.model->make_workspace();
  space.model->residual(space.model.given(), x, *ws);
  const JacobianLayout at(space.model->sizes());
  EXPECT_LT(ws->residual.tail(at.rows - at.velocity).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(ws->residual.segment(at.dynamics, x.v.size()).cwiseAbs().maxCoeff(), 1e-8);
  // of least norm: no other solution of G^T lambda = force is shorter
  const Matrix G = ws->G;
  const Vector least =
      G.transpose().completeOrthogonalDecomposition().solve(G.transpose() * x.lambda);
  EXPECT_LT((x.lambda - least).norm(), 1e-6 * least.norm());
}

TEST(RedundantChain, RestoredIsAsIfNeverStopped) {
  ChainRun one(6, true, "radau", 1e-6), other(6, true, "radau", 1e-6);
  for (int i = 0; i < 8; ++i) one.integrator->step(3.0);
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  one.integrator->save(out);
  IntegratorOptions options;
  options.rtol = options.atol = 1e-6;
  const auto fresh = make_integrator("radau", *one.model, one.model.given(), options);
  ByteReader in(bytes);
  fresh->restore(in);
  EXPECT_TRUE(in.at_end());
  for (int i = 0; i < 8; ++i) {
    one.integrator->step(3.0);
    fresh->step(3.0);
    ASSERT_EQ(one.integrator->state().p, fresh->state().p) << "step " << i;
    ASSERT_EQ(one.integrator->state().lambda, fresh->state().lambda) << "step " << i;
  }
}

// Processor time of a step, the least of some.
double cost_of_step(int cells) {
  ChainRun run(cells, true, "radau", 1e-5);
  for (int i = 0; i < 3; ++i) run.integrator->step(10.0);
  double least = 1e9;
  for (int i = 0; i < 6; ++i) {
    const std::clock_t begin = std::clock();
    run.integrator->step(10.0);
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  std::printf("%d parallelograms, %d redundant rows: %.2f ms a step\n", cells, 3 * cells,
              1e3 * least);
  return least;
}

TEST(RedundantChain, CostOfAStepIsLinearInItsLength) {
  const double few = cost_of_step(16), many = cost_of_step(64);
  EXPECT_LT(many, 4.0 * 1.75 * few);
}

}  // namespace
}  // namespace mbs::test
