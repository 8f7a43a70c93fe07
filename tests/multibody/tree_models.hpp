#pragma once

// Mechanisms that have every kind of joint in and outside a spanning tree, forwards and backwards,
// with all outputs of their bodies and joints.

#include <string>
#include <vector>

namespace mbs::test {

struct TreeModel {
  std::string name, text;
  double end;  // of a comparison in motion
};

std::vector<TreeModel> tree_models();

}  // namespace mbs::test
