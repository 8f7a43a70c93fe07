#pragma once

// Schema: forces.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A spring_attributes[] = {
    {.name = "name", .type = name, .doc = "name; gives the output quantity `force`, its tension"},
    {.name = "a", .type = frame, .required = true, .doc = "frame at the first end"},
    {.name = "b", .type = frame, .required = true, .doc = "frame at the second end"},
    {.name = "stiffness",
     .type = number,
     .dimension = "N/m",
     .doc = "tension per elongation",
     .range = ">=0"},
    {.name = "length",
     .type = number,
     .dimension = "m",
     .doc = "length at which the elongation x is zero; absent: the length at the start of the "
            "simulation",
     .range = ">=0"},
    {.name = "damping",
     .type = number,
     .dimension = "N.s/m",
     .default_value = "0",
     .doc = "tension per rate of the elongation",
     .range = ">=0"},
    {.name = "preload",
     .type = number,
     .dimension = "N",
     .default_value = "0",
     .doc = "tension at elongation zero"},
    {.name = "law",
     .type = runtime,
     .dimension = "N",
     .locals = "x:m xd:m/s",
     .doc = "tension as an expression of the elongation x and its rate xd"},
};

inline constexpr A damper_attributes[] = {
    {.name = "name", .type = name, .doc = "name; gives the output quantity `force`, its tension"},
    {.name = "a", .type = frame, .required = true, .doc = "frame at the first end"},
    {.name = "b", .type = frame, .required = true, .doc = "frame at the second end"},
    {.name = "damping",
     .type = number,
     .dimension = "N.s/m",
     .doc = "tension per rate of the distance",
     .range = ">=0"},
    {.name = "law",
     .type = runtime,
     .dimension = "N",
     .locals = "xd:m/s",
     .doc = "tension as an expression of the rate of the distance xd"},
};

inline constexpr A force_attributes[] = {
    {.name = "name", .type = name, .doc = "name"},
    {.name = "on", .type = frame, .doc = "the frame at whose origin it acts"},
    {.name = "joint",
     .type = joint,
     .dimension = "m",
     .doc = "instead: the joint along whose coordinate it acts on b, and back on a"},
    {.name = "value",
     .type = runtime_vector,
     .dimension = "N",
     .required = true,
     .doc = "its components; on a joint one number, positive where q grows"},
    {.name = "in",
     .type = frame,
     .default_value = "ground",
     .doc = "the frame whose axes the components refer to"},
    {.name = "reaction_on",
     .type = frame,
     .doc = "a frame at whose origin the opposite force acts"},
};

inline constexpr A torque_attributes[] = {
    {.name = "name", .type = name, .doc = "name"},
    {.name = "on", .type = frame, .doc = "the frame on whose body it acts"},
    {.name = "joint",
     .type = joint,
     .dimension = "rad",
     .doc = "instead: the joint about whose coordinate it acts on b, and back on a"},
    {.name = "value",
     .type = runtime_axial,
     .dimension = "N.m",
     .required = true,
     .doc = "its components, in the plane one number; on a joint one number, positive where q "
            "grows"},
    {.name = "in",
     .type = frame,
     .default_value = "ground",
     .doc = "the frame whose axes the components refer to"},
    {.name = "reaction_on", .type = frame, .doc = "a frame on whose body the opposite torque acts"},
};

inline constexpr TagSchema force_tags[] = {
    {.name = "spring",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = spring_attributes,
     .doc = "A spring, with a damper beside it, on the line between two frames' origins. Tension "
            "pulls them together.",
     .rules = "one(stiffness,law) with(damping,stiffness) with(preload,stiffness)",
     .formula = "x = |r_b - r_a| - length;  tension = preload + stiffness x + damping x', or law",
     .example = R"xml(<particle name="ball" mass="1 kg"/>
<frame name="hook" pos="0, 1 m"/>
<spring name="s" a="hook" b="ball" stiffness="2 kN/m" length="0.3 m" damping="4 N.s/m"/>
<spring name="hard" a="hook" b="ball" length="0.3 m" law="2 kN/m * x + 50 kN/m^3 * x^3"/>)xml"},
    {.name = "damper",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = damper_attributes,
     .doc = "A damper on the line between two frames' origins. Tension pulls them together.",
     .rules = "one(damping,law)",
     .formula = "tension = damping d|r_b - r_a|/dt, or law",
     .example = R"xml(<particle name="ball" mass="1 kg"/>
<frame name="hook" pos="0, 1 m"/>
<damper name="d" a="hook" b="ball" damping="4 N.s/m"/>
<damper name="e" a="hook" b="ball" law="if(xd > 0, 10 N.s/m, 2 N.s/m) * xd"/>)xml"},
    {.name = "force",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = force_attributes,
     .doc = "A force, at a frame's origin or along the coordinate of a joint.",
     .rules = "one(on,joint) not(in,joint) not(reaction_on,joint)",
     .example = R"xml(<input name="thrust" unit="kN"/>
<body name="cart" mass="10 kg"><frame name="tail" pos="-1 m, 0"/></body>
<prismatic name="rail" a="ground" b="cart" axis="x"/>
<force name="jet" on="cart.tail" value="thrust, 0" in="cart"/>
<force name="brake" joint="rail" value="-0.5 N.s/m * rail.qd"/>)xml"},
    {.name = "torque",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = torque_attributes,
     .doc = "A torque, on a body or about the coordinate of a joint.",
     .rules = "one(on,joint) not(in,joint) not(reaction_on,joint)",
     .example = R"xml(<body name="disk" mass="1 kg" inertia="0.1 kg.m^2"/>
<revolute name="axle" a="ground" b="disk"/>
<torque name="motor" joint="axle" value="2 N.m*sin(3 rad/s*time)"/>
<torque name="wind" on="disk" value="-0.1 N.m"/>)xml"},
};

}  // namespace mbs::tables
