#include "engine/linear/tree_saddle.hpp"

#include <algorithm>

namespace mbs {

namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Sigma is equilibrated no more than T^-1 leaves it.
constexpr double smallest_closure_ratio = 1e-9;

}  // namespace

std::string TreeSaddle::title() const {
  if (choice_ == Nodes::one) return "block";
  std::string text = "tree of " + std::to_string(tree_.nodes.size()) + " bodies";
  if (!tree_.cut.empty()) text += ", rows cut: " + std::to_string(tree_.cut.size());
  return text;
}

void TreeSaddle::analyse_structured(const SaddleStructure& structure) {
  tree_ = choice_ == Nodes::one ? one_node(structure) : find_body_tree(structure);
  x_at_.assign(at(static_cast<int>(structure.M.cols())), 0);
  y_at_.assign(at(static_cast<int>(structure.G.rows())), 0);
  place_nodes();
  place_entries(structure);
  runs_ = runs_of(places_);
  lu_.clear();
  by_lu_.assign(places_.size(), 0);
  const int n = static_cast<int>(x_at_.size() + y_at_.size());
  const int cut = static_cast<int>(tree_.cut.size());
  for (Vector* x : {&S_, &S_at_, &b_}) x->setOnes(n);
  c_.setZero(cut);
  X_.setZero(n - cut, cut);
  Sigma_.resize(cut);
  scaled_ = false;
}

void TreeSaddle::place_nodes() {
  places_.assign(tree_.nodes.size(), {});
  int M = 0, T = 0, factors = 0, order = 0, x = 0, scratch = 0;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const BodyTree::Node& node = tree_.nodes[k];
    NodePlace& place = places_[k];
    place.size = {node.n, node.m, node.s};
    place.M = M, place.T = T, place.factors = factors, place.order = order, place.x = x;
    for (int i = 0; i < node.n; ++i) x_at_[at(node.columns[at(i)])] = x + i;
    for (int i = 0; i < node.m; ++i) y_at_[at(node.rows[at(i)])] = x + node.n + i;
    M += node.n * node.n;
    T += place.size.rows();
    if (node.m <= node.n) factors += place.size.factors();
    order += node.n;
    x += node.n + node.m;
    scratch = std::max(scratch, place.size.scratch());
  }
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const BodyTree::Node& node = tree_.nodes[k];
    if (node.parent < 0) continue;
    const NodePlace& parent = places_[at(node.parent)];
    places_[k].parent_M = parent.M + node.from * (parent.size.n + 1);
    places_[k].parent_x = parent.x + node.from;
    places_[k].parent_n = parent.size.n;
  }
  for (const int row : tree_.cut) y_at_[at(row)] = x++;
  M_.assign(at(M), 0.0);
  T_.assign(at(T), 0.0);
  factors_.assign(at(factors), 0.0);
  order_.assign(at(order), 0);
  scratch_.assign(at(scratch), 0.0);
}

void TreeSaddle::place_entries(const SaddleStructure& structure) {
  std::vector<int> node_of(at(static_cast<int>(x_at_.size() + y_at_.size())), -1);  // by place
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const NodePlace& place = places_[k];
    std::fill_n(node_of.begin() + place.x, place.size.n + place.size.m, static_cast<int>(k));
  }
  M_entries_.to.clear();
  for (int j = 0; j < structure.M.outerSize(); ++j) {
    for (ColumnSparse::InnerIterator m(structure.M, j); m; ++m) {
      const NodePlace& place = places_[at(node_of[at(x_at_[at(j)])])];
      M_entries_.to.push_back(place.M +
                              (x_at_[at(static_cast<int>(m.row()))] - place.x) * place.size.n +
                              x_at_[at(j)] - place.x);
    }
  }
  // Cut rows in the order of tree_.cut, which is that of G's rows.
  G_entries_.to.clear();
  cut_begin_.assign(1, 0);
  cut_column_.clear();
  int behind = static_cast<int>(T_.size());
  for (int i = 0; i < structure.G.outerSize(); ++i) {
    const int y = y_at_[at(i)], k = node_of[at(y)];
    for (RowSparse::InnerIterator g(structure.G, i); g; ++g) {
      const int x = x_at_[at(static_cast<int>(g.col()))];
      if (k < 0) {
        cut_column_.push_back(x);
        G_entries_.to.push_back(behind++);
        continue;
      }
      const NodePlace& place = places_[at(k)];
      const int row = y - place.x - place.size.n;
      const int column = node_of[at(x)] == k ? x - place.x : place.size.n + x - place.parent_x;
      G_entries_.to.push_back(place.T + row * (place.size.n + place.size.s) + column);
    }
    if (k < 0) cut_begin_.push_back(static_cast<int>(cut_column_.size()));
  }
  T_.resize(at(behind), 0.0);

  cut_F_.clear();
  std::vector<std::vector<Friction>> by_node(places_.size());
  int entry = 0;
  for (int j = 0; j < structure.F.outerSize(); ++j) {
    const int y = y_at_[at(j)], k = node_of[at(y)];
    for (ColumnSparse::InnerIterator f(structure.F, j); f; ++f, ++entry) {
      const Friction one{entry, x_at_[at(static_cast<int>(f.row()))], y};
      (k < 0 ? cut_F_ : by_node[at(k)]).push_back(one);
    }
  }
  node_F_.clear();
  node_F_begin_.assign(1, 0);
  for (const auto& list : by_node) {
    node_F_.insert(node_F_.end(), list.begin(), list.end());
    node_F_begin_.push_back(static_cast<int>(node_F_.size()));
  }
}

