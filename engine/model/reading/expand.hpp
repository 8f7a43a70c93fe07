#pragma once

// Stage two of reading: from the validated tree to a flat list of items. Repeats are written out,
// subsystems and robot descriptions taken in, and every item gets its scope, its names and its
// place in the Model's lists. Structural parameters are evaluated where a count needs them.

#include "engine/model/reading/model_files.hpp"
#include "engine/model/reading/read_context.hpp"
#include "engine/model/reading/validate.hpp"

namespace mbs {

// Fills context.expanded; `source` is that of the main file.
void expand(const Source& source, ReadContext& context, ModelFiles& files, Validator& validator);

// The points, interpolation and units of a <curve>. Curves are made of numbers alone, so that
// parameters may use them.
NamedCurve read_curve(ReadContext& context, const Item& item);

}  // namespace mbs
