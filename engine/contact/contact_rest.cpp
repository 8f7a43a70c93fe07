// What touches at a start, and searches of rest.

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/contact/contact_parts.hpp"
#include "engine/contact/contacts.hpp"
#include "engine/contact/modes.hpp"
#include "engine/equations/initial.hpp"

namespace mbs {

using namespace contact_parts;
namespace {

constexpr double gap_tolerance = 1e-9;  // of the typical size of g
constexpr double still = 1e-8;          // of the largest acceleration without contacts

}  // namespace

// Present is what has no gap.
std::string Contacts::touch(State& x) {
  for (Role& role : roles_) role.part = Role::stick;
  set_modes(x, false);
  equations_.position(context_, x, want_position_all, *ws_);
  std::string inside;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const int row = contacts_[i].normal;
    if (row < 0) continue;
    const double gap = ws_->g[row];
    const double tolerance = gap_tolerance * equations_.structure().g_scale[row];
    if (gap < -tolerance) {
      inside += (inside.empty() ? "'" : ", '") + contacts_[i].name + "' by " + short_number(-gap);
    }
    if (gap > tolerance) roles_[i].part = Role::absent;
  }
  if (!inside.empty()) {
    return "the start is beyond stops or inside of what is touched: " + inside +
           " (m, or rad where a joint turns). Give other initial positions";
  }
  set_modes(x, false);
  return {};
}

std::string Contacts::rest(State& x) {
  if (!any()) return {};
  x.v.setZero();
  std::string wrong = touch(x);
  if (!wrong.empty()) return wrong;
  equations_.position(context_, x, want_G, *ws_);
  equations_.velocity(context_, x, *ws_);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    if (!roles_[i].present() || c.tangents == 0) continue;
    const Vector speed = ws_->G_v.segment(c.tangent, c.tangents);
    if (speed.norm() <= speed_) continue;
    roles_[i].part = Role::slide;
    roles_[i].d = speed.normalized();
  }
  return keep_rows(x);
}

std::string Contacts::keep_rows(State& x) {
  if (!gather(x, false)) return "the equations of motion are singular at the start";
  drop_repeated();
  set_modes(x, true);
  return {};
}

// Roles by the modes of x, without a look at which rows repeat others.
void Contacts::take_roles(const State& x) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    const int mode = x.modes[static_cast<std::size_t>(c.mode)];
    Role& role = roles_[i];
    role.part = mode == Structure::open    ? Role::absent
                : mode == Structure::slide ? Role::slide
                                           : Role::stick;
    role.goes_on = false;
    if (role.part == Role::slide) role.d = x.z.segment(c.direction, c.tangents);
  }
}

// Whether forces of all that is closed, found together and within their friction, leave x at rest;
// then they are those of x, and modes are as after an event.
bool Contacts::rests_together(State& x) {
  State at = x;
  take_roles(at);
  yielded_.assign(contacts_.size(), 0);
  if (!solve_forces(at, false)) return false;
  if (std::find(yielded_.begin(), yielded_.end(), char{1}) != yielded_.end()) return false;
  const Vector acceleration = b_ + W_ * x_;
  const double least = still * largest(b_);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Role& role = roles_[i];
    if (!role.present()) continue;
    if (role.normal >= 0 && std::abs(acceleration[role.normal]) > least) return false;
    for (int k = 0; role.part == Role::stick && k < contacts_[i].tangents; ++k)
      if (std::abs(acceleration[role.tangent + k]) > least) return false;
  }
  hold_back(at, false);
  set_modes(at, true);
  if (!solve_accelerations(equations_, context_, at, *ws_, *solver_)) return false;
  at.a.setZero();
  x = std::move(at);
  return true;
}

bool Contacts::revise_rest(State& x, State& start, std::string& wrong) {
  if (!any()) return false;
  const double no_force = nothing * largest(x.lambda);
  const std::vector<int> modes = x.modes;
  for (int& mode : x.modes) mode = Structure::stick;
  equations_.position(context_, x, want_g, *ws_);
  x.modes = modes;
  equations_.contact_laws(context_, x, *ws_, laws_);
  const Vector gap = ws_->g;
  std::vector<int> other = modes;
  const auto mode_of = [&](std::size_t i) { return static_cast<std::size_t>(contacts_[i].mode); };
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const int row = contacts_[i].normal, mode = modes[mode_of(i)];
    const bool off = mode == Structure::open || mode == Structure::idle;
    if (row >= 0 && off && gap[row] < -gap_tolerance * equations_.structure().g_scale[row])
      other[mode_of(i)] = Structure::stick;
  }
  if (other == modes) {
    if (rests_together(x)) return false;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      const int row = contacts_[i].normal;
      if (row >= 0 && modes[mode_of(i)] != Structure::open && -x.lambda[row] < -no_force)
        other[mode_of(i)] = Structure::open;
    }
  }
  if (other != modes) {
    start.modes = other;
    take_roles(start);
    wrong = keep_rows(start);
    return wrong.empty();
  }
  bool shared = false;  // several bear it: their parts are not known singly
  std::string names;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (contacts_[i].tangents == 0 || modes[mode_of(i)] == Structure::open) continue;
    names += (names.empty() ? "'" : ", '") + contacts_[i].name + "'";
    shared = shared || is_held(modes[mode_of(i)]) || modes[mode_of(i)] == Structure::idle;
  }
  for (std::size_t i = 0; i < contacts_.size() && wrong.empty(); ++i) {
    const Structure::Contact& c = contacts_[i];
    double squares = 0.0;
    bool acts = false;
    for (int k = 0; k < c.tangents; ++k) {
      if (!tangent_sticks(modes[mode_of(i)], k)) continue;
      acts = true;
      squares += x.lambda[c.tangent + k] * x.lambda[c.tangent + k];
    }
    if (!acts) continue;
    const double holds =
        c.normal >= 0 ? -laws_[i].mu_static * x.lambda[c.normal] : laws_[i].limit_static;
    const double needed = std::sqrt(squares);
    if (needed <= holds * (1.0 + 1e-9) + no_force) continue;
    wrong = "there is no rest here: friction of " +
            (shared ? names + " together cannot hold it. "
                    : "'" + c.name + "' would have to hold " + short_number(needed) +
                          " and can hold " + short_number(holds) + ". ") +
            "Take another start, or more friction.";
  }
  return false;
}

}  // namespace mbs
