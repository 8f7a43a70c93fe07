#pragma once

// An expression of the model file, compiled: value, gradient, and the second derivative along a
// direction. Evaluation allocates nothing and never throws; a domain error gives a NaN.

#include <memory>
#include <span>
#include <vector>

#include "engine/model/curve.hpp"

namespace mbs {

// The kinds of values that an expression refers to. `index` counts in the Model's list of that
// kind; for `local` it is the number of the argument which the attribute's schema declares (a
// spring's x, xd).
enum class SymbolKind : unsigned char {
  time,
  parameter,
  input,
  state,            // r: <state>
  algebraic,        // w: <algebraic>
  coordinate,       // q of a joint: Model::coordinates
  coordinate_rate,  // its derivative
  measure,          // Model::measures
  local,
  coordinate_acceleration,  // in events only, like
  output,                   // Model::outputs
  discrete                  // Model::discretes
};

struct Symbol {
  SymbolKind kind = SymbolKind::time;
  int index = 0;
  bool operator==(const Symbol&) const = default;
};

// One step of the stack machine. Elementary functions, arithmetic, comparisons and `if` are all
// operations on the stack's top; `load` pushes an argument, `constant` a number.
struct Instruction {
  enum class Op : unsigned char {
    constant,
    load,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    logical_not,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    choose,  // if(c, a, b): all three are on the stack
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    atan2,
    sinh,
    cosh,
    tanh,
    exp,
    log,
    log10,
    sqrt,
    abs,
    sign,
    min,
    max,
    floor,
    ceil,
    hypot,
    mod,
    // Of discontinuities (reading/discontinuities.hpp): a, and b where a is not a number.
    frozen,        // a discrete variable, and what it holds
    first_number,  // a law, and the same with what it holds taken directly
    no_event,      // the operand; what jumps in it makes no events
    curve          // curves()[argument] at the top
  };
  Op op = Op::constant;
  int argument = 0;     // load: which argument; curve: which curve
  double number = 0.0;  // constant
  bool operator==(const Instruction&) const = default;
};

// A value: copies share the program. A constant holds no program at all.
class Expression {
 public:
  static constexpr int max_stack = 64;  // checked when an expression is compiled
  static constexpr int max_arguments = 64;
  static constexpr int max_instructions = 1024;

  Expression() = default;  // the constant 0
  explicit Expression(double constant) : constant_(constant) {}
  // Argument k of the program is the value of arguments[k]. A program without arguments is folded.
  // Throws std::length_error when one of the bounds above is passed.
  Expression(std::vector<Instruction> program, std::vector<Symbol> arguments,
             std::vector<std::shared_ptr<const Curve>> curves = {});

  // Distinct symbols it depends on; argument k of the calls below is the value of symbols()[k].
  std::span<const Symbol> symbols() const;
  std::span<const Instruction> program() const;  // empty when it is a constant
  std::span<const std::shared_ptr<const Curve>> curves() const;
  bool is_constant() const { return code_ == nullptr; }
  double constant() const { return constant_; }  // its value when is_constant()

  double value(std::span<const double> x) const;
  // Fills `gradient` (as long as x) and gives the value. Of `if` only the chosen branch counts.
  double gradient(std::span<const double> x, std::span<double> gradient) const;
  // d/dt and d2/dt2 along x(t) with the given x' and x'': drives and their two derivatives.
  struct Jet {
    double value, first, second;
  };
  Jet along(std::span<const double> x, std::span<const double> x1,
            std::span<const double> x2) const;

  bool operator==(const Expression& other) const;

 private:
  struct Code {
    std::vector<Instruction> program;
    std::vector<Symbol> arguments;
    std::vector<std::shared_ptr<const Curve>> curves;
  };
  double constant_ = 0.0;
  std::shared_ptr<const Code> code_;
};

// Does it depend only on discrete variables and parameters, so that it is constant between events?
bool changes_at_events(const Expression& expression);

Expression negated(const Expression& expression);
Expression product(const Expression& a, const Expression& b);

// One operation on plain numbers (not a curve): how many operands it takes, and its value (a[0],
// a[1], a[2]).
int operand_count(Instruction::Op op);
double apply(Instruction::Op op, const double* a);

}  // namespace mbs
