#include "engine/model/reading/discontinuities.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace mbs {

namespace {

using Op = Instruction::Op;
using Program = std::vector<Instruction>;

// What a value depends on.
struct Uses {
  bool time = false;    // time
  bool motion = false;  // states, coordinates, measures, inputs, unknowns
  bool discrete = false;
  bool local = false;  // variables that the element itself provides
  Uses operator|(const Uses& o) const {
    return {time || o.time, motion || o.motion, discrete || o.discrete, local || o.local};
  }
  bool changes_with_time() const { return time || motion; }
};

Uses uses_of(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::parameter:
      return {};
    case SymbolKind::time:
      return {.time = true};
    case SymbolKind::discrete:
      return {.discrete = true};
    case SymbolKind::local:
      return {.local = true};
    default:
      return {.motion = true};
  }
}

bool is_comparison(Op op) {
  return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal;
}
bool has_limited_domain(const Program& program) {
  return std::ranges::any_of(program, [](const Instruction& i) {
    return i.op == Op::sqrt || i.op == Op::log || i.op == Op::log10 || i.op == Op::asin ||
           i.op == Op::acos || i.op == Op::power;
  });
}

// The instructions that are operands of noEvent.
std::vector<char> left_alone(std::span<const Instruction> program) {
  std::vector<char> alone(program.size(), 0);
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k < program.size(); ++k) {
    const Op op = program[k].op;
    const auto operands = op == Op::curve ? 1u : static_cast<unsigned>(operand_count(op));
    const std::size_t begin = operands == 0 ? k : begins[begins.size() - operands];
    begins.resize(begins.size() - operands);
    begins.push_back(begin);
    if (op == Op::no_event) std::fill(alone.begin() + begin, alone.begin() + k, 1);
  }
  return alone;
}

// Programs over the symbols and curves of one law.
class Parts {
 public:
  explicit Parts(const Expression& law)
      : symbols_(law.symbols().begin(), law.symbols().end()),
        curves_(law.curves().begin(), law.curves().end()) {}

  Instruction load(const Symbol& symbol) {
    const auto found = std::ranges::find(symbols_, symbol);
    const auto index = static_cast<int>(found - symbols_.begin());
    if (found == symbols_.end()) symbols_.push_back(symbol);
    return {Op::load, index};
  }
  // With the symbols that it uses alone.
  Expression expression(const Program& program) const {
    Program own = program;
    std::vector<Symbol> used;
    for (Instruction& step : own) {
      if (step.op != Op::load) continue;
      const Symbol& symbol = symbols_[static_cast<std::size_t>(step.argument)];
      const auto found = std::ranges::find(used, symbol);
      step.argument = static_cast<int>(found - used.begin());
      if (found == used.end()) used.push_back(symbol);
    }
    return Expression(std::move(own), std::move(used), curves_);
  }

 private:
  std::vector<Symbol> symbols_;
  std::vector<std::shared_ptr<const Curve>> curves_;
};

Program joined(std::initializer_list<const Program*> parts, Instruction last) {
  Program all;
  for (const Program* part : parts) all.insert(all.end(), part->begin(), part->end());
  all.push_back(last);
  return all;
}
Program number(double value) {
  return {{Op::constant, 0, value}};
}

class LawRewriter {
 public:
  LawRewriter(Model& model, std::string owner, Place place)
      : model_(model), owner_(std::move(owner)), place_(std::move(place)) {}

  void rewrite(Expression& law) {
    if (law.is_constant()) return;
    const auto jumps = [](const Instruction& i) {
      return is_comparison(i.op) || i.op == Op::floor || i.op == Op::ceil || i.op == Op::sign ||
             i.op == Op::mod;
    };
    if (std::ranges::none_of(law.program(), jumps)) return;
    parts_.emplace(law);
    const std::size_t discretes = model_.discretes.size(), events = model_.events.size();
    try {
      law = parts_->expression(frozen(law).value);
    } catch (const std::length_error&) {  // the law stays as it is
      model_.discretes.resize(discretes);
      model_.events.resize(events);
    }
  }

