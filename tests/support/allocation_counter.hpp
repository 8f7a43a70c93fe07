#pragma once

// Counts allocations of the whole test program: malloc, calloc, realloc and the aligned ones are
// interposed, and with them operator new. Under a sanitizer, which has a malloc of its own, nothing
// is counted and `allocations_are_counted` is false.

namespace mbs::test {

extern const bool allocations_are_counted;
long allocations();  // since the program began, over all threads

// The number of allocations function makes.
template <class Function>
long allocations_in(Function&& function) {
  const long before = allocations();
  function();
  return allocations() - before;
}

}  // namespace mbs::test
