#pragma once

// Compiles syntax trees to Expressions: looks up names, checks dimensions, folds constants.

#include <functional>
#include <string>
#include <vector>

#include "engine/model/dimension.hpp"
#include "engine/model/expression.hpp"
#include "engine/model/syntax.hpp"

namespace mbs {

// The dimension of a part of an expression. `free`: made of bare numbers alone, so it takes the
// dimension of what it meets; in a product with something else it has none.
struct Type {
  Dimension dimension;
  bool free = true;
  bool condition = false;  // a truth value
  bool failed = false;     // an error in it has been reported: say nothing more
};

// The meaning of a name.
struct Resolved {
  enum class Kind : unsigned char {
    constant,
    symbol,
    curve,
    failed,   // an error that has been reported elsewhere
    missing,  // `error` says why; only an error where it is used (not in a branch never taken)
    unknown   // `error` says why; an error wherever it stands
  };
  Kind kind = Kind::failed;
  double number = 0.0;
  Symbol symbol;
  std::shared_ptr<const Curve> curve;
  Dimension argument;  // of the curve
  Type type;
  SyntaxError error;
};

using NameSource = std::function<Resolved(const SyntaxTree::Name&)>;

struct Compiled {
  Expression expression;
  Type type;
  std::vector<SyntaxError> errors;
};

// One component of the tree (one of its roots, or an index of a name).
Compiled compile(const SyntaxTree& tree, int root, const NameSource& resolve);

// "N.m", or "no dimension".
std::string dimension_text(const Type& type);

// The two halves of compile(); `resolved` has an entry for each of the tree's names.
Type check_dimensions(const SyntaxTree& tree, int root, const std::vector<Resolved>& resolved,
                      std::vector<SyntaxError>& errors);
Expression generate(const SyntaxTree& tree, int root, const std::vector<Resolved>& resolved,
                    std::vector<SyntaxError>& errors);

}  // namespace mbs
