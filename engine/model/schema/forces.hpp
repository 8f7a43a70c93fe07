#pragma once

// Schema: forces.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A spring_attributes[] = {
    optional("name", name, "name; gives the output quantity `force`, its tension"),
    needed("a", frame, "frame at the first end"),
    needed("b", frame, "frame at the second end"),
    optional("stiffness", number, "N/m", "tension per elongation", ">=0"),
    optional("length", number, "m",
             "length at which the elongation x is zero; absent: the length at the start of the "
             "simulation",
             ">=0"),
    with_default("damping", number, "N.s/m", "0", "tension per rate of the elongation", ">=0"),
    with_default("preload", number, "N", "0", "tension at elongation zero"),
    law("law", "N", "x:m xd:m/s", "tension as an expression of the elongation x and its rate xd"),
    with_default("tension_only", boolean, "false",
                 "true: a cable. It pulls nothing where preload + stiffness x is not positive, and "
                 "its damping is never larger than that; a law counts where it pulls"),
};

inline constexpr A torsion_spring_attributes[] = {
    optional("name", name, "name"),
    needed("joint", joint, "rad", "the joint whose coordinate it turns back"),
    optional("stiffness", number, "N.m/rad", "torque per angle", ">=0"),
    with_default("angle", number, "rad", "0", "coordinate at which x is zero"),
    with_default("damping", number, "N.m.s/rad", "0", "torque per rate", ">=0"),
    with_default("preload", number, "N.m", "0", "torque at x = 0"),
    law("law", "N.m", "x:rad xd:rad/s", "torque as an expression of the angle x and its rate xd"),
};

inline constexpr A torsion_damper_attributes[] = {
    optional("name", name, "name"),
    needed("joint", joint, "rad", "the joint whose coordinate it holds back"),
    optional("damping", number, "N.m.s/rad", "torque per rate", ">=0"),
    law("law", "N.m", "xd:rad/s", "torque as an expression of the rate xd"),
};

inline constexpr A damper_attributes[] = {
    optional("name", name, "name; gives the output quantity `force`, its tension"),
    needed("a", frame, "frame at the first end"),
    needed("b", frame, "frame at the second end"),
    optional("damping", number, "N.s/m", "tension per rate of the distance", ">=0"),
    law("law", "N", "xd:m/s", "tension as an expression of the rate of the distance xd"),
};

inline constexpr A force_attributes[] = {
    optional("name", name, "name"),
    optional("on", frame, "the frame at whose origin it acts"),
    optional("joint", joint, "m",
             "instead: the joint along whose coordinate it acts on b, and back on a"),
    needed("value", runtime_vector, "N",
           "its components; on a joint one number, positive where q grows"),
    with_default("in", frame, "ground", "the frame whose axes the components refer to"),
    optional("reaction_on", frame, "a frame at whose origin the opposite force acts"),
    optional("lag", number, "s",
             "on a joint: an actuator; what acts is the state `effort`, which follows the value "
             "with this time constant",
             ">0"),
    optional("limit", number, "N",
             "on a joint: the value is limited to between minus and plus this", ">0"),
    with_default("start", number, "N", "0", "effort at the start"),
};

inline constexpr A torque_attributes[] = {
    optional("name", name, "name"),
    optional("on", frame, "the frame on whose body it acts"),
    optional("joint", joint, "rad",
             "instead: the joint about whose coordinate it acts on b, and back on a"),
    needed(
        "value", runtime_axial, "N.m",
        "its components, in the plane one number; on a joint one number, positive where q grows"),
    with_default("in", frame, "ground", "the frame whose axes the components refer to"),
    optional("reaction_on", frame, "a frame on whose body the opposite torque acts"),
    optional("lag", number, "s",
             "on a joint: an actuator; what acts is the state `effort`, which follows the value "
             "with this time constant",
             ">0"),
    optional("limit", number, "N.m",
             "on a joint: the value is limited to between minus and plus this", ">0"),
    with_default("start", number, "N.m", "0", "effort at the start"),
};

inline constexpr TagSchema force_tags[] = {
    {.name = "spring",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = spring_attributes,
     .doc = "A spring and a parallel damper on the line between two frames' origins. Tension "
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
     .doc = "A spring and a parallel damper about the coordinate of a joint.",
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
