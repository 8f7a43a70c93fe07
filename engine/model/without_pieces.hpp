#pragma once

// A model whose laws have one piece each, for questions that points answer
// (analysis/influence.hpp): what a law of several pieces (if, min, tables, ...) depends on shows at
// a point only as far as the piece it lies on tells. Each operation of several pieces gives way to
// a smooth one of the same operands, with s(x) = 1/2 + 2/5 sin x for something between 0 and 1:
//
//   a < b, a == b, ...       s(a - b)                 sign a        sin a
//   a and b, a or b, not a   s(a b), s(a + b), s(a)   floor a, |a|  hypot(a, 0)^1.01
//   if(c, a, b)              s(c) (4/5 a + 11/20 b)   min, max, mod (a, b)    hypot(a, b)^1.01
//   curve(a)                 what lies between its lowest and highest point, by s(a)
//   tanh, atan, sinh a       sin a                    exp a, cosh a     1/2 + 2 s(a)
//
// The last are smooth but flat, to the last bit, far from where they do something.
// What does not enter such an operation stays as it is, to the last bit, so that what cancels still
// does. Roots, logarithms and powers take the size of what is negative, so that they have a value
// at any point. Signs of what is positive are kept.
//
// The result is for nothing else: it moves in some way, not in that of the model.

#include "engine/model/model.hpp"

namespace mbs {

// discretes: variables that events set are some number away from where they start.
enum class Discretes : unsigned char { as_they_start, elsewhere };
// Throws std::length_error where a law gets too long.
Model without_pieces(Model model, Discretes discretes);

}  // namespace mbs
