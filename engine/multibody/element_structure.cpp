// Sizes, names and scales; default values of parameters.

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/multibody/drives.hpp"
#include "engine/multibody/element_evaluator.hpp"
#include "engine/multibody/rolling.hpp"

namespace mbs {

namespace {

Structure::Redundancy redundancy_policy(const Model& model) {
  const std::string& keyword = model.solver.redundancy;
  return keyword == "drop"           ? Structure::Redundancy::drop
         : keyword == "minimum_norm" ? Structure::Redundancy::minimum_norm
                                     : Structure::Redundancy::error;
}

template <class Space>
void set_row_names(const Mechanism<Space>& m, Structure& s) {
  for (const JointData& joint : m.joints) {
    s.lambda_names.insert(s.lambda_names.end(), joint.rows, joint.name);
  }
  s.lambda_names.resize(static_cast<std::size_t>(m.rows));
  for (const DriveData& d : m.drives) s.lambda_names[static_cast<std::size_t>(d.row)] = d.name;
  for (const GuideData& g : m.guides) s.lambda_names[static_cast<std::size_t>(g.row)] = g.name;
  for (const RollingData& r : m.rolling) {
    for_rows_of(r, [&](int, int row) { s.lambda_names[static_cast<std::size_t>(row)] = r.name; });
  }
  for (const ContactData& c : m.contacts) {
    if (c.normal >= 0) s.lambda_names[static_cast<std::size_t>(c.normal)] = c.name;
    for (int k = 0; k < c.tangents; ++k) {
      s.lambda_names[static_cast<std::size_t>(c.tangent + k)] = c.name;
    }
  }
}

}  // namespace

template <class Space>
ElementEvaluator<Space>::ElementEvaluator(const Model& model,
                                          std::unique_ptr<const Mechanism<Space>> mechanism,
                                          bool body_terms)
    : mechanism_(std::move(mechanism)), body_terms_(body_terms) {
  const Mechanism<Space>& m = *mechanism_;
  Sizes& n = sizes_;
  std::vector<Eigen::Triplet<double>> M;
  std::vector<int>& blocks = structure_.saddle.mass_blocks;
  for (const BodyData& body : m.bodies) {
    n.p += size_p<Space>(body);
    n.v += size_v<Space>(body);
    structure_.saddle.bodies.resize(static_cast<std::size_t>(n.v), body.v);
    for (int k = 0; k < Space::dim; ++k) {
      blocks.push_back(body.v + k);
      M.emplace_back(body.v + k, body.v + k, 0.0);
    }
    if (!body.rotates) continue;
    blocks.push_back(body.v + Space::dim);
    for (int i = Space::dim; i < Space::nv; ++i) {
      for (int j = Space::dim; j < Space::nv; ++j) M.emplace_back(body.v + i, body.v + j, 0.0);
    }
    if (Space::dim == 3) structure_.euler_parameters.push_back(body.p + 3);
  }
  blocks.push_back(n.v);
  structure_.saddle.M = ColumnSparse(n.v, n.v);
  structure_.saddle.M.setFromTriplets(M.begin(), M.end());
  n.r = static_cast<int>(m.der.size() + m.counted.size());
  n.w = static_cast<int>(m.residuals.size());
  n.z = m.discrete + static_cast<int>(m.discrete_start.size());
  n.s = (Space::dim - 1) * static_cast<int>(m.guides.size());
  n.lambda = m.rows;
  n.g = m.rows - m.velocity_rows;
  n.modes = static_cast<int>(m.contacts.size());
  n.n = static_cast<int>(structure_.euler_parameters.size());
  n.u = static_cast<int>(m.input_start.size());
  n.y = static_cast<int>(m.outputs.size());
  n.phi = static_cast<int>(m.events.size());
  for (const ContactData& c : m.contacts) n.phi += (c.normal >= 0) + (c.tangents > 0);
  n.parameters = static_cast<int>(m.parameter_values.size());
  n.derived = m.derived_size();
  n.conditions_p = static_cast<int>(m.position_conditions.size());
  n.conditions_v = static_cast<int>(m.velocity_conditions.size());
  structure_.redundancy = redundancy_policy(model);
  structure_.named_rows = m.named_rows;
  layout_ = JacobianLayout(n);

  Parameters parameters = default_parameters();
  defect_ = m.derive(parameters);
  if (!defect_.message.empty()) return;
  structure_.saddle.M_may_be_singular = m.massless(parameters);
  set_names(model);
  set_scales(parameters);
  record_patterns();
}

template <class Space>
void ElementEvaluator<Space>::set_contacts() {
  const Mechanism<Space>& m = *mechanism_;
  Structure& s = structure_;
  for (const ContactData& c : m.contacts) {
    const bool turns =
        c.coordinate >= 0 && m.coordinates[c.coordinate].kind != CoordinateData::Kind::translation;
    s.contacts.push_back(
        {c.name, c.mode, c.normal, c.tangent, c.tangents, c.direction, c.low_speed, c.phi, turns});
    for (int k = 0; k < (c.normal >= 0) + (c.tangents > 0); ++k) {
      Structure::SwitchingFunction function;
      function.name = c.name;
      function.rising = false;
      function.guards_mode = true;
      s.switching.push_back(std::move(function));
    }
  }
}

template <class Space>
void ElementEvaluator<Space>::set_names(const Model& model) {
  const Mechanism<Space>& m = *mechanism_;
  Structure& s = structure_;
  using Keywords = std::vector<std::string_view>;
  const Keywords p =
      Space::dim == 2 ? Keywords{"x", "y", "phi"} : Keywords{"x", "y", "z", "e0", "e1", "e2", "e3"};
  const Keywords v = Space::dim == 2 ? Keywords{"vx", "vy", "omega"}
                                     : Keywords{"vx", "vy", "vz", "omega_x", "omega_y", "omega_z"};
  const auto name = [](const std::string& owner, std::string_view keyword) {
    return owner + "." + std::string(keyword);
  };
  for (const BodyData& body : m.bodies) {
    for (int i = 0; i < size_p<Space>(body); ++i) s.p_names.push_back(name(body.name, p[i]));
    for (int i = 0; i < size_v<Space>(body); ++i) s.v_names.push_back(name(body.name, v[i]));
  }
  for (const StateVariable& state : model.states) s.r_names.push_back(state.name);
  for (const int c : m.counted) s.r_names.push_back(m.coordinates[c].name + ".turned");
  for (const AlgebraicVariable& w : model.algebraics) s.w_names.push_back(w.name);
  for (const Input& input : model.inputs) s.input_names.push_back(input.name);
  for (std::size_t i = 0; i < model.outputs.size(); ++i) {
    const Output& output = model.outputs[i];
    s.output_names.push_back(output.name);
    if (output.what.quantity == Quantity::statistic) {
      s.statistic_outputs.push_back({static_cast<int>(i), output.what.keyword});
    }
    if (output.what.event >= 0) {
      s.event_outputs.push_back(
          {static_cast<int>(i), output.what.event, output.what.quantity == Quantity::event_time});
    }
  }
  for (const Event& event : model.events) {
    s.switching.push_back({event.name, event.rising, event.falling, event.tolerance,
                           event.terminate, !event.sets.empty()});
    s.switching.back().of_time = event.time != Event::Time::none;
    s.switching.back().true_at_zero = event.true_at_zero;
    s.switching.back().at_events = changes_at_events(event.function);
    s.switching.back().internal = event.internal;
    s.switching.back().guards_mode = event.internal && event.time == Event::Time::none;
  }
  set_contacts();
  set_row_names(m, s);
  for (const Condition& c : m.position_conditions) s.condition_names.push_back(c.name);
  for (const Condition& c : m.velocity_conditions) {
    s.condition_names.push_back(c.coordinate >= 0 ? c.name + "d" : c.name);
  }
  for (const auto* conditions : {&m.position_conditions, &m.velocity_conditions}) {
    for (const Condition& c : *conditions) s.condition_guesses.push_back(c.guess ? 1 : 0);
  }
}

namespace {

// The largest of the factors times what is typical of their coordinates.
template <class Space>
double coupling_scale(const Mechanism<Space>& m, const CouplingData& coupling,
                      const std::vector<double>& parameters, const double* derived, double length) {
  const auto typical = [&](int coordinate) {
    return m.coordinates[coordinate].kind == CoordinateData::Kind::translation ? length : 1.0;
  };
  if (coupling.law == absent) {
    double largest = 0.0;
    for (const CouplingData::Term& term : coupling.terms) {
      const double factor = term.factor == absent ? 1.0 : derived[term.factor];
      largest = std::max(largest, std::abs(factor) * typical(term.coordinate));
    }
    return largest > 0.0 ? largest : 1.0;
  }
  const Law& law = m.laws[coupling.law];
  std::array<double, Expression::max_arguments> at{}, factors;
  const std::size_t n = law.arguments.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (law.arguments[k].kind == SymbolKind::parameter) at[k] = parameters[law.arguments[k].index];
  }
  law.expression.gradient(std::span(at).first(n), std::span(factors).first(n));
  double largest = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const Law::Argument& x = law.arguments[k];
    if (x.kind != SymbolKind::coordinate) continue;
    largest = std::max(largest, std::abs(factors[k]) * typical(x.index));
  }
  return largest > 0.0 ? largest : 1.0;
}

}  // namespace

