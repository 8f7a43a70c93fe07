#pragma once

// The Jacobian of the outputs by columns: those of p, v, r, w, s, lambda and u as in
// JacobianLayout, then those of v'. It is written row by row.

#include <utility>
#include <vector>

#include "engine/equations/output_derivatives.hpp"
#include "engine/multibody/evaluation.hpp"

namespace mbs {

class OutputColumns {
 public:
  std::vector<OutputEntry> entries;  // in any order

  // Sorts the entries by columns; called after all of them have been written.
  void sort(int columns) {
    count_.assign(static_cast<std::size_t>(columns), 0);
    for (const OutputEntry& entry : entries) ++count_[static_cast<std::size_t>(entry.column)];
    columns_.clear();
    int begin = 0;
    for (int j = 0; j < columns; ++j) {
      int& count = count_[static_cast<std::size_t>(j)];
      if (count > 0) columns_.push_back({j, begin, begin + count});
      begin += std::exchange(count, begin);
    }
    sorted_.resize(entries.size());
    for (const OutputEntry& entry : entries) {
      int& place = count_[static_cast<std::size_t>(entry.column)];
      sorted_[static_cast<std::size_t>(place++)] = {entry.row, entry.value};
    }
  }

  void apply(const Variation& c, Eigen::Ref<Vector> dy) const {
    dy.setZero();
    const Column* column = columns_.data();
    const Column* const end = column + columns_.size();
    int first = 0, next = 0;
    for (const Vector* part : {&c.p, &c.v, &c.r, &c.w, &c.s, &c.lambda, &c.u, &c.a}) {
      first = std::exchange(next, next + static_cast<int>(part->size()));
      for (; column != end && column->index < next; ++column) {
        const double x = (*part)[column->index - first];
        if (x == 0.0) continue;
        for (int k = column->begin; k < column->end; ++k) {
          const Sorted& entry = sorted_[static_cast<std::size_t>(k)];
          dy[entry.row] += entry.value * x;
        }
      }
    }
  }

 private:
  struct Column {
    int index, begin, end;
  };
  struct Sorted {
    int row;
    double value;
  };
  std::vector<Column> columns_;  // those with entries
  std::vector<Sorted> sorted_;
  std::vector<int> count_;  // buffer
};

}  // namespace mbs
