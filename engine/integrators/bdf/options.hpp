#pragma once

// Options by the keywords of the model file's <bdf/>.

#include "engine/integrators/base/options.hpp"
#include "engine/integrators/bdf/cycle_policy.hpp"
#include "engine/integrators/bdf/system.hpp"

namespace mbs::bdf {

enum class JacobianKind { exact, differences, groups };
enum class MatrixUpdate { none, partitioned, extended };
enum class CorrectorKind { dassl, modern };

struct Options {
  Form form = Form::ggl;
  Formalism formalism = Formalism::residual;
  // dassl: the norms, tests of convergence, reasons for a refresh, factor c and start of DASSL.
  CorrectorKind corrector = CorrectorKind::modern;
  JacobianKind jacobians = JacobianKind::exact;
  MatrixUpdate update = MatrixUpdate::partitioned;
  bool eliminate = true;  // the kinematic rows, Nijhuis (2013), eq. (5.5)
  bool matching = true;   // of the step size, (5.9)-(5.12) there; otherwise the factor c of (18)
  CyclePolicy::Kind phases = CyclePolicy::Kind::plain;  // of a cycle
  double drop_tolerance = 0.0;                          // of fixed phases; 0: no first phase
  bool krylov = false;                                  // fixed phases with the third
  int krylov_steps = 0;                                 // 0: as many as they serve, at most 3
  double broyden = 0.0;                                 // beta; 0: no updates
};

// Throws std::invalid_argument with the value and the bound.
Options read_options(const IntegratorOptions& options);

}  // namespace mbs::bdf
