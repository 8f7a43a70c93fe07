// The redundant chain: ranks are revealed by sparse QR. The same chain in the plane has no
// redundant rows, and its reactions in the plane are the same.

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <cstdio>

#include "engine/integrators/radau/integrator.hpp"
#include "tests/multibody/redundant_chain.hpp"

namespace mbs::test {
namespace {

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
  space.model->residual(space.model.context(), x, *ws);
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
  const auto fresh = make_integrator("radau", *one.model, one.model.context(), options);
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

}  // namespace
}  // namespace mbs::test
