#include "engine/multibody/tree/tree_equations.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "engine/equations/redundant_rows.hpp"
#include "engine/multibody/start_memory.hpp"

namespace mbs {

namespace {

// The rows after them belong to drives and the like.
template <class Space>
int joint_rows(const Mechanism<Space>& m) {
  int rows = 0;
  for (const JointData& joint : m.joints) rows += joint.rows;
  return rows;
}

}  // namespace

template <class Space>
std::vector<TurnCounter> turn_counters(const Mechanism<Space>& m, const Tree<Space>& tree,
                                       const std::vector<int>& q_of_node) {
  std::vector<TurnCounter> counters;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const TreeNode& node = tree.nodes[k];
    for (int i = 0; i < 3; ++i) {
      const int c = node.coordinates[static_cast<std::size_t>(i)];
      const int counter = c < 0 ? -1 : m.coordinates[c].counter;
      if (counter >= 0) counters.push_back({counter, q_of_node[k] + i});
    }
  }
  return counters;
}

// The turns of a screw follow from its advance and are not those next to the start value.
template <class Space>
void tree_coordinate(const Evaluation<Space>& here, const TreeNode& node,
                     const LinkConstants<Space>& link, int i, double& q, double& qd) {
  coordinate_values(here, node.coordinates[static_cast<std::size_t>(i)], q, qd);
  if constexpr (Space::dim == 3) {
    if (node.kind != JointKind::screw) return;
    const auto near = here.template motion<double>(node.near, ground);
    const auto far = here.template motion<double>(node.far, ground);
    const double advanced = dot(far.r - near.r, near.A.column(2)) / (link.sign * link.advance);
    constexpr double turn = 2.0 * std::numbers::pi;
    q += turn * std::round((advanced - q) / turn);
  }
}

template <class Space>
TreeWorkspace<Space>::TreeWorkspace(const Sizes& sizes, const Structure& structure,
                                    const ElementEvaluator<Space>& cut,
                                    const ElementEvaluator<Space>& whole, std::size_t nodes)
    : Workspace(sizes, structure),
      cut_owned(cut.make_workspace()),
      whole_owned(whole.make_workspace()),
      cut_state(cut.sizes()),
      whole_state(whole.sizes()),
      screws(nodes),
      wrenches(nodes),
      row(Vector::Zero(JacobianLayout(whole.sizes()).cols + whole.sizes().v)),
      borne(nodes),
      own_moment(nodes),
      momentum(Vector::Zero(whole.sizes().v)),
      needs(Vector::Zero(whole.sizes().v)),
      spins(Vector::Zero(whole.sizes().v)),
      scratch(Vector::Zero(sizes.v)) {
  this->links.resize(nodes);
  this->unassembled = this;
}

template <class Space>
TreeEquations<Space>::TreeEquations(const Model& model,
                                    std::unique_ptr<const Mechanism<Space>> mechanism,
                                    bool is_mixed)
    : is_mixed_(is_mixed),
      whole_(model, std::move(mechanism)),
      tree_(whole_.mechanism()),
      cut_(model, without_rows_of(whole_.mechanism(), tree_.carried), is_mixed),
      reactions_(tree_, whole_.elements(), cut_, !is_mixed) {
  if (!defect().message.empty()) return;
  const Mechanism<Space>& m = whole_.mechanism();
  const Structure& all = whole_.structure();
  whole_layout_ = JacobianLayout(whole_.sizes());
  sizes_ = cut_.sizes();
  sizes_.derived +=
      static_cast<int>(tree_.nodes.size() * sizeof(LinkConstants<Space>) / sizeof(double));
  static_assert(std::is_trivially_copyable_v<LinkConstants<Space>> &&
                alignof(LinkConstants<Space>) == alignof(double) &&
                sizeof(LinkConstants<Space>) % sizeof(double) == 0);

  // Counters of cut joints stay.
  std::vector<char> is_coordinate(m.coordinates.size(), 0);
  for (const TreeNode& node : tree_.nodes) {
    for (const int c : node.coordinates) {
      if (c >= 0) is_coordinate[static_cast<std::size_t>(c)] = 1;
    }
  }
  for (int i = 0; i < static_cast<int>(m.der.size()); ++i) r_of_.push_back(i);
  for (std::size_t k = 0; k < m.counted.size(); ++k) {
    if (!is_coordinate[static_cast<std::size_t>(m.counted[k])]) {
      r_of_.push_back(static_cast<int>(m.der.size() + k));
    }
  }
  sizes_.r = static_cast<int>(r_of_.size());
  for (const int i : r_of_) structure_.r_names.push_back(all.r_names[static_cast<std::size_t>(i)]);
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    for (int k = 0; !tree_.carried[j] && k < m.joints[j].rows; ++k) {
      lambda_of_.push_back(m.joints[j].first_row + k);
    }
  }
  for (int row = joint_rows(m); row < m.rows; ++row) lambda_of_.push_back(row);
  keeps_output_.assign(m.outputs.size(), 0);
  for (std::size_t i = 0; i < m.outputs.size(); ++i) {
    keeps_output_[i] = m.outputs[i].filled_by_simulation();
  }
  reactions_.find(lambda_of_);
  structure_.w_names = all.w_names;
  structure_.lambda_names = cut_.structure().lambda_names;
  structure_.input_names = all.input_names;
  structure_.output_names = all.output_names;
  structure_.condition_names = all.condition_names;
  structure_.condition_guesses = all.condition_guesses;
  structure_.statistic_outputs = all.statistic_outputs;
  structure_.switching = all.switching;
  structure_.contacts = cut_.structure().contacts;
  structure_.event_outputs = all.event_outputs;
  structure_.redundancy = all.redundancy;
  structure_.named_rows = cut_.structure().named_rows;
  sizes_.modes = static_cast<int>(m.contacts.size());
  structure_.f_depends_on_lambda = cut_.structure().f_depends_on_lambda;
}

