#include "engine/model/reading/expression_compiler.hpp"

#include <algorithm>

#include "engine/base/text.hpp"
#include "engine/model/units.hpp"

namespace mbs {

const SyntaxTree* ExpressionCompiler::parsed(const AttributeText& text) {
  auto [entry, fresh] = parsed_.try_emplace(text.text.data());
  auto& [tree, failure] = entry->second;
  if (fresh) {
    try {
      tree = parse_list(text.text, report_.limits().expression_depth);
    } catch (const SyntaxError& e) {
      failure = e;
    }
  }
  if (!failure) return &tree;
  report_.error(text, *failure);
  return nullptr;
}

Compiled ExpressionCompiler::compile_root(const SyntaxTree& tree, int root, int scope, Level level,
                                          std::string_view locals) {
  return compile(tree, root, [&](const SyntaxTree::Name& name) {
    return resolve({tree, scope, level}, name, locals);
  });
}

std::vector<Compiled> ExpressionCompiler::compile_list(const AttributeText& text, int scope,
                                                       Level level, std::string_view locals) {
  std::vector<Compiled> result;
  const SyntaxTree* tree = parsed(text);
  if (!tree) return result;
  for (const int root : tree->roots) {
    // The command line gives numbers; its names would be those of the top.
    result.push_back(compile_root(*tree, root, std::max(0, scope), level, locals));
    for (const SyntaxError& e : result.back().errors) report_.error(text, e);
  }
  return result;
}

Compiled ExpressionCompiler::compile_one(const AttributeText& text, int scope, Level level) {
  std::vector<Compiled> list = compile_list(text, scope, level);
  if (list.size() == 1) return std::move(list.front());
  Compiled failed;
  failed.type.failed = true;
  if (!list.empty()) {
    report_.error(text, "component-count",
                  "one value is needed here, these are " + std::to_string(list.size()));
  }
  return failed;
}

bool ExpressionCompiler::check_type(const AttributeText& text, const AttributeSchema& schema,
                                    const Type& type, const Dimension& wanted, int offset) {
  if (type.failed) return false;
  const auto wrong = [&](const std::string& message, const std::string& hint) {
    report_.error(text, {offset, "dimension", message, hint});
    return false;
  };
  const std::string name = "'" + std::string(schema.name) + "'";
  if (type.condition) {
    return wrong(name + " needs a number, this is a condition",
                 "if(condition, a, b) makes a number of it");
  }
  if (type.free || same_up_to_angle(type.dimension, wanted)) return true;
  const bool none = same_up_to_angle(wanted, {});
  const std::string unit = schema.dimension == "?" || schema.dimension.empty()
                               ? si_unit_name(wanted)
                               : std::string(schema.dimension);
  return wrong(name + " needs " + (none ? "an angle or a number without dimension" : unit) +
                   ", this is " + dimension_text(type),
               none ? ""
               : same_up_to_angle(type.dimension, {})
                   ? "give its numbers units, so that it comes to " + unit
                   : "a bare number would be taken in " + unit);
}

Entity ExpressionCompiler::reference(const AttributeText& text, int scope) {
  const SyntaxTree* tree = parsed(text);
  if (!tree) return {};
  const SyntaxTree::Node& root = tree->nodes[tree->roots[0]];
  if (tree->roots.size() != 1 || root.kind != SyntaxTree::Kind::name) {
    report_.error(text, "not-a-name",
                  "a name is needed here, this is '" + std::string(text.text) + "'");
    return {};
  }
  const SyntaxTree::Name& name = tree->names[root.name];
  if (name.text == "ground") return {EntityKind::frame, expanded_.system_of(scope).ground};
  SyntaxError why;
  const Entity entity = look_up({*tree, scope, Level::structural}, name, why);
  if (entity.kind == EntityKind::failed && !why.code.empty() &&
      !report_.counts_again(text.place(name.offset), why.code)) {
    report_.error(text, why);
  }
  return entity;
}

}  // namespace mbs
