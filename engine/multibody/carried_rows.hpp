#pragma once

// Rows that act on the bodies' velocities, carried to joint coordinates: a row is a wrench on each
// body, which goes back to the ground joint by joint and leaves S^T W at each.

#include "engine/multibody/tree/tree_workspace.hpp"

namespace mbs {

template <class Space>
class CarriedRows {
 public:
  using Own = TreeWorkspace<Space>;

  // mechanism: without the rows of the joints in the tree.
  CarriedRows(const Tree<Space>& tree, const Mechanism<Space>& mechanism)
      : tree_(tree), m_(mechanism) {}

  void fill_G(const Evaluation<Space>&, const Own&, Fill&) const;
  void rows(const RowSparse& rows, const Own&, RowSparse& carried) const;
  void columns(const ColumnSparse& F, const Own&, ColumnSparse& carried) const;
  RowSparse pattern(const RowSparse& rows) const;

 private:
  template <class Function>
  void to_ground(const Own& ws, int node, DoubleScrew<Space> wrench, const Function& use) const;
  DoubleScrew<Space> at_own_frame(const Own& ws, int node, const Vec<double, Space::dim>& linear,
                                  const Vec<double, Space::rot>& angular) const;
  template <class Sparse, class Entry>
  void carry_wrenches(const Sparse& wrenches, const Own& ws, const Entry& entry) const;
  void carry(const Own& ws, int number, DoubleScrew<Space> at_a, int a, DoubleScrew<Space> at_b,
             int b, bool further, Fill& fill) const;
  int node_of_column(int column) const;

  const Tree<Space>& tree_;
  const Mechanism<Space>& m_;
};

extern template class CarriedRows<Planar>;
extern template class CarriedRows<Spatial>;

}  // namespace mbs
