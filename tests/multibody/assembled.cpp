#include "tests/multibody/assembled.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "engine/contact/modes.hpp"
#include "engine/multibody/assemble.hpp"

namespace mbs::test {

void Assembled::assemble_model(Diagnostics& diagnostics) {
  if (diagnostics.ok()) equations = assemble(model, diagnostics);
  if (!equations) throw std::runtime_error(diagnostics.text());
  parameters = equations->default_parameters();
  inputs = equations->default_inputs(parameters);
  ws = equations->make_workspace();
}

Assembled::Assembled(const std::string& text, const std::string& coordinates) {
  Diagnostics diagnostics;
  model = read_model_text(text, "test.mbs.xml", diagnostics);
  model.solver.coordinates = coordinates;
  assemble_model(diagnostics);
}

Assembled Assembled::from_file(const std::string& path) {
  Assembled result;
  Diagnostics diagnostics;
  result.model = read_model(path, diagnostics);
  result.model.solver.coordinates = "absolute";
  result.assemble_model(diagnostics);
  return result;
}

State Assembled::start() const {
  State x = equations->initial(context(), 0.0);
  const InitialReport report = make_consistent(*equations, context(), x);
  if (!report.ok) throw std::runtime_error(report.text());
  return x;
}

void Assembled::solve(State& x) const {
  const auto solver = equations->make_solver("dense");
  ASSERT_TRUE(solve_accelerations(*equations, context(), x, *ws, *solver));
}

namespace {

int index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::runtime_error("no '" + name + "'");
  return static_cast<int>(found - names.begin());
}

}  // namespace

double Assembled::output(const State& x, const std::string& name) const {
  equations->outputs(context(), x, *ws);
  return ws->y[index_of(equations->structure().output_names, name)];
}

int Assembled::p(const std::string& name) const {
  return index_of(equations->structure().p_names, name);
}
int Assembled::v(const std::string& name) const {
  return index_of(equations->structure().v_names, name);
}
int Assembled::lambda(const std::string& joint) const {
  return index_of(equations->structure().lambda_names, joint);
}

void Assembled::set(const std::string& parameter, double value) {
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    if (model.parameters[i].name == parameter) parameters.values[i] = value;
  }
  ASSERT_EQ(equations->derive(parameters), "");
}

std::string errors_of(const std::string& text) {
  Diagnostics diagnostics;
  const Model model = read_model_text(text, "test.mbs.xml", diagnostics);
  if (diagnostics.ok()) {
    EXPECT_EQ(assemble(model, diagnostics), nullptr);
    EXPECT_FALSE(diagnostics.ok());
  }
  return diagnostics.text();
}

std::string planar(const std::string& lines) {
  return "<mbs name=\"M\" version=\"1\" planar=\"xy\">\n" + lines + "\n</mbs>";
}

std::string spatial(const std::string& lines) {
  return "<mbs name=\"M\" version=\"1\">\n" + lines + "\n</mbs>";
}

State random_state(const Equations& equations, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  State x(equations.sizes());
  x.t = 0.3;
  for (Vector* part : {&x.p, &x.v, &x.r, &x.w, &x.z, &x.a, &x.lambda, &x.s}) {
    for (double& value : *part) value = -1.0 + 2.0 * (static_cast<double>(random()) / 4294967296.0);
  }
  equations.normalise(x);
  return x;
}

Matrix difference_jacobian(const Equations& equations, const Context& context, const State& x) {
  const Sizes& n = equations.sizes();
  const JacobianLayout at(n);
  const auto ws = equations.make_workspace();
  Matrix J(at.rows, at.cols);
  const auto residual = [&](int column, double step) {
    State moved = x;
    Inputs inputs = context.inputs;
    int i = column;
    for (Vector* part :
         {&moved.p, &moved.v, &moved.r, &moved.w, &moved.s, &moved.lambda, &inputs.value}) {
      if (i >= 0 && i < part->size()) (*part)[i] += step;
      i -= static_cast<int>(part->size());
    }
    equations.residual({inputs, context.parameters}, moved, *ws);
    return Vector(ws->residual);
  };
  const auto central = [&](int column, double h) {
    return Vector((residual(column, h) - residual(column, -h)) / (2.0 * h));
  };
  for (int column = 0; column < at.cols; ++column) {
    constexpr double h = 1e-3;
    J.col(column) =
        (64.0 * central(column, h / 4) - 20.0 * central(column, h / 2) + central(column, h)) / 45.0;
  }
  return J;
}

namespace {

// df/dlambda with w on 0 = d, by central differences with one Richardson step.
Matrix difference_friction(const Assembled& model, const State& x) {
  const auto ws = model->make_workspace();
  const auto f = [&](int j, double step) {
    State moved = x;
    moved.lambda[j] += step;
    EXPECT_TRUE(model->solve_auxiliary(model.context(), moved, *ws));
    model->position(model.context(), moved, want_position_all, *ws);
    model->velocity(model.context(), moved, *ws);
    model->force(model.context(), moved, want_f, *ws);
    return Vector(ws->f);
  };
  const auto central = [&](int j, double h) { return Vector((f(j, h) - f(j, -h)) / (2.0 * h)); };
  constexpr double h = 1e-3;
  Matrix F(model->sizes().v, model->sizes().lambda);
  for (int j = 0; j < F.cols(); ++j) F.col(j) = (4.0 * central(j, h / 2) - central(j, h)) / 3.0;
  return F;
}

}  // namespace

