#include "engine/contact/forces.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <utility>

#include "engine/contact/friction_distribution.hpp"
#include "engine/contact/solver.hpp"

namespace mbs {
namespace {

constexpr double beyond_rounding = 1.0 + 1e-9;
constexpr double within =
    1.0 - 1e-8;  // part of its limit that a contact uses where it shares a load
// Parts of a load by which it is lowered to be just below the joint limit, where the direction of
// the onset of sliding is known best.
constexpr double below_limit[] = {4e-9, 1e-6};
constexpr double slips = 7.0;  // |w| from which a contact slides: 0.99 of its limit

// The contact problem of what is not eliminated: x = P xi + constant.
struct ReducedProblem {
  ContactProblem problem;
  Matrix P;
  Vector constant;

  Vector expand(const Vector& xi) const { return P * xi + constant; }
};

ReducedProblem reduce(const ClosedContacts& at, const ModeCandidates& candidates,
                      bool free_directions) {
  const Eigen::Index n = at.system.b.size();
  ReducedProblem reduced{{}, Matrix::Zero(n, n), Vector::Zero(n)};
  ContactProblem& problem = reduced.problem;
  std::vector<int> kept;
  const auto keep = [&](int entry) {
    const int index = static_cast<int>(kept.size());
    reduced.P(entry, index) = 1.0;
    kept.push_back(entry);
    return index;
  };
  for (const std::size_t i : at.order) {
    const ModeCandidate& candidate = candidates[i];
    if (!normal_acts(candidate.mode)) continue;
    const auto [normal, tangent] = at.system.of[i];
    const int m = at.contacts[i].tangents;
    FrictionCone cone;
    cone.name = at.contacts[i].name;
    if (normal >= 0) cone.normal = keep(normal);
    const bool free = free_directions && m > 1 && at.at_onset(i, candidate);
    if (friction_is_force(candidate.mode) && !free) {
      const FrictionBound bound = friction_force(at.laws[i], candidate.mode, normal >= 0);
      if (normal < 0) {
        reduced.constant.segment(tangent, m) = -bound.limit * candidate.direction;
        continue;
      }
      reduced.P.block(tangent, cone.normal, m, 1) = -bound.mu * candidate.direction;
    } else if (m > 0) {
      const FrictionBound bound = free ? sliding_friction(at.laws[i], normal >= 0)
                                       : static_friction(at.laws[i], normal >= 0);
      cone.mu = bound.mu;
      cone.limit = bound.limit;
      cone.tangents = m;
      cone.tangent = keep(tangent);
      for (int k = 1; k < m; ++k) keep(tangent + k);
    }
    problem.cones.push_back(std::move(cone));
  }
  reduced.P.conservativeResize(n, static_cast<Eigen::Index>(kept.size()));
  const Vector by_constant = at.system.W * reduced.constant;
  problem.W = (at.system.W * reduced.P)(kept, Eigen::all);
  problem.b = (at.system.b + by_constant)(kept);
  problem.bias_scale = std::max(largest(at.system.b), largest(by_constant));
  return reduced;
}

// Forces of least norm that leave no acceleration, where all of them push. Friction is not judged.
// At the very end of what it holds projections in turns would not come to an end.
std::optional<Vector> forces_at_rest(const ContactProblem& problem) {
  Vector xi = Vector::Zero(problem.b.size());
  if (xi.size() > 0) xi = problem.W.completeOrthogonalDecomposition().solve(-problem.b);
  if (!xi.allFinite() || largest(problem.W * xi + problem.b) > negligible * problem.bias_scale)
    return {};
  const double no_pull = -negligible * largest(xi);
  for (const FrictionCone& cone : problem.cones)
    if (cone.normal >= 0 && xi[cone.normal] < no_pull) return {};
  return xi;
}

struct SharedLoad {
  bool holds = false;
  ContactForces forces;
  std::vector<std::pair<std::size_t, Vector>> onset;  // w of contacts beyond their joint limit
};

// Contacts that stick together may each bear more or less of the load, with the same motion. Each
// is to use at most a part `most` of its limit.
SharedLoad distribute(const ClosedContacts& at, const ModeCandidates& candidates, const Vector& x,
                      double most) {
  const Vector acceleration = at.acceleration(x);
  const double least = at.negligible_acceleration(acceleration);
  SharedLoad result{false, {x, x}, {}};
  std::vector<int> entries;
  std::vector<std::size_t> sharing;
  std::vector<FrictionLimit> limits;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const int m = at.contacts[i].tangents;
    if (candidates[i].mode != ContactMode::stick || m == 0) continue;
    if (largest(at.tangential(i, acceleration)) > least) continue;
    sharing.push_back(i);
    limits.push_back({static_cast<int>(entries.size()), m, at.static_limit(i, x)});
    for (int k = 0; k < m; ++k) entries.push_back(at.system.of[i].tangent + k);
  }
  ContactForces& forces = result.forces;
  if (sharing.size() > 1) {
    const Matrix W = at.system.W(entries, entries);
    const Vector load = x(entries);
    const FrictionDistribution shared = distribute_friction(W, limits, load);
    if (shared.indeterminate && shared.holds) {
      forces.x(entries) = shared.x;
      forces.at_limit = forces.x;
      forces.at_limit(entries) = friction_at_joint_limit(W, limits, shared.x);
    }
    if (shared.indeterminate && !shared.holds) {
      for (const double part : below_limit) {
        const FrictionDistribution below = distribute_friction(W, limits, (1.0 - part) * load);
        if (!below.holds) continue;
        for (std::size_t k = 0; k < sharing.size(); ++k)
          result.onset.emplace_back(sharing[k],
                                    below.w.segment(limits[k].first, limits[k].tangents));
        break;
      }
      return result;
    }
  }
  const double no_force = negligible * largest(x);
  for (const std::size_t i : sharing) {
    const double force = at.tangential(i, forces.x).norm();
    if (force <= most * at.static_limit(i, forces.x) + no_force) continue;
    forces.x = x;
    return result;
  }
  result.holds = true;
  return result;
}

// Contacts beyond their joint limit begin to slide, all of them at once. Their accelerations may
// still be zero.
bool begin_sliding(const SharedLoad& load, ModeCandidates& candidates) {
  bool any = false;
  for (const auto& [i, w] : load.onset) {
    if (w.norm() < slips) continue;
    candidates[i].mode = ContactMode::slide;
    candidates[i].direction = w.normalized();
    candidates[i].slips_jointly = true;
    any = true;
  }
  return any;
}

}  // namespace

std::optional<ContactForces> solve_forces(const ClosedContacts& at, ModeCandidates& candidates,
                                          bool free_directions) {
  const ReducedProblem reduced = reduce(at, candidates, free_directions);
  if (!free_directions) {
    if (const std::optional<Vector> xi = forces_at_rest(reduced.problem)) {
      SharedLoad load = distribute(at, candidates, reduced.expand(*xi), beyond_rounding);
      if (load.holds) return std::move(load.forces);
      if (begin_sliding(load, candidates)) return solve_forces(at, candidates);
    }
  }
  const ContactSolution solution = solve(reduced.problem);
  if (!solution.found) return {};
  return distribute(at, candidates, reduced.expand(solution.x), within).forces;
}

}  // namespace mbs
