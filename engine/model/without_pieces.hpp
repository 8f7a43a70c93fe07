#pragma once

// A model whose laws have one piece each, for questions that points answer
// (analysis/influence.hpp): what a law of several pieces (if, min, tables, ...) depends on shows at
// a point only as far as the piece it lies on tells. Each operation of several pieces gives way to
// a smooth one of the same operands, with
//
//   l(x) = ln |x|                         follows x by parts of it, however large or small it is
//   s(x, ...) = 1/2 + 2/5 sin(phase + l(x) + ...)     between 0 and 1
//   o(x) = x |(x, 1)|^-0.9                odd
//   m(a, b) = weight (min(|a|, |b|)^1.01 (1 + 0.3 sin l(|(a, b)|)) + ln |(a, 1)| + 0.3 ln |(b, 1)|)
//             or weight |a|^1.01 where b is a number: a "no limit" of 1e30 leaves others to be seen
//
//   a < b, a == b, a and b, a or b, not a     s(a, b), s(a)
//   if(c, a, b)                               s(c) m(a, b)
//   min, max, mod (a, b)                      m(a, b)
//   |a|, floor a, ceil a                      |a|^1.01, and parts of it
//   curve(a)                                  between its lowest and highest point, by s(a)
//   sign, tanh, atan, sinh a                  o(a)
//   exp a, cosh a                             a + |(a, 1)|, |(a, 1)|
//   asin a, acos a                            sin a, cos a
//
// Phase and weight hang on the operation and its operands: what differs does not cancel
// (max(x, 0) - max(-x, 0)), and what is the same does.
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
  // Numbers that are not whole, and directions, are others by some 1e-13 of them, equal ones alike:
  // what is rounding of the numbers in the file (a frame turned by 90 degrees) is other rounding
  // then. Values of parameters stay.
  bool blurred = false;
};
// Throws std::length_error where a law gets too long.
Model without_pieces(Model model, WithoutPieces how);

}  // namespace mbs
