// Modes of contacts and the forces that go with them.

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "engine/contact/contact_parts.hpp"
#include "engine/contact/contacts.hpp"
#include "engine/contact/friction_share.hpp"
#include "engine/contact/modes.hpp"
#include "engine/contact/slow_contacts.hpp"
#include "engine/equations/initial.hpp"

namespace mbs {

using namespace contact_parts;
namespace {

constexpr double on_the_cone = 1.0 - 1e-9;  // part of the friction limit that counts as all of it
constexpr double beyond_rounding = 1.0 + 1e-9;
constexpr double within = 1.0 - 1e-8;     // part up to which several share what they hold
constexpr double next_to_the_end = 4e-9;  // the same, where it is known best how they begin
constexpr double at_the_end = 1e-6;  // part of a load that is at the limit of those who share it
constexpr double slips = 7.0;        // |w| from which they slide: 0.99 of the limit
constexpr double resolved = 1e-7;    // part of the largest acceleration that has a direction
constexpr double yielding = 1e4;     // times the acceleration that is nothing: at_the_end
constexpr double stopping = 1.5;     // times the speed without direction: sliding may end
constexpr double together = 5.0;     // and that of others beside it
constexpr int max_changes = 100;
constexpr int max_laws = 30;

}  // namespace

// x_ for the roles given. Contacts that slide have their tangential forces eliminated,
// x_T = -mu x_N d or -limit d, and likewise what is held; those released have none. `turning`: the
// directions of those that begin to slide are sought.
bool Contacts::solve_forces(State& x, bool turning) {
  if (!gather(x, true)) return false;
  const Eigen::Index n = b_.size();
  Matrix P = Matrix::Zero(n, n);  // x_ = P xi + constant
  Vector constant = Vector::Zero(n);
  std::vector<int> kept;
  std::vector<ConeBlock> blocks;
  // What is held bears a part of what it bears at most when it sticks.
  const auto held = [&](std::size_t i) { return roles_[i].part == Role::held; };
  const auto limit = [&](std::size_t i) {
    return held(i) ? laws_[i].limit_static : laws_[i].limit;
  };
  const auto friction = [&](std::size_t i) { return held(i) ? laws_[i].mu_static : laws_[i].mu; };
  const auto keep = [&](int entry) {
    P(entry, static_cast<Eigen::Index>(kept.size())) = 1.0;
    kept.push_back(entry);
    return static_cast<int>(kept.size()) - 1;
  };
  for (const std::size_t i : order_) {
    const Role& role = roles_[i];
    if (!role.holds()) continue;
    const int m = contacts_[i].tangents;
    ConeBlock block;
    if (role.normal >= 0) block.normal = keep(role.normal);
    const bool turns = turning && m > 1 && at_its_beginning(i);
    if (role.rubs() && role.normal < 0) {
      constant.segment(role.tangent, m) = -limit(i) * role.d;
      continue;
    }
    if (role.rubs() && !turns) {
      if (m > 0) P.block(role.tangent, block.normal, m, 1) = -friction(i) * role.d;
    } else if (m > 0) {
      block.tangent = keep(role.tangent);
      for (int k = 1; k < m; ++k) keep(role.tangent + k);
      block.tangents = m;
      block.mu = turns ? laws_[i].mu : laws_[i].mu_static;
      if (role.normal < 0) block.limit = laws_[i].limit_static;
    }
    blocks.push_back(block);
  }
  const auto count = static_cast<Eigen::Index>(kept.size());
  const Matrix WP = W_ * P.leftCols(count);
  const Vector context = W_ * constant, rest = b_ + context;
  Matrix W(count, count);
  Vector b(count), xi = Vector::Zero(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    W.row(k) = WP.row(kept[static_cast<std::size_t>(k)]);
    b[k] = rest[kept[static_cast<std::size_t>(k)]];
  }
  // All at rest where that needs no more than friction can hold; at the very end of what it holds
  // projections in turns would not come to an end.
  const double size = std::max(largest(b_), largest(context));
  if (count > 0) xi = W.completeOrthogonalDecomposition().solve(-b);
  x_ = P.leftCols(count) * xi + constant;
  const double no_pull = -nothing * largest(xi);
  const auto pushes = [&](const ConeBlock& block) {
    return block.normal < 0 || xi[block.normal] >= no_pull;
  };
  if (!turning && xi.allFinite() && largest(W * xi + b) <= nothing * size &&
      std::all_of(blocks.begin(), blocks.end(), pushes)) {
    if (share_friction(beyond_rounding)) return true;
    if (let_slip()) return solve_forces(x, false);
  }
  xi.setZero();
  if (!solve_cone_complementarity(W, b, blocks, xi, size)) return false;
  x_ = P.leftCols(count) * xi + constant;
  share_friction(within);
  return true;
}

// What sticks beside other things that stick may bear more or less of it, with the same motion.
// False: together they cannot hold it; where that is just at its end, slip_ tells how they begin.
bool Contacts::share_friction(double most) {
  const Vector acceleration = b_ + W_ * x_;
  const double least = nothing * (largest(b_) + largest(acceleration));
  std::vector<int> entries;
  std::vector<std::size_t> sharing;
  std::vector<FrictionLimit> limits;
  slip_.clear();
  end_ = x_;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Role& role = roles_[i];
    const int m = contacts_[i].tangents;
    if (role.part != Role::stick || m == 0) continue;
    if (largest(acceleration.segment(role.tangent, m)) > least) continue;
    sharing.push_back(i);
    limits.push_back({static_cast<int>(entries.size()), m, static_limit(i)});
    for (int k = 0; k < m; ++k) entries.push_back(role.tangent + k);
  }
  const Vector before = x_;
  if (sharing.size() > 1) {
    const Matrix W = W_(entries, entries);
    const Vector load = x_(entries);
    const SharedFriction shared = mbs::share_friction(W, limits, load);
    if (shared.several && shared.holds) {
      x_(entries) = shared.x;
      end_ = x_;
      end_(entries) = friction_at_the_end(W, limits, shared.x);
    }
    if (shared.several && !shared.holds) {
      // w of what is just below the end: there it is known best.
      for (const double part : {next_to_the_end, at_the_end}) {
        const SharedFriction there = mbs::share_friction(W, limits, (1.0 - part) * load);
        if (!there.holds) continue;
        for (std::size_t k = 0; k < sharing.size(); ++k)
          slip_.emplace_back(sharing[k], there.w.segment(limits[k].first, limits[k].tangents));
        break;
      }
      return false;
    }
  }
  const double no_force = nothing * largest(before);
  for (const std::size_t i : sharing) {
    const double force = x_.segment(roles_[i].tangent, contacts_[i].tangents).norm();
    if (force <= most * static_limit(i) + no_force) continue;
    x_ = before;
    return false;
  }
  return true;
}

