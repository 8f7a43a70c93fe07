#include "engine/multibody/assembly/dropped_rows.hpp"

#include <algorithm>
#include <cmath>

#include "engine/multibody/assembly/element_reader.hpp"

namespace mbs {

namespace {

template <class Space>
std::string keyword_of(std::size_t component) {
  static constexpr std::array<const char*, 6> keywords{"fx", "fy", "fz", "mx", "my", "mz"};
  return Space::dim == 2 && component == 5 ? "m" : keywords[component];
}

}  // namespace

template <class Space>
bool DroppedRows<Space>::concern(const JointData& joint) const {
  return std::any_of(model_.drops.begin(), model_.drops.end(),
                     [&](const DroppedReactions& drop) { return drop.element == joint.element; });
}

template <class Space>
void DroppedRows<Space>::record(const JointData& joint, int row, bool moment, int axis) {
  if (concern(joint)) rows_.push_back({joint.element, row, joint.a, axis, moment});
}

template <class Space>
typename DroppedRows<Space>::Rows DroppedRows<Space>::rows_of(const DroppedReactions& drop,
                                                              const Mechanism<Space>& m,
                                                              const double* derived) const {
  const Element& e = model_.elements[static_cast<std::size_t>(drop.element)];
  const FrameConstants<Space> frame = m.frame(derived, std::max(e["a"].index, 0));
  Rows rows{-1, -1, -1, -1, -1, -1};
  for (const ReactionRow& row : rows_) {
    if (row.element != drop.element) continue;
    if (row.moment && Space::dim == 2) {
      rows[5] = row.row;
      continue;
    }
    const auto axis = axis_of(m.frame(derived, row.frame).R, row.axis % Space::dim);
    for (int k = 0; k < Space::dim; ++k) {
      if (std::abs(dot(axis, axis_of(frame.R, k))) < 1.0 - 1e-9) continue;
      rows[static_cast<std::size_t>(row.moment ? 3 + k : k)] = row.row;
    }
  }
  return rows;
}

template <class Space>
void DroppedRows<Space>::name_rows(Mechanism<Space>& m, Diagnostics& diagnostics) const {
  if (model_.drops.empty()) return;
  const std::vector<double> values = parameter_start_values(model_);
  Parameters parameters{Eigen::Map<const Vector>(values.data(), static_cast<long>(values.size())),
                        Vector::Zero(m.derived_size())};
  if (!m.derive(parameters).message.empty()) return;  // reported when the equations are made
  for (const DroppedReactions& drop : model_.drops) {
    const Rows rows = rows_of(drop, m, parameters.derived.data());
    std::string has;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (rows[k] >= 0) has += (has.empty() ? "" : " ") + keyword_of<Space>(k);
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (!drop.components[k]) continue;
      if (rows[k] >= 0) {
        const auto known = std::find(m.named_rows.begin(), m.named_rows.end(), rows[k]);
        if (known == m.named_rows.end()) m.named_rows.push_back(rows[k]);
        continue;
      }
      diagnostics.error(drop.place, "no-such-reaction",
                        title(model_.elements[static_cast<std::size_t>(drop.element)]) +
                            " has no reaction '" + keyword_of<Space>(k) +
                            "' of its own along or about an axis of its frame a",
                        has.empty() ? "nothing of this joint can be left out"
                                    : "it has " + has +
                                          "; turn frame a so that its axes are "
                                          "those of the joint");
    }
  }
}

template class DroppedRows<Planar>;
template class DroppedRows<Spatial>;

}  // namespace mbs
