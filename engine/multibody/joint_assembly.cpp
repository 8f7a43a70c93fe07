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
                                      std::unique_ptr<const Mechanism<Space>> mechanism)
    : Base(model, std::move(mechanism), false),
      carried_(tree_, cut_.mechanism()),
      jacobian_(tree_, cut_, this->r_of_) {
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
  this->counters_ = turn_counters(whole_.mechanism(), tree_, q_of_node);
  plain_ = m.forces.empty();
  needs_bodies_ = !plain_ || sizes_.lambda > 0 || !m.evaluated.empty() || !m.measures.empty() ||
                  !m.counted.empty();
  jacobian_.set_sizes(sizes_);
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
    switch (group_of(node.kind)) {
      case JointGroup::one_axis:
        add(structure_.p_names, "q");
        add(structure_.v_names, "qd");
        break;
      case JointGroup::spherical:
        for (const char* keyword : {"e0", "e1", "e2", "e3"}) add(structure_.p_names, keyword);
        for (const char* keyword : {"omega_x", "omega_y", "omega_z"})
          add(structure_.v_names, keyword);
        break;
      case JointGroup::serial:
        for (int i = 0; i < node.nv; ++i) {
          const auto c = static_cast<std::size_t>(node.coordinates[static_cast<std::size_t>(i)]);
          structure_.p_names.push_back(m.coordinates[c].name);
          structure_.v_names.push_back(m.coordinates[c].name + "d");
        }
        break;
      case JointGroup::free:
        for (int i = 0; i < node.np; ++i) {
          structure_.p_names.push_back(absolute.p_names[static_cast<std::size_t>(body.p + i)]);
        }
        for (int i = 0; i < node.nv; ++i) {
          structure_.v_names.push_back(absolute.v_names[static_cast<std::size_t>(body.v + i)]);
        }
        break;
      case JointGroup::fixed:
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
  RandomNumbers random;
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
  x.modes.assign(x.modes.size(), static_cast<int>(ContactMode::every_row));
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
  carried_.fill_G(cut_.at(context, ws->cut_state, ws->cut()), *ws, G);
  structure_.saddle.G = pattern_of<RowSparse>(seen, sizes_.lambda, sizes_.v, G_places_);
  structure_.saddle.F =
      carried_.pattern(RowSparse(cut_.structure().saddle.F.transpose())).transpose();
  condition_p_pattern_ = carried_.pattern(ws->cut().condition_p_rows);
  condition_v_pattern_ = carried_.pattern(ws->cut().condition_v_rows);
  if (!structure_.M_assembled) return;
  prepare_bodies(context, x, *ws);
  structure_.jacobian = jacobian_.record(context, recursion(context, *ws), x, *ws);
}

template class JointEquations<Planar>;
template class JointEquations<Spatial>;

}  // namespace mbs
