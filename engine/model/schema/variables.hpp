#pragma once

// Schema: variables and settings.

#include "engine/base/linear_solver_names.hpp"
#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A parameter_attributes[] = {
    needed("name", name, "name for expressions and the FMU"),
    needed("value", number, "?", "value at the start; may depend on other parameters in any order"),
    optional("unit", unit, "unit for display; absent: the SI unit of the value"),
    choice("variability", "structural|fixed|tunable", "fixed",
           "structural: known when the FMU is made; fixed: set before initialisation; tunable: may "
           "be set while the simulation runs"),
    with_default("resizable", boolean, "false",
                 "whether a structural one, a whole number from 1, may still be set in an FMU of "
                 "FMI 3.0, in configuration mode before the initialisation: what is repeated so "
                 "many times are arrays of this size. FMI 2.0 and build --flat fold it"),
    optional("min", number, "?", "smallest value allowed"),
    optional("max", number, "?", "largest value allowed"),
    optional("doc", text, "what it is"),
};

inline constexpr A input_attributes[] = {
    needed("name", name, "name for expressions and the FMU"),
    with_default("unit", unit, "1", "unit, which gives its dimension"),
    with_default("start", number, "?", "0", "value until the simulation environment sets another"),
    optional("doc", text, "what it is"),
};

inline constexpr std::string_view quantities =
    "position|velocity|acceleration|orientation|angular_velocity|angular_acceleration|q|qd|qdd|"
    "reaction|force|value|kinetic_energy|potential_energy|energy|residual|velocity_residual|events|"
    "event_time|statistic";
inline constexpr std::string_view measurable =
    "position|velocity|orientation|angular_velocity|q|qd|reaction";

inline constexpr A output_attributes[] = {
    needed("name", name, "name of the FMU's variable"),
    optional("value", runtime, "?", "an expression to put out"),
    optional("of", element, "the item that is looked at"),
    optional("each", item, "a repeated item: one output for each pass, name[1], name[2], ..."),
    choice("quantity", quantities, "what of it, see the chapter on quantities"),
    optional("component", text,
             "which component: x, y, z, norm, ...; or several at once, as all: an array name[1], "
             "name[2], ...; see the chapter on quantities"),
    optional("in", frame,
             "the frame whose axes give the components; absent: those of relative_to; for a "
             "reaction those of the joint's a"),
    with_default("relative_to", frame, "ground",
                 "the frame against which position, velocity and orientation are taken"),
    optional("unit", unit, "unit for display; absent: the SI unit"),
    optional("doc", text, "what it is"),
};

inline constexpr A measure_attributes[] = {
    needed("name", name, "name for expressions"),
    needed("of", element, "the item that is looked at"),
    needed_choice("quantity", measurable, "what of it, see the chapter on quantities"),
    optional("component", text,
             "which component: x, y, z, norm, ...; see the chapter on quantities"),
    optional("in", frame,
             "the frame whose axes give the components; absent: those of relative_to; for a "
             "reaction those of the joint's a"),
    with_default("relative_to", frame, "ground",
                 "the frame against which position, velocity and orientation are taken"),
    optional("doc", text, "what it is"),
};

inline constexpr A state_attributes[] = {
    needed("name", name, "name for expressions and the FMU"),
    needed("start", number, "?", "value at the start; its unit gives the state's dimension"),
    needed("der", runtime, "?", "derivative with respect to time"),
    optional("unit", unit, "unit for display; absent: the SI unit of the start"),
    optional("doc", text, "what it is"),
};

inline constexpr A algebraic_attributes[] = {
    needed("name", name, "name for expressions and the FMU"),
    needed("start", number, "?", "first guess; its unit gives the unknown's dimension"),
    needed("residual", runtime, "?", "what must be zero"),
    optional("unit", unit, "unit for display; absent: the SI unit of the start"),
    optional("doc", text, "what it is"),
};

inline constexpr A discrete_attributes[] = {
    needed("name", name, "name for expressions"),
    needed("start", number, "?",
           "value until an event sets another; its unit gives the variable's dimension"),
    optional("unit", unit, "unit for display; absent: the SI unit of the start"),
    optional("doc", text, "what it is"),
};

