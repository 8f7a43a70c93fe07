#pragma once

// The chapters of the reference manual on the language itself; the tags' chapters come from their
// tables.

#include <string_view>

namespace mbs::tables {

// Elements with a picture of their name in engine/model/pictures/.
inline constexpr std::string_view pictures =
    "belt body bushing contact cylindrical damper dc_motor drag end_stop friction gear "
    "hydraulic_cylinder in_line in_plane knife_edge parallel planar point_on_curve "
    "point_on_surface prismatic rack revolute rod rolling screw spherical spring "
    "torsion_damper torsion_spring tyre universal wheel_rail";

inline constexpr std::string_view introduction = R"text(# The model file: reference manual

<!-- Generated from the schema in engine/model/schema/ by mbs_schema_docs: do not edit. -->

A model is a file `name.mbs.xml`: a flat list of elements in any order, with values in attributes.
Whatever the file holds that this manual does not know is an error, with its place and the nearest
known keyword. All quantities inside are SI and radian.

## Expressions

Every number is an expression:

| | |
|---|---|
| numbers | `12`, `0.5`, `1.2e-3`; with a unit `150 mm`, `0.02 N.m.s/rad` |
| operators | `+ - * / ^`, parentheses; `-x^2` is `-(x^2)`, `2^3^2` is `2^(3^2)` |
| comparisons | `<  <=  >  >=  ==  !=`; in XML `<` is written `&lt;`, or turned round: `b > a` |
| logic | `and`, `or`, `not` |
| choice | `if(c, a, b)`; if `c` is known when the model is read, the other branch is left out and may name what does not exist |
| names | parameters, the index of a repeat, `pi`; in run-time attributes also `time`, inputs, states, algebraic unknowns, discrete variables, measures, coordinates of joints (`main.q`) and their rates (`main.qd`); in `<event when>` also their accelerations (`main.qdd`) and outputs |
| curves | `bump(x)`: a `<curve>` by its name, with one argument |

Components of a vector are separated by commas. Derivatives of an `if` are those of the branch
chosen; `abs`, `min`, `max` and `sign` likewise have the derivatives of the side they are on.

Where a law can jump is known from its text. In the laws of forces, states and algebraic unknowns a
comparison, `sign`, `floor`, `ceil` or `mod` of what changes with time keeps its value from event to
event: integration stops where it changes and goes on from there, exactly at times that are known
and to full accuracy elsewhere, so that a pulse shorter than a step is not missed. These events have no
names and are not listed. `noEvent(x)` takes x as it is within steps, and so do laws that use
variables of their own element (x and xd of a spring). A law that would switch to and fro at one
place, such as friction written as -F*sign(v), ends the simulation with a message: <friction> sticks
there, and tanh(v/v0) is smooth.

Every attribute has a dimension, and every expression is checked: what is added or compared must
have the same dimension, and functions such as `sin` take an angle or a number without dimension. An
angle is a ratio of lengths, so `rad` fits where no dimension is asked for. A bare number, and a
parameter made of bare numbers, takes the dimension of what it is added to, compared with or
assigned to, in SI; in a product with something else it is a number without dimension.

| function | meaning |
|---|---|
)text";

inline constexpr std::string_view units = R"text(
## Units

A unit stands right behind its number and reaches as far as it can be read without a space: `12 N/m`
is one number, `12 N / m` is a force divided by what the name `m` stands for. Units are joined by
`.` and `/` and raised by `^`: `N.m.s/rad`, `m/s^2`, `kg.m^2`; each `/` divides by the one unit after
it. A degree Celsius is an absolute temperature; a difference is written in K.

Prefixes: n (1e-9), u (1e-6), m (1e-3), c (0.01), d (0.1), da (10), h (100), k (1e3), M (1e6), G (1e9).

| unit | meaning | in SI | prefixes |
|---|---|---|---|
)text";

inline constexpr std::string_view language = R"text(
## Parameters

