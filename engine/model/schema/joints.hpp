#pragma once

// Schema: joints.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A target_of_start_values =
    choice("target", "guess|exact", "guess",
           "exact: the start values are kept; guess: they may give way to others");

inline constexpr A revolute_attributes[] = {
    optional("name", name, "name; gives name.q (angle) and name.qd (its rate)"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    with_default("axis", rotation_axis, "z",
                 "axis in the axes of a, about which b turns; in the plane z is its normal, and -z "
                 "counts the angle the other way"),
    optional("q", number, "rad", "angle of b against a at the start"),
    optional("qd", number, "rad/s", "its rate at the start"),
    choice("target", "guess|exact", "guess",
           "exact: the start values q and qd are kept; guess: they may give way to others"),
    with_default("damping", number, "N.m.s/rad", "0", "torque against the rate", ">=0"),
    with_default("stiffness", number, "N.m/rad", "0", "torque against the angle"),
    with_default("rest", number, "rad", "0", "angle at which the stiffness gives no torque"),
};

inline constexpr A prismatic_attributes[] = {
    optional("name", name, "name; gives name.q (distance) and name.qd (its rate)"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    needed("axis", axis, "direction in the axes of a, along which b slides: x, -y, or components"),
    optional("q", number, "m", "distance of b from a along the axis at the start"),
    optional("qd", number, "m/s", "its rate at the start"),
    choice("target", "guess|exact", "guess",
           "exact: the start values q and qd are kept; guess: they may give way to others"),
    with_default("damping", number, "N.s/m", "0", "force against the rate", ">=0"),
    with_default("stiffness", number, "N/m", "0", "force against the distance"),
    with_default("rest", number, "m", "0", "distance at which the stiffness gives no force"),
};

inline constexpr A weld_attributes[] = {
    optional("name", name, "name"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
};

inline constexpr A spherical_attributes[] = {
    optional("name", name, "name"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    optional("rot", rotation, "rad", "orientation of b against a at the start"),
    optional("omega", axial, "rad/s",
             "angular velocity of b against a at the start, in the axes of a"),
    target_of_start_values,
};

inline constexpr A free_attributes[] = {
    optional("name", name,
             "name; gives name.x, name.y and in the plane name.phi, in space name.z, and their "
             "rates name.xd, ..."),
    with_default("a", frame, "ground", "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    optional("pos", position, "m", "origin of b in the axes of a at the start"),
    optional("rot", rotation, "rad", "orientation of b against a at the start"),
    optional("vel", position, "m/s",
             "velocity of b's origin against a at the start, in the axes of a"),
    optional("omega", axial, "rad/s",
             "angular velocity of b against a at the start, in the axes of a"),
    target_of_start_values,
};

inline constexpr A coupling_attributes[] = {
    optional("name", name, "name"),
    needed("relation", runtime, "?",
           "what must be zero: a sum of factors times coordinates of joints, with factors and a "
           "constant of parameters alone"),
};

inline constexpr A cylindrical_attributes[] = {
    optional("name", name, "name; gives name.q (angle), name.s (slide) and their rates"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    with_default("axis", rotation_axis, "z",
                 "axis in the axes of a, about which b turns and along which it slides"),
    optional("q", number, "rad", "angle of b against a at the start"),
    optional("qd", number, "rad/s", "its rate at the start"),
    optional("s", handed, "m", "slide of b along the axis at the start"),
    optional("sd", handed, "m/s", "its rate at the start"),
    target_of_start_values,
    with_default("damping", number, "N.m.s/rad", "0", "torque against the rate of the angle",
                 ">=0"),
    with_default("axial_damping", number, "N.s/m", "0", "force against the rate of the slide",
                 ">=0"),
};

inline constexpr A planar_attributes[] = {
    optional("name", name, "name; gives name.x, name.y (slides), name.q (angle) and their rates"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    with_default("axis", rotation_axis, "z",
                 "normal of the plane in the axes of a, about which b turns"),
    with_default("along", axis, "x", "direction of x, perpendicular to the axis; y is across both"),
    optional("x", number, "m", "slide of b along x at the start"),
    optional("xd", number, "m/s", "its rate at the start"),
    optional("y", number, "m", "slide of b along y at the start"),
    optional("yd", number, "m/s", "its rate at the start"),
    optional("q", number, "rad", "angle of b against a at the start"),
    optional("qd", number, "rad/s", "its rate at the start"),
    target_of_start_values,
    with_default("damping", number, "N.s/m", "0", "force against the rates of the slides", ">=0"),
    with_default("angular_damping", number, "N.m.s/rad", "0",
                 "torque against the rate of the angle", ">=0"),
};

inline constexpr A universal_attributes[] = {
    optional("name", name,
             "name; gives the angles name.q1 (about the axis of a), name.q2 (about that of b) and "
             "their rates"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    with_default("axis", rotation_axis, "z", "the axis that is fixed in a"),
    with_default("second", rotation_axis, "x",
                 "the axis that is fixed in b, perpendicular to the other; in the axes of a where "
                 "both angles are 0"),
    optional("q1", number, "rad", "angle about the axis of a at the start"),
    optional("q1d", number, "rad/s", "its rate at the start"),
    optional("q2", number, "rad", "angle about the axis of b at the start"),
    optional("q2d", number, "rad/s", "its rate at the start"),
    target_of_start_values,
    with_default("damping", number, "N.m.s/rad", "0", "torque against the rate of each angle",
                 ">=0"),
};

inline constexpr A screw_attributes[] = {
    optional("name", name, "name; gives name.q (angle) and name.qd (its rate)"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    with_default("axis", rotation_axis, "z",
                 "axis in the axes of a, about which b turns and along which it advances"),
    needed("pitch", handed, "m", "advance for each turn, not 0; negative: a left-handed thread"),
    optional("q", number, "rad",
             "angle of b against a at the start; where it is 0 the origins coincide"),
    optional("qd", number, "rad/s", "its rate at the start"),
    target_of_start_values,
    with_default("damping", number, "N.m.s/rad", "0", "torque against the rate of the angle",
                 ">=0"),
};

inline constexpr A in_line_attributes[] = {
    optional("name", name, "name"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    needed("axis", axis, "direction of the line through the origin of a, in the axes of a"),
};

inline constexpr A in_plane_attributes[] = {
    optional("name", name, "name"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    needed("axis", axis, "normal of the plane through the origin of a, in the axes of a"),
};

inline constexpr A parallel_attributes[] = {
    optional("name", name, "name"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    with_default("axis", rotation_axis, "z",
                 "the axis, in the axes of a and of b; without meaning in the plane"),
};

inline constexpr A rod_attributes[] = {
    optional("name", name, "name"),
    needed("a", frame, "frame on the first side"),
    needed("b", frame, "frame on the second side"),
    optional("length", number, "m", "distance of the two origins; absent: as at the start", ">0"),
};

inline constexpr A gear_attributes[] = {
    optional("name", name, "name"),
    needed("a", joint, "rad", "the joint of the first wheel"),
    needed("b", joint, "rad", "the joint of the second wheel"),
    needed("ratio", number, "1",
           "turns of b for each of a, not 0; negative where they turn in opposite senses, as "
           "wheels with outer teeth do: minus the teeth of a by those of b"),
    with_default("offset", number, "rad", "0", "angle of b where that of a is 0"),
};

inline constexpr A rack_attributes[] = {
    optional("name", name, "name"),
    needed("a", joint, "rad", "the joint of the pinion"),
    needed("b", joint, "m", "the joint on which the rack slides"),
    needed("radius", number, "m",
           "slide of b for each radian of a, not 0; negative where it goes the other way"),
    with_default("offset", number, "m", "0", "slide of b where the angle of a is 0"),
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
     .formula = "r_b = r_a + R_a pos,  R_b = R_a Rx Ry Rz(rot): a start, no constraint",
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
    {.name = "cylindrical",
     .role = TagRole::joint,
     .space = SpaceSupport::spatial,
     .parents = "mbs repeat",
     .coordinates = "q:rad s:m:h",
     .attributes = cylindrical_attributes,
     .doc = "b slides along an axis of a and turns about it. It has two coordinates: forces act on "
            "its frames.",
     .formula = "r_b = r_a + R_a axis s;  R_b = R_a R(axis, q)",
     .example = R"xml(<body name="piston" mass="2 kg" inertia="0.01, 0.01, 0.004"/>
<cylindrical name="bore" a="ground" b="piston" axis="x" s="20 mm" qd="3 rad/s" damping="0.1 N.m.s/rad"/>
<output name="depth" value="bore.s"/>)xml"},
    {.name = "planar",
     .role = TagRole::joint,
     .space = SpaceSupport::spatial,
     .parents = "mbs repeat",
     .coordinates = "x:m y:m q:rad",
     .attributes = planar_attributes,
     .doc = "b moves in a plane of a: it slides in two directions and turns about the normal.",
     .formula = "axis.(r_b - r_a) = 0;  R_b = R_a R(axis, q)",
     .example = R"xml(<body name="puck" mass="0.2 kg" inertia="0.0001, 0.0001, 0.0002"/>
<planar name="ice" a="ground" b="puck" axis="z" along="x" xd="2 m/s" qd="10 rad/s" damping="0.01 N.s/m"/>
<output name="x" value="ice.x"/>)xml"},
    {.name = "universal",
     .role = TagRole::joint,
     .space = SpaceSupport::spatial,
     .parents = "mbs repeat",
     .coordinates = "q1:rad q2:rad",
     .attributes = universal_attributes,
     .doc = "A cross (Cardan, Hooke): the origins coincide, an axis fixed in a stays perpendicular "
            "to one fixed in b. Turning is handed on unevenly when the shafts are at an angle.",
     .formula = "r_b = r_a;  R_b = R_a R(axis, q1) R(second, q2)",
     .example = R"xml(<frame name="bearing" pos="0, 0, 0"/>
<body name="shaft" mass="3 kg" com="0.3 m, 0, 0" inertia="0.01, 0.1, 0.1"/>
<universal name="cross" a="ground" b="shaft" axis="z" second="y" q1="20 deg" q2="5 deg"/>
<output name="angle" value="cross.q2"/>)xml"},
    {.name = "screw",
     .role = TagRole::joint,
     .space = SpaceSupport::spatial,
     .parents = "mbs repeat",
     .coordinates = "q:rad",
     .attributes = screw_attributes,
     .doc = "A nut on a thread: b turns about an axis of a and advances along it, the pitch with "
            "each turn.",
     .formula = "r_b = r_a + R_a axis pitch q/(2 pi);  R_b = R_a R(axis, q)",
     .example = R"xml(<body name="nut" mass="1 kg" inertia="0.001, 0.001, 0.002"/>
<gravity g="0, 0, -9.81 m/s^2"/>
<screw name="thread" a="ground" b="nut" axis="z" pitch="5 mm" damping="0.001 N.m.s/rad"/>
<torque joint="thread" value="0.02 N.m"/>)xml"},
    {.name = "in_line",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .attributes = in_line_attributes,
     .doc = "A point on a line: the origin of b stays on a line of a; b turns as it likes.",
     .formula = "r_b - r_a = R_a axis s, for some s",
     .example =
         R"xml(<body name="rod" mass="1 kg" com="0.5 m, 0" inertia="0.1 kg.m^2"><frame name="end" pos="1 m, 0"/></body>
<revolute a="ground" b="rod" q="30 deg"/>
<body name="slot" mass="2 kg"/>
<prismatic a="ground" b="slot" axis="x" q="0.8 m"/>
<in_line name="groove" a="slot" b="rod.end" axis="y"/>)xml"},
    {.name = "in_plane",
     .role = TagRole::joint,
     .space = SpaceSupport::spatial,
     .parents = "mbs repeat",
     .attributes = in_plane_attributes,
     .doc = "A point in a plane: the origin of b stays in a plane of a; b turns as it likes.",
     .formula = "axis.(r_b - r_a) = 0, axis fixed in a",
     .example = R"xml(<particle name="bead" mass="10 g"/>
<gravity g="0, 0, -9.81 m/s^2"/>
<frame name="ramp" rot="0, 20 deg, 0"/>
<in_plane name="slide" a="ramp" b="bead" axis="z"/>)xml"},
    {.name = "parallel",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .attributes = parallel_attributes,
     .doc = "Keeps directions: an axis of b stays parallel to the same axis of a, wherever it "
            "moves; in the plane b does not turn against a.",
     .formula = "R_a axis = R_b axis;  in the plane phi_b = phi_a",
     .example = R"xml(<body name="tray" mass="1 kg"/>
<parallel name="level" a="ground" b="tray"/>)xml"},
    {.name = "rod",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .attributes = rod_attributes,
     .doc = "A rod without mass, pinned at both ends: it keeps the distance of two points. It "
            "pulls as well as it pushes; for what only pulls take <spring tension_only=\"true\">. "
            "A length that depends "
            "on tunable parameters changes with them.",
     .formula = "|r_b - r_a| = length;  written 0 = ((r_b - r_a)^2 - length^2)/(2 length)",
     .example = R"xml(<gravity g="0, -9.81 m/s^2"/>
<particle name="bob" mass="1 kg"/>
<free b="bob" pos="0.6 m, -0.8 m"/>
<rod name="string" a="ground" b="bob" length="1 m"/>
<output name="pull" of="string" quantity="reaction" component="norm" unit="N"/>)xml"},
    {.name = "gear",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .attributes = gear_attributes,
     .doc = "A pair of wheels with teeth, or any fixed ratio of the angles of two joints. It holds "
            "for the turns that the joints have at the start. Trains and planetary gears are made "
            "of several, on joints whose sides a are on the carrier.",
     .formula = "0 = q_b - ratio q_a - offset",
     .example =
         R"xml(<body name="small" mass="1 kg" inertia="0.001 kg.m^2"/> <body name="large" mass="9 kg" inertia="0.08 kg.m^2"/>
<frame name="there" pos="0.4 m, 0"/>
<revolute name="in" a="ground" b="small"/> <revolute name="out" a="there" b="large"/>
<gear name="stage" a="in" b="out" ratio="-20/60"/>
<torque joint="in" value="1 N.m"/>)xml"},
    {.name = "rack",
     .role = TagRole::joint,
     .parents = "mbs repeat",
     .attributes = rack_attributes,
     .doc = "A pinion and its rack: a slide goes with the angle of another joint.",
     .formula = "0 = q_b - radius q_a - offset",
     .example =
         R"xml(<body name="pinion" mass="1 kg" inertia="0.01 kg.m^2"/> <body name="bar" mass="5 kg"/>
<revolute name="shaft" a="ground" b="pinion"/> <prismatic name="rail" a="ground" b="bar" axis="x"/>
<rack name="teeth" a="shaft" b="rail" radius="-50 mm"/>)xml"},
};

}  // namespace mbs::tables