inline constexpr A event_attributes[] = {
    needed("name", name, "name for outputs and messages"),
    optional("when", runtime, "?",
             "one comparison: a > b where a - b passes zero upwards, a < b downwards, a == b both "
             "ways; may use, besides what run-time expressions use, accelerations of joint "
             "coordinates (main.qdd) and outputs"),
    optional("at", number, "s",
             "instead of a condition: the time at which it happens, hit exactly; with `every` the "
             "first one"),
    optional("every", number, "s",
             "instead of a condition: it happens again and again at `at` (absent: 0) plus whole "
             "numbers of these times, hit exactly",
             ">0"),
    with_default("terminate", boolean, "false", "the simulation ends there"),
    optional("tolerance", number, "?",
             "tolerance around zero, in the unit of a - b: after an event there is no "
             "other before |a - b| has been above it; absent: by the solver's tolerances, rtol "
             "max|a - b| + atol, and nothing in conditions of discrete variables alone"),
    optional("doc", text, "what it is"),
};

inline constexpr A gravity_attributes[] = {
    needed("g", position, "m/s^2", "acceleration of free fall, in the axes of ground"),
};

inline constexpr A init_attributes[] = {
    choice("method", "projection|statics", "projection",
           "projection: the joints' `exact` coordinates are kept, all else moves as little as "
           "possible until every joint is closed; statics: from there to the static equilibrium, "
           "at rest, where exact coordinates are a start like any other"),
    choice("conditions", "fill|complete|given", "fill",
           "what exact coordinates and conditions are to do with the joints' constraints. fill: "
           "all that they leave open moves as little as possible from the values given; complete: "
           "they determine every position and velocity. More of them than needed must agree; with "
           "too few the values given are only checked, to 1e-6, and what is not determined is an "
           "error that names it when they do not fit; given: the values are only checked"),
};

inline constexpr A condition_attributes[] = {
    needed("name", name, "name for messages"),
    needed("value", runtime, "?",
           "what is to have a certain value at the start: any expression in coordinates, rates, "
           "measures of frames, time, inputs, states (at their start) and parameters. With a rate "
           "or a velocity in it the condition is one of velocities, and the positions are those "
           "that have been found before; without one it is one of positions"),
    with_default("equals", number, "?", "0", "that value, in the dimension of `value`"),
    choice("target", "exact|guess", "exact",
           "exact: it holds at the start, or the model does not start; guess: it holds as far as "
           "joints and exact conditions leave it free, several that contradict each other in the "
           "sense of least squares, and the report says what is missing"),
    optional("doc", text, "what it is"),
};

inline constexpr A trim_attributes[] = {
    needed("parameter", element,
           "a fixed or tunable parameter that can do something about the equilibrium, as the "
           "preload of a spring; its value is where the search begins"),
};

inline constexpr A drop_attributes[] = {
    needed("joint", element, "a joint in a redundant loop"),
    needed("reactions", text,
           "the components of its reaction that it leaves to the other joints, separated by "
           "spaces: fx fy fz mx my mz (in the plane fx fy m), forces along and moments about the "
           "axes of its frame a"),
};

inline constexpr A tolerance_attributes[] = {
    needed("of", element, "a body (its positions and velocities) or a state"),
    optional("rtol", number, "1", "relative error allowed in a step; absent: the solver's", ">0"),
    optional("atol", number, "1",
             "absolute error allowed in a step, in SI units; absent: the solver's", ">0"),
};

