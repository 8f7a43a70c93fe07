#include "engine/contact/problem.hpp"

#include <algorithm>
#include <cmath>

namespace mbs {

Vector product(const ContactProblem& problem, const Vector& x) {
  return problem.factors ? problem.factors->product(x) : Vector(problem.W * x);
}

double friction_limit(const FrictionCone& cone, const Vector& x) {
  return cone.limit + (cone.normal >= 0 ? cone.mu * std::max(0.0, x[cone.normal]) : 0.0);
}

ContactCertificate certify(const ContactProblem& problem, const Vector& x) {
  ContactCertificate worst;
  const Vector u = product(problem, x) + problem.b;
  const auto raise = [](double& most, double value) { most = std::max(most, value); };
  if (x.size() > 0) {
    worst.force = x.cwiseAbs().maxCoeff();
    worst.motion = std::max(problem.b.cwiseAbs().maxCoeff(), problem.bias_scale);
  }
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
    if (cone.sliding.size() > 0)
      raise(worst.cone, (force + limit * cone.sliding).norm());
    else
      raise(worst.dissipation, std::abs(force.dot(slip) + limit * slip.norm()));
  }
  return worst;
}

double ContactCertificate::relative() const {
  const auto part = [](double residual, double of) { return residual > 0.0 ? residual / of : 0.0; };
  return std::max({part(tension, force), part(cone, force), part(penetration, motion),
                   part(complementarity, force * motion), part(dissipation, force * motion)});
}

}  // namespace mbs
