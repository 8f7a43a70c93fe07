#pragma once

#include "engine/base/bytes.hpp"

namespace mbs {

// A bool with other bits than 0 and 1 must not come to exist.
inline bool get_bool(ByteReader& in) {
  unsigned char value = 0;
  in.get(value);
  return value != 0;
}

// A stored number that indexes memory, or counts what does.
inline void expect_within(long value, long least, long most) {
  if (value < least || value > most) {
    throw std::runtime_error("the stored state belongs to another model, or to other options");
  }
}

}  // namespace mbs
