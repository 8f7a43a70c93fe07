// Joint and mixed coordinates: exact Jacobians against differences at points off the constraints,
// G = g_p Z, gamma; and the derivatives of the accelerations.

#include <gtest/gtest.h>

#include "engine/multibody/assemble.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/multibody/tree_models.hpp"

namespace mbs::test {
namespace {

struct Case {
  TreeModel model;
  std::string coordinates;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.model.name << " " << c.coordinates;
}

class TreeDerivatives : public testing::TestWithParam<Case> {};

TEST_P(TreeDerivatives, AreExact) {
  const Assembled model(GetParam().model.text, GetParam().coordinates);
  for (int seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    State x = random_state(*model, seed);
    x.z.setZero();  // whole turns
    expect_exact_derivatives(model, x, 1e-7);
    expect_exact_friction(model, x);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const TreeModel& model : tree_models()) {
    for (const char* coordinates : {"joint", "mixed"}) all.push_back({model, coordinates});
  }
  return all;
}

const auto name_of = [](const auto& info) {
  return info.param.model.name + "_" + info.param.coordinates;
};
INSTANTIATE_TEST_SUITE_P(Every, TreeDerivatives, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace mbs::test
