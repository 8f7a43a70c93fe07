#include "engine/integrators/radau/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/linear_solver_names.hpp"
#include "engine/base/scatter.hpp"
#include "engine/base/text.hpp"
#include "engine/equations/initial.hpp"
#include "engine/integrators/base/step_plan.hpp"
#include "engine/integrators/radau/selector.hpp"
#include "engine/linear/dependencies.hpp"

namespace mbs::radau {

namespace {

IntegratorOptions checked(const IntegratorOptions& options, const Sizes& sizes) {
  options.check(sizes);
  return options;
}

// Beyond this many velocities and multipliers the sparse system is faster.
constexpr int most_dense = 40;
// Redundant constraints are treated dense up to this many: sparse is faster from there on.
constexpr int most_dense_redundant = 100;

bool large(const Sizes& n) {
  return n.v + n.lambda > most_dense;
}

std::unique_ptr<NewtonSystem> make_system(const SystemContext& context, const std::string& linear) {
  const Sizes& n = context.equations.sizes();
  const Options& o = context.options;
  const bool sparse =
      o.structure == Structure::sparse ||
      (o.structure == Structure::automatic && large(n) && o.algebraic == Algebraic::automatic);
  if (sparse || o.form == Form::index1) {
    return make_saddle_system(context, sparse, linear);
  }
  return make_dense_system(context, o.algebraic);
}

// What is left to us: Newton's matrix at the stage that needs fewest right-hand sides at equal
// errors.
Options chosen(Options o, const Sizes& n) {
  if (o.newton_stage < 0) o.newton_stage = large(n) ? 3 : 2;
  return o;
}

}  // namespace

Integrator::Integrator(const Equations& equations, Context context,
                       const IntegratorOptions& options)
    : equations_(equations),
      context_(context),
      options_(checked(options, equations.sizes())),
      choice_(chosen(read_options(options), equations.sizes())),
      stack_(equations.sizes()),
      norm_(options, equations.sizes()),
      kappa_(choice_.kappa > 0.0 ? choice_.kappa
                                 : norm_.kappa(large(equations.sizes()) ? 1.0 : 0.1)),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver(options.linear)),
      projection_(equations, context, options),
      system_(make_system({equations_, context_, choice_, statistics_}, options.linear)),
      control_(choice_),
      point_(equations.sizes()),
      stages_(equations.sizes(), stack_),
      trial_(equations.sizes()),
      x0_(stack_.size()),
      y0_(stack_.ny()),
      slope0_(Vector::Zero(stack_.ny())),
      slope_(Vector::Zero(stack_.ny())),
      F_(stack_.ny()),
      d_(stack_.ny()),
      end_(stack_.size()),
      polynomial_(stack_.size()),
      begin_(Vector::Zero(stack_.size())),
      view_ws_(equations.make_workspace()),
      view_solver_(equations.make_solver(options.linear)),
      view_projection_(equations, context, options),
      view_(stack_.size()) {
  solver_->measure_time(options.monitor);
  x_ = State(equations.sizes());
  const Sizes& n = equations.sizes();
  random_.setZero(n.v);
  Scatter scatter;
  for (double& x : random_) x = scatter.next();
  watched_.setZero(n.v);
  reactions_.setZero(n.lambda);
  if (n.e > 0) {
    invariant_.setZero(n.e);
    for (Vector* x : {&gradient_p_, &gradient_v_, &nu_}) x->setZero(n.v);
    multiplier_.setZero(n.lambda);
    dp_.setZero(n.p);
    invariant_row_p_.setZero(n.e, n.v);
    invariant_row_v_ = invariant_row_p_;
    invariant_change_p_.setZero(n.v, n.e);
    invariant_change_v_ = invariant_change_p_;
    invariant_factors_.resize(n.e, false);
  }
}

std::string Integrator::describe() const {
  return "radau, " +
         std::string(choice_.form == Form::projected ? "projected-strangeness-free form"
                                                     : "strangeness-index-1 form") +
         ", " + system_->describe() +
         (redundant_ > 0 ? "; " + std::to_string(redundant_) +
                               " constraints are redundant: multipliers of least norm"
                         : std::string()) +
         "; linear solver of projections: " + solver_->name();
}

