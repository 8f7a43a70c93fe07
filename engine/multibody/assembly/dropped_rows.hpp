#pragma once

// <drop> names reactions of a joint; the rows of the joint that have them are left out.

#include "engine/multibody/mechanism.hpp"

namespace mbs {

template <class Space>
class DroppedRows {
 public:
  explicit DroppedRows(const Model& model) : model_(model) {}

  bool concern(const JointData& joint) const;
  // A row of such a joint holds it along or about an axis of its side a.
  void record(const JointData& joint, int row, bool moment, int axis);
  // Finds the rows of the reactions along and about the axes of frame a: Mechanism::named_rows.
  void name_rows(Mechanism<Space>& mechanism, Diagnostics& diagnostics) const;

 private:
  struct ReactionRow {
    int element, row, frame, axis;
    bool moment;
  };
  using Rows = std::array<int, 6>;  // of the forces, then the moments; -1: there is none
  Rows rows_of(const DroppedReactions&, const Mechanism<Space>&, const double* derived) const;

  const Model& model_;
  std::vector<ReactionRow> rows_;
};

}  // namespace mbs
