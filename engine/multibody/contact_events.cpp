// The indicators of contacts, and their laws.

#include "engine/contact/law.hpp"
#include "engine/multibody/contacts.hpp"
#include "engine/multibody/output_evaluator.hpp"

namespace mbs {

// The indicators are the gap of an open contact, the normal force of a closed one, and of an
// inactive one how much its gap may still change, in units of `inactive_gap`; the friction limit
// less the friction while it sticks, and sliding_indicator while it slides.
template <class Space>
void contact_switching(const Evaluation<Space>& here, const Vector& g_scale, Vector& phi) {
  for (const ContactData& c : here.mechanism.contacts) {
    const ContactMode mode = mode_of(here, c);
    int next = c.phi;
    on_sides<double>(here, c.a, c.b, ground, [&](const auto& a, const auto& b) {
      if (c.normal >= 0) {
        const auto gap = [&] { return normal_row(here, c, a, b).value; };
        phi[next++] = mode == ContactMode::open ? gap()
                      : normal_acts(mode)
                          ? -here.x.lambda[c.normal]
                          : 1.0 - std::abs(gap()) / (inactive_gap * g_scale[c.normal]);
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

template void contact_switching(const Evaluation<Planar>&, const Vector&, Vector&);
template void contact_switching(const Evaluation<Spatial>&, const Vector&, Vector&);

template <class Space>
void OutputEvaluator<Space>::contact_laws(const Context& context, const State& x, Own& ws,
                                          std::span<ContactLaw> laws) const {
  const Evaluation<Space> here = elements_.at(context, x, ws);
  elements_.evaluate_signals(here, mechanism_.evaluated, ws);
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const ContactData& c = mechanism_.contacts[i];
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

template void OutputEvaluator<Planar>::contact_laws(const Context&, const State&, Own&,
                                                    std::span<ContactLaw>) const;
template void OutputEvaluator<Spatial>::contact_laws(const Context&, const State&, Own&,
                                                     std::span<ContactLaw>) const;

}  // namespace mbs