// Those who cannot hold any more what they have to begin to slide, all at once and together. Their
// accelerations may be nothing yet.
bool Contacts::let_slip() {
  bool any = false;
  for (const auto& [i, w] : slip_) {
    if (w.norm() < slips) continue;
    roles_[i].part = Role::slide;
    roles_[i].d = w.normalized();
    yielded_[i] = 1;
    any = true;
  }
  slip_.clear();
  return any;
}

// Where the accelerations of what begins to slide are known they are where it slides to: directions
// and forces are found together.
bool Contacts::turn_to_accelerations(State& x) {
  const Vector acceleration = b_ + W_ * x_;
  const double known = resolved * (largest(b_) + largest(acceleration));
  const auto begins = [&](std::size_t i) {
    return contacts_[i].tangents > 1 && at_its_beginning(i);
  };
  bool turned = false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (!begins(i)) continue;
    const Role& role = roles_[i];
    const Vector a = acceleration.segment(role.tangent, contacts_[i].tangents);
    turned = turned || (a.norm() > known && (a - a.norm() * role.d).norm() > resolved * a.norm());
  }
  if (!turned) return true;
  const Vector before = x_;
  if (!solve_forces(x, true)) {
    x_ = before;
    return true;
  }
  const Vector after = b_ + W_ * x_;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (!begins(i)) continue;
    Role& role = roles_[i];
    const Vector a = after.segment(role.tangent, contacts_[i].tangents);
    if (a.norm() > known) role.d = a.normalized();
  }
  return solve_forces(x, false);
}

// Sliding without speed.
bool Contacts::at_its_beginning(std::size_t i) const {
  return roles_[i].part == Role::slide &&
         u_.segment(roles_[i].tangent, contacts_[i].tangents).norm() <= speed_;
}

double Contacts::static_limit(std::size_t i) const {
  return roles_[i].normal >= 0 ? laws_[i].mu_static * std::max(0.0, x_[roles_[i].normal])
                               : laws_[i].limit_static;
}

