// Impacts, and the end of bouncing.

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"
#include "engine/contact/contact_parts.hpp"
#include "engine/contact/contacts.hpp"

namespace mbs {

using namespace contact_parts;
namespace {

bool contains_any(const std::vector<char>& flags) {
  return std::find(flags.begin(), flags.end(), char{1}) != flags.end();
}

}  // namespace

// Leaves as present what is closed afterwards.
std::string Contacts::impacts(State& x, std::span<const int> fired) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    const bool touches = before_[i] != Structure::open || contains(fired, c.phi);
    roles_[i].part = c.normal >= 0 && touches ? Role::stick : Role::absent;
  }
  if (!gather(x, false)) return "the equations of motion are singular at an impact";
  const std::vector<Role> all = roles_;
  drop_repeated();
  set_modes(x, true);
  roles_ = all;
  if (!projection_.positions(x, *ws_, *solver_).ok) {
    return "no position was found at which " + names() + " just touch";
  }
  equations_.contact_laws(context_, x, *ws_, laws_);
  if (!gather(x, false)) return "the equations of motion are singular at an impact";
  met_ = false;
  Vector target = Vector::Zero(u_.size());  // u_N after the impact of Newton's law
  Vector kept = Vector::Zero(u_.size());
  std::vector<ConeBlock> blocks;
  for (const std::size_t i : order_) {
    const Role& role = roles_[i];
    if (!role.present()) continue;
    const double meeting = -u_[role.normal];
    met_ = met_ || meeting > speed_;
    double& e = laws_[i].restitution;
    if (e * meeting <= std::max(laws_[i].rest_speed, speed_)) e = 0.0;
    if (!laws_[i].poisson) target[role.normal] = e * meeting;
    blocks.push_back({role.normal, role.tangent, contacts_[i].tangents, laws_[i].mu, 0.0});
  }
  Vector after = u_;
  if (met_) {
    x_.setZero(u_.size());
    if (!solve_cone_complementarity(W_, u_ - target, blocks, x_)) {
      return "no impulses were found that part " + names() +
             ": friction is too large for this "
             "arrangement, or contacts contradict each other";
    }
    // Expansion: e of the compression's impulse comes back, and what more keeps the contacts from
    // penetrating; friction again by Coulomb's law, of both together.
    std::size_t next = 0;
    for (const std::size_t i : order_) {
      const Role& role = roles_[i];
      if (!role.present()) continue;
      ConeBlock& block = blocks[next++];
      if (!laws_[i].poisson) continue;
      kept[role.normal] = laws_[i].restitution * x_[role.normal];
      block.limit = block.mu * kept[role.normal];
    }
    if (kept.cwiseAbs().maxCoeff() > 0.0) {
      Vector more = Vector::Zero(u_.size());
      if (!solve_cone_complementarity(W_, u_ - target + W_ * (x_ + kept), blocks, more)) {
        return "no impulses were found for the expansion of " + names();
      }
      x_ += kept + more;
    }
    for (std::size_t k = 0; k < Y_.size(); ++k) x.v += x_[static_cast<Eigen::Index>(k)] * Y_[k];
    after = u_ + W_ * x_;
  }
  const Vector before = u_;
  struck_.assign(contacts_.size(), 0);
  std::vector<char> stays(contacts_.size(), 0), flies(contacts_.size(), 0);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Role& role = roles_[i];
    if (!role.present()) continue;
    const double left = after[role.normal];
    const int m = contacts_[i].tangents;
    struck_[i] = m > 0 && (after - before).segment(role.tangent, m).norm() > least_slow_;
    // A gap that falls below zero though it opens: its flight is too low to be told from none.
    const bool falls = before_[i] == Structure::open && contains(fired, contacts_[i].phi);
    const bool meets = before[role.normal] < -speed_;
    stays[i] = left <= std::max(laws_[i].rest_speed, speed_) ||
               (falls && !meets && left <= unresolved * speed_);
    // Also what others have thrown up: the second foot of a body whose first one has met.
    flies[i] = stays[i] == 0 && (falls || met_);
  }
  const Vector ends = ends_of_low_flights(x, flies, after);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Role& role = roles_[i];
    if (!role.present()) continue;
    const double meeting = -before[role.normal];
    const bool low = ends[static_cast<Eigen::Index>(i)] > 0.0;
    const std::string name = "'" + contacts_[i].name + "': ";
    const char* unit = contacts_[i].turns ? " rad/s" : " m/s";
    const bool bounces = meeting > speed_ || before_[i] == Structure::open;
    if (low && bounces) {
      notices_.push_back(name + "brought to rest: its bounces, the last of " +
                         short_number(std::max(meeting, after[role.normal])) + unit +
                         ", have become lower than positions can tell and would end within " +
                         short_number(ends[static_cast<Eigen::Index>(i)]) + " s");
    } else if (meeting > speed_) {
      notices_.push_back(name + "impact at " + short_number(meeting) + unit +
                         (stays[i] != 0 ? ", stays closed" : ""));
    } else if (stays[i] != 0 && before_[i] == Structure::open) {
      notices_.push_back(name + "comes to rest, closed");
    }
    if (stays[i] == 0 && !low) role.part = Role::absent;
  }
  return {};
}

