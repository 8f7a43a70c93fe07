#include "engine/linear/klu_memory.hpp"

#include <SuiteSparse_config.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>

namespace mbs {

namespace {

thread_local KluMemory* in_use = nullptr;

// The functions that were there.
void* (*previous_malloc)(std::size_t) = std::malloc;
void* (*previous_calloc)(std::size_t, std::size_t) = std::calloc;
void* (*previous_realloc)(void*, std::size_t) = std::realloc;
void (*previous_free)(void*) = std::free;

void* any_malloc(std::size_t bytes) {
  return in_use != nullptr ? in_use->take(bytes) : previous_malloc(bytes);
}

void* any_calloc(std::size_t count, std::size_t size) {
  if (in_use == nullptr) return previous_calloc(count, size);
  if (size != 0 && count > SIZE_MAX / size) return nullptr;
  void* memory = in_use->take(count * size);
  if (memory != nullptr) std::memset(memory, 0, count * size);
  return memory;
}

void* any_realloc(void* memory, std::size_t bytes) {
  return in_use != nullptr ? in_use->resize(memory, bytes) : previous_realloc(memory, bytes);
}

void any_free(void* memory) {
  if (in_use == nullptr || !in_use->give_back(memory)) previous_free(memory);
}

// The pointers stay ours: without a KluMemory in use they do what those before them did.
void pass_on_once() {
  static const bool done = [] {
    previous_malloc = SuiteSparse_config.malloc_func;
    previous_calloc = SuiteSparse_config.calloc_func;
    previous_realloc = SuiteSparse_config.realloc_func;
    previous_free = SuiteSparse_config.free_func;
    SuiteSparse_config.malloc_func = any_malloc;
    SuiteSparse_config.calloc_func = any_calloc;
    SuiteSparse_config.realloc_func = any_realloc;
    SuiteSparse_config.free_func = any_free;
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

KluMemory::KluMemory() {
  pass_on_once();
}

KluMemory::~KluMemory() {
  for (const Block& block : blocks_) std::free(block.memory);
}

KluMemory::Use::Use(KluMemory& memory) : before_(in_use) {
  in_use = &memory;
}

KluMemory::Use::~Use() {
  in_use = before_;
}

const KluMemory::Block* KluMemory::find(const void* memory) const {
  const auto place = std::lower_bound(
      blocks_.begin(), blocks_.end(), memory,
      [](const Block& block, const void* at) { return std::less<>()(block.memory, at); });
  return place != blocks_.end() && place->memory == memory ? &*place : nullptr;
}

void* KluMemory::take(std::size_t bytes) {
  if (bytes > SIZE_MAX / 4) return nullptr;
  const auto size_class = static_cast<std::size_t>(std::bit_width(bytes | 63u));
  std::vector<void*>& kept = kept_[size_class];
  // Other pivots make more of one size and less of another: up to four times as much serves, too.
  for (std::size_t larger = size_class; larger < std::min(size_class + 3, kept_.size()); ++larger) {
    if (kept_[larger].empty()) continue;
    void* memory = kept_[larger].back();
    kept_[larger].pop_back();
    return memory;
  }
  void* memory = std::malloc(std::size_t{1} << size_class);
  if (memory == nullptr) return nullptr;
  try {
    const auto place = std::upper_bound(
        blocks_.begin(), blocks_.end(), memory,
        [](const void* at, const Block& block) { return std::less<>()(at, block.memory); });
    kept.reserve(blocks_.size() + 1);  // so that giving back never allocates
    blocks_.insert(place, {memory, size_class});
  } catch (const std::bad_alloc&) {
    std::free(memory);
    return nullptr;
  }
  return memory;
}

void KluMemory::keep_free_blocks() {
  std::array<bool, 64> used{};
  for (const Block& block : blocks_) used[block.size_class] = true;
  std::array<void*, 64> blocks{};
  for (std::size_t c = 0; c < used.size(); ++c)
    if (used[c] && kept_[c].empty()) blocks[c] = take(std::size_t{1} << (c - 1));
  for (void* block : blocks)
    if (block != nullptr) give_back(block);
}

bool KluMemory::give_back(void* memory) {
  const Block* block = find(memory);
  if (block == nullptr) return false;
  kept_[block->size_class].push_back(memory);
  return true;
}

void* KluMemory::resize(void* memory, std::size_t bytes) {
  if (memory == nullptr) return take(bytes);
  const Block* block = find(memory);
  if (block == nullptr) return previous_realloc(memory, bytes);
  const std::size_t capacity = std::size_t{1} << block->size_class;
  if (bytes <= capacity) return memory;
  void* larger = take(bytes);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, memory, capacity);
  give_back(memory);
  return larger;
}

}  // namespace mbs
