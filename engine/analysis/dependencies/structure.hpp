#pragma once

// All of a mechanism: its rows, states, outputs, switching functions, and what its start has to
// meet.

#include "engine/analysis/dependencies/rows.hpp"

namespace mbs {

template <class Space>
class StructureTracer final : public RowTracer<Space> {
 public:
  using Base = RowTracer<Space>;
  using Base::body_of;
  using Base::law;
  using Base::load;
  using Base::mechanism;
  using Base::motion;
  using Base::multiplier;
  using Base::optional;
  using Base::variable;
  using Base::x;
  using RowTracer<Space>::RowTracer;
  StructureTrace run();

 private:
  using Base::auxiliary_;
  using Base::coordinate_;
  using Base::coordinates_;
  using Base::emit;
  using Base::graph;
  using Base::measures_;
  using Base::node_of;
  using Base::open_scope;
  using Base::places_in_tree_;
  using Base::potential_;
  using Base::trace_;
  using typename Base::Block;
  using typename Base::Coordinate;
  void add_laws();
  void add_outputs();
  Traced output(const OutputData& data);
  Traced energy(const OutputData& data);
  bool is_euler_parameter(int p) const;
  void add_indicators();
  void add_start();
  void add_row_conditions();
  void add_joint_conditions();
  void add_remembered();
  void add_start_conditions(const std::vector<Condition>& conditions, bool of_rate);
  void add_assemblies();
  void add_coordinates_of(std::size_t body, StructureTrace::Assembly& to) const;
};

}  // namespace mbs
