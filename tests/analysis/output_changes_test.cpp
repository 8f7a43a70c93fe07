// The exact derivatives of outputs, for all templates in every choice of coordinates, against
// differences of the outputs along the same change; and which states and inputs act on what.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "engine/analysis/dependencies/dependencies.hpp"
#include "engine/analysis/tangent.hpp"
#include "engine/contact/modes.hpp"
#include "engine/equations/initial.hpp"
#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "engine/simulation/model_exchange_driver.hpp"

namespace mbs {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name, coordinates;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name << " " << c.coordinates;
}

// Outputs that no template has: the quantities of bushings, of belts, energies in both spaces.
constexpr const char* shown_text = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Shown" version="1">
  <input name="push" unit="N" start="3 N"/>
  <gravity g="0, 0, -9.81 m/s^2"/>
  <body name="arm" mass="2 kg" com="0.3 m, 0.1 m, 0" inertia="0.1 kg.m^2, 0.2 kg.m^2, 0.3 kg.m^2">
    <frame name="tip" pos="0.6 m, 0, 0.05 m"/></body>
  <body name="bob" mass="1 kg" inertia="0.02 kg.m^2, 0.03 kg.m^2, 0.04 kg.m^2"/>
  <revolute name="hinge" a="ground" b="arm" axis="0, 1, 0.2" q="0.4 rad" qd="0.7 rad/s" damping="0.1 N.m.s/rad"/>
  <spherical name="ball" a="arm.tip" b="bob" omega="0.3 rad/s, 0.2 rad/s, -0.5 rad/s"/>
  <spring name="line" a="ground" b="bob" stiffness="40 N/m" damping="2 N.s/m" length="0.2 m"/>
  <bushing name="rubber" a="arm" b="bob" stiffness="100 N/m, 200 N/m, 300 N/m" damping="1 N.s/m, 2 N.s/m, 3 N.s/m"
    rotational_stiffness="3 N.m/rad, 4 N.m/rad, 5 N.m/rad" rotational_damping="0.1 N.m.s/rad, 0.2 N.m.s/rad, 0.3 N.m.s/rad"/>
  <torsion_spring name="wind" joint="hinge" stiffness="7 N.m/rad" damping="0.2 N.m.s/rad"/>
  <force name="side" on="arm.tip" value="push, 0.2*push, hinge.qd*1 N.s"/>
  <output name="pull" of="line" quantity="value" component="force"/>
  <output name="stretch" of="line" quantity="value" component="elongation"/>
  <output name="all" quantity="energy"/>
  <output name="lifted" quantity="potential_energy"/>
  <output name="moving" quantity="kinetic_energy"/>
  <output name="ax" of="bob" quantity="acceleration" component="x"/>
  <output name="an" of="bob" quantity="acceleration" component="norm"/>
  <output name="alpha" of="bob" quantity="angular_acceleration" component="z" in="arm"/>
  <output name="qdd" of="hinge" quantity="qdd"/>
  <output name="fx" of="hinge" quantity="reaction" component="fx"/>
  <output name="ty" of="hinge" quantity="reaction" component="my"/>
  <output name="bn" of="ball" quantity="reaction" component="norm"/>
  <output name="rx" of="bob" quantity="orientation" component="rx"/>
  <output name="power" value="push*hinge.qd*0.1 m/rad" unit="W"/>
  <output name="height" value="(1 m)*sin(hinge.q) + (1 m.s/rad^2)*hinge.q*hinge.qd" unit="m"/>
</mbs>)xml";

