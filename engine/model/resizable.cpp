#include "engine/model/resizable.hpp"

#include <cmath>
#include <cstring>
#include <pugixml.hpp>
#include <set>

#include "engine/model/reader.hpp"
#include "engine/model/syntax.hpp"

namespace mbs {
namespace {

bool is_structural(pugi::xml_node node) {
  return std::strcmp(node.name(), "parameter") == 0 &&
         std::strcmp(node.attribute("variability").value(), "structural") == 0;
}

template <class Visit>
void for_all(pugi::xml_node node, Visit&& visit) {
  for (const pugi::xml_node child : node.children()) {
    visit(child);
    for_all(child, visit);
  }
}

// Of several pieces, so that a whole number in it may be where one ends.
bool has_pieces(const SyntaxTree& tree) {
  for (const SyntaxTree::Node& node : tree.nodes) {
    if (node.kind != SyntaxTree::Kind::operation) continue;
    switch (node.op) {
      using enum Instruction::Op;
      case less:
      case less_equal:
      case greater:
      case greater_equal:
      case equal:
      case not_equal:
      case logical_not:
      case logical_and:
      case logical_or:
      case choose:
      case abs:
      case sign:
      case min:
      case max:
      case floor:
      case ceil:
      case mod:
        return true;
      default:
        break;
    }
  }
  return false;
}

bool names_any(const SyntaxTree& tree, const std::set<std::string>& words) {
  for (const SyntaxTree::Name& name : tree.names)
    for (const SyntaxTree::NamePart& part : name.parts)
      if (words.contains(part.word)) return true;
  return false;
}

}  // namespace

std::vector<std::string> resizable_parameters(std::string_view text) {
  std::vector<std::string> names;
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) return names;
  for (const pugi::xml_node node : document.document_element().children("parameter"))
    if (std::strcmp(node.attribute("resizable").value(), "true") == 0)
      names.emplace_back(node.attribute("name").value());
  return names;
}

std::vector<int> turning_sizes(std::string_view text) {
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) return {};
  std::set<std::string> words;
  for_all(document, [&](pugi::xml_node node) {
    if (is_structural(node)) words.insert(node.attribute("name").value());
    if (const pugi::xml_attribute index = node.attribute("index")) words.insert(index.value());
  });
  std::set<int> sizes;
  for_all(document, [&](pugi::xml_node node) {
    for (const pugi::xml_attribute attribute : node.attributes()) {
      SyntaxTree tree;
      try {
        tree = parse_list(attribute.value(), ReadLimits().expression_depth);
      } catch (const SyntaxError&) {
        continue;  // a name, a word: no formula
      }
      const bool is_value = is_structural(node) && std::strcmp(attribute.name(), "value") == 0;
      if (!is_value && !(has_pieces(tree) && names_any(tree, words))) continue;
      constexpr double largest = 1e6;
      for (const SyntaxTree::Node& one : tree.nodes)
        if (one.kind == SyntaxTree::Kind::number && one.bare && one.number >= 1.0 &&
            one.number <= largest)
          sizes.insert(static_cast<int>(std::ceil(one.number)));
    }
  });
  return {sizes.begin(), sizes.end()};
}

}  // namespace mbs
