#pragma once

// The variables of a model written in C++, the same for the exporter and the runtime.

#include "engine/cpp_model/declared.hpp"
#include "fmu_src/packed_model.hpp"

namespace mbs {

VariableTable make_variables(const Interface& interface);

// The model that cpp_model() gives, checked. Throws std::runtime_error when interface and equations
// do not fit together.
std::shared_ptr<const PackedModel> packed_cpp_model();

}  // namespace mbs
