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
    {.name = "tension_only",
     .type = boolean,
     .default_value = "false",
     .doc = "true: a cable. It pulls nothing where preload + stiffness x is not positive, and its "
            "damping is never larger than that; a law counts where it pulls"},
};

inline constexpr A torsion_spring_attributes[] = {
    {.name = "name", .type = name, .doc = "name"},
    {.name = "joint",
     .type = joint,
     .dimension = "rad",
     .required = true,
     .doc = "the joint whose coordinate it turns back"},
    {.name = "stiffness",
     .type = number,
     .dimension = "N.m/rad",
     .doc = "torque per angle",
     .range = ">=0"},
    {.name = "angle",
     .type = number,
     .dimension = "rad",
     .default_value = "0",
     .doc = "coordinate at which x is zero"},
    {.name = "damping",
     .type = number,
     .dimension = "N.m.s/rad",
     .default_value = "0",
     .doc = "torque per rate",
     .range = ">=0"},
    {.name = "preload",
     .type = number,
     .dimension = "N.m",
     .default_value = "0",
     .doc = "torque at x = 0"},
    {.name = "law",
     .type = runtime,
     .dimension = "N.m",
     .locals = "x:rad xd:rad/s",
     .doc = "torque as an expression of the angle x and its rate xd"},
};

inline constexpr A torsion_damper_attributes[] = {
    {.name = "name", .type = name, .doc = "name"},
    {.name = "joint",
     .type = joint,
     .dimension = "rad",
     .required = true,
     .doc = "the joint whose coordinate it holds back"},
    {.name = "damping",
     .type = number,
     .dimension = "N.m.s/rad",
     .doc = "torque per rate",
     .range = ">=0"},
    {.name = "law",
     .type = runtime,
     .dimension = "N.m",
     .locals = "xd:rad/s",
     .doc = "torque as an expression of the rate xd"},
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
    {.name = "lag",
     .type = number,
     .dimension = "s",
     .doc =
         "on a joint: an actuator; what acts is the state `effort`, which follows the value with "
         "this time constant",
     .range = ">0"},
    {.name = "limit",
     .type = number,
     .dimension = "N",
     .doc = "on a joint: the value is held between minus and plus this",
     .range = ">0"},
    {.name = "start",
     .type = number,
     .dimension = "N",
     .default_value = "0",
     .doc = "effort at the start"},
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
    {.name = "lag",
     .type = number,
     .dimension = "s",
     .doc =
         "on a joint: an actuator; what acts is the state `effort`, which follows the value with "
         "this time constant",
     .range = ">0"},
    {.name = "limit",
     .type = number,
     .dimension = "N.m",
     .doc = "on a joint: the value is held between minus and plus this",
     .range = ">0"},
    {.name = "start",
     .type = number,
     .dimension = "N.m",
     .default_value = "0",
     .doc = "effort at the start"},
};

inline constexpr TagSchema force_tags[] = {
    {.name = "spring",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = spring_attributes,
     .doc = "A spring, with a damper beside it, on the line between two frames' origins. Tension "
            "pulls them together.",
     .values = "force:N elongation:m rate:m/s",
     .rules = "one(stiffness,law) with(damping,stiffness) with(preload,stiffness)",
     .formula = "x = |r_b - r_a| - length;  tension = preload + stiffness x + damping x', or law",
     .example = R"xml(<particle name="ball" mass="1 kg"/>
<frame name="hook" pos="0, 1 m"/>
<spring name="s" a="hook" b="ball" stiffness="2 kN/m" length="0.3 m" damping="4 N.s/m"/>
<spring name="hard" a="hook" b="ball" length="0.3 m" law="2 kN/m * x + 50 kN/m^3 * x^3"/>
<spring name="rope" a="hook" b="ball" length="1 m" stiffness="20 kN/m" tension_only="true"/>)xml"},
    {.name = "damper",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = damper_attributes,
     .doc = "A damper on the line between two frames' origins. Tension pulls them together.",
     .values = "force:N rate:m/s",
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
     .values = "force:N",
     .states = "effort:N:start@lag",
     .rules = "one(on,joint) not(in,joint) not(reaction_on,joint) with(lag,joint) with(lag,name) "
              "with(limit,joint) with(start,lag)",
     .formula = "on a frame:  F = A_in value at its origin, and -F on reaction_on;  on a joint:  "
                "Q = value, or effort with  effort' = (value - effort)/lag",
     .example = R"xml(<input name="thrust" unit="kN"/>
<body name="cart" mass="10 kg"><frame name="tail" pos="-1 m, 0"/></body>
<prismatic name="rail" a="ground" b="cart" axis="x"/>
<force name="jet" on="cart.tail" value="thrust, 0" in="cart"/>
<force name="brake" joint="rail" value="-0.5 N.s/m * rail.qd"/>
<force name="winch" joint="rail" value="20 N/m*(1 m - rail.q)" lag="50 ms" limit="15 N"/>
<output name="pull" value="winch.effort"/>)xml"},
    {.name = "torque",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = torque_attributes,
     .doc = "A torque, on a body or about the coordinate of a joint.",
     .values = "torque:N.m",
     .states = "effort:N.m:start@lag",
     .rules = "one(on,joint) not(in,joint) not(reaction_on,joint) with(lag,joint) with(lag,name) "
              "with(limit,joint) with(start,lag)",
     .formula = "on a body:  T = A_in value, and -T on reaction_on;  on a joint:  Q = value, or "
                "effort with  effort' = (value - effort)/lag",
     .example = R"xml(<body name="disk" mass="1 kg" inertia="0.1 kg.m^2"/>
<revolute name="axle" a="ground" b="disk"/>
<torque name="motor" joint="axle" value="2 N.m*sin(3 rad/s*time)"/>
<torque name="wind" on="disk" value="-0.1 N.m"/>)xml"},
    {.name = "torsion_spring",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = torsion_spring_attributes,
     .doc = "A spring, with a damper beside it, about the coordinate of a joint.",
     .values = "torque:N.m angle:rad rate:rad/s",
     .rules = "one(stiffness,law) with(damping,stiffness) with(preload,stiffness)",
     .formula = "x = q - angle;  Q = -(preload + stiffness x + damping x'), or -law",
     .example =
         R"xml(<curve name="stop" x_unit="deg" y_unit="N.m" points="-30 -8; -20 0; 20 0; 30 8"/>
<body name="flap" mass="1 kg" inertia="0.1 kg.m^2"/>
<revolute name="hinge" a="ground" b="flap"/>
<torsion_spring name="s" joint="hinge" stiffness="3 N.m/rad" angle="10 deg"/>
<torsion_spring name="t" joint="hinge" law="stop(x) + 0.2 N.m.s/rad*xd"/>)xml"},
    {.name = "torsion_damper",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = torsion_damper_attributes,
     .doc = "A damper about the coordinate of a joint.",
     .values = "torque:N.m rate:rad/s",
     .rules = "one(damping,law)",
     .formula = "Q = -damping q', or -law",
     .example = R"xml(<body name="fan" mass="1 kg" inertia="0.1 kg.m^2"/>
<revolute name="axle" a="ground" b="fan" qd="20 rad/s"/>
<torsion_damper name="air" joint="axle" law="3 mN.m.s^2/rad^2 * abs(xd)*xd"/>)xml"},
};

}  // namespace mbs::tables
