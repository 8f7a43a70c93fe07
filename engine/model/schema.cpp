#include "engine/model/schema.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "engine/model/schema/bodies.hpp"
#include "engine/model/schema/contacts.hpp"
#include "engine/model/schema/curves.hpp"
#include "engine/model/schema/fields.hpp"
#include "engine/model/schema/forces.hpp"
#include "engine/model/schema/joints.hpp"
#include "engine/model/schema/machines.hpp"
#include "engine/model/schema/methods.hpp"
#include "engine/model/schema/motion.hpp"
#include "engine/model/schema/structure.hpp"
#include "engine/model/schema/variables.hpp"
#include "engine/model/schema_rules.hpp"

namespace mbs {

namespace {

template <std::size_t... sizes>
constexpr auto joined(const TagSchema (&... parts)[sizes]) {
  std::array<TagSchema, (sizes + ...)> result{};
  std::size_t at = 0;
  const auto append = [&](const auto& part) {
    for (const TagSchema& tag : part) result[at++] = tag;
  };
  (append(parts), ...);
  return result;
}

constexpr auto tags =
    joined(tables::structure_tags, tables::variable_tags, tables::curve_tags, tables::setting_tags,
           tables::body_tags, tables::joint_tags, tables::force_tags, tables::field_tags,
           tables::machine_tags, tables::contact_tags, tables::motion_tags, tables::method_tags);

constexpr AttributeSchema common[] = {
    {.name = "class",
     .type = AttributeType::text,
     .doc = "the named class of defaults that it takes its attributes from"},
    {.name = "doc", .type = AttributeType::text, .doc = "what it is"},
};

}  // namespace

std::span<const TagSchema> schema() {
  return tags;
}

const TagSchema* find_tag(std::string_view name) {
  const auto found = std::find_if(tags.begin(), tags.end(),
                                  [&](const TagSchema& tag) { return tag.name == name; });
  return found == tags.end() ? nullptr : &*found;
}

int find_attribute(const TagSchema& tag, std::string_view name) {
  for (std::size_t k = 0; k < tag.attributes.size(); ++k) {
    if (tag.attributes[k].name == name) return static_cast<int>(k);
  }
  return -1;
}

bool is_method_tag(const TagSchema& tag) {
  return std::any_of(std::begin(tables::method_tags), std::end(tables::method_tags),
                     [&](const TagSchema& method) { return method.name == tag.name; });
}

bool is_item(TagRole role) {
  return role == TagRole::body || role == TagRole::frame || role == TagRole::joint ||
         role == TagRole::force;
}

std::span<const AttributeSchema> common_attributes(TagRole role) {
  return is_item(role) ? std::span<const AttributeSchema>(common)
                       : std::span<const AttributeSchema>();
}

Rule parse_rule(std::string_view text) {
  const std::size_t open = text.find('('), comma = text.find(',');
  return {text.substr(0, open), text.substr(open + 1, comma - open - 1),
          text.substr(comma + 1, text.size() - comma - 2)};
}

}  // namespace mbs
