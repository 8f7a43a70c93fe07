#include "engine/analysis/rest_influence.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/analysis/influence_point.hpp"
#include "engine/analysis/influence_search.hpp"
#include "engine/analysis/other_parameters.hpp"
#include "engine/equations/initial_rows.hpp"
#include "engine/equations/input_filter_states.hpp"
#include "engine/equations/static_equations.hpp"

namespace mbs {
namespace {

// Of what is at rest.
bool differ(const Equations::ContactLaw& a, const Equations::ContactLaw& b) {
  return a.mu != b.mu || a.mu_static != b.mu_static || a.limit != b.limit ||
         a.limit_static != b.limit_static;
}

// What each known does to the rest, at one point: the columns that influence_search.hpp looks at.
class RestColumns {
 public:
  RestColumns(const Equations& equations, std::span<const KnownParameter> parameters,
              std::span<const Trim> trims)
      : equations_(equations),
        of_parameters_(parameters),
        trims_(trims),
        n_(equations.sizes()),
        at_(n_),
        system_(n_, n_.r, static_cast<int>(trims.size())),
        ws_(equations.make_workspace()) {}

  const Equations& equations() const { return equations_; }

  void make_consistent(InfluencePoint& point) const {
    point.x.v.setZero();
    point.x.a.setZero();
  }

  bool go_to(const InfluencePoint& point) {
    point_ = point;
    if (!is_possible(equations_, point_.parameters)) return false;
    const Context context = given_here();
    set_filters_to_motion(equations_, context, point_.x, *ws_);
    scale_ = coordinate_scale(equations_, context, point_.x);
    here_ = residual(context, point_.x.t);
    y_ = outputs(context, point_.x);
    Matrix by(at_.rows, trims());
    Parameters parameters = point_.parameters;
    for (int i = 0; i < trims(); ++i)
      by.col(i) = residual_by_parameter(equations_, {point_.inputs, parameters}, point_.x, *ws_,
                                        parameters, trimmed(i));
    const Rows held = position_rows(equations_, context, point_.x, *ws_, scale_);
    const auto conditions = held.C.rows() - n_.g;
    if (conditions < trims()) return false;
    system_.fill(equations_, context, point_.x, *ws_, by, held.C.bottomRows(trims()));
    if (!system_.K.allFinite() || !here_.R.allFinite() || !y_.allFinite()) return false;
    system_.factor(false);
    Vector R = Vector::Zero(at_.rows), g(n_.lambda), c(trims());
    for (int i = 0; i < at_.rows; ++i) R[i] = std::sin(1.0 + i);
    for (int i = 0; i < n_.lambda; ++i) g[i] = std::cos(1.0 + i);
    for (int i = 0; i < trims(); ++i) c[i] = std::cos(2.0 + i);
    return system_.solve(R, g, c, response_);
  }
  // What some forces and positions of the constraints do.
  const Vector& response() const { return response_; }
  bool responds_as(const Vector& response) const {
    const auto close = [&](int first, int count) {
      const auto a = response_.segment(first, count), b = response.segment(first, count);
      return (a - b).norm() <= 1e-4 * a.norm();
    };
    return close(0, n_.v) && close(system_.lambda(), n_.lambda);
  }

  bool find(int j, Eigen::Ref<Vector> direct, Eigen::Ref<Vector> follows) {
    direct.setZero();
    follows.setZero();
    const int k = j - n_.u - 1;  // of the parameters
    InfluencePoint there = point_;
    bool possible = true;
    if (j < n_.u) {
      there.inputs.value[j] += 0.3 * (1.0 + std::abs(there.inputs.value[j]));
    } else if (k < 0) {
      there.x.t += there.later;
      there.inputs.t0 += there.later;  // they stay what they are
    } else if (k < static_cast<int>(of_parameters_.size())) {
      const double other = point_.others[static_cast<std::size_t>(k)];
      there.parameters.values[of_parameters_[static_cast<std::size_t>(k)].index] = other;
      possible = std::isfinite(other) && is_possible(equations_, there.parameters);
    } else {
      return of_contact(k - static_cast<int>(of_parameters_.size()), direct);
    }
    if (possible) of_change(there, direct);
    if (possible && direct.allFinite()) return true;
    direct.setZero();
    return false;
  }

 private:
  struct Residual {
    Vector R, c;
    std::vector<Equations::ContactLaw> laws;
  };

  int trims() const { return static_cast<int>(trims_.size()); }
  int trimmed(int i) const { return trims_[static_cast<std::size_t>(i)].parameter; }
  Context given_here() const { return {point_.inputs, point_.parameters}; }
  int values() const { return n_.p + n_.r + trims(); }

  Residual residual(const Context& context, double t) {
    State x = point_.x;
    x.t = t;
    set_filters_to_motion(equations_, context, x, *ws_);
    Residual result;
    result.laws.resize(equations_.structure().contacts.size());
    equations_.contact_laws(context, x, *ws_, result.laws);
    if (trims() > 0)
      result.c = position_rows(equations_, context, x, *ws_, scale_).residual.tail(trims());
    else
      result.c.resize(0);
    equations_.residual(context, x, *ws_);
    result.R = ws_->residual;
    return result;
  }
  Vector outputs(const Context& context, const State& x) {
    ws_->y.setZero();
    equations_.outputs(context, x, *ws_);
    return ws_->y;
  }

