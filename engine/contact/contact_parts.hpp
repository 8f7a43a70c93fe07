#pragma once

// What the parts of Contacts have in common.

#include <algorithm>
#include <span>

#include "engine/base/types.hpp"

namespace mbs::contact_parts {

constexpr double nothing = 1e-10;   // part of the largest force or acceleration
constexpr double unresolved = 1e3;  // times the speed that cannot be told from 0

inline bool contains(std::span<const int> list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

inline double largest(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace mbs::contact_parts
