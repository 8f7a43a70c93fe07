#include <array>
#include <span>

#include "engine/simulation/derivatives.hpp"

namespace mbs {

ExactDerivatives::ExactDerivatives(const Equations& equations)
    : equations_(equations), tangent_(equations) {}

void ExactDerivatives::linearise(const EvaluationPoint& point) {
  if (linearised_at_ == point.id) return;
  linearised_at_ = 0;
  {
    const AtTime laws(point.x, point.law_time);
    tangent_.evaluate(point.context, point.x);
  }
  linearised_at_ = point.id;
  column_known_.assign(column_known_.size(), 0);
}

void ExactDerivatives::differentiate(const EvaluationPoint& point, Variation& change, Vector& dx,
                                     Vector* dy) {
  linearise(point);
  tangent_.complete(change);
  const Sizes& n = equations_.sizes();
  dx.resize(n.p + n.v + n.r);
  tangent_.rates(change, dx);
  if (dy == nullptr) return;
  dy->resize(n.y);
  tangent_.outputs(point.context, change, *dy);
}

Eigen::Ref<const Vector> ExactDerivatives::column(const EvaluationPoint& point, int known) {
  const Sizes& n = equations_.sizes();
  const int count = n.p + n.v + n.r + n.u;
  if (column_known_.empty()) {
    columns_ = Matrix::Zero(n.p + n.v + n.r + n.y, count);
    column_known_.assign(static_cast<std::size_t>(count), 0);
    units_.assign(Tangent::columns_at_once, Variation(n));
  }
  linearise(point);
  const auto is_known = [&](int i) { return column_known_[static_cast<std::size_t>(i)] != 0; };
  std::array<int, Tangent::columns_at_once> columns;
  std::size_t found = 0;
  for (int i = known; i < count && found < columns.size() && !is_known(i); ++i) {
    if (tangent_.acts(i))
      columns[found++] = i;
    else
      keep(point, {&i, 1});
  }
  if (found > 0) keep(point, std::span(columns).first(found));
  return columns_.col(known);
}

void ExactDerivatives::keep(const EvaluationPoint& point, std::span<const int> unknowns) {
  const Sizes& n = equations_.sizes();
  const std::span units(units_.data(), unknowns.size());
  tangent_.complete(unknowns, units);
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    auto column = columns_.col(unknowns[k]);
    tangent_.rates(units[k], column.head(n.p + n.v + n.r), static_cast<int>(k));
    tangent_.outputs(point.context, units[k], column.tail(n.y));
    column_known_[static_cast<std::size_t>(unknowns[k])] = 1;
  }
}

}  // namespace mbs
