#pragma once

// Schema: joints.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A revolute_attributes[] = {
    {.name = "name", .type = name, .doc = "name; gives name.q (angle) and name.qd (its rate)"},
    {.name = "a", .type = frame, .required = true, .doc = "frame on the first side"},
    {.name = "b", .type = frame, .required = true, .doc = "frame on the second side"},
    {.name = "axis",
     .type = rotation_axis,
     .default_value = "z",
     .doc = "axis in the axes of a, about which b turns; in the plane z is its normal, and -z "
            "counts the angle the other way"},
    {.name = "q", .type = number, .dimension = "rad", .doc = "angle of b against a at the start"},
    {.name = "qd", .type = number, .dimension = "rad/s", .doc = "its rate at the start"},
    {.name = "target",
     .type = word,
     .default_value = "guess",
     .choices = "guess|exact",
     .doc = "exact: the start values q and qd are kept; guess: they may give way to others"},
    {.name = "damping",
     .type = number,
     .dimension = "N.m.s/rad",
     .default_value = "0",
     .doc = "torque against the rate",
     .range = ">=0"},
    {.name = "stiffness",
     .type = number,
     .dimension = "N.m/rad",
     .default_value = "0",
     .doc = "torque against the angle"},
    {.name = "rest",
     .type = number,
     .dimension = "rad",
     .default_value = "0",
     .doc = "angle at which the stiffness gives no torque"},
};

inline constexpr A prismatic_attributes[] = {
    {.name = "name", .type = name, .doc = "name; gives name.q (distance) and name.qd (its rate)"},
    {.name = "a", .type = frame, .required = true, .doc = "frame on the first side"},
    {.name = "b", .type = frame, .required = true, .doc = "frame on the second side"},
    {.name = "axis",
     .type = axis,
     .required = true,
     .doc = "direction in the axes of a, along which b slides: x, -y, or components"},
    {.name = "q",
     .type = number,
     .dimension = "m",
     .doc = "distance of b from a along the axis at the start"},
    {.name = "qd", .type = number, .dimension = "m/s", .doc = "its rate at the start"},
    {.name = "target",
     .type = word,
     .default_value = "guess",
     .choices = "guess|exact",
     .doc = "exact: the start values q and qd are kept; guess: they may give way to others"},
    {.name = "damping",
     .type = number,
     .dimension = "N.s/m",
     .default_value = "0",
     .doc = "force against the rate",
     .range = ">=0"},
    {.name = "stiffness",
     .type = number,
     .dimension = "N/m",
     .default_value = "0",
     .doc = "force against the distance"},
    {.name = "rest",
     .type = number,
     .dimension = "m",
     .default_value = "0",
     .doc = "distance at which the stiffness gives no force"},
};

inline constexpr A weld_attributes[] = {
    {.name = "name", .type = name, .doc = "name"},
    {.name = "a", .type = frame, .required = true, .doc = "frame on the first side"},
    {.name = "b", .type = frame, .required = true, .doc = "frame on the second side"},
};

inline constexpr A spherical_attributes[] = {
    {.name = "name", .type = name, .doc = "name"},
    {.name = "a", .type = frame, .required = true, .doc = "frame on the first side"},
    {.name = "b", .type = frame, .required = true, .doc = "frame on the second side"},
    {.name = "rot",
     .type = rotation,
     .dimension = "rad",
     .doc = "orientation of b against a at the start"},
    {.name = "omega",
     .type = axial,
     .dimension = "rad/s",
     .doc = "angular velocity of b against a at the start, in the axes of a"},
    {.name = "target",
     .type = word,
     .default_value = "guess",
     .choices = "guess|exact",
     .doc = "exact: the start values are kept; guess: they may give way to others"},
};