inline constexpr A solver_attributes[] = {
    choice("method", "auto|extrapolation|midpoint|radau|bdf|reduction", "auto",
           "the integrator packed into the FMU. extrapolation: the half-explicit Euler method, "
           "extrapolated; midpoint: the explicit midpoint rule, extrapolated, which needs fewer "
           "evaluations at tight tolerances; radau: implicit, for stiff, redundant and otherwise "
           "difficult models; bdf: backward differences of orders 1 to 5, for large and stiff "
           "models at moderate tolerances; reduction: Adams methods on independent coordinates, "
           "which need the fewest evaluations where motion is smooth; auto is extrapolation. Where "
           "a force has a kink (a cable that goes slack, a linear table, min and max) "
           "extrapolation and "
           "midpoint end a step or take short ones; the remaining error is some tolerances, as a "
           "rule"),
    choice("scheme", "auto|standard|modified", "auto",
           "of extrapolation, where forces depend on constraint forces (dry friction): standard "
           "takes these from the step before, which works for little friction only; modified "
           "solves for both together; auto decides in every step"),
    choice("coordinates", "auto|absolute|joint|mixed", "auto",
           "in which coordinates the equations of motion are set up. absolute: those of all "
           "bodies, joints are constraints; joint: those of the joints along a tree, the others "
           "close its loops; mixed: both together, sparse. auto takes joint for trees and where "
           "few rows close loops; absolute for one or two bodies without loops, many loops, bodies "
           "that are mostly free, forces that depend on reactions and, with implicit methods, more "
           "than 60 coordinates. It says why"),
    choice("linear", saddle_keywords, "auto",
           "the linear solver; auto chooses by the structure of the equations and says what"),
    choice("redundancy", "error|drop|minimum_norm", "error",
           "what becomes of constraints that say what others say already, as in a loop in space "
           "with parallel hinges; they are found by the rank of the constraints where the motion "
           "starts, and named. error: it does not start; drop: the rows that are not needed are "
           "left out, for every method, and have no reaction; minimum_norm: all stay, with the "
           "smallest reactions that do it (sum of squares, in N and N.m), for extrapolation, "
           "midpoint and radau and up to some hundred unknowns; in joint coordinates that is said "
           "of the joints that close loops. Where rows depend on others at the start position "
           "alone it is singular, and never a start"),
    with_default("rtol", number, "1", "1e-6", "relative error allowed in a step", ">0"),
    with_default("atol", number, "1", "1e-8", "absolute error allowed in a step, in SI units",
                 ">0"),
    with_default("initial_step", number, "s", "0", "first step; 0: chosen", ">=0"),
    with_default("max_step", number, "s", "0", "longest step; 0: no limit", ">=0"),
    optional("max_order", integer, "1",
             "highest order; absent: the method's own. extrapolation: 3 ... 13, midpoint: 6 ... "
             "18, reduction: 3 ... 12",
             "3..18"),
    optional("dense_order", integer, "1",
             "highest degree of the polynomials that give the values between the integrator's own "
             "steps; absent: as high as the step's order",
             "3..18"),
    with_default(
        "event_points", integer, "1", "0",
        "points of each step at which events are looked for: between two points a function "
        "is assumed to be smooth; 0: half the step's order, at least 2",
        "0..32"),
    with_default(
        "max_steps", integer, "1", "0",
        "steps tried after which the simulation gives up; they are counted anew where the "
        "integrator starts again, as after a change of an input or a parameter; 0: no limit",
        ">=0"),
    with_default("start_time", number, "s", "0", "start of the default experiment"),
    with_default("stop_time", number, "s", "1 s", "end of the default experiment"),
    with_default("output_step", number, "s", "0",
                 "time between two outputs; 0: a 500th of the default experiment", ">=0"),
};

