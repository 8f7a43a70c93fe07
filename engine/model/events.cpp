// <event>: its condition or its times, and what it sets.

#include <algorithm>

#include "engine/model/elaborate.hpp"
#include "engine/model/nearest.hpp"

namespace mbs {

namespace {

const AttributeSchema& attribute(const Item& item, std::string_view name) {
  return item.tag->attributes[static_cast<std::size_t>(find_attribute(*item.tag, name))];
}

}  // namespace

void Elaborator::bind_event(const Item& item) {
  Event& event = model_.events[item.index];
  event.terminate = read_attribute(item, attribute(item, "terminate")).index == 1;
  const Text when = attribute_text(item.node, item.scope, "when");
  const AttributeValue at = read_attribute(item, attribute(item, "at"));
  const AttributeValue every = read_attribute(item, attribute(item, "every"));
  if (when.present()) {
    bind_condition(item, when, event);
  } else if (!at.given && !every.given) {
    error(file_of(item.scope).place(item.node), "missing-attribute",
          "<event> needs 'when', 'at' or 'every'", "when it is to happen");
  } else {
    event.time = every.given ? Event::Time::every : Event::Time::at;
    if (!at.numbers.empty()) event.at = at.numbers[0];
    if (!every.numbers.empty()) event.every = every.numbers[0];
  }
  bind_sets(item, event);
}

// `when` is one comparison, a > b: the event is where a - b passes through zero, upwards for > and
// >=, downwards for < and <=, both ways for ==. Where it jumps, equality is false for > and <.
void Elaborator::bind_condition(const Item& item, const Text& when, Event& event) {
  const SyntaxTree* tree = parsed(when);
  if (!tree) return;
  using Op = Instruction::Op;
  SyntaxTree difference = *tree;
  SyntaxTree::Node& root = difference.nodes[static_cast<std::size_t>(difference.roots[0])];
  event.rising = root.op == Op::greater || root.op == Op::greater_equal || root.op == Op::equal;
  event.falling = root.op == Op::less || root.op == Op::less_equal || root.op == Op::equal;
  event.true_at_zero = root.op != Op::greater && root.op != Op::less;
  const bool comparison = root.kind == SyntaxTree::Kind::operation && tree->roots.size() == 1;
  if (!comparison || (!event.rising && !event.falling)) {
    error(when,
          {0, "not-a-comparison", "'when' needs one comparison of two numbers, like 'gap < 0'",
           "> and >= are met from below, < and <= from above, == both ways; for several "
           "conditions write several events"});
    return;
  }
  const Compiled condition = compile_node(*tree, tree->roots[0], item.scope, Level::event, {});
  for (const SyntaxError& e : condition.errors) error(when, e);
  if (condition.type.failed) {
    // an output of 'each' or component="all" is a name without a value; other failures have been
    // told
    if (diagnostics_.ok()) {
      error(when,
            {0, "no-value", "something in 'when' has no value of its own",
             "an output with 'each' or of several components: name one of them by a measure"});
    }
    return;
  }
  root.op = Op::subtract;
  Compiled c = compile_node(difference, difference.roots[0], item.scope, Level::event, {});
  const auto symbols = c.expression.symbols();
  if (std::all_of(symbols.begin(), symbols.end(),
                  [](const Symbol& s) { return s.kind == SymbolKind::parameter; })) {
    error(when, {0, "constant-condition", "nothing in 'when' ever changes",
                 "it may use time, inputs, states, measures, outputs, coordinates, their rates and "
                 "accelerations"});
    return;
  }
  event.function = c.expression;
  const Text tolerance = attribute_text(item.node, item.scope, "tolerance");
  if (!tolerance.present()) return;
  const Compiled band = compile_one(tolerance, item.scope, Level::structural);
  if (!check_type(tolerance, 0, attribute(item, "tolerance"), band.type, c.type.dimension)) return;
  event.tolerance = band.expression.constant();
  if (!(event.tolerance >= 0.0)) {
    error(tolerance, {0, "range", "'tolerance' must not be below 0", ""});
  }
}

// The values of <set> in an event.
void Elaborator::bind_sets(const Item& item, Event& event) {
  const XmlFile& file = file_of(item.scope);
  for (const pugi::xml_node set : item.node.children("set")) {
    count_element(file, set);
    for (const pugi::xml_attribute given : set.attributes()) {
      const std::string keyword = given.name();
      const Place where = file.place(set, given);
      // In a repeat that of the same pass.
      const System& system = system_of(item.scope);
      const std::size_t dot = keyword.find('.');
      const auto own =
          entities_.find(system.prefix + keyword.substr(0, dot) + scopes_[item.scope].indices +
                         (dot == std::string::npos ? "" : keyword.substr(dot)));
      const auto found = own != entities_.end() ? own : entities_.find(system.prefix + keyword);
      if (found == entities_.end()) {
        if (system.failed.contains(keyword.substr(0, dot)) || taken(where, "unknown-name"))
          continue;
        std::vector<std::string_view> known;
        const auto add = [&](const auto& variables) {
          for (const auto& v : variables) {
            if (v.name.starts_with(system.prefix))
              known.push_back(std::string_view(v.name).substr(system.prefix.size()));
          }
        };
        add(model_.states);
        add(model_.discretes);
        error(where, "unknown-name", "there is no state or discrete variable '" + keyword + "'",
              did_you_mean(keyword, known));
        continue;
      }
      const Entity entity = found->second.first;
      if (entity.kind == EntityKind::failed) continue;
      const bool discrete = entity.kind == EntityKind::discrete;
      if (!discrete && entity.kind != EntityKind::state) {
        error(where, "not-settable", "'" + keyword + "' is " + entity_text(entity.kind),
              "an event sets states and discrete variables");
        continue;
      }
      const bool twice =
          std::any_of(event.sets.begin(), event.sets.end(), [&](const Event::Set& other) {
            return other.discrete == discrete && other.index == entity.index;
          });
      if (twice) {
        error(where, "duplicate-attribute", "the event sets '" + keyword + "' twice");
        continue;
      }
      const Text text = attribute_text(set, item.scope, given.name());
      const Compiled value = compile_one(text, item.scope, Level::event);
      const Type& type = (discrete ? discrete_types_ : state_types_)[entity.index];
      const AttributeSchema schema{.name = keyword};
      if (type.failed || !check_type(text, 0, schema, value.type, type.dimension)) continue;
      event.sets.push_back({discrete, entity.index, value.expression});
    }
  }
}

}  // namespace mbs
