// A model read once more, with other values of its resizable parameters.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/equations/equations.hpp"
#include "engine/model/reader.hpp"

namespace mbs {

struct Resized {
  Model model;
  std::shared_ptr<const Equations> equations;  // null: there is no such model, see the diagnostics
  std::string coordinates;                     // as assemble() reports them
};
// resolved: the model as one file (reader.hpp).
Resized read_resized(const std::string& resolved, std::span<const Override> sizes,
                     Diagnostics& diagnostics);

}  // namespace mbs
