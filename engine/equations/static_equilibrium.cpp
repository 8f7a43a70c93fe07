// Static equilibrium: p, r, w, lambda at v = 0, a = 0 with
//
//   0 = f - G^T lambda,  0 = b,  0 = d,  0 = g
//
// by Newton (static_equations.hpp) damped with the model's own inertia: a step of the implicit
// Euler method from rest has M/tau^2 - D_q in place of -D_q, and 1/tau - B_r in place of -B_r.
// Small tau follow the motion downhill, so that stable equilibria are found and not just stationary
// ones; tau grows while steps succeed, and as tau goes to infinity this is Newton's method. A step
// is taken when it is not too long and the force that is left does not grow beyond a factor, since
// on the way over a hill it has to grow a little. Nonholonomic rows allow no dq.
//
// Parameters to be found (preloads) are further unknowns, and the exact conditions on positions
// further rows.
//
// When that does not end, dynamic relaxation (relaxation.hpp); then Newton again.

#include "engine/equations/static_equilibrium.hpp"

#include <algorithm>
#include <cmath>

#include "engine/equations/initial_rows.hpp"
#include "engine/equations/relaxation.hpp"
#include "engine/equations/static_equations.hpp"
#include "engine/equations/unrestrained_motion.hpp"

namespace mbs {
namespace {

class Search {
 public:
  Search(const Equations& equations, const Context& context, const State& x,
         const EquilibriumOptions& options)
      : equations_(equations),
        parameters_(context.parameters),
        context_{context.inputs, parameters_},
        options_(options),
        n_(equations.sizes()),
        known_(equations.structure()),
        at_(n_),
        ws_(equations.make_workspace()),
        solver_(equations.make_solver("auto")),
        states_(options.states < 0 ? n_.r : std::min(options.states, n_.r)),
        system_(n_, states_, static_cast<int>(options.trims.size())),
        x_(x) {
    x_.v.setZero();
    x_.a.setZero();
    scale_ = coordinate_scale(equations, context, x_);
    forces_ = Vector::Zero(n_.v);
  }

  Equilibrium run(State& x) {
    const Vector guess = parameters_.values;
    result_.ok = equilibrium_is_possible() && determined() &&
                 (forceless() || newton() || (relax() && newton()));
    if (!result_.ok) {
      if (result_.message.empty()) explain();
      return result_;
    }
    if (known_.redundancy == Structure::Redundancy::minimum_norm) balance_multipliers();
    equations_.initialize_memory(context_, x_, *ws_);
    list_movements(x);
    for (const Trim& trim : options_.trims) {
      result_.trimmed.push_back(
          {trim.name, guess[trim.parameter], parameters_.values[trim.parameter]});
    }
    result_.parameters = parameters_;
    x = x_;
    return result_;
  }

 private:
  bool equilibrium_is_possible() {
    equations_.position(context_, x_, want_G, *ws_);
    for (int i = 0; i < n_.lambda; ++i)
      if (std::abs(ws_->gI[i]) > 1e-12) {
        result_.message = "the constraint " +
                          quoted(known_.lambda_names[static_cast<std::size_t>(i)]) +
                          " moves at t = " + four_digits(x_.t) +
                          ": there is no rest. Take another time, or stop the drive.";
        return false;
      }
    return true;
  }

  // Nothing pulls at the start, and multipliers are zero: Newton would compare rounding errors with
  // each other.
  bool forceless() {
    if (trims() > 0) return false;
    balance_multipliers();
    result_.residual = measure(x_);
    return result_.residual <= options_.tolerance && ws_->f.isZero(0.0) && x_.lambda.isZero(0.0);
  }

  int trims() const { return static_cast<int>(options_.trims.size()); }

