// Rows that closed contacts say more than once: which of them act.

#include <algorithm>
#include <cmath>

#include "engine/contact/contact_parts.hpp"
#include "engine/contact/contacts.hpp"

namespace mbs {

using namespace contact_parts;
namespace {

constexpr double dependent = 1e-9;     // part of a row's own inertia that it has beside others
constexpr double without_limit = 1.5;  // a part, of those that can bear nothing

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

// Of each contact, which part of its limit the forces found ask for; more than all of it where the
// limit is nothing, as that of a foot that only just touches.
Vector Contacts::parts_of_limits() const {
  Vector parts = Vector::Zero(static_cast<Eigen::Index>(contacts_.size()));
  const double no_force = nothing * largest(x_);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Role& role = roles_[i];
    if (!role.present() || contacts_[i].tangents == 0) continue;
    const double force = x_.segment(role.tangent, contacts_[i].tangents).norm();
    const double limit = static_limit(i);
    double& part = parts[static_cast<Eigen::Index>(i)];
    if (limit <= no_force)
      part = without_limit;
    else if (force > 0.0)
      part = force / limit;
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
  const Vector force = x_, at_the_end = end_, acceleration = b_ + W_ * x_;
  const std::vector<Role> before = roles_;
  roles_ = roles;
  const double same = nothing * (largest(b_) + largest(acceleration));
  if (solve_forces(x, false) && largest(b_ + W_ * x_ - acceleration) <= same) return true;
  roles_ = before;
  x_ = force;
  end_ = at_the_end;
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

// For forces found: no row twice. `to_the_end`: what is held bears what it will where all begin to
// slide, if the load grows as it is; what acts bears the rest until then. Friction beside a closed
// contact bears nothing if that can bear it all; where it bears something alone, that contact has
// nothing to do.
void Contacts::hold_back(State& x, bool to_the_end) {
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
  for (const auto& [i, acting] : repeated(&parts)) {
    Role& role = roles_[i];
    if (role.part == Role::stick) {
      const double limit = static_limit(i);
      role.d = Vector::Zero(contacts_[i].tangents);
      if (parts[static_cast<Eigen::Index>(i)] < without_limit && limit > 0.0)
        role.d = -(to_the_end ? end_ : x_).segment(role.tangent, contacts_[i].tangents) / limit;
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

}  // namespace mbs
