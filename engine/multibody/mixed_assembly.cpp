// Sizes, names, patterns, the exact Jacobian of the rows of the tree, and where q is at first.

#include <map>

#include "engine/multibody/measures.hpp"
#include "engine/multibody/mixed.hpp"
#include "engine/multibody/mixed_rows.hpp"

namespace mbs {

template <class Space>
MixedEquations<Space>::MixedEquations(const Model& model,
                                      std::unique_ptr<const Mechanism<Space>> mechanism)
    : Base(model, std::move(mechanism), true) {
  if (!this->defect().message.empty()) return;
  const Mechanism<Space>& m = cut_.mechanism();
  structure_.euler_parameters = cut_.structure().euler_parameters;
  bodies_p_ = sizes_.p;
  bodies_v_ = sizes_.v;
  std::vector<int> q_of_node(tree_.nodes.size(), -1);
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    const TreeNode& node = tree_.nodes[k];
    const BodyData& body = m.bodies[node.body];
    places_.push_back({node.parent, node.v, node.nv, body.v, -1, -1, body.rotates});
    if (node.joint < 0) continue;
    const int rows = body.rotates ? Space::nv : Space::dim;
    joints_.push_back({static_cast<int>(k), sizes_.p, sizes_.v, tree_rows_, rows});
    q_of_node[k] = sizes_.p;
    places_[k].q = sizes_.v;
    places_[k].row = tree_rows_;
    if (node.np == 4) structure_.euler_parameters.push_back(sizes_.p);
    sizes_.p += node.np;
    sizes_.v += node.nv;
    tree_rows_ += rows;
  }
  this->counters_ = turn_counters(whole_.mechanism(), tree_, q_of_node);
  articulated_ = MixedSaddle<Space>::treats(m, tree_, sizes_.lambda);
  for (Structure::Contact& c : structure_.contacts) {
    if (c.normal >= 0) c.normal += tree_rows_;
    if (c.tangent >= 0) c.tangent += tree_rows_;
  }
  for (int& row : structure_.named_rows) row += tree_rows_;
  sizes_.g += tree_rows_;
  sizes_.lambda += tree_rows_;
  sizes_.n = static_cast<int>(structure_.euler_parameters.size());
  layout_ = JacobianLayout(sizes_);
  set_names();
  record_patterns();
}

template <class Space>
void MixedEquations<Space>::set_names() {
  const Mechanism<Space>& m = cut_.mechanism();
  Structure& s = structure_;
  const Structure& bodies = cut_.structure();
  s.p_names = bodies.p_names;
  s.v_names = bodies.v_names;
  s.p_bodies.assign(s.p_names.size(), {});
  s.v_bodies.assign(s.v_names.size(), {});
  s.lambda_names.clear();
  s.p_scale = Vector::Ones(sizes_.p);
  s.v_scale = Vector::Ones(sizes_.v);
  s.g_scale = Vector::Ones(sizes_.lambda);
  s.p_scale.head(bodies_p_) = bodies.p_scale;
  s.v_scale.head(bodies_v_) = bodies.v_scale;
  s.g_scale.tail(sizes_.lambda - tree_rows_) = bodies.g_scale;
  for (const JointRows& joint : joints_) {
    const TreeNode& node = tree_.nodes[joint.node];
    const BodyData& body = m.bodies[node.body];
    const std::string& name = m.joints[node.joint].name;
    const double length = bodies.p_scale[body.p];
    s.g_scale.segment<Space::dim>(joint.row).setConstant(length);
    if (node.kind == JointKind::prismatic) {
      s.p_scale[joint.p] = length;
      s.v_scale[joint.v] = length;
    }
    const auto add = [&](std::vector<std::string>& names, std::vector<std::string>& owners,
                         const char* keyword) {
      names.push_back(name + "." + keyword);
      owners.push_back(body.name);
    };
    for (int i = 0; is_serial(node.kind) && i < node.nv; ++i) {
      const CoordinateData& c =
          m.coordinates[static_cast<std::size_t>(node.coordinates[static_cast<std::size_t>(i)])];
      s.p_names.push_back(c.name);
      s.v_names.push_back(c.name + "d");
      s.p_bodies.push_back(body.name);
      s.v_bodies.push_back(body.name);
      if (c.kind != CoordinateData::Kind::translation) continue;
      s.p_scale[joint.p + i] = s.v_scale[joint.v + i] = length;
    }
    if (is_serial(node.kind)) {
      s.lambda_names.insert(s.lambda_names.end(), static_cast<std::size_t>(joint.rows), name);
      continue;
    }
    if (node.np == 1) add(s.p_names, s.p_bodies, "q"), add(s.v_names, s.v_bodies, "qd");
    if (node.np == 4) {
      for (const char* keyword : {"e0", "e1", "e2", "e3"}) add(s.p_names, s.p_bodies, keyword);
      for (const char* keyword : {"omega_x", "omega_y", "omega_z"})
        add(s.v_names, s.v_bodies, keyword);
    }
    s.lambda_names.insert(s.lambda_names.end(), static_cast<std::size_t>(joint.rows), name);
  }
  s.lambda_names.insert(s.lambda_names.end(), bodies.lambda_names.begin(),
                        bodies.lambda_names.end());
  // M has nothing for joints; each is eliminated with the body it carries.
  s.saddle.M_may_be_singular = true;
  s.saddle.mass_blocks.clear();
  s.saddle.bodies = bodies.saddle.bodies;
  s.saddle.bodies.resize(static_cast<std::size_t>(sizes_.v));
  for (const JointRows& joint : joints_) {
    const TreeNode& node = tree_.nodes[joint.node];
    for (int i = 0; i < node.nv; ++i) {
      s.saddle.bodies[static_cast<std::size_t>(joint.v + i)] =
          s.saddle.bodies[static_cast<std::size_t>(m.bodies[node.body].v)];
    }
  }
}

