#pragma once

// Schema: contacts, stops and dry friction.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A contact_attributes[] = {
    optional("name", name, "name; gives the output quantity `force`, pushing"),
    needed("a", frame, "frame of the plane or of the first ball"),
    needed("b", frame, "frame whose origin is the point or the centre of the ball that touches"),
    optional("normal", axis,
             "of the plane through the origin of a, in the axes of a; b stays on its side"),
    optional("radius_a", number, "m", "instead of a plane: radius of a ball about a", ">=0"),
    optional("radius_b", number, "m", "radius of the ball about b; absent: a point", ">=0"),
    with_default("restitution", number, "1", "0", "what an impact gives back", "0..1"),
    choice(
        "law", "newton|poisson", "newton",
        "newton: the speed after an impact is `restitution` times that before; poisson: the "
        "impulse of the expansion is `restitution` times that of the compression, with Coulomb's "
        "friction in both. They differ with friction and where several contacts meet at once"),
    with_default("mu", number, "1", "0", "coefficient of friction while it slides, and in impacts",
                 ">=0"),
    optional("mu_static", number, "1", "while it sticks, at least mu; absent: mu", ">=0"),
    with_default(
        "rest_speed", number, "m/s", "0",
        "a contact that leaves an impact more slowly stays closed; 0: one whose bounces have "
        "become lower than the resolution of positions, or slower than the absolute tolerance",
        ">=0"),
};

inline constexpr A end_stop_attributes[] = {
    optional("name", name, "name; gives the output quantity `force`, of the stop"),
    needed("joint", joint, "?", "a joint with one coordinate"),
    optional("lower", number, "?q", "least value of the coordinate"),
    optional("upper", number, "?q", "greatest value"),
    with_default("restitution", number, "1", "0", "what an impact gives back", "0..1"),
    choice("law", "newton|poisson", "newton", "of impacts, as in `contact`"),
    with_default("rest_speed", number, "?qd", "0",
                 "a coordinate that leaves the stop more slowly stays there; 0: as in `contact`",
                 ">=0"),
};

inline constexpr A friction_attributes[] = {
    optional("name", name, "name; gives the output quantity `force`, along the coordinate"),
    needed("joint", joint, "?", "a joint with one coordinate"),
    choice("law", "coulomb|regularised", "coulomb",
           "coulomb: sticks truly, with events where it begins and ends to slide; regularised: a "
           "smooth function of the rate, without events, which creeps where it should stick and is "
           "stiff"),
    optional("force", runtime, "?Q",
             "what it exerts while it slides: a friction coefficient times a normal force, which "
             "may be the measure of a reaction"),
    optional("mu", number, "1",
             "instead of `force`: coefficient of friction, times the reaction force of the joint "
             "itself; of a joint that turns, at `radius`",
             ">=0"),
    optional("radius", number, "m", "of the bearing, with `mu` where the joint turns", ">0"),
    with_default("static", number, "1", "1", "ratio of static to sliding friction, at least 1",
                 ">=0"),
    with_default("speed", number, "?qd", "0",
                 "rate of the coordinate at which it sticks: that of a belt"),
    optional("width", number, "?qd",
             "of law=\"regularised\": the rate at which it has 76 % of its force", ">0"),
};

inline constexpr TagSchema contact_tags[] = {
    {.name = "contact",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = contact_attributes,
     .doc = "A contact that can only push: a point or ball of b against a plane of a, or two "
            "balls. It closes, opens, bounces, sticks and slides; all contacts of a model are "
            "solved together as one complementarity problem. Touching balls in a row share an "
            "impact as the law says: with "
            "newton and restitution 1 a ball that meets four others at rest turns back with 3/5 "
            "of its speed, and they leave with 2/5; with gaps between them the last one leaves "
            "with all of it.\n\n"
            "Bouncing (a Zeno sequence of impacts) ends in finite time, also in loops: where "
            "bounces become lower than the last digits of positions can resolve, the contact is "
            "closed, and the log says so with the time that the remaining bounces would have "
            "taken. Impacts and closed contacts are in the log as well.\n\n"
            "The FMU shows the contact mode as a whole number, `name.mode`. 0: open; 1: closed, "
            "and with friction it sticks; 2: it slides; 3: redundant, closed and at rest because "
            "other constraints leave it no motion: its friction is the share of its limit that was "
            "distributed over all redundant contacts; 4: inactive, closed, but its load is carried "
            "by others (the fourth leg of a table); 5, 6: in space redundant along the first, the "
            "second tangent alone (x and y where the normal is z, in their order), while it sticks "
            "along the other, as the second contact point of a body that stands on two.\n\n"
            "Where friction is statically indeterminate, the contact points of one body share it "
            "such that all reach their limits at the same load: the stick-slip transition happens "
            "at all of them together, along the motion that begins there. Just "
            "after that, below a speed by the tolerance (the square root of atol, for some "
            "hundredths of a second), the direction of friction follows the forces as well as the "
            "speed.",
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
         "is redundant: others that stick, or a stop, leave the coordinate no motion, and its "
         "friction is the share of its limit that was distributed over all.",
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
