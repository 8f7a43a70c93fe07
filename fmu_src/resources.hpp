#pragma once

// Where the FMU's resources are, and the model that lies there.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/equations/equations.hpp"
#include "engine/model/model.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

constexpr std::string_view model_file = "model.mbs.xml";  // in resources/

// A directory from a URI: file:///a/b, file:/a/b, file://localhost/a/b, with %20 and the like; a
// plain absolute path is taken too. Throws std::runtime_error for anything else.
std::string directory_from_uri(std::string_view uri);

// resources/ as seen from this library, which lies in binaries/<platform>/; "" when the system does
// not tell.
std::string directory_beside_library();

struct PackedModel {
  Model model;
  std::shared_ptr<const Equations> equations;
  VariableTable variables;
  std::string token;       // interface_hash
  std::uint64_t hash = 0;  // model_hash
};

bool has_model(const std::string& directory);
// The one place that reads a model inside an FMU. Throws std::runtime_error with all that is wrong.
std::shared_ptr<const PackedModel> read_packed_model(const std::string& directory);

}  // namespace mbs
