// <drive>: a coordinate of a joint as a given function of time, or following an input.

#include <algorithm>

#include "engine/multibody/assembly/assembly.hpp"

namespace mbs {

namespace {

std::string_view keyword_of(Instruction::Op op) {
  using Op = Instruction::Op;
  switch (op) {
    case Op::abs:
      return "abs";
    case Op::sign:
      return "sign";
    case Op::min:
      return "min";
    case Op::max:
      return "max";
    case Op::floor:
      return "floor";
    case Op::ceil:
      return "ceil";
    case Op::mod:
      return "mod";
    case Op::choose:
      return "if";
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
      return "a comparison";
    default:
      return {};
  }
}

// Names a part of the expression that has no second derivative in time; empty if all parts have
// one. For an `if` only the condition matters here: the operations in its branches are examined by
// themselves.
std::string without_derivatives(const Expression& motion) {
  std::vector<char> stack;  // what moves with time
  for (const Instruction& step : motion.program()) {
    using Op = Instruction::Op;
    const auto index = static_cast<std::size_t>(step.argument);
    if (step.op == Op::constant || step.op == Op::load) {
      stack.push_back(step.op == Op::load && motion.symbols()[index].kind == SymbolKind::time);
      continue;
    }
    const auto first = stack.end() - operand_count(step.op);
    const bool moves = std::find(first, stack.end(), 1) != stack.end();
    const bool chosen_once = step.op == Op::choose && *first == 0;
    if (moves && !chosen_once) {
      if (const std::string_view keyword = keyword_of(step.op); !keyword.empty())
        return std::string(keyword);
      if (step.op == Op::curve && !motion.curves()[index]->smooth()) {
        return "a curve that is no spline";
      }
    }
    stack.erase(first, stack.end());
    stack.push_back(moves);
  }
  return {};
}

}  // namespace

template <class Space>
void bind_drive(Assembly<Space>& to, const ElementReader& e) {
  DriveData drive;
  drive.coordinate = to.joints.coordinate_of(e, "joint");
  if (drive.coordinate < 0) return;
  drive.sign = to.joints.sign_of(e, "joint");
  const bool follows = e.given("input");
  const Expression& motion = e[follows ? "input" : "q"].numbers[0];
  const auto symbols = motion.symbols();
  if (follows) {
    if (motion.program().size() != 1 || symbols[0].kind != SymbolKind::input) {
      e.error("not-an-input", e.title() + " needs the name of one input to follow",
              "declare an <input>; what is computed from time stands in q=\"...\"");
      return;
    }
    drive.input = symbols[0].index;
    drive.lag = e.slot("lag");
    to.joints.use_as_number(drive.coordinate);  // which may be what the lags remember
  } else {
    for (const Symbol& symbol : symbols) {
      if (symbol.kind == SymbolKind::time || symbol.kind == SymbolKind::parameter) continue;
      e.error("not-of-time",
              e.title() + " prescribes a motion that depends on more than time and parameters",
              symbol.kind == SymbolKind::input
                  ? "to follow an input write input=\"...\" instead of q"
                  : "what depends on the motion is a force: use <force> or <torque>, or <coupling> "
                    "between coordinates");
      return;
    }
    if (const std::string keyword = without_derivatives(motion); !keyword.empty()) {
      e.error("no-derivatives",
              e.title() + " prescribes a motion with " + keyword +
                  ", which has no two derivatives: it would take an infinite force",
              "use smooth functions (tanh for a step), or a <curve> with "
              "interpolation=\"spline\"");
      return;
    }
    drive.law = to.laws.of(e, "q");
  }
  to.forces.add_drive(e, std::move(drive));
}

extern const ElementType drive_element{"drive", bind_drive, bind_drive};

}  // namespace mbs
