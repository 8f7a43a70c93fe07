#include "engine/linear/body_tree.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

namespace mbs {

namespace {

using Ints = std::vector<int>;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Numbers from 0 in the order of first appearance.
int renumber(Ints& numbers) {
  std::map<int, int> found;
  for (int& number : numbers) {
    number = found.emplace(number, static_cast<int>(found.size())).first->second;
  }
  return static_cast<int>(found.size());
}

// -------- bodies

constexpr int largest_body = 12;  // columns, unless M holds more together
// Prices of a row that touches a body, of a body, and of the square of its columns. With these,
// bodies and points in the plane come out as such, whatever number of rows their joints have.
constexpr long price_of_row = 10, price_of_body = 12, price_of_square = 3;

// The body of each column, by dynamic programming over the columns at which a body may end.
Ints bodies_by_pattern(const SaddleStructure& structure) {
  const int n = static_cast<int>(structure.M.cols());
  std::vector<char> inside(at(n) + 1, 0);  // M holds column c and c - 1 together
  for (int j = 0; j < n; ++j) {
    int low = j, high = j;
    for (ColumnSparse::InnerIterator m(structure.M, j); m; ++m) {
      low = std::min(low, static_cast<int>(m.row()));
      high = std::max(high, static_cast<int>(m.row()));
    }
    for (int c = low + 1; c <= high; ++c) inside[at(c)] = 1;
  }
  const ColumnSparse G(structure.G);
  Ints seen(at(static_cast<int>(structure.G.rows())), -1);
  std::vector<long> least(at(n) + 1, 0);
  Ints start(at(n) + 1, 0);  // of the body that ends before this column
  for (int end = 1; end <= n; ++end) {
    least[at(end)] = -1;
    if (end < n && inside[at(end)]) continue;
    long rows = 0;
    bool whole = false;  // a body has been found, longer ones must be small
    for (int first = end - 1; first >= 0; --first) {
      for (ColumnSparse::InnerIterator g(G, first); g; ++g) {
        if (seen[at(static_cast<int>(g.row()))] == end) continue;
        seen[at(static_cast<int>(g.row()))] = end;
        ++rows;
      }
      if (inside[at(first)]) continue;
      const long size = end - first;
      if (whole && size > largest_body) break;
      whole = true;
      const long cost =
          least[at(first)] + price_of_row * rows + price_of_body + price_of_square * size * size;
      if (least[at(end)] < 0 || cost < least[at(end)])
        least[at(end)] = cost, start[at(end)] = first;
    }
  }
  Ints body(at(n), 0);
  int number = 0;
  for (int end = n; end > 0; end = start[at(end)], ++number) {
    std::fill(body.begin() + start[at(end)], body.begin() + end, number);
  }
  renumber(body);
  return body;
}

// Bodies that M couples become one.
Ints bodies_as_given(const SaddleStructure& structure) {
  Ints body = structure.bodies;
  if (body.size() != at(static_cast<int>(structure.M.cols()))) {
    throw std::invalid_argument("SaddleStructure::bodies must have one entry for each column of M");
  }
  const int count = renumber(body);
  Ints into(at(count));
  std::iota(into.begin(), into.end(), 0);
  const auto root = [&](int b) {
    while (into[at(b)] != b) b = into[at(b)];
    return b;
  };
  for (int j = 0; j < structure.M.outerSize(); ++j) {
    for (ColumnSparse::InnerIterator m(structure.M, j); m; ++m) {
      into[at(root(body[at(static_cast<int>(m.row()))]))] = root(body[at(j)]);
    }
  }
  for (int& b : body) b = root(b);
  renumber(body);
  return body;
}

// -------- the spanning tree

constexpr int ground = -1;

struct Edge {
  int a, b;  // b is the ground or greater than a
  Ints rows;
};

struct Graph {
  int bodies = 0;
  std::vector<Edge> edges;
  std::vector<Ints> inner;  // of each body: rows of joints inside of it
  Ints cut;                 // rows that join no two bodies, or the ground with one
};

// is_inner: rows of joints whose bodies have become one.
Graph graph_of(const SaddleStructure& structure, const Ints& body,
               const std::vector<char>& is_inner) {
  Graph graph;
  graph.bodies = body.empty() ? 0 : *std::max_element(body.begin(), body.end()) + 1;
  graph.inner.resize(at(graph.bodies));
  std::vector<Ints> pushed(
      at(static_cast<int>(structure.G.rows())));  // bodies a column of F acts on
  for (int r = 0; r < structure.F.outerSize(); ++r) {
    for (ColumnSparse::InnerIterator f(structure.F, r); f; ++f) {
      pushed[at(r)].push_back(body[at(static_cast<int>(f.row()))]);
    }
  }
  std::map<std::pair<int, int>, int> edge_of;
  for (int r = 0; r < structure.G.outerSize(); ++r) {
    Ints touched;
    for (RowSparse::InnerIterator g(structure.G, r); g; ++g) {
      const int b = body[at(static_cast<int>(g.col()))];
      if (std::find(touched.begin(), touched.end(), b) == touched.end()) touched.push_back(b);
    }
    std::sort(touched.begin(), touched.end());
    const bool stays = std::all_of(pushed[at(r)].begin(), pushed[at(r)].end(), [&](int b) {
      return std::find(touched.begin(), touched.end(), b) != touched.end();
    });
    if (touched.empty() || touched.size() > 2 || !stays) {
      graph.cut.push_back(r);
      continue;
    }
    if (is_inner[at(r)]) {
      graph.inner[at(touched[0])].push_back(r);
      continue;
    }
    const std::pair<int, int> ends{touched[0], touched.size() == 1 ? ground : touched[1]};
    const auto [found, is_new] = edge_of.emplace(ends, static_cast<int>(graph.edges.size()));
    if (is_new) graph.edges.push_back({ends.first, ends.second, {}});
    graph.edges[at(found->second)].rows.push_back(r);
  }
  return graph;
}

struct Spanning {
  Ints order;              // bodies, parents before children
  Ints parent, edge;       // of each body; ground and -1 for none
  std::vector<char> used;  // edges
};

Spanning span(const Graph& graph) {
  Spanning tree;
  tree.parent.assign(at(graph.bodies), ground);
  tree.edge.assign(at(graph.bodies), -1);
  tree.used.assign(graph.edges.size(), 0);
  std::vector<Ints> edges_of(at(graph.bodies));
  std::vector<char> reached(at(graph.bodies), 0);
  using Candidate = std::pair<int, int>;  // rows, -edge: most rows first, then the first edge
  std::priority_queue<Candidate> candidates;
  const auto offer = [&](int e) {
    candidates.emplace(static_cast<int>(graph.edges[at(e)].rows.size()), -e);
  };
  const auto reach = [&](int b, int parent, int edge) {
    reached[at(b)] = 1;
    tree.parent[at(b)] = parent;
    tree.edge[at(b)] = edge;
    if (edge >= 0) tree.used[at(edge)] = 1;
    tree.order.push_back(b);
    for (const int e : edges_of[at(b)]) offer(e);
  };
  for (int e = 0; e < static_cast<int>(graph.edges.size()); ++e) {
    const Edge& edge = graph.edges[at(e)];
    if (edge.b == ground) {
      offer(e);
    } else {
      edges_of[at(edge.a)].push_back(e);
      edges_of[at(edge.b)].push_back(e);
    }
  }
  for (int b = 0; b <= graph.bodies; ++b) {
    while (!candidates.empty()) {
      const int e = -candidates.top().second;
      candidates.pop();
      const Edge& edge = graph.edges[at(e)];
      const bool a = reached[at(edge.a)] != 0;
      if (edge.b == ground) {
        if (!a) reach(edge.a, ground, e);
      } else if (a != (reached[at(edge.b)] != 0)) {
        a ? reach(edge.b, edge.a, e) : reach(edge.a, edge.b, e);
      }
    }
    if (b < graph.bodies && !reached[at(b)]) reach(b, ground, -1);  // nothing holds it
  }
  return tree;
}

// Joins bodies to their parents where they have more rows than columns. True when there were any.
bool join_overfull(const Graph& graph, const Spanning& tree, Ints& body,
                   std::vector<char>& is_inner) {
  Ints columns(at(graph.bodies), 0);
  for (const int b : body) ++columns[at(b)];
  Ints into(at(graph.bodies));
  std::iota(into.begin(), into.end(), 0);
  bool any = false;
  for (auto b = tree.order.rbegin(); b != tree.order.rend(); ++b) {
    const int e = tree.edge[at(*b)], parent = tree.parent[at(*b)];
    if (e < 0 || parent == ground) continue;
    const Ints& rows = graph.edges[at(e)].rows;
    if (static_cast<int>(rows.size() + graph.inner[at(*b)].size()) > columns[at(*b)]) {
      into[at(*b)] = parent;
      for (const int r : rows) is_inner[at(r)] = 1;
      any = true;
    }
  }
  for (int& b : body) {
    while (into[at(b)] != b) b = into[at(b)];
  }
  renumber(body);
  return any;
}

// The parent's columns that rows touch, and the range of them.
void set_range(const SaddleStructure& structure, const BodyTree::Node& parent,
               BodyTree::Node& node) {
  int low = parent.n, high = 0;
  const auto touch = [&](Eigen::Index column) {
    const auto found =
        std::lower_bound(parent.columns.begin(), parent.columns.end(), static_cast<int>(column));
    if (found == parent.columns.end() || *found != column) return;
    const int place = static_cast<int>(found - parent.columns.begin());
    low = std::min(low, place);
    high = std::max(high, place + 1);
  };
  for (const int r : node.rows) {
    for (RowSparse::InnerIterator g(structure.G, r); g; ++g) touch(g.col());
    if (structure.F.nonZeros() == 0) continue;
    for (ColumnSparse::InnerIterator f(structure.F, r); f; ++f) touch(f.row());
  }
  node.from = std::min(low, high);
  node.s = high - node.from;
}

}  // namespace

int BodyTree::largest_node() const {
  int largest = 0;
  for (const Node& node : nodes) largest = std::max(largest, node.n + node.m);
  return largest;
}

double BodyTree::operations() const {
  double factor = 0.0, solve = 0.0;
  for (const Node& node : nodes) {
    const double n = node.n, m = node.m, s = node.s, d = n - m, p = n + m;
    factor += m * m * (n + s + m) + 2.0 * m * m * d + m * d * d + d * d * d + m * m * s + m * s * s;
    solve += 2.0 * (m * m + 2.0 * m * d + 2.0 * m * s) + m * m + d * d + p;
  }
  const double c = static_cast<double>(cut.size());
  return factor + solve + c * solve + c * c * c / 3.0;
}

BodyTree find_body_tree(const SaddleStructure& structure) {
  Ints body = structure.bodies.empty() ? bodies_by_pattern(structure) : bodies_as_given(structure);
  std::vector<char> is_inner(at(static_cast<int>(structure.G.rows())), 0);
  Graph graph = graph_of(structure, body, is_inner);
  Spanning tree = span(graph);
  while (join_overfull(graph, tree, body, is_inner)) {
    graph = graph_of(structure, body, is_inner);
    tree = span(graph);
  }

  BodyTree result;
  result.cut = graph.cut;
  Ints place(at(graph.bodies));  // of a body in `nodes`
  for (int k = 0; k < graph.bodies; ++k) place[at(tree.order[at(graph.bodies - 1 - k)])] = k;
  result.nodes.resize(at(graph.bodies));
  for (int j = 0; j < static_cast<int>(body.size()); ++j) {
    result.nodes[at(place[at(body[at(j)])])].columns.push_back(j);
  }
  for (int b = 0; b < graph.bodies; ++b) {
    BodyTree::Node& node = result.nodes[at(place[at(b)])];
    node.n = static_cast<int>(node.columns.size());
    if (tree.parent[at(b)] != ground) node.parent = place[at(tree.parent[at(b)])];
    node.rows = graph.inner[at(b)];
    if (tree.edge[at(b)] >= 0) {
      const Ints& joint = graph.edges[at(tree.edge[at(b)])].rows;
      node.rows.insert(node.rows.end(), joint.begin(), joint.end());
      std::sort(node.rows.begin(), node.rows.end());
    }
    if (node.rows.size() > node.columns.size()) {  // a root: more than it has columns
      result.cut.insert(result.cut.end(), node.rows.begin() + node.n, node.rows.end());
      node.rows.resize(at(node.n));
    }
    node.m = static_cast<int>(node.rows.size());
  }
  for (BodyTree::Node& node : result.nodes) {
    if (node.parent >= 0) set_range(structure, result.nodes[at(node.parent)], node);
  }
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (tree.used[e]) continue;
    result.cut.insert(result.cut.end(), graph.edges[e].rows.begin(), graph.edges[e].rows.end());
  }
  std::sort(result.cut.begin(), result.cut.end());
  return result;
}

BodyTree one_node(const SaddleStructure& structure) {
  BodyTree tree;
  BodyTree::Node node;
  node.n = static_cast<int>(structure.M.cols());
  node.m = static_cast<int>(structure.G.rows());
  node.columns.resize(at(node.n));
  node.rows.resize(at(node.m));
  std::iota(node.columns.begin(), node.columns.end(), 0);
  std::iota(node.rows.begin(), node.rows.end(), 0);
  if (node.n + node.m > 0) tree.nodes.push_back(node);
  return tree;
}

}  // namespace mbs
