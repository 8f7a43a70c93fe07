#pragma once

// Schema: prescribed motion, rolling, knife edges.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A drive_attributes[] = {
    optional("name", name,
             "name; gives the output quantity `force`, what it takes to move the coordinate so"),
    needed("joint", joint, "?", "a joint with one coordinate"),
    optional("q", runtime, "?q",
             "the coordinate over time: an expression of `time` and parameters that has two "
             "derivatives. A table is a `<curve>` with interpolation=\"spline\"; where it ends "
             "with beyond=\"constant\" the force steps"),
    optional("input", runtime, "?q", "instead: the name of an input that the coordinate follows"),
    with_default("lag", number, "s", "10 ms",
                 "the coordinate follows the input through two lags in series, each with this time "
                 "constant, so that a step of the input moves it smoothly, and it starts at rest "
                 "where the input is; 0: it is the input, whose first and second derivative are "
                 "then those the importer gives, and which must not step (the FMU is for "
                 "co-simulation alone: model exchange has no derivatives of inputs)",
                 ">=0"),
};

inline constexpr A rolling_attributes[] = {
    optional("name", name, "name; gives the output quantity `force`, with which the plane pushes"),
    needed("a", frame, "frame whose origin is a point of the plane"),
    needed("b", frame, "frame at the centre of what rolls"),
    needed("normal", axis, "of the plane, in the axes of a; b stands on its side"),
    needed("radius", number, "m", "of the wheel or ball", ">0"),
    optional("axis", axis,
             "in space: the axis of the wheel, in the axes of b; absent: it is a ball"),
    with_default("touches", boolean, "true", "false: something else holds it at its height"),
    with_default("across", boolean, "true",
                 "in space; false: it may slide along its axis (the second wheel of an axle)"),
};

inline constexpr A knife_edge_attributes[] = {
    optional("name", name, "name; gives the output quantity `force`, across"),
    with_default("a", frame, "ground", "frame against which it moves"),
    needed("b", frame, "frame whose origin is on the edge"),
    with_default("across", axis, "y",
                 "the direction along which that point cannot move, in the axes of b"),
};

inline constexpr A point_on_curve_attributes[] = {
    optional(
        "name", name,
        "name; gives the output quantity `force`, with which the curve pushes along its normal"),
    needed("a", frame, "frame that the curve is fixed to"),
    needed("b", frame, "frame whose origin stays on the curve"),
    needed_law("x", "m", "s:1",
               "of the point at the place s, in the axes of a: an expression of `s`, a number "
               "without unit, and parameters; it needs three derivatives"),
    needed_law("y", "m", "s:1", "likewise"),
    with_default("s", number, "1", "0",
                 "place where the search for the point begins, at the start"),
    with_default("distance", number, "m", "0",
                 "of b from the curve, to the left as s grows: the radius of a roller"),
};

inline constexpr A point_on_surface_attributes[] = {
    optional(
        "name", name,
        "name; gives the output quantity `force`, with which the surface pushes along its normal"),
    needed("a", frame, "frame that the surface is fixed to"),
    needed("b", frame, "frame whose origin stays on the surface"),
    needed_law("x", "m", "s1:1 s2:1",
               "of the point at the place (s1, s2), in the axes of a: an expression of `s1`, `s2`, "
               "numbers without unit, and parameters; it needs three derivatives"),
    needed_law("y", "m", "s1:1 s2:1", "likewise"),
    needed_law("z", "m", "s1:1 s2:1", "likewise"),
    with_default("s1", number, "1", "0",
                 "place where the search for the point begins, at the start"),
    with_default("s2", number, "1", "0", "likewise"),
    with_default("distance", number, "m", "0",
                 "of b from the surface, to the side of dr/ds1 x dr/ds2: the radius of a ball"),
};

