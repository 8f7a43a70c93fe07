#pragma once

// Schema: what single integrators take besides the attributes of `solver`. One tag for each, which
// counts when its integrator works; their values reach the integrator by name
// (engine/integrators/base/method_options.hpp).

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A radau_attributes[] = {
    {.name = "form",
     .type = keyword,
     .default_value = "projected",
     .choices = "projected|index1",
     .doc =
         "projected: constraints of positions, velocities and accelerations hold in every stage; "
         "index1: those of accelerations are left out, a little less work for a little less "
         "accuracy of reactions between steps"},
    {.name = "structure",
     .type = keyword,
     .default_value = "auto",
     .choices = "auto|dense|sparse",
     .doc =
         "dense: the constraints are eliminated; sparse: saddle matrices, for large models; auto: "
         "sparse from about 40 velocities and constraints on. Both watch the rank of the "
         "constraints and treat redundant ones; where these are more than about 100 velocities and "
         "constraints auto is sparse with them, too"},
    {.name = "mass",
     .type = keyword,
     .default_value = "auto",
     .choices = "auto|general",
     .doc =
         "auto: a mass matrix that is diagonal or constant is made use of where the structure is "
         "dense: it is factored by itself, a constant one once; general: it is not. That a model "
         "is autonomous need not be said: no derivative by time is ever formed"},
    {.name = "algebraic",
     .type = keyword,
     .default_value = "auto",
     .choices = "auto|lu|qr|svd",
     .doc = "how the constraints are decomposed, which chooses the independent coordinates. lu: "
            "full pivoting; qr: column pivoting; svd: singular values. qr and svd also treat "
            "redundant constraints, with multipliers of least norm; auto: lu, qr where constraints "
            "are redundant"},
    {.name = "differential",
     .type = keyword,
     .default_value = "lu",
     .choices = "lu|qr",
     .doc = "how the dense matrices of the differential part are decomposed"},
    {.name = "selectors",
     .type = keyword,
     .default_value = "tangent",
     .choices = "tangent|adapted|every_step",
     .doc = "which differential equations are kept beside the constraints. tangent: those along "
            "the constraints' tangent, anew with every Jacobian, which curves the motion least: "
            "smallest errors and drift; adapted: those of independent coordinates, chosen anew "
            "when the pivots change or Newton's method struggles; every_step: likewise, in every "
            "step"},
    {.name = "start_values",
     .type = keyword,
     .default_value = "extrapolated",
     .choices = "extrapolated|constant",
     .doc =
         "where Newton's method starts: the last step's polynomial prolonged, or the state at the "
         "beginning of the step"},
    {.name = "newton_stage",
     .type = integer,
     .dimension = "1",
     .doc = "at which predicted stage Newton's matrix is taken, 0: at the beginning of the step; "
            "absent: 2 of small models, 3 of large ones, 0 with constant start values. That needs "
            "a fifth to a third fewer evaluations than 0 on the benchmarks",
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
     .doc = "error of Newton's method by the tolerance; 0: by the tolerance, at most 0.03. 1e-6 "
            "is the choice for motions over a long time whose energy is to be kept",
     .range = ">=0"},
    {.name = "step_control",
     .type = keyword,
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
     .type = keyword,
     .default_value = "partition",
     .choices = "partition|stabilized|hybrid|svd|nullspace",
     .doc =
         "what is independent. partition: coordinates found by pivoting, the others solved for in "
         "every evaluation; svd: directions tangential to the constraints, kept while the motion "
         "stays along them; nullspace: such directions in every step; stabilized: everything, and "
         "the drift from the constraints is damped, which fails near singular positions; hybrid: "
         "as stabilized, brought back onto the constraints when the drift is above the tolerance, "
         "and as partition near singular positions, which the log tells of"},
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

inline constexpr A bdf_attributes[] = {
    {.name = "form",
     .type = keyword,
     .default_value = "ggl",
     .choices = "ggl|lambda_derivative",
     .doc = "ggl: positions and velocities on their constraints, of index 2; lambda_derivative: "
            "velocities alone, with the integrals of multipliers as unknowns, of index 1, and "
            "positions projected when they have drifted"},
    {.name = "formalism",
     .type = keyword,
     .default_value = "residual",
     .choices = "residual|explicit",
     .doc = "residual: of M a - f; explicit: of a - M^-1 f, which needs a regular mass matrix and "
            "lets the mass matrix of an old Jacobian stay"},
    {.name = "corrector",
     .type = keyword,
     .default_value = "auto",
     .choices = "auto|dassl",
     .doc = "dassl: start, norm, tests of convergence and all choices of DASSL, to compare with; "
            "auto: all of this method's own"},
    {.name = "jacobian",
     .type = keyword,
     .default_value = "auto",
     .choices = "auto|exact|differences|groups",
     .doc = "exact: of the model's elements, which is auto; differences: column by column; groups: "
            "columns that share no row together, on a pattern estimated at the start that grows "
            "when convergence is slow"},
    {.name = "update",
     .type = keyword,
     .default_value = "auto",
     .choices = "auto|none|partitioned|extended",
     .doc = "what is done when the step size has changed. none: a new Jacobian; partitioned: the "
            "old one with the new step size, which is auto; extended: and with the change of what "
            "excites the model in time"},
    {.name = "eliminate",
     .type = boolean,
     .default_value = "true",
     .doc = "positions are eliminated from the linear systems"},
    {.name = "scaling",
     .type = keyword,
     .default_value = "auto",
     .choices = "auto|factor|matching",
     .doc = "of corrections while a matrix of another step size is in use. factor: by one number, "
            "as DASSL; matching: rows and columns, which is auto as long as it goes well"},
    {.name = "phases",
     .type = keyword,
     .default_value = "auto",
     .choices = "auto|plain|dropped|krylov|all",
     .doc =
         "of the time between two factorisations. dropped: small entries of the factors are left "
         "out at first; krylov: at last some GMRES steps with the old factors; all: both; plain: "
         "none; auto: found while running from counted operations"},
    {.name = "drop_tolerance",
     .type = number,
     .dimension = "1",
     .default_value = "0",
     .doc = "which entries of the factors are small, by the largest of their row; 0: 1e-4 (with "
            "phases auto it is found while running)"},
    {.name = "krylov_steps",
     .type = integer,
     .default_value = "0",
     .doc =
         "GMRES steps of an iteration, 1 to 10; 0: until a tenth of the residual is left, at most "
         "3"},
    {.name = "broyden",
     .type = number,
     .dimension = "1",
     .default_value = "0",
     .doc = "damping of Broyden's updates of an old matrix, 0 (none) to 1 (undamped)"},
};

inline constexpr TagSchema method_tags[] = {
    {.name = "radau",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = radau_attributes,
     .doc = "Options of the integrator `radau`: Radau IIA of order 5 on the projected equations of "
            "motion, implicit, for stiff, redundant, nonholonomic and otherwise difficult "
            "mechanisms.",
     .formula = "p' = Z v - G^T eta, M v' = f - G^T lambda, 0 = g, 0 = G v + gI by Radau IIA of "
                "order 5, projected by selectors",
     .example = R"xml(<radau step_control="classical" jacobian_reuse="0.05"/>)xml"},
    {.name = "bdf",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = bdf_attributes,
     .doc = "Options of the integrator `bdf`.",
     .formula =
         "sum alpha_i y_(n-i) = h beta y'_n, orders 1 to 5, with the multipliers eta of 0 = g",
     .example = R"xml(<bdf jacobian="groups" phases="plain"/>)xml"},
    {.name = "reduction",
     .role = TagRole::setting,
     .parents = "mbs",
     .attributes = reduction_attributes,
     .doc = "Options of the integrator `reduction`.",
     .formula = "q' = v_q, (D^T M D) v_q' = D^T (f - M gamma_D), G D = 0: Adams methods in the "
                "independent q",
     .example = R"xml(<reduction method="nullspace"/>)xml"},
};

}  // namespace mbs::tables
