#include "engine/linear/node_runs.hpp"

namespace mbs {

namespace {

template <int N, int Rows, int S>
struct Loops {
  using Node = NullSpaceNode<N, Rows, S>;

  static bool eliminate(const NodeArrays& a, int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const NodePlace& at = a.nodes[k];
      if (!Node(at.size, a.scratch)
               .eliminate(a.M + at.M, a.T + at.T, a.factors + at.factors, a.order + at.order,
                          a.M + at.parent_M, at.parent_n)) {
        return false;
      }
    }
    return true;
  }
  static void forward(const NodeArrays& a, int begin, int end, double* x) {
    for (int k = begin; k < end; ++k) {
      const NodePlace& at = a.nodes[k];
      Node(at.size, a.scratch)
          .forward(a.factors + at.factors, a.order + at.order, x + at.x, x + at.parent_x);
    }
  }
  static void backward(const NodeArrays& a, int begin, int end, double* x) {
    for (int k = end - 1; k >= begin; --k) {
      const NodePlace& at = a.nodes[k];
      Node(at.size, a.scratch)
          .backward(a.factors + at.factors, a.order + at.order, x + at.x, x + at.parent_x);
    }
  }

  static bool take(const NodeSize& size, NodeRun& run) {
    if (N >= 0 && !(size == NodeSize{N, Rows, S})) return false;
    run.eliminate = eliminate;
    run.forward = forward;
    run.backward = backward;
    return true;
  }
};

void choose(const NodeSize& size, NodeRun& run) {
  // In the plane: joints with 1, 2 and 3 rows, a root, a point (massless, or not turning), and a
  // hinge in mixed coordinates; then in space: hinge, ball joint, hinge in mixed coordinates.
  if (Loops<3, 2, 3>::take(size, run) || Loops<3, 1, 3>::take(size, run) ||
      Loops<3, 3, 3>::take(size, run) || Loops<3, 2, 0>::take(size, run) ||
      Loops<2, 2, 3>::take(size, run) || Loops<4, 3, 3>::take(size, run) ||
      Loops<6, 5, 6>::take(size, run) || Loops<6, 3, 6>::take(size, run) ||
      Loops<7, 6, 6>::take(size, run)) {
    return;
  }
  Loops<-1, -1, -1>::take(size, run);
}

}  // namespace

std::vector<NodeRun> runs_of(const std::vector<NodePlace>& nodes) {
  std::vector<NodeRun> runs;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (k == 0 || !(nodes[k].size == nodes[k - 1].size)) {
      runs.push_back({static_cast<int>(k), static_cast<int>(k)});
      choose(nodes[k].size, runs.back());
    }
    runs.back().end = static_cast<int>(k) + 1;
  }
  return runs;
}

}  // namespace mbs
