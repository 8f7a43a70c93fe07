#include "engine/analysis/influence_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/analysis/other_parameters.hpp"
#include "engine/equations/initial.hpp"
#include "engine/equations/input_filter_states.hpp"

namespace mbs {
namespace {

double largest(const Vector& e, int first, int count) {
  return count == 0 ? 0.0 : e.segment(first, count).lpNorm<Eigen::Infinity>();
}

// use(row of G, whether it is one of g)
template <class Use>
void for_rows(const Structure::Contact& contact, const Use& use) {
  if (contact.normal >= 0) use(contact.normal, true);
  for (int k = 0; k < contact.tangents; ++k) use(contact.tangent + k, false);
}

}  // namespace

void drop_digits(Vector& change, const Vector& of) {
  constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
  for (Eigen::Index i = 0; i < change.size(); ++i)
    if (std::abs(change[i]) <= rounding * std::abs(of[i])) change[i] = 0.0;
}

InfluenceColumns::InfluenceColumns(const Equations& equations,
                                   std::span<const KnownParameter> parameters)
    : equations_(equations),
      of_parameters_(parameters),
      n_(equations.sizes()),
      at_(n_),
      states_(n_.p + n_.v + n_.r),
      exact_(states_ + n_.u),
      tangent_(equations),
      ws_(equations.make_workspace()),
      solver_(equations.make_solver("auto")),
      change_(n_),
      response_(n_) {}

void InfluenceColumns::make_consistent(InfluencePoint& point) {
  const Context context{point.inputs, point.parameters};
  State found = point.x;
  set_filters_to_motion(equations_, context, found, *ws_);
  const bool auxiliary = n_.s + n_.w == 0 || equations_.solve_auxiliary(context, found, *ws_);
  if (auxiliary && solve_accelerations(equations_, context, found, *ws_, *solver_) &&
      found.a.allFinite() && found.lambda.allFinite() && found.w.allFinite())
    point.x = std::move(found);
}

bool InfluenceColumns::go_to(const InfluencePoint& point) {
  point_ = point;
  if (!is_possible(equations_, point_.parameters)) return false;
  context_.emplace(Context{point_.inputs, point_.parameters});
  set_filters_to_motion(equations_, *context_, point_.x, *ws_);
  try {
    tangent_.evaluate(*context_, point_.x);
  } catch (const std::runtime_error&) {
    return false;
  }
  equations_.jacobian(*context_, point_.x, *ws_);
  J_ = ws_->jacobian;
  here_ = residual(*context_, point_.x.t);
  here_laws_ = laws_;
  y_ = outputs(*context_, point_.x);
  equations_.switching(*context_, point_.x, *ws_);
  phi_ = ws_->phi;
  Vector e = Vector::Zero(at_.rows);
  for (int i = 0; i < n_.v; ++i) e[at_.dynamics + i] = std::sin(1.0 + i);
  for (int i = 0; i < n_.lambda; ++i) e[at_.acceleration + i] = std::cos(1.0 + i);
  clear();
  tangent_.follow(change_, e);
  response_ = change_;
  return y_.allFinite() && here_.allFinite() && response_.a.allFinite();
}

bool InfluenceColumns::responds_as(const Variation& response) const {
  const auto close = [](const Vector& a, const Vector& b) {
    return (a - b).norm() <= 1e-4 * a.norm();
  };
  return close(response_.a, response.a) && close(response_.lambda, response.lambda);
}

bool InfluenceColumns::find(int j, Eigen::Ref<Vector> direct, Eigen::Ref<Vector> follows) {
  direct.setZero();
  follows.setZero();
  const int k = j - exact_ - 1;  // of the parameters
  bool possible = true;
  if (j < exact_) {
    of_unknown(j, direct, follows);
  } else if (k < 0) {
    Inputs later = point_.inputs;
    later.t0 += point_.later;  // they stay what they are
    of_change({later, point_.parameters}, point_.x.t + point_.later, false, direct, follows);
  } else if (k < static_cast<int>(of_parameters_.size())) {
    const KnownParameter& known = of_parameters_[static_cast<std::size_t>(k)];
    const double other = point_.others[static_cast<std::size_t>(k)];
    Parameters shifted = point_.parameters;
    shifted.values[known.index] = other;
    possible = std::isfinite(other) && is_possible(equations_, shifted);
    if (possible) of_change({point_.inputs, shifted}, point_.x.t, known.tunable, direct, follows);
  } else {
    of_contact(k - static_cast<int>(of_parameters_.size()), direct);
  }
  if (possible && direct.allFinite() && follows.allFinite()) return true;
  direct.setZero();
  follows.setZero();
  return false;
}

void InfluenceColumns::of_unknown(int unknown, Eigen::Ref<Vector> direct,
                                  Eigen::Ref<Vector> follows) {
  clear();
  unit(unknown) = 1.0;
  tangent_.follow(change_);
  note(direct);
  Vector e = Vector::Zero(at_.rows);
  add_columns(e);
  note_rows(e, false, direct);
  if (unknown < states_ || !follow_constraints(e)) return;
  unit(unknown) = 1.0;
  tangent_.follow(change_);
  note(follows);
}

void InfluenceColumns::of_change(const Context& there, double t, bool at_events,
                                 Eigen::Ref<Vector> direct, Eigen::Ref<Vector> follows) {
  Vector e = residual(there, t) - here_;
  drop_digits(e, here_);
  clear();
  tangent_.follow(change_, e);
  note(there, t, direct);
  note_rows(e, true, direct);
  if (!at_events || !follow_constraints(e)) return;
  tangent_.follow(change_, e);
  note(there, t, follows);
}

void InfluenceColumns::of_contact(int which, Eigen::Ref<Vector> direct) {
  Vector e = Vector::Zero(at_.rows);
  for_rows(equations_.structure().contacts[static_cast<std::size_t>(which)],
           [&](int row, bool) { e[at_.acceleration + row] = 1.0 + 0.1 * row; });
  clear();
  tangent_.follow(change_, e);
  note(direct);
}

void InfluenceColumns::clear() {
  for (Vector* part : {&change_.p, &change_.v, &change_.r, &change_.u}) part->setZero();
}

double& InfluenceColumns::unit(int unknown) {
  for (Vector* part : {&change_.p, &change_.v, &change_.r}) {
    if (unknown < part->size()) return (*part)[unknown];
    unknown -= static_cast<int>(part->size());
  }
  return change_.u[unknown];
}

void InfluenceColumns::note(Eigen::Ref<Vector> column) {
  column.setZero();
  tangent_.rates(change_, column.head(states_));
  tangent_.outputs(*context_, change_, column.segment(states_, n_.y));
  if (n_.phi == 0) return;
  constexpr double by = 0.01;
  State x = point_.x;
  change_.move(x, by);
  Inputs inputs = point_.inputs;
  inputs.value += by * change_.u;
  note_events({inputs, point_.parameters}, x, column);
}

void InfluenceColumns::note(const Context& there, double t, Eigen::Ref<Vector> column) {
  State x = point_.x;
  x.t = t;
  change_.move(x, 1.0);
  Vector dy = outputs(there, x) - y_;
  drop_digits(dy, y_);
  column.setZero();
  tangent_.rates(change_, column.head(states_));
  column.segment(states_, n_.y) = dy;
  note_events(there, x, column);
}

void InfluenceColumns::note_events(const Context& there, const State& x,
                                   Eigen::Ref<Vector> column) {
  if (n_.phi == 0) return;
  equations_.switching(there, x, *ws_);
  Vector change = ws_->phi - phi_;
  drop_digits(change, phi_);
  for (Eigen::Index i = 0; i < change.size(); ++i)
    column[states_ + n_.y + i] = std::isfinite(change[i]) ? change[i] : 0.0;
}

Vector InfluenceColumns::residual(const Context& context, double t) {
  State x = point_.x;
  x.t = t;
  set_filters_to_motion(equations_, context, x, *ws_);
  std::vector<Equations::ContactLaw> laws(equations_.structure().contacts.size());
  equations_.contact_laws(context, x, *ws_, laws);
  laws_ = {};
  for (const auto& law : laws) {
    laws_.friction.push_back({law.mu, law.mu_static, law.limit, law.limit_static});
    laws_.impacts.push_back({law.restitution, law.rest_speed});
  }
  equations_.residual(context, x, *ws_);
  return ws_->residual;
}

Vector InfluenceColumns::outputs(const Context& context, const State& x) {
  ws_->y.setZero();
  equations_.outputs(context, x, *ws_);
  return ws_->y;
}

// What becomes of constraints and contacts.
void InfluenceColumns::note_rows(const Vector& e, bool laws, Eigen::Ref<Vector> column) const {
  const auto& contacts = equations_.structure().contacts;
  double* row = column.data() + states_ + n_.y + n_.phi;
  *row++ = std::max(largest(e, at_.position, n_.g), largest(e, at_.norm, n_.n));
  *row++ = largest(e, at_.velocity, n_.lambda);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    row[k] = 0.0;
    for_rows(contacts[k], [&](int i, bool in_g) {
      row[k] = std::max(row[k], std::abs(e[at_.velocity + i]));
      if (in_g) row[k] = std::max(row[k], std::abs(e[at_.position + i]));
    });
    double* law = row + contacts.size() + k;
    law[0] = laws && laws_.friction[k] != here_laws_.friction[k] ? 1.0 : 0.0;
    law[contacts.size()] = laws && laws_.impacts[k] != here_laws_.impacts[k] ? 1.0 : 0.0;
  }
}

