// Sizes, names and scales, patterns, and where the coordinates are at first.

#include <algorithm>
#include <stdexcept>

#include "engine/multibody/further_rows.hpp"
#include "engine/multibody/joint.hpp"
#include "engine/multibody/measures.hpp"
#include "engine/multibody/tree/joint_saddle.hpp"

namespace mbs {

namespace {

constexpr int largest_M = 250'000;  // entries
// The dense closure of loops costs the cube of their rows; with more than this, and an M of a few
// entries a column (a shallow tree), a sparse factorisation of the whole is linear.
constexpr int most_closing_rows = 100, few_entries = 16;

}  // namespace

template <class Space>
JointEquations<Space>::JointEquations(const Model& model,
                                      std::unique_ptr<const Mechanism<Space>> whole,
                                      std::unique_ptr<Mechanism<Space>> cut)
    : Base(model, std::move(whole), std::move(cut), false) {
  if (!this->defect().message.empty()) return;
  const Mechanism<Space>& m = cut_.mechanism();
  structure_.configuration_dependent_mass = true;
  sizes_.p = tree_.np;
  sizes_.v = tree_.nv;
  sizes_.n = 0;
  for (const TreeNode& node : tree_.nodes) {
    if (Space::dim == 3 && node.nv == 3 && node.np == 4) {
      structure_.euler_parameters.push_back(node.p);
    } else if (Space::dim == 3 && node.kind == JointKind::free) {
      structure_.euler_parameters.push_back(node.p + 3);
    }
  }
  sizes_.n = static_cast<int>(structure_.euler_parameters.size());
  std::vector<int> q_of_node;
  for (const TreeNode& node : tree_.nodes) q_of_node.push_back(node.p);
  this->set_counters(q_of_node);
  layout_ = JacobianLayout(sizes_);
  plain_ = m.forces.empty();
  needs_bodies_ = !plain_ || sizes_.lambda > 0 || !m.evaluated.empty() || !m.measures.empty() ||
                  !m.counted.empty();
  inertia_alone_ = plain_ && sizes_.lambda + sizes_.r + sizes_.w == 0;
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    for (int j = 0; j < tree_.nodes[k].nv; ++j) node_of_v_.push_back(static_cast<int>(k));
  }
  set_names(model);
  set_scales();
  record_patterns();
  const Parameters parameters = this->default_parameters();
  structure_.saddle.M_may_be_singular = singular_at_start(parameters);
}

template <class Space>
std::unique_ptr<Workspace> JointEquations<Space>::make_workspace() const {
  auto ws = this->make_own();
  if (structure_.M_assembled) ws->composites.resize(tree_.nodes.size());
  ws->condition_p_rows = condition_p_pattern_;
  ws->condition_v_rows = condition_v_pattern_;
  return ws;
}

template <class Space>
void JointEquations<Space>::set_names(const Model&) {
  const Mechanism<Space>& m = cut_.mechanism();
  const Structure& absolute = whole_.structure();
  for (const TreeNode& node : tree_.nodes) {
    const BodyData& body = m.bodies[node.body];
    structure_.p_bodies.insert(structure_.p_bodies.end(), static_cast<std::size_t>(node.np),
                               body.name);
    structure_.v_bodies.insert(structure_.v_bodies.end(), static_cast<std::size_t>(node.nv),
                               body.name);
    const auto add = [&](std::vector<std::string>& to, std::string_view keyword) {
      to.push_back(m.joints[node.joint].name + "." + std::string(keyword));
    };
    switch (node.kind) {
      case JointKind::revolute:
      case JointKind::prismatic:
        add(structure_.p_names, "q");
        add(structure_.v_names, "qd");
        break;
      case JointKind::spherical:
        for (const char* keyword : {"e0", "e1", "e2", "e3"}) add(structure_.p_names, keyword);
        for (const char* keyword : {"omega_x", "omega_y", "omega_z"})
          add(structure_.v_names, keyword);
        break;
      case JointKind::cylindrical:
      case JointKind::universal:
      case JointKind::universal_back:
      case JointKind::planar:
      case JointKind::screw:
        for (int i = 0; i < node.nv; ++i) {
          const auto c = static_cast<std::size_t>(node.coordinates[static_cast<std::size_t>(i)]);
          structure_.p_names.push_back(m.coordinates[c].name);
          structure_.v_names.push_back(m.coordinates[c].name + "d");
        }
        break;
      case JointKind::free:
      case JointKind::free_point:
        for (int i = 0; i < node.np; ++i) {
          structure_.p_names.push_back(absolute.p_names[static_cast<std::size_t>(body.p + i)]);
        }
        for (int i = 0; i < node.nv; ++i) {
          structure_.v_names.push_back(absolute.v_names[static_cast<std::size_t>(body.v + i)]);
        }
        break;
      case JointKind::weld:
      case JointKind::point:
        break;
    }
  }
}

