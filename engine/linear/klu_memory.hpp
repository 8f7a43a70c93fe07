#pragma once

// KLU allocates in every factorisation with new pivots, which can come in the middle of a warm
// simulation. A KluMemory keeps what KLU frees and gives it again; each solver has one of its own,
// and all is returned with it.
//
// SuiteSparse takes its allocation functions for the whole program. Ours look for a KluMemory only
// while one is in use by this thread, and pass on everything else, to whatever functions were
// there: other users of SuiteSparse in the program see no difference, whoever allocates or frees
// before, between or after our calls.

#include <array>
#include <cstddef>
#include <vector>

namespace mbs {

class KluMemory {
 public:
  KluMemory();
  ~KluMemory();
  KluMemory(const KluMemory&) = delete;
  KluMemory& operator=(const KluMemory&) = delete;

  // While it lives, SuiteSparse's allocations of this thread come from `memory`. Everything that
  // was allocated so must be freed so.
  class Use {
   public:
    explicit Use(KluMemory& memory);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    KluMemory* before_;
  };

  void* take(std::size_t bytes);
  void* resize(void* memory, std::size_t bytes);
  // False for memory that is not from here.
  bool give_back(void* memory);

  // One more of each size than are in use, for factorisations with other pivots.
  void keep_free_blocks();

  std::size_t blocks() const { return blocks_.size(); }  // in use or kept

 private:
  struct Block {
    void* memory;
    std::size_t size_class;  // it has 2^size_class bytes
  };
  const Block* find(const void* memory) const;

  std::vector<Block> blocks_;                // by address
  std::array<std::vector<void*>, 64> kept_;  // by size class
};

}  // namespace mbs
