// Contacts as Structure::contacts lists them, with their indicators and laws.

#include "engine/multibody/absolute.hpp"
#include "engine/multibody/contacts.hpp"

namespace mbs {

template <class Space>
void AbsoluteEquations<Space>::set_contacts() {
  const Mechanism<Space>& m = *mechanism_;
  Structure& s = structure_;
  for (const ContactData& c : m.contacts) {
    const bool turns =
        c.coordinate >= 0 && m.coordinates[c.coordinate].kind != CoordinateData::Kind::translation;
    s.contacts.push_back(
        {c.name, c.mode, c.normal, c.tangent, c.tangents, c.direction, c.low_speed, c.phi, turns});
    for (int k = 0; k < (c.normal >= 0) + (c.tangents > 0); ++k) {
      Structure::SwitchingFunction function;
      function.name = c.name;
      function.rising = false;
      function.guards_mode = true;
      s.switching.push_back(std::move(function));
    }
  }
}

// The indicators are the gap of an open contact and the normal force of a closed one; the friction
// limit less the friction while it sticks, and sliding_indicator while it slides.
template <class Space>
void AbsoluteEquations<Space>::contact_switching(const Evaluation<Space>& here, Vector& phi) const {
  for (const ContactData& c : mechanism_->contacts) {
    const ContactMode mode = mode_of(here, c);
    int next = c.phi;
    on_sides<double>(here, c.a, c.b, ground, [&](const auto& a, const auto& b) {
      if (c.normal >= 0) {
        phi[next++] = mode == ContactMode::open ? normal_row(here, c, a, b).value
                      : normal_acts(mode)       ? -here.x.lambda[c.normal]
                                                : 1.0;
      }
      if (c.tangents == 0) return;
      phi[next] = 1.0;
      if (active_tangents(mode) != 0) {
        const double limit = c.normal >= 0 ? -here.optional(c.mu_static) * here.x.lambda[c.normal]
                                           : here.optional(c.static_ratio, 1.0) * here.law(c.limit);
        double squares = 0.0;
        for (int k = 0; k < c.tangents; ++k) {
          const double force = tangent_acts(mode, k) ? here.x.lambda[c.tangent + k]
                                                     : limit * here.x.z[c.direction + k];
          squares += force * force;
        }
        phi[next] = limit - std::sqrt(squares);
      } else if (mode == ContactMode::slide) {
        double square = 0.0;
        phi[next] = 0.0;
        for (int k = 0; k < c.tangents; ++k) {
          const double speed =
              rate(tangent_row(here, c, k, a, b), a.body, b.body) - here.optional(c.speed);
          phi[next] += here.x.z[c.direction + k] * speed;
          square += speed * speed;
        }
        if (c.low_speed >= 0)
          phi[next] =
              sliding_indicator(phi[next], square, low_speed(here.x.z, c.low_speed, here.x.t));
      }
    });
  }
}

template <class Space>
void AbsoluteEquations<Space>::contact_laws(const Context& context, const State& x,
                                            Workspace& workspace,
                                            std::span<ContactLaw> laws) const {
  if (laws.empty()) return;
  Own& ws = own(workspace);
  place_bodies(x, ws);
  move_bodies(x, ws);
  const Evaluation<Space> here = at(context, x, ws);
  evaluate_signals(here, mechanism_->evaluated, ws);
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const ContactData& c = mechanism_->contacts[i];
    ContactLaw& law = laws[i];
    law.restitution = here.optional(c.restitution);
    law.poisson = c.poisson;
    law.mu = here.optional(c.mu);
    law.mu_static = here.optional(c.mu_static);
    law.rest_speed = here.optional(c.rest_speed);
    if (c.limit == absent) continue;
    law.limit = std::max(0.0, here.law(c.limit));
    law.limit_static = here.optional(c.static_ratio, 1.0) * law.limit;
  }
}

template class AbsoluteEquations<Planar>;
template class AbsoluteEquations<Spatial>;

}  // namespace mbs
