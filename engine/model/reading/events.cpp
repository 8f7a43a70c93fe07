// <event>: its condition or its times, and what it sets.

#include "engine/model/nearest.hpp"
#include "engine/model/reading/bind.hpp"

namespace mbs {

namespace {

using Op = Instruction::Op;

// `when` is one comparison, a > b: the event is where a - b passes through zero, upwards for > and
// >=, downwards for < and <=, both ways for ==. Where it jumps, equality is false for > and <.
bool bind_comparison(ReadContext& context, const AttributeText& when, const SyntaxTree& tree,
                     Event& event) {
  const SyntaxTree::Node& root = tree.nodes[tree.roots[0]];
  event.rising = root.op == Op::greater || root.op == Op::greater_equal || root.op == Op::equal;
  event.falling = root.op == Op::less || root.op == Op::less_equal || root.op == Op::equal;
  event.true_at_zero = root.op != Op::greater && root.op != Op::less;
  const bool operation = root.kind == SyntaxTree::Kind::operation && tree.roots.size() == 1;
  if (operation && (event.rising || event.falling)) return true;
  context.report.error(
      when, "not-a-comparison", "'when' needs one comparison of two numbers, like 'gap < 0'",
      "> and >= are met from below, < and <= from above, == both ways; for several conditions "
      "write several events");
  return false;
}

void bind_tolerance(ReadContext& context, const Item& item, const Type& type, Event& event) {
  const AttributeText tolerance = context.own_text(item, "tolerance");
  if (!tolerance.present()) return;
  const Compiled band = context.compiler.compile_one(tolerance, item.scope, Level::structural);
  if (!context.check_type(tolerance, item, "tolerance", band.type, type.dimension)) return;
  event.tolerance = band.expression.constant();
  if (!(event.tolerance >= 0.0)) {
    context.report.error(tolerance, "range", "'tolerance' must not be below 0");
  }
}

void bind_condition(ReadContext& context, const Item& item, const AttributeText& when,
                    Event& event) {
  const SyntaxTree* tree = context.compiler.parsed(when);
  if (!tree || !bind_comparison(context, when, *tree, event)) return;
  const Compiled condition =
      context.compiler.compile_root(*tree, tree->roots[0], item.scope, Level::event);
  for (const SyntaxError& e : condition.errors) context.report.error(when, e);
  if (condition.type.failed) {
    if (context.report.ok()) {  // other failures have been reported
      context.report.error(
          when, "no-value", "something in 'when' has no value of its own",
          "an output with 'each' or of several components: name one of them by a measure");
    }
    return;
  }
  SyntaxTree difference = *tree;
  difference.nodes[difference.roots[0]].op = Op::subtract;
  const Compiled c =
      context.compiler.compile_root(difference, difference.roots[0], item.scope, Level::event);
  if (std::ranges::all_of(c.expression.symbols(),
                          [](const Symbol& s) { return s.kind == SymbolKind::parameter; })) {
    context.report.error(
        when, "constant-condition", "nothing in 'when' ever changes",
        "it may use time, inputs, states, measures, outputs, coordinates, their rates and "
        "accelerations");
    return;
  }
  event.function = c.expression;
  bind_tolerance(context, item, c.type, event);
}

void report_unknown_variable(ReadContext& context, const Place& where, const System& system,
                             const std::string& keyword) {
  std::vector<std::string_view> known;
  const auto add = [&](const auto& variables) {
    for (const auto& v : variables) {
      if (v.name.starts_with(system.prefix))
        known.push_back(std::string_view(v.name).substr(system.prefix.size()));
    }
  };
  add(context.expanded.model.states);
  add(context.expanded.model.discretes);
  context.report.error(where, "unknown-name",
                       "there is no state or discrete variable '" + keyword + "'",
                       did_you_mean(keyword, known));
}

// The variable that a <set> names, in a repeat that of the same pass; kind `failed`: none.
Entity variable_of(ReadContext& context, const Item& item, const std::string& keyword,
                   const Place& where) {
  const ExpandedModel& expanded = context.expanded;
  const System& system = expanded.system_of(item.scope);
  const std::size_t dot = std::min(keyword.find('.'), keyword.size());
  const std::string head = keyword.substr(0, dot);
  auto found = expanded.entities.find(system.prefix + head + expanded.scopes[item.scope].indices +
                                      keyword.substr(dot));
  if (found == expanded.entities.end()) found = expanded.entities.find(system.prefix + keyword);
  if (found == expanded.entities.end()) {
    if (!system.failed.contains(head) && !context.report.counts_again(where, "unknown-name")) {
      report_unknown_variable(context, where, system, keyword);
    }
    return {};
  }
  const Entity entity = found->second.first;
  if (entity.kind == EntityKind::discrete || entity.kind == EntityKind::state) return entity;
  if (entity.kind != EntityKind::failed) {
    context.report.error(where, "not-settable", "'" + keyword + "' is " + entity_text(entity.kind),
                         "an event sets states and discrete variables");
  }
  return {};
}

void bind_set(ReadContext& context, const Item& item, pugi::xml_node set, pugi::xml_attribute given,
              Event& event) {
  const XmlFile& file = context.expanded.file_of(item.scope);
  const std::string keyword = given.name();
  const Place where = file.place(set, given);
  const Entity entity = variable_of(context, item, keyword, where);
  if (entity.kind == EntityKind::failed) return;
  const bool discrete = entity.kind == EntityKind::discrete;
  const bool twice = std::ranges::any_of(event.sets, [&](const Event::Set& other) {
    return other.discrete == discrete && other.index == entity.index;
  });
  if (twice) {
    context.report.error(where, "duplicate-attribute", "the event sets '" + keyword + "' twice");
    return;
  }
  const AttributeText text = own_text(file, set, given.name());
  const Compiled value = context.compiler.compile_one(text, item.scope, Level::event);
  const Type& type = context.expanded.type(entity);
  if (type.failed ||
      !context.compiler.check_type(text, {.name = keyword}, value.type, type.dimension)) {
    return;
  }
  event.sets.push_back({discrete, entity.index, value.expression});
}

}  // namespace

void bind_event(ReadContext& context, const Item& item) {
  Event& event = context.expanded.model.events[item.index];
  event.terminate = context.read(item, "terminate").index == 1;
  const AttributeText when = context.own_text(item, "when");
  const AttributeValue at = context.read(item, "at");
  const AttributeValue every = context.read(item, "every");
  if (when.present()) {
    bind_condition(context, item, when, event);
  } else if (!at.given && !every.given) {
    context.report.error(context.expanded.place(item), "missing-attribute",
                         "<event> needs 'when', 'at' or 'every'", "when it is to happen");
  } else {
    event.time = every.given ? Event::Time::every : Event::Time::at;
    if (!at.numbers.empty()) event.at = at.numbers[0];
    if (!every.numbers.empty()) event.every = every.numbers[0];
  }
  for (const pugi::xml_node set : item.node.children("set")) {
    context.report.count_element(context.expanded.file_of(item.scope), set);
    for (const pugi::xml_attribute given : set.attributes()) {
      bind_set(context, item, set, given, event);
    }
  }
}

}  // namespace mbs