// -------- scaling

void TreeSaddle::set_entry_scales(const SaddleStructure& structure) {
  const Eigen::Index n_v = structure.M.cols();
  M_entries_.scale.clear();
  for (int j = 0; j < structure.M.outerSize(); ++j) {
    for (ColumnSparse::InnerIterator m(structure.M, j); m; ++m) {
      M_entries_.scale.push_back(S_[m.row()] * S_[j]);
    }
  }
  G_entries_.scale.clear();
  for (int i = 0; i < structure.G.outerSize(); ++i) {
    for (RowSparse::InnerIterator g(structure.G, i); g; ++g) {
      G_entries_.scale.push_back(S_[n_v + i] * S_[g.col()]);
    }
  }
  for (Eigen::Index i = 0; i < n_v; ++i) S_at_[x_at_[at(static_cast<int>(i))]] = S_[i];
  for (Eigen::Index i = n_v; i < S_.size(); ++i) {
    S_at_[y_at_[at(static_cast<int>(i - n_v))]] = S_[i];
  }
}

bool TreeSaddle::rescale() {
  scaled_ = scale_symmetrically();
  if (!scaled_) return false;
  ++statistics_.analyses;
  S_ = scale();
  set_entry_scales(structure());
  return true;
}

void TreeSaddle::save_history(ByteWriter& out) const {
  out.put<std::uint8_t>(scaled_);
  if (scaled_) out.put(S_);
}

void TreeSaddle::restore_history(ByteReader& in) {
  std::uint8_t scaled = 0;
  scaled_ = false;
  in.get(scaled);
  if (scaled == 0) return;
  in.get(S_);
  set_entry_scales(structure());
  scaled_ = true;
}

// -------- factorisation

bool TreeSaddle::factor_structured(const SaddleMatrix& matrix) {
  if (scaled_ && eliminate(matrix)) return true;
  return rescale() && eliminate(matrix);
}

bool TreeSaddle::eliminate(const SaddleMatrix& matrix) {
  const auto gather = [](const double* values, const Entries& entries, std::vector<double>& into) {
    std::fill(into.begin(), into.end(), 0.0);
    const int* to = entries.to.data();
    const double* scale = entries.scale.data();
    for (std::size_t k = 0; k < entries.to.size(); ++k) into[at(to[k])] = values[k] * scale[k];
  };
  gather(matrix.M.valuePtr(), M_entries_, M_);
  gather(matrix.G.valuePtr(), G_entries_, T_);
  choose_lu_nodes(matrix);
  for (const NodeRun& run : runs_) {
    if (!any_by_lu_) {
      if (!run.eliminate(arrays(), run.begin, run.end)) return false;
      continue;
    }
    for (int k = run.begin; k < run.end; ++k) {
      const bool regular =
          by_lu_[at(k)] ? eliminate_by_lu(matrix, at(k)) : run.eliminate(arrays(), k, k + 1);
      if (!regular) return false;
    }
  }
  return tree_.cut.empty() || close_loops(matrix);
}

NodeArrays TreeSaddle::arrays() {
  return {places_.data(), M_.data(), T_.data(), factors_.data(), order_.data(), scratch_.data()};
}

void TreeSaddle::choose_lu_nodes(const SaddleMatrix& matrix) {
  any_by_lu_ = false;
  if (matrix.F == nullptr && (matrix.D.array() == 0.0).all() && choice_ == Nodes::bodies) return;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const BodyTree::Node& node = tree_.nodes[k];
    by_lu_[k] = matrix.F != nullptr || node.m > node.n ||
                std::any_of(node.rows.begin(), node.rows.end(),
                            [&](int row) { return matrix.D[row] != 0.0; });
    any_by_lu_ = any_by_lu_ || by_lu_[k];
  }
  if (any_by_lu_ && lu_.empty()) {
    lu_.resize(places_.size());
    for (std::size_t k = 0; k < places_.size(); ++k) lu_[k].resize(places_[k].size);
  }
}

bool TreeSaddle::eliminate_by_lu(const SaddleMatrix& matrix, std::size_t k) {
  const NodePlace& place = places_[k];
  const auto [n, m, s] = place.size;
  LuNode& node = lu_[k];
  for (int i = 0; i < m; ++i) {
    const double scale = S_at_[place.x + n + i];
    scratch_[at(i)] = matrix.D[tree_.nodes[k].rows[at(i)]] * scale * scale;
  }
  node.fill(M_.data() + place.M, T_.data() + place.T, scratch_.data());
  if (matrix.F != nullptr) {
    for (int i = node_F_begin_[k]; i < node_F_begin_[k + 1]; ++i) {
      const Friction& f = node_F_[at(i)];
      const double F = matrix.F->valuePtr()[f.entry] * S_at_[f.row] * S_at_[f.column];
      const int column = f.column - place.x, row = f.row - place.x;
      if (row >= 0 && row < n) {
        node.P(row, column) -= F;
      } else {
        node.L(f.row - place.parent_x, column) -= F;
      }
    }
  }
  return node.eliminate(M_.data() + place.parent_M, place.parent_n);
}

