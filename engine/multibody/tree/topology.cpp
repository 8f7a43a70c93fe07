#include "engine/multibody/tree/topology.hpp"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

#include "engine/multibody/tree/joints.hpp"

namespace mbs {

namespace {

template <class Space>
class Spanning {
 public:
  Spanning(const Mechanism<Space>& m, Tree<Space>& tree) : m_(m), tree_(tree) {}

  void run() {
    const std::size_t bodies = m_.bodies.size();
    tree_.node_of.assign(bodies, -1);
    tree_.carried.assign(m_.joints.size(), 0);
    reached_.assign(bodies + 1, 0);
    hanging_.assign(bodies + 1, {});
    joints_at_.assign(bodies + 1, {});
    depth_.assign(bodies + 1, 0);
    mark_reactions();
    for (std::size_t j = 0; j < m_.joints.size(); ++j) {
      if (!eligible(j)) continue;
      for (const int frame : {m_.joints[j].a, m_.joints[j].b}) {
        if (m_.joints[j].kind == JointKind::planar && frame == m_.joints[j].b) continue;
        joints_at_[body(frame)].push_back(static_cast<int>(j));
      }
    }
    grow(0);
    // Bodies that are left float. Each tree of them grows from the one with most joints, from which
    // the others are soonest reached.
    for (;;) {
      std::size_t best = 0;
      for (std::size_t b = 1; b <= bodies; ++b) {
        if (!reached_[b] && (best == 0 || joints_at_[b].size() > joints_at_[best].size())) best = b;
      }
      if (best == 0) break;
      TreeNode node;
      node.body = static_cast<int>(best) - 1;
      node.kind = m_.bodies[node.body].rotates ? JointKind::free : JointKind::free_point;
      hanging_[0].push_back(node);
      depth_[best] = 1;
      grow(best);
    }
    number();
  }

 private:
  std::size_t body(int frame) const { return static_cast<std::size_t>(1 + m_.frames[frame].body); }

  void mark_reactions() {
    in_law_.assign(m_.joints.size(), 0);
    for (const MeasureData& measure : m_.measures) {
      if (measure.joint >= 0) in_law_[static_cast<std::size_t>(measure.joint)] = 1;
    }
  }

  // Frames of a particle keep the axes of the ground: only at its point they do not matter.
  bool movable(int frame) const {
    const FrameData* f = &m_.frames[frame];
    if (f->body == ground || m_.bodies[f->body].rotates) return true;
    for (;; f = &m_.frames[f->base]) {
      if (f->position != absent || f->com != absent) return false;
      if (f->base < 0) return true;
    }
  }

  bool eligible(std::size_t j) const {
    const JointData& joint = m_.joints[j];
    const bool named = std::any_of(m_.named_rows.begin(), m_.named_rows.end(), [&](int row) {
      return row >= joint.first_row && row < joint.first_row + joint.rows;
    });
    return !named && joint.kind && joint.rows > 0 && !in_law_[j] &&
           body(joint.a) != body(joint.b) && movable(joint.a) && movable(joint.b);
  }

  void grow(std::size_t from) {
    using Candidate = std::tuple<int, int, int, bool>;  // rows, -depth, -joint, forward
    std::priority_queue<Candidate> candidates;
    const auto reach = [&](std::size_t b) {
      reached_[b] = 1;
      for (const int j : joints_at_[b]) {
        const bool forward = body(m_.joints[j].a) == b;
        candidates.emplace(m_.joints[j].rows, -depth_[b], -j, forward);
      }
    };
    reach(from);
    while (!candidates.empty()) {
      const auto [rows, depth, minus_j, forward] = candidates.top();
      candidates.pop();
      const JointData& joint = m_.joints[-minus_j];
      const int near = forward ? joint.a : joint.b, far = forward ? joint.b : joint.a;
      if (reached_[body(far)]) continue;
      depth_[body(far)] = 1 - depth;
      hang(-minus_j, forward, near, far);
      reach(body(far));
    }
  }

