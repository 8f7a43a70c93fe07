// Modes of contacts and the forces that go with them.

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "engine/equations/held_contacts.hpp"
#include "engine/equations/initial.hpp"
#include "engine/events/contact_parts.hpp"
#include "engine/events/contacts.hpp"

namespace mbs {

using namespace contact_parts;
namespace {

constexpr double on_the_cone = 1.0 - 1e-9;  // part of the friction limit that counts as all of it
constexpr double beyond_rounding = 1.0 + 1e-9;
constexpr double within = 1.0 - 1e-8;  // part up to which several share what they hold
constexpr double nearly = 0.99;        // part from which those held are given all they can
constexpr double dependent = 1e-9;     // part of a row's own inertia that it has beside others
constexpr int max_changes = 100;
constexpr int max_laws = 30;

// W, from which rows are eliminated: what follows from them is zero then.
class Elimination {
 public:
  explicit Elimination(const Matrix& W)
      : whole_(W), rest_(W), floor_(1e-12 * (W.size() > 0 ? largest(W.diagonal()) : 0.0)) {}

  double part(int k) const { return rest_(k, k) / std::max(whole_(k, k), floor_); }
  bool counts(int k) const { return part(k) > dependent; }
  void eliminate(int k) {
    if (!counts(k)) return;
    const Vector column = rest_.col(k) / rest_(k, k);
    const Eigen::RowVectorXd row = rest_.row(k);
    rest_.noalias() -= column * row;
  }

