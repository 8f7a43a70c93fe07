#pragma once

// Triangular solves with small entries of L and U left out, Nijhuis (2013), eq. (3.8): entry (i,
// j), i != j, of a factor is ignored when
//
//   |A_ij| < delta max_k |A_ik|
//
// The factors stay as they are; the remaining entries are copied together, since skipping an entry
// costs as much as using it.

#include "engine/linear/sparse_lu.hpp"

namespace mbs::bdf {

class ThresholdLu {
 public:
  // False when this implementation does not show its factors.
  bool make(const SparseLu& lu, double delta);
  // Makes room for factors of other pivots, with up to twice the entries.
  void make_room(const SparseLu& lu);
  void solve(Eigen::Ref<Vector> x);

  // Multiplications of a solve with all entries, with the remaining ones, and of the factorisation.
  long all() const { return all_; }
  long left() const { return left_; }
  long factorisation() const { return factorisation_; }

 private:
  struct Triangle {
    std::vector<int> begin, index;
    std::vector<double> value;
  };
  void drop(const LuFactors::Columns& from, double delta, bool lower, Triangle& to);

  LuFactors factors_;
  Triangle L_, U_, F_;
  Vector pivot_, largest_, x_;
  long all_ = 0, left_ = 0, factorisation_ = 0;
};

}  // namespace mbs::bdf
