#pragma once

// Finds where laws can jump, which follows from their text: at comparisons, sign, floor, ceil and
// mod of what changes with time. Integration across a jump would be as good as the step that hides
// it, and would miss a pulse between two evaluations. Hence each such part becomes a discrete
// variable z of its own that keeps its value between events. An event comes where z no longer
// holds: where a function that is positive as long as it does falls to zero.
//
//   if(r.q > 0, a, b)    z is 0 or 1;  r.q - 0 where z is 1, 0 - r.q where it is 0
//   if(time > p, a, b)   z is 0 or 1;  a time event at p
//   floor(x)             z is a number;  min(x - z, z + 1 - x)
//   ceil(x), sign(x)     likewise
//   mod(x, y)            x - z y with z for floor(x/y)
//
// A law then is smooth from event to event, also where its operands pass the event within a step
// that is cut there later. Before the start has been found z is NaN, and the part has its direct
// value (Instruction::Op::frozen).
//
// A branch with a root or logarithm has no value where its condition forbids it: the law takes the
// other branch there (Op::first_number), since a step may look a little beyond the event.
//
// noEvent(x) leaves x as it is; so do laws with variables of their own element (a spring's x).

#include "engine/model/model.hpp"

namespace mbs {

// Appends to the discrete variables and the events of the model, and changes its laws.
void freeze_discontinuities(Model& model);

}  // namespace mbs
