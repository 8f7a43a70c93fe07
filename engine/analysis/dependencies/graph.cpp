#include "engine/analysis/dependencies/graph.hpp"

#include <algorithm>

namespace mbs {

// Tarjan's algorithm, without recursion: chains may be long.
void DependencyClosure::find_blocks(const DependencyGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.size());
  std::vector<int> order(n, -1), low(n), open;
  std::vector<char> is_open(n, 0);
  struct Visit {
    int node;
    std::size_t next;
  };
  std::vector<Visit> path;
  int count = 0;
  block_.assign(n, -1);
  for (int root = 0; root < graph.size(); ++root) {
    if (order[static_cast<std::size_t>(root)] >= 0) continue;
    path.push_back({root, 0});
    while (!path.empty()) {
      const int node = path.back().node;
      const auto k = static_cast<std::size_t>(node);
      if (path.back().next == 0 && order[k] < 0) {
        order[k] = low[k] = count++;
        open.push_back(node);
        is_open[k] = 1;
      }
      const auto edges = graph.edges(node);
      bool deeper = false;
      while (path.back().next < edges.size() && !deeper) {
        const int on = edges[path.back().next++].on;
        const auto other = static_cast<std::size_t>(on);
        if (order[other] < 0) {
          path.push_back({on, 0});
          deeper = true;
        } else if (is_open[other] != 0) {
          low[k] = std::min(low[k], order[other]);
        }
      }
      if (deeper) continue;
      path.pop_back();
      if (!path.empty()) {
        int& above = low[static_cast<std::size_t>(path.back().node)];
        above = std::min(above, low[k]);
      }
      if (low[k] != order[k]) continue;
      std::vector<int>& members = members_.emplace_back();
      do {
        members.push_back(open.back());
        is_open[static_cast<std::size_t>(open.back())] = 0;
        block_[static_cast<std::size_t>(open.back())] = static_cast<int>(members_.size()) - 1;
        open.pop_back();
      } while (members.back() != node);
    }
  }
}

DependencyClosure::DependencyClosure(const DependencyGraph& graph, int knowns) {
  find_blocks(graph);
  set_of_block_.resize(members_.size());
  sets_.emplace_back(knowns);  // the empty one
  for (std::size_t b = 0; b < members_.size(); ++b) {
    const std::vector<int>& members = members_[b];
    bool constant = true, own = false;
    int on = -1, different = 0;  // sets that it is made of
    for (const int node : members) {
      own = own || (node < knowns && graph.edges(node).empty());
      for (const auto& edge : graph.edges(node)) {
        if (block(edge.on) == b) {
          constant = constant && edge.by_constant;
        } else if (const int set = set_of_block_[block(edge.on)]; set != on) {
          on = set;
          ++different;
        }
      }
    }
    const auto by_constant = [](const auto& edge) { return edge.by_constant; };
    const bool passes_on =
        different <= 1 && constant && !own && std::ranges::all_of(members, [&](int node) {
          return std::ranges::all_of(graph.edges(node), by_constant);
        });
    if (passes_on) {
      set_of_block_[b] = std::max(on, 0);
      continue;
    }
    KnownSet set(knowns);
    if (own) set.add(members.front(), false);
    for (const int node : members)
      for (const auto& edge : graph.edges(node))
        if (block(edge.on) != b) set.add(of(edge.on), !(constant && edge.by_constant));
    set_of_block_[b] = static_cast<int>(sets_.size());
    sets_.push_back(std::move(set));
  }
}

}  // namespace mbs
