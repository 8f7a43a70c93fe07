#pragma once

// Schema: what single integrators take besides the attributes of `solver`. One tag for each, which
// counts when its integrator works; their values reach the integrator by name
// (engine/integrators/common/method_options.hpp).

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A radau_attributes[] = {
    {.name = "form",
     .type = word,
     .default_value = "projected",
     .choices = "projected|index1",
     .doc =
         "projected: constraints of positions, velocities and accelerations hold in every stage; "
         "index1: those of accelerations are left out, a little less work for a little less "
         "accuracy of reactions between steps"},
    {.name = "structure",
     .type = word,
     .default_value = "auto",
     .choices = "auto|dense|sparse",
     .doc =
         "dense: the constraints are eliminated, ranks are watched; sparse: saddle matrices, for "
         "large models; auto: sparse from about 40 velocities and constraints on"},
    {.name = "algebraic",
     .type = word,
     .default_value = "auto",
     .choices = "auto|lu|qr|svd",
     .doc = "how the constraints are decomposed, which chooses the independent coordinates. lu: "
            "full pivoting; qr: column pivoting; svd: singular values. qr and svd also treat "
            "redundant constraints, with multipliers of least norm; auto: lu, qr where constraints "
            "are redundant"},
    {.name = "differential",
     .type = word,
     .default_value = "lu",
     .choices = "lu|qr",
     .doc = "how the dense matrices of the differential part are decomposed"},
    {.name = "selectors",
     .type = word,
     .default_value = "adapted",
     .choices = "adapted|every_step",
     .doc = "independent coordinates are chosen anew when the pivots change or Newton's method "
            "struggles, or in every step"},
    {.name = "start_values",
     .type = word,
     .default_value = "extrapolated",
     .choices = "extrapolated|constant",
     .doc =
         "where Newton's method starts: the last step's polynomial prolonged, or the state at the "
         "beginning of the step"},
    {.name = "newton_stage",
     .type = integer,
     .dimension = "1",
     .doc = "at which predicted stage Newton's matrix is taken, 0: at the beginning of the step; "
            "absent: 3, and 0 with constant start values. 3 needs a fifth to a third fewer "
            "evaluations than 0 on the benchmarks",
     .range = "0..3"},
    {.name = "newton_updates",
     .type = integer,
     .dimension = "1",
     .default_value = "0",
     .doc = "how often Newton's matrix may be renewed within a step that does not converge",
     .range = "0..10"},
    {.name = "newton_iterations",
     .type = integer,
     .dimension = "1",
     .default_value = "10",
     .doc = "most iterations of Newton's method in a step",
     .range = "2..50"},
    {.name = "newton_stop",
     .type = number,
     .dimension = "1",
     .default_value = "0",
     .doc = "error of Newton's method by the tolerance; 0: by the tolerance, at most 0.03",
     .range = ">=0"},
    {.name = "step_control",
     .type = word,
     .default_value = "predictive",
     .choices = "predictive|classical",
     .doc = "whether the step size follows the trend of the errors or the last error alone"},
    {.name = "safety",
     .type = number,
     .dimension = "1",
     .default_value = "0.9",
     .doc = "the step size taken by the one wished for",
     .range = ">0"},
    {.name = "jacobian_reuse",
     .type = number,
     .dimension = "1",
     .default_value = "0.001",
     .doc = "rate of convergence up to which the Jacobian is kept; larger where it is expensive, "
            "negative: a new one in every step"},
    {.name = "keep_step_from",
     .type = number,
     .dimension = "1",
     .default_value = "1",
     .doc = "with a kept Jacobian the step size is kept, too, unless it would change by less than "
            "this factor",
     .range = ">0"},
    {.name = "keep_step_to",
     .type = number,
     .dimension = "1",
     .default_value = "1.2",
     .doc = "likewise, by more than this factor",
     .range = ">0"},
    {.name = "least_change",
     .type = number,
     .dimension = "1",
     .default_value = "0.2",
     .doc = "least factor by which the step size changes",
     .range = ">0"},
    {.name = "largest_change",
     .type = number,
     .dimension = "1",
     .default_value = "8",
     .doc = "largest factor by which the step size changes",
     .range = ">0"},
};

inline constexpr A reduction_attributes[] = {
    {.name = "method",
     .type = word,
     .default_value = "partition",
     .choices = "partition|stabilized|hybrid|svd|nullspace",
     .doc =
         "what is independent. partition: coordinates found by pivoting, the others solved for in "
         "every evaluation; svd: directions tangential to the constraints, kept while the motion "
         "stays along them; nullspace: such directions in every step; stabilized: everything, and "
         "the drift from the constraints is damped; hybrid: as stabilized, brought back onto the "
         "constraints when the drift is above the tolerance, and as partition near singular "
         "positions"},
    {.name = "alpha",
     .type = number,
     .dimension = "1",
     .doc = "damping of the drift in 1/s, of stabilized and hybrid; absent: as fast as the step "
            "size allows",
     .range = ">=0"},
    {.name = "beta",
     .type = number,
     .dimension = "1",
     .doc = "frequency of the drift in 1/s; absent: alpha, critical damping",
     .range = ">=0"},
    {.name = "position_correction",
     .type = boolean,
     .default_value = "true",
     .doc = "of nullspace: positions are brought onto the constraints in every step; false: they "
            "are integrated and drift by about the tolerance"},
};

inline constexpr TagSchema method_tags[] = {
    {.name = "radau",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = radau_attributes,
     .doc = "Options of the integrator `radau`: Radau IIA of order 5 on the projected equations of "
            "motion, implicit, for stiff, redundant, nonholonomic and otherwise difficult "
            "mechanisms.",
     .example = R"xml(<radau step_control="classical" jacobian_reuse="0.05"/>)xml"},
    {.name = "bdf",
     .role = TagRole::setting,
     .parents = "mbs",
     .doc = "Options of the integrator `bdf`.",
     .example = R"xml(<bdf/>)xml"},
    {.name = "reduction",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = reduction_attributes,
     .doc = "Options of the integrator `reduction`.",
     .example = R"xml(<reduction method="nullspace"/>)xml"},
};

}  // namespace mbs::tables
