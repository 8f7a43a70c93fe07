// Looks up what a name in the file means at the place where it stands.

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/reading/expression_compiler.hpp"
#include "engine/model/units.hpp"

namespace mbs {

namespace {

constexpr std::size_t most_candidates = 1000;

Resolved constant(double number, const Type& type = {}) {
  Resolved r;
  r.kind = Resolved::Kind::constant;
  r.number = number;
  r.type = type;
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

Type of_dimension(const Dimension& dimension) {
  return {dimension, false};
}

const Dimension& second() {
  static const Dimension s = parse_unit("s")->dimension;
  return s;
}

std::string keywords_of(const SyntaxTree::Name& name, std::size_t count) {
  std::string keywords;
  for (std::size_t k = 0; k < count; ++k) keywords += (k > 0 ? "." : "") + name.parts[k].keyword;
  return keywords;
}

}  // namespace

std::optional<long> ExpressionCompiler::index_of(const Site& site, int node, SyntaxError& why) {
  const Compiled index = compile_root(site.tree, node, site.scope, Level::structural);
  if (!index.errors.empty()) why = index.errors.front();
  if (index.type.failed) return std::nullopt;
  const double number = index.expression.constant();
  const int offset = site.tree.nodes[node].offset;
  if (!index.type.free && !same_up_to_angle(index.type.dimension, {})) {
    why = {offset, "dimension", "an index has no dimension, this is " + dimension_text(index.type),
           ""};
    return std::nullopt;
  }
  if (number != std::floor(number) || std::fabs(number) > 1e9) {
    why = {offset, "index", "an index is a whole number, this is " + number_text(number), ""};
    return std::nullopt;
  }
  return static_cast<long>(number);
}

std::optional<std::string> ExpressionCompiler::full_name(const Site& site,
                                                         const SyntaxTree::Name& name,
                                                         SyntaxError& why) {
  std::string full = expanded_.system_of(site.scope).prefix;
  for (std::size_t k = 0; k < name.parts.size(); ++k) {
    const SyntaxTree::NamePart& part = name.parts[k];
    if (k > 0) full += '.';
    full += part.keyword;
    for (std::size_t i = 0; i < part.indices.size(); ++i) {
      const std::optional<long> index = index_of(site, part.indices[i], why);
      if (!index) return std::nullopt;
      full += (i == 0 ? '[' : ',') + std::to_string(*index);
    }
    if (!part.indices.empty()) full += ']';
  }
  return full;
}

// Says what is wrong with the indices of the first keyword; without a code: nothing.
SyntaxError ExpressionCompiler::wrong_index(const SyntaxTree::Name& name, int scope,
                                            const std::string& full) {
  const System& system = expanded_.system_of(scope);
  const SyntaxTree::NamePart& first = name.parts[0];
  const auto repeated = system.repeated.find(first.keyword);
  const int given = static_cast<int>(first.indices.size());
  if (repeated == system.repeated.end()) {
    if (given == 0) return {};
    const bool known = expanded_.entities.contains(system.prefix + first.keyword);
    return {name.offset, known ? "index" : "unknown-name",
            "'" + first.keyword +
                (known ? "' is not repeated: it has no index"
                       : "' is not the name of anything repeated"),
            known ? "" : candidates(first.keyword, expanded_.scopes[scope].system)};
  }
  const int wanted = repeated->second;
  if (given != wanted) {
    return {name.offset, "index",
            "'" + first.keyword + "' is repeated: it needs " + std::to_string(wanted) +
                (wanted == 1 ? " index" : " indices"),
            "write " + first.keyword +
                (wanted == 1 ? "[1], or inside the repeat " + first.keyword + "[i] with its index"
                             : "[1,1]")};
  }
  const std::string head = full.substr(0, full.find(']', system.prefix.size()) + 1);
  if (expanded_.entities.contains(head)) return {};
  return {name.offset, "index-range",
          "there is no " + head.substr(system.prefix.size()) + ": the index of '" + first.keyword +
              "' is outside the repeat",
          "indices run from 1 to the repeat's count; if(i == 1, a, b) leaves out what does not "
          "exist"};
}

SyntaxError ExpressionCompiler::unknown_name(const SyntaxTree::Name& name, int scope,
                                             const std::string& full) {
  SyntaxError index = wrong_index(name, scope, full);
  if (!index.code.empty()) return index;
  const SyntaxTree::NamePart& first = name.parts[0];
  std::string hint =
      candidates(keywords_of(name, name.parts.size()), expanded_.scopes[scope].system);
  const std::string plain = "'" + first.keyword + ".";
  if (!first.indices.empty() && hint.find(plain) != std::string::npos) {
    hint.replace(hint.find(plain) + 1, first.keyword.size(),  // with the index as written
                 name.text.substr(0, name.text.find(']') + 1));
  }
  if (name.parts.size() == 1 && parse_unit(first.keyword)) {
    hint +=
        (hint.empty() ? "" : " ") + ("As a unit it stands right behind a number: 1 " +
                                     first.keyword + "; units are multiplied with a point: N.m");
  }
  return {name.offset, "unknown-name", "there is no '" + name.text + "'", hint};
}

std::string ExpressionCompiler::candidates(std::string_view keyword, int of,
                                           const std::string& before) {
  const System& system = expanded_.systems[of];
  std::vector<std::string_view> known(system.keywords.begin(), system.keywords.end());
  std::vector<std::string> more;
  for (const Coordinate& c : expanded_.model.coordinates) {
    if (more.size() > most_candidates || !c.name.starts_with(system.prefix)) continue;
    const std::string text = c.name.substr(system.prefix.size());
    if (text.find('[') != std::string::npos) continue;
    more.push_back(text);
    more.push_back(text + 'd');
  }
  for (const StateVariable& state : expanded_.model.states) {
    if (state.element < 0 || more.size() > most_candidates ||
        !state.name.starts_with(system.prefix)) {
      continue;
    }
    more.push_back(state.name.substr(system.prefix.size()));
  }
  known.insert(known.end(), more.begin(), more.end());
  known.push_back("ground");
  known.push_back("time");
  const std::string best = nearest(keyword, known);
  return best.empty() ? "" : "did you mean '" + before + best + "'?";
}

Entity ExpressionCompiler::look_up(const Site& site, const SyntaxTree::Name& name,
                                   SyntaxError& why) {
  const System& system = expanded_.system_of(site.scope);
  if (system.failed.contains(name.parts[0].keyword)) return {};
  if (name.parts.size() == 1 && name.parts[0].keyword == "prev") {
    for (int s = site.scope; s >= 0; s = expanded_.scopes[s].parent) {
      const Scope& scope = expanded_.scopes[s];
      if (scope.repeat && !scope.repeat.attribute("prev").empty()) return scope.prev;
    }
    why = {name.offset, "unknown-name", "'prev' has no meaning here",
           "it belongs to a <repeat> with 'prev' and 'next'"};
    return {};
  }
  const std::optional<std::string> full = full_name(site, name, why);
  if (!full) return {};
  const auto found = expanded_.entities.find(*full);
  if (found != expanded_.entities.end()) return found->second.first;
  // Inside a subsystem something may have failed: then this name says nothing new.
  const int own = expanded_.scopes[site.scope].system;
  int inner = own;
  std::string rest;
  for (std::size_t end = full->find('.', system.prefix.size()); end != std::string::npos;
       end = full->find('.', end + 1)) {
    const auto head = expanded_.entities.find(full->substr(0, end));
    if (head == expanded_.entities.end() || head->second.first.kind != EntityKind::system) break;
    inner = head->second.first.index;
    rest = full->substr(end + 1);
    if (expanded_.systems[inner].failed.contains(rest.substr(0, rest.find_first_of(".["))))
      return {};
  }
  // A frame or coordinate that an unusable element would have had.
  for (std::size_t k = 2; k <= name.parts.size(); ++k) {
    if (system.failed.contains(keywords_of(name, k))) return {};
  }
  why = unknown_name(name, site.scope, *full);
  if (inner != own && rest.find('[') == std::string::npos && name.text.ends_with(rest)) {
    why.hint = candidates(rest, inner, name.text.substr(0, name.text.size() - rest.size()));
  }
  return {};
}

// The index of a repeat, a local of the law, the time.
std::optional<Resolved> ExpressionCompiler::resolve_keyword(const Site& site,
                                                            const SyntaxTree::Name& name,
                                                            std::string_view locals) const {
  const std::string& keyword = name.parts[0].keyword;
  for (int s = site.scope; s >= 0; s = expanded_.scopes[s].parent) {
    const Scope& scope = expanded_.scopes[s];
    if (scope.repeat && scope.index_name == keyword) return constant(scope.index);
  }
  int number = 0;
  for (const std::string_view local : split(locals, ' ')) {
    const std::vector<std::string_view> fields = split(local, ':');
    if (fields[0] == keyword) {
      return symbol(SymbolKind::local, number, of_dimension(parse_unit(fields[1])->dimension));
    }
    ++number;
  }
  if (keyword != "time") return std::nullopt;
  if (site.level >= Level::runtime) return symbol(SymbolKind::time, 0, of_dimension(second()));
  return wrong({name.offset, "not-constant",
                "'time' cannot be used here: this value is fixed before the simulation runs", ""});
}

Resolved ExpressionCompiler::resolve_parameter(const Site& site, const SyntaxTree::Name& name,
                                               int index) {
  evaluate_(index);
  const Type& type = expanded_.slots[index].type;
  if (type.failed) return {};
  const Parameter& parameter = expanded_.model.parameters[index];
  if (parameter.variability == Variability::structural) {
    return constant(parameter.value.constant(), type);
  }
  if (site.level > Level::structural) return symbol(SymbolKind::parameter, index, type);
  return wrong({name.offset, "not-structural",
                "'" + name.text + "' is not structural: its value may change after the FMU is made",
                "give the parameter variability=\"structural\""});
}

Resolved ExpressionCompiler::not_a_number(const SyntaxTree::Name& name, Entity entity) const {
  std::string hint;
  if (entity.kind == EntityKind::joint) {
    const auto [begin, end] = expanded_.coordinates_of(entity.index);
    if (begin < end) {
      const std::string& full = expanded_.model.coordinates[begin].name;
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
                "'" + name.text + "' is " + entity_text(entity.kind) + ", not a number", hint});
}

Resolved ExpressionCompiler::resolve_variable(const Site& site, const SyntaxTree::Name& name,
                                              Entity entity) {
  const auto variable = [&](SymbolKind kind) {
    return symbol(kind, entity.index, expanded_.type(entity));
  };
  const auto coordinate = [&](SymbolKind kind, int derivatives) {
    const Dimension& q = expanded_.model.coordinates[entity.index].dimension;
    return symbol(kind, entity.index, of_dimension(product(q, second(), -derivatives)));
  };
  const bool in_event = site.level == Level::event;
  switch (entity.kind) {
    case EntityKind::input:
      return variable(SymbolKind::input);
    case EntityKind::state:
      return variable(SymbolKind::state);
    case EntityKind::algebraic:
      return variable(SymbolKind::algebraic);
    case EntityKind::discrete:
      return variable(SymbolKind::discrete);
    case EntityKind::measure:
      return variable(SymbolKind::measure);
    case EntityKind::coordinate:
      return coordinate(SymbolKind::coordinate, 0);
    case EntityKind::rate:
      return coordinate(SymbolKind::coordinate_rate, 1);
    case EntityKind::acceleration:
      if (in_event) return coordinate(SymbolKind::coordinate_acceleration, 2);
      break;
    case EntityKind::output:
      if (in_event) {  // all outputs are bound by now; one that failed is not among them
        SyntaxError ignored;
        const std::string full = full_name(site, name, ignored).value_or("");
        const std::vector<Output>& outputs = expanded_.model.outputs;
        const auto found = std::ranges::find(outputs, full, &Output::name);
        if (found == outputs.end()) return {};
        return symbol(SymbolKind::output, static_cast<int>(found - outputs.begin()),
                      of_dimension(found->what.dimension));
      }
      break;
    default:
      break;
  }
  return not_a_number(name, entity);
}

Resolved ExpressionCompiler::resolve(const Site& site, const SyntaxTree::Name& name,
                                     std::string_view locals) {
  if (name.parts.size() == 1 && name.parts[0].indices.empty()) {
    if (auto keyword = resolve_keyword(site, name, locals)) return *keyword;
  }
  SyntaxError why;
  const Entity entity = look_up(site, name, why);
  if (entity.kind == EntityKind::failed) return why.code.empty() ? Resolved{} : wrong(why);
  if (entity.kind == EntityKind::parameter) return resolve_parameter(site, name, entity.index);
  if (entity.kind == EntityKind::curve) {
    const NamedCurve& known = expanded_.curves[entity.index];
    Resolved r;
    if (!known.curve) return r;
    r.kind = Resolved::Kind::curve;
    r.curve = known.curve;
    r.argument = known.x;
    r.type = of_dimension(known.y);
    return r;
  }
  Resolved r = resolve_variable(site, name, entity);
  if (site.level >= Level::runtime || r.kind == Resolved::Kind::unknown) return r;
  return wrong({name.offset, "not-constant",
                "'" + name.text + "' is " + entity_text(entity.kind) +
                    ": it cannot be used here, this value is fixed before the simulation runs",
                "use numbers and parameters"});
}

}  // namespace mbs
