#include "tests/multibody/tree_models.hpp"

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

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

// Gravity alone.
const char* plane_bare = R"xml(
  <gravity g="0.4, -9.81"/>
  <body name="a" mass="1.5" com="0.1, 0.2" inertia="0.7"><frame name="f" pos="0.5, -0.3" rot="0.7"/></body>
  <body name="b" mass="0.5" com="-0.2, 0.3" inertia="0.2"/>
  <body name="c" mass="0.8" com="0, -0.3" inertia="0.3"/>
  <body name="d" mass="0.4" com="0.1, 0.1" inertia="0.1"/>
  <revolute name="back" a="b" b="a.f" axis="-z" q="-0.5" qd="0.7"/>
  <prismatic name="slide" a="a.f" b="c" axis="0.6, 0.9" q="0.2" qd="-0.3"/>
  <weld name="glue" a="d" b="c"/>
)xml";

const char* space_bare = R"xml(
  <gravity g="0.4, -0.3, -9.81"/>
  <body name="a" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
    <frame name="f" pos="0.5, -0.3, 0.2" rot="0.7, 0.2, -0.5"/></body>
  <body name="b" mass="0.5" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25"/>
  <body name="c" mass="0.8" com="0.1, 0.3, 0" inertia="0.3, 0.2, 0.3"/>
  <body name="g" mass="1.6" com="0, 0.1, -0.2" inertia="0.1, 0.2, 0.15"/>
  <body name="h" mass="0.3" com="0.3, 0, 0" inertia="0.1, 0.2, 0.15"/>
  <particle name="dot" mass="0.3"/>
  <revolute name="r" a="ground" b="a" axis="1, 2, -1" q="0.3" qd="1"/>
  <spherical name="ball" a="a.f" b="b" rot="0.2, -0.4, 0.3" omega="1, -2, 0.5"/>
  <prismatic name="slide" a="b" b="c" axis="0.6, 0.9, 0.1" q="0.2" qd="-0.3"/>
  <revolute name="wing" a="g" b="h" axis="y" q="0.2" qd="3"/>
  <spherical name="pin" a="h" b="dot"/>
)xml";

// Joints of several turns and slides, forwards and backwards (the planar one is cut backwards).
const char* space_serial = R"xml(
  <gravity g="0.4, -0.3, -9.81"/>
  <body name="a" mass="1.5" com="0.1, 0.2, -0.1" inertia="0.7, 0.8, 0.9, 0.02, -0.03, 0.04">
    <frame name="f" pos="0.5, -0.3, 0.2" rot="0.7, 0.2, -0.5"/></body>
  <body name="b" mass="0.5" com="-0.2, 0.3, 0.4" inertia="0.2, 0.3, 0.25"><frame name="f" pos="-0.4, 0.6, -0.7"/></body>
  <body name="c" mass="0.8" com="0.1, 0.3, 0" inertia="0.3, 0.2, 0.3"/>
  <body name="d" mass="0.4" com="0, 0.1, 0.2" inertia="0.1, 0.1, 0.15"><frame name="f" pos="0.2, 0, 0.1"/></body>
  <body name="e" mass="0.6" com="0, 0, -0.2" inertia="0.1, 0.1, 0.15"/>
  <body name="g" mass="1.6" com="0, 0.1, -0.2" inertia="0.1, 0.2, 0.15"/>
  <body name="h" mass="0.3" com="0.3, 0, 0" inertia="0.1, 0.2, 0.15"/>
  <planar name="table" a="ground" b="a" axis="1, 2, -1" along="2, -1, 0" x="0.2" y="-0.3" q="0.4" xd="0.5" yd="1" qd="-1"/>
  <cylindrical name="tube" a="a.f" b="b" axis="0, 1, 1" q="0.3" qd="2" s="0.2" sd="-0.4"/>
  <cylindrical name="tube_back" a="c" b="b.f" axis="1, 0, 1" q="-0.3" qd="1" s="-0.1" sd="0.3"/>
  <universal name="cross" a="b" b="d" axis="z" second="x" q1="0.3" q1d="1.5" q2="0.5" q2d="-1"/>
  <universal name="cross_back" a="e" b="d.f" axis="0, 1, 1" second="x" q1="-0.4" q1d="1" q2="0.2" q2d="2"/>
  <screw name="bolt" a="e" b="g" axis="0, 1, 2" pitch="0.3 m" q="0.5" qd="2"/>
  <screw name="bolt_back" a="h" b="g" axis="x" pitch="-0.2 m" q="0.2" qd="-1"/>
)xml";
const char* serial_forces = R"xml(
  <spring name="s" a="d" b="h" stiffness="7" length="0.5" damping="0.2"/>
  <torque name="spin" on="c" value="0.1 N.m, cross.q1*(2 N.m), tube.s*(3 N)"/>
  <force name="pull" on="e" value="0 N, bolt.q*(1 N), table.x*(2 N/m)"/>
  <body name="plate" mass="0.4" inertia="0.1, 0.1, 0.15"/>
  <planar name="cut" a="plate" b="ground" axis="z" x="0.7" y="0.1" q="0.4" xd="0.5"/>)xml";

