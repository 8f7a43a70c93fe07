#pragma once

// Elements whose forces are those of rows of G: they add nothing to f, and show -lambda.

#include "engine/multibody/fill.hpp"
#include "engine/multibody/forces.hpp"

namespace mbs {

// row_of(mechanism, element, number): the row whose force is that number; absent: there is none.
template <class Space, int (*row_of)(const Mechanism<Space>&, int, int)>
class RowForces final : public Forces<Space> {
 public:
  std::vector<int> elements;

  int row(const Mechanism<Space>& mechanism, int index, int which) const {
    return row_of(mechanism, elements[static_cast<std::size_t>(index)], which);
  }

  void add(const Evaluation<Space>&, double*, double*) const override {}
  void add_jacobian(const Evaluation<Space>&, Fill&) const override {}
  void add_law_jacobian(const Evaluation<Space>&, Fill&) const override {}
  double value(const Evaluation<Space>& at, int index, int which) const override {
    const int row = row_of(at.mechanism, elements[static_cast<std::size_t>(index)], which);
    return row < 0 ? 0.0 : -at.x.lambda[row];
  }
  void value_gradient(const Evaluation<Space>& at, int index, int which,
                      const OutputRow& to) const override {
    const int row = row_of(at.mechanism, elements[static_cast<std::size_t>(index)], which);
    if (row >= 0) to(at.layout.col_lambda + row, -1.0);
  }
};

template <class Space>
int drive_force_row(const Mechanism<Space>& m, int drive, int) {
  return m.drives[static_cast<std::size_t>(drive)].row;
}
// normal, along, across
template <class Space>
int rolling_force_row(const Mechanism<Space>& m, int rolling, int which) {
  const RollingData& r = m.rolling[static_cast<std::size_t>(rolling)];
  if (r.kind == RollingData::Kind::edge) return r.slip;
  return which == 0 ? r.normal : which <= r.slips ? r.slip + which - 1 : absent;
}
template <class Space>
int guide_force_row(const Mechanism<Space>& m, int guide, int) {
  return m.guides[static_cast<std::size_t>(guide)].row;
}
template <class Space>
using DriveForces = RowForces<Space, &drive_force_row<Space>>;
template <class Space>
using RollingForces = RowForces<Space, &rolling_force_row<Space>>;
template <class Space>
using GuideForces = RowForces<Space, &guide_force_row<Space>>;

}  // namespace mbs
