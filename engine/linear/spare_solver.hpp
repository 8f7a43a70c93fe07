#pragma once

// The general solver that a special one makes when it first needs it, in stored states: with what
// it has learnt, or not there again, so that it will learn the same.

#include <memory>

#include "engine/linear/saddle_solver.hpp"

namespace mbs {

inline void save_spare(ByteWriter& out, const std::unique_ptr<SaddleSolver>& spare) {
  out.put<std::uint8_t>(spare != nullptr);
  if (spare) spare->save(out);
}

// make(): as the special solver makes it. `needed`: it holds the factors in use.
template <class Make>
void restore_spare(ByteReader& in, std::unique_ptr<SaddleSolver>& spare, bool needed,
                   const Make& make) {
  std::uint8_t there = 0;
  in.get(there);
  if (there != 0) {
    if (!spare) spare = make();
    spare->restore(in);
  } else if (needed) {
    throw std::runtime_error("the stored state belongs to another model");
  } else {
    spare.reset();
  }
}

}  // namespace mbs
