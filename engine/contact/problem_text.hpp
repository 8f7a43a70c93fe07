#pragma once

// A contact problem as text, written to the last bit of every number and read again. The content is
// that of a local or a global problem of FCLIB (Acary et al., 2014: W, q, mu or M, H, q, mu), one
// item a line, indices from 0, matrices by their entries that are not zero. Lines that begin with #
// are comments.
//
//   contact problem 1                        the form of the text
//   size 3                                   of x
//   bias_scale 0
//   contact 'floor': normal 0, tangents 2 from 1, mu 0.5, limit 0
//                                            one a cone; normal -1: friction alone;
//                                            ", slides along 1 0" ends the line of a given
//                                            direction
//   b                                        then a number a line
//   W 5                                      then as many lines: row column value
//
// or, for W = J M^-1 J^T,
//
//   bodies 1                                 then each mass matrix: its size, its rows
//   J 9                                      as W
//
// In a name \n stands for a new line and \\ for a backslash.

#include <iosfwd>
#include <string>

#include "engine/contact/problem.hpp"

namespace mbs {

std::ostream& operator<<(std::ostream& out, const ContactProblem& problem);

struct ContactProblemText {
  ContactProblem problem;
  std::string error;  // "line 7: ..."; empty: the problem was read
};
ContactProblemText read_contact_problem(std::istream& in);

}  // namespace mbs
