#pragma once

// A model that has been read, as one file: every <use file="..."> gets the contents of its file
// inside, every <import> becomes such a <use>, every <curve file="..."> has its points.

#include <span>
#include <string>

#include "engine/model/reader.hpp"
#include "engine/model/reading/model_files.hpp"

namespace mbs {

// Empty when it would be too large to be read again, which is an error in `diagnostics`.
std::string one_file(const Model& model, ModelFiles& files, Diagnostics& diagnostics,
                     std::span<const Override> overrides, const ReadLimits& limits);

}  // namespace mbs