  // True when as many parameters are to be found as there are exact conditions.
  bool determined() {
    if (trims() == 0) return true;
    const Rows rows = position_rows(equations_, context_, x_, *ws_, scale_);
    exact_conditions_ = static_cast<int>(rows.C.rows()) - n_.g;
    if (exact_conditions_ == trims()) return true;
    std::vector<std::string> parameters;
    for (const Trim& trim : options_.trims) parameters.push_back(trim.name);
    const std::vector<std::string> conditions(rows.names.begin() + n_.g, rows.names.end());
    result_.message =
        "the parameters to be found are " + list_names(parameters) +
        ", the exact positions that "
        "they are to make an equilibrium " +
        (exact_conditions_ == 0 ? std::string("none") : "are " + list_names(conditions)) +
        ": there are " + std::to_string(trims()) + " and " + std::to_string(exact_conditions_) +
        ", and there must be as many. Give target=\"exact\" to the coordinates that are wanted, or "
        "add a <condition>.";
    return false;
  }

  // False when parameters cannot be these.
  bool set_parameters(const Vector& values) {
    for (int i = 0; i < trims(); ++i) {
      parameters_.values[options_.trims[static_cast<std::size_t>(i)].parameter] = values[i];
    }
    return trims() == 0 || equations_.derive(parameters_).empty();
  }
  Vector trimmed() const {
    Vector values(trims());
    for (int i = 0; i < trims(); ++i) {
      values[i] = parameters_.values[options_.trims[static_cast<std::size_t>(i)].parameter];
    }
    return values;
  }

  // The force that is left on each coordinate, against the forces that meet there (forces_) and
  // what is applied; at least against what rounding leaves of the largest of all. Likewise rates
  // and constraints, in their scales.
  double measure(const State& x) {
    equations_.residual(context_, x, *ws_);
    const Vector& R = ws_->residual;
    if (!R.allFinite()) return std::numeric_limits<double>::infinity();
    constexpr double rounding = 1e-4;  // of the largest: the tolerance times that is 10 eps
    Vector meeting = scale_.cwiseProduct(ws_->f.cwiseAbs()) + forces_;
    for (int j = 0; j < ws_->G.outerSize(); ++j)
      for (RowSparse::InnerIterator it(ws_->G, j); it; ++it)
        meeting[it.col()] += scale_[it.col()] * std::abs(it.value() * x.lambda[it.row()]);
    const double least = n_.v > 0 ? rounding * meeting.maxCoeff() : 0.0;
    double size = 0.0;
    int worst = 0;
    for (int i = 0; i < n_.v; ++i) {
      const double left = scale_[i] * std::abs(R[at_.dynamics + i]);
      if (left == 0.0) continue;
      const double here = left / std::max(meeting[i], least);
      if (here > size) worst = i;
      size = std::max(size, here);
    }
    result_.worst = n_.v > 0 ? known_.v_names[static_cast<std::size_t>(worst)] : "";
    for (int i = 0; i < states_; ++i)
      size = std::max(size, std::abs(R[at_.r + i]) / (1.0 + std::abs(x.r[i])));
    for (int i = 0; i < n_.w; ++i) size = std::max(size, std::abs(R[at_.w + i]));
    for (int i = 0; i < n_.g; ++i) size = std::max(size, std::abs(R[at_.position + i]));
    if (trims() > 0)
      size = std::max(size, position_rows(equations_, context_, x, *ws_, scale_).largest());
    return size;
  }