template <class Space>
std::unique_ptr<TreeWorkspace<Space>> TreeEquations<Space>::make_own() const {
  return std::make_unique<Own>(sizes_, structure_, cut_, whole_.elements(), tree_.nodes.size());
}

template <class Space>
Parameters TreeEquations<Space>::default_parameters() const {
  Parameters parameters{whole_.default_parameters().values, Vector::Zero(sizes_.derived)};
  derive(parameters);
  return parameters;
}

template <class Space>
Inputs TreeEquations<Space>::default_inputs(const Parameters& parameters) const {
  return whole_.default_inputs(parameters);
}

template <class Space>
std::string TreeEquations<Space>::derive(Parameters& parameters) const {
  if (std::string wrong = whole_.derive(parameters); !wrong.empty()) return wrong;
  double* derived = parameters.derived.data();
  auto* links = reinterpret_cast<LinkConstants<Space>*>(derived + whole_.sizes().derived);
  derive_links<Space>(whole_.mechanism(), tree_, derived, {links, tree_.nodes.size()});
  return {};
}

// The start of the absolute coordinates, consistent there when there are loops to close: then all
// coordinate choices begin at the same point.
template <class Space>
InitialReport TreeEquations<Space>::close(const Context& context, double t0,
                                          const InitialOptions& options, State& guess,
                                          State& x) const {
  State absolute = whole_.initial(context, t0);
  const auto along_tree = [&] {
    State here(sizes_);
    here.t = absolute.t;
    here.w = absolute.w;
    here.s = absolute.s;
    here.z = absolute.z;
    for (int i = 0; i < sizes_.r; ++i) here.r[i] = absolute.r[r_of_[static_cast<std::size_t>(i)]];
    from_absolute(context, absolute, here);
    return here;
  };
  x = guess = along_tree();
  InitialReport report;
  report.ok = true;
  if (cut_.sizes().g == 0) return report;
  const std::shared_ptr<const Equations> with_all_joints =
      treat_redundancy({std::shared_ptr<const Equations>(), &whole_});
  absolute.modes.resize(static_cast<std::size_t>(with_all_joints->sizes().modes));
  report = make_consistent(*with_all_joints, context, absolute, options);
  if (report.ok) x = along_tree();
  return report;
}

template <class Space>
State TreeEquations<Space>::initial(const Context& context, double t0) const {
  State guess, x;
  close(context, t0, {}, guess, x);
  return x;
}

template <class Space>
void TreeEquations<Space>::share(const State& x, Own& ws) const {
  State& to = ws.cut_state;
  to.t = x.t;
  for (std::size_t i = 0; i < r_of_.size(); ++i) {
    to.r[r_of_[i]] = x.r[static_cast<Eigen::Index>(i)];
  }
  for (const auto& [counter, q] : counters_) to.r[counter] = x.p[q];
  to.w = x.w;
  to.s = x.s;
  to.z = x.z;
  std::copy_n(x.modes.begin(), whole_.mechanism().contacts.size(), to.modes.begin());
  to.lambda = x.lambda.tail(to.lambda.size());
}

template <class Space>
void TreeEquations<Space>::write_bodies(const State&, Own& ws) const {
  const std::vector<BodyState<Space, double>>& bodies = ws.cut().bodies;
  State& to = ws.cut_state;
  const Mechanism<Space>& m = whole_.mechanism();
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const BodyData& data = m.bodies[i];
    const BodyState<Space, double>& body = bodies[1 + i];
    for (int k = 0; k < Space::dim; ++k) {
      to.p[data.p + k] = body.r[k];
      to.v[data.v + k] = body.v[k];
    }
    if (!data.rotates) continue;
    for (int k = 0; k < Space::rot; ++k) to.v[data.v + Space::dim + k] = body.omega[k];
    if constexpr (Space::dim == 2) {
      to.p[data.p + 2] = body.R.angle;
    } else {
      euler_parameters(body.R, &to.p[data.p + 3]);
    }
  }
}

