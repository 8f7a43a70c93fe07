#pragma once

// Recursive elimination over the tree of bodies (Lubich et al. (1992), section 3.2; the tree:
// body_tree.hpp): each node is eliminated into its parent, in fixed order and without fill, so that
// the work grows with the number of bodies. A node goes by the null space of its rows
// (null_space_node.hpp: (3.10) and (3.17) in one), or, where a row of it has D != 0 and everywhere
// with F, by LU of its block [M_k G_k^T - F_k; G_k -D_k] (lu_node.hpp).
//
// Rows that close loops border the matrix T of the tree,
//
//   ( T  B  ) ( x )   ( b )      X = T^-1 B,  Sigma = -D - C X,  B = C^T - F
//   ( C  -D ) ( y ) = ( c )      y = Sigma^-1 (c - C T^-1 b),    x = T^-1 b - X y
//
// with Sigma dense: worth while for a few loops (C T^-1 C^T of the report).
//
// The matrix is equilibrated by the scaling of the first one as long as no pivot gets small; then
// by its own; if one is still small (a node singular by itself though the whole is not), another
// solver gets the matrix: "sparse" for a tree, "dense" for one node.
//
// With all bodies in one node ("block") this is the elimination to joint accelerations, (3.3) and
// (3.4), with as many columns of G as it has rows for K, chosen in each factorisation.

#include <vector>

#include "engine/linear/body_tree.hpp"
#include "engine/linear/dense_lu.hpp"
#include "engine/linear/lu_node.hpp"
#include "engine/linear/node_runs.hpp"
#include "engine/linear/structured_saddle.hpp"

namespace mbs {

class TreeSaddle final : public StructuredSaddle {
 public:
  enum class Nodes { bodies, one };
  // alone: what it cannot factor itself is as good as singular.
  explicit TreeSaddle(Nodes nodes = Nodes::bodies, bool alone = false)
      : StructuredSaddle(alone                 ? ""
                         : nodes == Nodes::one ? "dense"
                                               : "sparse"),
        choice_(nodes) {}

  const BodyTree& tree() const { return tree_; }
  // Drops the scales, so that earlier matrices have no influence on later results.
  void forget() { scaled_ = false; }

 protected:
  std::string title() const override;
  void analyse_structured(const SaddleStructure&) override;
  bool needs_fallback(const SaddleMatrix&) const override { return false; }
  bool factor_structured(const SaddleMatrix&) override;
  void solve_structured(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void solve_structured_transposed(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) override;
  void save_history(ByteWriter&) const override;
  void restore_history(ByteReader&) override;

 private:
  void place_nodes();
  void place_entries(const SaddleStructure&);
  void set_entry_scales(const SaddleStructure&);
  bool rescale();
  bool eliminate(const SaddleMatrix&);
  NodeArrays arrays();
  void choose_lu_nodes(const SaddleMatrix&);
  bool eliminate_by_lu(const SaddleMatrix&, std::size_t node);
  bool close_loops(const SaddleMatrix&);
  template <bool transposed>
  void solve_tree(double* x);
  template <bool transposed>
  void solve_all(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y);

  Nodes choice_;
  BodyTree tree_;
  std::vector<NodePlace> places_;
  std::vector<NodeRun> runs_;

  // Entry by entry, in the order of the matrices: where it goes and what it is multiplied by. G's
  // go to T_, those of cut rows behind it.
  struct Entries {
    std::vector<int> to;
    std::vector<double> scale;
  };
  Entries M_entries_, G_entries_;
  std::vector<int> x_at_, y_at_;             // unknowns in the order of elimination, cut rows last
  std::vector<int> cut_begin_, cut_column_;  // entries of cut rows, at which unknown
  // F(row, column): the unknowns they belong to.
  struct Friction {
    int entry, row, column;
  };
  std::vector<Friction> node_F_, cut_F_;
  std::vector<int> node_F_begin_;

  bool scaled_ = false;
  Vector S_, S_at_;  // the scaling, in the matrix's order and in that of elimination
  std::vector<double> M_, T_, factors_, scratch_;
  std::vector<int> order_;
  std::vector<LuNode> lu_;   // made when a matrix first needs them
  std::vector<char> by_lu_;  // which nodes
  bool any_by_lu_ = false;
  Matrix X_;
  DenseLu Sigma_;
  Vector b_, c_;
};

}  // namespace mbs
