// Bounds on the cost of a Jacobian by directional derivatives, counted: at a new point one Jacobian
// of the elements and one linearisation of the outputs, then no evaluation whatever; nothing at a
// point that is known; no allocation.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "engine/equations/output_derivatives.hpp"
#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/derivatives.hpp"
#include "engine/simulation/model_exchange_driver.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs {
namespace {

struct Calls {
  int force = 0, jacobian = 0, outputs = 0, linearised = 0, changes = 0;
  bool operator==(const Calls&) const = default;
};
void PrintTo(const Calls& c, std::ostream* out) {
  *out << "force " << c.force << ", jacobian " << c.jacobian << ", outputs " << c.outputs
       << ", linearised " << c.linearised << ", changes " << c.changes;
}

// Other equations, with their calls counted.
class Counted final : public Equations, public OutputDerivatives {
 public:
  explicit Counted(std::shared_ptr<const Equations> of)
      : of_(std::move(of)), derivatives_(*of_->capabilities().output_derivatives) {
    sizes_ = of_->sizes();
    structure_ = of_->structure();
  }
  mutable Calls calls;

  Capabilities capabilities() const override {
    Capabilities known = of_->capabilities();
    known.output_derivatives = this;
    return known;
  }

  std::unique_ptr<Workspace> make_workspace() const override { return of_->make_workspace(); }
  Parameters default_parameters() const override { return of_->default_parameters(); }
  Inputs default_inputs(const Parameters& p) const override { return of_->default_inputs(p); }
  std::string derive(Parameters& p) const override { return of_->derive(p); }
  State initial(const Context& g, double t0) const override { return of_->initial(g, t0); }
  void position(const Context& g, const State& x, unsigned want, Workspace& ws) const override {
    of_->position(g, x, want, ws);
  }
  void velocity(const Context& g, const State& x, Workspace& ws) const override {
    of_->velocity(g, x, ws);
  }
  void force(const Context& g, const State& x, unsigned want, Workspace& ws) const override {
    ++calls.force;
    of_->force(g, x, want, ws);
  }
  void gamma(const Context& g, const State& x, Workspace& ws) const override {
    of_->gamma(g, x, ws);
  }
  void friction(const Context& g, const State& x, Workspace& ws) const override {
    of_->friction(g, x, ws);
  }
  void residual(const Context& g, const State& x, Workspace& ws) const override {
    of_->residual(g, x, ws);
  }
  void jacobian(const Context& g, const State& x, Workspace& ws) const override {
    ++calls.jacobian;
    of_->jacobian(g, x, ws);
  }
  bool solve_auxiliary(const Context& g, State& x, Workspace& ws) const override {
    return of_->solve_auxiliary(g, x, ws);
  }
  void apply_M(const Context& g, const State& x, const Vector& v, Vector& Mx,
               Workspace& ws) const override {
    of_->apply_M(g, x, v, Mx, ws);
  }
  std::unique_ptr<SaddleSolver> make_solver(const std::string& keyword) const override {
    return of_->make_solver(keyword);
  }
  void apply_Z(const Context& g, const State& x, const Vector& v, Vector& z) const override {
    of_->apply_Z(g, x, v, z);
  }
  void initialize_memory(const Context& g, State& x, Workspace& ws) const override {
    of_->initialize_memory(g, x, ws);
  }
  void normalise(State& x) const override { of_->normalise(x); }
  void switching(const Context& g, const State& x, Workspace& ws) const override {
    of_->switching(g, x, ws);
  }
  void contact_laws(const Context& g, const State& x, Workspace& ws,
                    std::span<ContactLaw> laws) const override {
    of_->contact_laws(g, x, ws, laws);
  }
  void outputs(const Context& g, const State& x, Workspace& ws) const override {
    ++calls.outputs;
    of_->outputs(g, x, ws);
  }
  void conditions(const Context& g, const State& x, Workspace& ws) const override {
    of_->conditions(g, x, ws);
  }
  void prepare_outputs(const Context& g, const State& x, Workspace& ws) const override {
    ++calls.linearised;
    derivatives_.prepare_outputs(g, x, ws);
  }
  void output_change(const Variation& change, Eigen::Ref<Vector> dy, Workspace& ws) const override {
    ++calls.changes;
    derivatives_.output_change(change, dy, ws);
  }

