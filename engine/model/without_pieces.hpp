#pragma once

// A model whose laws have one piece each, for questions that points answer
// (analysis/influence.hpp): what a law of several pieces (if, min, tables, ...) depends on shows at
// a point only as far as the piece it lies on tells. Each operation of several pieces gives way to
// a smooth one of the same operands, with
//
//   l(x) = ln |(x + 1/e, 1)|                   follows x by parts of it, however large it is
//   s(x) = 1/2 + 2/5 sin l(x)                  between 0 and 1
//   o(x) = x |(x, 1)|^-0.9                     odd
//
//   a < b, a == b, ...       s(a - b)                 sign, tanh, atan, sinh a    o(a)
//   a and b, a or b, not a   s(a b), s(a + b), s(a)   exp a, cosh a               1/2 + 2 s(a)
//   if(c, a, b)              s(c) (0.83 a + 0.57 b)   floor a, |a|                |a|^1.01
//   min, max, mod (a, b)     |0.83 a + 0.57 b|^1.01   asin a, acos a              sin a, cos a
//   curve(a)                 what lies between its lowest and highest point, by s(a)
//
// tanh, exp and the like are smooth but flat, to the last bit, far from where they do something.
// What does not enter such an operation stays as it is, to the last bit, so that what cancels still
// does. Roots, logarithms and powers take the size of what is negative, so that they have a value
// at any point. Signs of what is positive are kept.
//
// The result is for nothing else: it moves in some way, not in that of the model.

#include "engine/model/model.hpp"

namespace mbs {

struct WithoutPieces {
  bool discretes_elsewhere = false;  // variables that events set are not where they start
  // Numbers that are not whole are others by some 1e-13 of them: what is rounding of the numbers in
  // the file (a frame turned by 90 degrees) is other rounding then.
  bool blurred = false;
};
// Throws std::length_error where a law gets too long.
Model without_pieces(Model model, WithoutPieces how);

}  // namespace mbs
