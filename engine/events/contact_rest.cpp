// What touches at a start, and searches of rest.

#include "engine/events/contact_parts.hpp"
#include "engine/events/contacts.hpp"
#include "engine/integrators/common/text.hpp"

namespace mbs {

using namespace contact_parts;
namespace {

constexpr double gap_tolerance = 1e-9;  // of the typical size of g

}  // namespace

// Present is what has no gap.
std::string Contacts::touch(State& x) {
  for (Role& role : roles_) role.part = Role::stick;
  set_modes(x, false);
  equations_.position(given_, x, want_position_all, *ws_);
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
  equations_.position(given_, x, want_G, *ws_);
  equations_.velocity(given_, x, *ws_);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    if (!roles_[i].present() || c.tangents == 0) continue;
    const Vector speed = ws_->G_v.segment(c.tangent, c.tangents);
    if (speed.norm() <= speed_) continue;
    roles_[i].part = Role::slide;
    roles_[i].d = speed.normalized();
  }
  if (!gather(x, false)) return "the equations of motion are singular at the start";
  drop_repeated();
  set_modes(x, true);
  return {};
}

bool Contacts::revise_rest(State& x, std::string& wrong) {
  if (!any()) return false;
  const double no_force = nothing * largest(x.lambda);
  std::vector<int> modes = x.modes;
  equations_.contact_laws(given_, x, *ws_, laws_);
  for (int& mode : x.modes) mode = Structure::stick;
  equations_.position(given_, x, want_g, *ws_);
  bool changed = false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    int& mode = modes[static_cast<std::size_t>(c.mode)];
    if (c.normal >= 0) {
      const double tolerance = gap_tolerance * equations_.structure().g_scale[c.normal];
      const bool pulls = mode != Structure::open && -x.lambda[c.normal] < -no_force;
      const bool off = mode == Structure::open || mode == Structure::idle;
      if (pulls || (off && ws_->g[c.normal] < -tolerance)) {
        mode = pulls ? Structure::open : Structure::stick;
        changed = true;
        continue;
      }
    }
    if (mode != Structure::stick || c.tangents == 0) continue;
    const double holds =
        c.normal >= 0 ? -laws_[i].mu_static * x.lambda[c.normal] : laws_[i].limit_static;
    const double needed = x.lambda.segment(c.tangent, c.tangents).norm();
    if (needed <= holds * (1.0 + 1e-9) + no_force || !wrong.empty()) continue;
    wrong = "there is no rest here: friction of '" + c.name + "' would have to hold " +
            short_number(needed) + " and can hold " + short_number(holds) +
            ". Take another start, or more friction.";
  }
  x.modes = std::move(modes);
  return changed;
}

}  // namespace mbs
