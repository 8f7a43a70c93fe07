#include "engine/contact/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

namespace mbs {

double friction_limit(const FrictionCone& cone, const Vector& x) {
  return cone.limit + (cone.normal >= 0 ? cone.mu * std::max(0.0, x[cone.normal]) : 0.0);
}

ContactCertificate certify(const ContactProblem& problem, const Vector& x) {
  ContactCertificate worst;
  const Vector u = problem.W * x + problem.b;
  const auto raise = [](double& most, double value) { most = std::max(most, value); };
  for (const FrictionCone& cone : problem.cones) {
    if (cone.normal >= 0) {
      raise(worst.penetration, -u[cone.normal]);
      raise(worst.tension, -x[cone.normal]);
      raise(worst.complementarity, std::abs(x[cone.normal] * u[cone.normal]));
    }
    if (cone.tangents == 0) continue;
    const auto force = x.segment(cone.tangent, cone.tangents);
    const auto slip = u.segment(cone.tangent, cone.tangents);
    const double limit = friction_limit(cone, x);
    raise(worst.cone, force.norm() - limit);
    raise(worst.dissipation, std::abs(force.dot(slip) + limit * slip.norm()));
  }
  return worst;
}

std::ostream& operator<<(std::ostream& out, const ContactProblem& problem) {
  const auto digits = out.precision(std::numeric_limits<double>::max_digits10);
  for (const FrictionCone& cone : problem.cones) {
    out << "contact '" << cone.name << "': normal " << cone.normal << ", tangents " << cone.tangents
        << " from " << cone.tangent << ", mu " << cone.mu << ", limit " << cone.limit << '\n';
  }
  out << "W\n" << problem.W << "\nb\n" << problem.b.transpose() << '\n';
  out.precision(digits);
  return out;
}

}  // namespace mbs
