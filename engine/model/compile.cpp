#include "engine/model/compile.hpp"

#include <algorithm>
#include <stdexcept>

namespace mbs {

namespace {

using Op = Instruction::Op;
using Kind = SyntaxTree::Kind;

class Generator {
 public:
  Generator(const SyntaxTree& tree, const std::vector<Resolved>& resolved,
            std::vector<SyntaxError>& errors)
      : tree_(tree), resolved_(resolved), errors_(errors) {}

  Expression expression(int root) {
    emit(root);
    const int offset = node(root).offset;
    try {
      return Expression(std::move(program_), std::move(arguments_), std::move(curves_));
    } catch (const std::length_error&) {
      errors_.push_back({offset, "limit-expression-length",
                         "the expression is too long: more than " +
                             std::to_string(Expression::max_instructions) + " operations, " +
                             std::to_string(Expression::max_arguments) + " different names or " +
                             std::to_string(Expression::max_stack) + " open intermediate results",
                         "split it with parameters or measures"});
      return Expression();
    }
  }

 private:
  const SyntaxTree::Node& node(int index) const { return tree_.nodes[index]; }

  // Is what was emitted since `begin` one number?
  bool is_number(std::size_t begin) const {
    return program_.size() == begin + 1 && program_[begin].op == Op::constant;
  }

  void push(double number) { program_.push_back({Op::constant, 0, number}); }

  void emit_name(const Resolved& r) {
    if (r.kind == Resolved::Kind::symbol) {
      const auto found = std::find(arguments_.begin(), arguments_.end(), r.symbol);
      program_.push_back({Op::load, static_cast<int>(found - arguments_.begin())});
      if (found == arguments_.end()) arguments_.push_back(r.symbol);
      return;
    }
    if (r.kind == Resolved::Kind::missing) errors_.push_back(r.error);
    push(r.number);
  }

  void emit_curve(const SyntaxTree::Node& n) {
    const std::shared_ptr<const Curve>& curve = resolved_[n.name].curve;
    const std::size_t begin = program_.size();
    emit(n.operands[0]);
    if (!curve) return;
    if (is_number(begin)) {
      program_[begin].number = curve->at(program_[begin].number).value;
      return;
    }
    const auto found = std::find(curves_.begin(), curves_.end(), curve);
    program_.push_back({Op::curve, static_cast<int>(found - curves_.begin())});
    if (found == curves_.end()) curves_.push_back(curve);
  }

  void emit(int index) {
    const SyntaxTree::Node& n = node(index);
    if (n.kind == Kind::number) return push(n.number);
    if (n.kind == Kind::name) return emit_name(resolved_[n.name]);
    if (n.op == Op::curve) return emit_curve(n);
    const std::size_t begin = program_.size();
    std::array<std::size_t, 3> starts{};
    bool constant = true;
    const int count = operand_count(n.op);
    for (int k = 0; k < count; ++k) {
      starts[k] = program_.size();
      emit(n.operands[k]);
      const bool number = is_number(starts[k]);
      constant = constant && number;
      if (k > 0 || !number) continue;
      // A known condition leaves the other branch out: there names need not exist.
      const double known = program_[begin].number;
      if (n.op == Op::choose) {
        program_.pop_back();
        return emit(n.operands[known != 0.0 ? 1 : 2]);
      }
      if ((n.op == Op::logical_and && known == 0.0) || (n.op == Op::logical_or && known != 0.0)) {
        return;
      }
    }
    if (!constant) {
      program_.push_back({n.op});
      return;
    }
    double values[3] = {};
    for (int k = 0; k < count; ++k) values[k] = program_[starts[k]].number;
    program_.resize(begin);
    push(apply(n.op, values));
  }

  const SyntaxTree& tree_;
  const std::vector<Resolved>& resolved_;
  std::vector<SyntaxError>& errors_;
  std::vector<Instruction> program_;
  std::vector<Symbol> arguments_;
  std::vector<std::shared_ptr<const Curve>> curves_;
};

void resolve_curve(const SyntaxTree& tree, const SyntaxTree::Node& n, const NameSource& names,
                   std::vector<Resolved>& resolved, std::vector<SyntaxError>& errors) {
  const auto k = static_cast<std::size_t>(n.name);
  resolved[k] = names(tree.names[k]);
  Resolved& r = resolved[k];
  if (r.kind == Resolved::Kind::curve) return;
  r.type.failed = true;
  if (r.kind == Resolved::Kind::failed) return;
  SyntaxError error = unknown_function(tree.names[k].text, n.offset);
  if (error.hint.empty() && r.error.code == "unknown-name") error.hint = r.error.hint;
  errors.push_back(std::move(error));
}

void resolve_below(const SyntaxTree& tree, int index, const NameSource& names,
                   std::vector<Resolved>& resolved, std::vector<SyntaxError>& errors) {
  const SyntaxTree::Node& n = tree.nodes[index];
  if (n.kind == Kind::name) {
    const auto k = static_cast<std::size_t>(n.name);
    resolved[k] = names(tree.names[k]);
    if (resolved[k].kind == Resolved::Kind::unknown) errors.push_back(resolved[k].error);
    if (resolved[k].kind == Resolved::Kind::curve) {
      const std::string& name = tree.names[k].text;
      errors.push_back({n.offset, "not-a-number", "'" + name + "' is a curve, not a number",
                        "give it an argument: " + name + "(x)"});
    }
    if (resolved[k].kind > Resolved::Kind::symbol) resolved[k].type.failed = true;
  }
  if (n.kind != Kind::operation) return;
  if (n.op == Op::curve) resolve_curve(tree, n, names, resolved, errors);
  for (const int operand : n.operands) {
    if (operand >= 0) resolve_below(tree, operand, names, resolved, errors);
  }
}

}  // namespace

Expression generate(const SyntaxTree& tree, int root, const std::vector<Resolved>& resolved,
                    std::vector<SyntaxError>& errors) {
  return Generator(tree, resolved, errors).expression(root);
}

Compiled compile(const SyntaxTree& tree, int root, const NameSource& names) {
  Compiled result;
  std::vector<Resolved> resolved(tree.names.size());
  resolve_below(tree, root, names, resolved, result.errors);
  result.type = check_dimensions(tree, root, resolved, result.errors);
  result.expression = generate(tree, root, resolved, result.errors);
  if (!result.errors.empty()) result.type.failed = true;
  return result;
}

}  // namespace mbs