// What the forces found ask for. `asked`: contacts whose release has been taken back.
bool Contacts::change_roles(std::vector<char>& asked, double t) {
  const Vector acceleration = b_ + W_ * x_;
  const double wrong_way = -nothing * (largest(b_) + largest(acceleration)),
               no_force = nothing * largest(x_);
  bool changed = false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Role& role = roles_[i];
    const int m = contacts_[i].tangents;
    const bool spare = role.part == Role::idle;  // it goes with others, to rounding
    if ((role.part == Role::released || (spare && has_to_be_idle_[i] == 0)) &&
        acceleration[role.normal] < (spare ? yielding : 1.0) * wrong_way) {
      bear(i, t);
      changed = true;
    } else if (role.part == Role::stick && m > 0 && !asked[i]) {
      const Vector force = x_.segment(role.tangent, m);
      if (force.norm() < on_the_cone * static_limit(i) || force.norm() <= no_force) continue;
      role.part = Role::slide;
      role.d = -force.normalized();
      changed = true;
    } else if (at_its_beginning(i) && role.d.dot(acceleration.segment(role.tangent, m)) <
                                          (yielded_[i] != 0 ? yielding : 1.0) * wrong_way) {
      role.part = Role::stick;
      asked[i] = 1;
      changed = true;
    }
  }
  return changed;
}

// Sticks where it has no speed.
void Contacts::bear(std::size_t i, double t) {
  Role& role = roles_[i];
  role.part = Role::stick;
  role.goes_on = false;
  if (contacts_[i].tangents == 0) return;
  const Vector v = u_.segment(role.tangent, contacts_[i].tangents);
  if (v.norm() <= speed_) return;
  role.part = Role::slide;
  role.d = role.z = v.normalized();
  if (goes_on_[i] == 0) return;
  const Structure::Contact& c = contacts_[i];
  const Eigen::Vector2d z = z_before_.segment<2>(c.direction);
  role.goes_on = z.dot(role.d) > cosine_of_60;
  if (!role.goes_on) return;
  role.slow = z_before_.segment<slow_entries>(c.slow);
  const double slow = slow_speed(z_before_, c.slow, t);
  if (v.norm() >= slow) return;
  const auto d = slow_direction<double>({v[0], v[1]}, {z[0], z[1]}, slow);
  role.d << d[0], d[1];
  role.z = z;
}

// Before forces are known. Of several that slide all may stop where one does: the motion of a body
// on its feet comes to its end as a whole.
void Contacts::begin_roles(const State& x, std::span<const int> fired) {
  const auto fired_at = [&](std::size_t i) {
    return contains(fired, contacts_[i].phi + (contacts_[i].normal >= 0 ? 1 : 0));
  };
  const auto speed = [&](std::size_t i) {
    return u_.segment(roles_[i].tangent, contacts_[i].tangents).norm();
  };
  // Against the speed without a direction.
  const auto slow = [&](std::size_t i, double times) {
    const int at = contacts_[i].slow;
    return speed(i) <= times * (at >= 0 ? slow_speed(z_before_, at, x.t) : unresolved * speed_);
  };
  const auto slid = [&](std::size_t i) {
    return !met_ && before_[i] == Structure::slide && roles_[i].part == Role::stick;
  };
  goes_on_.assign(contacts_.size(), 0);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    roles_[i].goes_on = false;
    goes_on_[i] =
        before_[i] == Structure::slide && contacts_[i].slow >= 0 && !fired_at(i) && struck_[i] == 0;
  }
  bool stops = false;
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    stops = stops || (slid(i) && contacts_[i].tangents > 1 && fired_at(i) && slow(i, stopping));
  const bool several = std::any_of(before_.begin(), before_.end(), is_held);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    Role& role = roles_[i];
    if (role.part != Role::stick || c.tangents == 0) continue;
    // Sliding ends where its speed is zero to rounding: without impacts a single direction is
    // always at its end there. Others may just have turned.
    if (slid(i) && (c.tangents == 1 ? fired_at(i) : stops && slow(i, together))) continue;
    bear(i, x.t);
    const bool broke_away = role.part == Role::stick && !met_ && before_[i] == Structure::stick &&
                            !several && fired_at(i);
    if (!broke_away) continue;
    const Vector lambda = lambda_before_.segment(c.tangent, c.tangents);
    if (lambda.norm() == 0.0) continue;
    role.part = Role::slide;
    role.d = lambda.normalized();
  }
}

