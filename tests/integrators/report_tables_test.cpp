// Counts of tables 5.1, 5.2 and 5.5 of Lubich et al. (1992): ours and the printed ones, from
// H0 = 1e-3 as there.

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/integrators/problem_run.hpp"

namespace mbs::test {
namespace {

struct Counts {
  long steps, nfcn, nsol;
  double error;  // of p against the reference; of y1 for the drum
};

// y1 of the cable drum with friction mu: y1'' = -A - B y1' from rest.
double drum_y1(double mu, double t) {
  const double D = 1.0 + 10.0 * (1.0 - mu), A = (10.0 * (1.0 - mu) - mu) / D, B = (1.0 - mu) / D;
  return B == 0.0 ? -0.5 * A * t * t : -A / B * (t + std::expm1(-B * t) / B);
}

Counts count(const std::string& problem, double tolerance, const std::string& scheme) {
  ProblemRun run(problem);
  IntegratorOptions options = with_tolerance(tolerance);
  options.initial_step = 1e-3;
  options.scheme = scheme;
  const auto integrator = run.start("extrapolation", options);
  ProblemRun::advance(*integrator, run.t_end);
  const Statistics& s = integrator->statistics();
  double error = 0.0;
  if (problem.starts_with("drum")) {
    const double mu = problem == "drum" ? 0.25 : std::stod(problem.substr(4));
    const double exact = drum_y1(mu, run.t_end);
    error = std::abs(integrator->state().p[0] - exact) / (1.0 + std::abs(exact));
  } else {
    error = error_of(integrator->state().p, run.reference.value().p);
  }
  return {s.steps, s.matrix_evaluations, s.solves, error};
}

struct Printed {
  std::string problem;
  double tolerance;
  long steps, nfcn, nsol;
};

// Prints a line and returns nfcn over the printed one.
double compare(const Printed& printed, Counts& ours, const std::string& scheme = "auto") {
  ours = count(printed.problem, printed.tolerance, scheme);
  const double ratio = static_cast<double>(ours.nfcn) / static_cast<double>(printed.nfcn);
  std::printf(
      "%-9s %.0e  steps %3ld /%3ld  nfcn %4ld /%4ld (%3.0f %%)  nsol %4ld /%4ld  err_p %.1e\n",
      printed.problem.c_str(), printed.tolerance, ours.steps, printed.steps, ours.nfcn,
      printed.nfcn, 100.0 * ratio, ours.nsol, printed.nsol, ours.error);
  return ratio;
}

TEST(ReportTables, AndrewsMechanismTakesAsManyEvaluations) {
  for (const Printed& printed :
       {Printed{"andrews", 1e-3, 17, 488, 511}, Printed{"andrews", 1e-5, 26, 925, 957},
        Printed{"andrews", 1e-7, 23, 1530, 1563}, Printed{"andrews", 1e-9, 32, 2533, 2571},
        Printed{"andrews", 1e-11, 37, 3554, 3611}}) {
    Counts ours{};
    const double ratio = compare(printed, ours);
    EXPECT_LE(ratio, 1.0) << printed.tolerance;
    EXPECT_GE(ratio, 0.7) << printed.tolerance;
    EXPECT_LE(ours.error, 10.0 * printed.tolerance);
    // In addition to its rows the report counts in a step one evaluation and solution for v, one or
    // two solutions for p. Here v takes one or two solutions more in the place of a factorisation.
    EXPECT_GE(ours.nsol - ours.nfcn, ours.steps);
    EXPECT_LE(ours.nsol - ours.nfcn, 4 * ours.steps);
  }
}

TEST(ReportTables, CableDrumTakesAsManyEvaluationsWithTheStandardScheme) {
  long before = 0;
  for (const Printed& printed :
       {Printed{"drum0", 1e-5, 7, 99, 107}, Printed{"drum0.125", 1e-5, 8, 102, 111},
        Printed{"drum", 1e-5, 9, 112, 122}, Printed{"drum0.5", 1e-5, 10, 162, 173},
        Printed{"drum0.75", 1e-5, 23, 273, 297}, Printed{"drum1", 1e-5, 76, 1082, 1159}}) {
    Counts ours{};
    const double ratio = compare(printed, ours, "standard");
    // At mu = 1/2 the control stays on four rows, where a quarter more work than with six
    // looks like a flat minimum.
    EXPECT_LE(ratio, printed.problem == "drum0.5" ? 1.6 : 1.15) << printed.problem;
    EXPECT_GE(ours.nfcn, before) << printed.problem;  // the printed trend
    before = ours.nfcn;
    // The perturbations (2.5) of the expansion grow with mu and the estimate sees little of them:
    // what the standard scheme is not made for.
    const bool small_F = printed.problem != "drum0.75" && printed.problem != "drum1";
    EXPECT_LE(ours.error, (small_F ? 10.0 : 500.0) * printed.tolerance) << printed.problem;
  }
}

TEST(ReportTables, CableDrumTakesAsManyEvaluationsWithTheModifiedScheme) {
  for (const Printed& printed :
       {Printed{"drum0", 1e-5, 7, 99, 107}, Printed{"drum0.125", 1e-5, 7, 99, 107},
        Printed{"drum", 1e-5, 7, 99, 107}, Printed{"drum0.5", 1e-5, 7, 99, 107},
        Printed{"drum0.75", 1e-5, 7, 105, 114}, Printed{"drum1", 1e-5, 7, 87, 95},
        Printed{"drum1.25", 1e-5, 9, 149, 159}, Printed{"drum1.5", 1e-5, 8, 114, 123}}) {
    for (const char* scheme : {"modified", "auto"}) {
      Counts ours{};
      EXPECT_LE(compare(printed, ours, scheme), 1.2) << printed.problem;
      EXPECT_LE(ours.error, 10.0 * printed.tolerance) << printed.problem;
    }
  }
}

TEST(ReportTables, InsulatorChainTakesAsManyEvaluations) {
  for (const Printed& printed :
       {Printed{"insul16", 1e-3, 13, 583, 597}, Printed{"insul16", 1e-5, 13, 846, 862},
        Printed{"insul16", 1e-7, 17, 1396, 1414}, Printed{"insul32", 1e-3, 13, 473, 488},
        Printed{"insul32", 1e-5, 12, 759, 774}, Printed{"insul32", 1e-7, 15, 1204, 1220},
        Printed{"insul64", 1e-3, 13, 444, 460}, Printed{"insul64", 1e-5, 15, 890, 906},
        Printed{"insul64", 1e-7, 15, 1164, 1180}}) {
    Counts ours{};
    const double ratio = compare(printed, ours);
    EXPECT_LE(ratio, 1.15) << printed.problem << " " << printed.tolerance;
    EXPECT_LE(ours.error, 10.0 * printed.tolerance);
  }
}

}  // namespace
}  // namespace mbs::test