 private:
  const Matrix& whole_;
  Matrix rest_;
  double floor_;
};

}  // namespace

// x_ for the roles given. Contacts that slide have their tangential forces eliminated,
// x_T = -mu x_N d or -limit d, and likewise what is held; those released have none.
bool Contacts::solve_forces(State& x) {
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
    if (role.rubs() && role.normal < 0) {
      constant.segment(role.tangent, m) = -limit(i) * role.d;
      continue;
    }
    if (role.rubs()) {
      if (m > 0) P.block(role.tangent, block.normal, m, 1) = -friction(i) * role.d;
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
  const Vector given = W_ * constant, rest = b_ + given;
  Matrix W(count, count);
  Vector b(count), xi = Vector::Zero(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    W.row(k) = WP.row(kept[static_cast<std::size_t>(k)]);
    b[k] = rest[kept[static_cast<std::size_t>(k)]];
  }
  // All at rest where that needs no more than friction can hold; at the very end of what it holds
  // projections in turns would not come to an end.
  const double size = std::max(largest(b_), largest(given));
  if (count > 0) xi = W.completeOrthogonalDecomposition().solve(-b);
  x_ = P.leftCols(count) * xi + constant;
  const auto pushes = [&](const ConeBlock& block) {
    return block.normal < 0 || xi[block.normal] >= 0.0;
  };
  if (xi.allFinite() && largest(W * xi + b) <= nothing * size &&
      std::all_of(blocks.begin(), blocks.end(), pushes) && share_friction(beyond_rounding))
    return true;
  xi.setZero();
  if (!solve_cone_complementarity(W, b, blocks, xi, size)) return false;
  x_ = P.leftCols(count) * xi + constant;
  share_friction(within);
  return true;
}

// What sticks beside other things that stick may bear more or less of it: with the same motion the
// sum of |x_T|^2/limit is made least, so that of one freedom all bear the same part of their
// limits.
//
//   x_T = D y,  D^2 = limits,  y <- B^+ B y,  B = D W_TT D
bool Contacts::share_friction(double most) {
  const Vector acceleration = b_ + W_ * x_;
  const double least = nothing * (largest(b_) + largest(acceleration));
  std::vector<int> entries;
  std::vector<std::size_t> sharing;
  double greatest = 0.0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Role& role = roles_[i];
    const int m = contacts_[i].tangents;
    if (role.part != Role::stick || m == 0) continue;
    if (largest(acceleration.segment(role.tangent, m)) > least) continue;
    sharing.push_back(i);
    greatest = std::max(greatest, static_limit(i));
    for (int k = 0; k < m; ++k) entries.push_back(role.tangent + k);
  }
  const Vector before = x_;
  if (sharing.size() > 1 && greatest > 0.0) {
    Vector D(static_cast<Eigen::Index>(entries.size()));
    Eigen::Index next = 0;
    for (const std::size_t i : sharing)
      for (int k = 0; k < contacts_[i].tangents; ++k)
        D[next++] = std::sqrt(std::max(static_limit(i), 1e-12 * greatest));
    const Matrix B = D.asDiagonal() * W_(entries, entries) * D.asDiagonal();
    Eigen::CompleteOrthogonalDecomposition<Matrix> factors;
    factors.setThreshold(dependent);
    factors.compute(B);
    if (factors.rank() < B.rows())
      x_(entries) = D.cwiseProduct(factors.solve(B * before(entries).cwiseQuotient(D)));
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

// Sliding without speed.
bool Contacts::at_its_beginning(std::size_t i) const {
  return roles_[i].part == Role::slide &&
         u_.segment(roles_[i].tangent, contacts_[i].tangents).norm() <= speed_;
}

double Contacts::static_limit(std::size_t i) const {
  return roles_[i].normal >= 0 ? laws_[i].mu_static * x_[roles_[i].normal] : laws_[i].limit_static;
}

// What the forces found ask for. `asked`: contacts whose release has been taken back.
bool Contacts::change_roles(std::vector<char>& asked) {
  const Vector acceleration = b_ + W_ * x_;
  const double wrong_way = -nothing * (largest(b_) + largest(acceleration));
  bool changed = false;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    Role& role = roles_[i];
    const int m = contacts_[i].tangents;
    if ((role.part == Role::released || role.part == Role::idle) &&
        acceleration[role.normal] < wrong_way) {
      role.part = Role::stick;
      changed = true;
    } else if (role.part == Role::stick && m > 0 && !asked[i]) {
      const Vector force = x_.segment(role.tangent, m);
      if (force.norm() < on_the_cone * static_limit(i) || force.norm() == 0.0) continue;
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

// Of each contact, which part of its limit the forces found ask for.
Vector Contacts::parts_of_limits() const {
  Vector parts = Vector::Zero(static_cast<Eigen::Index>(contacts_.size()));
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Role& role = roles_[i];
    if (!role.present() || contacts_[i].tangents == 0) continue;
    const double force = x_.segment(role.tangent, contacts_[i].tangents).norm();
    const double limit = static_limit(i);
    if (force > 0.0 && limit > 0.0) parts[static_cast<Eigen::Index>(i)] = force / limit;
  }
  return parts;
}

// Contacts without speed whose tangential rows follow from those of what is closed; with `parts`
// also from those of others that stick, the first among them where most is left of the limit, and
// then also where one row of two does.
std::vector<Contacts::Repeated> Contacts::repeated(const Vector* parts) const {
  Elimination rows(W_);
  std::vector<std::size_t> candidates;
  std::vector<Repeated> result;
  for (const std::size_t i : order_) {
    const Role& role = roles_[i];
    const int m = contacts_[i].tangents;
    if (role.holds() && role.normal >= 0) rows.eliminate(role.normal);
    if (m == 0) continue;
    if (role.part == Role::stick || at_its_beginning(i)) candidates.push_back(i);
  }
  const auto place = [&](std::size_t i) {
    return roles_[i].part == Role::slide ? 2.0 : (*parts)[static_cast<Eigen::Index>(i)];
  };
  if (parts) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::size_t i, std::size_t j) { return place(i) < place(j); });
  }
  for (const std::size_t i : candidates) {
    const int begin = roles_[i].tangent, m = contacts_[i].tangents;
    const int first = m > 1 && rows.part(begin + 1) > rows.part(begin) ? 1 : 0;
    if (!rows.counts(begin + first)) {
      result.push_back({i, -1});
    } else if (parts && roles_[i].part == Role::stick) {
      rows.eliminate(begin + first);
      if (m > 1 && !rows.counts(begin + 1 - first)) result.push_back({i, first});
      if (m > 1) rows.eliminate(begin + 1 - first);
    }
  }
  return result;
}

// Closed contacts whose normal rows follow from those of others, the first among these where the
// force is largest; or of those released the ones that follow from all that acts.
std::vector<std::size_t> Contacts::spare_normals(bool of_released) const {
  Elimination rows(W_);
  std::vector<std::size_t> candidates, result;
  for (const std::size_t i : order_) {
    const Role& role = roles_[i];
    if (role.holds() && role.normal >= 0 && of_released) rows.eliminate(role.normal);
    for (int k = 0; k < contacts_[i].tangents && role.part == Role::stick && of_released; ++k)
      rows.eliminate(role.tangent + k);
    if (of_released ? role.part == Role::released : role.holds() && role.normal >= 0)
      candidates.push_back(i);
  }
  if (!of_released && x_.size() == W_.rows()) {
    std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t i, std::size_t j) {
      return x_[roles_[i].normal] > x_[roles_[j].normal];
    });
  }
  for (const std::size_t i : candidates) {
    if (!rows.counts(roles_[i].normal)) result.push_back(i);
    if (!of_released) rows.eliminate(roles_[i].normal);
  }
  return result;
}

