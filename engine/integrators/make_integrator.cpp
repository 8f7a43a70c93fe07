#include "engine/integrators/common/integrator.hpp"
#include "engine/integrators/extrapolation/extrapolation.hpp"

namespace mbs {

std::unique_ptr<Integrator> make_integrator(const std::string& word, const Equations& equations,
                                            Given given, const IntegratorOptions& options) {
  using Method = Extrapolation::Method;
  if (word == "extrapolation" || word == "auto") {
    return std::make_unique<Extrapolation>(equations, given, options, Method::euler);
  }
  if (word == "midpoint") {
    return std::make_unique<Extrapolation>(equations, given, options, Method::midpoint);
  }
  throw std::invalid_argument("there is no integrator '" + word +
                              "'; there are extrapolation, midpoint, auto");
}

}  // namespace mbs
