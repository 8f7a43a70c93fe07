#include "engine/model/resizable.hpp"

#include <algorithm>
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

bool has_branches(Instruction::Op op) {
  switch (op) {
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
    case abs:
    case sign:
    case min:
    case max:
    case floor:
    case ceil:
    case mod:
    case curve:
      return true;
    default:  // of `if` the condition
      return false;
  }
}

using Keywords = std::set<std::string>;

bool names_any(const SyntaxTree& tree, int node, const Keywords& sizes) {
  const SyntaxTree::Node& at = tree.nodes[static_cast<std::size_t>(node)];
  if (at.name >= 0)
    for (const SyntaxTree::NamePart& name : tree.names[static_cast<std::size_t>(at.name)].parts)
      if (sizes.contains(name.keyword)) return true;
  return at.kind == SyntaxTree::Kind::operation &&
         std::ranges::any_of(at.operands, [&](int operand) {
           return operand >= 0 && names_any(tree, operand, sizes);
         });
}

// The formulas in an element's attributes. Bounds of structural parameters do not count.
std::vector<SyntaxTree> formulas(pugi::xml_node node) {
  std::vector<SyntaxTree> trees;
  for (const pugi::xml_attribute attribute : node.attributes()) try {
      if (is_structural(node) && std::strcmp(attribute.name(), "value") != 0) continue;
      trees.push_back(parse_list(attribute.value(), ReadLimits().expression_depth));
    } catch (const SyntaxError&) {  // a name, a keyword
    }
  return trees;
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

bool has_branches_of_sizes(std::string_view text) {
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) return true;
  Keywords sizes;
  for_all(document, [&](pugi::xml_node node) {
    if (const pugi::xml_attribute index = node.attribute("index")) sizes.insert(index.value());
    if (is_structural(node)) sizes.insert(node.attribute("name").value());
  });
  bool found = false;
  for_all(document, [&](pugi::xml_node node) {
    for (const SyntaxTree& tree : formulas(node))
      for (std::size_t k = 0; k < tree.nodes.size(); ++k)
        found = found ||
                (tree.nodes[k].kind == SyntaxTree::Kind::operation &&
                 has_branches(tree.nodes[k].op) && names_any(tree, static_cast<int>(k), sizes));
  });
  return found;
}

}  // namespace mbs
