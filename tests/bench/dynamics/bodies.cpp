#include "tests/bench/dynamics/bodies.hpp"

namespace mbs::bench {

namespace {

Link link(int parent, int number, Point at) {
  const double size = 1.0 + 0.1 * (number % 5);
  return {parent,
          at,
          number % 3,
          0.5 * size,
          {0.05, 0.01, -0.04},
          {0.002 * size, 0.003, 0.0025 * size}};
}

}  // namespace

Bodies make_chain(int n) {
  Bodies all{"chain", false, {}};
  for (int i = 0; i < n; ++i) {
    all.links.push_back(link(i - 1, i, i == 0 ? Point{} : Point{0.1, 0.02, 0.0}));
  }
  return all;
}

Bodies make_tree(int n) {
  Bodies all{"tree", false, {}};
  for (int i = 0; i < n; ++i) {
    const double side = i % 2 == 0 ? 0.05 : -0.05;
    all.links.push_back(link((i + 1) / 2 - 1, i, i == 0 ? Point{} : Point{0.1, side, 0.0}));
  }
  return all;
}

Bodies make_humanoid(int n) {
  Bodies all{"humanoid", true, {}};
  all.links.push_back(link(-1, 0, {}));
  const int part = n / 5;
  const auto limb = [&](int from, Point at, int count) {
    for (int i = 0; i < count; ++i) {
      const int number = static_cast<int>(all.links.size());
      all.links.push_back(
          link(i == 0 ? from : number - 1, number, i == 0 ? at : Point{0, 0, -0.1}));
    }
    return static_cast<int>(all.links.size()) - 1;
  };
  const int neck = limb(0, {0, 0, 0.1}, part - 1);
  limb(neck, {0, 0.2, 0}, part);
  limb(neck, {0, -0.2, 0}, part);
  limb(0, {0, 0.1, -0.1}, part);
  limb(0, {0, -0.1, -0.1}, part);
  return all;
}

}  // namespace mbs::bench