// Lengths are measured by the largest distance of a frame from its body's centre of mass (or from
// ground's origin).
template <class Space>
void ElementEvaluator<Space>::set_scales(const Parameters& parameters) {
  const Mechanism<Space>& m = *mechanism_;
  double length = 0.0;
  for (std::size_t k = 0; k < m.frames.size(); ++k) {
    const auto s = m.frame(parameters.derived.data(), static_cast<int>(k)).s;
    length = std::max(length, std::sqrt(dot(s, s)));
  }
  if (!(length > 0.0)) length = 1.0;
  Structure& s = structure_;
  s.p_scale = Vector::Ones(sizes_.p);
  s.v_scale = Vector::Ones(sizes_.v);
  s.g_scale = Vector::Ones(sizes_.lambda);
  for (const BodyData& body : m.bodies) {
    s.p_scale.segment<Space::dim>(body.p).setConstant(length);
    s.v_scale.segment<Space::dim>(body.v).setConstant(length);
  }
  const auto scale = [&]<class Constraint>(const std::vector<Constraint>& list) {
    for (const Constraint& c : list) {
      if (Constraint::is_length) s.g_scale.segment<Constraint::rows>(c.row).setConstant(length);
    }
  };
  std::apply([&](const auto&... lists) { (scale(lists), ...); }, m.constraints);
  std::vector<double> values(parameters.values.begin(), parameters.values.end());
  for (const CouplingData& coupling : m.couplings) {
    s.g_scale[coupling.row] =
        coupling_scale(m, coupling, values, parameters.derived.data(), length);
  }
  for (const DriveData& d : m.drives) {
    const bool slides = m.coordinates[d.coordinate].kind == CoordinateData::Kind::translation;
    s.g_scale[d.row] = slides ? length : 1.0;
  }
  for (const GuideData& g : m.guides) s.g_scale[g.row] = length;
  for (const RollingData& r : m.rolling) {
    for_rows_of(r, [&](int, int row) { s.g_scale[row] = length; });
  }
  for (const ContactData& c : m.contacts) {
    const bool turns =
        c.coordinate >= 0 && m.coordinates[c.coordinate].kind != CoordinateData::Kind::translation;
    if (c.normal >= 0) s.g_scale[c.normal] = turns ? 1.0 : length;
    s.g_scale.segment(std::max(c.tangent, 0), c.tangents).setConstant(turns ? 1.0 : length);
  }
}

template <class Space>
std::unique_ptr<ElementWorkspace<Space>> ElementEvaluator<Space>::make_workspace() const {
  auto ws = std::make_unique<Own>(sizes_, structure_, *mechanism_);
  ws->condition_p_rows = condition_p_pattern_;
  ws->condition_v_rows = condition_v_pattern_;
  ws->law_partials = law_pattern_;
  return ws;
}

template <class Space>
Parameters ElementEvaluator<Space>::default_parameters() const {
  Parameters parameters{Vector::Zero(sizes_.parameters), Vector::Zero(sizes_.derived)};
  const std::span<double> values(parameters.values.data(), parameters.values.size());
  for (const int i : mechanism_->parameter_order) {
    parameters.values[i] = evaluate(mechanism_->parameter_values[i], values);
  }
  mechanism_->derive(parameters);
  return parameters;
}

template class ElementEvaluator<Planar>;
template class ElementEvaluator<Spatial>;

}  // namespace mbs