template <class Space>
std::unique_ptr<Workspace> MixedEquations<Space>::make_workspace() const {
  auto ws = this->make_own();
  ws->mixed.resize(tree_.nodes.size());
  ws->condition_p_rows = ws->cut().condition_p_rows;
  ws->condition_v_rows = ws->cut().condition_v_rows;
  ws->condition_p_rows.conservativeResize(sizes_.conditions_p, sizes_.v);
  ws->condition_v_rows.conservativeResize(sizes_.conditions_v, sizes_.v);
  return ws;
}

// g, G v, G a + gamma and -G^T lambda of the rows of the tree, differentiated; G itself; and the
// kinematics of q.
template <class Space>
void MixedEquations<Space>::fill_jacobian(const Evaluation<Space>& here,
                                          const LinkConstants<Space>* constant, const State& x,
                                          Fill& fill) const {
  using D = BodyDual<Space>;
  const JacobianLayout& at = layout_;
  fill.prune(false);
  fill.prune(true);
  for (const JointRows& joint : joints_) {
    const TreeNode& node = tree_.nodes[joint.node];
    const int parent = here.body_of(node.near);
    for (const Seed seed : {Seed::parent, Seed::far, Seed::joint}) {
      if (seed == Seed::parent && parent == ground) continue;
      if (seed == Seed::joint && node.nv == 0) continue;
      const Rows<D> rows = rows_of<D>(here, constant, x, joint, seed);
      const auto derivative = [&](int row, const D& value) {
        if (seed == Seed::joint) {
          for (int i = 0; i < node.np; ++i) fill.add(row, at.col_p + joint.p + i, value.d[i]);
          for (int i = 0; i < node.nv; ++i) {
            fill.add(row, at.col_v + joint.v + i, value.d[Space::np + i]);
          }
          return;
        }
        const BodyData& data = here.mechanism.bodies[seed == Seed::parent ? parent : node.body];
        for (int i = 0; i < size_p<Space>(data); ++i) {
          fill.add(row, at.col_p + data.p + i, value.d[i]);
        }
        for (int i = 0; i < size_v<Space>(data); ++i) {
          fill.add(row, at.col_v + data.v + i, value.d[Space::np + i]);
        }
      };
      for (int k = 0; k < joint.rows; ++k) {
        const int row = joint.row + k;
        D velocity, acceleration = rows.row[k].second;
        for_entries(joint, rows, k, [&](int column, const D& g) {
          velocity += g * x.v[column];
          acceleration += g * x.a[column];
          derivative(at.dynamics + column, -x.lambda[row] * g);
        });
        derivative(at.position + row, rows.row[k].value);
        derivative(at.velocity + row, velocity);
        derivative(at.acceleration + row, acceleration);
      }
    }
    const Rows<double> rows = rows_of<double>(here, constant, x, joint, Seed::none);
    for (int k = 0; k < joint.rows; ++k) {
      for_entries(joint, rows, k, [&](int column, double g) {
        fill.add(at.velocity + joint.row + k, at.col_v + column, g);
        fill.add(at.dynamics + column, at.col_lambda + joint.row + k, -g);
      });
    }
    fill_kinematics(joint, x, fill);
  }
}

