#pragma once

// The model as far as it is known while it is expanded and bound, with the readers of its
// attributes.

#include <span>
#include <string_view>

#include "engine/model/reading/parameter_evaluator.hpp"

namespace mbs {

struct ReadContext {
  ReadContext(Diagnostics& diagnostics, std::span<const Override> values, const ReadLimits& limits)
      : overrides(values), report(diagnostics, limits) {}
  ReadContext(const ReadContext&) = delete;  // its members refer to each other

  AttributeText own_text(const Item& item, const char* name) const {
    return expanded.own_text(item, name);
  }
  AttributeValue read(const Item& item, std::string_view name) {
    return attributes.read(item, name);
  }
  bool check_type(const AttributeText& text, const Item& item, std::string_view name,
                  const Type& type, const Dimension& wanted) {
    return compiler.check_type(text, item.attribute(name), type, wanted);
  }
  // A kind of item that is needed here; reports another one.
  bool is(const AttributeText& text, Entity entity, EntityKind wanted, std::string hint = {}) {
    if (entity.kind == wanted) return true;
    if (entity.kind != EntityKind::failed) {
      report.error(text, "wrong-kind",
                   "'" + std::string(text.text) + "' is " + entity_text(entity.kind) + ", " +
                       entity_text(wanted) + " is needed",
                   std::move(hint));
    }
    return false;
  }

  std::span<const Override> overrides;
  ReadReport report;
  ExpandedModel expanded;
  ExpressionCompiler compiler{expanded, report, [this](int k) { parameters.evaluate(k); }};
  AttributeReader attributes{expanded, compiler, overrides, report};
  ParameterEvaluator parameters{expanded, compiler, attributes, report};
};

}  // namespace mbs