  void of_change(InfluencePoint& there, Eigen::Ref<Vector> direct) {
    Residual e = residual({there.inputs, there.parameters}, there.x.t);
    for (auto [change, of] : {std::pair{&e.R, &here_.R}, {&e.c, &here_.c}}) {
      *change -= *of;
      drop_digits(*change, *of);
    }
    move(e.R, system_.g_of(e.R), e.c, true, there, direct);
    for (std::size_t k = 0; k < e.laws.size(); ++k)
      if (differ(e.laws[k], here_.laws[k])) direct[row_of_contact(k) + 1] = 1.0;
  }

  // Where friction slips there is no rest: it shares forces with others and moves nothing.
  bool of_contact(int column, Eigen::Ref<Vector> direct) {
    const auto& c = equations_.structure().contacts[static_cast<std::size_t>(column / 2)];
    const bool normal = column % 2 == 0;
    Vector g = Vector::Zero(n_.lambda);
    if (normal && c.normal >= 0) g[c.normal] = 1.0;
    for (int k = 0; k < c.tangents && !normal; ++k) g[c.tangent + k] = 1.1 + 0.1 * k;
    InfluencePoint there = point_;
    move(Vector::Zero(at_.rows), g, Vector::Zero(trims()), normal, there, direct);
    return direct.allFinite();
  }

  // The rest as these changes move it, or its forces alone.
  void move(const Vector& R, const Vector& g, const Vector& c, bool positions,
            InfluencePoint& there, Eigen::Ref<Vector> direct) {
    Vector d;
    system_.solve(R, g, c, d);
    const Vector dp = positions ? Vector(system_.Z * d.head(n_.v)) : Vector::Zero(n_.p);
    if (!positions) d.segment(system_.r(), n_.r).setZero();
    if (!positions) d.tail(trims()).setZero();
    State& x = there.x;
    x.p += dp;
    x.r += d.segment(system_.r(), n_.r);
    x.lambda += d.segment(system_.lambda(), n_.lambda);
    x.w += d.segment(system_.w(), n_.w);
    for (int i = 0; i < trims(); ++i) there.parameters.values[trimmed(i)] += d[system_.trims() + i];
    if (!is_possible(equations_, there.parameters)) there.parameters = point_.parameters;
    Vector dy = outputs({there.inputs, there.parameters}, x) - y_;
    drop_digits(dy, y_);
    direct.head(n_.p) = dp;
    direct.segment(n_.p, n_.r) = d.segment(system_.r(), n_.r);
    direct.segment(n_.p + n_.r, trims()) = d.tail(trims());
    direct.segment(values(), n_.y) = dy;
    note_contacts(d, g, direct);
  }

  void note_contacts(const Vector& d, const Vector& g, Eigen::Ref<Vector> direct) const {
    const auto& contacts = equations_.structure().contacts;
    const auto bears = [&](int row) { return std::abs(d[system_.lambda() + row]); };
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const Structure::Contact& c = contacts[k];
      double &normal = direct[row_of_contact(k)], &tangents = direct[row_of_contact(k) + 1];
      normal = c.normal >= 0 ? std::max(bears(c.normal), std::abs(g[c.normal])) : 0.0;
      tangents = c.tangents > 0 ? normal : 0.0;  // friction of what presses
      for (int i = 0; i < c.tangents; ++i) tangents = std::max(tangents, bears(c.tangent + i));
    }
  }

  Eigen::Index row_of_contact(std::size_t k) const {
    return values() + n_.y + 2 + 2 * static_cast<Eigen::Index>(k);
  }

  const Equations& equations_;
  const std::span<const KnownParameter> of_parameters_;
  const std::span<const Trim> trims_;
  const Sizes& n_;
  const JacobianLayout at_;
  StaticEquations system_;
  std::unique_ptr<Workspace> ws_;
  InfluencePoint point_;
  Vector scale_, response_, y_;
  Residual here_;
};

}  // namespace

Influence find_rest_influence(const Equations& equations, const Equations& blurred_equations,
                              const Context& context, const State& at,
                              std::span<const KnownParameter> of_parameters,
                              std::span<const Trim> trims) {
  const Sizes& n = equations.sizes();
  const Structure& known = equations.structure();
  Influence result;
  const bool redundant = known.redundancy == Structure::Redundancy::minimum_norm;
  if (!known.M_assembled || redundant || n.s > 0) return result;
  result.rates = n.p + n.r + static_cast<int>(trims.size());
  result.outputs = n.y;
  result.time = n.u;
  result.contacts = 2 * static_cast<int>(known.contacts.size());
  result.columns = n.u + 1 + static_cast<int>(of_parameters.size()) + result.contacts;
  InfluenceSample sample(equations, context, at, of_parameters);
  const double size = n.v + n.r + n.lambda + n.w;            // of a full matrix
  constexpr double most_work = 6e7, most_operations = 3e10;  // some seconds
  if (1.0 * sample.points() * result.rows() * result.columns > most_work) return result;
  if (sample.points() * size * size * size > most_operations) return result;
  RestColumns here(equations, of_parameters, trims),
      blurred(blurred_equations, of_parameters, trims);
  search_influence(here, blurred, sample, 0, n.parameters > 0, result);
  return result;
}

}  // namespace mbs
