// Inputs, states, algebraic and discrete variables.

#include "engine/model/reading/bind.hpp"

namespace mbs {

namespace {

void bind_input(ReadContext& context, const Item& item) {
  Input& input = context.expanded.model.inputs[item.index];
  Type type{{}, false};
  input.unit.name = "1";
  if (const AttributeText unit = context.own_text(item, "unit"); unit.present()) {
    const std::optional<Unit> read = context.attributes.unit(unit);
    if (!read) return;
    input.unit = *read;
    type.dimension = read->dimension;
  }
  const AttributeText start = context.own_text(item, "start");
  if (start.present()) {
    const Compiled c = context.compiler.compile_one(start, item.scope, Level::parameters);
    if (context.check_type(start, item, "start", c.type, type.dimension)) {
      input.start = c.expression;
    }
  }
  context.expanded.type({EntityKind::input, item.index}) = type;
}

// The dimension of a variable is that of its start value, or of its unit.
template <class Variable>
void bind_unknown(ReadContext& context, const Item& item, EntityKind kind, Variable& variable) {
  const AttributeText start = context.own_text(item, "start");
  if (!start.present()) return;
  Type& type = context.expanded.type({kind, item.index});
  const Compiled c = context.compiler.compile_one(start, item.scope, Level::parameters);
  const Unit display =
      context.attributes.display_unit(context.own_text(item, "unit"), c.type, type);
  if (type.failed) return;
  type.free = false;
  if (c.type.condition) {
    type.failed = true;
    context.check_type(start, item, "start", c.type, {});
    return;
  }
  variable.unit = display;
  variable.start = c.expression;
}

}  // namespace

void bind_start(ReadContext& context, const Item& item) {
  Model& model = context.expanded.model;
  const std::string_view tag = item.tag->name;
  if (tag == "input") bind_input(context, item);
  if (tag == "state") {
    bind_unknown(context, item, EntityKind::state, model.states[item.index]);
  } else if (tag == "algebraic") {
    bind_unknown(context, item, EntityKind::algebraic, model.algebraics[item.index]);
  } else if (tag == "discrete") {
    bind_unknown(context, item, EntityKind::discrete, model.discretes[item.index]);
  }
}

void bind_law(ReadContext& context, const Item& item) {
  Model& model = context.expanded.model;
  const bool state = item.tag->name == "state";
  if (!state && item.tag->name != "algebraic") return;
  const char* name = state ? "der" : "residual";
  const AttributeText text = context.own_text(item, name);
  if (!text.present()) return;
  const Compiled c = context.compiler.compile_one(text, item.scope, Level::runtime);
  Dimension wanted = c.type.dimension;
  if (state) {
    const Type& type = context.expanded.type({EntityKind::state, item.index});
    if (type.failed) return;
    wanted = product(type.dimension, parse_unit("s")->dimension, -1);
  }
  if (!context.check_type(text, item, name, c.type, wanted)) return;
  (state ? model.states[item.index].der : model.algebraics[item.index].residual) = c.expression;
}

}  // namespace mbs
