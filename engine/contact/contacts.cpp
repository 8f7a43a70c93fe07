#include "engine/contact/contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/contact/contact_parts.hpp"
#include "engine/contact/modes.hpp"
#include "engine/contact/slow_contacts.hpp"
#include "engine/equations/initial.hpp"

namespace mbs {
namespace {

// The speed s from which on what slides has a direction of its own, for a tolerance tol. Where the
// load rises steadily, v = k t^2/2, what begins to slide and turns by a rate w on the way goes
// wrong by about 2 w s^2/k: a part of tol for s = 0.3 sqrt(tol), k and w of about 1 in units of the
// model. What moves already has it from a few tol on.
constexpr double unresolved_way = 1.0;
constexpr double times_unresolved = 10.0;
// Times s over the deceleration by friction, after which it counts less.
constexpr double fading = 300.0;

}  // namespace

int contact_rows(const Structure& structure) {
  int rows = 0;
  for (const Structure::Contact& c : structure.contacts) rows += (c.normal >= 0) + c.tangents;
  return rows;
}

Contacts::Contacts(const Equations& equations, Context context, const Tolerances& tolerances,
                   const std::string& linear)
    : equations_(equations),
      context_(context),
      sizes_(equations.sizes()),
      contacts_(equations.structure().contacts),
      speed_(tolerances.atol),
      least_slow_(times_unresolved * tolerances.atol),
      slow_(std::max(least_slow_, unresolved_way * std::sqrt(tolerances.atol))),
      projection_(equations, context, tolerances),
      laws_(contacts_.size()),
      roles_(contacts_.size()),
      before_(contacts_.size(), Structure::open) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) order_.push_back(i);
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t i, std::size_t j) {
    return contacts_[i].name < contacts_[j].name;
  });
  if (!any()) return;
  ws_ = equations.make_workspace();
  solver_ = equations.make_solver(linear);
}

// `all`: as the roles are. Otherwise the rows of those present act, for a look at them.
void Contacts::set_modes(State& x, bool all) const {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Role& role = roles_[i];
    int mode = role.present() ? Structure::stick : Structure::open;
    if (all && role.part == Role::released) mode = Structure::open;
    if (all && role.part == Role::slide) mode = Structure::slide;
    if (all && role.part == Role::held) mode = held_beside(role.acting);
    if (all && role.part == Role::idle) mode = Structure::idle;
    x.modes[static_cast<std::size_t>(contacts_[i].mode)] = mode;
    if (all && role.rubs() && contacts_[i].direction >= 0) {
      x.z.segment(contacts_[i].direction, contacts_[i].tangents) = role.d;
      if (role.part == Role::slide && role.goes_on) x.z.segment<2>(contacts_[i].direction) = role.z;
      if (contacts_[i].slow >= 0) x.z.segment(contacts_[i].slow, slow_entries) = role.slow;
    }
  }
}

std::string Contacts::names() const {
  std::string text;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (roles_[i].present()) text += (text.empty() ? "'" : ", '") + contacts_[i].name + "'";
  }
  return text;
}

// Rows of the contacts present, their relative velocities, S G^T and W; with accelerations b.
bool Contacts::gather(State& x, bool with_accelerations) {
  rows_.clear();
  for (const std::size_t i : order_) {
    const Structure::Contact& c = contacts_[i];
    Role& role = roles_[i];
    role.normal = role.tangent = -1;
    if (!role.present()) continue;
    if (c.normal >= 0) {
      role.normal = static_cast<int>(rows_.size());
      rows_.push_back(c.normal);
    }
    if (c.tangents > 0) role.tangent = static_cast<int>(rows_.size());
    for (int k = 0; k < c.tangents; ++k) rows_.push_back(c.tangent + k);
  }
  const auto count = static_cast<Eigen::Index>(rows_.size());
  set_modes(x, false);
  equations_.position(context_, x, want_position_all, *ws_);
  equations_.velocity(context_, x, *ws_);
  if (with_accelerations) equations_.gamma(context_, x, *ws_);
  u_.resize(count);
  gamma_.setZero(count);
  G_.resize(rows_.size());
  Y_.resize(rows_.size());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto entry = static_cast<Eigen::Index>(k);
    u_[entry] = ws_->G_v[rows_[k]];
    if (with_accelerations) gamma_[entry] = ws_->gamma[rows_[k]];
    G_[k] = Vector::Zero(sizes_.v);
    for (RowSparse::InnerIterator it(ws_->G, rows_[k]); it; ++it) G_[k][it.col()] = it.value();
  }
  for (const Structure::Contact& c : contacts_) {
    x.modes[static_cast<std::size_t>(c.mode)] = Structure::open;
  }
  if (with_accelerations) {
    if (!solve_accelerations(equations_, context_, x, *ws_, *solver_)) return false;
  } else {
    equations_.position(context_, x, want_M | want_G, *ws_);
    if (!solver_->factor(ws_->saddle())) return false;
  }
  Vector multipliers(sizes_.lambda);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Y_[k] = G_[k];
    multipliers.setZero();
    solver_->solve(Y_[k], multipliers);
  }
  W_.resize(count, count);
  b_ = gamma_;
  for (Eigen::Index i = 0; i < count; ++i) {
    const Vector& row = G_[static_cast<std::size_t>(i)];
    if (with_accelerations) b_[i] += row.dot(x.a);
    for (Eigen::Index j = 0; j < count; ++j) W_(i, j) = row.dot(Y_[static_cast<std::size_t>(j)]);
  }
  return true;
}

// Of all that slides, the speed below which its direction is not that of its velocity.
void Contacts::set_slow_speeds(double t) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Role& role = roles_[i];
    if (role.part != Role::slide || contacts_[i].slow < 0 || role.goes_on) continue;
    const int k = role.tangent;
    const double limit = role.normal >= 0 ? laws_[i].mu * x_[role.normal] : laws_[i].limit;
    const double deceleration = limit * std::max(W_(k, k), W_(k + 1, k + 1));
    const bool begins = u_.segment(k, contacts_[i].tangents).norm() <= slow_;
    role.slow = {least_slow_, t, 0.0};
    if (!begins) continue;
    role.slow = {slow_, t, deceleration / (fading * slow_)};
    longest_step_ = std::min(longest_step_, slow_ / deceleration);
  }
}

std::string Contacts::start(State& x) {
  if (!any()) return {};
  std::string wrong = touch(x);
  return wrong.empty() ? settle({}, x) : wrong;
}

std::string Contacts::settle(std::span<const int> fired, State& x) {
  notices_.clear();
  longest_step_ = std::numeric_limits<double>::infinity();
  if (!any()) return {};
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    before_[i] = x.modes[static_cast<std::size_t>(contacts_[i].mode)];
  }
  lambda_before_ = x.lambda;
  z_before_ = x.z;
  std::string wrong = impacts(x, fired);
  if (wrong.empty()) wrong = forces(x, fired);
  std::size_t grazed = 0;
  bool same = !met_;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const int mode = x.modes[static_cast<std::size_t>(contacts_[i].mode)];
    same = same && mode == before_[i];
    if (mode == Structure::open && contact_parts::contains(fired, contacts_[i].phi)) ++grazed;
  }
  settled_ = !same || fired.empty() || grazed < fired.size();
  if (!settled_) notices_.clear();
  return wrong;
}

}  // namespace mbs