// Guard against bouncing without end. Flights of height u^2/(2 |b|), u the speed after an impact
// and b the acceleration without contact, cannot be found where the gap's last digits are as large:
// rounding makes events of its own, which need not become slower. Such a contact is closed. Its
// bounces would go on for 2 u/|b| / (1 - e): this per contact; 0 where it flies. Where a flight's
// end is seen with the gap d below zero, e^2 of that height comes back each time: bounces would not
// become lower than e^2 d/(1 - e^2).
Vector Contacts::ends_of_low_flights(State& x, const std::vector<char>& flies,
                                     const Vector& after) {
  Vector ends = Vector::Zero(static_cast<Eigen::Index>(contacts_.size()));
  if (!contains_any(flies)) return ends;
  const Vector noise = noise_of_gaps(x);
  if (!gather(x, true)) return ends;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (flies[i] == 0) continue;
    const auto entry = static_cast<Eigen::Index>(i);
    const double u = after[roles_[i].normal], b = b_[roles_[i].normal];
    const double lost = std::max(1e-3, 1.0 - laws_[i].restitution);
    const double never_lower = unseen_.size() > 0 ? 2.0 * unseen_[entry] / lost : 0.0;
    if (!(b < 0.0 && u * u <= 2.0 * -b * std::max(noise[entry], never_lower))) continue;
    ends[entry] = 2.0 * u / -b / lost;
  }
  return ends;
}

// What changes of all positions in their last digits do to the gaps of the contacts present.
Vector Contacts::noise_of_gaps(const State& x) {
  constexpr double last_digits = 4.0 * std::numeric_limits<double>::epsilon();
  Vector noise = Vector::Zero(static_cast<Eigen::Index>(contacts_.size()));
  State near = x;
  set_modes(near, false);
  const auto gaps = [&] {
    equations_.position(context_, near, want_g, *ws_);
    Vector g = noise;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (roles_[i].present()) g[static_cast<Eigen::Index>(i)] = ws_->g[contacts_[i].normal];
    }
    return g;
  };
  const Vector here = gaps();
  noise = here.cwiseAbs();
  for (const int period : {1, 2, 3}) {  // all the same way, and in turn
    for (Eigen::Index j = 0; j < x.p.size(); ++j) {
      near.p[j] = x.p[j] * (1.0 + (j % (2 * period) < period ? last_digits : -last_digits));
    }
    noise = noise.cwiseMax((gaps() - here).cwiseAbs());
  }
  return noise;
}

}  // namespace mbs