// Roles that agree with the forces they lead to. Of closed contacts whose normal rows say the same
// some are idle: what the rest bears, and can hold by friction, is judged without them.
bool Contacts::find_roles(State& x) {
  std::vector<Role> first = roles_;
  std::vector<char> tried(contacts_.size(), 0);
  has_to_be_idle_.assign(contacts_.size(), 0);
  for (;;) {
    std::vector<char> asked(contacts_.size(), 0);
    int changes = 0;
    do {
      if (!solve_forces(x, false) || !turn_to_accelerations(x) || ++changes > max_changes)
        return false;
    } while (change_roles(asked, x.t));
    const std::vector<std::size_t> spare = spare_normals(false);
    const auto next =
        std::find_if(spare.begin(), spare.end(), [&](std::size_t i) { return tried[i] == 0; });
    if (spare.empty()) return true;
    const std::size_t idle = next != spare.end() ? *next : spare.front();
    has_to_be_idle_[idle] = tried[idle];  // each has been asked for: rounding decides
    tried[idle] = 1;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (first[i].part == Role::idle && roles_[i].part != Role::idle) first[i].part = Role::stick;
    }
    first[idle].part = Role::idle;
    roles_ = first;
    std::fill(yielded_.begin(), yielded_.end(), char{0});
  }
}

// Whether all that sticks does so with less than its limit.
bool Contacts::friction_holds(const State& x) {
  equations_.switching(context_, x, *ws_);
  const double least = nothing * largest(x.lambda);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    const bool sticks = roles_[i].part == Role::stick || roles_[i].part == Role::held;
    if (sticks && c.tangents > 0 && !(ws_->phi[c.phi + (c.normal >= 0 ? 1 : 0)] > least))
      return false;
  }
  return true;
}

std::string Contacts::forces(State& x, std::span<const int> fired) {
  yielded_.assign(contacts_.size(), 0);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    Role& role = roles_[i];
    if (c.normal < 0) role.part = Role::stick;
    if (c.normal < 0 || !role.present() || met_) continue;
    // Who lets go because its force has come to zero does not get it back by rounding; who was idle
    // stays so while others bear what it would.
    if (before_[i] != Structure::open && contains(fired, c.phi))
      role.part = Role::released;
    else if (before_[i] == Structure::idle)
      role.part = Role::idle;
  }
  if (!gather(x, false)) return "the equations of motion are singular at an event";
  begin_roles(x, fired);
  const std::vector<Role> begun = roles_;
  drop_repeated();
  set_modes(x, true);
  if (!projection_.positions(x, *ws_, *solver_).ok || !projection_.velocities(x, *ws_, *solver_).ok)
    return "there is no state that satisfies the constraints with " + names() + " closed";
  std::vector<Equations::ContactLaw> previous;
  for (int law = 0; law < max_laws; ++law) {
    equations_.contact_laws(context_, x, *ws_, laws_);
    const auto same = [](const auto& a, const auto& b) {
      return std::abs(a.limit - b.limit) <= nothing * std::abs(a.limit) &&
             std::abs(a.limit_static - b.limit_static) <= nothing * std::abs(a.limit_static);
    };
    if (law > 0 && std::equal(laws_.begin(), laws_.end(), previous.begin(), same)) return {};
    previous = laws_;
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      Role& role = roles_[i];
      if (role.part == Role::held || role.part == Role::idle) role = begun[i];
    }
    if (!find_roles(x)) {
      return "no forces were found for " + names() +
             ": friction is too large for this "
             "arrangement, or contacts contradict each other";
    }
    const Vector acceleration = b_ + W_ * x_;
    const double no_force = nothing * largest(x_),
                 away = nothing * (largest(b_) + largest(acceleration));
    for (Role& role : roles_) {
      if (role.normal < 0 || !role.holds()) continue;
      if (x_[role.normal] <= no_force && acceleration[role.normal] > away)
        role.part = Role::released;
    }
    const std::vector<Role> found = roles_;
    const Vector forces = x_, at_the_end = end_;
    for (const bool to_the_end : {true, false}) {
      roles_ = found;
      x_ = forces;
      end_ = at_the_end;
      hold_back(x, to_the_end);
      set_slow_speeds(x.t);
      set_modes(x, true);
      if (!projection_.velocities(x, *ws_, *solver_).ok ||
          !solve_accelerations(equations_, context_, x, *ws_, *solver_)) {
        return "the equations of motion are singular with " + names() +
               " closed: some of these contacts say the same";
      }
      if (to_the_end && friction_holds(x)) break;
    }
  }
  return "the friction limits of " + names() + " do not settle";
}

}  // namespace mbs
