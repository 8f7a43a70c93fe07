#include "tests/contact/touching_masses.hpp"

#include <utility>

#include "engine/contact/modes.hpp"

namespace mbs::test {

TouchingMasses::TouchingMasses(Vector masses, Force force, std::vector<Touch> touches, Vector p0,
                               Vector v0)
    : masses_(std::move(masses)),
      force_(std::move(force)),
      touches_(std::move(touches)),
      p0_(std::move(p0)),
      v0_(std::move(v0)) {
  const int n = static_cast<int>(masses_.size());
  sizes_.p = sizes_.v = n;
  for (const Touch& touch : touches_) sizes_.g += touch.has_normal ? 1 : 0;
  int normal = 0, tangent = sizes_.g;
  for (const Touch& touch : touches_) {
    Structure::Contact contact;
    contact.name = touch.name;
    contact.mode = sizes_.modes++;
    if (touch.has_normal) contact.normal = normal++;
    contact.tangents = touch.tangents;
    if (touch.tangents > 0) {
      contact.tangent = tangent;
      contact.direction = sizes_.z;
      tangent += touch.tangents;
      sizes_.z += touch.tangents;
    }
    contact.phi = sizes_.phi;
    structure_.contacts.push_back(contact);
    for (int k = 0; k < (touch.has_normal ? 1 : 0) + (touch.tangents > 0 ? 1 : 0); ++k) {
      Structure::SwitchingFunction function;
      function.name = touch.name;
      function.rising = false;
      function.guards_mode = true;
      structure_.switching.push_back(function);
      ++sizes_.phi;
    }
  }
  sizes_.lambda = tangent;
  std::vector<Eigen::Triplet<double>> full, diagonal;
  for (int i = 0; i < tangent; ++i) {
    for (int j = 0; j < n; ++j) full.emplace_back(i, j, 0.0);
  }
  for (int j = 0; j < n; ++j) diagonal.emplace_back(j, j, masses_[j]);
  structure_.saddle.M = ColumnSparse(n, n);
  structure_.saddle.M.setFromTriplets(diagonal.begin(), diagonal.end());
  structure_.saddle.G = RowSparse(tangent, n);
  structure_.saddle.G.setFromTriplets(full.begin(), full.end());
  structure_.saddle.F = ColumnSparse(n, tangent);
  std::vector<Eigen::Triplet<double>> friction;
  for (const Structure::Contact& c : structure_.contacts) {
    if (c.normal < 0 || c.tangents == 0) continue;
    structure_.f_depends_on_lambda = true;
    for (int j = 0; j < n; ++j) friction.emplace_back(j, c.normal, 0.0);
  }
  structure_.saddle.F.setFromTriplets(friction.begin(), friction.end());
  structure_.p_scale = structure_.v_scale = Vector::Ones(n);
  structure_.g_scale = Vector::Ones(sizes_.lambda);
}

State TouchingMasses::initial(const Context&, double t0) const {
  State x(sizes_);
  x.t = t0;
  x.p = p0_;
  x.v = v0_;
  return x;
}

void TouchingMasses::position(const Context&, const State& x, unsigned, Workspace& ws) const {
  ws.M = structure_.saddle.M;
  ws.D.setOnes();
  ws.gI.setZero();
  ws.g.setZero();
  std::fill_n(ws.G.valuePtr(), ws.G.nonZeros(), 0.0);
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Structure::Contact& c = structure_.contacts[i];
    const ContactMode mode = contact_mode(x, c);
    const Geometry at = touches_[i].geometry(x.p, x.v);
    if (c.normal >= 0 && mode != ContactMode::open) {
      ws.D[c.normal] = 0.0;
      ws.g[c.normal] = at.gap;
      for (int j = 0; j < sizes_.v; ++j) ws.G.coeffRef(c.normal, j) = at.normal[j];
    }
    for (int k = 0; k < c.tangents && mode == ContactMode::stick; ++k) {
      ws.D[c.tangent + k] = 0.0;
      ws.gI[c.tangent + k] = at.T_t[k];
      for (int j = 0; j < sizes_.v; ++j) ws.G.coeffRef(c.tangent + k, j) = at.T(k, j);
    }
  }
}

void TouchingMasses::velocity(const Context&, const State& x, Workspace& ws) const {
  ws.p_dot = x.v;
  ws.G_v = ws.gI;
  ws.G_v.noalias() += ws.G * x.v;
}

void TouchingMasses::force(const Context&, const State& x, unsigned, Workspace& ws) const {
  ws.f = force_(x.t, x.p, x.v);
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Structure::Contact& c = structure_.contacts[i];
    const ContactMode mode = contact_mode(x, c);
    if (c.tangents == 0 || !friction_is_force(mode)) continue;
    const ContactLaw& law = touches_[i].law;
    const double limit = c.normal >= 0 ? -law.mu * x.lambda[c.normal] : law.limit;
    const Geometry at = touches_[i].geometry(x.p, x.v);
    Vector d = x.z.segment(c.direction, c.tangents);
    const Vector sliding = at.T * x.v + at.T_t;
    if (mode == ContactMode::slide && c.tangents > 1 && sliding.norm() > 1e-9)
      d = sliding.normalized();
    ws.f -= limit * at.T.transpose() * d;
  }
}

void TouchingMasses::gamma(const Context&, const State& x, Workspace& ws) const {
  ws.gamma.setZero();
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Structure::Contact& c = structure_.contacts[i];
    const ContactMode mode = contact_mode(x, c);
    const Geometry at = touches_[i].geometry(x.p, x.v);
    if (c.normal >= 0 && mode != ContactMode::open) ws.gamma[c.normal] = at.normal_gamma;
    for (int k = 0; k < c.tangents && mode == ContactMode::stick; ++k) {
      ws.gamma[c.tangent + k] = at.T_gamma[k];
    }
  }
}

void TouchingMasses::switching(const Context&, const State& x, Workspace& ws) const {
  for (std::size_t i = 0; i < touches_.size(); ++i) {
    const Structure::Contact& c = structure_.contacts[i];
    const ContactMode mode = contact_mode(x, c);
    const Geometry at = touches_[i].geometry(x.p, x.v);
    const ContactLaw& law = touches_[i].law;
    const double force = c.normal >= 0 ? -x.lambda[c.normal] : 0.0;
    int phi = c.phi;
    if (c.normal >= 0) ws.phi[phi++] = mode == ContactMode::open ? at.gap : force;
    if (c.tangents == 0) continue;
    if (mode == ContactMode::stick) {
      const double limit = c.normal >= 0 ? law.mu_static * force : law.limit_static;
      ws.phi[phi] = limit - x.lambda.segment(c.tangent, c.tangents).norm();
    } else if (mode == ContactMode::slide) {
      ws.phi[phi] = x.z.segment(c.direction, c.tangents).dot(at.T * x.v + at.T_t);
    } else {
      ws.phi[phi] = 1.0;
    }
  }
}

void TouchingMasses::contact_laws(const Context&, const State&, Workspace&,
                                  std::span<ContactLaw> laws) const {
  for (std::size_t i = 0; i < touches_.size(); ++i) laws[i] = touches_[i].law;
}

}  // namespace mbs::test
