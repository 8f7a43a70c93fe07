#pragma once

// The effort of known codes on the benchmark problems, run on hand-written equations elsewhere:
// peers.csv, whose rows are
//
//   problem,solver,tol,rhs_evaluations,jacobians,steps,rejections,err_p,err_v,err_lambda
//
// mexx-port is an equivalent of MEXX, odex-idx1 is ODEX on the index-1 form.

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mbs::test {

struct KnownRun {
  double tolerance;
  long right_hand_sides, jacobians, steps;
  double err_p;
  // Factorisations of saddle matrices: each evaluation of (M, G, gI) of mexx-port needs one (it
  // counts them as Jacobians), and each right-hand side of an index-1 form.
  long factorisations(const std::string& solver) const {
    return solver == "mexx-port" ? jacobians : right_hand_sides;
  }
};

class KnownRuns {
 public:
  // Throws std::runtime_error when the file is not there or not of this form.
  explicit KnownRuns(const std::string& path);
  // Empty when there are none.
  const std::vector<KnownRun>& of(const std::string& problem, const std::string& solver) const;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<KnownRun>> runs_;
};

}  // namespace mbs::test