  // One step from x_ with tau into `next`; false when it cannot be computed.
  bool step(double tau, State& next, Vector& values, double& length, double& work) {
    Matrix by(at_.rows, trims());
    for (int i = 0; i < trims(); ++i)
      by.col(i) = residual_by_parameter(equations_, context_, x_, *ws_, parameters_,
                                        options_.trims[static_cast<std::size_t>(i)].parameter);
    const Rows position_conditions = position_rows(equations_, context_, x_, *ws_, scale_);
    system_.fill(equations_, context_, x_, *ws_, by, position_conditions.C.bottomRows(trims()));
    Matrix& K = system_.K;
    if (!K.allFinite()) return false;
    forces_ = scale_.asDiagonal() * K.topLeftCorner(n_.v, n_.v).cwiseAbs() * scale_;
    K.topLeftCorner(n_.v, n_.v) += Matrix(ws_->M) / (tau * tau);
    for (int i = 0; i < n_.v; ++i)  // massless points
      K(i, i) += 1e-9 * M_scale() / (scale_[i] * scale_[i] * tau * tau);
    K.block(system_.r(), system_.r(), states_, states_).diagonal().array() += 1.0 / tau;
    const Matrix stiffness = K.topLeftCorner(n_.v, n_.v);
    system_.factor(known_.redundancy == Structure::Redundancy::minimum_norm);
    equations_.residual(context_, x_, *ws_);
    Vector d;
    const Vector g = system_.g_of(ws_->residual);
    if (!system_.solve(ws_->residual, g, position_conditions.residual.tail(trims()), d))
      return false;
    next = x_;
    next.p += system_.Z * d.head(n_.v);
    next.r += d.segment(system_.r(), n_.r);
    next.lambda += d.segment(system_.lambda(), n_.lambda);
    next.w += d.segment(system_.w(), n_.w);
    values = trimmed() + d.tail(trims());
    equations_.normalise(next);
    work = d.head(n_.v).dot(stiffness * d.head(n_.v));
    length = n_.v > 0 ? d.head(n_.v).cwiseQuotient(scale_).lpNorm<Eigen::Infinity>() : 0.0;
    return true;
  }

  double M_scale() const {
    double largest = 0.0;
    for (int j = 0; j < n_.v; ++j)
      largest = std::max(largest, ws_->M.coeff(j, j) * scale_[j] * scale_[j]);
    return largest;
  }

  // Multipliers that fit the position best: accelerations at rest, then a is set to 0.
  void balance_multipliers() {
    State x = x_;
    if (solve_accelerations(equations_, context_, x, *ws_, *solver_)) {
      x_.lambda = x.lambda;
      x_.w = x.w;
    }
  }

  bool newton() {
    balance_multipliers();
    constexpr double longest = 0.3, growth = 4.0;
    double tau = 1e-2, size = measure(x_), length = 0.0, work = 0.0;
    State next = x_;
    Vector values = trimmed();
    int good = 0;
    for (int k = 0; k < options_.max_iterations; ++k) {
      ++result_.iterations;
      result_.residual = size;
      if (size <= options_.tolerance && length <= 1e-9 && good > 1) {
        polish(size);
        return true;
      }
      bool taken = false;
      const Vector before = trimmed();
      if (step(tau, next, values, length, work) && length <= longest &&
          (work >= 0.0 || size < 1e-8)) {
        const double now =
            set_parameters(values) ? measure(next) : std::numeric_limits<double>::infinity();
        taken = now <= growth * std::max(size, options_.tolerance);
        if (!taken) set_parameters(before);
        if (taken) {
          const double ratio = now > 0.0 ? size / now : 10.0;
          tau *= std::clamp(2.0 * ratio, 0.5, 30.0);
          size = now;
          x_ = next;
        }
      }
      good = taken ? good + 1 : 0;
      if (!taken) tau *= 0.2;
      tau = std::min(tau, 1e8);
      if (tau < 1e-12) return false;
    }
    result_.residual = size;
    return size <= options_.tolerance;
  }

  // Newton's method itself, as far as it gets: what damping has left is other digits for each of
  // the model's numbers.
  void polish(double size) {
    constexpr double undamped = 1e8, near = 1e-6;
    State next = x_;
    Vector values = trimmed();
    double length = 0.0, work = 0.0;
    for (int k = 0; k < 2; ++k) {
      const Vector before = trimmed();
      if (!step(undamped, next, values, length, work) || length > near) return;
      const double now =
          set_parameters(values) ? measure(next) : std::numeric_limits<double>::infinity();
      if (now > size) {
        set_parameters(before);
        return;
      }
      result_.residual = size = now;
      x_ = next;
    }
  }