Parameters may depend on each other in any order, but not in a circle.

| variability | known | in the FMU |
|---|---|---|
| `structural` | when the FMU is made | folded away; can be set from the command line of `build` |
| `fixed` | before initialisation | a parameter |
| `tunable` | while the simulation runs | a tunable parameter |

What depends on fixed or tunable parameters is computed again inside the FMU; a parameter that
depends on others cannot be set itself. Counts of repeats, exponents of dimensioned values and solver
settings need structural parameters.

A structural parameter with `resizable="true"` may be set in the FMU, too, before it is initialised (FMI 3.0,
configuration mode; `simulate x.fmu --set N=32`). The FMU holds the model unexpanded.
What is repeated N times must be an array of N elements to whoever uses the FMU: outputs
with `each`, inputs and outputs in the repeat. Start values of parameters and inputs outside of the
repeat may not depend on N, and `min` and `max` bound it. Events in the repeat have arrays of counters;
events between neighbours, of which there are N - 1, leave out all counters of the model, with a warning.

For model exchange the states and the switching functions must be such arrays, too: `link.x` of N
elements, and so on for each coordinate of what is repeated. The coordinates are then the same for all
sizes; where the solver's choice is left open, `build` makes it for the largest of the sizes that it
tries. An FMU whose states or event indicators are no such arrays, as with N - 1 joints in joint
coordinates or events between neighbours, is for co-simulation alone, with a warning that says what is in
the way; with states, other coordinates often help: bodies are N where joints are N - 1.

## Names

Names have letters, digits and `_`, and do not begin with a digit. All names of a file are different.
`body.frame` names a frame of a body, the body's name alone its origin, `ground` the frame that does
not move, `joint.q` a coordinate. What stands in a repeat has an index: `link[3].bottom`, and in a
repeat inside a repeat two: `link[2,3]`. What stands in a subsystem has its name before it: `fl.hub`,
and in a repeated one `fl[2].hub`. An unnamed joint or force is called after its tag: `spring#2`.

## Mirrored subsystems

`mirror="y"` turns a left suspension into a right one. With S = diag(1, -1, 1) and det S = -1

- vectors v (positions, velocities, forces, directions of sliding) become S v;
- axial vectors w (angular velocities, torques, axes of rotation) become det(S) S w = -S w;
- orientations R become S R S, so that angles about the mirrored axis keep and the others change their
  sign; frames stay right-handed;
- inertia matrices J become S J S, so that the two products of inertia with y change their sign;
- in the plane, angles and torques change their sign.

Because axes of rotation are axial, the coordinates of joints need no change: the mirrored mechanism
with the same coordinates is the mirror image. Likewise each measure and output inside counts a
component along the mirrored axes. So every signal of a mirrored subsystem in mirrored surroundings is
the same number as in the original, and so is every law made of them. The mirrors of a subsystem in a
mirrored subsystem multiply.

## Limits

A file may come from anywhere. So there are limits, each with an error of its own: 16 MiB for a file,
64 levels of elements and of subsystems, 100 levels and 1024 operations in an expression, 64 names in
it, a million passes of a repeat, a million elements and passes in a model, 1000 files, 100000 points
in a curve. Paths are relative to the file that contains them and have `/` between folders. There are
no document types and entities.
)text";

inline constexpr std::string_view quantity_chapter = R"text(
## Quantities

What `<output quantity="...">` puts out; those marked * can also be named by a `<measure>` and used in
expressions. An output of several components at once is a vector `name[1]`, `name[2]`, ... or a matrix
`name[1,1]`, `name[1,2]`, ...; with `each` the index of the repeat comes first. Such outputs, and inputs
in repeats, are arrays in FMUs of FMI 3.0 (`build --flat`: scalars), scalars in FMI 2.0.

| quantity | of | component | unit | |
|---|---|---|---|---|
)text";

}  // namespace mbs::tables
