#include "engine/model/syntax.hpp"

#include <algorithm>
#include <numbers>

#include "engine/model/lexer.hpp"
#include "engine/model/nearest.hpp"

namespace mbs {

namespace {

using Op = Instruction::Op;

constexpr Function table[] = {
    {"sin", Op::sin, 1, "sine of an angle"},
    {"cos", Op::cos, 1, "cosine of an angle"},
    {"tan", Op::tan, 1, "tangent of an angle"},
    {"asin", Op::asin, 1, "angle with this sine"},
    {"acos", Op::acos, 1, "angle with this cosine"},
    {"atan", Op::atan, 1, "angle with this tangent"},
    {"atan2", Op::atan2, 2, "atan2(y, x): angle of the vector (x, y)"},
    {"sinh", Op::sinh, 1, "hyperbolic sine"},
    {"cosh", Op::cosh, 1, "hyperbolic cosine"},
    {"tanh", Op::tanh, 1, "hyperbolic tangent"},
    {"exp", Op::exp, 1, "exponential"},
    {"log", Op::log, 1, "natural logarithm"},
    {"log10", Op::log10, 1, "decimal logarithm"},
    {"sqrt", Op::sqrt, 1, "square root"},
    {"abs", Op::abs, 1, "absolute value"},
    {"sign", Op::sign, 1, "-1, 0 or 1"},
    {"min", Op::min, 2, "smallest of two or more"},
    {"max", Op::max, 2, "largest of two or more"},
    {"floor", Op::floor, 1, "largest whole number that is not greater"},
    {"ceil", Op::ceil, 1, "smallest whole number that is not less"},
    {"hypot", Op::hypot, 2, "hypot(x, y): length of the vector (x, y)"},
    {"mod", Op::mod, 2, "mod(x, y) = x - y*floor(x/y)"},
    {"if", Op::choose, 3, "if(c, a, b): a where the condition c holds, b where it does not"},
    {"noEvent", Op::no_event, 1, "its argument, whose jumps are not located as events"},
};

// More nodes than this never fit an Expression.
constexpr std::size_t max_nodes = 2 * Expression::max_instructions;

class Parser {
 public:
  Parser(std::string_view text, int max_depth) : lexer_(text), max_depth_(max_depth) {}

  SyntaxTree list() {
    if (lexer_.token().kind == Token::Kind::end) {
      throw SyntaxError{0, "missing-value", "the value is missing", ""};
    }
    tree_.roots = arguments();
    if (lexer_.token().kind != Token::Kind::end) unexpected();
    return std::move(tree_);
  }

 private:
  bool at(std::string_view text) const {
    const Token& t = lexer_.token();
    return t.kind != Token::Kind::end && t.kind != Token::Kind::number && t.text == text;
  }

  bool accept(std::string_view text) {
    if (!at(text)) return false;
    lexer_.advance();
    return true;
  }

  [[noreturn]] void unexpected() const {
    const Token& t = lexer_.token();
    if (t.kind == Token::Kind::end) {
      throw SyntaxError{t.offset, "syntax", "the expression ends too early", ""};
    }
    std::string hint;
    if (t.kind == Token::Kind::keyword) {
      hint = "an operator or a comma is missing; units stand behind numbers only (2 mm, or a*1 mm)";
    } else if (t.kind == Token::Kind::number) {
      hint = "an operator or a comma is missing";
    } else if (t.text == "=") {
      hint = "equality is written '=='";
    }
    throw SyntaxError{t.offset, "syntax", "unexpected '" + std::string(t.text) + "'", hint};
  }

  void expect(std::string_view text) {
    if (accept(text)) return;
    if (lexer_.token().kind == Token::Kind::end) {
      throw SyntaxError{lexer_.token().offset, "syntax", "'" + std::string(text) + "' is missing",
                        ""};
    }
    unexpected();
  }

  int add(SyntaxTree::Node node) {
    if (tree_.nodes.size() >= max_nodes) {
      throw SyntaxError{node.offset, "limit-expression-length",
                        "the expression has more than " + std::to_string(max_nodes) + " parts",
                        "split it with parameters or measures"};
    }
    tree_.nodes.push_back(node);
    return static_cast<int>(tree_.nodes.size()) - 1;
  }

