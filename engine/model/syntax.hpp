#pragma once

// The text of an attribute as a syntax tree: numbers with their units, names with their indices,
// operations. Nothing is looked up here; offsets count bytes of the text.
//
//   list       = expression { "," expression }
//   expression = conjunction { "or" conjunction }
//   conjunction= negation { "and" negation }
//   negation   = [ "not" ] comparison
//   comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//   sum        = term { ("+" | "-") term }
//   term       = factor { ("*" | "/") factor }
//   factor     = { "-" | "+" } power
//   power      = operand [ "^" factor ]
//   operand    = number [ unit ] | name | function "(" list ")" | "(" expression ")"
//              | name "(" expression ")"                                         (a curve)
//   name       = keyword [ "[" list "]" ] { "." keyword [ "[" list "]" ] }

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/dimension.hpp"
#include "engine/model/expression.hpp"

namespace mbs {

struct SyntaxTree {
  enum class Kind : unsigned char { number, name, operation };
  struct Node {
    Kind kind = Kind::number;
    Instruction::Op op = Instruction::Op::constant;
    bool bare = true;  // a number without a unit
    double number = 0.0;
    Dimension dimension;
    std::array<int, 3> operands{-1, -1, -1};
    int name = -1;  // in names; an operation: the curve's
    int offset = 0;
  };
  struct NamePart {
    std::string keyword;
    std::vector<int> indices;  // nodes
    int offset = 0;
  };
  struct Name {
    std::vector<NamePart> parts;
    std::string text;  // as written
    int offset = 0;
  };
  std::vector<Node> nodes;
  std::vector<Name> names;
  std::vector<int> roots;  // one for each component of the list
};

struct SyntaxError {
  int offset = 0;
  std::string code, message, hint;
};

struct Function {
  std::string_view name;
  Instruction::Op op;
  int arguments;  // min and max take two or more
  std::string_view meaning;
};
std::span<const Function> functions();
SyntaxError unknown_function(std::string_view name, int offset);

// Throws SyntaxError.
SyntaxTree parse_list(std::string_view text, int max_depth);
// The operand with which the text of a part begins.
int leftmost(const SyntaxTree& tree, int node);
// Keywords that cannot be names: pi, time, ground, prev, and, or, not.
bool is_reserved(std::string_view keyword);
bool is_identifier(std::string_view keyword);

}  // namespace mbs
