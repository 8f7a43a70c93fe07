#pragma once

// Reads a Model from its file. All errors are in `diagnostics`; the Model is only meaningful when
// diagnostics.ok().
//
//   validate   the XML tree of each file against the schema                     -> Source
//   expand     repeats, subsystems and imports into a flat list, all names      -> ExpandedModel
//   bind       names to indices, expressions compiled, dimensions checked       -> Model

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/model.hpp"

namespace mbs {

// Limits protect against hostile files; each has an error of its own that quotes value and bound.
struct ReadLimits {
  std::size_t file_bytes = 16u << 20;
  int nesting = 64;            // of elements in an <mbs>, of subsystems in each other
  int expression_depth = 100;  // parentheses
  int repeat_count = 1'000'000;
  int elements = 1'000'000;  // after expansion, with passes of repeats and outputs of `each`
  std::size_t text_bytes = 64u << 20;  // of names, docs and places, after expansion
  int files = 1000;
  int errors = 200;  // after so many the reader gives up

  // The nesting that a model of several files may have once they are in one.
  int whole_nesting() const { return 10 * nesting; }
};

// Values for parameters of the main file from outside (command line), as they would stand in the
// file: "N" -> "64", "r" -> "200 mm"; and settings of its solver: "solver.method" -> "midpoint".
struct Override {
  std::string name, value;
};

Model read_model(const std::string& path, Diagnostics& diagnostics,
                 std::span<const Override> overrides = {}, const ReadLimits& limits = {});
Model read_model_text(std::string_view text, const std::string& file, Diagnostics& diagnostics,
                      std::span<const Override> overrides = {}, const ReadLimits& limits = {});

// A model and its text as one file, which is what an FMU carries: the contents of <use> inlined
// (<use name="fl"><mbs>...</mbs></use>), overrides applied, comments and docs gone; repeats stay as
// they are. Reading the text gives the same Model. Empty when there were errors.
struct ResolvedModel {
  Model model;
  std::string text;
};
// The text with one more setting of the solver.
std::string with_setting(const std::string& text, const Override& setting);
ResolvedModel read_resolved(const std::string& path, Diagnostics& diagnostics,
                            std::span<const Override> overrides = {},
                            const ReadLimits& limits = {});

}  // namespace mbs
