#include "engine/integrators/bdf/options.hpp"

namespace mbs::bdf {

Options read_options(const IntegratorOptions& options) {
  OptionReader read("bdf", options.method_options);
  Options bdf;
  bdf.form =
      read.keyword("form", "ggl|lambda_derivative") == 0 ? Form::ggl : Form::lambda_derivative;
  bdf.formalism = read.keyword("formalism", "residual|explicit") == 0 ? Formalism::residual
                                                                      : Formalism::explicit_;
  const bool plain = read.keyword("corrector", "auto|dassl") == 1;
  bdf.corrector = plain ? CorrectorKind::dassl : CorrectorKind::modern;
  switch (read.keyword("jacobian", "auto|exact|differences|groups")) {
    case 2:
      bdf.jacobians = JacobianKind::differences;
      break;
    case 3:
      bdf.jacobians = JacobianKind::groups;
      break;
    default:
      bdf.jacobians = JacobianKind::exact;
  }
  switch (read.keyword("update", "auto|none|partitioned|extended")) {
    case 0:
      bdf.update = plain ? MatrixUpdate::none : MatrixUpdate::partitioned;
      break;
    case 1:
      bdf.update = MatrixUpdate::none;
      break;
    case 2:
      bdf.update = MatrixUpdate::partitioned;
      break;
    default:
      bdf.update = MatrixUpdate::extended;
  }
  bdf.eliminate = read.boolean("eliminate", !plain);
  const int scaling = read.keyword("scaling", "auto|factor|matching");
  bdf.matching = scaling == 0 ? !plain : scaling == 2;
  const double given = read.number("drop_tolerance", 0.0, 0.0, 1.0), usual = 1e-4;
  const int phases = read.keyword("phases", "auto|plain|dropped|krylov|all");
  if (phases == 0 && !plain) bdf.phases = CyclePolicy::Kind::automatic;
  if (phases >= 2) bdf.phases = CyclePolicy::Kind::fixed;
  if (phases == 2 || phases == 4) bdf.drop_tolerance = given > 0.0 ? given : usual;
  bdf.krylov = phases >= 3;
  bdf.krylov_steps = read.integer("krylov_steps", 0, 0, 10);
  bdf.broyden = read.number("broyden", 0.0, 0.0, 1.0);
  read.finish();
  return bdf;
}

}  // namespace mbs::bdf
