// The same mechanism in every choice of coordinates: outputs, reactions and energies agree at the
// start and in motion, with every integrator, whatever the equations are made of.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/multibody/assemble.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

struct Choice {
  std::string coordinates, method;
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

struct Run {
  std::vector<std::string> names;
  Vector start, end;
  std::vector<char> compared;
};

Run run(const Case& c, const Choice& choice) {
  Model model = model_of(c, choice.coordinates);
  model.solver.method = choice.method;
  model.solver.rtol = model.solver.atol = 1e-10;
  Diagnostics diagnostics;
  const auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(equations) << diagnostics.text();
  Simulation simulation(equations, solver_choice(model.solver));
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.text();
  Run result;
  result.names = equations->structure().output_names;
  const int n = equations->sizes().y;
  const auto look = [&](Vector& y) {
    y.resize(n);
    for (int i = 0; i < n; ++i) y[i] = simulation.output(i);
  };
  look(result.start);
  simulation.advance(c.end > 0.0 ? c.end : model.solver.stop_time);
  look(result.end);
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

void expect_equal(const Run& a, const Run& b, double tolerance) {
  ASSERT_EQ(a.names, b.names);
  for (Eigen::Index i = 0; i < a.start.size(); ++i) {
    if (!a.compared[static_cast<std::size_t>(i)]) continue;
    const auto& name = a.names[static_cast<std::size_t>(i)];
    const double size = 1.0 + std::max(std::abs(a.start[i]), std::abs(a.end[i]));
    EXPECT_NEAR(a.start[i], b.start[i], 1e-8 * size) << name << " at the start";
    EXPECT_NEAR(a.end[i], b.end[i], tolerance * size) << name << " at the end";
  }
}

class Coordinates : public testing::TestWithParam<Case> {};

TEST_P(Coordinates, GiveTheSameMotion) {
  const Case& c = GetParam();
  const Run reference = run(c, {"absolute", "extrapolation"});
  ASSERT_GT(reference.start.size(), 0);
  for (const char* coordinates : {"joint", "mixed"}) {
    SCOPED_TRACE(coordinates);
    expect_equal(reference, run(c, {coordinates, "extrapolation"}), c.tolerance);
  }
}

// All outputs that a model can have of its bodies and joints.
std::string outputs_of(const std::vector<std::string>& bodies,
                       const std::vector<std::string>& joints, bool space) {
  std::string lines =
      "<output name=\"E\" quantity=\"energy\"/><output name=\"T\" "
      "quantity=\"kinetic_energy\"/>\n";
  int k = 0;
  const auto add = [&](const std::string& of, const std::string& quantity,
                       const std::string& component) {
    lines += "<output name=\"o" + std::to_string(k++) + "\" of=\"" + of + "\" quantity=\"" +
             quantity + "\"" + (component.empty() ? "" : " component=\"" + component + "\"") +
             "/>\n";
  };
  for (const std::string& body : bodies) {
    for (const char* quantity : {"position", "velocity", "acceleration"}) {
      for (const char* component : {"x", "y", "z"}) {
        if (space || component[0] != 'z') add(body, quantity, component);
      }
    }
    for (const char* quantity : {"angular_velocity", "angular_acceleration"}) {
      if (space) {
        for (const char* component : {"x", "y", "z"}) add(body, quantity, component);
      } else {
        add(body, quantity, "");
      }
    }
  }
  for (const std::string& joint : joints) {
    for (const char* component : {"fx", "fy", "fz", "mx", "my", "mz"}) {
      if (space) add(joint, "reaction", component);
    }
    for (const char* component : {"fx", "fy", "m"}) {
      if (!space) add(joint, "reaction", component);
    }
  }
  return lines;
}

const char* plane_tree = R"xml(
  <gravity g="0.4, -9.81"/>
  <frame name="nail" pos="0.3, -0.2" rot="0.4"/>
  <body name="a" mass="1.5" com="0.1, 0.2" inertia="0.7"><frame name="f" pos="0.5, -0.3" rot="0.7"/></body>
  <body name="b" mass="0.5" com="-0.2, 0.3" inertia="0.2"><frame name="f" pos="-0.4, 0.6"/></body>
  <body name="c" mass="0.8" com="0, -0.3" inertia="0.3"><frame name="f" pos="0.1, 0.4" rot="-0.3"/></body>
  <body name="d" mass="0.4" inertia="0.1"/>
  <particle name="dot" mass="0.3"/>
  <body name="e" mass="0.2" com="0.1, 0" inertia="0.05"/>
  <revolute name="r" a="nail" b="a" q="0.3" qd="1" damping="0.1"/>
  <revolute name="back" a="b.f" b="a.f" axis="-z" q="-0.5" qd="0.7" stiffness="2" rest="0.1"/>
  <prismatic name="slide" a="a.f" b="c.f" axis="0.6, 0.9" q="0.2" qd="-0.3" stiffness="30" damping="0.3"/>
  <weld name="glue" a="d" b="c"/>
  <revolute name="pin" a="b" b="dot"/>
  <revolute name="tail" a="dot" b="e" qd="2"/>
  <spring name="s" a="d" b="dot" stiffness="7" length="0.5" damping="0.2"/>
)xml";

const char* plane_loops = R"xml(
  <gravity g="0, -9.81"/>
  <body name="a" mass="1" com="0.5, 0" inertia="0.1"><frame name="f" pos="1, 0"/></body>
  <body name="b" mass="1" com="0.75, 0" inertia="0.2"><frame name="f" pos="1.5, 0"/></body>
  <body name="c" mass="1" com="0.5, 0" inertia="0.1"><frame name="f" pos="1.2, 0"/></body>
  <body name="d" mass="0.5" inertia="0.1"/>
  <frame name="B" pos="1.3, 0.1"/><frame name="rail" pos="0, 0.4"/>
  <revolute name="r" a="ground" b="a" q="1.2" qd="0.8" target="exact"/>
  <revolute name="s" a="a.f" b="b" q="-1"/>
  <revolute name="t" a="B" b="c" q="1.3"/>
  <revolute name="u" a="b.f" b="c.f"/>
  <prismatic name="p" a="rail" b="d" axis="x" q="0.4"/>
  <body name="e" mass="0.3" com="0, 0.1" inertia="0.05"/>
  <revolute name="v" a="b" b="e" q="0.4"/>
  <prismatic name="w" a="d" b="e" axis="0.3, 0.9" q="0.5"/>
  <spring name="k" a="d" b="c" stiffness="20" length="0.5" damping="0.5"/>
)xml";

