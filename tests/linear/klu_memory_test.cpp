// The memory of KLU belongs to its solver; other users of SuiteSparse in the same program see
// nothing of it.

#include <SuiteSparse_config.h>
#include <gtest/gtest.h>
#include <klu.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "engine/linear/klu_memory.hpp"
#include "engine/linear/sparse_lu.hpp"

namespace mbs::test {
namespace {

ColumnSparse band(int n) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 4.0);
    if (i > 0) entries.emplace_back(i, i - 1, 1.0), entries.emplace_back(i - 1, i, 1.0);
  }
  ColumnSparse A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  A.makeCompressed();
  return A;
}

// Counts its blocks, and fails on one that is not its own.
std::vector<void*> foreign_blocks;
void* foreign_malloc(std::size_t bytes) {
  foreign_blocks.push_back(std::malloc(bytes));
  return foreign_blocks.back();
}
void foreign_free(void* memory) {
  const auto found = std::find(foreign_blocks.begin(), foreign_blocks.end(), memory);
  ASSERT_NE(found, foreign_blocks.end()) << "a block of somebody else";
  foreign_blocks.erase(found);
  std::free(memory);
}

void* foreign_realloc(void* memory, std::size_t bytes) {
  if (memory != nullptr) std::erase(foreign_blocks, memory);
  foreign_blocks.push_back(std::realloc(memory, bytes));
  return foreign_blocks.back();
}

// First of all in this program: the functions are taken over when the first solver is made.
TEST(KluMemory, LeavesOthersTheirAllocators) {
  SuiteSparse_config.malloc_func = foreign_malloc;
  SuiteSparse_config.realloc_func = foreign_realloc;
  SuiteSparse_config.free_func = foreign_free;
  void* early = SuiteSparse_malloc(100, 1);
  void* freed_within = SuiteSparse_malloc(100, 1);
  {
    const auto lu = make_klu_lu();
    const ColumnSparse A = band(50);
    lu->analyse(A);
    ASSERT_TRUE(lu->factor(A));
    void* late = SuiteSparse_malloc(100, 1);  // between two calls
    EXPECT_EQ(foreign_blocks.size(), 3u);     // none of KLU's
    ASSERT_TRUE(lu->factor(A));
    SuiteSparse_free(early);  // from before the first solver
    SuiteSparse_free(late);
    KluMemory memory;
    const KluMemory::Use use(memory);
    SuiteSparse_free(freed_within);
  }
  EXPECT_TRUE(foreign_blocks.empty());

  // Another user of KLU itself, before and after one of our solvers lives.
  klu_common common;
  klu_defaults(&common);
  ColumnSparse A = band(20);
  klu_symbolic* symbolic = klu_analyze(20, A.outerIndexPtr(), A.innerIndexPtr(), &common);
  {
    const auto lu = make_klu_lu();
    lu->analyse(A);
    ASSERT_TRUE(lu->factor(A));
    klu_numeric* numeric =
        klu_factor(A.outerIndexPtr(), A.innerIndexPtr(), A.valuePtr(), symbolic, &common);
    klu_free_numeric(&numeric, &common);
  }
  klu_free_symbolic(&symbolic, &common);
  EXPECT_TRUE(foreign_blocks.empty());
}

TEST(KluMemory, KeepsAndGivesAgain) {
  KluMemory memory;
  void* a = memory.take(1000);
  void* b = memory.take(10);
  EXPECT_NE(a, b);
  EXPECT_EQ(memory.resize(a, 1020), a);
  EXPECT_TRUE(memory.give_back(a));
  EXPECT_EQ(memory.take(900), a);
  void* larger = memory.resize(a, 5000);
  EXPECT_NE(larger, a);
  EXPECT_EQ(memory.take(1000), a);
  EXPECT_EQ(memory.blocks(), 3u);
  int outside = 0;
  EXPECT_FALSE(memory.give_back(&outside));
  EXPECT_EQ(memory.take(SIZE_MAX / 2), nullptr);
}

// Each thread has its solvers; one made here is used and freed there.
TEST(KluMemory, ThreadsDoNotMeet) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([lu = std::shared_ptr<SparseLu>(make_klu_lu()), t] {
      ColumnSparse A = band(30 + t);
      lu->analyse(A);
      for (int k = 0; k < 200; ++k) {
        A.coeffRef(0, 0) = k % 2 == 0 ? 4.0 : 1e-14;  // new pivots each time
        ASSERT_TRUE(lu->factor(A));
        const auto other = make_klu_lu();
        other->analyse(A);
        ASSERT_TRUE(other->factor(A));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace mbs::test
