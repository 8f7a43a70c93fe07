#pragma once

// Schema: bodies and frames.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A body_attributes[] = {
    needed("name", name, "name; alone it means the frame at the body's origin"),
    needed("mass", number, "kg", "mass", ">=0"),
    with_default("com", position, "m", "0",
                 "centre of mass, from the body's origin in the body's axes"),
    with_default("inertia", inertia, "kg.m^2", "0",
                 "moments of inertia about the centre of mass in the body's axes; spatial: the "
                 "entries Ixx, Iyy, Izz and, if not zero, Ixy, Ixz, Iyz of the inertia matrix (Ixy "
                 "is minus the integral of x*y)"),
    choice("inertia_check", "error|warning", "error",
           "what it is when no distribution of mass has such an inertia: an error, or, as for "
           "published data that is to be used as it is, a warning"),
};

inline constexpr A particle_attributes[] = {
    needed("name", name, "name; it is also a frame"),
    with_default("mass", number, "kg", "0 kg",
                 "mass; without mass joints and rods must hold it in all directions: forces alone "
                 "do not say how it moves",
                 ">=0"),
};

inline constexpr A frame_attributes[] = {
    needed("name", name, "name; of a body's frame it is body.name"),
    optional("on", frame,
             "the frame it is placed on; absent: the body that holds it, otherwise ground"),
    with_default("pos", position, "m", "0", "its origin, in the axes of the frame it is placed on"),
    with_default("rot", rotation, "rad", "0",
                 "its orientation: planar an angle; spatial the angles rx, ry, rz, turned about x, "
                 "then the new y, then the new z"),
};

inline constexpr TagSchema body_tags[] = {
    {.name = "body",
     .role = TagRole::body,
     .parents = "mbs repeat",
     .attributes = body_attributes,
     .doc = "A rigid body. It is free to move until joints hold it. Its frames stand inside it.",
     .formula = "m a = sum of forces;  J w' + w x J w = sum of torques about the centre of mass",
     .example = R"xml(<body name="rod" mass="0.2 kg" com="15 cm, 0" inertia="0.0015 kg.m^2">
  <frame name="pin" pos="30 cm, 0"/>
</body>)xml"},
    {.name = "particle",
     .role = TagRole::body,
     .parents = "mbs repeat",
     .attributes = particle_attributes,
     .doc = "A point that moves without turning: its axes stay parallel to those of ground. It may "
            "have no mass.",
     .formula = "m a = sum of forces",
     .example = R"xml(<frame name="nail" pos="1 m, 0"/>
<particle name="knot" mass="50 g"/>
<spring name="left" a="ground" b="knot" stiffness="1 kN/m" length="0.4 m"/>
<spring name="right" a="knot" b="nail" stiffness="2 kN/m" length="0.4 m"/>)xml"},
    {.name = "frame",
     .role = TagRole::frame,
     .parents = "mbs repeat body",
     .attributes = frame_attributes,
     .doc = "A point with axes, fixed on a body or on ground, where joints and forces attach.",
     .formula = "r = r_on + R_on pos,  R = R_on Rx(rot_x) Ry(rot_y) Rz(rot_z)",
     .example = R"xml(<frame name="tower" pos="0, 24 m"/>
<frame name="arm" on="tower" pos="2 m, 0" rot="30 deg"/>)xml"},
};

}  // namespace mbs::tables
