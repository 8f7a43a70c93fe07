#pragma once

// Schema: what single integrators take besides the attributes of `solver`. One tag for each, which
// counts when its integrator works; their values reach the integrator by name
// (engine/integrators/base/option_reader.hpp).

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A radau_attributes[] = {
    choice("form", "projected|index1", "projected",
           "projected: constraints of positions, velocities and accelerations hold in every stage; "
           "index1: those of accelerations are left out, a little less work for a little less "
           "accuracy of reactions between steps"),
    choice("structure", "auto|dense|sparse", "auto",
           "dense: the constraints are eliminated; sparse: saddle matrices, for large models; "
           "auto: sparse from about 40 velocities and constraints on. Both watch the rank of the "
           "constraints and treat redundant ones; where these are more than about 100 velocities "
           "and constraints auto is sparse with them, too"),
    choice("mass", "auto|general", "auto",
           "auto: a mass matrix that is diagonal or constant is made use of where the structure is "
           "dense: it is factored by itself, a constant one once; general: it is not. That a model "
           "is autonomous need not be said: no derivative by time is ever formed"),
    choice("algebraic", "auto|lu|qr|svd", "auto",
           "how the constraints are decomposed, which chooses the independent coordinates. lu: "
           "full pivoting; qr: column pivoting; svd: singular values. qr and svd also treat "
           "redundant constraints, with multipliers of least norm; auto: lu, qr where constraints "
           "are redundant"),
    choice("differential", "lu|qr", "lu",
           "how the dense matrices of the differential part are decomposed"),
    choice("selectors", "tangent|adapted|every_step", "tangent",
           "which differential equations are kept in addition to the constraints. tangent: those "
           "along the "
           "constraints' tangent, anew with every Jacobian, which curves the motion least: "
           "smallest errors and drift; adapted: those of independent coordinates, chosen anew when "
           "the pivots change or Newton's method struggles; every_step: likewise, in every step"),
    choice("start_values", "extrapolated|constant", "extrapolated",
           "where Newton's method starts: the last step's polynomial prolonged, or the state at "
           "the beginning of the step"),
    optional("newton_stage", integer, "1",
             "at which predicted stage Newton's matrix is taken, 0: at the beginning of the step; "
             "absent: 2 of small models, 3 of large ones, 0 with constant start values. That needs "
             "a fifth to a third fewer evaluations than 0 on the benchmarks",
             "0..3"),
    with_default("newton_updates", integer, "1", "0",
                 "how often Newton's matrix may be renewed within a step that does not converge",
                 "0..10"),
    with_default("newton_iterations", integer, "1", "10",
                 "most iterations of Newton's method in a step", "2..50"),
    with_default("newton_stop", number, "1", "0",
                 "error of Newton's method by the tolerance; 0: by the tolerance, at most 0.03. "
                 "1e-6 is the choice for motions over a long time whose energy is to be kept",
                 ">=0"),
    choice("step_control", "predictive|classical", "predictive",
           "whether the step size follows the trend of the errors or the last error alone"),
    with_default("safety", number, "1", "0.9", "ratio of the step size taken to the optimal one",
                 ">0"),
    with_default("jacobian_reuse", number, "1", "0.001",
                 "rate of convergence up to which the Jacobian is kept; larger where it is "
                 "expensive, negative: a new one in every step"),
    with_default("keep_step_from", number, "1", "1",
                 "with a kept Jacobian the step size is kept, too, unless it would change by less "
                 "than this factor",
                 ">0"),
    with_default("keep_step_to", number, "1", "1.2", "likewise, by more than this factor", ">0"),
    with_default("least_change", number, "1", "0.2", "least factor by which the step size changes",
                 ">0"),
    with_default("largest_change", number, "1", "8",
                 "largest factor by which the step size changes", ">0"),
};

inline constexpr A reduction_attributes[] = {
    choice("method", "partition|stabilized|hybrid|svd|nullspace", "partition",
           "what is independent. partition: coordinates found by pivoting, the others solved for "
           "in every evaluation; svd: directions tangential to the constraints, kept while the "
           "motion stays along them; nullspace: such directions in every step; stabilized: "
           "everything, and the drift from the constraints is damped, which fails near singular "
           "positions; hybrid: as stabilized, brought back onto the constraints when the drift is "
           "above the tolerance, and as partition near singular positions, which the log reports"),
    optional("alpha", number, "1",
             "damping of the drift in 1/s, of stabilized and hybrid; absent: as fast as the step "
             "size allows",
             ">=0"),
    optional("beta", number, "1", "frequency of the drift in 1/s; absent: alpha, critical damping",
             ">=0"),
    with_default("position_correction", boolean, "true",
                 "of nullspace: positions are brought onto the constraints in every step; false: "
                 "they are integrated and drift by about the tolerance"),
};

inline constexpr A bdf_attributes[] = {
    choice("form", "ggl|lambda_derivative", "ggl",
           "ggl: positions and velocities on their constraints, of index 2; lambda_derivative: "
           "velocities alone, with the integrals of multipliers as unknowns, of index 1, and "
           "positions projected when they have drifted"),
    choice("formalism", "residual|explicit", "residual",
           "residual: of M a - f; explicit: of a - M^-1 f, which needs a regular mass matrix and "
           "lets the mass matrix of an old Jacobian stay"),
    choice("corrector", "auto|dassl", "auto",
           "dassl: start, norm, tests of convergence and all choices of DASSL, to compare with; "
           "auto: all of this method's own"),
    choice("jacobian", "auto|exact|differences|groups", "auto",
           "exact: of the model's elements, which is auto; differences: column by column; groups: "
           "columns that share no row together, on a pattern estimated at the start that grows "
           "when convergence is slow"),
    choice("update", "auto|none|partitioned|extended", "auto",
           "what is done when the step size has changed. none: a new Jacobian; partitioned: the "
           "old one with the new step size, which is auto; extended: and with the change of what "
           "excites the model in time"),
    with_default("eliminate", boolean, "true", "positions are eliminated from the linear systems"),
    choice("scaling", "auto|factor|matching", "auto",
           "of corrections while a matrix of another step size is in use. factor: by one number, "
           "as DASSL; matching: rows and columns, which is auto as long as it goes well"),
    choice("phases", "auto|plain|dropped|krylov|all", "auto",
           "of the time between two factorisations. dropped: small entries of the factors are left "
           "out at first; krylov: at last some GMRES steps with the old factors; all: both; plain: "
           "none; auto: found while running from counted operations"),
    with_default("drop_tolerance", number, "1", "0",
                 "which entries of the factors are small, by the largest of their row; 0: 1e-4 "
                 "(with phases auto it is found while running)"),
    with_default("krylov_steps", integer, "0",
                 "GMRES steps of an iteration, 1 to 10; 0: until a tenth of the residual is left, "
                 "at most 3"),
    with_default("broyden", number, "1", "0",
                 "damping of Broyden's updates of an old matrix, 0 (none) to 1 (undamped)"),
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