template <class Space>
void TreeEquations<Space>::set_all_bodies(const Context& context, const State& x, Own& ws) const {
  place(context, x, ws);
  move(context, x, ws);
  ws.whole().bodies = ws.cut().bodies;
  write_bodies(x, ws);
  State& to = ws.whole_state;
  to.t = x.t;
  to.p = ws.cut_state.p;
  to.v = ws.cut_state.v;
  to.r = ws.cut_state.r;
  to.w = x.w;
  to.s = x.s;
  to.z = x.z;
  std::copy_n(x.modes.begin(), whole_.mechanism().contacts.size(), to.modes.begin());
}

template <class Space>
bool TreeEquations<Space>::solve_auxiliary(const Context& context, State& x,
                                           Workspace& workspace) const {
  if (sizes_.w + sizes_.s == 0) return true;
  Own& ws = own(workspace);
  place(context, x, ws);
  move(context, x, ws);
  if (!cut_.solve_auxiliary(context, ws.cut_state, ws.cut())) return false;
  x.w = ws.cut_state.w;
  x.s = ws.cut_state.s;
  return true;
}

template <class Space>
void TreeEquations<Space>::outputs(const Context& context, const State& x,
                                   Workspace& workspace) const {
  Own& ws = own(workspace);
  set_all_bodies(context, x, ws);
  accelerations_and_multipliers(context, x, ws);
  whole_.shown().outputs(context, ws.whole_state, ws.whole());
  // The bodies' Euler parameters are made of their turns, and have norm 1: those here are others.
  double norm = 0.0;
  for (const int e : structure_.euler_parameters)
    norm = std::max(norm, 0.5 * std::abs(x.p.template segment<4>(e).squaredNorm() - 1.0));
  for (int i = 0; i < sizes_.y; ++i) {
    if (keeps_output_[static_cast<std::size_t>(i)]) continue;
    const bool residual =
        whole_.mechanism().outputs[static_cast<std::size_t>(i)].measure.quantity ==
        Quantity::residual;
    ws.y[i] = residual ? std::max(ws.whole().y[i], norm) : ws.whole().y[i];
  }
}

template <class Space>
void TreeEquations<Space>::switching(const Context& context, const State& x,
                                     Workspace& workspace) const {
  Own& ws = own(workspace);
  set_all_bodies(context, x, ws);
  accelerations_and_multipliers(context, x, ws);
  whole_.shown().switching(context, ws.whole_state, ws.whole());
  ws.phi = ws.whole().phi;
}

template <class Space>
bool TreeEquations<Space>::act(const Context& context, int function, State& x,
                               Workspace& workspace) const {
  Own& ws = own(workspace);
  set_all_bodies(context, x, ws);
  accelerations_and_multipliers(context, x, ws);
  State& absolute = ws.whole_state;
  if (!whole_.shown().act(context, function, absolute, ws.whole())) return false;
  x.z = absolute.z;
  for (int i = 0; i < sizes_.r; ++i) x.r[i] = absolute.r[r_of_[static_cast<std::size_t>(i)]];
  return true;
}

template <class Space>
void TreeEquations<Space>::contact_laws(const Context& context, const State& x,
                                        Workspace& workspace, std::span<ContactLaw> laws) const {
  if (laws.empty()) return;
  Own& ws = own(workspace);
  set_all_bodies(context, x, ws);
  accelerations_and_multipliers(context, x, ws);
  whole_.shown().contact_laws(context, ws.whole_state, ws.whole(), laws);
}

template <class Space>
Equations::TimeEvent TreeEquations<Space>::next_time(const Context& context, const State& x) const {
  return whole_.shown().next_time(context, x.t);
}

template <class Space>
Equations::Energy TreeEquations<Space>::energy(const Context& context, const State& x,
                                               Workspace& workspace) const {
  Own& ws = own(workspace);
  set_all_bodies(context, x, ws);
  return whole_.shown().energy(context, ws.whole_state, ws.whole());
}

template <class Space>
std::vector<std::string> TreeEquations<Space>::choose_assembly_branch(const Context& context,
                                                                      State& x) const {
  const auto ws = make_own();
  set_all_bodies(context, x, *ws);
  State absolute = ws->whole_state;
  std::vector<std::string> names = whole_.choose_assembly_branch(context, absolute);
  if (!names.empty()) from_absolute(context, absolute, x);
  return names;
}

