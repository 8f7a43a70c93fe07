#include "engine/integrators/reduction/options.hpp"

namespace mbs::reduction {

Options read_options(const IntegratorOptions& options) {
  constexpr double fastest = 1e9;
  OptionReader read("reduction", options.method_options);
  Options result;
  result.method =
      static_cast<Method>(read.keyword("method", "partition|stabilized|hybrid|svd|nullspace"));
  result.alpha = read.number("alpha", 0.0, 0.0, fastest);
  result.beta = read.number("beta", result.alpha, 0.0, fastest);
  result.position_correction = read.boolean("position_correction", true);
  read.finish();
  return result;
}

std::string_view keyword(Method method) {
  switch (method) {
    case Method::partition:
      return "partition";
    case Method::stabilized:
      return "stabilized";
    case Method::hybrid:
      return "hybrid";
    case Method::svd:
      return "svd";
    case Method::nullspace:
      return "nullspace";
  }
  return {};
}

}  // namespace mbs::reduction
