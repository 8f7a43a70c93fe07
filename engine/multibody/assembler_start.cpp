// Conditions on the start that are expressions, and rows that are left out by name.

#include <algorithm>
#include <cmath>

#include "engine/multibody/assembler.hpp"

namespace mbs {

template <class Space>
const DroppedReactions* Assembler<Space>::dropped_of(const JointData& joint) const {
  const auto found =
      std::find_if(model_.drops.begin(), model_.drops.end(),
                   [&](const DroppedReactions& drop) { return drop.element == joint.element; });
  return found == model_.drops.end() ? nullptr : &*found;
}

// The next row of a joint holds it along or about an axis of its side a.
template <class Space>
void Assembler<Space>::record(const JointData& joint, bool moment, int axis) {
  if (dropped_of(joint) == nullptr) return;
  reaction_rows_.push_back({joint.element, mechanism_->rows, joint.a, axis, moment});
}

// The rows that <drop> means: those along and about the axes of frame a.
template <class Space>
void Assembler<Space>::name_rows() {
  if (model_.drops.empty()) return;
  Mechanism<Space>& m = *mechanism_;
  const std::vector<double> values = parameter_start_values(model_);
  Parameters parameters{Eigen::Map<const Vector>(values.data(), static_cast<long>(values.size())),
                        Vector::Zero(m.derived_size())};
  if (!m.derive(parameters).message.empty()) return;  // reported when the equations are made
  static constexpr std::array<std::string_view, 6> keywords{"fx", "fy", "fz", "mx", "my", "mz"};
  const auto keyword_of = [](int component) {
    return Space::dim == 2 && component == 5
               ? std::string("m")
               : std::string(keywords[static_cast<std::size_t>(component)]);
  };
  for (const DroppedReactions& drop : model_.drops) {
    const Element& e = model_.elements[static_cast<std::size_t>(drop.element)];
    const FrameConstants<Space> frame = m.frame(parameters.derived.data(), this->frame(e, "a"));
    std::array<int, 6> rows{-1, -1, -1, -1, -1, -1};
    std::string has;
    for (const ReactionRow& row : reaction_rows_) {
      if (row.element != drop.element) continue;
      if (row.moment && Space::dim == 2) {
        rows[5] = row.row;
        continue;
      }
      const auto axis =
          axis_of(m.frame(parameters.derived.data(), row.frame).R, row.axis % Space::dim);
      for (int k = 0; k < Space::dim; ++k) {
        if (std::abs(dot(axis, axis_of(frame.R, k))) < 1.0 - 1e-9) continue;
        rows[static_cast<std::size_t>(row.moment ? 3 + k : k)] = row.row;
      }
    }
    for (int k = 0; k < 6; ++k) {
      if (rows[static_cast<std::size_t>(k)] >= 0) has += (has.empty() ? "" : " ") + keyword_of(k);
    }
    for (int k = 0; k < 6; ++k) {
      if (!drop.components[static_cast<std::size_t>(k)]) continue;
      if (const int row = rows[static_cast<std::size_t>(k)]; row >= 0) {
        if (std::find(m.named_rows.begin(), m.named_rows.end(), row) == m.named_rows.end()) {
          m.named_rows.push_back(row);
        }
        continue;
      }
      diagnostics_.error(drop.place, "no-such-reaction",
                         title(e) + " has no reaction '" + keyword_of(k) +
                             "' of its own along or about an axis of its frame a",
                         has.empty() ? "nothing of this joint can be left out"
                                     : "it has " + has +
                                           "; turn frame a so that its axes are "
                                           "those of the joint");
    }
  }
}

// They take the turns of angles in space that are nearest to the start values, and need no counter.
template <class Space>
void Assembler<Space>::add_conditions() {
  const std::vector<char> used = value_used_;
  for (const InitialCondition& from : model_.conditions) {
    Condition condition;
    condition.name = from.name;
    condition.guess = from.guess;
    condition.target = add_slot(from.equals, "condition '" + from.name + "'");
    condition.law = add_law(from.value);
    auto& list =
        from.of_velocities ? mechanism_->velocity_conditions : mechanism_->position_conditions;
    if (condition.law != absent) list.push_back(condition);
  }
  value_used_ = used;
}

template class Assembler<Planar>;
template class Assembler<Spatial>;

}  // namespace mbs
