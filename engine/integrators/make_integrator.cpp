#include "engine/integrators/bdf/bdf.hpp"
#include "engine/integrators/common/integrator.hpp"
#include "engine/integrators/extrapolation/extrapolation.hpp"
#include "engine/integrators/radau/radau.hpp"
#include "engine/integrators/reduction/reduction.hpp"

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
  if (word == "radau") return std::make_unique<Radau>(equations, given, options);
  if (word == "bdf") return std::make_unique<Bdf>(equations, given, options);
  if (word == "reduction") return std::make_unique<Reduction>(equations, given, options);
  throw std::invalid_argument("there is no integrator '" + word +
                              "'; there are extrapolation, midpoint, radau, bdf, reduction, auto");
}

bool treats_redundancy(const std::string& word) {
  return word != "bdf" && word != "reduction";
}

}  // namespace mbs
