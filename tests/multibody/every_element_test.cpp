// Every element that the schema knows, from its example in the manual: exact Jacobian blocks,
// G = g_p Z, gamma, df/dlambda against differences, in every choice of coordinates; and directional
// derivatives of accelerations, multipliers and outputs. A new element is looked at without another
// line here.

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/analysis/tangent.hpp"
#include "engine/equations/input_filter_states.hpp"
#include "engine/model/schema.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

struct Case {
  std::string tag, text, coordinates;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.tag << " " << c.coordinates;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const TagSchema& tag : schema()) {
    const bool element = tag.role == TagRole::joint || tag.role == TagRole::force ||
                         tag.role == TagRole::body || tag.role == TagRole::frame ||
                         tag.role == TagRole::variable;
    if (!element) continue;
    const std::string example(tag.example);
    const std::string text =
        tag.space == SpaceSupport::spatial ? spatial(example) : planar(example);
    for (const char* coordinates : {"absolute", "joint", "mixed"}) {
      all.push_back({std::string(tag.name), text, coordinates});
    }
  }
  return all;
}

class EveryElement : public testing::TestWithParam<Case> {};

// Next to the start: off the constraints, in motion, with forces, away from where springs are slack
// and valves closed. A screw finds the turn of its thread from the position: it stays near.
State state_near_start(const Assembled& model, int seed) {
  const State random = random_state(*model, seed);
  State x = model->initial(model.context(), 0.0);
  const auto near = [](Vector& to, const Vector& by, double size) {
    for (Eigen::Index i = 0; i < to.size(); ++i)
      to[i] += size * std::max(1.0, std::abs(to[i])) * by[i];
  };
  const auto& elements = model.model.elements;
  const bool screw = std::any_of(elements.begin(), elements.end(),
                                 [](const Element& e) { return e.tag->name == "screw"; });
  near(x.p, random.p, screw ? 1e-3 : 0.05);
  model->normalise(x);
  near(x.v, random.v, 0.2);
  near(x.r, random.r, 0.05);
  near(x.w, random.w, 0.05);
  near(x.s, random.s, 0.05);
  x.a = random.a;
  x.lambda = random.lambda;
  x.t = 0.123;
  return x;
}

TEST_P(EveryElement, HasExactJacobians) {
  const Assembled model(GetParam().text, GetParam().coordinates);
  for (int seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(seed);
    const State x = state_near_start(model, seed);
    expect_exact_derivatives(model, x, 1e-6);
    expect_exact_friction(model, x);
  }
}

// d(a, lambda, s, y) along a direction of (p, v, r, u); contact points s follow p, and what lags
// remember follows p and v.
TEST_P(EveryElement, HasDirectionalDerivatives) {
  const Assembled model(GetParam().text, GetParam().coordinates);
  const Sizes& n = model->sizes();
  if (n.v == 0) return;
  State x = state_near_start(model, 3);
  set_filters_to_motion(*model, model.context(), x, *model.ws);
  if (n.s > 0) {
    ASSERT_TRUE(model->solve_auxiliary(model.context(), x, *model.ws));
  }
  model.solve(x);
  const State along = random_state(*model, 8);
  Variation change(n);
  change.v = along.v;
  change.r = along.r;
  change.u = Vector::LinSpaced(n.u, 0.3, 0.9);
  model->apply_Z(model.context(), x, along.a, change.p);
  Tangent tangent(*model);
  tangent.evaluate(model.context(), x);
  tangent.complete(change);
  Vector dy = Vector::Zero(n.y);
  tangent.outputs(model.context(), change, dy);
  const auto moved = [&](double h) {
    State there = x;
    there.p += h * change.p;
    there.v += h * change.v;
    there.r += h * change.r;
    Inputs inputs = model.inputs;
    inputs.value += h * change.u;
    const Context context{inputs, model.parameters};
    const auto solver = model->make_solver("auto");
    set_filters_to_motion(*model, context, there, *model.ws);
    if (n.s > 0) {
      EXPECT_TRUE(model->solve_auxiliary(context, there, *model.ws));
    }
    EXPECT_TRUE(solve_accelerations(*model, context, there, *model.ws, *solver));
    model.ws->y.setZero();
    model->outputs(context, there, *model.ws);
    Vector all(n.v + n.lambda + n.s + n.y);
    all << there.a, there.lambda, there.s, model.ws->y;
    return all;
  };
  const auto central = [&](double h) { return Vector((moved(h) - moved(-h)) / (2.0 * h)); };
  constexpr double h = 1e-5;
  const Vector difference = (4.0 * central(h / 2) - central(h)) / 3.0;
  Vector exact(difference.size());
  exact << change.a, change.lambda, change.s, dy;
  const double size = moved(0.0).lpNorm<Eigen::Infinity>() + exact.lpNorm<Eigen::Infinity>();
  EXPECT_LT((exact - difference).lpNorm<Eigen::Infinity>(), 1e-6 * (1.0 + size));
}

INSTANTIATE_TEST_SUITE_P(Every, EveryElement, testing::ValuesIn(cases()), [](const auto& tested) {
  return tested.param.tag + "_" + tested.param.coordinates;
});

}  // namespace
}  // namespace mbs::test
