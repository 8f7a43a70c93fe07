// A cache of blocks in sizes of powers of two, one list a size, behind SuiteSparse's allocation
// functions. It is common to all solvers of the process (SuiteSparse has no other place for it) and
// influences no result; what is cached is freed with the library.

#include "engine/linear/klu_memory.hpp"

#include <SuiteSparse_config.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace mbs {
namespace {

// Before each block; as long as the strictest alignment.
struct alignas(std::max_align_t) Header {
  std::size_t size_class;
  Header* next;
};

class BlockCache {
 public:
  ~BlockCache() {
    for (Header* list : free_) {
      while (list != nullptr) std::free(std::exchange(list, list->next));
    }
  }

  void* take(std::size_t bytes) {
    if (bytes > SIZE_MAX / 4) return nullptr;
    const std::size_t size_class = std::bit_width(bytes | 63u);  // holds 2^size_class bytes
    Header* block = nullptr;
    {
      const Lock lock(busy_);
      block = free_[size_class];
      if (block != nullptr) free_[size_class] = block->next;
    }
    if (block == nullptr) {
      block = static_cast<Header*>(std::malloc(sizeof(Header) + (std::size_t{1} << size_class)));
      if (block == nullptr) return nullptr;
      block->size_class = size_class;
    }
    return block + 1;
  }

  void give_back(void* memory) {
    if (memory == nullptr) return;
    Header* block = header(memory);
    const Lock lock(busy_);
    block->next = free_[block->size_class];
    free_[block->size_class] = block;
  }

  void* resize(void* memory, std::size_t bytes) {
    if (memory == nullptr) return take(bytes);
    const std::size_t capacity = std::size_t{1} << header(memory)->size_class;
    if (bytes <= capacity) return memory;
    void* larger = take(bytes);
    if (larger == nullptr) return nullptr;
    std::memcpy(larger, memory, capacity);
    give_back(memory);
    return larger;
  }

 private:
  struct Lock {
    explicit Lock(std::atomic_flag& flag) : busy(flag) {
      while (busy.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Lock() { busy.clear(std::memory_order_release); }
    std::atomic_flag& busy;
  };
  static Header* header(void* memory) { return static_cast<Header*>(memory) - 1; }

  std::array<Header*, 64> free_{};
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

BlockCache& cache() {
  static BlockCache blocks;
  return blocks;
}

void* zeroed(std::size_t count, std::size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return nullptr;
  void* memory = cache().take(count * size);
  if (memory != nullptr) std::memset(memory, 0, count * size);
  return memory;
}

}  // namespace

void keep_klu_memory() {
  static const bool done = [] {
    cache();
    SuiteSparse_config.malloc_func = [](std::size_t bytes) { return cache().take(bytes); };
    SuiteSparse_config.calloc_func = zeroed;
    SuiteSparse_config.realloc_func = [](void* memory, std::size_t bytes) {
      return cache().resize(memory, bytes);
    };
    SuiteSparse_config.free_func = [](void* memory) { cache().give_back(memory); };
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace mbs