Model model_of(const Case& c) {
  Diagnostics diagnostics;
  const char* templates = std::getenv("MBS_TEMPLATES");
  Model model = c.name == "shown" ? read_model_text(shown_text, "shown.mbs.xml", diagnostics)
                                  : read_model(std::string(templates ? templates : "") + "/" +
                                                   c.name + "/" + c.name + ".mbs.xml",
                                               diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  if (!c.coordinates.empty()) model.solver.coordinates = c.coordinates;
  return model;
}

std::vector<std::string> names() {
  std::vector<std::string> all{"shown"};
  const char* templates = std::getenv("MBS_TEMPLATES");
  for (const auto& entry : fs::directory_iterator(templates ? templates : "."))
    if (const std::string name = entry.path().filename().string();
        fs::exists(entry.path() / (name + ".mbs.xml")))
      all.push_back(name);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Case> cases(std::initializer_list<const char*> coordinates) {
  std::vector<Case> list;
  for (const std::string& name : names())
    for (const char* choice : coordinates) list.push_back({name, choice});
  return list;
}

// The state some way into the run; nothing where these coordinates refuse the model.
struct Point {
  std::shared_ptr<const Equations> equations;
  Parameters parameters;
  Inputs inputs;
  State x;
};
std::optional<Point> point_of(const Case& c, const Model& model) {
  Diagnostics diagnostics;
  const auto equations = assemble(model, diagnostics);
  if (!equations) {
    EXPECT_NE(diagnostics.text().find("[not-yet]"), std::string::npos) << diagnostics.text();
    return {};
  }
  std::optional<CoSimulationDriver> simulation;
  try {
    simulation.emplace(equations, solver_choice(model));
  } catch (const std::invalid_argument&) {
    SolverSettings settings = model.solver;
    settings.method = "extrapolation";
    simulation.emplace(equations, solver_choice(settings));
  }
  const double begin = model.solver.start_time;
  EXPECT_TRUE(simulation->initialise(begin).ok) << c.name;
  simulation->advance(begin + 0.02 * (model.solver.stop_time - begin));
  Parameters parameters = equations->default_parameters();
  Inputs inputs = equations->default_inputs(parameters);
  return Point{equations, parameters, inputs, simulation->state()};
}

struct Random {
  std::mt19937 engine{11};
  double operator()() { return std::uniform_real_distribution(-1.0, 1.0)(engine); }
  Vector along(Eigen::Index size, const Vector& scale) {
    return Vector::NullaryExpr(
        size, [&](Eigen::Index i) { return (*this)() * (i < scale.size() ? scale[i] : 1.0); });
  }
};

class OutputChanges : public testing::TestWithParam<Case> {};

TEST_P(OutputChanges, AreThoseOfDifferences) {
  const Model model = model_of(GetParam());
  const auto point = point_of(GetParam(), model);
  if (!point) return;
  const Equations& equations = *point->equations;
  const Sizes& n = equations.sizes();
  const Structure& known = equations.structure();
  const Context context{point->inputs, point->parameters};
  Tangent tangent(equations);
  ASSERT_TRUE(tangent.knows_outputs());
  try {
    tangent.evaluate(context, point->x);
  } catch (const std::invalid_argument& refused) {
    EXPECT_NE(std::string(refused.what()).find("too large"), std::string::npos) << refused.what();
    return;
  }
  const auto ws = equations.make_workspace();
  Random random;
  double largest = 0.0;
  for (int direction = 0; direction < 3; ++direction) {
    Variation d(n);
    // Along the constraints of Euler parameters.
    const Vector speed = random.along(n.v, known.v_scale);
    equations.position(context, point->x, want_position_all, *ws);
    equations.apply_Z(context, point->x, speed, d.p);
    d.v = random.along(n.v, known.v_scale);
    d.r = random.along(n.r, {});
    d.u = random.along(n.u, {});
    tangent.complete(d);
    Vector exact(n.y);
    tangent.outputs(context, d, exact);
    State moved = point->x;
    Inputs inputs = point->inputs;
    const auto y = [&](double by) {
      moved = point->x;
      d.move(moved, by);
      inputs.value = point->inputs.value + by * d.u;
      ws->y.setZero();
      equations.outputs({inputs, point->parameters}, moved, *ws);
      return ws->y;
    };
    const auto difference = [&](double h) -> Vector {
      const Vector a = y(h), b = y(-h), c = y(2 * h), e = y(-2 * h);
      return (8.0 * (a - b) - (c - e)) / (12.0 * h);
    };
    const Vector here = y(0.0);
    Vector fine = difference(1e-4), coarse = difference(4e-4);
    for (double h = 2.5e-5; h > 1e-7; h /= 4.0) {
      const Vector finer = difference(h);
      for (Eigen::Index i = 0; i < fine.size(); ++i)
        if (std::abs(finer[i] - fine[i]) < std::abs(fine[i] - coarse[i])) {
          coarse[i] = fine[i];
          fine[i] = finer[i];
        }
    }
    ASSERT_EQ(exact.size(), n.y);
    for (int i = 0; i < n.y; ++i) {
      const Quantity q = model.outputs[static_cast<std::size_t>(i)].what.quantity;
      if (q == Quantity::residual || q == Quantity::velocity_residual) {
        EXPECT_EQ(exact[i], 0.0);
        continue;
      }
      // Made of the multipliers of other rows there, which are the same on the constraints alone.
      if (q == Quantity::reaction && GetParam().coordinates == "mixed") continue;
      largest = std::max(largest, std::abs(exact[i]));
      const double size = 1.0 + std::abs(exact[i]) + 1e-3 * std::abs(here[i]);
      EXPECT_NEAR(exact[i], fine[i], 1e-7 * size + 3.0 * std::abs(fine[i] - coarse[i]))
          << known.output_names[static_cast<std::size_t>(i)];
      EXPECT_LT(std::abs(fine[i] - coarse[i]), 1e-5 * size) << "no difference to trust";
    }
  }
  EXPECT_GT(largest, 1e-3);
}
INSTANTIATE_TEST_SUITE_P(All, OutputChanges,
                         testing::ValuesIn(cases({"absolute", "joint", "mixed"})),
                         [](const auto& of) { return of.param.name + "_" + of.param.coordinates; });

class TracedDependencies : public testing::TestWithParam<Case> {};

// Elements that act at few of the points.
const std::set<std::string> many_points = {"railway_carriage", "sprocket_chain"};

// Rates and outputs at x and u with all contacts in one mode, as dependencies are: those
// of the motion that somebody integrates are open at most points.
class InOneMode {
 public:
  explicit InOneMode(const Point& at)
      : at_(at), ws_(at.equations->make_workspace()), solver_(at.equations->make_solver("auto")) {}

  Vector operator()(ContactMode mode, const Vector& x, const Vector& u) const {
    const Equations& equations = *at_.equations;
    const Sizes& n = equations.sizes();
    State s = at_.x;
    s.p = x.head(n.p);
    s.v = x.segment(n.p, n.v);
    s.r = x.tail(n.r);
    for (const Structure::Contact& c : equations.structure().contacts) {
      const bool cannot = (c.tangents == 0 && mode == ContactMode::slide);
      set_contact_mode(s, c, cannot ? ContactMode::stick : mode);
      if (c.direction >= 0) s.z[c.direction] = 1.0;
    }
    Inputs inputs = at_.inputs;
    inputs.value = u;
    const Context context{inputs, at_.parameters};
    const bool solved = (n.s + n.w == 0 || equations.solve_auxiliary(context, s, *ws_)) &&
                        solve_accelerations(equations, context, s, *ws_, *solver_);
    if (!solved) throw std::runtime_error("no accelerations");
    equations.force(context, s, want_f | want_b, *ws_);
    Vector all(n.p + n.v + n.r + n.y);
    all << ws_->p_dot, s.a, ws_->b, Vector::Zero(n.y);
    ws_->y.setZero();
    equations.outputs(context, s, *ws_);
    all.tail(n.y) = ws_->y;
    return all;
  }

 private:
  const Point& at_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
};

// How many entries of each model have no effect that is seen here, at most; others have none.
const std::map<std::string, int> most_without_effect = {
    {"all_terrain_vehicle", 444},
    {"andrews", 3},
    {"cable_drum", 18},
    {"four_bar", 2},
    {"gimbal", 31},
    {"knife_edge", 6},
    {"passenger_car", 292},
    {"pendulum", 7},
    {"railway_carriage", 152},
    {"rolling_disc", 29},
    {"shown", 94},
    {"sprocket_chain", 296},
    {"truck", 16},
};

// Every derivative that is not zero, found by differences of the motion that somebody else
// integrates, is declared. What is declared and not seen to act is counted, and no
// more than is recorded.
TEST_P(TracedDependencies, ContainEveryDetectedDependency) {
  const Model model = model_of(GetParam());
  const auto point = point_of(GetParam(), model);
  ASSERT_TRUE(point);
  const Equations& equations = *point->equations;
  const Sizes& n = equations.sizes();
  const Structure& known = equations.structure();
  const int states = n.p + n.v + n.r, rows = states + n.y, columns = states + n.u;
  ASSERT_LT(1.0 * rows * columns, 2e5) << "more than is looked at here";
  const auto dependencies = find_dependencies(model, equations);
  ASSERT_TRUE(dependencies);
  ASSERT_EQ(dependencies->time(), columns);
  Matrix declared = Matrix::Zero(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (const auto& [column, by_constant] :
         i < states ? dependencies->rates[static_cast<std::size_t>(i)]
                    : dependencies->outputs[static_cast<std::size_t>(i - states)])
      if (column < columns) declared(i, column) = 1.0;
  ModelExchangeDriver simulation(point->equations, solver_choice(model));
  ASSERT_TRUE(simulation.initialise(model.solver.start_time).ok);
  simulation.begin();
  const auto values = [&](const Vector& x, const Vector& u) {
    for (int i = 0; i < n.u; ++i) simulation.set_input(i, u[i]);
    simulation.set_states({x.data(), static_cast<std::size_t>(x.size())});
    Vector all(rows);
    all.head(states) = simulation.rates();
    for (int i = 0; i < n.y; ++i) all[states + i] = simulation.output(i);
    return all;
  };
  const InOneMode in_one_mode(*point);
  Random random;
  Matrix seen = Matrix::Zero(rows, columns);
  Vector scale = Vector::Ones(columns);
  if (known.p_scale.size() == n.p) scale.head(n.p) = known.p_scale;
  if (known.v_scale.size() == n.v) scale.segment(n.p, n.v) = known.v_scale;
  const int points = many_points.contains(GetParam().name) ? 40 : 3;
  for (int at = 0; at < points; ++at) {
    Vector x(states), u = point->inputs.value;
    x << point->x.p, point->x.v, point->x.r;
    simulation.set_time(point->x.t);
    if (at > 0) {  // moved it
      for (int i = 0; i < states; ++i) x[i] += 0.05 * scale[i] * random();
      State moved = point->x;
      moved.p = x.head(n.p);
      equations.normalise(moved);
      x.head(n.p) = moved.p;
      for (double& value : u) value += 0.5 * (1.0 + std::abs(value)) * random();
    }
    const auto look = [&](const auto& function) {
      for (int j = 0; j < columns; ++j) {
        Vector dx = Vector::Zero(states), du = Vector::Zero(n.u);
        (j < states ? dx[j] : du[j - states]) = 1.0;
        const double h = 1e-4 * scale[j];
        Vector column;
        try {
          column =
              (function(x + h * dx, u + h * du) - function(x - h * dx, u - h * du)) / (2.0 * h);
        } catch (const std::runtime_error&) {
          continue;
        }
        seen.col(j) = seen.col(j).cwiseMax((column * scale[j]).cwiseAbs());
      }
    };
    look(values);
    if (known.contacts.empty()) continue;
    for (const ContactMode mode : {ContactMode::stick, ContactMode::slide})
      look([&](const Vector& p, const Vector& in) { return in_one_mode(mode, p, in); });
  }
  // Differences of accelerations that are zero are rounding of the others.
  const double rounding = 1e-12 * seen.middleRows(n.p, n.v).maxCoeff();
  int declared_count = 0, without_effect = 0;
  for (int i = 0; i < rows; ++i) {
    if (i >= states) {
      const Quantity q = model.outputs[static_cast<std::size_t>(i - states)].what.quantity;
      if (q == Quantity::residual || q == Quantity::velocity_residual) continue;
    }
    const double largest = seen.row(i).lpNorm<Eigen::Infinity>();
    for (int j = 0; j < columns; ++j) {
      const bool acts = declared(i, j) != 0.0;
      const double least = i >= n.p && i < n.p + n.v ? std::max(1e-8, rounding) : 1e-8;
      if (seen(i, j) > 1e-6 * largest && seen(i, j) > least && !acts)
        ADD_FAILURE() << "row " << i << ", column " << j << ": " << seen(i, j);
      declared_count += acts;
      // Rows of rounding alone: accelerations of what stays where it is (the rings of the gimbal).
      without_effect += acts && largest > 1e-8 && seen(i, j) <= 1e-11 * largest;
    }
  }
  EXPECT_GT(declared_count, 0);
  const auto most = most_without_effect.find(GetParam().name);
  EXPECT_LE(without_effect, most == most_without_effect.end() ? 0 : most->second);
  RecordProperty("declared", declared_count);
  RecordProperty("without_effect", without_effect);
  std::printf("%s: %d declared of %d, %d not seen\n", GetParam().name.c_str(), declared_count,
              rows * columns, without_effect);
}
INSTANTIATE_TEST_SUITE_P(All, TracedDependencies, testing::ValuesIn(cases({""})),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace mbs
