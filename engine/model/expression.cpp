// The stack machine and its derivatives.
//
// value: one pass over the program with a stack of numbers.
// gradient: the same pass records for each operation its value and which operations gave its
//   operands; a pass backwards hands the adjoint  w' = df/dw  of each to its operands. An operation
//   that nothing depends on (the branch of an `if` not taken, the smaller side of a max) has the
//   adjoint 0 and is skipped, so a NaN there stays there.
// along: each number on the stack is a jet (w, w', w''); with f(a, b)
//   f'  = f_a a' + f_b b'
//   f'' = f_a a'' + f_b b'' + f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2.
//
// A curve is an operation of one operand whose two derivatives it gives itself.

#include "engine/model/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace mbs {

namespace {

using Op = Instruction::Op;

double truth(bool b) {
  return b ? 1.0 : 0.0;
}

double power(double a, double b) {
  if (b == 2.0) return a * a;
  if (b == 1.0) return a;
  if (b == -1.0) return 1.0 / a;
  return std::pow(a, b);
}

// First and second partial derivatives of an operation of one or two operands.
struct Partials {
  double a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

// c * x^n where a factor c = 0 wins over an infinite power.
double scaled_power(double c, double x, double n) {
  return c == 0.0 ? 0.0 : c * power(x, n);
}

Partials power_partials(double x, double n, bool constant_exponent) {
  Partials d;
  d.a = scaled_power(n, x, n - 1);
  d.aa = scaled_power(n * (n - 1), x, n - 2);
  if (constant_exponent) return d;
  const double f = power(x, n), log_x = std::log(x);
  if (x == 0.0 && n > 0.0) return d;  // 0^n is 0 for all n near this one
  d.b = f * log_x;
  d.bb = f * log_x * log_x;
  d.ab = power(x, n - 1) * (1.0 + n * log_x);
  return d;
}

Partials partials(Op op, double a, double b, double f) {
  switch (op) {
    case Op::add:
      return {1, 1};
    case Op::subtract:
      return {1, -1};
    case Op::multiply:
      return {b, a, 0, 1, 0};
    case Op::divide:
      return {1 / b, -f / b, 0, -1 / (b * b), 2 * f / (b * b)};
    case Op::negate:
      return {-1};
    case Op::sin:
      return {std::cos(a), 0, -f};
    case Op::cos:
      return {-std::sin(a), 0, -f};
    case Op::tan:
      return {1 + f * f, 0, 2 * f * (1 + f * f)};
    case Op::asin: {
      const double d = 1 / std::sqrt((1 - a) * (1 + a));
      return {d, 0, a * d * d * d};
    }
    case Op::acos: {
      const double d = 1 / std::sqrt((1 - a) * (1 + a));
      return {-d, 0, -a * d * d * d};
    }
    case Op::atan: {
      const double d = 1 / (1 + a * a);
      return {d, 0, -2 * a * d * d};
    }
    case Op::atan2: {  // atan2(y, x) with y = a, x = b
      const double r2 = a * a + b * b;
      return {b / r2, -a / r2, -2 * a * b / (r2 * r2), (a * a - b * b) / (r2 * r2),
              2 * a * b / (r2 * r2)};
    }
    case Op::sinh:
      return {std::cosh(a), 0, f};
    case Op::cosh:
      return {std::sinh(a), 0, f};
    case Op::tanh:
      return {1 - f * f, 0, -2 * f * (1 - f * f)};
    case Op::exp:
      return {f, 0, f};
    case Op::log:
      return {1 / a, 0, -1 / (a * a)};
    case Op::log10: {
      constexpr double log10_e = 0.43429448190325182765;
      return {log10_e / a, 0, -log10_e / (a * a)};
    }
    case Op::sqrt:
      return {0.5 / f, 0, -0.25 / (a * f)};
    case Op::abs:
      return {a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0};
    case Op::min:
      return b < a ? Partials{0, 1} : Partials{1, 0};
    case Op::max:
      return a < b ? Partials{0, 1} : Partials{1, 0};
    case Op::hypot: {
      if (f == 0.0) return {};  // at the tip of the cone: the mean of all slopes
      return {a / f, b / f, b * b / (f * f * f), -a * b / (f * f * f), a * a / (f * f * f)};
    }
    case Op::mod:
      return {1, -std::floor(a / b)};
    case Op::first_number:
      return std::isnan(a) ? Partials{0, 1} : Partials{1, 0};
    case Op::no_event:
      return {1};
    default:
      return {};  // comparisons, logic, sign, floor, ceil: piecewise constant
  }
}

// d * x where a factor 0 wins over an infinite one: nothing comes of nothing even out of an
// infinite slope, and sqrt(x^2 + y^2) at the tip of its cone has the mean of all slopes.
double times(double d, double x) {
  return d == 0.0 || x == 0.0 ? 0.0 : d * x;
}

}  // namespace

int operand_count(Op op) {
  switch (op) {
    case Op::constant:
    case Op::load:
      return 0;
    case Op::choose:
      return 3;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::power:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::atan2:
    case Op::min:
    case Op::max:
    case Op::hypot:
    case Op::mod:
    case Op::frozen:
    case Op::first_number:
      return 2;
    default:
      return 1;
  }
}

double apply(Op op, const double* a) {
  switch (op) {
    case Op::curve:
      break;
    case Op::constant:
    case Op::load:
      return a[0];
    case Op::add:
      return a[0] + a[1];
    case Op::subtract:
      return a[0] - a[1];
    case Op::multiply:
      return a[0] * a[1];
    case Op::divide:
      return a[0] / a[1];
    case Op::power:
      return power(a[0], a[1]);
    case Op::negate:
      return -a[0];
    case Op::logical_not:
      return truth(a[0] == 0.0);
    case Op::less:
      return truth(a[0] < a[1]);
    case Op::less_equal:
      return truth(a[0] <= a[1]);
    case Op::greater:
      return truth(a[0] > a[1]);
    case Op::greater_equal:
      return truth(a[0] >= a[1]);
    case Op::equal:
      return truth(a[0] == a[1]);
    case Op::not_equal:
      return truth(a[0] != a[1]);
    case Op::logical_and:
      return truth(a[0] != 0.0 && a[1] != 0.0);
    case Op::logical_or:
      return truth(a[0] != 0.0 || a[1] != 0.0);
    case Op::choose:
      return a[0] != 0.0 ? a[1] : a[2];
    case Op::sin:
      return std::sin(a[0]);
    case Op::cos:
      return std::cos(a[0]);
    case Op::tan:
      return std::tan(a[0]);
    case Op::asin:
      return std::asin(a[0]);
    case Op::acos:
      return std::acos(a[0]);
    case Op::atan:
      return std::atan(a[0]);
    case Op::atan2:
      return std::atan2(a[0], a[1]);
    case Op::sinh:
      return std::sinh(a[0]);
    case Op::cosh:
      return std::cosh(a[0]);
    case Op::tanh:
      return std::tanh(a[0]);
    case Op::exp:
      return std::exp(a[0]);
    case Op::log:
      return std::log(a[0]);
    case Op::log10:
      return std::log10(a[0]);
    case Op::sqrt:
      return std::sqrt(a[0]);
    case Op::abs:
      return std::fabs(a[0]);
    case Op::sign:
      return a[0] > 0 ? 1.0 : a[0] < 0 ? -1.0 : a[0];  // keeps a NaN
    case Op::min:
      return a[1] < a[0] ? a[1] : a[0];
    case Op::max:
      return a[0] < a[1] ? a[1] : a[0];
    case Op::floor:
      return std::floor(a[0]);
    case Op::ceil:
      return std::ceil(a[0]);
    case Op::hypot:
      return std::hypot(a[0], a[1]);
    case Op::mod:
      return a[0] - std::floor(a[0] / a[1]) * a[1];
    case Op::frozen:
    case Op::first_number:
      return std::isnan(a[0]) ? a[1] : a[0];
    case Op::no_event:
      return a[0];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Expression::Expression(std::vector<Instruction> program, std::vector<Symbol> arguments,
                       std::vector<std::shared_ptr<const Curve>> curves) {
  if (program.size() > max_instructions) throw std::length_error("too many operations");
  if (arguments.size() > max_arguments) throw std::length_error("too many symbols");
  int depth = 0, deepest = 0;
  for (const Instruction& i : program) {
    if (i.op == Op::load && (i.argument < 0 || i.argument >= static_cast<int>(arguments.size()))) {
      throw std::logic_error("no such argument");
    }
    if (i.op == Op::curve && (i.argument < 0 || i.argument >= static_cast<int>(curves.size()))) {
      throw std::logic_error("no such curve");
    }
    depth -= operand_count(i.op);
    if (depth < 0) throw std::logic_error("an operand is missing");
    deepest = std::max(deepest, ++depth);
  }
  if (depth != 1) throw std::logic_error("not one result");
  if (deepest > max_stack) throw std::length_error("nested too deeply");
  auto code =
      std::make_shared<Code>(Code{std::move(program), std::move(arguments), std::move(curves)});
  if (!code->arguments.empty()) {
    code_ = std::move(code);
    return;
  }
  code_ = std::move(code);
  constant_ = value({});
  code_.reset();
}

std::span<const Symbol> Expression::symbols() const {
  return code_ ? std::span<const Symbol>(code_->arguments) : std::span<const Symbol>();
}

std::span<const Instruction> Expression::program() const {
  return code_ ? std::span<const Instruction>(code_->program) : std::span<const Instruction>();
}

std::span<const std::shared_ptr<const Curve>> Expression::curves() const {
  return code_ ? std::span(code_->curves) : std::span<const std::shared_ptr<const Curve>>();
}

double Expression::value(std::span<const double> x) const {
  if (!code_) return constant_;
  std::array<double, max_stack> stack;
  double* top = stack.data();  // one past the topmost
  for (const Instruction& i : code_->program) {
    if (i.op == Op::constant) {
      *top++ = i.number;
    } else if (i.op == Op::load) {
      *top++ = x[i.argument];
    } else if (i.op == Op::curve) {
      top[-1] = code_->curves[i.argument]->at(top[-1]).value;
    } else {
      top -= operand_count(i.op);
      *top = apply(i.op, top);
      ++top;
    }
  }
  return top[-1];
}

double Expression::gradient(std::span<const double> x, std::span<double> gradient) const {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  if (!code_) return constant_;
  const std::vector<Instruction>& program = code_->program;
  const int n = static_cast<int>(program.size());
  std::array<double, max_instructions> w, adjoint;
  std::array<std::array<short, 3>, max_instructions> operands;
  std::array<short, max_stack> stack;
  int top = 0;
  for (int k = 0; k < n; ++k) {
    const Instruction& i = program[k];
    adjoint[k] = 0.0;
    if (i.op == Op::constant) {
      w[k] = i.number;
    } else if (i.op == Op::load) {
      w[k] = x[i.argument];
    } else {
      const int count = operand_count(i.op);
      top -= count;
      double a[3] = {};
      for (int j = 0; j < count; ++j) {
        operands[k][j] = stack[top + j];
        a[j] = w[operands[k][j]];
      }
      w[k] = i.op == Op::curve ? code_->curves[i.argument]->at(a[0]).value : apply(i.op, a);
    }
    stack[top++] = static_cast<short>(k);
  }
  adjoint[n - 1] = 1.0;
  for (int k = n - 1; k >= 0; --k) {
    if (adjoint[k] == 0.0) continue;
    const Instruction& i = program[k];
    if (i.op == Op::constant) continue;
    if (i.op == Op::load) {
      gradient[i.argument] += adjoint[k];
      continue;
    }
    const std::array<short, 3>& o = operands[k];
    if (i.op == Op::choose) {
      adjoint[w[o[0]] != 0.0 ? o[1] : o[2]] += adjoint[k];
      continue;
    }
    if (i.op == Op::curve) {
      const Curve& curve = *code_->curves[i.argument];
      adjoint[o[0]] += times(curve.at(w[o[0]]).first, adjoint[k]);
      continue;
    }
    const bool two = operand_count(i.op) == 2;
    const double b = two ? w[o[1]] : 0.0;
    const Partials d = i.op == Op::power
                           ? power_partials(w[o[0]], b, program[o[1]].op == Op::constant)
                           : partials(i.op, w[o[0]], b, w[k]);
    // An operand that is a constant takes no adjoint: an infinite slope against it says nothing.
    if (program[o[0]].op != Op::constant) adjoint[o[0]] += times(d.a, adjoint[k]);
    if (two && program[o[1]].op != Op::constant) adjoint[o[1]] += times(d.b, adjoint[k]);
  }
  return w[n - 1];
}

Expression::Jet Expression::along(std::span<const double> x, std::span<const double> x1,
                                  std::span<const double> x2) const {
  if (!code_) return {constant_, 0.0, 0.0};
  std::array<Jet, max_stack> stack;
  int top = 0;
  for (const Instruction& i : code_->program) {
    if (i.op == Op::constant) {
      stack[top++] = {i.number, 0.0, 0.0};
      continue;
    }
    if (i.op == Op::load) {
      const auto k = static_cast<std::size_t>(i.argument);
      stack[top++] = {x[k], x1[k], x2[k]};
      continue;
    }
    const int count = operand_count(i.op);
    top -= count;
    const Jet a = stack[top];
    const Jet b = count > 1 ? stack[top + 1] : Jet{0.0, 0.0, 0.0};
    Jet& f = stack[top++];
    if (i.op == Op::choose) {
      f = a.value != 0.0 ? b : stack[top + 1];
      continue;
    }
    if (i.op == Op::curve) {
      const Curve::Jet y = code_->curves[i.argument]->at(a.value);
      f = {y.value, times(y.first, a.first),
           times(y.first, a.second) + times(y.second, a.first * a.first)};
      continue;
    }
    const double values[2] = {a.value, b.value};
    f.value = apply(i.op, values);
    const bool b_fixed = b.first == 0.0 && b.second == 0.0;
    const Partials d = i.op == Op::power ? power_partials(a.value, b.value, b_fixed)
                                         : partials(i.op, a.value, b.value, f.value);
    f.first = times(d.a, a.first) + times(d.b, b.first);
    f.second = times(d.a, a.second) + times(d.b, b.second) + times(d.aa, a.first * a.first) +
               times(2 * d.ab, a.first * b.first) + times(d.bb, b.first * b.first);
  }
  return stack[0];
}

bool Expression::operator==(const Expression& other) const {
  if (!code_ || !other.code_) {
    return !code_ && !other.code_ &&
           (constant_ == other.constant_ ||
            (constant_ != constant_ && other.constant_ != other.constant_));
  }
  return code_ == other.code_ ||
         (code_->program == other.code_->program && code_->arguments == other.code_->arguments &&
          code_->curves == other.code_->curves);
}

bool changes_at_events(const Expression& expression) {
  const auto is_discrete = [](const Symbol& s) { return s.kind == SymbolKind::discrete; };
  const auto stays = [&](const Symbol& s) {
    return is_discrete(s) || s.kind == SymbolKind::parameter;
  };
  return std::ranges::any_of(expression.symbols(), is_discrete) &&
         std::ranges::all_of(expression.symbols(), stays);
}

Expression negated(const Expression& expression) {
  if (expression.is_constant()) return Expression(-expression.constant());
  std::vector<Instruction> program(expression.program().begin(), expression.program().end());
  program.push_back({Op::negate});
  return Expression(std::move(program), {expression.symbols().begin(), expression.symbols().end()},
                    {expression.curves().begin(), expression.curves().end()});
}

Expression product(const Expression& a, const Expression& b) {
  std::vector<Instruction> program;
  std::vector<Symbol> arguments;
  std::vector<std::shared_ptr<const Curve>> curves;
  for (const Expression* factor : {&a, &b}) {
    if (factor->is_constant()) {
      program.push_back({Op::constant, 0, factor->constant()});
      continue;
    }
    for (Instruction step : factor->program()) {
      if (step.op == Op::load) {
        const Symbol symbol = factor->symbols()[step.argument];
        const auto known = std::find(arguments.begin(), arguments.end(), symbol);
        step.argument = static_cast<int>(known - arguments.begin());
        if (known == arguments.end()) arguments.push_back(symbol);
      } else if (step.op == Op::curve) {
        curves.push_back(factor->curves()[step.argument]);
        step.argument = static_cast<int>(curves.size()) - 1;
      }
      program.push_back(step);
    }
  }
  program.push_back({Op::multiply});
  return Expression(std::move(program), std::move(arguments), std::move(curves));
}

}  // namespace mbs