const char* space_tree = R"xml(
  <gravity g="0.4, -0.3, -9.81"/>
  <frame name="nail" pos="0.3, -0.2, 0.1" rot="0.4, -0.3, 0.8"/>
  <body name="a" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
    <frame name="f" pos="0.5, -0.3, 0.2" rot="0.7, 0.2, -0.5"/></body>
  <body name="b" mass="0.5" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25"><frame name="f" pos="-0.4, 0.6, -0.7"/></body>
  <body name="c" mass="0.8" com="0.1, 0.3, 0" inertia="0.3, 0.2, 0.3"/>
  <body name="d" mass="0.4" inertia="0.1, 0.1, 0.15"><frame name="f" pos="0.2, 0, 0.1"/></body>
  <body name="e" mass="0.6" com="0, 0, -0.2" inertia="0.1, 0.1, 0.15"/>
  <body name="g" mass="1.6" com="0, 0.1, -0.2" inertia="0.1, 0.2, 0.15"/>
  <body name="h" mass="0.3" com="0.3, 0, 0" inertia="0.1, 0.2, 0.15"/>
  <particle name="dot" mass="0.3"/>
  <revolute name="r" a="nail" b="a" axis="1, 2, -1" q="0.3" qd="1" damping="0.1"/>
  <revolute name="back" a="b.f" b="a.f" axis="0, 1, 1" q="-0.5" qd="0.7" stiffness="2" rest="0.1"/>
  <prismatic name="slide" a="a.f" b="c" axis="0.6, 0.9, 0.1" q="0.2" qd="-0.3" stiffness="30" damping="0.3"/>
  <weld name="glue" a="d.f" b="c"/>
  <spherical name="ball" a="b" b="e" rot="0.2, -0.4, 0.3" omega="1, -2, 0.5"/>
  <spherical name="pin" a="e" b="dot"/>
  <free name="fly" b="g" pos="1, 0, 0" vel="0, 1, 2" rot="0.1, 0.2, 0.3" omega="1, 2, -1"/>
  <revolute name="wing" a="g" b="h" axis="y" q="0.2" qd="3"/>
  <spring name="s" a="d" b="dot" stiffness="7" length="0.5" damping="0.2"/>
  <spring name="s2" a="g" b="dot" stiffness="3" length="0.5" damping="0.2"/>
)xml";

