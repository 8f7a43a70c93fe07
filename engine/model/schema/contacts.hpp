#pragma once

// Schema: contacts, stops and dry friction.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A contact_attributes[] = {
    {.name = "name", .type = name, .doc = "name; gives the output quantity `force`, pushing"},
    {.name = "a",
     .type = frame,
     .required = true,
     .doc = "frame of the plane or of the first ball"},
    {.name = "b",
     .type = frame,
     .required = true,
     .doc = "frame whose origin is the point or the centre of the ball that touches"},
    {.name = "normal",
     .type = axis,
     .doc = "of the plane through the origin of a, in the axes of a; b stays on its side"},
    {.name = "radius_a",
     .type = number,
     .dimension = "m",
     .doc = "instead of a plane: radius of a ball about a",
     .range = ">=0"},
    {.name = "radius_b",
     .type = number,
     .dimension = "m",
     .doc = "radius of the ball about b; absent: a point",
     .range = ">=0"},
    {.name = "restitution",
     .type = number,
     .dimension = "1",
     .default_value = "0",
     .doc = "what an impact gives back",
     .range = "0..1"},
    {.name = "law",
     .type = keyword,
     .default_value = "newton",
     .choices = "newton|poisson",
     .doc =
         "newton: the speed after an impact is `restitution` times that before; poisson: the "
         "impulse of the expansion is `restitution` times that of the compression, with Coulomb's "
         "friction in both. They differ with friction and where several contacts meet at once"},
    {.name = "mu",
     .type = number,
     .dimension = "1",
     .default_value = "0",
     .doc = "coefficient of friction while it slides, and in impacts",
     .range = ">=0"},
    {.name = "mu_static",
     .type = number,
     .dimension = "1",
     .doc = "while it sticks, at least mu; absent: mu",
     .range = ">=0"},
    {.name = "rest_speed",
     .type = number,
     .dimension = "m/s",
     .default_value = "0",
     .doc = "a contact that leaves an impact more slowly stays closed; 0: one whose bounces have "
            "become lower than positions can resolve, or slower than the absolute tolerance",
     .range = ">=0"},
};

inline constexpr A end_stop_attributes[] = {
    {.name = "name", .type = name, .doc = "name; gives the output quantity `force`, of the stop"},
    {.name = "joint",
     .type = joint,
     .dimension = "?",
     .required = true,
     .doc = "a joint with one coordinate"},
    {.name = "lower", .type = number, .dimension = "?q", .doc = "least value of the coordinate"},
    {.name = "upper", .type = number, .dimension = "?q", .doc = "greatest value"},
    {.name = "restitution",
     .type = number,
     .dimension = "1",
     .default_value = "0",
     .doc = "what an impact gives back",
     .range = "0..1"},
    {.name = "law",
     .type = keyword,
     .default_value = "newton",
     .choices = "newton|poisson",
     .doc = "of impacts, as in `contact`"},
    {.name = "rest_speed",
     .type = number,
     .dimension = "?qd",
     .default_value = "0",
     .doc = "a coordinate that leaves the stop more slowly stays there; 0: as in `contact`",
     .range = ">=0"},
};

inline constexpr A friction_attributes[] = {
    {.name = "name",
     .type = name,
     .doc = "name; gives the output quantity `force`, along the coordinate"},
    {.name = "joint",
     .type = joint,
     .dimension = "?",
     .required = true,
     .doc = "a joint with one coordinate"},
    {.name = "law",
     .type = keyword,
     .default_value = "coulomb",
     .choices = "coulomb|regularised",
     .doc = "coulomb: sticks truly, with events where it begins and ends to slide; regularised: a "
            "smooth function of the rate, without events, which creeps where it should stick and "
            "is stiff"},
    {.name = "force",
     .type = runtime,
     .dimension = "?Q",
     .doc = "what it exerts while it slides: a friction coefficient times a normal force, which "
            "may be the measure of a reaction"},
    {.name = "mu",
     .type = number,
     .dimension = "1",
     .doc = "instead of `force`: coefficient of friction, times the reaction force of the joint "
            "itself; of a joint that turns, at `radius`",
     .range = ">=0"},
    {.name = "radius",
     .type = number,
     .dimension = "m",
     .doc = "of the bearing, with `mu` where the joint turns",
     .range = ">0"},
    {.name = "static",
     .type = number,
     .dimension = "1",
     .default_value = "1",
     .doc = "how much more it holds while it sticks, at least 1",
     .range = ">=0"},
    {.name = "speed",
     .type = number,
     .dimension = "?qd",
     .default_value = "0",
     .doc = "rate of the coordinate at which it sticks: that of a belt"},
    {.name = "width",
     .type = number,
     .dimension = "?qd",
     .doc = "of law=\"regularised\": the rate at which it has 76 % of its force",
     .range = ">0"},
};

