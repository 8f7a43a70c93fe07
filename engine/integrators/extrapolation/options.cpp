#include "engine/integrators/extrapolation/options.hpp"

#include <algorithm>
#include <limits>

#include "engine/integrators/extrapolation/tableau.hpp"

namespace mbs::extrapolation {
namespace {

// Beyond 9 rows rounding errors outgrow what the midpoint rule gains.
constexpr int most_midpoint_rows = 9;

}  // namespace

Options read_options(const IntegratorOptions& options, Method method) {
  const bool euler = method == Method::euler;
  const int power = euler ? 1 : 2, most = euler ? most_rows : 2 * most_midpoint_rows;
  const int least_dense = euler ? 3 : 5;  // the order without differences
  return {method,
          options.order_within(3 * power, most, euler ? "extrapolation" : "midpoint") / power,
          options.scheme == "standard"   ? Scheme::standard
          : options.scheme == "modified" ? Scheme::modified
                                         : Scheme::chosen,
          euler || options.dense,
          options.dense_order == 0 ? std::numeric_limits<int>::max()
                                   : std::max(0, options.dense_order - least_dense)};
}

}  // namespace mbs::extrapolation