 private:
  // A value on the stack: its program, the same with discontinuities held, what it depends on.
  struct Part {
    Program direct, value;
    Uses uses;
    bool holds = false;
  };

  Part frozen(const Expression& law) {
    const auto program = law.program();
    const std::vector<char> alone = left_alone(program);
    std::vector<Part> stack;
    for (std::size_t k = 0; k < program.size(); ++k) {
      const Instruction& step = program[k];
      const auto operands =
          step.op == Op::curve ? 1u : static_cast<unsigned>(operand_count(step.op));
      std::vector<Part> of(std::make_move_iterator(stack.end() - operands),
                           std::make_move_iterator(stack.end()));
      stack.resize(stack.size() - operands);
      Part part;
      if (step.op == Op::load)
        part.uses = uses_of(law.symbols()[static_cast<std::size_t>(step.argument)].kind);
      for (const Part& operand : of) {
        part.uses = part.uses | operand.uses;
        part.holds = part.holds || operand.holds;
        part.direct.insert(part.direct.end(), operand.direct.begin(), operand.direct.end());
        part.value.insert(part.value.end(), operand.value.begin(), operand.value.end());
      }
      part.direct.push_back(step);
      part.value.push_back(step);
      if (!alone[k] && !part.uses.local) hold(step.op, of, part);
      stack.push_back(std::move(part));
    }
    return std::move(stack.front());
  }

  void hold(Op op, const std::vector<Part>& of, Part& part) {
    if (op == Op::choose && of[0].holds) {
      if (has_limited_domain(part.direct))
        part.value = joined({&part.value, &part.direct}, {Op::first_number});
      return;
    }
    if (!part.uses.changes_with_time()) return;
    if (is_comparison(op)) {
      hold_comparison(op, of, part);
    } else if (op == Op::sign) {
      hold_sign(of[0].value, part);
    } else if (op == Op::floor || op == Op::ceil) {
      hold_step(op, of[0].value, part);
    } else if (op == Op::mod) {
      Part step;  // floor(x/y)
      step.uses = part.uses;
      const Program ratio = joined({&of[0].value, &of[1].value}, {Op::divide});
      step.value = joined({&ratio}, {Op::floor});
      hold_step(Op::floor, ratio, step);
      const Program multiple = joined({&step.value, &of[1].value}, {Op::multiply});
      part.value = joined({&of[0].value, &multiple}, {Op::subtract});
      part.uses = step.uses;
      part.holds = true;
    }
  }

  void hold_comparison(Op op, const std::vector<Part>& of, Part& part) {
    const bool greater = op == Op::greater || op == Op::greater_equal;
    take(
        part, variable(part, [&](int z) {
          if (add_time_event(z, of[0], of[1], greater) || add_time_event(z, of[1], of[0], !greater))
            return;
          const Program holds = frozen_or(z, part.value), one = number(1.0);
          const Program true_side =
              joined({&of[greater ? 0 : 1].value, &of[greater ? 1 : 0].value}, {Op::subtract});
          const Program false_side = joined({&true_side}, {Op::negate});
          add_event(z, joined({&holds, &true_side, &false_side}, {Op::choose}),
                    joined({&one, &holds}, {Op::subtract}));
        }));
  }
  // time > at, where `at` stays as it is: from then on the condition is `holds`.
  bool add_time_event(int z, const Part& clock, const Part& at, bool holds) {
    const bool is_time = clock.uses.time && clock.value.size() == 1;
    if (!is_time || at.uses.changes_with_time() || at.uses.discrete) return false;
    Event& event = add_event(z, {}, number(holds ? 1.0 : 0.0));
    event.time = Event::Time::at;
    event.at = parts_->expression(at.value);
    return true;
  }

  void hold_sign(const Program& x, Part& part) {
    take(part, variable(part, [&](int z) {
           const Program sign = joined({&x}, {Op::sign}), holds = frozen_or(z, sign);
           const Program length = joined({&x}, {Op::abs}), away = joined({&length}, {Op::negate});
           const Program along = joined({&holds, &x}, {Op::multiply});
           const Program other = joined({&holds}, {Op::negate});
           add_event(z, joined({&holds, &along, &away}, {Op::choose}),
                     joined({&holds, &other, &sign}, {Op::choose}));
         }));
  }

