#include "engine/integrators/base/integrator.hpp"
#include "engine/integrators/bdf/bdf.hpp"
#include "engine/integrators/extrapolation/extrapolation.hpp"
#include "engine/integrators/radau/radau.hpp"
#include "engine/integrators/reduction/reduction.hpp"

namespace mbs {

std::unique_ptr<Integrator> make_integrator(const std::string& keyword, const Equations& equations,
                                            Context context, const IntegratorOptions& options) {
  using Method = Extrapolation::Method;
  if (keyword == "extrapolation" || keyword == "auto") {
    return std::make_unique<Extrapolation>(equations, context, options, Method::euler);
  }
  if (keyword == "midpoint") {
    return std::make_unique<Extrapolation>(equations, context, options, Method::midpoint);
  }
  if (keyword == "radau") return std::make_unique<Radau>(equations, context, options);
  if (keyword == "bdf") return std::make_unique<Bdf>(equations, context, options);
  if (keyword == "reduction") return std::make_unique<Reduction>(equations, context, options);
  throw std::invalid_argument("there is no integrator '" + keyword +
                              "'; there are extrapolation, midpoint, radau, bdf, reduction, auto");
}

bool treats_redundancy(const std::string& keyword) {
  return keyword != "bdf" && keyword != "reduction";
}

}  // namespace mbs
