#pragma once

// The quantities that outputs and measures can show: for the reader and the manual.

#include <span>
#include <string_view>

#include "engine/model/model.hpp"

namespace mbs {

enum class Target : unsigned char {
  frame,
  joint_coordinate,
  joint,
  force,
  event,
  body_or_all,
  none
};
enum class Components : unsigned char {
  vector,
  axial,
  orientation,
  wrench,
  coordinate,
  values,  // of a force: those its tag lists
  none,
  keyword
};

struct QuantitySchema {
  std::string_view keyword;
  Quantity quantity;
  Target target;
  Components components;
  std::string_view dimension;  // SI unit; "?": that of the joint's coordinate
  int time_derivatives;        // of a joint's coordinate
  std::string_view doc;
};

// Keywords for `component` of an output that put out several at once, as name[1], name[2], ... or,
// of a matrix, name[1,1], name[1,2], ...
struct ComponentGroup {
  Components components;
  std::string_view keyword;
  bool planar, spatial;  // where there is one
  int first;             // component
  int count;             // in the plane: one less of a vector
  bool matrix;           // 3 by 3
  std::string_view doc;
};
std::span<const ComponentGroup> component_groups();

std::span<const QuantitySchema> quantity_schema();

// Counters of the integrator, those that its Statistics know; and which of them are no whole
// numbers.
constexpr std::string_view statistics =
    "steps|rejected|failed|matrix_evaluations|force_evaluations|jacobians|factorisations|solves|"
    "projections|selectors|starts|last_step|last_order|updates|cycles|cycle_steps|refreshes_failed|"
    "refreshes_slow|refreshes_step|contraction|operations|simulation_rate";
constexpr std::string_view real_statistics = "last_step|contraction|operations|simulation_rate";

}  // namespace mbs
