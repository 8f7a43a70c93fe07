#include "engine/integrators/bdf/options.hpp"

namespace mbs {

BdfOptions read_bdf_options(const IntegratorOptions& options) {
  OptionReader read("bdf", options.method_options);
  BdfOptions bdf;
  bdf.form =
      read.word("form", "ggl|lambda_derivative") == 0 ? BdfForm::ggl : BdfForm::lambda_derivative;
  bdf.formalism =
      read.word("formalism", "residual|explicit") == 0 ? Formalism::residual : Formalism::explicit_;
  const bool plain = read.word("corrector", "auto|dassl") == 1;
  bdf.corrector = plain ? BdfCorrector::dassl : BdfCorrector::modern;
  switch (read.word("jacobian", "auto|exact|differences|groups")) {
    case 2:
      bdf.jacobians = BdfJacobians::differences;
      break;
    case 3:
      bdf.jacobians = BdfJacobians::groups;
      break;
    default:
      bdf.jacobians = BdfJacobians::exact;
  }
  switch (read.word("update", "auto|none|partitioned|extended")) {
    case 0:
      bdf.update = plain ? BdfUpdate::none : BdfUpdate::partitioned;
      break;
    case 1:
      bdf.update = BdfUpdate::none;
      break;
    case 2:
      bdf.update = BdfUpdate::partitioned;
      break;
    default:
      bdf.update = BdfUpdate::extended;
  }
  bdf.eliminate = read.boolean("eliminate", !plain);
  const int scaling = read.word("scaling", "auto|factor|matching");
  bdf.matching = scaling == 0 ? !plain : scaling == 2;
  const double drop = read.number("drop_tolerance", 0.0, 0.0, 1.0);
  switch (read.word("phases", "auto|plain|dropped|krylov|all")) {
    case 0:
      bdf.phases = plain ? PhasePolicy::Kind::plain : PhasePolicy::Kind::automatic;
      break;
    case 1:
      break;
    case 2:
      bdf.fixed = {drop > 0.0 ? drop : 1e-2, false};
      break;
    case 3:
      bdf.fixed = {0.0, true};
      break;
    default:
      bdf.fixed = {drop > 0.0 ? drop : 1e-2, true};
  }
  if (bdf.fixed.krylov || bdf.fixed.drop_tolerance > 0.0) bdf.phases = PhasePolicy::Kind::fixed;
  bdf.krylov_steps = read.integer("krylov_steps", 1, 1, 10);
  bdf.broyden = read.number("broyden", 0.0, 0.0, 1.0);
  read.finish();
  return bdf;
}

}  // namespace mbs