template <class Space>
void MixedEquations<Space>::fill_kinematics(const JointRows& joint, const State& x,
                                            Fill& fill) const {
  const TreeNode& node = tree_.nodes[joint.node];
  const JacobianLayout& at = layout_;
  for (int i = 0; node.np == node.nv && i < node.nv; ++i) {
    fill.add(at.kinematics + joint.p + i, at.col_v + joint.v + i, 1.0);
  }
  if constexpr (Space::dim == 3) {
    using D = BodyDual<Space>;
    if (node.np != 4) return;
    std::array<D, 4> e, e_dot;
    std::array<D, 3> omega;
    D norm;
    for (int i = 0; i < 4; ++i) e[i] = D::variable(x.p[joint.p + i], i);
    for (int i = 0; i < 3; ++i) omega[i] = D::variable(x.v[joint.v + i], 4 + i);
    euler_rates(e.data(), omega.data(), e_dot.data());
    for (int i = 0; i < 4; ++i) norm += 0.5 * (e[i] * e[i]);
    const auto found =
        std::find(structure_.euler_parameters.begin(), structure_.euler_parameters.end(), joint.p);
    const int norm_row = at.norm + static_cast<int>(found - structure_.euler_parameters.begin());
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 4; ++i) {
        fill.add(at.kinematics + joint.p + i, at.col_p + joint.p + j, e_dot[i].d[j]);
      }
      fill.add(norm_row, at.col_p + joint.p + j, norm.d[j]);
    }
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 4; ++i) {
        fill.add(at.kinematics + joint.p + i, at.col_v + joint.v + j, e_dot[i].d[4 + j]);
      }
    }
  }
}

template <class Space>
void MixedEquations<Space>::add_elements(const ColumnSparse& J, Fill& fill) const {
  const JacobianLayout from(cut_.sizes()), &to = layout_;
  const auto place_of_r = [&](int i) {
    const auto found = std::find(this->r_of_.begin(), this->r_of_.end(), i);
    return found == this->r_of_.end() ? -1 : static_cast<int>(found - this->r_of_.begin());
  };
  // Begins of the blocks there and here.
  const std::array<std::array<int, 2>, 10> rows{{{from.kinematics, to.kinematics},
                                                 {from.dynamics, to.dynamics},
                                                 {from.r, to.r},
                                                 {from.w, to.w},
                                                 {from.s, to.s},
                                                 {from.velocity, to.velocity + tree_rows_},
                                                 {from.position, to.position + tree_rows_},
                                                 {from.norm, to.norm},
                                                 {from.acceleration, to.acceleration + tree_rows_},
                                                 {from.invariant, to.invariant}}};
  const std::array<std::array<int, 2>, 7> columns{{{from.col_p, to.col_p},
                                                   {from.col_v, to.col_v},
                                                   {from.col_r, to.col_r},
                                                   {from.col_w, to.col_w},
                                                   {from.col_s, to.col_s},
                                                   {from.col_lambda, to.col_lambda + tree_rows_},
                                                   {from.col_u, to.col_u}}};
  const auto moved = [&](const auto& blocks, int i, int of_r) {
    std::size_t b = blocks.size();
    while (b-- > 0 && i < blocks[b][0]) {
    }
    const int offset = i - blocks[b][0];
    if (static_cast<int>(b) != of_r) return blocks[b][1] + offset;
    const int place = place_of_r(offset);
    return place < 0 ? -1 : blocks[b][1] + place;
  };
  fill.prune(false);
  for (int j = 0; j < J.outerSize(); ++j) {
    const int column = moved(columns, j, 2);
    for (ColumnSparse::InnerIterator e(J, j); e; ++e) {
      const int row = moved(rows, static_cast<int>(e.row()), 2);
      if (row >= 0 && column >= 0) fill.add(row, column, e.value());
    }
  }
}

