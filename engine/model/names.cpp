// What a name in the file means at the place where it stands.

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/elaborate.hpp"
#include "engine/model/nearest.hpp"

namespace mbs {

namespace {

class ScopeNames : public NameSource {
 public:
  ScopeNames(Elaborator& elaborator, int scope, Level level, std::string_view locals)
      : elaborator_(elaborator), scope_(scope), level_(level), locals_(locals) {}
  Resolved resolve(const SyntaxTree& tree, const SyntaxTree::Name& name) override {
    return elaborator_.resolve(tree, name, scope_, level_, locals_);
  }

 private:
  Elaborator& elaborator_;
  int scope_;
  Level level_;
  std::string_view locals_;
};

const char* kind_text(EntityKind kind) {
  switch (kind) {
    case EntityKind::parameter:
      return "a parameter";
    case EntityKind::input:
      return "an input";
    case EntityKind::state:
      return "a state";
    case EntityKind::algebraic:
      return "an algebraic unknown";
    case EntityKind::discrete:
      return "a discrete variable";
    case EntityKind::coordinate:
      return "a joint's coordinate";
    case EntityKind::rate:
      return "the rate of a joint's coordinate";
    case EntityKind::measure:
      return "a measure";
    case EntityKind::output:
      return "an output";
    case EntityKind::event:
      return "an event";
    case EntityKind::condition:
      return "a condition on the start";
    case EntityKind::acceleration:
      return "the acceleration of a joint's coordinate";
    case EntityKind::curve:
      return "a curve";
    case EntityKind::body:
      return "a body";
    case EntityKind::frame:
      return "a frame";
    case EntityKind::joint:
      return "a joint";
    case EntityKind::force:
      return "a force";
    case EntityKind::system:
      return "a subsystem";
    default:
      return "unusable";
  }
}

Resolved constant(double number) {
  Resolved r;
  r.kind = Resolved::Kind::constant;
  r.number = number;
  return r;
}

Resolved symbol(SymbolKind kind, int index, const Type& type) {
  Resolved r;
  r.kind = type.failed ? Resolved::Kind::failed : Resolved::Kind::symbol;
  r.symbol = {kind, index};
  r.type = type;
  return r;
}

Resolved wrong(SyntaxError error) {
  Resolved r;
  r.kind = error.code == "index-range" ? Resolved::Kind::missing : Resolved::Kind::unknown;
  r.error = std::move(error);
  return r;
}

Type typed(const Dimension& dimension) {
  return {dimension, false};
}

}  // namespace

std::string entity_text(EntityKind kind) {
  return kind_text(kind);
}

Compiled Elaborator::compile_node(const SyntaxTree& tree, int node, int scope, Level level,
                                  std::string_view locals) {
  ScopeNames names(*this, scope, level, locals);
  return compile(tree, node, names);
}

std::optional<std::string> Elaborator::full_name(const SyntaxTree& tree,
                                                 const SyntaxTree::Name& name, int scope,
                                                 SyntaxError& why) {
  std::string full = system_of(scope).prefix;
  for (std::size_t k = 0; k < name.parts.size(); ++k) {
    const SyntaxTree::NamePart& part = name.parts[k];
    if (k > 0) full += '.';
    full += part.keyword;
    if (part.indices.empty()) continue;
    char separator = '[';
    for (const int node : part.indices) {
      Compiled index = compile_node(tree, node, scope, Level::structural, {});
      if (!index.errors.empty()) why = index.errors.front();
      if (index.type.failed) return std::nullopt;
      const double number = index.expression.constant();
      const int offset = tree.nodes[static_cast<std::size_t>(node)].offset;
      if (!index.type.free && !same_up_to_angle(index.type.dimension, {})) {
        why = {offset, "dimension",
               "an index has no dimension, this is " + dimension_text(index.type), ""};
        return std::nullopt;
      }
      if (number != std::floor(number) || std::fabs(number) > 1e9) {
        why = {offset, "index", "an index is a whole number, this is " + number_text(number), ""};
        return std::nullopt;
      }
      full += separator + std::to_string(static_cast<long>(number));
      separator = ',';
    }
    full += ']';
  }
  return full;
}

SyntaxError Elaborator::unknown_name(const SyntaxTree::Name& name, int scope,
                                     const std::string& full) {
  const System& system = system_of(scope);
  const SyntaxTree::NamePart& first = name.parts[0];
  const auto repeated = system.repeated.find(first.keyword);
  const std::size_t given = first.indices.size();
  if (repeated != system.repeated.end()) {
    const auto wanted = static_cast<std::size_t>(repeated->second);
    if (given != wanted) {
      return {name.offset, "index",
              "'" + first.keyword + "' is repeated: it needs " + std::to_string(wanted) +
                  (wanted == 1 ? " index" : " indices"),
              "write " + first.keyword +
                  (wanted == 1 ? "[1], or inside the repeat " + first.keyword + "[i] with its index"
                               : "[1,1]")};
    }
    const std::string head = full.substr(0, full.find(']', system.prefix.size()) + 1);
    if (!entities_.contains(head)) {
      return {name.offset, "index-range",
              "there is no " + head.substr(system.prefix.size()) + ": the index of '" +
                  first.keyword + "' is outside the repeat",
              "indices run from 1 to the repeat's count; if(i == 1, a, b) leaves out what does "
              "not exist"};
    }
  } else if (given > 0) {
    const bool known = entities_.contains(system.prefix + first.keyword);
    return {name.offset, known ? "index" : "unknown-name",
            "'" + first.keyword +
                (known ? "' is not repeated: it has no index"
                       : "' is not the name of anything repeated"),
            known ? "" : candidates(first.keyword, scopes_[scope].system)};
  }
  std::string keywords;
  for (const SyntaxTree::NamePart& part : name.parts) {
    keywords += (keywords.empty() ? "" : ".") + part.keyword;
  }
  std::string hint = candidates(keywords, scopes_[scope].system);
  const std::string plain = "'" + first.keyword + ".";
  if (given > 0 && hint.find(plain) != std::string::npos) {  // with the index it was written with
    hint.replace(hint.find(plain) + 1, first.keyword.size(),
                 name.text.substr(0, name.text.find(']') + 1));
  }
  if (name.parts.size() == 1 && parse_unit(first.keyword)) {
    hint +=
        (hint.empty() ? "" : " ") + ("As a unit it stands right behind a number: 1 " +
                                     first.keyword + "; units are multiplied with a point: N.m");
  }
  return {name.offset, "unknown-name", "there is no '" + name.text + "'", hint};
}

std::string Elaborator::candidates(std::string_view keyword, int of, const std::string& before) {
  const System& system = systems_[of];
  std::vector<std::string_view> known(system.keywords.begin(), system.keywords.end());
  std::vector<std::string> more;
  for (const Coordinate& c : model_.coordinates) {
    if (more.size() > 1000 || !c.name.starts_with(system.prefix)) continue;
    std::string text = c.name.substr(system.prefix.size());
    if (text.find('[') != std::string::npos) continue;
    more.push_back(text);
    more.push_back(text + 'd');
  }
  for (const StateVariable& state : model_.states) {
    if (state.element < 0 || more.size() > 1000 || !state.name.starts_with(system.prefix)) continue;
    more.push_back(state.name.substr(system.prefix.size()));
  }
  known.insert(known.end(), more.begin(), more.end());
  known.push_back("ground");
  known.push_back("time");
  const std::string best = nearest(keyword, known);
  return best.empty() ? "" : "did you mean '" + before + best + "'?";
}

Entity Elaborator::look_up(const SyntaxTree& tree, const SyntaxTree::Name& name, int scope,
                           SyntaxError& why) {
  const System& system = system_of(scope);
  if (system.failed.contains(name.parts[0].keyword)) return {};
  if (name.parts.size() == 1 && name.parts[0].keyword == "prev") {
    for (int s = scope; s >= 0; s = scopes_[s].parent) {
      if (scopes_[s].repeat && !scopes_[s].repeat.attribute("prev").empty()) return scopes_[s].prev;
    }
    why = {name.offset, "unknown-name", "'prev' has no meaning here",
           "it belongs to a <repeat> with 'prev' and 'next'"};
    return {};
  }
  const std::optional<std::string> full = full_name(tree, name, scope, why);
  if (!full) return {};
  const auto found = entities_.find(*full);
  if (found != entities_.end()) return found->second.first;
  // Inside a subsystem something may have failed: then this name says nothing new.
  const int own = scopes_[scope].system;
  int inner = own;
  std::string rest;
  for (std::size_t end = full->find('.', system.prefix.size()); end != std::string::npos;
       end = full->find('.', end + 1)) {
    const auto head = entities_.find(full->substr(0, end));
    if (head == entities_.end() || head->second.first.kind != EntityKind::system) break;
    inner = head->second.first.index;
    rest = full->substr(end + 1);
    if (systems_[inner].failed.contains(rest.substr(0, rest.find_first_of(".[")))) return {};
  }
  // A frame or coordinate that an unusable element would have had.
  for (std::size_t k = 1; k < name.parts.size(); ++k) {
    std::string keywords;
    for (std::size_t j = 0; j <= k; ++j) keywords += (j > 0 ? "." : "") + name.parts[j].keyword;
    if (system.failed.contains(keywords)) return {};
  }
  why = unknown_name(name, scope, *full);
  if (inner != own && rest.find('[') == std::string::npos && name.text.ends_with(rest)) {
    why.hint = candidates(rest, inner, name.text.substr(0, name.text.size() - rest.size()));
  }
  return {};
}

Resolved Elaborator::resolve(const SyntaxTree& tree, const SyntaxTree::Name& name, int scope,
                             Level level, std::string_view locals) {
  const SyntaxTree::NamePart& first = name.parts[0];
  if (name.parts.size() == 1 && first.indices.empty()) {
    for (int s = scope; s >= 0; s = scopes_[s].parent) {
      if (scopes_[s].repeat && scopes_[s].index_name == first.keyword) {
        return constant(scopes_[s].index);
      }
    }
    int number = 0;
    for (const std::string_view local : split(locals, ' ')) {
      const std::vector<std::string_view> fields = split(local, ':');
      if (fields[0] == first.keyword) {
        return symbol(SymbolKind::local, number, typed(parse_unit(fields[1])->dimension));
      }
      ++number;
    }
    if (first.keyword == "time" && level >= Level::runtime) {
      return symbol(SymbolKind::time, 0, typed(parse_unit("s")->dimension));
    }
    if (first.keyword == "time") {
      return wrong({name.offset, "not-constant",
                    "'time' cannot be used here: this value is fixed "
                    "before the simulation runs",
                    ""});
    }
  }
  SyntaxError why;
  const Entity entity = look_up(tree, name, scope, why);
  if (entity.kind == EntityKind::failed) {
    if (why.code.empty()) return {};
    return wrong(std::move(why));
  }
  int k = entity.index;
  if (entity.kind == EntityKind::parameter) {
    elaborate_parameter(k);
    const ParameterSlot& slot = slots_[k];
    if (slot.type.failed) return {};
    const Parameter& parameter = model_.parameters[k];
    if (parameter.variability == Variability::structural) {
      Resolved r = constant(parameter.value.constant());
      r.type = slot.type;
      return r;
    }
    if (level == Level::structural) {
      return wrong({name.offset, "not-structural",
                    "'" + name.text +
                        "' is not structural: its value may change after the FMU is "
                        "made",
                    "give the parameter variability=\"structural\""});
    }
    return symbol(SymbolKind::parameter, k, slot.type);
  }
  Resolved r;
  if (entity.kind == EntityKind::curve) {
    const NamedCurve& known = curves_[static_cast<std::size_t>(k)];
    if (!known.curve) return r;
    r.kind = Resolved::Kind::curve;
    r.curve = known.curve;
    r.argument = known.x;
    r.type = typed(known.y);
    return r;
  }
  switch (entity.kind) {
    case EntityKind::input:
      r = symbol(SymbolKind::input, k, input_types_[k]);
      break;
    case EntityKind::state:
      r = symbol(SymbolKind::state, k, state_types_[k]);
      break;
    case EntityKind::algebraic:
      r = symbol(SymbolKind::algebraic, k, algebraic_types_[k]);
      break;
    case EntityKind::discrete:
      r = symbol(SymbolKind::discrete, k, discrete_types_[k]);
      break;
    case EntityKind::measure:
      r = symbol(SymbolKind::measure, k, measure_types_[k]);
      break;
    case EntityKind::coordinate:
      r = symbol(SymbolKind::coordinate, k, typed(model_.coordinates[k].dimension));
      break;
    case EntityKind::rate:
      r = symbol(SymbolKind::coordinate_rate, k,
                 typed(product(model_.coordinates[k].dimension, parse_unit("s")->dimension, -1)));
      break;
    case EntityKind::acceleration:
    case EntityKind::output:
      if (level == Level::event) {
        if (entity.kind == EntityKind::output) {
          // All outputs are bound by now; one that failed is not among them.
          SyntaxError ignored;
          const std::string full = full_name(tree, name, scope, ignored).value_or("");
          const auto found =
              std::find_if(model_.outputs.begin(), model_.outputs.end(),
                           [&](const Output& output) { return output.name == full; });
          if (found == model_.outputs.end()) return {};
          k = static_cast<int>(found - model_.outputs.begin());
          r = symbol(SymbolKind::output, k, typed(model_.outputs[k].what.dimension));
        } else {
          r = symbol(
              SymbolKind::coordinate_acceleration, k,
              typed(product(model_.coordinates[k].dimension, parse_unit("s")->dimension, -2)));
        }
        break;
      }
      [[fallthrough]];
    default: {
      std::string hint;
      if (entity.kind == EntityKind::joint) {
        const auto [begin, end] = coordinates_of(k);
        if (begin < end) {
          const std::string& full = model_.coordinates[begin].name;
          hint = "its coordinate is " + name.text + full.substr(full.rfind('.'));
        }
      } else if (entity.kind == EntityKind::body || entity.kind == EntityKind::frame) {
        hint = "a <measure> gives its position or velocity a name";
      } else if (entity.kind == EntityKind::output) {
        hint = "a <measure> can be used in expressions; only an <event> can use an output";
      } else if (entity.kind == EntityKind::acceleration) {
        hint = "accelerations follow from the forces: only an <event> can use them";
      }
      return wrong({name.offset, "not-a-number",
                    "'" + name.text + "' is " + kind_text(entity.kind) + ", not a number", hint});
    }
  }
  if (level < Level::runtime) {
    return wrong({name.offset, "not-constant",
                  "'" + name.text + "' is " + kind_text(entity.kind) +
                      ": it cannot be used here, this value is fixed before the simulation runs",
                  "use numbers and parameters"});
  }
  return r;
}

Entity Elaborator::reference(const Text& text, int scope) {
  const SyntaxTree* tree = parsed(text);
  if (!tree) return {};
  const SyntaxTree::Node& root = tree->nodes[static_cast<std::size_t>(tree->roots[0])];
  if (tree->roots.size() != 1 || root.kind != SyntaxTree::Kind::name) {
    error(text,
          {0, "not-a-name", "a name is needed here, this is '" + std::string(text.text) + "'", ""});
    return {};
  }
  const SyntaxTree::Name& name = tree->names[static_cast<std::size_t>(root.name)];
  if (name.text == "ground") return {EntityKind::frame, system_of(scope).ground};
  SyntaxError why;
  const Place where = place(text, name.offset);
  const Entity entity = look_up(*tree, name, scope, why);
  if (entity.kind == EntityKind::failed && !why.code.empty() && !taken(where, why.code)) {
    error(text, why);
  }
  return entity;
}

int Elaborator::as_frame(Entity entity) const {
  if (entity.kind == EntityKind::frame) return entity.index;
  if (entity.kind == EntityKind::body) return model_.bodies[entity.index].origin;
  return -1;
}

// The frames that `prev` and a subsystem's `ground` mean. Scopes stand in the order in which they
// were opened, so what one refers to has been settled before it.
void Elaborator::resolve_scopes() {
  for (int s = 0; s < static_cast<int>(scopes_.size()); ++s) {
    Scope& scope = scopes_[s];
    if (scope.repeat) {
      if (scope.repeat.attribute("prev").empty()) continue;
      const bool first = scope.previous < 0;
      const Text text = attribute_text(scope.repeat, s, first ? "prev" : "next");
      if (text.present()) scope.prev = reference(text, first ? scope.parent : scope.previous);
    } else if (system_of(s).use) {
      System& system = system_of(s);
      const Text at = attribute_text(system.use, system.outer_scope, "at");
      if (!at.present()) {
        system.ground = system_of(system.outer_scope).ground;
        continue;
      }
      const Entity entity = reference(at, system.outer_scope);
      const int frame = as_frame(entity);
      if (frame >= 0) {
        system.ground = frame;
      } else if (entity.kind != EntityKind::failed) {
        error(place(at), "wrong-kind",
              "'" + std::string(at.text) + "' is " + kind_text(entity.kind) + ", a frame is needed",
              "");
      }
    }
  }
}

}  // namespace mbs
