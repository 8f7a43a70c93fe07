#pragma once

// Schema: forces between more than two points: bushings, belts, flows.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A bushing_attributes[] = {
    optional("name", name, "name"),
    needed("a", frame, "frame whose axes are the bushing's"),
    needed("b", frame, "frame at the other side"),
    with_default("stiffness", diagonal, "N/m", "0",
                 "force per deflection along each axis of a; one number for all", ">=0"),
    with_default("damping", diagonal, "N.s/m", "0", "force per rate", ">=0"),
    with_default("rotational_stiffness", axial_diagonal, "N.m/rad", "0",
                 "torque per turn about each axis of a, for small turns; in the plane for all",
                 ">=0"),
    with_default("rotational_damping", axial_diagonal, "N.m.s/rad", "0",
                 "torque per angular velocity", ">=0"),
};

inline constexpr A belt_attributes[] = {
    optional("name", name, "name"),
    needed("a", joint, "rad", "the joint that the first pulley turns on"),
    needed("b", joint, "rad", "the joint that the second pulley turns on"),
    needed("radius_a", number, "m", "of the first pulley", ">0"),
    needed("radius_b", number, "m", "of the second pulley", ">0"),
    with_default("crossed", boolean, "false", "true: the pulleys turn in opposite senses"),
    needed("stiffness", number, "N/m", "tension per elongation of one strand", ">0"),
    with_default("damping", number, "N.s/m", "0",
                 "tension per rate; never more than the elastic tension", ">=0"),
    needed("preload", number, "N",
           "tension of both strands where neither is stretched more than the other", ">=0"),
    with_default("rest", number, "m", "0", "radius_a q_a - radius_b q_b (crossed: +) there"),
};

inline constexpr A drag_attributes[] = {
    optional("name", name, "name"),
    optional("on", frame,
             "the frame at whose origin it acts; absent, inside of a body: its centre of mass"),
    needed("area", number, "m^2", "area that the flow meets", ">=0"),
    needed("cd", number, "1", "drag coefficient", ">=0"),
    with_default("density", number, "kg/m^3", "1.225 kg/m^3", "of the fluid; absent: air", ">=0"),
    optional("flow", runtime_vector, "m/s", "velocity of the fluid; absent: it rests"),
    with_default("in", frame, "ground", "the frame whose axes the components of the flow refer to"),
};

inline constexpr TagSchema field_tags[] = {
    {.name = "bushing",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = bushing_attributes,
     .doc =
         "Holds two frames together elastically in all directions, in the axes of the first: six "
         "components in space, three in the plane. It is conservative but for its damping, for "
         "turns of any size; about one axis alone the torque is that of the sine.",
     .values = "force:N torque:N.m deflection:m angle:rad f1:N f2:N m1:N.m|force:N torque:N.m "
               "deflection:m angle:rad f1:N f2:N f3:N m1:N.m m2:N.m m3:N.m",
     .formula =
         "on b, in axes of a:  F_i = -k_i u_i - c_i u_i';  T = sum_i g_i (E e_i) x e_i - C_i "
         "w_i,  g_1 = (K_2 + K_3 - K_1)/2, ...;  in the plane T = -K theta - C w",
     .example = R"xml(<body name="engine" mass="90 kg" inertia="4 kg.m^2"/>
<bushing name="mount" a="ground" b="engine" stiffness="200 kN/m, 600 kN/m" damping="1 kN.s/m"
         rotational_stiffness="5 kN.m/rad" rotational_damping="20 N.m.s/rad"/>
<output name="turn" of="mount" quantity="value" component="angle" unit="deg"/>)xml"},
    {.name = "belt",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = belt_attributes,
     .doc = "An elastic belt over two pulleys whose axles keep their distance. Its strands can "
            "only pull.",
     .values = "force:N elongation:m strand_1:N strand_2:N",
     .formula =
         "x = radius_a q_a - radius_b q_b - rest;  T_1,2 = preload +- (stiffness x + damping "
         "x'), not negative;  Q_a = -radius_a (T_1 - T_2),  Q_b = radius_b (T_1 - T_2)",
     .example = R"xml(<body name="small" mass="1 kg" inertia="1 g.m^2"/>
<body name="large" mass="4 kg" inertia="50 g.m^2"/>
<frame name="there" pos="0.4 m, 0"/>
<revolute name="motor" a="ground" b="small"/>
<revolute name="fan" a="there" b="large"/>
<belt name="belt" a="motor" b="fan" radius_a="30 mm" radius_b="90 mm" stiffness="40 kN/m"
      damping="20 N.s/m" preload="150 N"/>
<output name="slack" of="belt" quantity="value" component="strand_2" unit="N"/>)xml"},
    {.name = "drag",
     .role = TagRole::force,
     .parents = "mbs repeat body",
     .attributes = drag_attributes,
     .doc = "The resistance of a fluid, at rest or in a given flow.",
     .values = "force:N speed:m/s",
     .formula = "u = v - flow;  F = -1/2 density cd area |u| u",
     .example = R"xml(<input name="wind" unit="m/s"/>
<body name="flag" mass="2 kg" com="0, -1 m">
  <drag area="0.04 m^2" cd="1.1" flow="wind, 0"/>
</body>
<revolute name="pole" a="ground" b="flag"/>)xml"},
};

}  // namespace mbs::tables