template <class Space>
void TreeEquations<Space>::initialize_memory(const Context& context, State& x,
                                             Workspace& workspace) const {
  Own& ws = own(workspace);
  set_all_bodies(context, x, ws);
  State& absolute = ws.whole_state;
  mbs::initialize_memory(whole_.elements().at(context, absolute, ws.whole()), absolute);
  x.z = absolute.z;
  for (int i = 0; i < sizes_.r; ++i) x.r[i] = absolute.r[r_of_[static_cast<std::size_t>(i)]];
  from_absolute(context, absolute, x);
}

// The rows of drives are among those of the cut mechanism, which are the last.
template <class Space>
std::vector<InputFilterStates::Following> TreeEquations<Space>::Filters::following() const {
  std::vector<Following> result = following_drives(of.cut_.mechanism());
  for (Following& one : result) one.row += of.sizes_.lambda - of.cut_.sizes().lambda;
  return result;
}

template <class Space>
void TreeEquations<Space>::Filters::set_filters_to_motion(const Context& context, State& x,
                                                          Workspace& workspace) const {
  if (of.whole_.mechanism().followed == 0) return;
  Own& ws = own(workspace);
  of.set_all_bodies(context, x, ws);
  mbs::set_filters_to_motion(of.whole_.elements().at(context, ws.whole_state, ws.whole()),
                             ws.whole_state);
  x.z = ws.whole_state.z;
}

template <class Space>
void TreeEquations<Space>::OutputRows::prepare_outputs(const Context& context, const State& x,
                                                       Workspace& workspace) const {
  Own& ws = own(workspace);
  const AbsoluteEquations<Space>& whole = of.whole_;
  of.complete_after_jacobian(context, x, ws);
  whole.elements().linearise(context, ws.whole_state, ws.whole());
  whole.shown().prepare_outputs(context, ws.whole_state, ws.whole());
  if (!of.reactions_.shown().empty()) of.reactions_.prepare_reactions(context, ws);
  ws.output_columns.entries.clear();
  const std::span<const OutputEntry> all = ws.whole().output_columns.entries;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && all[end].row == all[begin].row) ++end;
    of.reactions_.fold_row(all.subspan(begin, end - begin), ws);
    carry(all[begin].row, ws);
  }
  ws.output_columns.sort(JacobianLayout(of.sizes_).cols + of.sizes_.v);
}

template <class Space>
void TreeEquations<Space>::OutputRows::carry(int row, Own& ws) const {
  const JacobianLayout& at = of.whole_layout_;
  const OutputRow to{ws.output_columns.entries, row};
  const JacobianLayout here(of.sizes_);
  for (std::size_t i = 0; i < of.r_of_.size(); ++i)  // counters of turns count whole turns alone
    to(here.col_r + static_cast<int>(i), ws.row[at.col_r + of.r_of_[i]]);
  const auto copy = [&](int column, int from, int count) {
    for (int i = 0; i < count; ++i) to(column + i, ws.row[from + i]);
  };
  copy(here.col_w, at.col_w, of.sizes_.w);
  copy(here.col_s, at.col_s, of.sizes_.s);
  copy(here.col_u, at.col_u, of.sizes_.u);
  const int first = here.col_lambda + of.sizes_.lambda - static_cast<int>(of.lambda_of_.size());
  for (std::size_t i = 0; i < of.lambda_of_.size(); ++i)
    to(first + static_cast<int>(i), ws.row[at.col_lambda + of.lambda_of_[i]]);
  of.carry_row(ws.row.data() + at.col_p, ws.row.data() + at.col_v, ws.row.data() + at.cols, to, ws);
}

template std::vector<TurnCounter> turn_counters(const Mechanism<Planar>&, const Tree<Planar>&,
                                                const std::vector<int>&);
template std::vector<TurnCounter> turn_counters(const Mechanism<Spatial>&, const Tree<Spatial>&,
                                                const std::vector<int>&);
template void tree_coordinate(const Evaluation<Planar>&, const TreeNode&,
                              const LinkConstants<Planar>&, int, double&, double&);
template void tree_coordinate(const Evaluation<Spatial>&, const TreeNode&,
                              const LinkConstants<Spatial>&, int, double&, double&);
template struct TreeWorkspace<Planar>;
template struct TreeWorkspace<Spatial>;
template <class Space>
bool TreeEquations<Space>::Conditions::freeze_conditions(const Context& context, State& x,
                                                         Workspace& workspace) const {
  Own& ws = own(workspace);
  of.set_all_bodies(context, x, ws);
  of.accelerations_and_multipliers(context, x, ws);
  const bool any = of.whole_.shown().freeze_conditions(context, ws.whole_state, ws.whole());
  x.z = ws.whole_state.z;
  return any;
}

template class TreeEquations<Planar>;
template class TreeEquations<Spatial>;

}  // namespace mbs
