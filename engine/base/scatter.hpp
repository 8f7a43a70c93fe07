#pragma once

// Numbers in [-1, 1], the same ones each time: for places next to a point that nothing prefers.

#include <cstdint>

namespace mbs {

class Scatter {
 public:
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1.0;
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace mbs
