#pragma once

// The graph of direct dependencies, and the dependencies that follow from it. Quantities that are
// solved for together depend on each other in both directions: the strongly connected components of
// the graph are the blocks of the equations (those of the saddle matrix among them), and every
// quantity of a block depends on all that acts on any of them.
//
// A dependency is by a constant factor where all ways to it are, and where no way goes through a
// block with a factor inside that is not constant.

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace mbs {

class DependencyGraph {
 public:
  int add_nodes(int count) {
    const int first = size();
    edges_.resize(edges_.size() + static_cast<std::size_t>(count));
    return first;
  }
  void depend(int node, int on, bool by_constant) {
    edges_[static_cast<std::size_t>(node)].push_back({on, by_constant});
  }
  // A node that depends on two others, which may be one; the same one where it has just been made.
  int combine(int a, int b, bool by_constant) {
    if (a > b) std::swap(a, b);
    Made& made = recent_[static_cast<std::size_t>(31 * a + 2 * b + by_constant) % recent_.size()];
    if (made.node >= 0 && made.a == a && made.b == b && made.by_constant == by_constant)
      return made.node;
    made = {a, b, add_nodes(1), by_constant};
    depend(made.node, a, by_constant);
    if (b != a) depend(made.node, b, by_constant);
    return made.node;
  }
  int size() const { return static_cast<int>(edges_.size()); }

  struct Edge {
    int on;
    bool by_constant;
  };
  std::span<const Edge> edges(int node) const { return edges_[static_cast<std::size_t>(node)]; }

 private:
  struct Made {
    int a = -1, b = -1, node = -1;
    bool by_constant = false;
  };
  std::vector<std::vector<Edge>> edges_;
  std::vector<Made> recent_ = std::vector<Made>(4096);
};

// A set of knowns, of which some act by more than a constant factor.
class KnownSet {
 public:
  explicit KnownSet(int knowns = 0) : half_((static_cast<std::size_t>(knowns) + 63) / 64) {
    bits_.resize(2 * half_);
  }
  void add(int known, bool nonlinear) {
    bits_[chunk(known)] |= bit(known);
    if (nonlinear) bits_[half_ + chunk(known)] |= bit(known);
  }
  void add(const KnownSet& other, bool nonlinear) {
    for (std::size_t k = 0; k < half_; ++k) {
      bits_[k] |= other.bits_[k];
      bits_[half_ + k] |= other.bits_[(nonlinear ? 0 : half_) + k];
    }
  }
  bool contains(int known) const { return (bits_[chunk(known)] & bit(known)) != 0; }
  bool nonlinear(int known) const { return (bits_[half_ + chunk(known)] & bit(known)) != 0; }
  // use(known), ascending, of those from `first` up to `end`.
  template <class Function>
  void for_each(int first, int end, const Function& use) const {
    for (std::size_t k = chunk(first); k < half_ && static_cast<int>(64 * k) < end; ++k)
      for (std::uint64_t rest = bits_[k]; rest != 0; rest &= rest - 1)
        if (const int known = static_cast<int>(64 * k) + std::countr_zero(rest);
            known >= first && known < end)
          use(known);
  }
  bool operator==(const KnownSet&) const = default;

 private:
  static std::size_t chunk(int known) { return static_cast<std::size_t>(known) / 64; }
  static std::uint64_t bit(int known) { return std::uint64_t{1} << (known % 64); }
  std::size_t half_;
  std::vector<std::uint64_t> bits_;  // which; then which not by a constant factor
};

// The knowns that each node depends on: the first nodes are the knowns themselves, of which those
// that depend on something stand for that.
class DependencyClosure {
 public:
  DependencyClosure(const DependencyGraph& graph, int knowns);
  const KnownSet& of(int node) const {
    return sets_[static_cast<std::size_t>(set_of_block_[block(node)])];
  }
  // Nodes of one number are solved for together.
  std::size_t block(int node) const {
    return static_cast<std::size_t>(block_[static_cast<std::size_t>(node)]);
  }

 private:
  void find_blocks(const DependencyGraph& graph);

  std::vector<int> block_;                 // those that a block depends on have lower numbers
  std::vector<std::vector<int>> members_;  // of each block
  std::vector<int> set_of_block_;
  std::vector<KnownSet> sets_;
};

}  // namespace mbs
