// Gravity, the start, the solver and its methods.

#include <utility>

#include "engine/base/text.hpp"
#include "engine/model/nearest.hpp"
#include "engine/model/reading/bind.hpp"
#include "engine/model/solver_overrides.hpp"

namespace mbs {

namespace {

using S = SolverSettings;

constexpr std::pair<std::string_view, std::string S::*> keyword_settings[] = {
    {"method", &S::method},
    {"coordinates", &S::coordinates},
    {"linear", &S::linear},
    {"scheme", &S::scheme},
    {"redundancy", &S::redundancy}};
constexpr std::pair<std::string_view, double S::*> real_settings[] = {
    {"rtol", &S::rtol},
    {"atol", &S::atol},
    {"initial_step", &S::initial_step},
    {"max_step", &S::max_step},
    {"start_time", &S::start_time},
    {"stop_time", &S::stop_time},
    {"output_step", &S::output_step}};
constexpr std::pair<std::string_view, int S::*> whole_settings[] = {
    {"max_order", &S::max_order},
    {"dense_order", &S::dense_order},
    {"event_points", &S::event_points}};

double number_or(const AttributeValue& value, double otherwise) {
  return value.numbers.empty() ? otherwise : value.numbers[0].constant();
}

void bind_init(ReadContext& context, const Item& item) {
  Model& model = context.expanded.model;
  model.init_method = context.read(item, "method").text;
  model.init_conditions = context.read(item, "conditions").text;
  if (model.init_method != "statics" || model.init_conditions == "fill") return;
  context.report.error(
      context.expanded.place(item), "conditions-of-statics",
      "conditions=\"" + model.init_conditions +
          "\" belongs to a start by projection: a static equilibrium determines itself",
      "take conditions=\"fill\", or method=\"projection\"");
}

void bind_tolerance(ReadContext& context, const Item& item) {
  Model& model = context.expanded.model;
  const AttributeText of = context.own_text(item, "of");
  if (!of.present()) return;
  const Entity entity = context.compiler.reference(of, item.scope);
  OwnTolerance own{
      {}, number_or(context.read(item, "rtol"), 0.0), number_or(context.read(item, "atol"), 0.0)};
  if (entity.kind == EntityKind::body) {
    own.of = model.elements[model.bodies[entity.index].element].name;
  } else if (entity.kind == EntityKind::state) {
    own.of = model.states[entity.index].name;
  } else if (entity.kind != EntityKind::failed) {
    context.report.error(of, "kind",
                         "'" + std::string(of.text) + "' is neither a body nor a state");
  }
  if (!own.of.empty()) model.solver.own_tolerances.push_back(std::move(own));
}

void bind_solver(ReadContext& context, const Item& item) {
  S& solver = context.expanded.model.solver;
  for (const auto& [name, member] : keyword_settings) {
    solver.*member = context.read(item, name).text;
  }
  for (const auto& [name, member] : real_settings) {
    solver.*member = number_or(context.read(item, name), solver.*member);
  }
  for (const auto& [name, member] : whole_settings) {
    solver.*member = static_cast<int>(number_or(context.read(item, name), 0));
  }
  solver.max_steps = static_cast<long>(number_or(context.read(item, "max_steps"), 0));
  if (solver.stop_time > solver.start_time) return;
  const AttributeText stop = context.attributes.text(item, item.attribute("stop_time"));
  context.report.error(stop.present() ? stop.place() : context.expanded.place(item), "range",
                       "'stop_time' must be after 'start_time', these are " +
                           number_text(solver.stop_time) + " s and " +
                           number_text(solver.start_time) + " s");
}

void bind_method(ReadContext& context, const Item& item) {
  for (const AttributeSchema& a : item.tag->attributes) {
    const AttributeValue set = context.attributes.read(item, a);
    if (!set.given) continue;
    const std::string text = set.numbers.empty() ? set.text : number_text(number_or(set, 0.0));
    context.expanded.model.solver.method_settings.push_back(
        {std::string(item.tag->name), std::string(a.name), text});
  }
}

}  // namespace

void bind_setting(ReadContext& context, const Item& item) {
  const std::string_view tag = item.tag->name;
  if (tag == "gravity") {
    copy_numbers(context.read(item, "g"), context.expanded.model.gravity);
  } else if (tag == "init") {
    bind_init(context, item);
  } else if (tag == "drop") {
    bind_drop(context, item);
  } else if (tag == "trim") {
    bind_trim(context, item);
  } else if (tag == "tolerance") {
    bind_tolerance(context, item);
  } else if (tag == "solver") {
    bind_solver(context, item);
  } else {
    bind_method(context, item);
  }
}

void add_overridden_settings(ReadContext& context) {
  std::vector<Item>& items = context.expanded.items;
  for (const Override& o : context.overrides) {
    if (!o.name.starts_with(solver_prefix)) continue;
    const SolverOverride set = solver_override(o.name);
    if (set.attribute) {
      if (std::ranges::find(items, set.tag, &Item::tag) == items.end()) {
        items.push_back({{}, set.tag});
      }
      continue;
    }
    std::vector<std::string> names;
    for (const TagSchema& tag : schema()) {
      if (tag.name != "solver" && !(set.tag == &tag && is_method_tag(tag))) continue;
      for (const AttributeSchema& a : tag.attributes) names.push_back(override_name(tag, a.name));
    }
    const std::vector<std::string_view> offers(names.begin(), names.end());
    context.report.error({"command line", 0, 0}, "unknown-keyword",
                         "the solver has no setting '" + o.name + "'",
                         did_you_mean(o.name, offers));
  }
}

}  // namespace mbs