inline constexpr TagSchema motion_tags[] = {
    {.name = "drive",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = drive_attributes,
     .doc =
         "Prescribes how the coordinate of a joint moves, whatever force that takes. At the "
         "start the joint stands and moves as the drive says; its own start values give way, "
         "those with target=\"exact\" must agree with it. Laws with steps or kinks (abs, min, max, "
         "sign, floor, ceil, mod, an if, a curve that is no spline) cannot be prescribed: they "
         "would take infinite forces.",
     .values = "force:?Q",
     .rules = "one(q,input) with(lag,input)",
     .formula = "0 = q - q(t);  by an input u:  lag^2 q'' + 2 lag q' + q = u",
     .example = R"xml(<curve name="lift" x_unit="s" y_unit="mm" interpolation="spline"
       beyond="constant" points="0 0; 0.2 4; 0.4 12; 0.6 15; 1 15"/>
<input name="steer" unit="deg"/>
<body name="crank" mass="1 kg" inertia="0.01 kg.m^2"/>
<body name="valve" mass="0.2 kg"/>
<body name="wheel" mass="9 kg" inertia="0.3 kg.m^2"/>
<revolute name="main" a="ground" b="crank"/>
<prismatic name="guide" a="ground" b="valve" axis="y"/>
<revolute name="kingpin" a="ground" b="wheel"/>
<drive name="motor" joint="main" q="30 deg*sin(2 rad/s*time)"/>
<drive name="cam" joint="guide" q="lift(time)"/>
<drive name="hand" joint="kingpin" input="steer" lag="50 ms"/>
<output name="torque" of="motor" quantity="force" unit="N.m"/>)xml"},
    {.name = "rolling",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = rolling_attributes,
     .doc = "A wheel, a thin disc or a ball that stays on a plane and rolls without sliding: the "
            "point of it that touches has the velocity of the plane there. It neither leaves the "
            "plane nor slips, whatever force that takes; see `contact` for what does. `along` is "
            "the force in the direction in which positive turning rolls it, `across` the one to "
            "the side (of a ball: along two axes of the plane). A disc that comes to lie flat "
            "ends the simulation.",
     .values = "force:N along:N|force:N along:N across:N",
     .formula = "0 = n.(r_b - r_a) - R sqrt(1 - (n.k)^2);  0 = velocity of b's matter against "
                "a's at the contact, along and across;  ball and wheel in the plane: n.k = 0",
     .example = R"xml(<gravity g="0, -9.81 m/s^2"/>
<frame name="slope" rot="-10 deg"/>
<body name="wheel" mass="2 kg" inertia="0.04 kg.m^2"/>
<free name="start" a="slope" b="wheel" pos="0, 0.2 m"/>
<rolling name="tread" a="slope" b="wheel" normal="y" radius="0.2 m"/>
<output name="grip" of="tread" quantity="value" component="along" unit="N"/>)xml"},
    {.name = "knife_edge",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = knife_edge_attributes,
     .doc = "A point that can move along an edge of its body and not across it: skates, blades, "
            "keels, a wheel whose turning does not matter. A nonholonomic constraint; it holds in "
            "no direction but `across`.",
     .values = "force:N",
     .formula = "0 = u.w,  u fixed in b, w the velocity of b's origin as seen from a",
     .example = R"xml(<body name="sledge" mass="20 kg" inertia="3 kg.m^2">
  <frame name="blade" pos="-0.5 m, 0"/>
</body>
<free name="start" b="sledge" vel="2 m/s, 0" omega="1 rad/s"/>
<knife_edge name="runner" b="sledge.blade" across="y"/>
<output name="side" of="runner" quantity="force" unit="N"/>)xml"},
    {.name = "point_on_curve",
     .role = TagRole::force,
     .space = SpaceSupport::planar,
     .parents = "mbs repeat",
     .attributes = point_on_curve_attributes,
     .doc = "Keeps a point on a curve of another body, without friction and on both sides: beads, "
            "rollers in grooves, cam followers. The place on the curve is a contact variable that "
            "is found with the motion, the one next to where it was.",
     .values = "force:N",
     .formula = "0 = t.(r_b - r(s)),  0 = n.(r_b - r(s)) - distance",
     .example = R"xml(<gravity g="0, -9.81 m/s^2"/>
<particle name="bead" mass="0.1 kg"/>
<free name="start" b="bead" pos="0.5 m, 0.25 m"/>
<point_on_curve name="wire" a="ground" b="bead" x="s*1 m" y="s^2*1 m" s="0.5"/>
<output name="push" of="wire" quantity="force" unit="N"/>)xml"},
    {.name = "point_on_surface",
     .role = TagRole::force,
     .space = SpaceSupport::spatial,
     .parents = "mbs repeat",
     .attributes = point_on_surface_attributes,
     .doc = "Keeps a point on a surface of another body, without friction and on both sides. The "
            "place on it is a pair of contact variables that are found with the motion.",
     .values = "force:N",
     .formula = "0 = r_,i.(r_b - r(s1, s2)),  0 = n.(r_b - r(s1, s2)) - distance",
     .example = R"xml(<gravity g="0, 0, -9.81 m/s^2"/>
<particle name="marble" mass="0.1 kg"/>
<free name="start" b="marble" pos="0.5 m, 0, 0.25 m" vel="0, 1 m/s, 0"/>
<point_on_surface name="bowl" a="ground" b="marble"
                  x="s1*1 m" y="s2*1 m" z="(s1^2 + s2^2)*1 m" s1="0.5"/>
<output name="push" of="bowl" quantity="force" unit="N"/>)xml"},
};

}  // namespace mbs::tables
