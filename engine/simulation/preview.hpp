#pragma once

// A preview of inputs and parameters that are set but not yet in force: importers of FMI iterate in
// event mode over loops between FMUs, by setting inputs and looking at what follows at once,
//
//   a, lambda, w, y, x'  =  functions of (t, p, v, r, z, modes; u, parameters)
//
// with p, v, r, z and modes as they are (f_event of FMI 3.0, 2.3.5, before
// fmi3UpdateDiscreteStates). Where positions follow inputs or parameters themselves (drives,
// tunable lengths) they are projected onto what holds then. Nothing in the system changes.

#include <memory>

#include "engine/equations/projection.hpp"
#include "engine/simulation/hybrid_system.hpp"

namespace mbs {

class Preview {
 public:
  explicit Preview(HybridSystem& system);
  Preview(const Preview&) = delete;
  Preview& operator=(const Preview&) = delete;

  Inputs& inputs() { return inputs_; }  // to be set before evaluate()
  // Throws SolverFailure when there is no such state. revision: another one for whatever differs.
  void evaluate(HybridSystem& system, std::uint64_t revision);
  bool is_of(std::uint64_t revision) const { return revision == revision_; }

  const State& state() const { return x_; }
  double output(int i) const { return ws_->y[i]; }
  const Vector& rates() const { return dx_; }
  const Vector& indicators() const { return phi_; }
  EvaluationPoint point() { return {{inputs_, parameters_}, x_, law_time_, ~revision_}; }

 private:
  Inputs inputs_;
  Parameters parameters_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  Projection projection_;
  State x_;
  Vector dx_, phi_;
  double law_time_ = 0.0;
  std::uint64_t revision_ = 0;  // 0: none
};

}  // namespace mbs
