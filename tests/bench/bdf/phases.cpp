// Chapter 4 of Nijhuis (2013): the phases of a refresh cycle.

#include <cstdio>

#include "tests/bench/bdf/tables.hpp"

namespace mbs::test {

void print_phases() {
  struct Case {
    const char* name;
    double end, rtol, atol;
  };
  const Keywords phases[] = {
      {{"phases", "plain"}},
      {{"phases", "dropped"}},
      {{"phases", "dropped"}, {"drop_tolerance", "0.1"}},
      {{"phases", "dropped"}, {"drop_tolerance", "0.01"}},
      {{"phases", "dropped"}, {"drop_tolerance", "0.001"}},
      {{"phases", "krylov"}},
      {{"phases", "krylov"}, {"krylov_steps", "1"}},
      {{"phases", "all"}},
      {{"phases", "auto"}},
  };
  for (const Case& c :
       {Case{"all_terrain_vehicle", 2.0, 1e-4, 1e-5}, Case{"gimbal", 2.0, 1e-4, 1e-5},
        Case{"sprocket_chain", 0.05, 1e-4, 1e-5}}) {
    Problem problem = template_problem(c.name, c.end);
    find_reference(problem);
    std::printf("\n%s, %g s, rtol = %.0e, atol = %.0e\n\n", c.name, c.end, c.rtol, c.atol);
    print_heading();
    for (const char* corrector : {"dassl", "auto"}) {
      for (const Keywords& keywords : phases) {
        Keywords all = keywords;
        all.emplace_back("corrector", corrector);
        std::string title = corrector;
        for (const auto& [name, value] : keywords) title += " " + value;
        print_row(title.c_str(), run_bdf(problem, c.rtol, c.atol, all));
      }
    }
  }
}

}  // namespace mbs::test
