// Measures what the parts of the integrator `bdf` save, on templates: the tables of Arnold et al.
// (2006) and Nijhuis (2013).
//
// bench_bdf elimination        (5.5): factorisations with and without the kinematic rows
// bench_bdf weights            what evaluations cost by multiplications, for `phases="auto"`
// bench_bdf carriage           Table 1 of Arnold et al. (2006)
// bench_bdf car                its Table 3
// bench_bdf pendulums          its Fig. 7 and Table 2
// bench_bdf rig                the same on the axle rig
// bench_bdf phases             the three phases of a refresh cycle
// bench_bdf whole              `auto` against the plain cycle, on all templates
// bench_bdf size               what a step costs by the number of bodies
// bench_bdf run <template> <end> <rtol> <atol> [<keyword>=<value>...]    one run's counts

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "tests/bench/bdf/tables.hpp"

namespace mbs::test {
namespace {

void print_one(const std::vector<std::string>& arguments) {
  if (arguments.size() < 4) throw std::runtime_error("run <template> <end> <rtol> <atol> ...");
  Keywords keywords;
  for (std::size_t i = 4; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    if (equals == std::string::npos)
      throw std::runtime_error(arguments[i] + " is no keyword=value");
    keywords.emplace_back(arguments[i].substr(0, equals), arguments[i].substr(equals + 1));
  }
  const Problem problem = template_problem(arguments[0], std::stod(arguments[1]));
  const BdfRun run = run_bdf(problem, std::stod(arguments[2]), std::stod(arguments[3]), keywords);
  print_heading();
  print_row(arguments[0].c_str(), run);
}

}  // namespace

void print_heading() {
  std::printf(
      "| | unknowns | steps | rejected, failed | residuals | Jacobians | updates | differences | "
      "factorisations | solves | operations: factors | triangular | without dropping | Krylov "
      "steps | error | ms |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_row(const char* title, const BdfRun& run) {
  const Statistics& s = run.statistics;
  const bdf::Counts& c = run.counts;
  std::printf(
      "| %s | %d | %ld | %ld, %ld | %ld | %ld | %ld | %ld | %ld | %ld | %.3g | %.3g | %.3g | %ld | "
      "%.1e | %.1f |\n",
      title, run.unknowns, s.steps, s.rejected, s.failed, run.residuals(), s.jacobians, s.updates,
      run.difference_residuals, s.factorisations, s.solves, c.factors, c.triangular,
      c.triangular_full, c.krylov_steps, run.error, run.milliseconds);
  std::fflush(stdout);
}

}  // namespace mbs::test

int main(int argc, char** argv) {
  using namespace mbs::test;
  const std::vector<std::string> keywords(argv + 1, argv + argc);
  try {
    const std::string what = keywords.empty() ? "all" : keywords[0];
    if (what == "run") {
      print_one({keywords.begin() + 1, keywords.end()});
      return 0;
    }
    if (what == "all" || what == "elimination") print_elimination();
    if (what == "all" || what == "weights") print_weights();
    if (what == "all" || what == "carriage") print_carriage();
    if (what == "all" || what == "car") print_car();
    if (what == "all" || what == "pendulums") print_pendulums();
    if (what == "all" || what == "rig") print_rig();
    if (what == "all" || what == "phases") print_phases();
    if (what == "all" || what == "whole") print_whole();
    if (what == "all" || what == "size") print_sizes();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