// Laws of everything, reactions in forces, couplings, inputs.
const char* plane_laws = R"xml(
  <parameter name="c" value="1.3"/><input name="u" start="0.2"/>
  <gravity g="0.4, -9.81"/>
  <frame name="nail" pos="0.3, -0.2" rot="0.4"/>
  <body name="a" mass="1.5" com="0.1, 0.2" inertia="0.7"><frame name="f" pos="0.5, -0.3" rot="0.7"/></body>
  <body name="b" mass="0.5*c" com="-0.2, 0.3" inertia="0.2"><frame name="f" pos="-0.4, 0.6"/></body>
  <body name="e" mass="0.4" com="-0.1, 0.3" inertia="0.2"/>
  <measure name="N" of="p" quantity="reaction" component="norm"/>
  <measure name="m" of="b" quantity="velocity" component="norm"/>
  <prismatic name="p" a="nail" b="a" axis="0.6, 0.9" q="0.1" qd="0.4"/>
  <revolute name="r" a="a.f" b="b.f" qd="1" damping="0.3" stiffness="2"/>
  <revolute name="t" a="a" b="e" qd="-1"/>
  <coupling relation="t.q*2*c + r.q"/>
  <state name="s" start="0" der="(u - s)/(1 s) + r.q*p.qd/(1 m.rad)"/>
  <algebraic name="w" start="1" residual="w + 0.1*w^3 - N/(1 N)*0.01 + u"/>
  <force on="b.f" in="a.f" reaction_on="a" value="-0.05*N*sin(u + 1), (1 N)*w"/>
  <torque joint="r" value="s*(1 N.m) - r.qd*r.q*(1 N.m.s/rad^2)"/>
  <spring a="b.f" b="nail" length="0.2" law="(3 + w)*(1 N/m)*x + (1 N.s/m^4)*x^3*xd + u*m*(0.1 N.s/m)"/>
)xml";

// Drives of joints in the tree and outside, forwards and backwards, with outputs of what they do.
const char* plane_drives = R"xml(
  <curve name="lift" x_unit="s" interpolation="spline" points="0 0; 0.1 0.05; 0.2 -0.04; 0.4 0.1"/>
  <input name="u" start="0.2"/>
  <drive name="d1" joint="back" q="-0.5 + 0.3*sin(time*5 rad/s + 0.2)"/>
  <drive name="d2" joint="slide" q="0.2 m + lift(time)*1 m"/>
  <drive name="d3" joint="r" input="u" lag="0.5 s"/>
  <output name="M1" of="d1" quantity="force"/><output name="F2" of="d2" quantity="force"/>
  <output name="M3" of="d3" quantity="force"/>)xml";
const char* space_drives = R"xml(
  <parameter name="w" value="3"/><input name="u" start="0.2"/>
  <drive name="d1" joint="back" q="w*time^2/(1 s^2) - 0.5"/>
  <drive name="d2" joint="slide" q="0.2 m*exp(-time*w/(1 s))"/>
  <drive name="d3" joint="wing" input="u" lag="0.5 s"/>
  <output name="M1" of="d1" quantity="force"/><output name="F2" of="d2" quantity="force"/>
  <output name="M3" of="d3" quantity="force"/>)xml";
const char* loop_drive = R"xml(
  <drive name="motor" joint="r" q="1.2 + sin(time*0.8 rad/s)"/><output name="M" of="motor" quantity="force"/>)xml";

// A bicycle in the plane up a hill that hangs on a spring, with a bead on a wire; and a cart with
// discs on a turntable.
const char* plane_rolling = R"xml(
  <gravity g="0, -9.81"/>
  <body name="hill" mass="5" inertia="3"/>
  <revolute name="foot" a="ground" b="hill" q="0.1" qd="0.2" stiffness="80"/>
  <body name="frame" mass="2" com="0.5, 0.3" inertia="0.4"><frame name="front" pos="1, 0"/></body>
  <body name="rear" mass="1" inertia="0.05"/><body name="front" mass="0.8" inertia="0.04"/>
  <free name="start" a="hill" b="frame" pos="0.2, 0.31"/>
  <revolute name="r" a="frame" b="rear" qd="-4"/><revolute name="f" a="frame.front" b="front"/>
  <rolling name="gr" a="hill" b="rear" normal="y" radius="0.3"/>
  <particle name="bead" mass="0.3"/><free name="fb" b="bead" pos="0.5, 0.9"/>
  <point_on_curve name="wire" a="frame" b="bead" x="s*1 m" y="(0.6 + 0.2*s^2)*1 m" s="0.3"/>
  <output name="push" of="wire" quantity="force"/>
  <rolling name="gf" a="hill" b="front" normal="y" radius="0.25"/>
  <torque joint="r" value="-2"/>
  <output name="Nr" of="gr" quantity="force"/><output name="Tr" of="gr" quantity="value" component="along"/>
  <output name="Nf" of="gf" quantity="force"/><output name="Tf" of="gf" quantity="value" component="along"/>)xml";
