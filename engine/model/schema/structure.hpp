#pragma once

// Schema: the tags that make up a file, its variables and its settings.

#include "engine/model/schema.hpp"

namespace mbs::tables {

using A = AttributeSchema;
using enum AttributeType;

inline constexpr A mbs_attributes[] = {
    {.name = "name", .type = name, .required = true, .doc = "name of the model"},
    {.name = "version",
     .type = integer,
     .required = true,
     .doc = "version of the file format: 1; a file of a newer version is refused"},
    {.name = "planar",
     .type = word,
     .choices = "xy|xz|yz",
     .doc = "the plane in which a planar model moves; absent: the model is spatial"},
    {.name = "doc", .type = text, .doc = "what the model is"},
};

inline constexpr A repeat_attributes[] = {
    {.name = "index",
     .type = name,
     .required = true,
     .doc = "name of the number of the pass, 1 to count, for expressions inside"},
    {.name = "count",
     .type = integer,
     .dimension = "1",
     .required = true,
     .doc = "how many passes; from numbers and structural parameters",
     .range = ">=0"},
    {.name = "prev", .type = item, .doc = "the frame that the word `prev` means in the first pass"},
    {.name = "next",
     .type = item,
     .doc = "the frame of a pass that the word `prev` means in the pass after it"},
};

inline constexpr A use_attributes[] = {
    {.name = "name",
     .type = name,
     .required = true,
     .doc = "name of the subsystem; its contents are addressed as name.item"},
    {.name = "file",
     .type = file,
     .doc = "the model file, relative to the file that contains this line"},
    {.name = "at",
     .type = frame,
     .default_value = "ground",
     .doc = "the frame that is the subsystem's ground, in position and orientation"},
    {.name = "mirror",
     .type = word,
     .choices = "x|y|z",
     .doc = "makes the mirror image: this axis of the subsystem points the other way"},
    {.name = "doc", .type = text, .doc = "what it is"},
};

inline constexpr A set_attributes[] = {
    {.name = "*",
     .type = any,
     .doc = "the name of a parameter of the subsystem and its new value, an expression of the "
            "parameters of this file"},
};

inline constexpr A default_attributes[] = {
    {.name = "class",
     .type = name,
     .doc = "only for elements with this `class`; absent: for all elements of the tags inside"},
};

inline constexpr A parameter_attributes[] = {
    {.name = "name", .type = name, .required = true, .doc = "name for expressions and the FMU"},
    {.name = "value",
     .type = number,
     .dimension = "?",
     .required = true,
     .doc = "value at the start; may depend on other parameters in any order"},
    {.name = "unit", .type = unit, .doc = "unit for display; absent: the SI unit of the value"},
    {.name = "variability",
     .type = word,
     .default_value = "fixed",
     .choices = "structural|fixed|tunable",
     .doc = "structural: known when the FMU is made; fixed: set before initialisation; tunable: "
            "may be set while the simulation runs"},
    {.name = "resizable",
     .type = boolean,
     .default_value = "false",
     .doc = "structural, and may still change before initialisation"},
    {.name = "min", .type = number, .dimension = "?", .doc = "smallest value allowed"},
    {.name = "max", .type = number, .dimension = "?", .doc = "largest value allowed"},
    {.name = "doc", .type = text, .doc = "what it is"},
};

inline constexpr A input_attributes[] = {
    {.name = "name", .type = name, .required = true, .doc = "name for expressions and the FMU"},
    {.name = "unit", .type = unit, .default_value = "1", .doc = "unit, which gives its dimension"},
    {.name = "start",
     .type = number,
     .dimension = "?",
     .default_value = "0",
     .doc = "value until the simulation environment sets another"},
    {.name = "doc", .type = text, .doc = "what it is"},
};

inline constexpr std::string_view quantities =
    "position|velocity|acceleration|orientation|angular_velocity|angular_acceleration|q|qd|qdd|"
    "reaction|force|kinetic_energy|potential_energy|energy|residual|velocity_residual|statistic";
inline constexpr std::string_view measurable =
    "position|velocity|orientation|angular_velocity|q|qd";

inline constexpr A output_attributes[] = {
    {.name = "name", .type = name, .required = true, .doc = "name of the FMU's variable"},
    {.name = "value", .type = runtime, .dimension = "?", .doc = "an expression to put out"},
    {.name = "of", .type = element, .doc = "the item that is looked at"},
    {.name = "each",
     .type = item,
     .doc = "a repeated item: one output for each pass, name[1], name[2], ..."},
    {.name = "quantity",
     .type = word,
     .choices = quantities,
     .doc = "what of it, see the chapter on quantities"},
    {.name = "component",
     .type = text,
     .doc = "which component: x, y, z, norm, ...; see the chapter on quantities"},
    {.name = "in",
     .type = frame,
     .doc = "the frame whose axes give the components; absent: those "
            "of relative_to; for a reaction those of the joint's a"},
    {.name = "relative_to",
     .type = frame,
     .default_value = "ground",
     .doc = "the frame against which position, velocity and orientation are taken"},
    {.name = "unit", .type = unit, .doc = "unit for display; absent: the SI unit"},
    {.name = "doc", .type = text, .doc = "what it is"},
};

inline constexpr A measure_attributes[] = {
    {.name = "name", .type = name, .required = true, .doc = "name for expressions"},
    {.name = "of", .type = element, .required = true, .doc = "the item that is looked at"},
    {.name = "quantity",
     .type = word,
     .required = true,
     .choices = measurable,
     .doc = "what of it, see the chapter on quantities"},
    {.name = "component",
     .type = text,
     .doc = "which component: x, y, z, norm, ...; see the chapter on quantities"},
    {.name = "in",
     .type = frame,
     .doc = "the frame whose axes give the components; absent: those "
            "of relative_to"},
    {.name = "relative_to",
     .type = frame,
     .default_value = "ground",
     .doc = "the frame against which position, velocity and orientation are taken"},
    {.name = "doc", .type = text, .doc = "what it is"},
};

inline constexpr A state_attributes[] = {
    {.name = "name", .type = name, .required = true, .doc = "name for expressions and the FMU"},
    {.name = "start",
     .type = number,
     .dimension = "?",
     .required = true,
     .doc = "value at the start; its unit gives the state's dimension"},
    {.name = "der",
     .type = runtime,
     .dimension = "?",
     .required = true,
     .doc = "derivative with respect to time"},
    {.name = "unit", .type = unit, .doc = "unit for display; absent: the SI unit of the start"},
    {.name = "doc", .type = text, .doc = "what it is"},
};

inline constexpr A algebraic_attributes[] = {
    {.name = "name", .type = name, .required = true, .doc = "name for expressions and the FMU"},
    {.name = "start",
     .type = number,
     .dimension = "?",
     .required = true,
     .doc = "first guess; its unit gives the unknown's dimension"},
    {.name = "residual",
     .type = runtime,
     .dimension = "?",
     .required = true,
     .doc = "what must be zero"},
    {.name = "unit", .type = unit, .doc = "unit for display; absent: the SI unit of the start"},
    {.name = "doc", .type = text, .doc = "what it is"},
};

inline constexpr A gravity_attributes[] = {
    {.name = "g",
     .type = position,
     .dimension = "m/s^2",
     .required = true,
     .doc = "acceleration of free fall, in the axes of ground"},
};

inline constexpr A init_attributes[] = {
    {.name = "method",
     .type = word,
     .default_value = "projection",
     .choices = "projection",
     .doc = "projection: the joints' `exact` coordinates are kept, all else moves as little as "
            "possible until every joint is closed"},
};

inline constexpr A solver_attributes[] = {
    {.name = "method",
     .type = word,
     .default_value = "auto",
     .choices = "auto|extrapolation",
     .doc = "the integrator packed into the FMU; auto picks one and says why"},
    {.name = "coordinates",
     .type = word,
     .default_value = "auto",
     .choices = "auto|absolute",
     .doc = "in which coordinates the equations of motion are set up"},
    {.name = "linear",
     .type = word,
     .default_value = "auto",
     .choices = "auto|dense|sparse",
     .doc = "the linear solver"},
    {.name = "rtol",
     .type = number,
     .dimension = "1",
     .default_value = "1e-6",
     .doc = "relative error allowed in a step",
     .range = ">0"},
    {.name = "atol",
     .type = number,
     .dimension = "1",
     .default_value = "1e-8",
     .doc = "absolute error allowed in a step, in SI units",
     .range = ">0"},
    {.name = "initial_step",
     .type = number,
     .dimension = "s",
     .default_value = "0",
     .doc = "first step; 0: chosen",
     .range = ">=0"},
    {.name = "max_step",
     .type = number,
     .dimension = "s",
     .default_value = "0",
     .doc = "longest step; 0: no limit",
     .range = ">=0"},
    {.name = "max_order",
     .type = integer,
     .dimension = "1",
     .doc = "highest order; absent: the method's own",
     .range = "3..13"},
    {.name = "max_steps",
     .type = integer,
     .dimension = "1",
     .default_value = "0",
     .doc = "steps between two communication points after which the simulation gives up; 0: the "
            "method's own",
     .range = ">=0"},
    {.name = "start_time",
     .type = number,
     .dimension = "s",
     .default_value = "0",
     .doc = "start of the default experiment"},
    {.name = "stop_time",
     .type = number,
     .dimension = "s",
     .default_value = "1 s",
     .doc = "end of the default experiment"},
    {.name = "output_step",
     .type = number,
     .dimension = "s",
     .default_value = "0",
     .doc = "time between two outputs; 0: a 500th of the default experiment",
     .range = ">=0"},
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
    {.name = "set",
     .role = TagRole::structure,
     .parents = "use",
     .attributes = set_attributes,
     .doc = "Gives parameters of a subsystem other values.",
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

inline constexpr TagSchema variable_tags[] = {
    {.name = "parameter",
     .role = TagRole::variable,
     .parents = "mbs",
     .attributes = parameter_attributes,
     .doc = "A named value. Fixed and tunable ones are parameters of the FMU; what depends on "
            "them is computed again in it.",
     .example = R"xml(<parameter name="l" value="300 mm" doc="length"/>
<parameter name="A" value="pi*l^2" unit="cm^2"/>
<parameter name="d" value="0.02 N.m.s/rad" variability="tunable" min="0"/>)xml"},
    {.name = "input",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = input_attributes,
     .doc = "A signal from outside, an input of the FMU.",
     .example = R"xml(<input name="wind" unit="m/s" doc="horizontal wind speed"/>)xml"},
    {.name = "output",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = output_attributes,
     .doc = "A signal to the outside, an output of the FMU: an expression, or a quantity of an "
            "item of the model.",
     .rules = "one(value,quantity) not(of,each) with(of,quantity) with(each,quantity) "
              "with(component,quantity) with(in,quantity) with(relative_to,quantity)",
     .example = R"xml(<body name="box" mass="1 kg"/>
<prismatic name="rail" a="ground" b="box" axis="x"/>
<output name="x" of="box" quantity="position" component="x" unit="mm"/>
<output name="N" of="rail" quantity="reaction" component="fy" unit="N"/>
<output name="W" quantity="energy" unit="J"/>
<output name="twice" value="2*rail.q"/>)xml"},
    {.name = "measure",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = measure_attributes,
     .doc = "A quantity of positions and velocities under a name that expressions can use.",
     .example = R"xml(<particle name="ball" mass="1 kg"/>
<measure name="height" of="ball" quantity="position" component="y"/>
<force name="floor" on="ball" value="0, if(height > 0, 0, -height*10 kN/m)"/>)xml"},
    {.name = "state",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = state_attributes,
     .doc = "A variable with a differential equation of first order: actuators, controllers, "
            "hydraulics.",
     .formula = "d(name)/dt = der",
     .example = R"xml(<input name="command" unit="N.m"/>
<state name="M" start="0 N.m" der="(command - M)/(5 ms)"/>)xml"},
    {.name = "algebraic",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = algebraic_attributes,
     .doc = "An unknown with an equation of its own.",
     .formula = "0 = residual",
     .example = R"xml(<input name="u"/>
<algebraic name="w" start="1" residual="w + log(w) - u"/>)xml"},
};

inline constexpr TagSchema setting_tags[] = {
    {.name = "gravity",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = gravity_attributes,
     .doc = "Gravity on all masses; without it there is none.",
     .example = R"xml(<gravity g="0, -9.81 m/s^2"/>)xml"},
    {.name = "init",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = init_attributes,
     .doc = "How consistent initial values are found.",
     .example = R"xml(<init method="projection"/>)xml"},
    {.name = "solver",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = solver_attributes,
     .doc = "The integrator packed into the FMU and the default experiment. Its values are fixed "
            "when the FMU is made.",
     .example =
         R"xml(<solver method="extrapolation" rtol="1e-7" atol="1e-7" stop_time="30 ms"/>)xml"},
};

}  // namespace mbs::tables
