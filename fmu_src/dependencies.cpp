#include "fmu_src/dependencies.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace mbs {
namespace {

void unite(Feedthrough::Inputs& all, const Feedthrough::Inputs& more) {
  Feedthrough::Inputs both;
  std::set_union(all.begin(), all.end(), more.begin(), more.end(), std::back_inserter(both));
  all = std::move(both);
}

// True for elements whose force follows from the motion, as a joint's reaction does, and not from
// their own law alone.
bool constrains(const Element& element) {
  constexpr std::array<std::string_view, 8> tags{"contact",        "end_stop",        "friction",
                                                 "drive",          "rolling",         "knife_edge",
                                                 "point_on_curve", "point_on_surface"};
  return element.tag->role != TagRole::force ||
         std::ranges::find(tags, element.tag->name) != tags.end();
}

bool follows_forces(Quantity measure) {
  return measure == Quantity::reaction || measure == Quantity::force_value;
}

}  // namespace

Feedthrough::Feedthrough(const Model& model) : model_(model) {
  for (const Element& element : model.elements)
    if (element.tag->role == TagRole::joint || element.tag->name == "drive")
      unite(motion_, inputs_of(element));
  // Auxiliary unknowns and forces may depend on each other through reactions.
  for (int pass = 0; pass < 2; ++pass) {
    for (const AlgebraicVariable& w : model.algebraics) unite(auxiliary_, inputs_of(w.residual));
    for (const Element& element : model.elements) unite(forces_, inputs_of(element));
  }
}

Feedthrough::Inputs Feedthrough::inputs_of(const Expression& expression) const {
  Inputs inputs;
  for (const Symbol& symbol : expression.symbols()) switch (symbol.kind) {
      case SymbolKind::input:
        unite(inputs, {symbol.index});
        break;
      case SymbolKind::algebraic:
        unite(inputs, auxiliary_);
        break;
      case SymbolKind::coordinate:
      case SymbolKind::coordinate_rate:
        unite(inputs, motion_);
        break;
      case SymbolKind::measure:
        unite(inputs, follows_forces(model_.measures[symbol.index].quantity) ? forces_ : motion_);
        break;
      case SymbolKind::time:
      case SymbolKind::parameter:
      case SymbolKind::state:
      case SymbolKind::discrete:
      case SymbolKind::local:
      case SymbolKind::coordinate_acceleration:
      case SymbolKind::output:
        break;
    }
  return inputs;
}

Feedthrough::Inputs Feedthrough::inputs_of(const Element& element) const {
  Inputs inputs;
  for (const AttributeValue& attribute : element.attributes)
    for (const Expression& number : attribute.numbers) unite(inputs, inputs_of(number));
  return inputs;
}

Feedthrough::Inputs Feedthrough::inputs_of(const Output& output) const {
  switch (output.what.quantity) {
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::orientation:
    case Quantity::angular_velocity:
    case Quantity::coordinate:
    case Quantity::coordinate_rate:
    case Quantity::kinetic_energy:
    case Quantity::residual:
    case Quantity::velocity_residual:
      return motion_;
    case Quantity::acceleration:
    case Quantity::angular_acceleration:
    case Quantity::coordinate_acceleration:
    case Quantity::reaction:
    case Quantity::potential_energy:
    case Quantity::energy:
      return forces_;
    case Quantity::force_value: {
      const Element& element = model_.elements[static_cast<std::size_t>(output.what.element)];
      if (constrains(element)) return forces_;
      Inputs inputs = motion_;
      unite(inputs, inputs_of(element));
      return inputs;
    }
    case Quantity::expression:
      return inputs_of(output.value);
    case Quantity::statistic:
    case Quantity::event_count:
    case Quantity::event_time:
      break;
  }
  return {};
}

}  // namespace mbs
