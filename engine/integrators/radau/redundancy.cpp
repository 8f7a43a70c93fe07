// Redundant constraints are found where integration starts; multipliers are then of least norm, and
// Newton's system and the solvers are those that take them.

#include "engine/integrators/radau/redundancy.hpp"

#include <cmath>

#include "engine/base/linear_solver_names.hpp"
#include "engine/base/scatter.hpp"
#include "engine/integrators/radau/integrator.hpp"
#include "engine/integrators/radau/selector.hpp"
#include "engine/linear/dependencies.hpp"

namespace mbs::radau {

RankMonitor::RankMonitor(const Sizes& sizes)
    : random_(Vector::Zero(sizes.v)), motion_(random_), reactions_(Vector::Zero(sizes.lambda)) {
  Scatter scatter;
  for (double& x : random_) x = scatter.next();
}

int RankMonitor::independent_row(const Equations& equations, const Context& context, const State& x,
                                 Workspace& ws, SaddleSolver& solver) {
  constexpr double none = 1e-3;
  equations.apply_M(context, x, random_, motion_, ws);
  reactions_.setZero();
  solver.solve(motion_, reactions_);
  for (int i = 0; i < ws.G.rows(); ++i) {
    double left = 0.0, size = 0.0;
    for (RowSparse::InnerIterator g(ws.G, i); g; ++g) {
      left += g.value() * motion_[g.col()];
      size += std::abs(g.value() * random_[g.col()]);
    }
    if (std::abs(left) > none * size) return i;
  }
  return -1;
}

namespace {

std::unique_ptr<NewtonSystem> make_system(const SystemContext& context, const std::string& linear) {
  const Options& o = context.options;
  const bool sparse = o.structure == Structure::sparse ||
                      (o.structure == Structure::automatic && is_large(context.equations.sizes()) &&
                       o.algebraic == Algebraic::automatic);
  if (sparse || o.form == Form::index1) return make_saddle_system(context, sparse, linear);
  return make_dense_system(context, o.algebraic);
}

int active_rows(const Workspace& ws) {
  return static_cast<int>((ws.D.array() == 0.0).count());
}

}  // namespace

void Integrator::make_newton_system() {
  const SystemContext context{equations_, context_, choice_, statistics_, redundant_ > 0};
  if (redundant_ == 0) {
    stage_solver_.set_system(make_system(context, options_.linear));
  } else if (reveals_rank_dense()) {
    const bool svd = choice_.algebraic == Algebraic::svd;
    stage_solver_.set_system(make_dense_system(context, svd ? Algebraic::svd : Algebraic::qr));
  } else {
    stage_solver_.set_system(
        make_saddle_system(context, is_large(equations_.sizes()), options_.linear));
  }
}

void Integrator::make_solvers() {
  const std::string linear = redundant_ > 0 ? std::string(least_norm_keyword) : options_.linear;
  for (auto* solver : {&solver_, &output_.solver}) *solver = equations_.make_solver(linear);
  solver_->measure_time(options_.monitor);
  make_newton_system();
}

void Integrator::treat_redundancy(const State& x) {
  const Sizes& n = equations_.sizes();
  if (n.lambda == 0 || choice_.algebraic == Algebraic::lu) return;
  equations_.position(context_, x, want_M | want_G, *ws_);
  if (reveals_rank_dense()) {
    if (redundant_ > 0) return;
    const Vector& scale = equations_.structure().v_scale;
    Selector selector(Algebraic::qr, n.lambda, scale.size() == n.v ? scale : Vector::Ones(n.v));
    if (!selector.decompose(Matrix(ws_->G), true)) return;
    redundant_ = active_rows(*ws_) - selector.rank();
    if (redundant_ > 0) make_solvers();
    return;
  }
  const bool expected = redundant_ > 0 || equations_.structure().redundancy ==
                                              mbs::Structure::Redundancy::minimum_norm;
  if (!expected && solver_->factor(ws_->saddle())) return;
  redundant_ = static_cast<int>(redundant_rows(ws_->M, ws_->G, ws_->D).size());
  make_solvers();
}

// True when the selectors' own decompositions reveal the rank; otherwise sparse QR does.
bool Integrator::reveals_rank_dense() const {
  constexpr int most_dense = 100;  // sparse QR is faster for larger models
  const Sizes& n = equations_.sizes();
  if (equations_.structure().f_depends_on_lambda) return true;
  if (choice_.form == Form::index1) return false;
  return choice_.algebraic != Algebraic::automatic || choice_.structure == Structure::dense ||
         (choice_.structure == Structure::automatic && n.v + n.lambda <= most_dense);
}

// Called after arrive(), which finds a rank that falls, as Newton's matrices do.
bool Integrator::rank_has_risen(const State& x) {
  const int row = rank_monitor_.independent_row(equations_, context_, x, *ws_, *solver_);
  ++statistics_.solves;
  if (row < 0) return false;
  const int rank = active_rows(*ws_) - redundant_;
  failure_ = {StepFailure::Reason::rank, failure_.size, row};
  stage_solver_.set_rank_defect({RankDefect::changed, rank, rank + 1, row});
  return true;
}

}  // namespace mbs::radau