 private:
  std::shared_ptr<const Equations> of_;
  const OutputDerivatives& derivatives_;
};

class DerivativeCost : public testing::TestWithParam<std::string> {};

TEST_P(DerivativeCost, IsOneLinearisationForAllColumns) {
  const char* templates = std::getenv("MBS_TEMPLATES");
  Diagnostics diagnostics;
  const Model model = read_model(
      std::string(templates ? templates : "") + "/" + GetParam() + "/" + GetParam() + ".mbs.xml",
      diagnostics);
  const auto counted = std::make_shared<Counted>(assemble(model, diagnostics));
  ASSERT_TRUE(diagnostics.ok()) << diagnostics.text();
  ModelExchangeDriver simulation(counted, solver_choice(model));
  ASSERT_TRUE(simulation.initialise(model.solver.start_time).ok);
  simulation.begin();
  ExactDerivatives derivatives(*counted);
  const int states = state_count(counted->sizes()), inputs = counted->sizes().u;
  const auto columns = [&] {
    double sum = 0.0;
    for (int k = 0; k < states + inputs; ++k)
      sum += derivatives.column(simulation.system().point(), k).sum();
    return sum;
  };
  Vector x(states);
  const std::span values(x.data(), static_cast<std::size_t>(states));
  simulation.get_states(values);
  const auto calls_of = [&](const auto& what) {
    counted->calls = {};
    what();
    return counted->calls;
  };
  const int n = states + inputs;
  columns();
  // Accelerations that depend on friction are found by iterations.
  const auto expect_once = [&](const Calls& calls) {
    const Calls wanted{calls.force, 1, 0, 1, n};
    EXPECT_EQ(calls, wanted);
    const bool iterates = counted->structure().f_depends_on_lambda || counted->sizes().s > 0;
    EXPECT_LE(calls.force, iterates ? 20 : 1);
  };
  const auto move = [&](double by) {
    x[states / 2] += by;
    simulation.set_states(values);
  };
  expect_once(calls_of([&] {
    move(1e-6);
    columns();
  }));
  EXPECT_EQ(calls_of(columns), Calls{}) << "they are kept";
  EXPECT_EQ(calls_of([&] {
              simulation.set_states(values);
              simulation.set_time(simulation.time());
              for (int i = 0; i < inputs; ++i) simulation.set_input(i, simulation.input(i));
              columns();
            }),
            Calls{})
      << "nothing has changed";
  if (inputs > 0)
    expect_once(calls_of([&] {
      simulation.set_input(0, simulation.input(0) + 0.01);
      columns();
    }));
  expect_once(calls_of([&] {
    simulation.set_time(simulation.time() + 1e-6);
    columns();
  }));
  // Some columns share a solution; which of them they share it with, as importers ask in whatever
  // order, changes no bit.
  Matrix forwards(states + counted->sizes().y, n), backwards = forwards;
  for (int k = 0; k < n; ++k) forwards.col(k) = derivatives.column(simulation.system().point(), k);
  const Vector here = x;
  move(1e-6);
  columns();
  x = here;
  simulation.set_states(values);
  for (int k = n; k-- > 0;) backwards.col(k) = derivatives.column(simulation.system().point(), k);
  EXPECT_EQ(forwards, backwards);
  if (!test::allocations_are_counted) return;
  for (const double by : {-1e-6, 1e-6}) {
    move(by);
    EXPECT_EQ(test::allocations_in(columns), 0);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  const char* templates = std::getenv("MBS_TEMPLATES");
  for (const auto& entry : std::filesystem::directory_iterator(templates ? templates : "."))
    if (const std::string name = entry.path().filename().string();
        std::filesystem::exists(entry.path() / (name + ".mbs.xml")))
      all.push_back(name);
  std::sort(all.begin(), all.end());
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, DerivativeCost, testing::ValuesIn(names()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace mbs
