#include "engine/contact/redundancy.hpp"

#include <algorithm>

namespace mbs {
namespace {

constexpr double dependent = 1e-9;  // part of a row's diagonal that is left after elimination

// W, from which rows are eliminated: rows that depend on these are zero afterwards.
class Elimination {
 public:
  explicit Elimination(const Matrix& W)
      : whole_(W), rest_(W), floor_(1e-12 * (W.size() > 0 ? largest(W.diagonal()) : 0.0)) {}

  double part(int k) const { return rest_(k, k) / std::max(whole_(k, k), floor_); }
  bool independent(int k) const { return part(k) > dependent; }
  void eliminate(int k) {
    if (!independent(k)) return;
    const Vector column = rest_.col(k) / rest_(k, k);
    const Eigen::RowVectorXd row = rest_.row(k);
    rest_.noalias() -= column * row;
  }

 private:
  const Matrix& whole_;
  Matrix rest_;
  double floor_;
};

std::vector<DependentFriction> find_dependent_friction(const ClosedContacts& at,
                                                       const ModeCandidates& candidates,
                                                       const Vector* use) {
  Elimination rows(at.system.W);
  std::vector<std::size_t> resting;
  for (const std::size_t i : at.order) {
    const ModeCandidate& candidate = candidates[i];
    if (normal_acts(candidate.mode) && at.has_normal(i)) rows.eliminate(at.system.of[i].normal);
    if (at.contacts[i].tangents == 0) continue;
    if (candidate.mode == ContactMode::stick || at.at_onset(i, candidate)) resting.push_back(i);
  }
  const auto place = [&](std::size_t i) {
    return candidates[i].mode == ContactMode::slide ? 2.0 : (*use)[static_cast<Eigen::Index>(i)];
  };
  if (use) {
    std::stable_sort(resting.begin(), resting.end(),
                     [&](std::size_t i, std::size_t j) { return place(i) < place(j); });
  }
  std::vector<DependentFriction> result;
  for (const std::size_t i : resting) {
    const int begin = at.system.of[i].tangent, m = at.contacts[i].tangents;
    const int first = m > 1 && rows.part(begin + 1) > rows.part(begin) ? 1 : 0;
    if (!rows.independent(begin + first)) {
      result.push_back({i, 0});
    } else if (use && candidates[i].mode == ContactMode::stick) {
      rows.eliminate(begin + first);
      if (m > 1 && !rows.independent(begin + 1 - first)) result.push_back({i, 1u << first});
      if (m > 1) rows.eliminate(begin + 1 - first);
    }
  }
  return result;
}

}  // namespace

std::vector<std::size_t> dependent_normals(const ClosedContacts& at,
                                           const ModeCandidates& candidates, const Vector* x) {
  Elimination rows(at.system.W);
  std::vector<std::size_t> closed, result;
  for (const std::size_t i : at.order)
    if (normal_acts(candidates[i].mode) && at.has_normal(i)) closed.push_back(i);
  if (x) {
    std::stable_sort(closed.begin(), closed.end(), [&](std::size_t i, std::size_t j) {
      return at.normal_force(i, *x) > at.normal_force(j, *x);
    });
  }
  for (const std::size_t i : closed) {
    const int row = at.system.of[i].normal;
    if (!rows.independent(row)) result.push_back(i);
    rows.eliminate(row);
  }
  return result;
}

std::vector<std::size_t> dependent_open_normals(const ClosedContacts& at,
                                                const ModeCandidates& candidates) {
  Elimination rows(at.system.W);
  std::vector<std::size_t> result;
  for (const std::size_t i : at.order) {
    const auto [normal, tangent] = at.system.of[i];
    if (normal_acts(candidates[i].mode) && normal >= 0) rows.eliminate(normal);
    for (int k = 0; k < at.contacts[i].tangents && candidates[i].mode == ContactMode::stick; ++k)
      rows.eliminate(tangent + k);
  }
  for (const std::size_t i : at.order) {
    const bool without_force = candidates[i].present && candidates[i].mode == ContactMode::open;
    if (without_force && !rows.independent(at.system.of[i].normal)) result.push_back(i);
  }
  return result;
}

std::vector<DependentFriction> friction_prevented_by_normals(const ClosedContacts& at,
                                                             const ModeCandidates& candidates) {
  return find_dependent_friction(at, candidates, nullptr);
}

std::vector<DependentFriction> dependent_friction(const ClosedContacts& at,
                                                  const ModeCandidates& candidates,
                                                  const Vector& use) {
  return find_dependent_friction(at, candidates, &use);
}

void drop_dependent_rows(const ClosedContacts& at, ModeCandidates& candidates) {
  for (const std::size_t i : dependent_normals(at, candidates, nullptr))
    candidates[i].mode = ContactMode::inactive;
  const Vector unknown = Vector::Zero(static_cast<Eigen::Index>(at.size()));
  for (const auto& [i, active] : dependent_friction(at, candidates, unknown)) {
    candidates[i].mode = redundant_friction(active);
    candidates[i].direction = Vector::Zero(at.contacts[i].tangents);
  }
}

}  // namespace mbs