// Whether the motion is the same with these roles; otherwise they are as before.
bool Contacts::relieve(const std::vector<Role>& roles, State& x) {
  const Vector force = x_, acceleration = b_ + W_ * x_;
  const std::vector<Role> before = roles_;
  roles_ = roles;
  const double same = nothing * (largest(b_) + largest(acceleration));
  if (solve_forces(x) && largest(b_ + W_ * x_ - acceleration) <= same) return true;
  roles_ = before;
  x_ = force;
  return false;
}

// Of closed contacts that say the same, some bear it all.
void Contacts::share_normals(State& x) {
  for (std::size_t rounds = 0; rounds < contacts_.size(); ++rounds) {
    bool found = false;
    for (const std::size_t i : spare_normals(false)) {
      std::vector<Role> without = roles_;
      for (std::size_t k = 0; k < contacts_.size(); ++k)
        if (at_its_beginning(k)) without[k].part = Role::stick;
      without[i].part = Role::released;
      found = found || relieve(without, x);
    }
    if (!found) return;
  }
}

// For forces found: no row twice. Friction beside a closed contact bears nothing if that can bear
// it all; where it bears something alone, that contact has nothing to do.
void Contacts::hold_back(State& x) {
  share_normals(x);
  bool bears = false;
  for (const auto& [i, acting] : repeated(nullptr)) {
    std::vector<Role> without = roles_;
    without[i].part = Role::held;
    without[i].acting = acting;
    without[i].d = Vector::Zero(contacts_[i].tangents);
    bears = !relieve(without, x) || bears;
  }
  const double no_force = nothing * largest(x_);
  for (std::size_t i = 0; i < contacts_.size() && bears; ++i) {
    Role& role = roles_[i];
    if (role.holds() && contacts_[i].tangents == 0 && x_[role.normal] <= no_force)
      role.part = Role::released;
  }
  const Vector parts = parts_of_limits();
  // Near the end what is held is given all of its limit: what acts gets there when all do.
  const double most = largest(parts), more = most > nearly && most < 1.0 ? 1.0 / most : 1.0;
  for (const auto& [i, acting] : repeated(&parts)) {
    Role& role = roles_[i];
    if (role.part == Role::stick) {
      const double part = parts[static_cast<Eigen::Index>(i)] * more;
      role.d = Vector::Zero(contacts_[i].tangents);
      if (part > 0.0) role.d = -part * x_.segment(role.tangent, contacts_[i].tangents).normalized();
      if (acting >= 0) role.d[acting] = 0.0;
    }
    role.part = Role::held;
    role.acting = acting;
  }
  for (const std::size_t i : spare_normals(true)) roles_[i].part = Role::idle;
}

// Before forces are known: enough rows for positions and velocities.
void Contacts::drop_repeated() {
  x_.resize(0);
  for (const std::size_t i : spare_normals(false)) roles_[i].part = Role::idle;
  const Vector unknown = Vector::Zero(static_cast<Eigen::Index>(contacts_.size()));
  for (const auto& [i, acting] : repeated(&unknown)) {
    roles_[i].part = Role::held;
    roles_[i].acting = acting;
    roles_[i].d = Vector::Zero(contacts_[i].tangents);
  }
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
  const bool several = std::any_of(before_.begin(), before_.end(), is_held);
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
    } else if (!met_ && before_[i] == Structure::stick && !several &&
               contains(fired, c.phi + (c.normal >= 0 ? 1 : 0))) {
      const Vector lambda = lambda_before_.segment(c.tangent, c.tangents);
      if (lambda.norm() == 0.0) continue;
      role.part = Role::slide;
      role.d = lambda.normalized();
    }
  }
  drop_repeated();
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
    for (Role& role : roles_) {
      if (role.part == Role::held || role.part == Role::idle) role.part = Role::stick;
    }
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
    hold_back(x);
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
