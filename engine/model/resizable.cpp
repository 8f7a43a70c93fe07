#include "engine/model/resizable.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
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

bool has_pieces(Instruction::Op op) {
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

// Its switching point is not visible in its numbers: products, curves, functions.
bool is_scaled(const SyntaxTree::Node& node) {
  using enum Instruction::Op;
  if (node.kind == SyntaxTree::Kind::number) return !node.bare;
  return node.kind == SyntaxTree::Kind::operation && !has_pieces(node.op) && node.op != add &&
         node.op != subtract && node.op != negate && node.op != choose;
}

using Keywords = std::set<std::string>;

constexpr int anywhere = 1'000'000;

// The keywords and numbers below a node.
struct Part {
  Keywords keywords;
  std::set<int> numbers;
};

void collect(const SyntaxTree& tree, int node, Part& part) {
  const SyntaxTree::Node& at = tree.nodes[node];
  if (at.kind == SyntaxTree::Kind::number && at.number >= 0.0 && at.number <= anywhere)
    part.numbers.insert(static_cast<int>(std::ceil(at.number)));
  if (is_scaled(at) || at.op == Instruction::Op::curve) part.numbers.insert(anywhere);
  if (at.name >= 0)
    for (const SyntaxTree::NamePart& name : tree.names[at.name].parts)
      part.keywords.insert(name.keyword);
  if (at.kind != SyntaxTree::Kind::operation) return;
  for (const int operand : at.operands)
    if (operand >= 0) collect(tree, operand, part);
}

// The formulas of an element's attributes; of structural parameters not their bounds.
std::vector<SyntaxTree> formulas(pugi::xml_node node) {
  std::vector<SyntaxTree> trees;
  for (const pugi::xml_attribute attribute : node.attributes()) try {
      if (is_structural(node) && std::strcmp(attribute.name(), "value") != 0) continue;
      trees.push_back(parse_list(attribute.value(), ReadLimits().expression_depth));
    } catch (const SyntaxError&) {  // a name, a keyword
    }
  return trees;
}

bool meet(const Keywords& a, const Keywords& b) {
  return std::ranges::any_of(a, [&b](const std::string& keyword) { return b.contains(keyword); });
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
  Keywords sizes;
  std::map<std::string, Part> parameters;  // structural ones
  for_all(document, [&](pugi::xml_node node) {
    if (const pugi::xml_attribute index = node.attribute("index")) sizes.insert(index.value());
    if (!is_structural(node)) return;
    Part& part = parameters[node.attribute("name").value()];
    sizes.insert(node.attribute("name").value());
    for (const SyntaxTree& tree : formulas(node))
      for (const int root : tree.roots) collect(tree, root, part);
  });
  Part turning;
  for_all(document, [&](pugi::xml_node node) {
    for (const SyntaxTree& tree : formulas(node))
      for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
        const SyntaxTree::Node& at = tree.nodes[k];
        Part part;
        if (at.kind != SyntaxTree::Kind::operation || !has_pieces(at.op)) continue;
        collect(tree, static_cast<int>(k), part);
        if (!meet(part.keywords, sizes)) continue;
        turning.keywords.merge(part.keywords);
        turning.numbers.merge(part.numbers);
      }
  });
  for (bool more = true; more;) {
    more = false;
    for (auto& [name, part] : parameters) {
      if (!turning.keywords.contains(name)) continue;
      more = more || !std::ranges::includes(turning.keywords, part.keywords);
      turning.keywords.insert(part.keywords.begin(), part.keywords.end());
      turning.numbers.insert(part.numbers.begin(), part.numbers.end());
    }
  }
  return {turning.numbers.begin(), turning.numbers.end()};
}

}  // namespace mbs
