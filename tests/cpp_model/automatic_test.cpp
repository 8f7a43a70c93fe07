// C++ models: what forward differentiation and differences give, against formulas by hand.

#include "engine/cpp_model/automatic.hpp"

#include <gtest/gtest.h>

#include "engine/analysis/tangent.hpp"
#include "engine/cpp_model/exact_outputs.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/derivatives.hpp"
#include "engine/simulation/model_exchange_driver.hpp"
#include "fmu_src/cpp_model.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs {
namespace {

// A skate on a plane that follows a driven line in y: polar speeds, so that Z is not 1, with one
// constraint of each kind, a state and an auxiliary unknown.
//
//   p = (x, y, th), v = (along, across, turn)    x' = along cos th - across sin th, ...
//   0 = y - u(t) - A sin t                       0 = across - c turn x
//   0 = w^3 + w - x                              r' = -r + w
template <class Derived>
struct SkateBase : Automatic<Derived> {
  using Base = Automatic<Derived>;
  using typename Base::Constraint, typename Base::Unknown, typename Base::FirstOrder;
  using typename Base::Coordinate, typename Base::Input, typename Base::Parameter;
  SkateBase() : Base("Skate") {}
  Parameter m = this->parameter("m", 2.0, "kg");
  Parameter A = this->parameter("A", 0.3, "m");
  Parameter c = this->parameter("c", 0.7, "1");
  Input u = this->input("u", 0.0, "m");
  Coordinate x = this->position_coordinate("x", 0.4), y = this->position_coordinate("y", 0.1);
  Coordinate th = this->position_coordinate("th", 0.5);
  Coordinate along = this->speed("along", 1.2), across = this->speed("across", 0.1);
  Coordinate turn = this->speed("turn", -0.8);
  Constraint line = this->constraint("line"), skate = this->velocity_constraint("skate");
  FirstOrder r = this->state("r", 0.2, "m");
  Unknown w = this->unknown("w", 0.0, "m");
};

struct Exact : SkateBase<Exact> {
  void mass(const auto& at, auto& M) const {
    M(along, along) = M(across, across) = at[m];
    M(turn, turn) = 0.5 + at[x] * at[x];
  }
  void forces(const auto& at, auto& f) const {
    f[along] = at[w] - at.rate(along) * exp(at[x]);
    f[turn] = sin(at[th]) * at[r] - at[line] * 0.1;
  }
  void kinematics(const auto& at, auto& z) const {
    z[x] = at.rate(along) * cos(at[th]) - at.rate(across) * sin(at[th]);
    z[y] = at.rate(along) * sin(at[th]) + at.rate(across) * cos(at[th]);
    z[th] = at.rate(turn);
  }
  void constraints(const auto& at, auto& g) const { g[line] = at[y] - at[u] - at[A] * sin(at.t); }
  void velocity_constraints(const auto& at, auto& h) const {
    h[skate] = at.rate(across) - at[c] * at.rate(turn) * at[x];
  }
  void rates(const auto& at, auto& b) const { b[r] = at[w] - at[r]; }
  void residuals(const auto& at, auto& d) const { d[w] = at[w] * at[w] * at[w] + at[w] - at[x]; }
};

// The functions of Exact over double alone.
struct Plain : SkateBase<Plain> {
  Exact same;
  void mass(const At<double>& at, Symmetric<double>& M) const { same.mass(at, M); }
  void forces(const At<double>& at, Values<double>& f) const { same.forces(at, f); }
  void kinematics(const At<double>& at, PositionRates<double>& z) const { same.kinematics(at, z); }
  void constraints(const At<double>& at, Values<double>& g) const { same.constraints(at, g); }
  void velocity_constraints(const At<double>& at, Values<double>& h) const {
    same.velocity_constraints(at, h);
  }
  void rates(const At<double>& at, Values<double>& b) const { same.rates(at, b); }
  void residuals(const At<double>& at, Values<double>& d) const { same.residuals(at, d); }
};

template <class Model>
struct Evaluated {
  CppModel model = make_cpp_model<Model>();
  const Equations& equations = *model.equations;
  Parameters parameters = equations.default_parameters();
  Inputs inputs = equations.default_inputs(parameters);
  Context context{inputs, parameters};
  State x;
  std::unique_ptr<Workspace> ws = equations.make_workspace();