// What the change does to all residuals.
void InfluenceColumns::add_columns(Vector& e) const {
  for (const auto& [first, part] : {std::pair{at_.col_p, &change_.p},
                                    {at_.col_v, &change_.v},
                                    {at_.col_r, &change_.r},
                                    {at_.col_u, &change_.u}})
    for (Eigen::Index i = 0; i < part->size(); ++i)
      if (const double d = (*part)[i]; d != 0.0)
        for (ColumnSparse::InnerIterator entry(J_, first + i); entry; ++entry)
          e[entry.row()] += d * entry.value();
}

// Velocity coordinates that make up for a part of the velocities' or positions' rows.
Vector InfluenceColumns::made_up(const Vector& part) {
  Vector e = Vector::Zero(at_.rows);
  e.segment(at_.acceleration, part.size()) = part;
  clear();
  tangent_.follow(change_, e);
  return change_.a;
}

// Sets the changes of p and v alone; false when there are none.
bool InfluenceColumns::follow_constraints(const Vector& e) {
  if (n_.lambda == 0) return false;
  Vector e_v = e.segment(at_.velocity, n_.lambda), e_g = Vector::Zero(n_.lambda);
  e_g.head(n_.g) = e.segment(at_.position, n_.g);
  if (e_g.isZero(0.0) && e_v.isZero(0.0)) return false;
  const Vector dq = made_up(e_g);
  clear();
  equations_.apply_Z(*context_, point_.x, dq, change_.p);
  const Vector dp = change_.p;
  Vector moved = Vector::Zero(at_.rows);
  add_columns(moved);
  e_v += moved.segment(at_.velocity, n_.lambda);
  const Vector dv = made_up(e_v);
  clear();
  change_.p = dp;
  change_.v = dv;
  return true;
}

}  // namespace mbs