  int operation(Op op, int offset, int a, int b = -1, int c = -1) {
    SyntaxTree::Node node;
    node.kind = SyntaxTree::Kind::operation;
    node.op = op;
    node.operands = {a, b, c};
    node.offset = offset;
    return add(node);
  }

  // Counts how deep the parser is in itself: parentheses, signs and powers.
  struct Depth {
    explicit Depth(Parser& p) : parser(p) {
      if (++parser.depth_ > parser.max_depth_) {
        throw SyntaxError{
            parser.lexer_.token().offset, "limit-expression-depth",
            "the expression is nested deeper than " + std::to_string(parser.max_depth_) + " levels",
            "split it with parameters or measures"};
      }
    }
    ~Depth() { --parser.depth_; }
    Parser& parser;
  };

  std::vector<int> arguments() {
    std::vector<int> result{expression()};
    while (accept(",")) result.push_back(expression());
    return result;
  }

  // Operands joined by any of the operators, from left to right.
  int joined(int (Parser::*level)(),
             std::initializer_list<std::pair<std::string_view, Op>> operators) {
    for (int left = (this->*level)();;) {
      const auto found = std::find_if(operators.begin(), operators.end(),
                                      [&](const auto& known) { return at(known.first); });
      if (found == operators.end()) return left;
      const int offset = lexer_.token().offset;
      lexer_.advance();
      left = operation(found->second, offset, left, (this->*level)());
    }
  }

  int expression() {
    const Depth depth(*this);
    return joined(&Parser::conjunction, {{"or", Op::logical_or}});
  }
  int conjunction() { return joined(&Parser::negation, {{"and", Op::logical_and}}); }
  int sum() { return joined(&Parser::term, {{"+", Op::add}, {"-", Op::subtract}}); }
  int term() { return joined(&Parser::factor, {{"*", Op::multiply}, {"/", Op::divide}}); }

  int negation() {
    const int offset = lexer_.token().offset;
    if (!at("not")) return comparison();
    const Depth depth(*this);
    lexer_.advance();
    return operation(Op::logical_not, offset, negation());
  }

  int comparison() {
    static constexpr std::pair<std::string_view, Op> operators[] = {
        {"<", Op::less},           {"<=", Op::less_equal}, {">", Op::greater},
        {">=", Op::greater_equal}, {"==", Op::equal},      {"!=", Op::not_equal}};
    const int left = sum();
    for (const auto& [text, op] : operators) {
      if (!at(text)) continue;
      const int offset = lexer_.token().offset;
      lexer_.advance();
      const int result = operation(op, offset, left, sum());
      for (const auto& other : operators) {
        if (at(other.first)) {
          throw SyntaxError{lexer_.token().offset, "syntax", "comparisons cannot be chained",
                            "write 'a < b and b < c'"};
        }
      }
      return result;
    }
    return left;
  }

  int nested_factor() {
    const Depth depth(*this);
    return factor();
  }

  int factor() {
    const int offset = lexer_.token().offset;
    if (accept("-")) {
      const Token& t = lexer_.token();
      if (t.kind == Token::Kind::number && t.unit_offset != 0.0) {  // -20 degC
        SyntaxTree::Node node;
        node.number = 2 * t.unit_offset - t.number;
        node.dimension = t.dimension;
        node.bare = false;
        node.offset = offset;
        lexer_.advance();
        return add(node);
      }
      return operation(Op::negate, offset, nested_factor());
    }
    if (accept("+")) return nested_factor();
    return power();
  }

  int power() {
    const int base = operand();
    if (!at("^")) return base;
    const int offset = lexer_.token().offset;
    lexer_.advance();
    return operation(Op::power, offset, base, nested_factor());
  }

  int operand() {
    const Token t = lexer_.token();
    if (t.kind == Token::Kind::number) {
      lexer_.advance();
      SyntaxTree::Node node;
      node.number = t.number;
      node.dimension = t.dimension;
      node.bare = t.bare;
      node.offset = t.offset;
      return add(node);
    }
    if (accept("(")) {
      const int inside = expression();
      expect(")");
      return inside;
    }
    if (t.kind != Token::Kind::keyword || t.text == "and" || t.text == "or" || t.text == "not") {
      unexpected();
    }
    lexer_.advance();
    if (at("(")) return call(t);
    if (t.text == "pi") {
      SyntaxTree::Node node;
      node.number = std::numbers::pi;
      node.offset = t.offset;
      return add(node);
    }
    const int index = name(t);
    return at("(") ? curve(index) : index;
  }

