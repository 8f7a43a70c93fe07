#pragma once

// Schema: functions given by points.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A curve_attributes[] = {
    needed("name", name, "name; in expressions it is a function of one argument, name(x)"),
    optional("points", text, "the points, x rising: rows of two plain numbers, separated by `;`"),
    optional("file", file,
             "instead: a text file (CSV) in the folder of the model or below it, a point in each "
             "line; empty lines, lines that begin with # and a first line of keywords are left "
             "out. The FMU carries the points, not the file"),
    with_default("columns", text, "1 2", "which columns of the file are x and y"),
    with_default("x_unit", unit, "1", "unit of the numbers x"),
    with_default("y_unit", unit, "1", "unit of the numbers y"),
    choice("interpolation", "linear|monotone|spline", "monotone",
           "linear: straight lines; monotone: cubics without overshoot, y' continuous; spline: "
           "cubics with y'' continuous, as prescribed motion needs"),
    choice("beyond", "linear|constant|periodic", "linear",
           "how it goes on outside of the points: with the slope or with the value of the end, or "
           "again from the first point; cubics are shaped to fit (spline: no curvature, no slope, "
           "or that of the other end)"),
};

inline constexpr TagSchema curve_tags[] = {
    {.name = "curve",
     .role = TagRole::variable,
     .parents = "mbs",
     .attributes = curve_attributes,
     .doc = "A function given by points: characteristics of springs, dampers and motors, cams, "
            "roads. Expressions use it by its name, as they use sin. Its first derivative, for "
            "Jacobians, and its second, for prescribed motion, are exact.",
     .rules = "one(points,file) with(columns,file)",
     .formula =
         "y(x) through the points: linear, or a spline whose second derivative is continuous",
     .example = R"xml(<curve name="bump" x_unit="mm" y_unit="kN" points="-20 -3; 0 0; 20 3; 30 9"/>
<curve name="cam" x_unit="deg" y_unit="mm" interpolation="spline" beyond="periodic"
       points="0 0; 60 4; 120 12; 180 15; 270 5; 360 0"/>
<particle name="ball" mass="1 kg"/>
<frame name="hook" pos="0, 1 m"/>
<spring name="s" a="hook" b="ball" length="0.3 m" law="bump(x) + 20 N.s/m*xd"/>
<output name="lift" value="cam(90 deg/s*time)" unit="mm"/>)xml"},
};

}  // namespace mbs::tables
