#include "engine/integrators/common/stiffness.hpp"

#include <algorithm>
#include <cmath>

#include "engine/equations/initial.hpp"
#include "engine/integrators/common/text.hpp"

namespace mbs {
namespace {

constexpr int iterations = 8, counted = 4;
constexpr double small = 1e-7;    // differences, parts of the size of y
constexpr double slower = 5.0;    // how much the solution is slower than 1/|lambda|
constexpr int looks_to_tell = 5;  // more than those that are not stiff

}  // namespace

Stiffness::Stiffness(const Equations& equations, Given given, const IntegratorOptions& options,
                     int every, double reach)
    : equations_(equations),
      given_(given),
      stack_(equations.sizes()),
      every_(every),
      reach_(reach),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver(options.linear)),
      near_(equations.sizes()) {
  const Eigen::Index n = stack_.ny();
  const Vector rtol =
      options.rtol_each.size() > 0 ? options.rtol_each : Vector::Constant(n, options.rtol);
  const Vector atol =
      options.atol_each.size() > 0 ? options.atol_each : Vector::Constant(n, options.atol);
  floor_ = atol.cwiseQuotient(rtol);
  y_ = here_ = there_ = weight_ = Vector::Zero(n);
  weight_ = floor_;
  direction_ = Vector::Ones(n);
}

void Stiffness::start(const State& x) {
  if (warm_) return;
  begin();
  near_ = x;
  slopes(here_);
  warm_ = true;
}

void Stiffness::begin() {
  steps_ = 0;
  way_ = moved_ = changed_ = 0.0;
}

// Of near_ alone: what they are taken from may go on.
bool Stiffness::slopes(Vector& f) {
  if (stack_.s > 0 && !equations_.solve_auxiliary(given_, near_, *ws_)) return false;
  if (!solve_accelerations(equations_, given_, near_, *ws_, *solver_)) return false;
  if (stack_.r > 0) equations_.force(given_, near_, want_b, *ws_);
  f.head(stack_.p) = ws_->p_dot;
  f.segment(stack_.p, stack_.v) = near_.a;
  f.tail(stack_.r) = ws_->b;
  return f.allFinite();
}

double Stiffness::norm(const Vector& d) const {
  return d.cwiseQuotient(weight_).norm();
}

double Stiffness::spectral_radius(const State& x) {
  near_ = x;
  if (!slopes(here_)) return 0.0;
  double product = 1.0;
  for (int k = 0; k < iterations; ++k) {
    const double size = norm(direction_);
    if (!(size > 0.0) || !std::isfinite(size)) {
      direction_ = weight_;
      return 0.0;
    }
    direction_ *= small / size;
    near_ = x;
    there_ = y_ + direction_;
    stack_.unpack_y(there_, near_);
    if (!slopes(there_)) return 0.0;
    direction_ = (there_ - here_) / small;
    if (k >= iterations - counted) product *= norm(direction_);
  }
  return std::pow(product, 1.0 / counted);
}

std::string Stiffness::look(const State& x, double h, const Eigen::Ref<const Vector>& y0,
                            const Eigen::Ref<const Vector>& f0,
                            const Eigen::Ref<const Vector>& f1) {
  if (told_) return {};
  way_ += h;
  stack_.pack_y(x, y_);
  weight_ = weight_.cwiseMax(y_.cwiseAbs());  // the largest so far
  const Eigen::Index n = stack_.ny();
  there_ = y_ - y0.head(n);
  moved_ += norm(there_);
  there_ = f1.head(n) - f0.head(n);
  changed_ += norm(there_);
  if (++steps_ < every_) return {};
  const double mean = way_ / steps_, own = moved_ > 0.0 ? changed_ / moved_ : 0.0;
  begin();
  const double rate = spectral_radius(x);
  const bool stiff = mean * rate >= reach_ && rate >= slower * own;
  stiff_ = stiff ? stiff_ + 1 : std::max(0, stiff_ - 1);
  if (stiff_ < looks_to_tell) return {};
  told_ = true;
  return "the model is stiff for this method: h |lambda| = " + short_number(mean * rate) +
         " (mean step " + short_number(mean) + " s, |lambda| = " + short_number(rate) +
         " 1/s by differences of right-hand sides), while the solution changes at " +
         short_number(own) +
         " 1/s: steps are kept short by what hardly moves; method=\"radau\" or \"bdf\" is made for "
         "that";
}

}  // namespace mbs
