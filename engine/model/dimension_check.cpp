// Finds the dimension of an expression and checks that its parts fit together. A bare number is
// free: it takes the dimension of what it is added to or compared with; in a product it counts as a
// plain number. An angle is a ratio of lengths: rad fits where no dimension is asked for, and back.

#include <cmath>

#include "engine/model/compile.hpp"

namespace mbs {

namespace {

using Op = Instruction::Op;

constexpr std::size_t angle = 7;  // in Dimension::exponents

const char* symbol(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::less:
      return "<";
    case Op::less_equal:
      return "<=";
    case Op::greater:
      return ">";
    case Op::greater_equal:
      return ">=";
    case Op::equal:
      return "==";
    case Op::not_equal:
      return "!=";
    case Op::choose:
      return "if";
    default:
      break;
  }
  for (const Function& f : functions()) {
    if (f.op == op) return f.name.data();
  }
  return "?";
}

class Checker {
 public:
  Checker(const SyntaxTree& tree, const std::vector<Resolved>& resolved,
          std::vector<SyntaxError>& errors)
      : tree_(tree), resolved_(resolved), errors_(errors) {}

  Type check(int index) {
    const SyntaxTree::Node& n = tree_.nodes[index];
    if (n.kind == SyntaxTree::Kind::number) return {n.dimension, n.bare};
    if (n.kind == SyntaxTree::Kind::name) return resolved_[n.name].type;
    Type a[3];
    const int count = operand_count(n.op);
    for (int k = 0; k < count; ++k) {
      a[k] = check(n.operands[k]);
      if (a[k].failed) {  // look at the rest all the same: it may hold other errors
        for (int j = k + 1; j < count; ++j) check(n.operands[j]);
        return failed();
      }
    }
    return operation(n, a);
  }

 private:
  static Type failed() {
    Type type;
    type.failed = true;
    return type;
  }

  Type error(const SyntaxTree::Node& n, std::string message, std::string hint = {}) {
    errors_.push_back({n.offset, "dimension", std::move(message), std::move(hint)});
    return failed();
  }

  // Conditions and numbers where the operation needs them; otherwise reports the first misfit.
  bool fits(const SyntaxTree::Node& n, const Type* a) {
    const bool logic = n.op == Op::logical_and || n.op == Op::logical_or || n.op == Op::logical_not;
    for (int k = 0; k < operand_count(n.op); ++k) {
      const bool wanted = logic || (n.op == Op::choose && k == 0);
      if (wanted == a[k].condition) continue;
      if (wanted) {
        error(n, "a condition is needed here, this is a number", "compare it: x > 0");
      } else {
        error(n, "a number is needed here, this is a condition",
              "if(condition, a, b) makes a number of it");
      }
      return false;
    }
    return true;
  }

  Type operation(const SyntaxTree::Node& n, const Type* a) {
    if (!fits(n, a)) return failed();
    switch (n.op) {
      case Op::logical_and:
      case Op::logical_or:
      case Op::logical_not:
        return condition();
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
      case Op::equal:
      case Op::not_equal:
        return alike(n, a[0], a[1]).failed ? failed() : condition();
      case Op::add:
      case Op::subtract:
      case Op::min:
      case Op::max:
      case Op::hypot:
      case Op::mod:
        return alike(n, a[0], a[1]);
      case Op::choose:
        return alike(n, a[1], a[2]);
      case Op::multiply:
        return product_type(a[0], a[1], 1);
      case Op::divide:
        return product_type(a[0], a[1], -1);
      case Op::power:
        return power(n, a[0], a[1]);
      case Op::sqrt:
        return root(n, a[0]);
      case Op::curve:
        return curve(n, a[0]);
      case Op::negate:
      case Op::abs:
      case Op::no_event:
        return a[0];
      case Op::sign:
        return a[0].free ? a[0] : Type{{}, false};
      case Op::atan2: {
        const Type both = alike(n, a[0], a[1]);
        return both.failed ? both : radian();
      }
      case Op::asin:
      case Op::acos:
      case Op::atan:
        return plain(n, a[0]).failed ? failed() : radian();
      default:
        return plain(n, a[0]);  // sin, cos, ..., exp, log, floor, ceil
    }
  }

