#pragma once

// A validated <mbs> element, and the text of an attribute with the place where it stands.

#include <map>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/model/schema.hpp"
#include "engine/model/xml_source.hpp"

namespace mbs {

struct AttributeText {
  const XmlFile* file = nullptr;  // null: from the schema, or from the command line
  pugi::xml_node node;
  pugi::xml_attribute attribute;
  std::string_view text;
  bool from_command_line = false;

  bool present() const { return file != nullptr || from_command_line; }
  Place place(int offset = 0) const;  // of a byte of the text
};

// The text of the element's own attribute.
AttributeText own_text(const XmlFile& file, pugi::xml_node node, const char* name);

// A whole file, or a subsystem written in place.
struct Source {
  using Default = std::pair<pugi::xml_node, pugi::xml_attribute>;

  const XmlFile* file = nullptr;
  pugi::xml_node root;                                // empty: it is not a model that can be read
  std::unordered_map<std::string, Default> defaults;  // by default_key()
  std::unordered_set<std::string> classes;

  std::string_view plane() const { return root.attribute("planar").value(); }
  // Is it given by the element itself or by a default?
  bool has(pugi::xml_node node, std::string_view attribute) const;
  // The element's own text, otherwise that of its classes of defaults, of the defaults of all, of
  // the schema.
  AttributeText text(pugi::xml_node node, const AttributeSchema& schema) const;

 private:
  const Default& default_of(pugi::xml_node node, std::string_view attribute) const;
  mutable std::map<std::pair<const void*, std::string_view>, Default> found_;  // once a place
};

std::string default_key(std::string_view name_of_class, std::string_view tag,
                        std::string_view attribute);

}  // namespace mbs