template <class Space>
void JointEquations<Space>::set_scales() {
  const Structure& absolute = whole_.structure();
  structure_.p_scale = Vector::Ones(sizes_.p);
  structure_.v_scale = Vector::Ones(sizes_.v);
  structure_.g_scale = cut_.structure().g_scale;
  for (const TreeNode& node : tree_.nodes) {
    const int body = cut_.mechanism().bodies[node.body].p;
    const double length = absolute.p_scale[body];
    const int lengths = node.kind == JointKind::prismatic    ? 1
                        : node.kind == JointKind::free       ? Space::dim
                        : node.kind == JointKind::free_point ? Space::dim
                                                             : 0;
    structure_.p_scale.segment(node.p, lengths).setConstant(length);
    structure_.v_scale.segment(node.v, lengths).setConstant(length);
    for (int i = 0; is_serial(node.kind) && i < node.nv; ++i) {
      const auto c = static_cast<std::size_t>(node.coordinates[static_cast<std::size_t>(i)]);
      if (cut_.mechanism().coordinates[c].kind != CoordinateData::Kind::translation) continue;
      structure_.p_scale[node.p + i] = structure_.v_scale[node.v + i] = length;
    }
  }
}

// A wrench that acts on a body's coordinates (linear inertial, angular in body axes), at its link.
template <class Space>
DoubleScrew<Space> JointEquations<Space>::at_own_frame(
    const Own& ws, int node, const Vec<double, Space::dim>& linear,
    const Vec<double, Space::rot>& angular) const {
  const int body = tree_.nodes[node].body;
  const auto& bodies = const_cast<Own&>(ws).cut().bodies;
  DoubleScrew<Space> w{linear, {}};
  if (cut_.mechanism().bodies[body].rotates) w.angular = turn(bodies[1 + body].R, angular);
  w.angular += moment(ws.links[node].c, linear);
  return w;
}

// A row of two bodies to where their paths meet: nearer to the ground both move alike, and what
// does not change by that has no entries there; coinciding points have, when they are apart.
template <class Space>
void JointEquations<Space>::carry(const Own& ws, int number, DoubleScrew<Space> at_a, int a,
                                  DoubleScrew<Space> at_b, int b, bool further, Fill& fill) const {
  std::array<double, Space::nv> tau;
  const auto step = [&](int& k, DoubleScrew<Space>& w) {
    const TreeNode& node = tree_.nodes[k];
    project(node, ws.links[k], w, tau.data());
    for (int i = 0; i < node.nv; ++i) fill.add(number, node.v + i, tau[i]);
    w = wrench_back<Space>(w, ws.links[k].d);
    k = node.parent;
  };
  while (a != b) {
    const bool move_a = b < 0 || (a >= 0 && tree_.nodes[a].depth >= tree_.nodes[b].depth);
    move_a ? step(a, at_a) : step(b, at_b);
  }
  if (!further || a < 0) return;
  at_a.linear += at_b.linear;
  at_a.angular += at_b.angular;
  while (a >= 0) step(a, at_a);
}

template <class Space>
void JointEquations<Space>::fill_G(const Evaluation<Space>& here, Own& ws, Fill& fill) const {
  const auto visit = [&](bool further) {
    return [&, further](const Row<Space, double>& row, int number, int a, int b) {
      DoubleScrew<Space> at_a, at_b;
      const int node_a = a == ground ? -1 : tree_.node_of[static_cast<std::size_t>(a)];
      const int node_b = b == ground ? -1 : tree_.node_of[static_cast<std::size_t>(b)];
      if (node_a >= 0) at_a = at_own_frame(ws, node_a, row.linear_a, row.angular_a);
      if (node_b >= 0) at_b = at_own_frame(ws, node_b, row.linear_b, row.angular_b);
      carry(ws, number, at_a, node_a, at_b, node_b, further, fill);
    };
  };
  const auto list = [&](const auto& constraints) {
    using Type = typename std::decay_t<decltype(constraints)>::value_type;
    const auto use = visit(std::is_same_v<Type, Coincide<Space>>);
    for (const auto& c : constraints) {
      std::array<Row<Space, double>, Type::rows> rows;
      on_sides<double>(here, c.a, c.b, ground,
                       [&](const auto& a, const auto& b) { c.evaluate(here, a, b, rows.data()); });
      for (std::size_t k = 0; k < rows.size(); ++k) {
        use(rows[k], c.row + static_cast<int>(k), here.body_of(c.a), here.body_of(c.b));
      }
    }
  };
  fill.prune(true);
  std::apply([&](const auto&... lists) { (list(lists), ...); }, here.mechanism.constraints);
  fill.prune(false);
  for_lasting_rows(here, [&](const auto& row, int number, int a, int b, bool) {
    visit(false)(row, number, a, b);
  });
  // Sliding of balls that do not touch changes by a common turn.
  for_contact_rows(here, [&](const auto& row, int number, int a, int b, bool) {
    visit(true)(row, number, a, b);
  });
}

// Whether somewhere in the tree moves what has no inertia: then M is singular, and only closures
// can make the whole matrix regular.
template <class Space>
bool JointEquations<Space>::singular_at_start(const Parameters& parameters) const {
  const Inputs inputs = this->default_inputs(parameters);
  const Context context{inputs, parameters};
  const State absolute = whole_.initial(context, 0.0);
  State x(sizes_);
  x.z = absolute.z;
  from_absolute(context, absolute, x);
  const auto ws = this->make_own();
  recursion(context, *ws).place(x.p.data(), x.z.data());
  return !ArticulatedBodies<Space>(tree_).factor(ws->links.data());
}

