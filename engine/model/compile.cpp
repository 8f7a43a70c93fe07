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
      return Expression(std::move(program_), std::move(arguments_));
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
  const SyntaxTree::Node& node(int index) const {
    return tree_.nodes[static_cast<std::size_t>(index)];
  }

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

  void emit(int index) {
    const SyntaxTree::Node& n = node(index);
    if (n.kind == Kind::number) return push(n.number);
    if (n.kind == Kind::name) return emit_name(resolved_[static_cast<std::size_t>(n.name)]);
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
};

void resolve_below(const SyntaxTree& tree, int index, NameSource& names,
                   std::vector<Resolved>& resolved, std::vector<SyntaxError>& errors) {
  const SyntaxTree::Node& n = tree.nodes[static_cast<std::size_t>(index)];
  if (n.kind == Kind::name) {
    const auto k = static_cast<std::size_t>(n.name);
    resolved[k] = names.resolve(tree, tree.names[k]);
    if (resolved[k].kind == Resolved::Kind::unknown) errors.push_back(resolved[k].error);
    if (resolved[k].kind > Resolved::Kind::symbol) resolved[k].type.failed = true;
  }
  if (n.kind != Kind::operation) return;
  for (const int operand : n.operands) {
    if (operand >= 0) resolve_below(tree, operand, names, resolved, errors);
  }
}

}  // namespace

Expression generate(const SyntaxTree& tree, int root, const std::vector<Resolved>& resolved,
                    std::vector<SyntaxError>& errors) {
  return Generator(tree, resolved, errors).expression(root);
}

Compiled compile(const SyntaxTree& tree, int root, NameSource& names) {
  Compiled result;
  std::vector<Resolved> resolved(tree.names.size());
  resolve_below(tree, root, names, resolved, result.errors);
  result.type = check_dimensions(tree, root, resolved, result.errors);
  result.expression = generate(tree, root, resolved, result.errors);
  if (!result.errors.empty()) result.type.failed = true;
  return result;
}

}  // namespace mbs