  Evaluated() {
    inputs.t0 = 0.5;
    inputs.value[0] = 0.1;
    inputs.first[0] = -0.4;
    inputs.second[0] = 1.5;
    x = equations.initial(context, 0.9);
    x.a << 0.3, -0.2, 0.6;
    x.lambda << 1.1, -0.7;
    x.w[0] = 0.35;
    equations.residual(context, x, *ws);
  }
};

// By hand: y' = along s + across c, y'' at a = 0: turn (along c - across s).
template <class Model>
void expect_formulas(const Evaluated<Model>& at, double first, double second) {
  const double s = std::sin(0.5), c = std::cos(0.5), t = 0.9, dt = 0.4;
  const double x_dot = 1.2 * c - 0.1 * s;
  const Matrix G = at.ws->G;
  const Matrix expected{{s, c, 0.0}, {0.0, 1.0, -0.7 * 0.4}};
  EXPECT_LT((G - expected).cwiseAbs().maxCoeff(), first);
  EXPECT_NEAR(at.ws->gI[0], -(-0.4 + dt * 1.5) - 0.3 * std::cos(t), first);
  EXPECT_NEAR(at.ws->gI[1], 0.0, first);
  EXPECT_NEAR(at.ws->gamma[0], -0.8 * x_dot - 1.5 + 0.3 * std::sin(t), second);
  EXPECT_NEAR(at.ws->gamma[1], -0.7 * -0.8 * x_dot, second);
}

TEST(CppModels, ForwardDifferentiationEqualsFormulas) {
  expect_formulas(Evaluated<Exact>(), 1e-15, 1e-14);
}

TEST(CppModels, DifferencesHaveTheAccuracyStated) {
  expect_formulas(Evaluated<Plain>(), 1e-12, 1e-10);
}

TEST(CppModels, JacobianEqualsCentralDifferencesOfResiduals) {
  Evaluated<Exact> at;
  at.equations.jacobian(at.context, at.x, *at.ws);
  const Matrix J = at.ws->jacobian;
  const JacobianLayout layout(at.equations.sizes());
  int column = 0;
  for (Vector* block : {&at.x.p, &at.x.v, &at.x.r, &at.x.w, &at.x.lambda, &at.inputs.value})
    for (double& entry : *block) {
      const double kept = entry, h = 1e-5;
      entry = kept + h;
      at.equations.residual(at.context, at.x, *at.ws);
      Vector difference = at.ws->residual;
      entry = kept - h;
      at.equations.residual(at.context, at.x, *at.ws);
      difference = (difference - at.ws->residual) / (2.0 * h);
      entry = kept;
      EXPECT_LT((J.col(column) - difference).cwiseAbs().maxCoeff(), 1e-9) << column;
      ++column;
    }
  EXPECT_EQ(column, layout.cols);
}

TEST(CppModels, AuxiliaryUnknownsAreSolved) {
  Evaluated<Exact> exact;
  Evaluated<Plain> plain;
  ASSERT_TRUE(exact.equations.solve_auxiliary(exact.context, exact.x, *exact.ws));
  ASSERT_TRUE(plain.equations.solve_auxiliary(plain.context, plain.x, *plain.ws));
  const double w = exact.x.w[0];
  EXPECT_NEAR(w * w * w + w, 0.4, 1e-15);
  EXPECT_NEAR(plain.x.w[0], w, 1e-14);
}

TEST(CppModels, StagesAllocateNothing) {
  if (!test::allocations_are_counted) GTEST_SKIP() << "not counted under a sanitizer";
  Evaluated<Exact> at;
  at.equations.jacobian(at.context, at.x, *at.ws);
  at.equations.solve_auxiliary(at.context, at.x, *at.ws);
  const long before = test::allocations();
  at.equations.residual(at.context, at.x, *at.ws);
  at.equations.jacobian(at.context, at.x, *at.ws);
  at.equations.solve_auxiliary(at.context, at.x, *at.ws);
  EXPECT_EQ(test::allocations(), before);
}

TEST(CppModels, DeclarationsAreChecked) {
  Interface face;
  face.parameter("a", 1.0, "N/m");
  EXPECT_THROW(face.input("a", 0.0, "N"), std::invalid_argument);
  EXPECT_THROW(face.input("2b", 0.0, "N"), std::invalid_argument);
  EXPECT_THROW(face.output("c", "parsecs"), std::invalid_argument);
  EXPECT_THROW(face.parameter("d", NAN, "m"), std::invalid_argument);
  EXPECT_THROW(face.parameter("time", 1.0, "s"), std::invalid_argument);
}

// Outputs of everything there is.
template <class Derived>
struct MixerBase : Automatic<Derived> {
  MixerBase() : Automatic<Derived>("Mixer") {}
  typename Automatic<Derived>::Input u = this->input("u", 0.7, "N");
  typename Automatic<Derived>::Coordinate x = this->coordinate("x", 0.4, 1.1);
  typename Automatic<Derived>::FirstOrder r = this->state("r", 0.2, "1");
  typename Automatic<Derived>::Unknown w = this->unknown("w", 0.3, "1");
  typename Automatic<Derived>::Output mixed = this->output("mixed", "1");
  typename Automatic<Derived>::Output power = this->output("power", "1");

