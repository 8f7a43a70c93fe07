#pragma once

// Schema: the tags that make up a file.

#include "engine/model/schema/rows.hpp"

namespace mbs::tables {

inline constexpr A mbs_attributes[] = {
    needed("name", name, "name of the model"),
    needed("version", integer,
           "version of the file format: 1; a file of a newer version is refused"),
    choice("planar", "xy|xz|yz",
           "the plane in which a planar model moves; absent: the model is spatial"),
    optional("doc", text, "what the model is"),
};

inline constexpr A repeat_attributes[] = {
    needed("index", name, "name of the number of the pass, 1 to count, for expressions inside"),
    needed("count", integer, "1", "how many passes; from numbers and structural parameters", ">=0"),
    optional("prev", item, "the frame that the keyword `prev` means in the first pass"),
    optional("next", item,
             "the frame of a pass that the keyword `prev` means in the pass after it"),
};

inline constexpr A use_attributes[] = {
    needed("name", name, "name of the subsystem; its contents are addressed as name.item"),
    optional("file", file, "the model file, relative to the file that contains this line"),
    with_default("at", frame, "ground",
                 "the frame that is the subsystem's ground, in position and orientation"),
    choice("mirror", "x|y|z",
           "makes the mirror image: this axis of the subsystem points the other way"),
    optional("doc", text, "what it is"),
};

inline constexpr A import_attributes[] = {
    needed("name", name,
           "name of the subsystem; its contents are addressed as name.link and name.joint"),
    needed("file", file, "the robot description, relative to the file that contains this line"),
    with_default("at", frame, "ground",
                 "the frame where the root link is at the start, and stays if it is fixed"),
    choice("base", "fixed|free", "fixed",
           "the joint of the root link, called base: fixed to the frame `at`, or free to move"),
    choice("fixed_joints", "merge|weld", "merge",
           "merge: what hangs on fixed joints becomes one body; weld: links with mass stay bodies "
           "of their own, and the fixed joints have reactions"),
    choice("limits", "stops|none", "stops",
           "what becomes of `lower` and `upper` of <limit>: a stop each, without restitution and "
           "with a rest speed of 1 mrad/s, or 1 mm/s; or nothing"),
    choice("friction", "coulomb|regularised|none", "coulomb",
           "what becomes of the friction of <dynamics>: Coulomb friction with true sticking, "
           "regularised friction (width 0.01 rad/s, or 1 mm/s, which is stiff where limbs are "
           "light), or nothing"),
    choice("mirror", "x|y|z",
           "makes the mirror image: this axis of the subsystem points the other way"),
    optional("doc", text, "what it is"),
};

inline constexpr A set_attributes[] = {
    optional("*", any,
             "the name of a parameter of the subsystem and its new value, an expression of the "
             "parameters of this file; in an event the name of a state or discrete variable and an "
             "expression like that of `when`"),
};

inline constexpr A default_attributes[] = {
    optional("class", name,
             "only for elements with this `class`; absent: for all elements of the tags inside"),
};

inline constexpr TagSchema structure_tags[] = {
    {.name = "mbs",
     .role = TagRole::structure,
     .parents = "use",
     .attributes = mbs_attributes,
     .doc = "The whole model, the root of every file. Inside <use> it is a subsystem written in "
            "place.",
     .example = R"xml(<mbs name="Pendulum" version="1" planar="xy" doc="a stick on a nail">
  <gravity g="0, -9.81 m/s^2"/>
  <body name="stick" mass="1 kg" com="0, -0.5 m" inertia="1/12 * 1 kg.m^2"/>
  <revolute name="nail" a="ground" b="stick" q="30 deg"/>
  <output name="phi" of="nail" quantity="q" unit="deg"/>
</mbs>)xml"},
    {.name = "repeat",
     .role = TagRole::structure,
     .parents = "mbs repeat",
     .attributes = repeat_attributes,
     .doc = "Makes its contents `count` times. Names inside get the number of the pass: link[1], "
            "link[2]; in a repeat inside a repeat link[1,2]. Inside and outside they are addressed "
            "with it: link[i], link[i-1].bottom, link[N].",
     .rules = "with(prev,next) with(next,prev)",
     .example = R"xml(<parameter name="N" value="5" variability="structural"/>
<frame name="nail" pos="0, 2 m"/>
<repeat index="i" count="N" prev="nail" next="link[i].end">
  <body name="link" mass="0.2 kg" com="5 cm, 0" inertia="0.2 kg * (10 cm)^2/12">
    <frame name="end" pos="10 cm, 0"/>
  </body>
  <revolute name="pin" a="prev" b="link[i]" q="if(i == 1, 30 deg, 0)"/>
</repeat>
<output name="end" of="link[N].end" quantity="position" component="x"/>)xml"},
    {.name = "use",
     .role = TagRole::structure,
     .parents = "mbs repeat",
     .attributes = use_attributes,
     .doc = "Takes another model into this one, as often as wanted under different names. The "
            "subsystem sees only its own names and its ground, which is the frame `at`. Its "
            "gravity, init and solver count only when it is simulated alone.",
     .rules = "one(file,mbs)",
     .example = R"xml(<frame name="left" pos="0, 1 m"/>
<use name="swing" at="left">
  <set l="2 m"/>
  <mbs name="Swing" version="1" planar="xy">
    <parameter name="l" value="1 m"/>
    <body name="seat" mass="30 kg" com="0, -l"/>
    <revolute name="bar" a="ground" b="seat" q="20 deg"/>
  </mbs>
</use>
<output name="phi" of="swing.bar" quantity="q" unit="deg"/>)xml"},
    {.name = "import",
     .role = TagRole::structure,
     .space = SpaceSupport::spatial,
     .parents = "mbs repeat",
     .attributes = import_attributes,
     .doc = "Takes a robot description (URDF) into the model. Links become bodies, those without "
            "mass or on fixed joints frames; joints keep their names; a continuous joint is a "
            "<revolute>, a floating one <free>, a planar one the slides joint_u and joint_v before "
            "a <revolute>; <mimic> is a <coupling>, the damping of <dynamics> that of the joint, "
            "its friction the <friction> joint_friction (see `friction`); `lower` and `upper` of "
            "<limit> are the "
            "stops joint_lower and joint_upper. A "
            "joint starts at zero, or in the middle of limits that leave zero out: the parameters "
            "joint_q0 and joint_qd0 set it otherwise. A joint beyond which nothing has inertia is "
            "fixed at zero, with a warning. Characters that no "
            "name can have become _. Elements without a use here, as shapes and the bounds of "
            "effort and velocity, are listed in a note with their lines.",
     .example = R"xml(<frame name="table" pos="0, 0, 0.8 m"/>
<import name="arm" file="arm.urdf" at="table"><set elbow_q0="30 deg"/></import>
<input name="M" unit="N.m"/>
<torque name="motor" joint="arm.elbow" value="M"/>
<output name="angle" of="arm.elbow" quantity="q" unit="deg"/>
<output name="height" of="arm.tool" quantity="position" component="z"/>)xml"},
    {.name = "set",
     .role = TagRole::structure,
     .parents = "use import event",
     .attributes = set_attributes,
     .doc = "In `use`: gives parameters of a subsystem other values. In `event`: gives states and "
            "discrete variables others when it happens; all values of an event are taken before "
            "any is set.",
     .example = R"xml(<use name="mass">
  <set m="2 kg"/>
  <mbs name="Mass" version="1" planar="xy">
    <parameter name="m" value="1 kg"/>
    <particle name="p" mass="m"/>
  </mbs>
</use>)xml"},
    {.name = "default",
     .role = TagRole::structure,
     .parents = "mbs",
     .attributes = default_attributes,
     .doc = "Attributes that elements of this file have when they do not give them themselves: "
            "those of a class for elements with that `class`, those without a class for all.",
     .example = R"xml(<default><revolute damping="0.1 N.m.s/rad"/></default>
<default class="worn"><revolute damping="0.5 N.m.s/rad"/></default>
<body name="a" mass="1 kg" inertia="1 kg.m^2"/>
<body name="b" mass="1 kg" inertia="1 kg.m^2"/>
<revolute name="r" a="ground" b="a"/>
<revolute name="s" a="ground" b="b" class="worn"/>)xml"},
};

}  // namespace mbs::tables