inline constexpr A free_attributes[] = {
    {.name = "name",
     .type = name,
     .doc = "name; gives name.x, name.y and in the plane name.phi, in space name.z, and their "
            "rates name.xd, ..."},
    {.name = "a", .type = frame, .default_value = "ground", .doc = "frame on the first side"},
    {.name = "b", .type = frame, .required = true, .doc = "frame on the second side"},
    {.name = "pos",
     .type = position,
     .dimension = "m",
     .doc = "origin of b in the axes of a at the start"},
    {.name = "rot",
     .type = rotation,
     .dimension = "rad",
     .doc = "orientation of b against a at the start"},
    {.name = "vel",
     .type = position,
     .dimension = "m/s",
     .doc = "velocity of b's origin against a at the start, in the axes of a"},
    {.name = "omega",
     .type = axial,
     .dimension = "rad/s",
     .doc = "angular velocity of b against a at the start, in the axes of a"},
    {.name = "target",
     .type = word,
     .default_value = "guess",
     .choices = "guess|exact",
     .doc = "exact: the start values are kept; guess: they may give way to others"},
};

inline constexpr A coupling_attributes[] = {
    {.name = "name", .type = name, .doc = "name"},
    {.name = "relation",
     .type = runtime,
     .dimension = "?",
     .required = true,
     .doc = "what must be zero: a sum of factors times coordinates of joints, with factors and a "
            "constant of parameters alone"},
};

inline constexpr TagSchema joint_tags[] = {
    {.name = "revolute",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .coordinates = "q:rad",
     .attributes = revolute_attributes,
     .doc = "A hinge: the origins of a and b coincide and b turns about an axis of a.",
     .formula = "r_b = r_a;  R_b = R_a R(axis, q)",
     .example = R"xml(<body name="door" mass="20 kg" com="0.4 m, 0" inertia="1.1 kg.m^2"/>
<revolute name="hinge" a="ground" b="door" q="90 deg" target="exact" damping="2 N.m.s/rad"/>)xml"},
    {.name = "prismatic",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .coordinates = "q:m",
     .attributes = prismatic_attributes,
     .doc = "A slide: b moves along an axis of a and does not turn against it.",
     .formula = "r_b = r_a + R_a axis q;  R_b = R_a",
     .example = R"xml(<body name="slide" mass="2 kg"/>
<prismatic name="rail" a="ground" b="slide" axis="x" q="10 mm" damping="5 N.s/m"/>)xml"},
    {.name = "weld",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .attributes = weld_attributes,
     .doc = "Holds b on a: origins and axes coincide.",
     .formula = "r_b = r_a;  R_b = R_a",
     .example = R"xml(<frame name="shelf" pos="0, 1 m"/>
<body name="vase" mass="1 kg" inertia="0.01 kg.m^2"/>
<weld a="shelf" b="vase"/>)xml"},
    {.name = "spherical",
     .role = TagRole::joint,
     .space = SpaceSupport::spatial,
     .parents = "mbs repeat",
     .attributes = spherical_attributes,
     .doc = "A ball joint: the origins of a and b coincide.",
     .formula = "r_b = r_a",
     .example = R"xml(<body name="lamp" mass="1 kg" com="0, 0, -1 m" inertia="0.01, 0.01, 0.01"/>
<spherical name="ball" a="ground" b="lamp" rot="20 deg, 0, 0" omega="0, 0, 1 rad/s"/>)xml"},
    {.name = "free",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .coordinates = "x:m:p0 y:m:p1 phi:rad:a2 | x:m:p0 y:m:p1 z:m:p2",
     .attributes = free_attributes,
     .doc = "Holds nothing: it gives start values and coordinates to a body that moves freely.",
     .example = R"xml(<body name="plate" mass="1 kg" inertia="0.1 kg.m^2"/>
<free name="flight" b="plate" pos="0, 2 m" vel="3 m/s, 4 m/s" omega="10 rad/s" target="exact"/>
<output name="height" value="flight.y"/>)xml"},
    {.name = "coupling",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .attributes = coupling_attributes,
     .doc = "A linear relation between coordinates of joints: gears, racks, cables over drums. On "
            "each coordinate it exerts a force, all of them in proportion to the factors. A "
            "relation between angles holds for the turns that they have at the start.",
     .formula = "0 = sum factor_k q_k + constant",
     .example = R"xml(<body name="pinion" mass="1 kg" inertia="0.01 kg.m^2"/>
<body name="rack" mass="5 kg"/>
<revolute name="shaft" a="ground" b="pinion"/>
<prismatic name="rail" a="ground" b="rack" axis="x"/>
<coupling name="teeth" relation="rail.q + shaft.q*50 mm"/>)xml"},
};

}  // namespace mbs::tables
