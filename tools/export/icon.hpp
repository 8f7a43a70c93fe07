// Small pictures for importers, as PNG and SVG.
#pragma once

#include <string>

#include "engine/model/model.hpp"
#include "tools/export/placement.hpp"

namespace mbs {

struct Icon {
  std::string png, svg;
};

// The mechanism's outline; a link with two hinges where it is not known.
Icon model_icon(const Model& model, const Start* start);
// The icon of a terminal.
Icon flange_icon();

}  // namespace mbs
