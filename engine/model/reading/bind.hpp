#pragma once

// Stage three of reading: the items' attributes. Names become indices, expressions are compiled
// and their dimensions checked, values of mirrored subsystems get their signs. What is left in
// context.expanded.model is the Model.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "engine/model/quantities.hpp"
#include "engine/model/reading/read_context.hpp"

namespace mbs {

void bind(ReadContext& context);

template <std::size_t n>
void copy_numbers(const AttributeValue& from, std::array<Expression, n>& to) {
  std::copy_n(from.numbers.begin(), std::min(n, from.numbers.size()), to.begin());
}

// The rest are its parts, a file each.
// frames.cpp
void bind_frame(ReadContext& context, const Item& item);
// The bodies that frames are fixed to, through the frames they are placed on.
void find_bodies_of_frames(ReadContext& context);
// variables.cpp
void bind_start(ReadContext& context, const Item& item);  // of inputs and states: their dimensions
void bind_law(ReadContext& context, const Item& item);    // der, residual
// measures.cpp
void bind_measure(ReadContext& context, const Item& item);
// The axes of a joint's first frame; -1 as long as its attributes have not been read.
int joint_axes(const Model& model, int element);
// Fills quantity, item, frames and component; `component`: instead of the attribute's.
bool bind_measured(ReadContext& context, const Item& item, Measure& measure, const Entity& of,
                   const std::string* component = nullptr);
// components.cpp: the component of a measure and the sign it has in a mirrored subsystem.
bool bind_component(ReadContext& context, const Item& item, Measure& measure,
                    const QuantitySchema& quantity, const std::string* component);
// The components of an output: one, or with component="all" several under further indices.
struct OutputPart {
  std::string component;
  std::vector<int> indices;
};
std::vector<OutputPart> parts_of(const ExpandedModel& expanded, const Item& item);
// outputs.cpp
void bind_output(ReadContext& context, const Item& item);
// settings.cpp
void bind_setting(ReadContext& context, const Item& item);
// Settings from the command line of tags that the file does not have become items of their own.
void add_overridden_settings(ReadContext& context);
// events.cpp
void bind_event(ReadContext& context, const Item& item);
// conditions.cpp
void bind_initial_condition(ReadContext& context, const Item& item);
void bind_drop(ReadContext& context, const Item& item);
void bind_trim(ReadContext& context, const Item& item);

}  // namespace mbs
