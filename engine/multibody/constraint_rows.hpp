#pragma once

// The rows of G of constraints between two frames and of couplings. All rows but those of
// constraints come together in further_rows.hpp.

#include "engine/multibody/forces.hpp"
#include "engine/multibody/measures.hpp"

namespace mbs {

// visit(coordinate, factor, value) for every coordinate of a coupling, value being that of the
// relation at the first of them and then 0: their sum is the coupling's function.
template <class Space, class Visit>
void for_terms(const Evaluation<Space>& at, const CouplingData& coupling, const Visit& visit) {
  if (coupling.law == absent) {
    double sum = -at.optional(coupling.constant);
    for (const CouplingData::Term& term : coupling.terms) {
      double q, rate;
      coordinate_values(at, term.coordinate, q, rate);
      sum += term.sign * at.optional(term.factor, 1.0) * q;
    }
    for (const CouplingData::Term& term : coupling.terms) {
      visit(at.mechanism.coordinates[term.coordinate], term.sign * at.optional(term.factor, 1.0),
            sum);
      sum = 0.0;
    }
    return;
  }
  const Law& law = at.mechanism.laws[coupling.law];
  const std::size_t n = law.arguments.size();
  std::array<double, Expression::max_arguments> values, factors;
  for (std::size_t k = 0; k < n; ++k) {
    const Law::Argument& x = law.arguments[k];
    double rate;
    if (x.kind == SymbolKind::coordinate) {
      coordinate_values(at, x.index, values[k], rate);
      values[k] *= x.sign;
    } else {
      values[k] = at.context.parameters.values[x.index];
    }
  }
  double value = law.expression.gradient(std::span(values).first(n), std::span(factors).first(n));
  for (std::size_t k = 0; k < n; ++k) {
    const Law::Argument& x = law.arguments[k];
    if (x.kind != SymbolKind::coordinate) continue;
    visit(at.mechanism.coordinates[x.index], x.sign * factors[k], value);
    value = 0.0;
  }
}

// The row of a coordinate times a factor; the value is the caller's.
template <class Space, class T>
Row<Space, T> term_row(const Evaluation<Space>& at, const CoordinateData& c, double factor,
                       int seeded) {
  Row<Space, T> row;
  const auto evaluate = [&](const auto& a, const auto& b) { row = coordinate_row(at, c, a, b); };
  if constexpr (std::is_same_v<T, double>) {
    on_sides<T>(at, c.a, c.b, seeded, evaluate);
  } else {
    on_seeded_sides(at, c.a, c.b, seeded, evaluate);
  }
  Row<Space, T> term = combine(factor, row, 0.0, row);
  term.value = factor * row.value;
  term.second = factor * row.second;
  return term;
}

// visit(row, number of the row in G, body a, body b); what comes for the same number is added.
template <class Space, class Visit>
void for_coupling_rows(const Evaluation<Space>& at, const Visit& visit) {
  for (const CouplingData& coupling : at.mechanism.couplings) {
    for_terms(at, coupling, [&](const CoordinateData& c, double factor, double value) {
      Row<Space, double> row = term_row<Space, double>(at, c, factor, ground);
      row.value = value;
      visit(row, coupling.row, at.body_of(c.a), at.body_of(c.b));
    });
  }
}

// Visits the rows of all other constraints in the same way, one row for each number.
template <class Space, class Visit>
void for_constraint_rows(const Evaluation<Space>& at, const Visit& visit) {
  const auto list = [&](const auto& constraints) {
    for (const auto& c : constraints) {
      std::array<Row<Space, double>, std::decay_t<decltype(c)>::rows> rows;
      on_sides<double>(at, c.a, c.b, ground,
                       [&](const auto& a, const auto& b) { c.evaluate(at, a, b, rows.data()); });
      for (std::size_t k = 0; k < rows.size(); ++k) {
        visit(rows[k], c.row + static_cast<int>(k), at.body_of(c.a), at.body_of(c.b));
      }
    }
  };
  std::apply([&](const auto&... lists) { (list(lists), ...); }, at.mechanism.constraints);
}

}  // namespace mbs