const char* space_loops = R"xml(
  <gravity g="0, 0, -9.81"/>
  <body name="a" mass="1" com="0.25, 0, 0" inertia="0.1, 0.1, 0.1"><frame name="f" pos="0.5, 0, 0"/></body>
  <body name="rod" mass="1" com="0.6, 0, 0" inertia="0.05, 0.3, 0.3"><frame name="f" pos="1.2, 0, 0"/></body>
  <body name="c" mass="1.2" inertia="0.1, 0.1, 0.1"/>
  <body name="w" mass="0.5" com="0, 0, -0.3" inertia="0.1, 0.1, 0.1"/>
  <frame name="rail" pos="0, 0.4, 0.1"/>
  <revolute name="r" a="ground" b="a" axis="0, 0.3, 1" q="0.7" qd="2" target="exact"/>
  <spherical name="s" a="a.f" b="rod"/>
  <spherical name="u" a="c" b="rod.f"/>
  <prismatic name="p" a="rail" b="c" axis="x" q="1.5"/>
  <revolute name="hang" a="c" b="w" axis="x" q="0.3"/>
  <torque name="spin" on="rod" value="0.1 N.m, 0 N.m, 0 N.m"/>
)xml";

std::vector<Case> cases() {
  return {{"andrews", "", 0.004, 1e-6},
          {"cable_drum", "", 1.0},
          {"double_pendulum", "", 1.0},
          {"insulator_chain", "", 0.01, 1e-6},
          {"pendulum", "", 1.0},
          {"slider_crank", "", 0.2},
          {"truck", "", 0.3},
          {"plane_tree",
           planar(plane_tree + outputs_of({"a", "b", "c", "d", "dot", "e"},
                                          {"r", "back", "slide", "glue", "pin", "tail"}, false)),
           0.5},
          {"plane_loops",
           planar(plane_loops +
                  outputs_of({"a", "b", "c", "d", "e"}, {"r", "s", "t", "u", "p", "v", "w"},
                             false)),
           0.3},
          {"space_tree",
           spatial(space_tree + outputs_of({"a", "b", "c", "d", "e", "g", "h", "dot"},
                                           {"r", "back", "slide", "glue", "ball", "pin", "wing"},
                                           true)),
           0.3},
          {"space_loops",
           spatial(space_loops +
                   outputs_of({"a", "rod", "c", "w"}, {"r", "s", "u", "p", "hang"}, true)),
           0.3}};
}

const auto name_of = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Every, Coordinates, testing::ValuesIn(cases()), name_of);

TEST(Andrews, IsTheClassicalFormInJointCoordinates) {
  const Model model = model_of({"andrews", "", 0.0}, "joint");
  Diagnostics diagnostics;
  const auto equations = assemble(model, diagnostics);
  ASSERT_TRUE(equations);
  EXPECT_EQ(equations->sizes().p, 7);
  EXPECT_EQ(equations->sizes().v, 7);
  EXPECT_EQ(equations->sizes().lambda, 6);
}

}  // namespace
}  // namespace mbs::test
