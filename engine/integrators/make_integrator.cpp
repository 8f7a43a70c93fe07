#include "engine/integrators/base/integrator.hpp"
#include "engine/integrators/bdf/integrator.hpp"
#include "engine/integrators/extrapolation/integrator.hpp"
#include "engine/integrators/radau/integrator.hpp"
#include "engine/integrators/reduction/integrator.hpp"

namespace mbs {

std::unique_ptr<Integrator> make_integrator(const std::string& keyword, const Equations& equations,
                                            Context context, const IntegratorOptions& options) {
  using extrapolation::Method;
  if (keyword == "extrapolation" || keyword == "auto") {
    return std::make_unique<extrapolation::Integrator>(equations, context, options, Method::euler);
  }
  if (keyword == "midpoint") {
    return std::make_unique<extrapolation::Integrator>(equations, context, options,
                                                       Method::midpoint);
  }
  if (keyword == "radau") return std::make_unique<radau::Integrator>(equations, context, options);
  if (keyword == "bdf") return std::make_unique<bdf::Integrator>(equations, context, options);
  if (keyword == "reduction")
    return std::make_unique<reduction::Integrator>(equations, context, options);
  throw std::invalid_argument("there is no integrator '" + keyword +
                              "'; there are extrapolation, midpoint, radau, bdf, reduction, auto");
}

bool treats_redundancy(const std::string& keyword) {
  return keyword != "bdf" && keyword != "reduction";
}

}  // namespace mbs
