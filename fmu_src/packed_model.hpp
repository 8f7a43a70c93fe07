#pragma once

// The model that an FMU holds. Its origin is decided when the runtime is linked: a file in the
// resources (model_in_resources.cpp), or C++ in the runtime itself (model_in_library.cpp).

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/equations/equations.hpp"
#include "engine/model/model.hpp"
#include "engine/model/reader.hpp"
#include "fmu_src/logger.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

struct PackedModel {
  // The variables and tokens of model and equations, which have been set.
  void add_variables(VariableTable table);

  Model model;
  std::shared_ptr<const Equations> equations;
  std::string
      coordinates;  // of the equations, and why they were chosen; empty: there was no choice
  VariableTable variables;
  std::string token;        // interface_hash
  std::string clock_token;  // of FMUs with clocks; empty: there are none
  // The token of FMUs whose states and indicators are arrays, in their order; empty: there are no
  // such arrays.
  std::string array_token;
  std::uint64_t hash = 0;  // marks stored states; the same for all sizes
  // Makes the same model with other values of its resizable parameters, by name; empty: it has
  // none. Throws std::runtime_error with all that is wrong.
  std::function<std::shared_ptr<const PackedModel>(std::span<const Override>)> resize = {};
};

// `resources` is the directory that the importer has named, if it could be understood. Throws
// std::runtime_error with all that is wrong.
std::shared_ptr<const PackedModel> find_packed_model(const std::optional<std::string>& resources,
                                                     const Logger& logger);

}  // namespace mbs
