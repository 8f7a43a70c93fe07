#include "tools/export/resized.hpp"

#include "engine/multibody/assemble.hpp"

namespace mbs {

Resized read_resized(const std::string& resolved, std::span<const Override> sizes,
                     Diagnostics& diagnostics) {
  Resized result;
  result.model = read_model_text(resolved, "resources/model.mbs.xml", diagnostics, sizes);
  if (diagnostics.ok()) result.equations = assemble(result.model, diagnostics, &result.coordinates);
  return result;
}

}  // namespace mbs
