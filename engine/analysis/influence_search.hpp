#pragma once

// Whether a number is zero but for rounding: rounding is another number at a point beside, with the
// model's numbers and the state's others by some 1e-13 of them. Sizes say little: an input moves a
// cart by 1/m beside a rope of any stiffness, and a leakage of 1e-13 m3/(s Pa) is one. (Of what is
// found by a difference, the last three bits are not counted.)

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/analysis/influence.hpp"
#include "engine/analysis/influence_sample.hpp"

namespace mbs {

// What the knowns do at a point, and which entries are more than rounding.
template <class Columns>
class Seen {
 public:
  Seen(int rows, int columns) : direct(rows, columns), follows(rows, columns), finite_(columns) {}
  Matrix direct, follows;  // with 0 in place of rounding

  // False where the point tells nothing.
  bool look(Columns& here, Columns& blurred, const InfluencePoint& point, InfluenceSample& sample,
            const Influence& known) {
    if (!here.go_to(point)) return false;
    for (int j = 0; j < columns(); ++j)
      finite_[static_cast<std::size_t>(j)] = here.find(j, direct.col(j), follows.col(j));
    const auto response = here.response();
    std::vector<int> in_question;
    for (int j = 0; j < columns(); ++j)
      if (is_new(j, known)) in_question.push_back(j);
    Vector direct_beside(direct.rows()), follows_beside(direct.rows());
    for (int k = 0; k < 15 && !in_question.empty(); ++k) {
      Columns& site = k == 0 ? here : blurred;
      // Where constraints depend on each other, or nearly so, all is rounding.
      InfluencePoint there = sample.blurred(site.equations(), point);
      site.make_consistent(there);  // accelerations may be rounding, too
      if (!site.go_to(there) || !site.responds_as(response)) return false;
      std::erase_if(in_question, [&](int j) {
        if (!site.find(j, direct_beside, follows_beside)) return true;
        drop_rounding(direct.col(j), direct_beside);
        drop_rounding(follows.col(j), follows_beside);
        return !is_new(j, known) || (k >= 4 && !has_small(j));
      });
    }
    return true;
  }
  bool finite(int j) const { return finite_[static_cast<std::size_t>(j)] != 0; }

 private:
  int columns() const { return static_cast<int>(direct.cols()); }
  // There are entries that have not been seen to act at other points.
  bool is_new(int j, const Influence& known) const {
    for (int i = 0; i < direct.rows(); ++i)
      if ((direct(i, j) != 0.0 || follows(i, j) != 0.0) &&
          (known.kinds.empty() || !known.acts(i, j)))
        return true;
    return false;
  }
  // As small as rounding may be, beside others of its row or column: one last digit is the same at
  // many points.
  bool has_small(int j) const {
    constexpr double small = 1e-11;
    for (const Matrix* entries : {&direct, &follows}) {
      const double largest = small * entries->col(j).lpNorm<Eigen::Infinity>();
      for (int i = 0; i < direct.rows(); ++i)
        if (const double d = std::abs((*entries)(i, j));
            d != 0.0 && (d < largest || d < small * entries->row(i).lpNorm<Eigen::Infinity>()))
          return true;
    }
    return false;
  }
  static void drop_rounding(Eigen::Ref<Vector> column, const Vector& beside) {
    for (Eigen::Index i = 0; i < column.size(); ++i)
      if (!(std::abs(column[i] - beside[i]) < 0.05 * std::abs(column[i]))) column[i] = 0.0;
  }

  std::vector<char> finite_;
};

// Columns: what each known does at a point, as InfluenceColumns (influence_point.hpp) tells it.
// result has its rows and columns; `exact`: how many of the columns, the first ones, are
// derivatives, the others differences.
template <class Columns>
void search_influence(Columns& here, Columns& blurred, InfluenceSample& sample, int exact,
                      bool parameters, Influence& result) {
  const int rows = result.rows();
  Seen<Columns> seen(rows, result.columns);
  Matrix first;
  std::vector<char> told(static_cast<std::size_t>(result.columns), 0);
  for (int k = 0; k < sample.points(); ++k) {
    InfluencePoint point = sample.point(k);
    here.make_consistent(point);
    if (!seen.look(here, blurred, point, sample, result)) continue;
    const bool begun = !result.kinds.empty();
    sample.move_parameters();
    if (!begun) result.kinds.assign(static_cast<std::size_t>(seen.direct.size()), Influence::none);
    if (!begun) first = seen.direct;
    for (int j = 0; j < result.columns; ++j) {
      if (seen.finite(j)) told[static_cast<std::size_t>(j)] = 1;
      for (int i = 0; i < rows; ++i) {
        Influence::Kind& kind = result.of(i, j);
        const double d = seen.direct(i, j);
        const bool same = std::abs(d - first(i, j)) <= 1e-10 * std::abs(d);
        const bool linear = same && j < exact && i < result.residual() && seen.follows(i, j) == 0.0;
        const bool acts = d != 0.0 || seen.follows(i, j) != 0.0;
        if (acts && linear && (!begun || kind == Influence::constant))
          kind = Influence::constant;
        else if (acts || kind == Influence::constant)
          kind = Influence::varying;
      }
    }
  }
  if (result.kinds.empty()) return;
  for (int j = exact; j < result.column_of_contact(0); ++j)
    if (told[static_cast<std::size_t>(j)] == 0)
      for (int i = 0; i < rows; ++i) result.of(i, j) = Influence::varying;
  if (!sample.has_moved_parameters() && parameters)
    for (Influence::Kind& kind : result.kinds)
      if (kind == Influence::constant) kind = Influence::varying;
}

}  // namespace mbs
