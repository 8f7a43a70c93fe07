// The tableau and the weights: exact for polynomials in h.

#include "engine/integrators/extrapolation/tableau.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mbs::extrapolation {
namespace {

TEST(ExtrapolationTableau, EliminatesPowersOfHAndEstimatesWithOneLess) {
  constexpr int rows = 7;
  // component q: 1 + h^q; row j is exact for q < j, the error of row j is 0 for q < j - 1
  Tableau tableau(h_expansion, rows, most_rows);
  for (int j = 1; j <= rows; ++j) {
    for (int q = 0; q < rows; ++q) {
      tableau.first()[q] = 1.0 + (q == 0 ? 0.0 : std::pow(1.0 / h_expansion.steps(j), q));
    }
    tableau.add_row(j);
    for (int q = 0; q < rows; ++q) {
      if (q < j) {
        EXPECT_NEAR(tableau.value(j)[q], 1.0, 1e-12) << j << " " << q;
      } else {
        EXPECT_GT(std::abs(tableau.value(j)[q] - 1.0), 1e-8) << j << " " << q;
      }
      if (q < j - 1) {
        EXPECT_NEAR(tableau.error()[q], 0.0, 1e-12);
      } else if (j > 1 && q > 0) {
        EXPECT_GT(std::abs(tableau.error()[q]), 1e-8);
      }
    }
  }
}

TEST(ExtrapolationTableau, WeightsGiveTheSameAsTheScheme) {
  Tableau tableau(h_expansion, 1, most_rows);
  double sum = 0.0, values[most_rows];
  for (int j = 1; j <= most_rows; ++j) {
    values[j - 1] = std::exp(0.7 / h_expansion.steps(j));
    tableau.first()[0] = values[j - 1];
    tableau.add_row(j);
    std::array<double, most_rows> c{};
    extrapolation_weights(h_expansion, 1, j, c);
    sum = 0.0;
    for (int i = 0; i < j; ++i) sum += c[static_cast<std::size_t>(i)] * values[i];
    EXPECT_NEAR(tableau.value(j)[0], sum, 1e-9) << j;
  }
  EXPECT_NEAR(sum, 1.0, 1e-10);
}

}  // namespace
}  // namespace mbs::extrapolation
