#include "tests/support/allocation_counter.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace mbs::test {

namespace {
std::atomic<long> count{0};
}  // namespace

long allocations() {
  return count.load(std::memory_order_relaxed);
}

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
const bool allocations_are_counted = false;
#else
const bool allocations_are_counted = true;
#endif

}  // namespace mbs::test

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)

// glibc's own names of what is interposed here.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

#define MBS_INTERPOSED __attribute__((visibility("default")))

static void count_one() {
  mbs::test::count.fetch_add(1, std::memory_order_relaxed);
}

MBS_INTERPOSED void* malloc(std::size_t size) {
  count_one();
  return __libc_malloc(size);
}
MBS_INTERPOSED void* calloc(std::size_t n, std::size_t size) {
  count_one();
  return __libc_calloc(n, size);
}
MBS_INTERPOSED void* realloc(void* old, std::size_t size) {
  count_one();
  return __libc_realloc(old, size);
}
MBS_INTERPOSED void* memalign(std::size_t alignment, std::size_t size) {
  count_one();
  return __libc_memalign(alignment, size);
}
MBS_INTERPOSED void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
MBS_INTERPOSED int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  void* memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}
}

#endif