const char* space_rolling = R"xml(
  <gravity g="0, 0, -9.81"/>
  <body name="table" mass="50" inertia="5, 5, 5"/><revolute name="pivot" a="ground" b="table" qd="0.7"/>
  <body name="axle" mass="2" com="0, 0.1, 0" inertia="0.3, 0.1, 0.3"><frame name="l" pos="0, 0.5, 0"/><frame name="r" pos="0, -0.5, 0"/></body>
  <body name="left" mass="1" inertia="0.02, 0.04, 0.02"/><body name="right" mass="1" inertia="0.02, 0.04, 0.02"/>
  <body name="ball" mass="1.4" inertia="0.01, 0.01, 0.01"/>
  <free name="start" a="table" b="axle" pos="0.6, 0, 0.3" vel="0.2, 0, 0" omega="0, 0, 0.3"/>
  <free name="start_b" a="table" b="ball" pos="-0.6, 0.2, 0.1" vel="0.2, 0.4, 0"/>
  <revolute name="wl" a="axle.l" b="left" axis="y" qd="1"/><revolute name="wr" a="axle.r" b="right" axis="y" qd="2"/>
  <rolling name="gl" a="table" b="left" normal="z" axis="y" radius="0.3"/>
  <rolling name="gr" a="table" b="right" normal="z" axis="y" radius="0.3" across="false"/>
  <rolling name="gb" a="table" b="ball" normal="z" radius="0.1"/>
  <output name="Nl" of="gl" quantity="force"/><output name="Tl" of="gl" quantity="value" component="along"/>
  <output name="S" of="gl" quantity="value" component="across"/><output name="Nb" of="gb" quantity="force"/>
  <output name="Sb" of="gb" quantity="value" component="across"/>)xml";

}  // namespace

std::vector<TreeModel> tree_models() {
  return {
      {"plane_tree",
       planar(plane_tree + outputs_of({"a", "b", "c", "d", "dot", "e"},
                                      {"r", "back", "slide", "glue", "pin", "tail"}, false)),
       0.5},
      {"plane_loops",
       planar(plane_loops +
              outputs_of({"a", "b", "c", "d", "e"}, {"r", "s", "t", "u", "p", "v", "w"}, false)),
       0.3},
      {"plane_rolling",
       planar(plane_rolling +
              outputs_of({"hill", "frame", "rear", "front", "bead"}, {"foot", "r", "f"}, false)),
       0.3},
      {"space_rolling",
       spatial(space_rolling +
               outputs_of({"table", "axle", "left", "right", "ball"}, {"pivot", "wl", "wr"}, true)),
       0.3},
      {"plane_drives",
       planar(plane_tree + std::string(plane_drives) +
              outputs_of({"a", "b", "c", "d", "dot", "e"},
                         {"r", "back", "slide", "glue", "pin", "tail"}, false)),
       0.3},
      {"loop_drive",
       planar(plane_loops + std::string(loop_drive) +
              outputs_of({"a", "b", "e"}, {"r", "s", "t", "u", "p", "v", "w"}, false)),
       0.2},
      {"space_drives",
       spatial(space_tree + std::string(space_drives) +
               outputs_of({"a", "b", "d", "g", "h"}, {"r", "back", "slide", "glue", "wing"}, true)),
       0.2},
      {"plane_laws", planar(plane_laws + outputs_of({"a", "b", "e"}, {"p", "r", "t"}, false)), 0.3},
      {"space_tree",
       spatial(space_tree + outputs_of({"a", "b", "c", "d", "e", "g", "h", "dot"},
                                       {"r", "back", "slide", "glue", "ball", "pin", "wing"},
                                       true)),
       0.3},
      {"plane_bare",
       planar(plane_bare + outputs_of({"a", "b", "c", "d"}, {"back", "slide", "glue"}, false)),
       0.3},
      {"space_bare",
       spatial(space_bare + outputs_of({"a", "b", "c", "g", "h", "dot"},
                                       {"r", "ball", "slide", "wing", "pin"}, true)),
       0.3},
      {"space_serial",
       spatial(space_serial + std::string(serial_forces) +
               outputs_of({"a", "b", "c", "d", "e", "g", "h", "plate"},
                          {"table", "tube", "tube_back", "cross", "cross_back", "bolt", "bolt_back",
                           "cut"},
                          true)),
       0.2},
      {"space_serial_bare",
       spatial(space_serial + outputs_of({"a", "b", "c", "d", "e", "g", "h"},
                                         {"table", "tube", "cross_back", "bolt"}, true)),
       0.2},
      {"space_loops",
       spatial(space_loops +
               outputs_of({"a", "rod", "c", "w"}, {"r", "s", "u", "p", "hang"}, true)),
       0.3}};
}

}  // namespace mbs::test
