// Compares each mechanism in every choice of coordinates: outputs, reactions and energies agree at
// the start and in motion, with every integrator, whatever the equations are made of.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/multibody/assembled.hpp"
#include "tests/multibody/tree_models.hpp"

namespace mbs::test {
namespace {

struct Choice {
  std::string coordinates, method;
  double tolerance = 1e-10;
};

struct Case {
  std::string name, text;  // a template's name, or a model
  double end;              // 0: its own
  double tolerance = 1e-7;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

Model model_of(const Case& c, const std::string& coordinates) {
  Diagnostics diagnostics;
  Model model =
      c.text.empty()
          ? read_model(std::string(MBS_TEMPLATES) + "/" + c.name + "/" + c.name + ".mbs.xml",
                       diagnostics)
          : read_model_text(c.text, "test.mbs.xml", diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  model.solver.coordinates = coordinates;
  return model;
}

// Adds to the outputs of the model: the motion of every body, the reaction of every joint,
// energies.
void show_everything(Model& model) {
  int count = 0;
  const auto add = [&](Measure what) {
    Output output;
    output.name = "every" + std::to_string(++count);
    output.what = what;
    model.outputs.push_back(output);
  };
  const auto components = [&](Measure what, std::vector<int> of) {
    for (const int component : of) {
      what.component = component;
      add(what);
    }
  };
  const std::vector<int> linear = model.planar ? std::vector{0, 1} : std::vector{0, 1, 2};
  const std::vector<int> angular = model.planar ? std::vector{2} : std::vector{0, 1, 2};
  for (const Quantity energy :
       {Quantity::kinetic_energy, Quantity::potential_energy, Quantity::energy}) {
    Measure what;
    what.quantity = energy;
    add(what);
  }
  for (const Body& body : model.bodies) {
    Measure what;
    what.frame = body.origin;
    for (const Quantity q : {Quantity::position, Quantity::velocity, Quantity::acceleration}) {
      what.quantity = q;
      components(what, linear);
    }
    if (model.elements[static_cast<std::size_t>(body.element)].tag->name == "particle") continue;
    for (const Quantity q : {Quantity::angular_velocity, Quantity::angular_acceleration}) {
      what.quantity = q;
      components(what, angular);
    }
  }
  for (std::size_t i = 0; i < model.elements.size(); ++i) {
    const TagSchema& tag = *model.elements[i].tag;
    const bool couples = tag.name == "coupling" || tag.name == "gear" || tag.name == "rack";
    if (tag.role != TagRole::joint || couples) continue;
    Measure what;
    what.quantity = Quantity::reaction;
    what.element = static_cast<int>(i);
    components(what, linear);
    components(what, model.planar ? std::vector{5} : std::vector{3, 4, 5});
  }
}

// Combinations that the product refuses, and why: none at present. A refusal that does not stand
// here fails.
const std::map<std::string, std::string> refusals = {};

struct Shown {
  std::vector<std::string> names;
  Vector start, end;
  Vector size;  // 1 and the largest of its kind, of the model's own outputs their own
  std::vector<char> compared;
};

// Nothing: refused as expected.
std::optional<Shown> shown(const Case& c, const Choice& choice) {
  Model model = model_of(c, choice.coordinates);
  model.solver.method = choice.method;
  model.solver.rtol = model.solver.atol = choice.tolerance;
  const auto own = static_cast<int>(model.outputs.size());
  show_everything(model);
  const auto expected = refusals.find(c.name + " " + choice.coordinates + " " + choice.method);
  const auto refused = [&](const std::string& why) {
    const bool known =
        expected != refusals.end() && why.find(expected->second) != std::string::npos;
    EXPECT_TRUE(known) << "refused: " << why;
  };
  Diagnostics diagnostics;
  const auto equations = assemble(model, diagnostics);
  if (!equations) {
    refused(diagnostics.text());
    return {};
  }
  std::optional<CoSimulationDriver> made;
  try {
    made.emplace(equations, solver_choice(model.solver));
  } catch (const std::invalid_argument& error) {
    refused(error.what());
    return {};
  }
  EXPECT_EQ(expected, refusals.end()) << "is treated, though it stands among the refused";
  CoSimulationDriver& simulation = *made;
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.text();
  Shown result;
  result.names = equations->structure().output_names;
  const int n = equations->sizes().y;
  const auto look = [&](Vector& y) {
    y.resize(n);
    for (int i = 0; i < n; ++i) y[i] = simulation.output(i);
  };
  look(result.start);
  simulation.advance(c.end > 0.0 ? c.end : model.solver.stop_time);
  look(result.end);
  std::map<std::pair<Quantity, bool>, double> largest;
  const auto kind = [&](int i) -> double& {
    const Measure& what = model.outputs[static_cast<std::size_t>(i)].what;
    return largest[{what.quantity, what.component < 3}];
  };
  const Vector both = result.start.cwiseAbs().cwiseMax(result.end.cwiseAbs());
  for (int i = own; i < n; ++i) kind(i) = std::max(kind(i), both[i]);
  result.size = both.array() + 1.0;
  for (int i = own; i < n; ++i) result.size[i] = 1.0 + kind(i);
  result.compared.assign(static_cast<std::size_t>(n), 1);
  for (const auto& one : equations->structure().statistic_outputs) {
    result.compared[static_cast<std::size_t>(one.output)] = 0;
  }
  for (int i = 0; i < n; ++i) {
    const Quantity q = model.outputs[static_cast<std::size_t>(i)].what.quantity;
    if (q == Quantity::residual || q == Quantity::velocity_residual) {
      result.compared[static_cast<std::size_t>(i)] = 0;
      EXPECT_LT(result.end[i], 1e-6) << result.names[static_cast<std::size_t>(i)];
    }
  }
  return result;
}

void expect_equal(const Shown& a, const Shown& b, double tolerance) {
  ASSERT_EQ(a.names, b.names);
  for (Eigen::Index i = 0; i < a.start.size(); ++i) {
    if (!a.compared[static_cast<std::size_t>(i)]) continue;
    const auto& name = a.names[static_cast<std::size_t>(i)];
    EXPECT_NEAR(a.start[i], b.start[i], 1e-8 * a.size[i]) << name << " at the start";
    EXPECT_NEAR(a.end[i], b.end[i], tolerance * a.size[i]) << name << " at the end";
  }
}

class Coordinates : public testing::TestWithParam<Case> {};

TEST_P(Coordinates, GiveTheSameMotion) {
  const Case& c = GetParam();
  const auto reference = shown(c, {"absolute", "extrapolation"});
  ASSERT_TRUE(reference);
  ASSERT_GT(reference->start.size(), 0);
  for (const char* coordinates : {"joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    const auto other = shown(c, {coordinates, "extrapolation"});
    if (other) expect_equal(*reference, *other, c.tolerance);
  }
}

// Every template there is. A new one is compared over a twentieth of a second, or what is said
// here.
std::vector<Case> cases() {
  const std::map<std::string, Case> known = {{"andrews", {{}, {}, 0.004, 1e-6}},
                                             {"cable_drum", {{}, {}, 1.0}},
                                             {"double_pendulum", {{}, {}, 1.0}},
                                             {"insulator_chain", {{}, {}, 0.01, 1e-6}},
                                             {"pendulum", {{}, {}, 1.0}},
                                             {"slider_crank", {{}, {}, 0.2}},
                                             {"passenger_car", {{}, {}, 0.01, 1e-4}},
                                             {"sprocket_chain", {{}, {}, 0.0016, 1e-4}},
                                             {"truck", {{}, {}, 0.3, 1e-5}}};
  std::vector<Case> all;
  for (const auto& folder : std::filesystem::directory_iterator(MBS_TEMPLATES)) {
    const std::string name = folder.path().filename().string();
    if (!std::filesystem::exists(folder.path() / (name + ".mbs.xml"))) continue;  // C++ models
    const auto found = known.find(name);
    Case one = found != known.end() ? found->second : Case{{}, {}, 0.05, 1e-5};
    one.name = name;
    all.push_back(one);
  }
  std::sort(all.begin(), all.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  for (const TreeModel& model : tree_models()) {
    if (model.end > 0.0) all.push_back({model.name, model.text, model.end});
  }
  return all;
}

const auto name_of = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Every, Coordinates, testing::ValuesIn(cases()), name_of);

// The end is where the motion has gone on for a while; multipliers are what methods know least.
class Integrators : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Integrators, TreatAllCoordinates) {
  const auto [method, coordinates] = GetParam();
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Case shorter{c.name, c.text, c.end / 4.0, c.tolerance};
    const auto reference = shown(shorter, {"absolute", "extrapolation"});
    ASSERT_TRUE(reference);
    const bool loose = std::string(method) == "bdf";
    const auto other = shown(shorter, {coordinates, method, 1e-9});
    if (other) expect_equal(*reference, *other, loose ? 1e-3 : 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Integrators,
                         testing::Combine(testing::Values("midpoint", "radau", "bdf", "reduction"),
                                          testing::Values("absolute", "joint", "mixed")),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) + "_" +
                                  std::get<1>(tested.param);
                         });

// A chain of hinges in the plane, closed or not, with what is said about its coordinates.
TEST(Auto, ChoosesByTopologyAndMethod) {
  const auto choice = [](int n, bool closed, const std::string& method) {
    std::string text;
    for (int i = 0; i < n; ++i) {
      const std::string k = std::to_string(i);
      text += "<body name='b" + k + "' mass='1' inertia='1'><frame name='f' pos='1, 0'/></body>" +
              "<revolute name='j" + k + "' a='" +
              (i == 0 ? "ground" : "b" + std::to_string(i - 1) + ".f") + "' b='b" + k + "'/>";
    }
    if (closed) text += "<revolute name='close' a='ground' b='b" + std::to_string(n - 1) + ".f'/>";
    Diagnostics diagnostics;
    Model model = read_model_text(planar(text), "test.mbs.xml", diagnostics);
    model.solver.method = method;
    std::string said;
    EXPECT_TRUE(assemble(model, diagnostics, &said)) << diagnostics.text();
    return said;
  };
  EXPECT_EQ(choice(2, false, "auto"), "absolute, auto: few bodies");
  EXPECT_EQ(choice(3, false, "auto"), "joint, auto: 3 joint coordinates for 3 bodies, no loops");
  EXPECT_EQ(choice(60, false, "radau"),
            "joint, auto: 60 joint coordinates for 60 bodies, no loops");
  EXPECT_EQ(choice(61, false, "bdf"),
            "absolute, auto: 61 joint coordinates for 61 bodies, whose Jacobian would be full");
  for (const int n : {2, 25}) {
    const std::string count = std::to_string(n);
    for (const char* method : {"extrapolation", "radau"}) {
      EXPECT_EQ(choice(n, true, method), "joint, auto: " + count + " joint coordinates for " +
                                             count +
                                             " bodies, few rows of loops, couplings and drives: 2");
    }
  }
}

// Light limbs on a trunk that falls freely: gravity turns nothing, whatever the step. With M and f
// of different positions it would, and 533 steps were needed instead of 7.
TEST(FreeFall, TakesNoMoreStepsInJointCoordinates) {
  const std::string text = spatial(R"xml(<gravity g="0, 0, -9.81"/>
    <body name="trunk" mass="2" inertia="0.02, 0.03, 0.04"><frame name="hip" pos="0.1, 0, 0"/></body>
    <body name="leg" mass="0.1" com="0, 0, -0.02" inertia="2e-5, 2e-5, 1e-5">
      <frame name="knee" pos="0, 0, -0.04"/></body>
    <body name="foot" mass="0.01" com="0, 0, -0.01" inertia="1e-6, 1e-6, 1e-6"/>
    <free name="fly" b="trunk" omega="0.3, -0.2, 0.1"/>
    <revolute name="hip" a="trunk.hip" b="leg" axis="y" qd="0.5"/>
    <revolute name="knee" a="leg.knee" b="foot" axis="x" qd="-0.4"/>)xml");
  std::map<std::string, long> steps;
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    Model model = model_of({"limbs", text, 1.0}, coordinates);
    model.solver.method = "extrapolation";
    model.solver.rtol = 1e-8;
    model.solver.atol = 1e-10;
    Diagnostics diagnostics;
    CoSimulationDriver simulation(assemble(model, diagnostics), solver_choice(model.solver));
    ASSERT_TRUE(simulation.initialise(0.0).ok);
    simulation.advance(1.0);
    steps[coordinates] = simulation.statistics().steps;
  }
  EXPECT_LE(steps["joint"], steps["absolute"] + 2);
  EXPECT_LE(steps["mixed"], steps["absolute"] + 2);
}

// Most of its run is at the bound of stability.
TEST(Truck, HasFewStepsRejected) {
  for (const char* coordinates : {"absolute", "joint", "mixed"}) {
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      Model model = model_of({"truck", "", 0.0}, coordinates);
      model.solver.method = "extrapolation";
      model.solver.rtol = model.solver.atol = tolerance;
      Diagnostics diagnostics;
      CoSimulationDriver simulation(assemble(model, diagnostics), solver_choice(model.solver));
      ASSERT_TRUE(simulation.initialise(0.0).ok);
      simulation.advance(8.0);
      const Statistics& all = simulation.statistics();
      EXPECT_LT(all.steps, 400) << coordinates << " " << tolerance;
      EXPECT_LT(8 * all.rejected, all.steps) << coordinates << " " << tolerance;
    }
  }
}

TEST(Andrews, IsTheClassicalFormInJointCoordinates) {
  const Model model = model_of({"andrews", "", 0.0}, "joint");
  Diagnostics diagnostics;
  const auto equations = assemble(model, diagnostics);
  ASSERT_TRUE(equations);
  EXPECT_EQ(equations->sizes().p, 7);
  EXPECT_EQ(equations->sizes().v, 7);
  EXPECT_EQ(equations->sizes().lambda, 6);
}

// No rows are left where no loop is.
TEST(SerialJoints, AreInTheTree) {
  for (const TreeModel& model : tree_models()) {
    if (model.name != "space_serial_bare") continue;
    const Assembled m(model.text, "joint");
    EXPECT_EQ(m->sizes().v, 3 + 2 + 2 + 2 + 2 + 1 + 1);
    EXPECT_EQ(m->sizes().lambda, 0);
    EXPECT_EQ(m->structure().p_names[0], "table.x");
    EXPECT_EQ(m->structure().v_names[2], "table.qd");
  }
}

}  // namespace
}  // namespace mbs::test