void Integrator::start(const State& x0, double step_hint) {
  ++statistics_.starts;
  started_ = has_polynomial_ = has_jacobian_ = false;
  h_factored_ = 0.0;
  renew_ = true;
  at_singular_point_ = false;
  eta_ = 1.0;
  trouble_ = Trouble::none;
  attempts_ = 0;
  system_->forget();
  trial_ = x0;
  treat_redundancy(x0);
  if (!arrive(trial_)) {
    x_ = x0;
    give_up(0.0, "the state to start from cannot be brought onto the constraints");
  }
  accept(trial_);
  t_begin_ = x_.t;
  begin_ = x0_;
  const double wanted = step_hint > 0.0 ? step_hint : options_.initial_step;
  choose_ = !(wanted > 0.0);
  const double h = choose_ ? 0.0 : std::max(wanted, options_.min_step);
  control_.start(h);
  scale_of_steps_ = h;
  started_ = true;
}

// Redundant constraints, found where integration starts: multipliers of least norm and systems that
// take them, from now on.
void Integrator::treat_redundancy(const State& x) {
  const Sizes& n = equations_.sizes();
  if (n.lambda == 0 || choice_.algebraic == Algebraic::lu) return;
  equations_.position(context_, x, want_M | want_G, *ws_);
  if (reveals_rank_dense()) {
    if (redundant_ > 0) return;
    const Vector& scale = equations_.structure().v_scale;
    Selector selector(Algebraic::qr, n.lambda, scale.size() == n.v ? scale : Vector::Ones(n.v));
    if (!selector.decompose(Matrix(ws_->G), true)) return;
    redundant_ = static_cast<int>((ws_->D.array() == 0.0).count()) - selector.rank();
    if (redundant_ > 0) make_solvers();
    return;
  }
  const bool expected = redundant_ > 0 || equations_.structure().redundancy ==
                                              mbs::Structure::Redundancy::minimum_norm;
  if (!expected && solver_->factor(ws_->saddle())) return;
  redundant_ = static_cast<int>(redundant_rows(ws_->M, ws_->G, ws_->D).size());
  make_solvers();
}

// By the selectors' own decompositions; the other way is sparse QR.
bool Integrator::reveals_rank_dense() const {
  const Sizes& n = equations_.sizes();
  if (equations_.structure().f_depends_on_lambda) return true;
  if (choice_.form == Form::index1) return false;
  return choice_.algebraic != Algebraic::automatic || choice_.structure == Structure::dense ||
         (choice_.structure == Structure::automatic && n.v + n.lambda <= most_dense_redundant);
}

// By redundant_.
void Integrator::make_solvers() {
  const std::string linear = redundant_ > 0 ? std::string(least_norm_keyword) : options_.linear;
  for (auto* solver : {&solver_, &view_solver_}) *solver = equations_.make_solver(linear);
  solver_->measure_time(options_.monitor);
  SystemContext context{equations_, context_, choice_, statistics_, redundant_ > 0};
  if (redundant_ == 0) {
    system_ = make_system(context, options_.linear);
  } else if (reveals_rank_dense()) {
    const bool svd = choice_.algebraic == Algebraic::svd;
    system_ = make_dense_system(context, svd ? Algebraic::svd : Algebraic::qr);
  } else {
    system_ = make_saddle_system(context, large(equations_.sizes()), options_.linear);
  }
}

void Integrator::step(double t_stop) {
  check_step(started_, x_.t, t_stop);
  notices_.clear();
  rank_trouble_ = {};
  trouble_ = Trouble::none;
  if (choose_) {
    control_.start(std::max(choose_step(t_stop), options_.min_step));
    scale_of_steps_ = control_.step();
    choose_ = false;
  }
  const double natural = control_.step();
  const double most = options_.max_step > 0.0 ? options_.max_step : natural;
  constexpr double taylor = 1e-7;
  if (t_stop - x_.t <= taylor * std::min(natural, most)) {
    shift(t_stop);
    return;
  }
  const double least = least_step(options_, x_.t, scale_of_steps_);
  for (int tries = 0;; ++tries) {
    const StepPlan plan = plan_step(options_, x_.t, t_stop, control_.step());
    const std::string end = why_not(options_, control_.step(), least, attempts_);
    if (!end.empty()) give_up(plan.size, end);
    ++attempts_;
    switch (attempt(plan.end, false)) {
      case Attempt::accepted:
        if (tries == 0 && plan.cut && control_.step() >= plan.size && control_.step() < natural) {
          control_.resume(natural);
        }
        return;
      case Attempt::rejected:
        ++statistics_.rejected;
        break;
      case Attempt::failed:
        ++statistics_.failed;
        break;
    }
  }
}