  static Type condition() { return {{}, false, true}; }

  static Type radian() {
    Type type{{}, false};
    type.dimension.exponents[angle] = 1;
    return type;
  }

  Type alike(const SyntaxTree::Node& n, const Type& a, const Type& b) {
    if (a.free) return b;
    if (b.free || same_up_to_angle(a.dimension, b.dimension)) return a;
    return error(n,
                 "'" + std::string(symbol(n.op)) + "' joins " + dimension_text(a) + " and " +
                     dimension_text(b),
                 "both sides need the same dimension");
  }

  static Type product_type(const Type& a, const Type& b, int power_of_b) {
    Type type;
    type.free = a.free && b.free;
    type.dimension =
        product(a.free ? Dimension{} : a.dimension, b.free ? Dimension{} : b.dimension, power_of_b);
    return type;
  }

  Type curve(const SyntaxTree::Node& n, const Type& a) {
    const Resolved& r = resolved_[n.name];
    if (r.type.failed || a.free || same_up_to_angle(a.dimension, r.argument)) return r.type;
    return error(n, "the curve '" + tree_.names[n.name].text + "' takes " +
                        dimension_text({r.argument, false}) + ", this is " + dimension_text(a));
  }

  // Sine, exponential and the like take a number without dimension, or an angle.
  Type plain(const SyntaxTree::Node& n, const Type& a) {
    if (a.free) return a;
    if (!same_up_to_angle(a.dimension, {})) {
      return error(n,
                   "'" + std::string(symbol(n.op)) +
                       "' needs an angle or a number without dimension, this is " +
                       dimension_text(a),
                   "divide by a value of that dimension: x/(1 " + si_unit_name(a.dimension) + ")");
    }
    return {{}, false};
  }

  Type scaled(const SyntaxTree::Node& n, const Type& a, double exponent) {
    Type type{{}, false};
    for (std::size_t i = 0; i < a.dimension.exponents.size(); ++i) {
      const double e = a.dimension.exponents[i] * exponent;
      if (e == std::floor(e) && std::fabs(e) < 100) {
        type.dimension.exponents[i] = static_cast<signed char>(e);
      } else if (i != angle) {
        return error(n, "this power of " + dimension_text(a) + " has no whole dimension");
      }
    }
    return type;
  }

  Type root(const SyntaxTree::Node& n, const Type& a) { return a.free ? a : scaled(n, a, 0.5); }

  Type power(const SyntaxTree::Node& n, const Type& a, const Type& b) {
    if (!b.free && !same_up_to_angle(b.dimension, {})) {
      return error(n, "an exponent has no dimension, this is " + dimension_text(b));
    }
    if (a.free) return b.free ? a : Type{{}, false};
    if (same_up_to_angle(a.dimension, {})) return {{}, false};
    std::vector<SyntaxError> ignored;  // generate() comes by here again
    const Expression exponent = generate(tree_, n.operands[1], resolved_, ignored);
    if (!exponent.is_constant()) {
      return error(n, "the exponent of " + dimension_text(a) + " must be a fixed number",
                   "a parameter in it must be structural");
    }
    return scaled(n, a, exponent.constant());
  }

  const SyntaxTree& tree_;
  const std::vector<Resolved>& resolved_;
  std::vector<SyntaxError>& errors_;
};

}  // namespace

std::string dimension_text(const Type& type) {
  if (type.condition) return "a condition";
  if (type.free || type.dimension == Dimension{}) return "a number without dimension";
  return si_unit_name(type.dimension);
}

Type check_dimensions(const SyntaxTree& tree, int root, const std::vector<Resolved>& resolved,
                      std::vector<SyntaxError>& errors) {
  return Checker(tree, resolved, errors).check(root);
}

}  // namespace mbs