// auto: articulated bodies, unless M is singular or a sparse factorisation of many closures pays.
template <class Space>
std::unique_ptr<SaddleSolver> JointEquations<Space>::make_solver(const std::string& keyword) const {
  const bool many_loops = structure_.M_assembled && sizes_.lambda > most_closing_rows &&
                          structure_.saddle.M.nonZeros() <= few_entries * sizes_.v;
  const bool articulated = keyword == "auto" && !structure_.saddle.M_may_be_singular && !many_loops;
  if (!articulated && !structure_.M_assembled) {
    throw std::invalid_argument("the linear solver '" + keyword +
                                "' needs the mass matrix, which would be too large here in "
                                "joint coordinates (" +
                                std::to_string(sizes_.v) +
                                " of them): take linear = auto, or "
                                "coordinates = mixed or absolute");
  }
  return std::make_unique<JointSaddle<Space>>(tree_, structure_.saddle, M_places_, keyword,
                                              articulated);
}

template <class Space>
void JointEquations<Space>::record_patterns() {
  unsigned long long seed = 1;
  const auto random = [&](auto& x) {
    for (double& value : x) {
      seed = seed * 6364136223846793005ull + 1442695040888963407ull;
      value = 0.5 + static_cast<double>(seed >> 11) * 0x1p-53;
    }
  };
  Parameters parameters = this->default_parameters();
  random(parameters.derived);
  auto* links =
      reinterpret_cast<LinkConstants<Space>*>(parameters.derived.data() + whole_.sizes().derived);
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {  // with axes that are some
    for (auto* R : {&links[k].K, &links[k].own.R}) {
      if constexpr (Space::dim == 2) {
        *R = plane_rotation(R->angle);
      } else {
        double e[4] = {R->row[0][0], R->row[0][1], R->row[0][2], R->row[1][0]};
        *R = SphericalJoint::axes(identity3<double>(), {}, e);
      }
    }
  }
  const Inputs inputs(sizes_.u);
  const Context context{inputs, parameters};
  State x(sizes_);
  for (Vector* part : {&x.p, &x.v, &x.r, &x.w, &x.s, &x.z, &x.a, &x.lambda}) random(*part);
  x.modes.assign(x.modes.size(), every_row);
  const auto ws = this->make_own();

  long entries = 0;
  for (const TreeNode& node : tree_.nodes) {
    long above = node.nv;
    for (int k = node.parent; k >= 0; k = tree_.nodes[k].parent) above += 2 * tree_.nodes[k].nv;
    entries += above * node.nv;
    if (entries > largest_M) break;
  }
  structure_.M_assembled = entries <= largest_M;
  place(context, x, *ws);
  move(context, x, *ws);
  std::vector<Fill::Entry> seen;
  const auto recorder = [&] {
    seen.clear();
    return Fill(seen);
  };
  if (structure_.M_assembled) {
    ws->composites.resize(tree_.nodes.size());
    Fill M = recorder();
    fill_M(*ws, M);
    structure_.saddle.M = pattern_of<ColumnSparse>(seen, sizes_.v, sizes_.v, M_places_);
  } else {
    structure_.saddle.M = ColumnSparse(sizes_.v, sizes_.v);
  }
  Fill G = recorder();
  fill_G(elements(context, *ws), *ws, G);
  structure_.saddle.G = pattern_of<RowSparse>(seen, sizes_.lambda, sizes_.v, G_places_);
  structure_.saddle.F = friction_pattern();
  condition_p_pattern_ = carried_pattern(ws->cut().condition_p_rows);
  condition_v_pattern_ = carried_pattern(ws->cut().condition_v_rows);
  record_jacobian(context, x, *ws);
}

template <class Space>
RowSparse JointEquations<Space>::carried_pattern(const RowSparse& rows) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < rows.outerSize(); ++i) {
    std::vector<char> seen(static_cast<std::size_t>(sizes_.v), 0);
    for (RowSparse::InnerIterator e(rows, i); e; ++e) {
      for (int k = node_of_column(static_cast<int>(e.col())); k >= 0; k = tree_.nodes[k].parent) {
        const TreeNode& node = tree_.nodes[k];
        for (int j = node.v; j < node.v + node.nv; ++j) {
          if (!std::exchange(seen[static_cast<std::size_t>(j)], 1)) entries.emplace_back(i, j, 0.0);
        }
      }
    }
  }
  RowSparse pattern(rows.rows(), sizes_.v);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return pattern;
}

template <class Space>
int JointEquations<Space>::node_of_column(int column) const {
  const auto& bodies = whole_.mechanism().bodies;
  const auto after = std::upper_bound(bodies.begin(), bodies.end(), column,
                                      [](int v, const BodyData& body) { return v < body.v; });
  return tree_.node_of[static_cast<std::size_t>(after - bodies.begin() - 1)];
}

template class JointEquations<Planar>;
template class JointEquations<Spatial>;

}  // namespace mbs