void expect_exact_friction(const Assembled& model, State x) {
  ASSERT_TRUE(model->solve_auxiliary(model.context(), x, *model.ws));
  const Matrix F = difference_friction(model, x);
  model->position(model.context(), x, want_position_all, *model.ws);
  model->velocity(model.context(), x, *model.ws);
  model->force(model.context(), x, want_f, *model.ws);
  if (!model->structure().f_depends_on_lambda) {
    EXPECT_EQ(F.size() == 0 ? 0.0 : F.cwiseAbs().maxCoeff(), 0.0);
    return;
  }
  model->friction(model.context(), x, *model.ws);
  EXPECT_EQ(model.ws->F.nonZeros(), model->structure().saddle.F.nonZeros());
  const double error = (Matrix(model.ws->F) - F).cwiseAbs().maxCoeff();
  EXPECT_LT(error, 1e-8 * (1.0 + F.cwiseAbs().maxCoeff()));
  const auto slides = [](int mode) { return friction_is_force(static_cast<ContactMode>(mode)); };
  if (x.modes.empty() || std::any_of(x.modes.begin(), x.modes.end(), slides)) {
    EXPECT_GT(F.cwiseAbs().maxCoeff(), 0.0);
  }
}

void expect_exact_derivatives(const Assembled& model, const State& at_random, double tolerance) {
  const Sizes& n = model->sizes();
  const JacobianLayout at(n);
  model->jacobian(model.context(), at_random, *model.ws);
  Matrix J = model.ws->jacobian;
  const Matrix D = difference_jacobian(*model, model.context(), at_random);
  ASSERT_TRUE(J.allFinite());
  const Vector row_size = D.rowwise().lpNorm<Eigen::Infinity>();
  for (int i = 0; i < at.rows; ++i) {
    for (int j = 0; j < at.cols; ++j) {
      EXPECT_NEAR(J(i, j), D(i, j), tolerance * (1.0 + row_size[i]))
          << "row " << i << " column " << j;
    }
  }
  if (n.lambda == 0) return;
  // With contact points G and gamma are total derivatives, because s moves on 0 = c.
  State x = at_random;
  Matrix s_p = Matrix::Zero(n.s, n.p);
  if (n.s > 0) {
    ASSERT_TRUE(model->solve_auxiliary(model.context(), x, *model.ws));
    model->jacobian(model.context(), x, *model.ws);
    J = model.ws->jacobian;
    s_p =
        -J.block(at.s, at.col_s, n.s, n.s).partialPivLu().solve(J.block(at.s, at.col_p, n.s, n.p));
  }
  const auto by_position = [&](int row, int count) {
    return Matrix(J.block(row, at.col_p, count, n.p) + J.block(row, at.col_s, count, n.s) * s_p);
  };
  // G = g_p Z, column by column; gamma = (G v)_p Z v.
  model->position(model.context(), x, want_position_all, *model.ws);
  model->velocity(model.context(), x, *model.ws);
  model->gamma(model.context(), x, *model.ws);
  Matrix Z(n.p, n.v);
  Vector column(n.p);
  for (int k = 0; k < n.v; ++k) {
    model->apply_Z(model.context(), x, Vector::Unit(n.v, k), column);
    Z.col(k) = column;
  }
  const Matrix G = model.ws->G;
  const Vector p_dot = Z * x.v;
  EXPECT_LT((p_dot - model.ws->p_dot).lpNorm<Eigen::Infinity>(), 1e-14);
  if (n.g > 0) {
    EXPECT_LT((G.topRows(n.g) - by_position(at.position, n.g) * Z).lpNorm<Eigen::Infinity>(),
              1e-13);
  }
  // Differences give the explicit dependence on time: g_t, and that of the velocity constraints.
  const Vector gI = model.ws->gI, found = model.ws->gamma;
  const auto after = [&](double step) {
    State moved = x;
    moved.t += step;
    model->position(model.context(), moved, want_position_all, *model.ws);
    model->velocity(model.context(), moved, *model.ws);
    Vector both(n.g + n.lambda);
    both << model.ws->g, model.ws->G_v;
    return both;
  };
  const auto rate = [&](double h) { return Vector((after(h) - after(-h)) / (2.0 * h)); };
  constexpr double h = 1e-3;
  const Vector by_time = (64.0 * rate(h / 4) - 20.0 * rate(h / 2) + rate(h)) / 45.0;
  if (n.g > 0) {
    EXPECT_LT((gI.head(n.g) - by_time.head(n.g)).lpNorm<Eigen::Infinity>(), 1e-9);
  }
  const Vector gamma = by_position(at.velocity, n.lambda) * p_dot;
  const double accuracy = by_time.isZero() ? 1e-12 : 1e-9 * (1.0 + found.lpNorm<Eigen::Infinity>());
  EXPECT_LT((gamma + by_time.tail(n.lambda) - found).lpNorm<Eigen::Infinity>(), accuracy);
}

}  // namespace mbs::test
