// <output>: one value, all components of a quantity, or one for each pass of a repeat.

#include <set>

#include "engine/model/indexed_name.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/reading/bind.hpp"

namespace mbs {

namespace {

// Outputs of `each` and of several components are copies.
void count_copy(ReadContext& context, const Item& item, const Output& output) {
  context.report.count_element(context.expanded.file_of(item.scope), item.node);
  context.report.count_text(output.place, output.name.size() + output.doc.size());
}

bool is_energy(Quantity quantity) {
  return quantity == Quantity::energy || quantity == Quantity::kinetic_energy ||
         quantity == Quantity::potential_energy;
}

void bind_value(ReadContext& context, const Item& item, const AttributeText& value, Output output) {
  output.what.quantity = Quantity::expression;
  output.what.place = output.place;
  const Compiled c = context.compiler.compile_one(value, item.scope, Level::runtime);
  Type type;
  output.unit = context.attributes.display_unit(context.own_text(item, "unit"), c.type, type);
  if (type.failed || !context.check_type(value, item, "value", c.type, c.type.dimension)) return;
  output.value = c.expression;
  output.what.dimension = type.dimension;
  context.expanded.model.outputs.push_back(std::move(output));
}

void add_parts(ReadContext& context, const Item& item, const Output& output, const Entity& of) {
  for (const OutputPart& part : parts_of(context.expanded, item)) {
    Output one = output;
    for (const int index : part.indices) one.name = with_index(one.name, index);
    const bool single = part.indices.empty();
    if (!single) count_copy(context, item, one);
    if (!bind_measured(context, item, one.what, of, single ? nullptr : &part.component)) return;
    Type shown;
    one.unit = context.attributes.display_unit(context.own_text(item, "unit"),
                                               {one.what.dimension, false}, shown);
    if (shown.failed) return;
    if (item.node.attribute("unit").empty() && is_energy(one.what.quantity)) one.unit.name = "J";
    context.expanded.model.outputs.push_back(std::move(one));
  }
}

void report_not_repeated(ReadContext& context, const Item& item, const AttributeText& text,
                         const std::string& keyword) {
  const System& system = context.expanded.system_of(item.scope);
  if (context.expanded.entities.contains(system.prefix + keyword)) {
    context.report.error(text, "not-repeated", "'" + keyword + "' is not repeated",
                         "for a single item use 'of'");
    return;
  }
  std::vector<std::string_view> known;
  for (const auto& [name, count] : system.repeated) known.push_back(name);
  std::sort(known.begin(), known.end());
  context.report.error(text, "unknown-name", "there is no '" + std::string(text.text) + "'",
                       did_you_mean(keyword, known));
}

// One output for each pass: phi[1], phi[2], ... of link[1], link[2] or of link[1].bottom, ...
void bind_each(ReadContext& context, const Item& item, const Output& output) {
  const ExpandedModel& expanded = context.expanded;
  const AttributeText text = context.own_text(item, "each");
  const SyntaxTree* tree = context.compiler.parsed(text);
  if (!tree) return;
  const System& system = expanded.system_of(item.scope);
  const SyntaxTree::Node& root = tree->nodes[tree->roots[0]];
  const bool named = tree->roots.size() == 1 && root.kind == SyntaxTree::Kind::name;
  std::string keyword, tail;
  if (named) {
    const std::vector<SyntaxTree::NamePart>& parts = tree->names[root.name].parts;
    keyword = parts[0].keyword;
    for (std::size_t k = 1; k < parts.size(); ++k) tail += '.' + parts[k].keyword;
  }
  if (system.failed.contains(keyword)) return;
  if (!expanded.scopes[item.scope].indices.empty()) {
    context.report.error(text, "misplaced-each", "'each' stands outside of repeats",
                         "inside use 'of'");
    return;
  }
  if (!named || !system.repeated.contains(keyword)) {
    return report_not_repeated(context, item, text, keyword);
  }
  // All passes, in the order of the file: [1], [2], ... or [1,1], [1,2], ...
  bool any = false;
  std::set<std::string> passes;  // other repeats have the same
  const int own = expanded.scopes[item.scope].system;
  for (const Scope& scope : expanded.scopes) {
    if (scope.system != own || scope.indices.empty()) continue;
    if (!passes.insert(scope.indices).second) continue;
    const auto found = expanded.entities.find(system.prefix + keyword + scope.indices + tail);
    if (found == expanded.entities.end()) continue;
    any = true;
    count_copy(context, item, output);
    Output one = output;
    one.name += scope.indices;
    const Entity& entity = found->second.first;
    if (entity.kind != EntityKind::failed) add_parts(context, item, one, entity);
  }
  if (any || tail.empty()) return;
  context.report.error(text, "unknown-name", "there is no '" + std::string(text.text) + "'",
                       context.compiler.candidates(keyword + tail, own));
}

}  // namespace

void bind_output(ReadContext& context, const Item& item) {
  const ExpandedModel& expanded = context.expanded;
  Output output;
  output.doc = item.node.attribute("doc").value();
  output.name = expanded.system_of(item.scope).prefix + item.node.attribute("name").value() +
                expanded.scopes[item.scope].indices;
  output.place = expanded.place(item);
  const AttributeText value = context.own_text(item, "value");
  if (value.present()) return bind_value(context, item, value, std::move(output));
  if (!item.node.attribute("each").empty()) return bind_each(context, item, output);
  Entity of;
  if (const AttributeText text = context.own_text(item, "of"); text.present()) {
    of = context.compiler.reference(text, item.scope);
    if (of.kind == EntityKind::failed) return;
  }
  add_parts(context, item, output, of);
}

}  // namespace mbs