  void mass(const auto& at, auto& M) const { M(x, x) = 2.0 + at[x] * at[x]; }
  void forces(const auto& at, auto& f) const { f[x] = at[u] - at[w] * at.rate(x); }
  void rates(const auto& at, auto& b) const { b[r] = at[w] - at[r]; }
  void residuals(const auto& at, auto& d) const { d[w] = at[w] * at[w] * at[w] + at[w] - at[x]; }
  void outputs(const auto& at, auto& y) const {
    y[mixed] = at[x] * at[u] + at[r] * exp(at[w]);
    y[power] = at.acceleration(x) * at.rate(x);
  }
};
struct Mixer : MixerBase<Mixer> {};
struct ExactMixer : MixerBase<ExactMixer>, ExactOutputs<ExactMixer> {};

// Along a change of all states and inputs, of which everything else follows.
void expect_output_derivatives(std::shared_ptr<const Equations> equations,
                               const SolverChoice& solver, double tolerance) {
  ModelExchangeDriver simulation(equations, solver);
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  simulation.begin();
  const Sizes& n = equations->sizes();
  const int states = state_count(n);
  ExactDerivatives derivatives(*equations);
  Vector x(states);
  const std::span values(x.data(), static_cast<std::size_t>(states));
  simulation.get_states(values);
  for (int k = 0; k < states + n.u; ++k) {
    const Vector exact = derivatives.column(simulation.system().point(), k).tail(n.y);
    Vector difference = Vector::Zero(n.y);
    const double h = 1e-3, input = k < states ? 0.0 : simulation.input(k - states);
    for (const auto& [by, weight] : {std::pair{h, 8.0}, {-h, -8.0}, {2 * h, -1.0}, {-2 * h, 1.0}}) {
      if (k < states) x[k] += by;
      simulation.set_states(values);
      if (k >= states) simulation.set_input(k - states, input + by);
      for (int i = 0; i < n.y; ++i) difference[i] += weight / (12.0 * h) * simulation.output(i);
      if (k < states) x[k] -= by;
    }
    simulation.set_states(values);
    if (k >= states) simulation.set_input(k - states, input);
    for (int i = 0; i < n.y; ++i)
      EXPECT_NEAR(exact[i], difference[i], tolerance * (1.0 + std::abs(exact[i])))
          << "output " << i << " by " << k;
  }
}

TEST(CppModels, DerivativesOfOutputsAreExact) {
  const auto solver = [](const CppModel& model) {
    return solver_choice(model.interface.model().solver);
  };
  const CppModel crane = cpp_model(), exact = make_cpp_model<ExactMixer>(),
                 plain = make_cpp_model<Mixer>();
  EXPECT_TRUE(Tangent(*crane.equations).knows_outputs());
  EXPECT_TRUE(Tangent(*exact.equations).knows_outputs());
  EXPECT_FALSE(Tangent(*plain.equations).knows_outputs());
  expect_output_derivatives(crane.equations, solver(crane), 1e-8);
  expect_output_derivatives(exact.equations, solver(exact), 1e-8);
  expect_output_derivatives(plain.equations, solver(plain), 1e-8);
}

// The template: its energy is constant without damping, its variables say what acts on what.
TEST(CppModels, CraneKeepsItsEnergy) {
  const CppModel crane = cpp_model();
  CoSimulationDriver simulation(crane.equations, solver_choice(crane.interface.model().solver));
  simulation.system().parameters().set(4, 0.0);
  ASSERT_TRUE(simulation.initialise(0.0).ok);
  Parameters parameters = crane.equations->default_parameters();
  const Inputs inputs = crane.equations->default_inputs(parameters);
  const auto ws = crane.equations->make_workspace();
  const auto energy = [&] {
    const auto e = crane.equations->energy({inputs, parameters}, simulation.state(), *ws);
    return e.kinetic + e.potential;
  };
  const double before = energy();
  simulation.advance(5.0);
  EXPECT_NEAR(energy(), before, 1e-4);  // of 500 kg at 5 m
  EXPECT_GT(std::abs(simulation.output(0)), 1e-3);
}

TEST(CppModels, VariablesOfTheCrane) {
  const auto packed = packed_cpp_model();
  const auto& list = packed->variables.variables;
  const auto find = [&](const std::string& name) {
    return *std::find_if(list.begin(), list.end(),
                         [&](const Variable& v) { return v.name == name; });
  };
  EXPECT_TRUE(find("swing").dependencies.empty());
  EXPECT_EQ(find("pull").dependencies, std::vector<std::uint32_t>{find("F").reference});
  EXPECT_EQ(find("d").variability, Change::tunable);
  EXPECT_EQ(find("pull").unit, "N");
  EXPECT_EQ(find("pull").display->name, "kN");
}

}  // namespace
}  // namespace mbs
