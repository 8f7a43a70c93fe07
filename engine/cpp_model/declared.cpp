#include "engine/cpp_model/declared.hpp"

#include <stdexcept>

namespace mbs {
namespace {

template <class Sparse>
Sparse full_pattern(int rows, int cols) {
  Sparse pattern = Matrix::Ones(rows, cols).sparseView();
  pattern.makeCompressed();
  return pattern;
}

Vector vector_of(const std::vector<double>& list) {
  return Eigen::Map<const Vector>(list.data(), static_cast<Eigen::Index>(list.size()));
}

double value_of(const Start& start, const Context& context) {
  return start.parameter < 0 ? start.value : context.parameters.values[start.parameter];
}

}  // namespace

DeclaredEquations::DeclaredEquations(const std::string& name, const std::string& doc) {
  interface_.name(name, doc);
}

CoordinateOf DeclaredEquations::position_coordinate(const std::string& name, Start start,
                                                    double size) {
  if (!(size > 0.0)) throw std::invalid_argument("'" + name + "': sizes are above 0");
  p0_.push_back(start);
  p_scale_.push_back(size);
  structure_.p_names.push_back(name);
  return {sizes_.p++, -1};
}

CoordinateOf DeclaredEquations::speed(const std::string& name, Start start, double size) {
  if (!(size > 0.0)) throw std::invalid_argument("'" + name + "': sizes are above 0");
  v0_.push_back(start);
  v_scale_.push_back(size);
  structure_.v_names.push_back(name);
  return {-1, sizes_.v++};
}

CoordinateOf DeclaredEquations::coordinate(const std::string& name, Start start, Start rate,
                                           double size) {
  return {position_coordinate(name, start, size).p, speed(name, rate, size).v};
}

ConstraintOf DeclaredEquations::velocity_constraint(const std::string& name, double size) {
  if (!(size > 0.0)) throw std::invalid_argument("'" + name + "': sizes are above 0");
  structure_.lambda_names.push_back(name);
  g_scale_.push_back(size);
  return {sizes_.lambda++};
}

ConstraintOf DeclaredEquations::constraint(const std::string& name, double size) {
  if (sizes_.lambda > sizes_.g)
    throw std::invalid_argument("'" + name +
                                "': constraints of positions are declared before those of "
                                "velocities");
  ++sizes_.g;
  return velocity_constraint(name, size);
}

EventOf DeclaredEquations::event(const std::string& name, bool terminate, bool rising,
                                 bool falling) {
  structure_.switching.push_back({name, rising, falling, -1.0, terminate});
  return {sizes_.phi++};
}

void DeclaredEquations::complete() {
  const Model& model = interface_.model();
  sizes_.r = static_cast<int>(model.states.size());
  sizes_.w = static_cast<int>(model.algebraics.size());
  sizes_.u = static_cast<int>(model.inputs.size());
  sizes_.y = static_cast<int>(model.outputs.size());
  sizes_.parameters = static_cast<int>(model.parameters.size());
  if (sizes_.v == 0 && sizes_.r == 0)
    throw std::invalid_argument("the model '" + model.name +
                                "' has neither coordinates nor states");
  structure_.saddle.M = full_pattern<ColumnSparse>(sizes_.v, sizes_.v);
  structure_.saddle.G = full_pattern<RowSparse>(sizes_.lambda, sizes_.v);
  if (structure_.f_depends_on_lambda)
    structure_.saddle.F = full_pattern<ColumnSparse>(sizes_.v, sizes_.lambda);
  structure_.saddle.M_may_be_singular = sizes_.lambda > 0;
  const JacobianLayout at(sizes_);
  structure_.jacobian = full_pattern<ColumnSparse>(at.rows, at.cols);
  structure_.p_scale = vector_of(p_scale_);
  structure_.v_scale = vector_of(v_scale_);
  structure_.g_scale = vector_of(g_scale_);
  for (const auto& r : model.states) structure_.r_names.push_back(r.name);
  for (const auto& w : model.algebraics) structure_.w_names.push_back(w.name);
  for (const auto& u : model.inputs) structure_.input_names.push_back(u.name);
  for (const auto& y : model.outputs) structure_.output_names.push_back(y.name);
}

Parameters DeclaredEquations::default_parameters() const {
  const std::vector<double> values = parameter_start_values(interface_.model());
  Parameters parameters{vector_of(values), Vector::Zero(sizes_.derived)};
  derive(parameters);
  return parameters;
}

Inputs DeclaredEquations::default_inputs(const Parameters&) const {
  Inputs inputs(sizes_.u);
  for (int i = 0; i < sizes_.u; ++i)
    inputs.value[i] = interface_.model().inputs[static_cast<std::size_t>(i)].start.constant();
  return inputs;
}

State DeclaredEquations::initial(const Context& context, double t0) const {
  State x(sizes_);
  x.t = t0;
  for (int i = 0; i < sizes_.p; ++i) x.p[i] = value_of(p0_[static_cast<std::size_t>(i)], context);
  for (int i = 0; i < sizes_.v; ++i) x.v[i] = value_of(v0_[static_cast<std::size_t>(i)], context);
  const Model& model = interface_.model();
  for (int i = 0; i < sizes_.r; ++i)
    x.r[i] = model.states[static_cast<std::size_t>(i)].start.constant();
  for (int i = 0; i < sizes_.w; ++i)
    x.w[i] = model.algebraics[static_cast<std::size_t>(i)].start.constant();
  return x;
}

}  // namespace mbs