  // floor: 0 <= x - z < 1; ceil: 0 <= z - x < 1. Where x jumps, z follows at once.
  void hold_step(Op op, const Program& x, Part& part) {
    const bool is_floor = op == Op::floor;
    take(part, variable(part, [&](int z) {
           const Program direct = joined({&x}, {op}), holds = frozen_or(z, direct);
           const Program one = number(1.0), half = number(0.5);
           const Program more = joined({&holds, &one}, {Op::add});
           const Program less = joined({&holds, &one}, {Op::subtract});
           const Program above = joined({&more, &direct}, {Op::max});
           const Program below = joined({&less, &direct}, {Op::min});
           const Program from = is_floor ? joined({&x, &holds}, {Op::subtract})
                                         : joined({&holds, &x}, {Op::subtract});
           const Program rest = joined({&one, &from}, {Op::subtract});
           const Program at_end = joined({&from, &half}, {Op::greater});
           add_event(z, joined({&from, &rest}, {Op::min}),
                     joined({&at_end, is_floor ? &above : &below, is_floor ? &below : &above},
                            {Op::choose}));
         }));
  }

  Program frozen_or(int z, const Program& direct) {
    const Program load = {parts_->load({SymbolKind::discrete, z})};
    return joined({&load, &direct}, {Op::frozen});
  }
  void take(Part& part, int z) {
    part.value = frozen_or(z, part.value);
    part.uses.discrete = true;
    part.holds = true;
  }

  // The discrete variable that holds this value; the same one for the same value.
  template <class AddEvents>
  int variable(const Part& part, const AddEvents& add_events) {
    Expression value = parts_->expression(part.value);
    for (std::size_t z = 0; z < model_.discretes.size(); ++z)
      if (model_.discretes[z].is_internal() && model_.discretes[z].holds == value)
        return static_cast<int>(z);
    const int z = static_cast<int>(model_.discretes.size());
    DiscreteVariable& added = model_.discretes.emplace_back();
    added.name = "condition " + std::to_string(z) + " of " + owner_;
    added.holds = std::move(value);
    added.place = place_;
    add_events(z);
    return z;
  }
  // `function` is positive as long as z holds; `value` is the next one of z.
  Event& add_event(int z, const Program& function, const Program& value) {
    Event& event = model_.events.emplace_back();
    event.name = model_.discretes[static_cast<std::size_t>(z)].name;
    event.internal = event.falling = true;
    event.place = place_;
    if (!function.empty()) event.function = parts_->expression(function);
    event.sets.push_back({true, z, parts_->expression(value)});
    return event;
  }

  Model& model_;
  std::string owner_;
  Place place_;
  std::optional<Parts> parts_;
};

// Constraints take no part: where they jump, positions would have to.
constexpr std::array<std::string_view, 3> constraints = {"drive", "point_on_curve",
                                                         "point_on_surface"};

bool is_law_of_motion(const Element& element, const AttributeSchema& attribute) {
  const bool runs = attribute.type == AttributeType::runtime ||
                    attribute.type == AttributeType::runtime_vector ||
                    attribute.type == AttributeType::runtime_axial;
  return runs && element.tag->role == TagRole::force &&
         std::ranges::find(constraints, element.tag->name) == constraints.end();
}

}  // namespace

void freeze_discontinuities(Model& model) {
  for (StateVariable& state : model.states)
    LawRewriter(model, "state '" + state.name + "'", state.place).rewrite(state.der);
  for (AlgebraicVariable& unknown : model.algebraics)
    LawRewriter(model, "algebraic '" + unknown.name + "'", unknown.place).rewrite(unknown.residual);
  for (Element& element : model.elements)
    for (std::size_t k = 0; k < element.attributes.size(); ++k) {
      if (!is_law_of_motion(element, element.tag->attributes[k])) continue;
      LawRewriter rewriter(model, std::string(element.tag->name) + " '" + element.name + "'",
                           element.place);
      for (Expression& law : element.attributes[k].numbers) rewriter.rewrite(law);
    }
}

}  // namespace mbs