inline constexpr TagSchema variable_tags[] = {
    {.name = "parameter",
     .role = TagRole::variable,
     .parents = "mbs",
     .attributes = parameter_attributes,
     .doc = "A named value. Fixed and tunable ones are parameters of the FMU; what depends on "
            "them is computed again in it.",
     .formula = "P = value, over other parameters",
     .example = R"xml(<parameter name="l" value="300 mm" doc="length"/>
<parameter name="A" value="pi*l^2" unit="cm^2"/>
<parameter name="d" value="0.02 N.m.s/rad" variability="tunable" min="0"/>)xml"},
    {.name = "input",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = input_attributes,
     .doc = "A signal from outside, an input of the FMU.",
     .formula = "u(t), given from outside; between communication points a polynomial in time",
     .example = R"xml(<input name="wind" unit="m/s" doc="horizontal wind speed"/>)xml"},
    {.name = "output",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = output_attributes,
     .doc = "A signal to the outside, an output of the FMU: an expression, or a quantity of an "
            "item of the model.",
     .rules = "one(value,quantity) not(of,each) with(of,quantity) with(each,quantity) "
              "with(component,quantity) with(in,quantity) with(relative_to,quantity)",
     .formula = "y = a quantity, or value(t, p, v, r, w, u, P)",
     .example = R"xml(<body name="box" mass="1 kg"/>
<prismatic name="rail" a="ground" b="box" axis="x"/>
<output name="x" of="box" quantity="position" component="x" unit="mm"/>
<output name="N" of="rail" quantity="reaction" component="fy" unit="N"/>
<output name="p" of="box" quantity="position" component="all" unit="mm"/>
<output name="W" quantity="energy" unit="J"/>
<output name="twice" value="2*rail.q"/>)xml"},
    {.name = "measure",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = measure_attributes,
     .doc = "A quantity of positions and velocities, or the reaction of a joint, under a name that "
            "expressions can use. A reaction in a force law is dry friction: accelerations and "
            "reactions are then found together, which has no solution where friction is so large "
            "that the joint locks itself.",
     .formula = "m = a quantity of positions, velocities or reactions, for expressions",
     .example = R"xml(<particle name="ball" mass="1 kg"/>
<measure name="height" of="ball" quantity="position" component="y"/>
<force name="floor" on="ball" value="0, if(height > 0, 0, -height*10 kN/m)"/>
<body name="sledge" mass="20 kg"/>
<prismatic name="ice" a="ground" b="sledge" axis="x" qd="3 m/s"/>
<measure name="N" of="ice" quantity="reaction" component="fy"/>
<force name="friction" joint="ice" value="-0.05*abs(N)*tanh(ice.qd/(1 mm/s))"/>)xml"},
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
     .doc = "An unknown with an equation of its own. With a <state> it makes force laws that no "
            "element has: in the example a rubber mount whose inner element creeps, and whose "
            "force follows from an equation that cannot be solved in closed form.",
     .formula = "0 = residual",
     .example = R"xml(<body name="engine" mass="80 kg"/>
<prismatic name="mount" a="ground" b="engine" axis="y"/>
<state name="creep" start="0 mm" der="(mount.q - creep)/(0.2 s)"/>
<algebraic name="F" start="0 N"
           residual="F + 2 kN*tanh(F/(1 kN)) - 300 kN/m*(mount.q - 0.4*creep)"/>
<force name="rubber" joint="mount" value="-F - 150 N.s/m*mount.qd"/>)xml"},
    {.name = "event",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = event_attributes,
     .doc =
         "Something that happens at a time of its own, found inside of steps to their full "
         "accuracy: counted, reported in the log, shown in results; it may set states and discrete "
         "variables, and end the simulation. What is true at the start does not happen, nor "
         "does a time that is that of the start.\n\n"
         "Inputs and what events set may jump: an event happens where its comparison was false "
         "before the jump and is true after it. There equality is what the comparison says: "
         "false for > and <, true for >= and <=. == happens where a jump leads onto equality or "
         "over it. What moves without a jump has its event where "
         "it comes to equality, with each of them; where it begins or rests there, none until "
         "it has been away from it.\n\n"
         "What events set may be a reason for others: these happen at the same time, one after "
         "the other, until nothing more happens; 200 of them at one time are an error that "
         "names the last. Events of the same time act in the order of the file, each after "
         "what those before it have set; conditions that come true together but for rounding "
         "have the same time. Where one of them ends the simulation the others do not act.\n\n"
         "An event that is to follow later waits for a time that the first one sets: "
         "<set due=\"time + 0.2 s\"/> and when=\"time > due\", with a <discrete> variable due.",
     .rules = "not(when,at) not(when,every) not(tolerance,at) not(tolerance,every)",
     .formula = "a - b = 0, from the side on which the comparison is false",
     .example = R"xml(<body name="mass" mass="1 kg"/>
<prismatic name="rail" a="ground" b="mass" axis="x" qd="1 m/s"/>
<frame name="wall" pos="-1 m, 0"/>
<spring name="spring" a="wall" b="mass" stiffness="40 N/m" length="1 m"/>
<event name="turn" when="rail.qd == 0"/>
<event name="far" when="rail.q > 10 cm" tolerance="1 um" terminate="true"/>
<output name="turns" of="turn" quantity="events"/>
<output name="last" of="turn" quantity="event_time" unit="ms"/>)xml"},
    {.name = "discrete",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = discrete_attributes,
     .doc = "A number that keeps its value until an event sets it: what a switch, a counter or a "
            "sampled controller remembers.",
     .formula = "z+ = set value at its events, else z' = 0",
     .example = R"xml(<body name="mass" mass="1 kg"/>
<prismatic name="rail" a="ground" b="mass" axis="x" damping="2 N.s/m"/>
<discrete name="pull" start="1 N"/>
<discrete name="cycles" start="0"/>
<force name="drive" joint="rail" value="pull"/>
<event name="on" every="10 ms"><set pull="1 N" cycles="cycles + 1"/></event>
<event name="off" at="4 ms" every="10 ms"><set pull="0 N"/></event>
<output name="done" value="cycles"/>)xml"},
    {.name = "condition",
     .role = TagRole::variable,
     .parents = "mbs repeat",
     .attributes = condition_attributes,
     .doc = "A condition on the start, in addition to those that joints state for their own "
            "coordinates: "
            "that a point is at a certain height, that two angles are equal, that a point has a "
            "certain speed. All else moves as little as possible.",
     .formula = "value(p0) = equals, or value(p0, v0) = equals",
     .example = R"xml(<body name="crank" mass="1 kg" inertia="0.1 kg.m^2">
  <frame name="pin" pos="20 cm, 0"/>
</body>
<revolute name="main" a="ground" b="crank" q="10 deg"/>
<measure name="height" of="crank.pin" quantity="position" component="y"/>
<measure name="speed" of="crank.pin" quantity="velocity" component="norm"/>
<condition name="raised" value="height" equals="12 cm"/>
<condition name="moving" value="speed" equals="0.5 m/s"/>)xml"},
};

