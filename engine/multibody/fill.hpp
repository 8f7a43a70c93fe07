#pragma once

// One piece of code makes the pattern of a sparse matrix and fills it: what it adds, always in the
// same order, is recorded once at assembly and from then on goes straight to its place.

#include <algorithm>
#include <span>
#include <vector>

#include "engine/base/types.hpp"

namespace mbs {

// Numbers between 0.5 and 1.5 for the point at which patterns are recorded: what is zero there is
// zero everywhere.
class RandomNumbers {
 public:
  void operator()(auto& x) {
    for (double& value : x) {
      seed_ = seed_ * 6364136223846793005ull + 1442695040888963407ull;
      value = 0.5 + static_cast<double>(seed_ >> 11) * 0x1p-53;
    }
  }

 private:
  unsigned long long seed_ = 1;
};

class Fill {
 public:
  struct Entry {
    int row, column;
    bool present;
  };
  explicit Fill(std::vector<Entry>& seen) : seen_(&seen) {}
  Fill(std::span<const int> places, double* values) : places_(places), values_(values) {}

  // While recording, entries that are exactly zero stay out of the pattern when `prune` is set:
  // right for polynomials at random arguments.
  void prune(bool on) { prune_ = on; }
  void add(int row, int column, double value) {
    if (seen_ != nullptr) return record(row, column, value);
    const int place = places_[next_++];
    if (place >= 0) values_[place] += value;
  }

  // Leaves out the next `count` additions. It must not be called while recording.
  void skip(int count) { next_ += static_cast<std::size_t>(count); }
  // Whether the next `count` are to be added, multiples of the factor; otherwise they are skipped:
  // what is multiplied by zero need not even be finite.
  bool any(double factor, int count) {
    if (seen_ != nullptr || factor != 0.0) return true;
    skip(count);
    return false;
  }

 private:
  [[gnu::noinline]] void record(int row, int column, double value) {
    seen_->push_back({row, column, !prune_ || value != 0.0});
  }

  std::vector<Entry>* seen_ = nullptr;
  bool prune_ = false;
  std::span<const int> places_;
  double* values_ = nullptr;
  std::size_t next_ = 0;
};

// The pattern of what was recorded; places[k] is where the k-th addition goes, -1: nowhere.
template <class Sparse>
Sparse pattern_of(const std::vector<Fill::Entry>& seen, int rows, int columns,
                  std::vector<int>& places) {
  std::vector<Eigen::Triplet<double>> triplets;
  for (const Fill::Entry& e : seen) {
    if (e.present) triplets.emplace_back(e.row, e.column, 0.0);
  }
  Sparse matrix(rows, columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  matrix.makeCompressed();
  places.resize(seen.size());
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const int outer = Sparse::IsRowMajor ? seen[k].row : seen[k].column;
    const int inner = Sparse::IsRowMajor ? seen[k].column : seen[k].row;
    const int* begin = matrix.innerIndexPtr() + matrix.outerIndexPtr()[outer];
    const int* end = matrix.innerIndexPtr() + matrix.outerIndexPtr()[outer + 1];
    const int* at = std::lower_bound(begin, end, inner);
    places[k] = at != end && *at == inner ? static_cast<int>(at - matrix.innerIndexPtr()) : -1;
  }
  return matrix;
}

}  // namespace mbs
