#pragma once

// Options by the keywords of the model file's <radau/>; the manual of GEOMS has them as IOPT and
// ROPT.

#include "engine/integrators/base/options.hpp"

namespace mbs::radau {

enum class Form { projected, index1 };
enum class Algebraic { automatic, lu, qr, svd };
enum class Differential { lu, qr };
enum class Selectors { tangent, adapted, every_step };
enum class Structure { automatic, dense, sparse };

struct Options {
  Form form = Form::projected;                   // IOPT(5)
  Algebraic algebraic = Algebraic::automatic;    // IOPT(11)
  Differential differential = Differential::lu;  // IOPT(12)
  Selectors selectors = Selectors::tangent;      // IOPT(13)
  bool extrapolate = true;                       // IOPT(4): starting values
  int newton_stage = -1;                         // IOPT(9): of Newton's matrix; -1: chosen
  int newton_updates = 0;                        // IOPT(10): of the matrix within a step
  bool predictive = true;                        // IOPT(8)
  int iterations = 10;                           // IOPT(3)
  Structure structure = Structure::automatic;
  bool exploit_mass = true;                         // IOPT(15)
  double safety = 0.9;                              // ROPT(2)
  double jacobian_reuse = 0.001;                    // ROPT(3)
  double kappa = 0.0;                               // ROPT(4); 0: from the tolerance
  double keep_step_from = 1.0, keep_step_to = 1.2;  // ROPT(5), ROPT(6)
  double most_growth = 8.0, most_shrinkage = 0.2;   // ROPT(8), ROPT(9)
};

// Throws std::invalid_argument with the value and the bound. Newton's stage is chosen so that
// fewest right-hand sides are needed at equal errors.
Options read_options(const IntegratorOptions& options, const Sizes& sizes);

// Models beyond this size take the sparse system by default.
bool is_large(const Sizes& sizes);

}  // namespace mbs::radau
