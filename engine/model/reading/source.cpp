#include "engine/model/reading/source.hpp"

#include <vector>

#include "engine/base/text.hpp"

namespace mbs {

std::string default_key(std::string_view name_of_class, std::string_view tag,
                        std::string_view attribute) {
  return std::string(name_of_class) + '|' + std::string(tag) + '|' + std::string(attribute);
}

Place AttributeText::place(int offset) const {
  if (!file) return {"command line", 0, 0};
  return file->value_place(node, attribute, offset);
}

AttributeText own_text(const XmlFile& file, pugi::xml_node node, const char* name) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (attribute.empty()) return {};
  return {&file, node, attribute, attribute.value()};
}

bool Source::has(pugi::xml_node node, std::string_view attribute) const {
  if (!node.attribute(std::string(attribute).c_str()).empty()) return true;
  for (const std::string_view c : split(node.attribute("class").value(), ' ')) {
    if (defaults.contains(default_key(c, node.name(), attribute))) return true;
  }
  return defaults.contains(default_key("", node.name(), attribute));
}

// Looked up once for each attribute of a place, however many passes it has.
const Source::Default& Source::default_of(pugi::xml_node node, std::string_view attribute) const {
  const auto [entry, fresh] = found_.try_emplace({node.internal_object(), attribute});
  if (!fresh) return entry->second;
  std::vector<std::string_view> names = split(node.attribute("class").value(), ' ');
  names.push_back("");
  for (const std::string_view c : names) {
    const auto found = defaults.find(default_key(c, node.name(), attribute));
    if (found == defaults.end()) continue;
    entry->second = found->second;
    break;
  }
  return entry->second;
}

AttributeText Source::text(pugi::xml_node node, const AttributeSchema& schema) const {
  AttributeText own = own_text(*file, node, std::string(schema.name).c_str());
  if (own.present()) return own;
  if (!defaults.empty() && schema.type != AttributeType::name) {
    const auto& [item, attribute] = default_of(node, schema.name);
    if (attribute) return {file, item, attribute, attribute.value()};
  }
  own.text = schema.default_value;
  return own;
}

}  // namespace mbs
