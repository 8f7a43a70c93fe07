#pragma once

// Rows of the tables of attributes.

#include "engine/model/schema.hpp"

namespace mbs::tables {

using A = AttributeSchema;
using enum AttributeType;
using Text = std::string_view;

constexpr A needed(Text name, AttributeType type, Text dimension, Text doc, Text range = {}) {
  return {.name = name,
          .type = type,
          .dimension = dimension,
          .required = true,
          .doc = doc,
          .range = range};
}
constexpr A needed(Text name, AttributeType type, Text doc) {
  return needed(name, type, {}, doc);
}
// An attribute that is absent when it is not given.
constexpr A optional(Text name, AttributeType type, Text dimension, Text doc, Text range = {}) {
  return {.name = name, .type = type, .dimension = dimension, .doc = doc, .range = range};
}
constexpr A optional(Text name, AttributeType type, Text doc) {
  return optional(name, type, {}, doc);
}
constexpr A with_default(Text name, AttributeType type, Text dimension, Text value, Text doc,
                         Text range = {}) {
  return {.name = name,
          .type = type,
          .dimension = dimension,
          .default_value = value,
          .doc = doc,
          .range = range};
}
constexpr A with_default(Text name, AttributeType type, Text value, Text doc) {
  return with_default(name, type, {}, value, doc);
}
// One of the keywords in `choices`.
constexpr A choice(Text name, Text choices, Text value, Text doc) {
  return {.name = name, .type = keyword, .default_value = value, .choices = choices, .doc = doc};
}
constexpr A choice(Text name, Text choices, Text doc) {
  return choice(name, choices, {}, doc);
}
constexpr A needed_choice(Text name, Text choices, Text doc) {
  return {.name = name, .type = keyword, .required = true, .choices = choices, .doc = doc};
}
// A run-time expression with symbols of its own.
constexpr A law(Text name, Text dimension, Text locals, Text doc) {
  return {.name = name, .type = runtime, .dimension = dimension, .locals = locals, .doc = doc};
}
constexpr A needed_law(Text name, Text dimension, Text locals, Text doc) {
  return {.name = name,
          .type = runtime,
          .dimension = dimension,
          .required = true,
          .locals = locals,
          .doc = doc};
}

}  // namespace mbs::tables