inline constexpr TagSchema contact_tags[] = {
    {.name = "contact",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = contact_attributes,
     .doc =
         "A contact that can only push: a point or ball of b against a plane of a, or two "
         "balls. It closes, opens, bounces, sticks and slides; all contacts of a model are "
         "solved together. Touching balls in a row share an impact as the law says: with "
         "newton and restitution 1 a ball that meets four others at rest turns back with 3/5 "
         "of its speed, and they leave with 2/5; with gaps between them the last one leaves "
         "with all of it.\n\n"
         "Bouncing ends after finitely many impacts, also in loops: where bounces become lower "
         "than "
         "the last digits of positions can resolve, the contact is brought to rest, and the log "
         "says "
         "when the bounces would have ended. Impacts and contacts that come to rest are logged as "
         "well.\n\n"
         "The FMU has the mode of the contact as a whole number, `name.mode`. 0: open; 1: closed, "
         "and with friction it sticks; 2: it slides; 3: closed, and its friction is redundant: "
         "other contacts, or joints, prevent sliding, and it keeps the part of its static limit "
         "that was found for all together; 4: inactive, its gap is zero and others carry its load "
         "(the fourth leg of a table); 5, 6: in space redundant along the first, the second "
         "tangent alone (x and y where the normal is z, in their order), while it sticks along the "
         "other, as the second contact point of a body that stands on two.\n\n"
         "Contact points of one body share the friction that holds it such that all reach their "
         "limits at the same load: they begin to slide together, along the motion that begins "
         "there. Just after this stick-slip transition, below a speed by the tolerance (the square "
         "root of atol, for some hundredths of a second), the direction of friction follows the "
         "forces as well as the speed.",
     .values = "force:N",
     .rules = "one(normal,radius_a)",
     .formula = "gap >= 0, N >= 0, gap N = 0;  |T| <= mu N;  u+ = -restitution u-",
     .example = R"xml(<gravity g="0, -9.81 m/s^2"/>
<particle name="ball" mass="1 kg"/>
<free name="start" a="ground" b="ball" pos="0, 1 m"/>
<contact name="floor" a="ground" b="ball" normal="y" restitution="0.8" mu="0.3"/>
<output name="push" of="floor" quantity="force" unit="N"/>)xml"},
    {.name = "end_stop",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = end_stop_attributes,
     .doc = "A hard stop of a joint's coordinate. Two of them bound it on both sides.",
     .values = "force:?Q",
     .rules = "one(lower,upper)",
     .formula = "q >= lower, or q <= upper;  q'+ = -restitution q'-",
     .example = R"xml(<body name="door" mass="20 kg" inertia="2 kg.m^2"/>
<revolute name="hinge" a="ground" b="door" qd="-1 rad/s"/>
<end_stop name="frame" joint="hinge" lower="-5 deg" restitution="0.2"/>)xml"},
    {.name = "friction",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = friction_attributes,
     .doc =
         "Coulomb friction along or about the coordinate of a joint. While it sticks the rate "
         "is exactly `speed`. In a bearing or guide `mu` takes the normal force from the joint's "
         "own reaction. `name.mode` in the FMU is 1 while it sticks, 2 while it slides, 3 while it "
         "is redundant: other friction, or a stop, prevents the motion of the coordinate, and it "
         "keeps the part of its static limit that was found for all together.",
     .values = "force:?Q",
     .rules = "one(force,mu) with(radius,mu)",
     .formula = "sliding: Q = -force sign(q' - speed);  sticking: |Q| <= static force;  "
                "regularised: Q = -force tanh((q' - speed)/width)",
     .example = R"xml(<body name="block" mass="2 kg"/>
<prismatic name="slide" a="ground" b="block" axis="x" stiffness="50 N/m" qd="0.3 m/s"/>
<friction name="belt" joint="slide" force="5 N" static="1.6" speed="0.3 m/s"/>
<body name="wheel" mass="2 kg" inertia="0.02 kg.m^2"/>
<revolute name="hub" a="ground" b="wheel" qd="20 rad/s"/>
<friction name="bearing" joint="hub" mu="0.1" radius="10 mm"/>)xml"},
};

}  // namespace mbs::tables