bool TreeSaddle::close_loops(const SaddleMatrix& matrix) {
  const int cut = static_cast<int>(tree_.cut.size());
  const double* C = T_.data() + T_.size() - cut_column_.size();
  X_.setZero();
  for (int j = 0; j < cut; ++j) {
    for (int e = cut_begin_[at(j)]; e < cut_begin_[at(j) + 1]; ++e) {
      X_(cut_column_[at(e)], j) = C[e];
    }
  }
  if (matrix.F != nullptr) {
    for (const Friction& f : cut_F_) {
      X_(f.row, f.column - X_.rows()) -=
          matrix.F->valuePtr()[f.entry] * S_at_[f.row] * S_at_[f.column];
    }
  }
  for (int j = 0; j < cut; ++j) {
    solve_tree<false>(X_.col(j).data());
    for (int i = 0; i < cut; ++i) {
      double sum = 0.0;
      for (int e = cut_begin_[at(i)]; e < cut_begin_[at(i) + 1]; ++e) {
        sum -= C[e] * X_(cut_column_[at(e)], j);
      }
      Sigma_.matrix()(i, j) = sum;
    }
    const double scale = S_at_[X_.rows() + j];
    Sigma_.matrix()(j, j) -= matrix.D[tree_.cut[at(j)]] * scale * scale;
  }
  return Sigma_.factor() && Sigma_.pivot_ratio() > smallest_closure_ratio;
}

// -------- solution

template <bool transposed>
void TreeSaddle::solve_tree(double* x) {
  const NodeArrays parts = arrays();
  for (const NodeRun& run : runs_) {
    if (!any_by_lu_) {
      run.forward(parts, run.begin, run.end, x);
      continue;
    }
    for (int k = run.begin; k < run.end; ++k) {
      const NodePlace& place = places_[at(k)];
      if (by_lu_[at(k)]) {
        lu_[at(k)].forward<transposed>(x + place.x, x + place.parent_x);
      } else {
        run.forward(parts, k, k + 1, x);
      }
    }
  }
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    if (!any_by_lu_) {
      run->backward(parts, run->begin, run->end, x);
      continue;
    }
    for (int k = run->end - 1; k >= run->begin; --k) {
      const NodePlace& place = places_[at(k)];
      if (by_lu_[at(k)]) {
        lu_[at(k)].backward<transposed>(x + place.x, x + place.parent_x);
      } else {
        run->backward(parts, k, k + 1, x);
      }
    }
  }
}

// For the transposed matrix X takes the place of C^T T^-1 and C that of B:
//
//   y = Sigma^-T (c - X^T b),   x = T^-T (b - C^T y)
template <bool transposed>
void TreeSaddle::solve_all(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  double* b = b_.data();
  for (std::size_t i = 0; i < x_at_.size(); ++i) b[x_at_[i]] = x.data()[i];
  for (std::size_t i = 0; i < y_at_.size(); ++i) b[y_at_[i]] = y.data()[i];
  b_.array() *= S_at_.array();
  const int cut = static_cast<int>(tree_.cut.size());
  const Eigen::Index n = X_.rows();
  const double* C = T_.data() + T_.size() - cut_column_.size();
  if (!transposed) solve_tree<false>(b);
  if (cut > 0) {
    for (int i = 0; i < cut; ++i) {
      double sum = b[n + i];
      if (transposed) {
        for (Eigen::Index k = 0; k < n; ++k) sum -= X_(k, i) * b[k];
      } else {
        for (int e = cut_begin_[at(i)]; e < cut_begin_[at(i) + 1]; ++e) {
          sum -= C[e] * b[cut_column_[at(e)]];
        }
      }
      c_[i] = sum;
    }
    transposed ? Sigma_.solve_transposed(c_) : Sigma_.solve(c_);
    for (int i = 0; i < cut; ++i) {
      b[n + i] = c_[i];
      if (transposed) {
        for (int e = cut_begin_[at(i)]; e < cut_begin_[at(i) + 1]; ++e) {
          b[cut_column_[at(e)]] -= C[e] * c_[i];
        }
      } else {
        for (Eigen::Index k = 0; k < n; ++k) b[k] -= X_(k, i) * c_[i];
      }
    }
  }
  if (transposed) solve_tree<true>(b);
  b_.array() *= S_at_.array();
  for (std::size_t i = 0; i < x_at_.size(); ++i) x.data()[i] = b[x_at_[i]];
  for (std::size_t i = 0; i < y_at_.size(); ++i) y.data()[i] = b[y_at_[i]];
}

void TreeSaddle::solve_structured(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  solve_all<false>(x, y);
}

void TreeSaddle::solve_structured_transposed(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  solve_all<true>(x, y);
}

}  // namespace mbs