inline constexpr TagSchema setting_tags[] = {
    {.name = "gravity",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = gravity_attributes,
     .doc = "Gravity on all masses; without it there is none.",
     .formula = "f = m g on the centre of mass of every body",
     .example = R"xml(<gravity g="0, -9.81 m/s^2"/>)xml"},
    {.name = "init",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = init_attributes,
     .doc = "How consistent initial values are found.",
     .formula = "projection: min (p - p0)^T M (p - p0)/2 with 0 = g(p, t), 0 = the exact "
                "conditions; statics: 0 = f - G^T lambda, 0 = b, 0 = d, 0 = g at v = 0",
     .example = R"xml(<init method="projection"/>)xml"},
    {.name = "solver",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = solver_attributes,
     .doc =
         "The integrator packed into the FMU and the default experiment. Its values are fixed "
         "when the FMU is made.\n\n"
         "The explicit methods (extrapolation, midpoint, reduction) measure stiffness and report "
         "it once, in the log, with figures. The criterion, looked at every ten steps: (1) the "
         "eleven states at the ends of these steps lie on a polynomial of degree 5 so closely "
         "that a method of order 5 could take steps at least 4 times as long within the "
         "tolerances; (2) h |lambda| is at least 1, h the mean step, |lambda| the spectral "
         "radius of the Jacobian by the power method: steps are at the bound of stability, 1 to "
         "4. It is reported when five estimates more have found both than not.",
     .formula = "|error_i| <= rtol |y_i| + atol in every step",
     .example =
         R"xml(<solver method="extrapolation" rtol="1e-7" atol="1e-7" stop_time="30 ms"/>)xml"},
    {.name = "trim",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = trim_attributes,
     .doc = "With <init method=\"statics\"/>: the value of this parameter is found such that the "
            "model rests where exact targets want it, those of joints and of <condition>: the "
            "preloads at which a vehicle stands at its design height. There are as many trimmed "
            "parameters as exact conditions on positions. In an FMU it is a calculated parameter.",
     .formula = "0 = f(p, P) - G^T lambda, 0 = g(p), value(p) = equals: for p, lambda and the P",
     .example = R"xml(<parameter name="F0" value="0 N" doc="preload of the spring"/>
<gravity g="0, -9.81 m/s^2"/>
<body name="arm" mass="4 kg" com="30 cm, 0" inertia="0.1 kg.m^2">
  <frame name="eye" pos="40 cm, 0"/>
</body>
<frame name="top" pos="40 cm, 50 cm"/>
<revolute name="hinge" a="ground" b="arm" q="0 deg" target="exact"/>
<spring name="coil" a="top" b="arm.eye" stiffness="2 kN/m" length="50 cm" preload="F0"/>
<trim parameter="F0"/>
<init method="statics"/>)xml"},
    {.name = "drop",
     .role = TagRole::setting,
     .parents = "mbs repeat",
     .attributes = drop_attributes,
     .doc = "Says which of the rows of a redundant mechanism are left out: components of the "
            "reaction of a joint, which then are zero. They must be redundant: a component that "
            "takes away a motion which nothing else takes away is an error. What becomes of "
            "redundant rows that are not named here, <solver redundancy> says.",
     .formula = "lambda_i = 0 in the place of 0 = g_i, for the rows i that are named",
     .example =
         R"xml(<body name="one" mass="1 kg" inertia="0.01 kg.m^2"><frame name="tip" pos="0, 1 m"/></body>
<body name="two" mass="1 kg" inertia="0.01 kg.m^2"/>
<revolute name="a" a="ground" b="one"/>
<weld name="fixed" a="one.tip" b="two"/>
<weld name="redundant" a="one.tip" b="two"/>
<drop joint="redundant" reactions="fx fy m"/>)xml"},
    {.name = "tolerance",
     .role = TagRole::setting,
     .parents = "mbs repeat",
     .attributes = tolerance_attributes,
     .doc = "Other tolerances for one body or state than the solver's, which are for all.",
     .formula = "|error_i| <= rtol_i |y_i| + atol_i",
     .example = R"xml(<state name="pressure" start="200 bar" der="-pressure/(0.1 s)"/>
<tolerance of="pressure" atol="1e3"/>)xml"},
};

}  // namespace mbs::tables
