#include "engine/events/contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/equations/initial.hpp"
#include "engine/integrators/common/text.hpp"

namespace mbs {
namespace {

constexpr double gap_tolerance = 1e-9;      // of the typical size of g, at the start
constexpr double on_the_cone = 1.0 - 1e-9;  // part of the friction limit that counts as all of it
constexpr double nothing = 1e-10;           // part of the largest force or acceleration
constexpr double unresolved = 1e3;          // times the speed that cannot be told from 0
constexpr int max_changes = 100;
constexpr int max_laws = 30;

bool contains(std::span<const int> list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool contains_any(const std::vector<char>& flags) {
  return std::find(flags.begin(), flags.end(), char{1}) != flags.end();
}

double largest(const Vector& x) {
  return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

int contact_rows(const Structure& structure) {
  int rows = 0;
  for (const Structure::Contact& c : structure.contacts) rows += (c.normal >= 0) + c.tangents;
  return rows;
}

Contacts::Contacts(const Equations& equations, Given given, const IntegratorOptions& options,
                   const std::string& linear)
    : equations_(equations),
      given_(given),
      sizes_(equations.sizes()),
      contacts_(equations.structure().contacts),
      speed_(options.atol),
      projection_(equations, given, options),
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
    x.modes[static_cast<std::size_t>(contacts_[i].mode)] = mode;
    if (all && role.part == Role::slide && contacts_[i].direction >= 0) {
      x.z.segment(contacts_[i].direction, contacts_[i].tangents) = role.d;
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
  equations_.position(given_, x, want_position_all, *ws_);
  equations_.velocity(given_, x, *ws_);
  if (with_accelerations) equations_.gamma(given_, x, *ws_);
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
    if (!solve_accelerations(equations_, given_, x, *ws_, *solver_)) return false;
  } else {
    equations_.position(given_, x, want_M | want_G, *ws_);
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

std::string Contacts::start(State& x) {
  if (!any()) return {};
  std::string wrong = touch(x);
  return wrong.empty() ? settle({}, x) : wrong;
}

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
      if (pulls || (mode == Structure::open && ws_->g[c.normal] < -tolerance)) {
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

std::string Contacts::settle(std::span<const int> fired, State& x) {
  notices_.clear();
  if (!any()) return {};
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    before_[i] = x.modes[static_cast<std::size_t>(contacts_[i].mode)];
  }
  lambda_before_ = x.lambda;
  std::string wrong = impacts(x, fired);
  if (wrong.empty()) wrong = forces(x, fired);
  return wrong;
}

// Leaves as present what is closed afterwards.
std::string Contacts::impacts(State& x, std::span<const int> fired) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    const bool touches = before_[i] != Structure::open || contains(fired, c.phi);
    roles_[i].part = c.normal >= 0 && touches ? Role::stick : Role::absent;
  }
  set_modes(x, false);
  if (!projection_.positions(x, *ws_, *solver_).ok) {
    return "no position was found at which " + names() + " just touch";
  }
  equations_.contact_laws(given_, x, *ws_, laws_);
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
  std::vector<char> stays(contacts_.size(), 0), flies(contacts_.size(), 0);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Role& role = roles_[i];
    if (!role.present()) continue;
    const double left = after[role.normal];
    // A gap that falls below zero though it opens: its flight is too low to be told from none.
    const bool falls = before_[i] == Structure::open && contains(fired, contacts_[i].phi);
    const bool meets = before[role.normal] < -speed_;
    stays[i] = left <= std::max(laws_[i].rest_speed, speed_) ||
               (falls && !meets && left <= unresolved * speed_);
    flies[i] = stays[i] == 0 && (falls || meets);
  }
  const Vector ends = ends_of_low_flights(x, flies, after);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Role& role = roles_[i];
    if (!role.present()) continue;
    const double meeting = -before[role.normal];
    const bool low = ends[static_cast<Eigen::Index>(i)] > 0.0;
    const std::string name = "'" + contacts_[i].name + "': ";
    if (low) {
      notices_.push_back(name + "brought to rest: its bounces, the last of " +
                         short_number(std::max(meeting, after[role.normal])) +
                         " m/s, have become lower than positions can tell and would end within " +
                         short_number(ends[static_cast<Eigen::Index>(i)]) + " s");
    } else if (meeting > speed_) {
      notices_.push_back(name + "impact at " + short_number(meeting) + " m/s" +
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
// bounces would go on for 2 u/|b| / (1 - e): this per contact; 0 where it flies.
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
    if (!(b < 0.0 && u * u <= 2.0 * -b * noise[entry])) continue;
    ends[entry] = 2.0 * u / -b / std::max(1e-3, 1.0 - laws_[i].restitution);
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
    equations_.position(given_, near, want_g, *ws_);
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

// x_ for the roles given. Contacts that slide have their tangential forces eliminated,
// x_T = -mu x_N d or -limit d, those released have none.
bool Contacts::solve_forces(State& x) {
  if (!gather(x, true)) return false;
  const Eigen::Index n = b_.size();
  Matrix P = Matrix::Zero(n, n);  // x_ = P xi + constant
  Vector constant = Vector::Zero(n);
  std::vector<int> kept;
  std::vector<ConeBlock> blocks;
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
    if (role.part == Role::slide && role.normal < 0) {
      constant.segment(role.tangent, m) = -laws_[i].limit * role.d;
      continue;
    }
    if (role.part == Role::slide) {
      P.block(role.tangent, block.normal, m, 1) = -laws_[i].mu * role.d;
    } else if (m > 0) {
      block.tangent = keep(role.tangent);
      for (int k = 1; k < m; ++k) keep(role.tangent + k);
      block.tangents = m;
      block.mu = laws_[i].mu_static;
      if (role.normal < 0) block.limit = laws_[i].limit_static;
    }
    blocks.push_back(block);
  }
  const auto count = static_cast<Eigen::Index>(kept.size());
  const Matrix WP = W_ * P.leftCols(count);
  const Vector rest = b_ + W_ * constant;
  Matrix W(count, count);
  Vector b(count), xi = Vector::Zero(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    W.row(k) = WP.row(kept[static_cast<std::size_t>(k)]);
    b[k] = rest[kept[static_cast<std::size_t>(k)]];
  }
  if (!solve_cone_complementarity(W, b, blocks, xi)) return false;
  x_ = P.leftCols(count) * xi + constant;
  return true;
}

// What the forces found ask for. `asked`: contacts whose release has been taken back.
bool Contacts::change_roles(std::vector<char>& asked) {
  const Vector acceleration = b_ + W_ * x_;
  const double wrong_way = -nothing * (largest(b_) + largest(acceleration));
  bool changed = false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Role& role = roles_[i];
    const int m = contacts_[i].tangents;
    if (role.part == Role::released && acceleration[role.normal] < wrong_way) {
      role.part = Role::stick;
      changed = true;
    } else if (role.part == Role::stick && m > 0 && !asked[i]) {
      const Vector force = x_.segment(role.tangent, m);
      const double limit =
          role.normal >= 0 ? laws_[i].mu_static * x_[role.normal] : laws_[i].limit_static;
      if (force.norm() < on_the_cone * limit || force.norm() == 0.0) continue;
      role.part = Role::slide;
      role.d = -force.normalized();
      changed = true;
    } else if (role.part == Role::slide && std::abs(u_.segment(role.tangent, m).norm()) <= speed_ &&
               role.d.dot(acceleration.segment(role.tangent, m)) < wrong_way) {
      role.part = Role::stick;
      asked[i] = 1;
      changed = true;
    }
  }
  return changed;
}

std::string Contacts::forces(State& x, std::span<const int> fired) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    Role& role = roles_[i];
    if (c.normal < 0) role.part = Role::stick;
    // Who lets go because its force has come to zero does not get it back by rounding.
    const bool let_go = !met_ && before_[i] != Structure::open && contains(fired, c.phi);
    if (c.normal >= 0 && role.present() && let_go) role.part = Role::released;
  }
  if (!gather(x, false)) return "the equations of motion are singular at an event";
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Structure::Contact& c = contacts_[i];
    Role& role = roles_[i];
    if (role.part != Role::stick || c.tangents == 0) continue;
    const Vector v = u_.segment(role.tangent, c.tangents);
    // Sliding ends where its speed is zero to rounding: without impacts a single direction is
    // always at its end there.
    const bool stopped = !met_ && before_[i] == Structure::slide &&
                         contains(fired, c.phi + (c.normal >= 0 ? 1 : 0)) &&
                         (c.tangents == 1 || v.norm() <= unresolved * speed_);
    if (v.norm() > speed_ && !stopped) {
      role.part = Role::slide;
      role.d = v.normalized();
    } else if (!met_ && before_[i] == Structure::stick &&
               contains(fired, c.phi + (c.normal >= 0 ? 1 : 0))) {
      const Vector lambda = lambda_before_.segment(c.tangent, c.tangents);
      if (lambda.norm() == 0.0) continue;
      role.part = Role::slide;
      role.d = lambda.normalized();
    }
  }
  set_modes(x, true);
  if (!projection_.positions(x, *ws_, *solver_).ok || !projection_.velocities(x, *ws_, *solver_).ok)
    return "there is no state that satisfies the constraints with " + names() + " closed";
  std::vector<Equations::ContactLaw> previous;
  for (int law = 0; law < max_laws; ++law) {
    equations_.contact_laws(given_, x, *ws_, laws_);
    const auto same = [](const auto& a, const auto& b) {
      return std::abs(a.limit - b.limit) <= nothing * std::abs(a.limit) &&
             std::abs(a.limit_static - b.limit_static) <= nothing * std::abs(a.limit_static);
    };
    if (law > 0 && std::equal(laws_.begin(), laws_.end(), previous.begin(), same)) return {};
    previous = laws_;
    std::vector<char> asked(contacts_.size(), 0);
    int changes = 0;
    do {
      if (!solve_forces(x) || ++changes > max_changes) {
        return "no forces were found for " + names() +
               ": friction is too large for this "
               "arrangement, or contacts contradict each other";
      }
    } while (change_roles(asked));
    const Vector acceleration = b_ + W_ * x_;
    const double no_force = nothing * largest(x_),
                 away = nothing * (largest(b_) + largest(acceleration));
    for (Role& role : roles_) {
      if (role.normal < 0 || !role.holds()) continue;
      if (x_[role.normal] <= no_force && acceleration[role.normal] > away)
        role.part = Role::released;
    }
    set_modes(x, true);
    if (!projection_.velocities(x, *ws_, *solver_).ok ||
        !solve_accelerations(equations_, given_, x, *ws_, *solver_)) {
      return "the equations of motion are singular with " + names() +
             " closed: some of these contacts say the same";
    }
  }
  return "the friction limits of " + names() + " do not settle";
}

}  // namespace mbs
