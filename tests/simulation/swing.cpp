#include "tests/simulation/swing.hpp"

#include <cmath>
#include <vector>

namespace mbs::test {

Swing::Swing(const char* statistic, bool terminate) {
  sizes_.p = sizes_.v = 2;
  sizes_.r = 1;
  sizes_.g = sizes_.lambda = 1;
  sizes_.u = 1;
  sizes_.y = output_count;
  sizes_.parameters = parameter_count;
  sizes_.derived = 1;

  structure_.saddle.M = ColumnSparse(2, 2);
  structure_.saddle.M.setIdentity();
  structure_.saddle.G = RowSparse(1, 2);
  structure_.saddle.G.insert(0, 0) = 1.0;
  structure_.saddle.G.insert(0, 1) = 1.0;
  structure_.saddle.G.makeCompressed();
  structure_.saddle.F = ColumnSparse(2, 1);
  // The input acts on the force's lag alone.
  const JacobianLayout at(sizes_);
  std::vector<Eigen::Triplet<double>> entries{{at.r, at.col_u, 1.0}};
  for (int j = 0; j < at.col_u; ++j)
    for (int i = 0; i < at.rows; ++i) entries.emplace_back(i, j, 1.0);
  structure_.jacobian = ColumnSparse(at.rows, at.cols);
  structure_.jacobian.setFromTriplets(entries.begin(), entries.end());
  structure_.p_names = {"x", "y"};
  structure_.v_names = {"x'", "y'"};
  structure_.r_names = {"F"};
  structure_.lambda_names = {"rod"};
  structure_.input_names = {"u"};
  structure_.p_scale = structure_.v_scale = Vector::Ones(2);
  structure_.g_scale = Vector::Ones(1);
  structure_.statistic_outputs = {{steps, statistic}};
  sizes_.phi = event_count;
  structure_.switching = {{"pass", true, true, -1.0, terminate}, {"high", true, false}};
  structure_.event_outputs = {{passes, pass, false}, {last_pass, pass, true}};
}

Parameters Swing::default_parameters() const {
  Parameters parameters{Vector::Zero(parameter_count), Vector::Zero(1)};
  parameters.values << 2.0, 9.81, 1.5, 0.1, 0.05, 0.0;
  derive(parameters);
  return parameters;
}

Inputs Swing::default_inputs(const Parameters&) const {
  Inputs inputs(1);
  inputs.value[0] = 3.0;
  return inputs;
}

std::string Swing::derive(Parameters& parameters) const {
  const Vector& v = parameters.values;
  parameters.values[weight] = v[mass] * v[gravity];
  parameters.derived[0] = 1.0 / v[lag];
  return v[mass] > 0.0 ? "" : "the mass is not positive";
}

State Swing::initial(const Context& context, double t0) const {
  State state(sizes_);
  state.t = t0;
  state.p << 0.8 * context.parameters.values[length], -0.7 * context.parameters.values[length];
  return state;
}

void Swing::position(const Context& context, const State& s, unsigned want, Workspace& ws) const {
  const Vector& v = context.parameters.values;
  if (want & want_M) ws.M.coeffs().setConstant(v[mass]);
  if (want & want_G) {
    ws.G.coeffs() << s.p[0], s.p[1];
    ws.gI.setZero();
  }
  if (want & want_g) ws.g[0] = 0.5 * (s.p.squaredNorm() - v[length] * v[length]);
}

void Swing::velocity(const Context&, const State& s, Workspace& ws) const {
  ws.p_dot = s.v;
  ws.G_v[0] = s.p.dot(s.v);
}

void Swing::force(const Context& context, const State& s, unsigned want, Workspace& ws) const {
  const Vector& v = context.parameters.values;
  if (want & want_f) {
    ws.f = -v[damping] * s.v;
    ws.f[0] += s.r[0];
    ws.f[1] -= v[weight];
  }
  if (want & want_b) ws.b[0] = (context.inputs.at(0, s.t) - s.r[0]) * context.parameters.derived[0];
}

void Swing::gamma(const Context&, const State& s, Workspace& ws) const {
  ws.gamma[0] = s.v.squaredNorm();
}

void Swing::switching(const Context& context, const State& s, Workspace& ws) const {
  ws.phi << s.p[0], context.inputs.at(0, s.t) - 5.0;
}

void Swing::outputs(const Context& context, const State& s, Workspace& ws) const {
  ws.y[at_x] = s.p[0];
  ws.y[at_y] = s.p[1];
  ws.y[acceleration] = s.a[0];
  ws.y[tension] = s.lambda[0] * s.p.norm();
  ws.y[drive] = s.r[0];
  ws.y[command] = context.inputs.at(0, s.t);
}

}  // namespace mbs::test
