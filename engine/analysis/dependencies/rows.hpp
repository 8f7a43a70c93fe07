#pragma once

// The rows of the equations of motion: bodies' inertia, constraints, contacts.

#include "engine/analysis/dependencies/tracer.hpp"

namespace mbs {

template <class Space>
class RowTracer : public Tracer<Space> {
 public:
  using Base = Tracer<Space>;
  using Base::body_of;
  using Base::law;
  using Base::load;
  using Base::mechanism;
  using Base::multiplier;
  using Base::optional;
  using Base::variable;
  using Base::x;
  using Tracer<Space>::Tracer;

 protected:
  using Base::argument;
  using Base::coordinate_;
  using Base::coordinates_;
  using Base::emit;
  using Base::forces_;
  using Base::graph;
  using Base::keep;
  using Base::node_of;
  using Base::open_scope;
  using Base::places_;
  using Base::places_in_tree_;
  using Base::push;
  using Base::push_coordinate;
  using Base::trace_;
  using typename Base::Block;
  using typename Base::Coordinate;
  void add_rows();

 private:
  void add_coordinates();
  void add_joint_rates(std::size_t node);
  void add_inertia();
  // all: those too that cannot be.
  Block accelerations(int body, bool all = false) const;
  void bind(int unknown, const Row<Space, Traced>& row, int a, int b) const;
  void add_row(int number, const Row<Space, Traced>& row, int a, int b, bool of_positions,
               int far = ground);
  void add_coordinate_row(int number, std::span<const std::pair<int, Traced>> terms,
                          const Traced& value, const Traced& rate, const Traced& second,
                          bool of_positions);
  void add_constraints();
  void add_couplings();
  void add_drives();
  void add_guides();
  void add_rolling();
  void add_contacts();
};

}  // namespace mbs