  bool relax() {
    if (!powerless().empty()) return false;
    std::vector<int> trims;
    for (const Trim& trim : options_.trims) trims.push_back(trim.parameter);
    Relaxation relaxation(equations_, context_, scale_, states_, parameters_, trims);
    const bool done = relaxation.run(x_, options_.max_relaxations,
                                     [&](State& x) { return at_multipliers(x) < 1e-3; });
    result_.relaxations = relaxation.steps();
    return done;
  }

  double at_multipliers(State& x) {
    State solved = x;
    if (!solve_accelerations(equations_, context_, solved, *ws_, *solver_))
      return std::numeric_limits<double>::infinity();
    x.lambda = solved.lambda;
    x.w = solved.w;
    x.a.setZero();
    return measure(x);
  }

  // A message about parameters that are to be found, but act on no equation.
  std::string powerless() {
    std::vector<std::string> names;
    for (int i = 0; i < trims(); ++i) {
      const int which = options_.trims[static_cast<std::size_t>(i)].parameter;
      if (residual_by_parameter(equations_, context_, x_, *ws_, parameters_, which).isZero(0.0)) {
        names.push_back(options_.trims[static_cast<std::size_t>(i)].name);
      }
    }
    return names.empty() ? std::string()
                         : "the parameter " + list_names(names) +
                               " changes no force at the start: it cannot be found from the "
                               "equilibrium. Take it out of <trim>, or use it in a force.";
  }

  void explain() {
    result_.message =
        trims() > 0 ? powerless() : unrestrained_motion(equations_, context_, x_, scale_);
    if (!result_.message.empty()) return;
    result_.message =
        "no static equilibrium was found: after " + std::to_string(result_.iterations) +
        " iterations and " + std::to_string(result_.relaxations) +
        " steps of relaxation a force on " + quoted(result_.worst) + " is left, " +
        four_digits(result_.residual) +
        " of the largest force that meets there, or a rate or constraint of that size. "
        "Something may be free to move away for good (without a spring or a stop), or the start is "
        "far from the equilibrium: give initial "
        "positions closer to it.";
  }

  void list_movements(const State& from) {
    const auto compare = [&](const Vector& a, const Vector& b, const Vector& scale,
                             const std::vector<std::string>& names, const char* otherwise) {
      for (Eigen::Index i = 0; i < a.size(); ++i) {
        const double size = std::abs(b[i] - a[i]) / (scale.size() == a.size() ? scale[i] : 1.0);
        if (size > 1e-9) result_.moved.push_back({entry_name(names, i, otherwise), a[i], b[i]});
      }
    };
    compare(from.p, x_.p, known_.p_scale, known_.p_names, "p");
    compare(from.r.head(states_), x_.r.head(states_), {}, known_.r_names, "r");
    std::ranges::stable_sort(result_.moved, std::ranges::greater(),
                             [](const Movement& m) { return std::abs(m.to - m.from); });
  }

  const Equations& equations_;
  Parameters parameters_;
  const Context context_;
  const EquilibriumOptions& options_;
  const Sizes& n_;
  const Structure& known_;
  const JacobianLayout at_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  const int states_;
  StaticEquations system_;
  int exact_conditions_ = 0;  // exact conditions on positions
  State x_;
  Vector scale_;
  // The forces of stiffness on each coordinate when all coordinates move by their typical size,
  // sum_j |D_q|_ij q_j, scaled. They measure a residual where f does not: in joint coordinates, and
  // where applied forces balance, the single forces have cancelled in f.
  Vector forces_;
  Equilibrium result_;
};

}  // namespace

Equilibrium find_equilibrium(const Equations& equations, const Context& context, State& x,
                             const EquilibriumOptions& options) {
  return Search(equations, context, x, options).run(x);
}

}  // namespace mbs