  void hang(int j, bool forward, int near, int far) {
    const JointData& joint = m_.joints[j];
    TreeNode node;
    node.body = m_.frames[far].body;
    node.joint = j;
    node.forward = forward;
    node.near = near;
    node.far = far;
    node.kind = *joint.kind;
    node.pitch = joint.pitch;
    const bool holds_point =
        joint.kind == JointKind::revolute || joint.kind == JointKind::spherical;
    if (holds_point && !m_.bodies[node.body].rotates) node.kind = JointKind::point;
    if (joint.kind == JointKind::universal && !forward) node.kind = JointKind::universal_back;
    if (joint.coordinates.size() == 1 && node.kind != JointKind::point) {
      const CoordinateData& c = m_.coordinates[joint.coordinates.front()];
      node.sign = c.sign;
      if (c.measurable) {
        node.coordinates[0] = joint.coordinates.front();
        node.turns = c.turns;
      }
    } else if (is_serial(node.kind)) {
      std::copy(joint.coordinates.begin(), joint.coordinates.end(), node.coordinates.begin());
      if (node.kind == JointKind::universal_back) {
        std::swap(node.coordinates[0], node.coordinates[1]);
      }
    }
    if constexpr (Space::dim == 2) {  // a weld or a prismatic joint may close after whole turns
      using Angle = EqualAngle<Planar>;
      const auto [begin, end] = joint.constraints[constraint_type<Space, Angle>];
      if (begin < end) node.turns = std::get<std::vector<Angle>>(m_.constraints)[begin].turns;
    }
    tree_.carried[j] = 1;
    hanging_[body(near)].push_back(node);
  }

  // Depth first, without recursion: chains may be long.
  void number() {
    struct Frame {
      std::size_t body;
      int node;
      std::size_t next;
    };
    std::vector<Frame> stack{{0, -1, 0}};
    while (!stack.empty()) {
      Frame& top = stack.back();
      auto& children = hanging_[top.body];
      if (top.next == children.size()) {
        if (top.node >= 0) tree_.nodes[top.node].end = static_cast<int>(tree_.nodes.size());
        stack.pop_back();
        continue;
      }
      TreeNode node = children[top.next++];
      const int place = static_cast<int>(tree_.nodes.size());
      node.parent = top.node;
      node.depth = top.node < 0 ? 1 : tree_.nodes[top.node].depth + 1;
      with_joint<Space>(node.kind, [&]<class Joint>(Joint) {
        node.np = Joint::np;
        node.nv = Joint::nv;
      });
      node.p = tree_.np, node.v = tree_.nv;
      tree_.np += node.np, tree_.nv += node.nv;
      tree_.depth = std::max(tree_.depth, node.depth);
      tree_.node_of[node.body] = place;
      const std::size_t next_body = static_cast<std::size_t>(1 + node.body);
      tree_.nodes.push_back(node);
      stack.push_back({next_body, place, 0});
    }
  }

  const Mechanism<Space>& m_;
  Tree<Space>& tree_;
  std::vector<char> in_law_, reached_;
  std::vector<int> depth_;
  std::vector<std::vector<int>> joints_at_;     // of ground and each body
  std::vector<std::vector<TreeNode>> hanging_;  // likewise
};

}  // namespace

template <class Space>
Tree<Space>::Tree(const Mechanism<Space>& mechanism) {
  Spanning<Space>(mechanism, *this).run();
}

template <class Space>
std::unique_ptr<Mechanism<Space>> without_rows_of(const Mechanism<Space>& mechanism,
                                                  const std::vector<char>& carried) {
  auto cut = std::make_unique<Mechanism<Space>>(mechanism);
  Mechanism<Space>& m = *cut;
  std::vector<int> new_row(static_cast<std::size_t>(m.rows), -1);
  int rows = 0;
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    JointData& joint = m.joints[j];
    const int first = joint.first_row;
    joint.first_row = rows;
    if (carried[j]) joint.rows = 0;
    for (int k = 0; k < joint.rows; ++k) new_row[static_cast<std::size_t>(first + k)] = rows++;
  }
  m.rows = rows;
  for (int& row : m.named_rows) row = new_row[static_cast<std::size_t>(row)];
  std::size_t type = 0;
  const auto renumber = [&](auto& list) {
    auto kept = list;
    kept.clear();
    for (std::size_t j = 0; j < m.joints.size(); ++j) {
      auto& range = m.joints[j].constraints[type];
      const auto [begin, end] = range;
      range[0] = static_cast<int>(kept.size());
      for (int k = begin; k < end && !carried[j]; ++k) {
        kept.push_back(list[static_cast<std::size_t>(k)]);
        kept.back().row = new_row[static_cast<std::size_t>(kept.back().row)];
      }
      range[1] = static_cast<int>(kept.size());
    }
    list = std::move(kept);
    ++type;
  };
  std::apply([&](auto&... lists) { (renumber(lists), ...); }, m.constraints);
  for (CouplingData& coupling : m.couplings) {
    coupling.row = new_row[static_cast<std::size_t>(coupling.row)];
  }
  number_further_rows(m);
  return cut;
}

template struct Tree<Planar>;
template struct Tree<Spatial>;
template std::unique_ptr<Mechanism<Planar>> without_rows_of(const Mechanism<Planar>&,
                                                            const std::vector<char>&);
template std::unique_ptr<Mechanism<Spatial>> without_rows_of(const Mechanism<Spatial>&,
                                                             const std::vector<char>&);

}  // namespace mbs
