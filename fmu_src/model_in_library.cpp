// The FMU's model is C++ in this library: nothing is read from the resources.

#include "fmu_src/cpp_model.hpp"

namespace mbs {

std::shared_ptr<const PackedModel> find_packed_model(const std::optional<std::string>&,
                                                     const Logger&) {
  return packed_cpp_model();
}

}  // namespace mbs