  // The name of a curve, or of nothing, before its argument.
  int curve(int name_node) {
    const int offset = tree_.nodes[name_node].offset;
    const int name = tree_.nodes[name_node].name;
    expect("(");
    const std::vector<int> values = arguments();
    expect(")");
    if (values.size() != 1) {
      throw unknown_function(tree_.names[name].text, offset);
    }
    const int result = operation(Op::curve, offset, values[0]);
    tree_.nodes[result].name = name;
    return result;
  }

  int call(const Token& keyword) {
    const auto known = std::find_if(std::begin(table), std::end(table),
                                    [&](const Function& f) { return f.name == keyword.text; });
    if (known == std::end(table)) return curve(name(keyword));
    expect("(");
    const std::vector<int> values = arguments();
    expect(")");
    const bool any_number = known->op == Op::min || known->op == Op::max;
    const int count = static_cast<int>(values.size());
    if (any_number ? count < 2 : count != known->arguments) {
      throw SyntaxError{keyword.offset, "argument-count",
                        "'" + std::string(keyword.text) + "' takes " +
                            std::to_string(known->arguments) + (any_number ? " or more" : "") +
                            " argument" + (known->arguments > 1 ? "s" : "") + ", here are " +
                            std::to_string(count),
                        std::string(known->meaning)};
    }
    if (known->op == Op::choose) {
      return operation(known->op, keyword.offset, values[0], values[1], values[2]);
    }
    if (count == 1) return operation(known->op, keyword.offset, values[0]);
    int result = operation(known->op, keyword.offset, values[0], values[1]);
    for (int k = 2; k < count; ++k) {
      result = operation(known->op, keyword.offset, result, values[k]);
    }
    return result;
  }

  int name(const Token& first) {
    SyntaxTree::Name name;
    name.offset = first.offset;
    Token keyword = first;
    int end = 0;
    while (true) {
      SyntaxTree::NamePart part;
      part.keyword = keyword.text;
      part.offset = keyword.offset;
      end = keyword.offset + static_cast<int>(keyword.text.size());
      if (accept("[")) {
        part.indices = arguments();
        end = lexer_.token().offset + 1;
        expect("]");
      }
      name.parts.push_back(std::move(part));
      if (!accept(".")) break;
      keyword = lexer_.token();
      if (keyword.kind != Token::Kind::keyword) unexpected();
      lexer_.advance();
    }
    name.text = lexer_.text().substr(static_cast<std::size_t>(first.offset),
                                     static_cast<std::size_t>(end - first.offset));
    SyntaxTree::Node node;
    node.kind = SyntaxTree::Kind::name;
    node.name = static_cast<int>(tree_.names.size());
    node.offset = first.offset;
    tree_.names.push_back(std::move(name));
    return add(node);
  }

  Lexer lexer_;
  int max_depth_;
  int depth_ = 0;
  SyntaxTree tree_;
};

}  // namespace

SyntaxError unknown_function(std::string_view name, int offset) {
  std::vector<std::string_view> names;
  for (const Function& f : table) names.push_back(f.name);
  return {offset, "unknown-function", "there is no function '" + std::string(name) + "'",
          did_you_mean(name, names)};
}

std::span<const Function> functions() {
  return table;
}

SyntaxTree parse_list(std::string_view text, int max_depth) {
  return Parser(text, max_depth).list();
}

int leftmost(const SyntaxTree& tree, int node) {
  while (true) {
    const SyntaxTree::Node& n = tree.nodes[node];
    if (n.kind != SyntaxTree::Kind::operation || n.operands[0] < 0) return node;
    const SyntaxTree::Node& first = tree.nodes[n.operands[0]];
    if (first.offset > n.offset) return node;  // a sign or a function stands before it
    node = n.operands[0];
  }
}

bool is_reserved(std::string_view keyword) {
  for (const std::string_view reserved : {"pi", "time", "ground", "prev", "and", "or", "not"}) {
    if (keyword == reserved) return true;
  }
  return false;
}

bool is_identifier(std::string_view keyword) {
  if (keyword.empty() || (keyword[0] >= '0' && keyword[0] <= '9')) return false;
  return std::all_of(keyword.begin(), keyword.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace mbs