void Integrator::fixed_step(double H) {
  if (attempt(x_.t + H, true) != Attempt::accepted) give_up(H, "a fixed step fails");
}

Integrator::Attempt Integrator::attempt(double t_end, bool any_error) {
  const double h = t_end - x_.t;
  norm_.set_scale(y0_);
  predict(h);
  for (int updates = 0;; ++updates) {
    if (!linearise(h)) {
      control_.failed(h, 0.5);
      return Attempt::failed;
    }
    const Newton result = iterate(h);
    if (result == Newton::converged) break;
    if (result == Newton::diverged && updates < choice_.newton_updates) {
      stack_.unpack(stages_.x.col(1), trial_);
      trial_.t = x_.t + tableau().c[2] * h;
      point_ = trial_;
      has_jacobian_ = false;
      jacobian_here_ = true;  // of this step: linearise() takes point_ as it is
      continue;
    }
    if (!jacobian_here_ || choice_.newton_stage > 0 || result == Newton::diverged) {
      has_jacobian_ = false;
    }
    jacobian_here_ = false;
    renew_ = true;
    control_.failed(h, result == Newton::diverged ? shrink_ : 0.5);
    return Attempt::failed;
  }
  const double error = any_error ? 0.5 : estimate(h);
  if (!std::isfinite(error)) {
    trouble_ = Trouble::not_finite;
    control_.failed(h, 0.5);
    return Attempt::failed;
  }
  if (!control_.acceptable(error)) {
    trouble_ = Trouble::error;
    trouble_size_ = error;
    trouble_at_ = norm_.largest(d_);
    control_.rejected(h, error, iterations_);
    if (!jacobian_here_ || choice_.newton_stage > 0) has_jacobian_ = false;
    return Attempt::rejected;
  }
  if (!finish(t_end)) {
    control_.failed(h, 0.5);
    return Attempt::failed;
  }
  control_.accepted(h, error, iterations_, theta_);
  if (!control_.keep_jacobian()) has_jacobian_ = false;
  jacobian_here_ = false;
  ++statistics_.steps;
  statistics_.last_step = h;
  statistics_.last_order = 5;
  return Attempt::accepted;
}

// The first step size after Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
// section II.4, with the slope a little later for the second derivative.
double Integrator::choose_step(double t_stop) {
  norm_.set_scale(y0_);
  const double size = norm_(y0_), slope = norm_(slope0_);
  double most = t_stop - x_.t;
  if (options_.max_step > 0.0) most = std::min(most, options_.max_step);
  double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
  h = std::min(h, 0.5 * most);
  for (int tries = 0; tries < 10 && x_.t + h > x_.t; ++tries, h *= 0.1) {
    trial_ = x_;
    trial_.t = x_.t + h;
    d_ = y0_ + h * slope0_;
    stack_.unpack_y(d_, trial_);
    if (!arrive(trial_)) continue;
    const double curvature = norm_(slope_ - slope0_) / h;
    const double largest = std::max(slope, curvature);
    const double wanted =
        largest <= 1e-15 ? std::max(1e-6, 1e-3 * h) : std::pow(0.01 / largest, 0.25);
    return std::min({100.0 * h, wanted, most});
  }
  return h;
}

void Integrator::interpolate(double t, bool projected, State& x) {
  if (!(t >= t_begin_ && t <= x_.t)) {
    throw std::invalid_argument("interpolation at t = " + short_number(t) +
                                ", outside of the last step from " + short_number(t_begin_) +
                                " to " + short_number(x_.t));
  }
  x = x_;
  if (t == x_.t) return;
  x.t = t;
  if (t == t_begin_) {
    stack_.unpack(begin_, x);
    return;
  }
  polynomial_.evaluate((t - t_begin_) / (x_.t - t_begin_), view_);
  stack_.unpack(view_, x);
  if (!projected) return;
  if (!view_projection_.positions(x, *view_ws_, *view_solver_).ok ||
      !view_projection_.velocities(x, *view_ws_, *view_solver_).ok ||
      !solve_accelerations(equations_, context_, x, *view_ws_, *view_solver_)) {
    throw SolverFailure(t, x_.t - t_begin_, "the interpolated point cannot be projected",
                        "Try smaller tolerances");
  }
}

}  // namespace mbs::radau