template <class Space>
void MixedEquations<Space>::record_patterns() {
  RandomNumbers random;
  Parameters parameters{whole_.default_parameters().values, Vector::Zero(sizes_.derived)};
  random(parameters.derived);
  const Inputs inputs(sizes_.u);
  const Context context{inputs, parameters};
  State x(sizes_);
  for (Vector* part : {&x.p, &x.v, &x.r, &x.w, &x.s, &x.z, &x.a, &x.lambda}) random(*part);
  const Structure& bodies = cut_.structure();
  structure_.saddle.M = bodies.saddle.M;
  structure_.saddle.M.conservativeResize(sizes_.v, sizes_.v);
  structure_.saddle.F = ColumnSparse(sizes_.v, sizes_.lambda);
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < bodies.saddle.F.outerSize(); ++j) {
    for (ColumnSparse::InnerIterator e(bodies.saddle.F, j); e; ++e) {
      entries.emplace_back(static_cast<int>(e.row()), tree_rows_ + j, 0.0);
    }
  }
  structure_.saddle.F.setFromTriplets(entries.begin(), entries.end());

  const auto ws = this->make_own();
  ws->mixed.resize(tree_.nodes.size());
  place(context, x, *ws);
  move(context, x, *ws);
  share_bodies(x, *ws);
  const Evaluation<Space> here = cut_.at(context, ws->cut_state, ws->cut());
  std::vector<Fill::Entry> seen;
  Fill G(seen);
  G.prune(true);
  std::vector<std::size_t> last;  // of each joint
  auto joint = joints_.begin();
  for (std::size_t k = 0; k < tree_.nodes.size(); ++k) {
    Axes axes;
    const JointRows* rows =
        joint != joints_.end() && joint->node == static_cast<int>(k) ? &*joint++ : nullptr;
    set_link(context, x, k, rows, *ws, axes);
    if (rows == nullptr) continue;
    fill_G(*rows, *ws, axes, G);
    last.push_back(seen.size());
  }
  for (int i = 0; i < bodies.saddle.G.outerSize(); ++i) {
    for (RowSparse::InnerIterator e(bodies.saddle.G, i); e; ++e) {
      seen.push_back({tree_rows_ + i, static_cast<int>(e.col()), true});
    }
  }
  std::vector<int> places;
  structure_.saddle.G = pattern_of<RowSparse>(seen, sizes_.lambda, sizes_.v, places);
  std::map<std::vector<int>, int> known;
  for (std::size_t j = 0, first = 0; j < joints_.size(); first = last[j++]) {
    JointRows& rows = joints_[j];
    rows.entry = structure_.saddle.G.outerIndexPtr()[rows.row];
    std::vector<int> shape(places.begin() + static_cast<std::ptrdiff_t>(first),
                           places.begin() + static_cast<std::ptrdiff_t>(last[j]));
    for (int& place : shape) place -= place < 0 ? 0 : rows.entry;
    const auto [at, is_new] = known.emplace(shape, static_cast<int>(shapes_.size()));
    if (is_new) shapes_.push_back(std::move(shape));
    rows.shape = at->second;
  }

  seen.clear();
  Fill J(seen);
  add_elements(bodies.jacobian, J);
  fill_jacobian(here, constants(context), x, J);
  structure_.jacobian =
      pattern_of<ColumnSparse>(seen, layout_.rows, layout_.cols, jacobian_places_);
}

// auto: articulated bodies, where they treat all joints of the tree.
template <class Space>
std::unique_ptr<SaddleSolver> MixedEquations<Space>::make_solver(const std::string& keyword) const {
  if (keyword != "auto" || !articulated_) return Base::make_solver(keyword);
  return std::make_unique<MixedSaddle<Space>>(tree_, places_, tree_rows_, structure_.saddle);
}

// Every q from the two frames that its joint joins.
template <class Space>
void MixedEquations<Space>::from_absolute(const Context& context, const State& absolute,
                                          State& x) const {
  const auto at = whole_.elements().make_workspace();
  const Mechanism<Space>& m = whole_.mechanism();
  place_bodies(m, absolute.p, at->bodies);
  move_bodies(m, absolute.v, at->bodies);
  x.p.head(bodies_p_) = absolute.p;
  x.v.head(bodies_v_) = absolute.v;
  const Evaluation<Space> here = whole_.elements().at(context, absolute, *at);
  for (const JointRows& joint : joints_) {
    const TreeNode& node = tree_.nodes[joint.node];
    if (node.nv == 0) continue;
    if (node.coordinates[0] >= 0) {
      for (int i = 0; i < node.nv; ++i) {
        tree_coordinate<Space>(here, node, constants(context)[joint.node], i, x.p[joint.p + i],
                               x.v[joint.v + i]);
      }
      continue;
    }
    const auto near = here.template motion<double>(node.near, ground);
    const auto far = here.template motion<double>(node.far, ground);
    if constexpr (Space::dim == 2) {  // on a particle
      const double sign = constants(context)[joint.node].sign;
      x.p[joint.p] = sign * (far.A.angle - near.A.angle);
      x.v[joint.v] = sign * (far.omega[0] - near.omega[0]);
    } else {
      euler_parameters(inverse(near.A) * far.A, &x.p[joint.p]);
      const auto relative = turn_back(far.A, far.omega - near.omega);
      for (int i = 0; i < 3; ++i) x.v[joint.v + i] = relative[i];
    }
  }
}

template class MixedEquations<Planar>;
template class MixedEquations<Spatial>;

}  // namespace mbs
