// Planar truck [Eich-Soellner, Fuehrer 1998]:
//
//   p = (y1; y2, th2; y3; y4, th4; x5, y5, th5)
//
// rear wheel, chassis, front wheel, cabin, loading area. The area stands on springs (an ODE) or on
// a joint and a spring (two constraints). The signs of the h-terms are those of the publication.

#include <Eigen/Geometry>
#include <cmath>

#include "tests/problems/handwritten.hpp"
#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

using Vector2 = Eigen::Vector2d;

constexpr double m1 = 1450, m2 = 3335, m3 = 600, m4 = 1100, m5 = 11515, l2 = 14313, l4 = 948,
                 l5 = 33000, g = 9.81;
constexpr double a12 = -2.06, a23 = 2.44, a24 = 1.94, a42 = 3.64, a25 = .98, a52 = -3.07, b42 = .9,
                 b24 = -.8, c25 = 2.44, c1d = -1.91, c2d = -1.31, ac1 = -3.07, ac2 = .15,
                 cc1 = -1.61, cc2 = -.75, h1 = -1.34;
constexpr double V = 15.0, delay_front = 2.0 / V, delay_rear = delay_front + (a23 - a12) / V;

struct Spring {
  double k, d, nominal;
};
constexpr Spring spring10{44e5, 600, -2329145.162}, spring12{8.247e5, 21593, -246872.662},
    spring30{22e5, 300, -1147434.838}, spring23{2.711e5, 38537, -84924.838},
    spring24{1.357e5, 12218, -127842.88235294}, spring42{1.357e5, 12218, -127208.11764706},
    spring25{9e5, 38500, -854905.94111111}, spring_d{7.70e5, 33013, -766354.91099974};

// The pneumatic spring in place of 23.
constexpr double pneumatic_length = .16, ambient = 1e5, per_length = 39.13228, area = .0562,
                 pneumatic_nominal = -41548.838;

struct Moving {
  Vector2 at, velocity;
};

// A point (X, Y) of a body whose reference moves with `of` and turns by th.
Moving on_body(const Moving& of, double th, double omega, double X, double Y) {
  const Vector2 arm = Eigen::Rotation2Dd(th) * Vector2(X, Y);
  return {of.at + arm, of.velocity + omega * Vector2(-arm[1], arm[0])};
}

double hump(double s) {
  return s > 0.0 ? 0.001 * std::pow(s, 6) * std::exp(-s) : 0.0;
}
double hump_slope(double s) {
  return s > 0.0 ? (0.006 * std::pow(s, 5) - 0.001 * std::pow(s, 6)) * std::exp(-s) : 0.0;
}
Moving road(double x, double s) {
  return {{x, hump(s)}, {0.0, hump_slope(s)}};
}

template <class Law>
Vector2 force_between(const Moving& from, const Moving& to, Law&& law) {
  const Vector2 rho = to.at - from.at;
  const double l = rho.norm();
  return law(l, rho.dot(to.velocity - from.velocity) / l) * rho / l;
}

Vector2 spring_force(const Spring& s, const Moving& from, const Moving& to) {
  return force_between(from, to,
                       [&](double l, double rate) { return s.k * l + s.d * rate + s.nominal; });
}

Vector2 pneumatic_force(const Moving& from, const Moving& to) {
  return force_between(from, to, [](double l, double rate) {
    const double ratio = (1.0 + per_length * pneumatic_length) / (1.0 + per_length * l);
    return (pneumatic_nominal + ambient * area) * std::pow(ratio, 1.4) - ambient * area +
           spring23.d * rate;
  });
}

enum { y1, y2, th2, y3, y4, th4, x5, y5, th5 };

class Truck final : public Handwritten {
 public:
  Truck(bool joint, bool pneumatic)
      : Handwritten(9, joint ? 2 : 0, band(9, 0), joint ? G_places() : Places()),
        joint_(joint),
        pneumatic_(pneumatic) {
    for (int i = 0; i <= 9; ++i) structure_.saddle.mass_blocks.push_back(i);
    structure_.p_names = {"rear wheel.y", "chassis.y", "chassis.theta", "front wheel.y", "cabin.y",
                          "cabin.theta",  "area.x",    "area.y",        "area.theta"};
    structure_.v_names = structure_.p_names;
    if (joint) {
      structure_.lambda_names = {"hinge", "hinge"};
      p0_ << .5, 2.0, 0.0, .5, 2.9, 0.0, -1.46, 2.9, 0.0;
    } else {
      p0_ << .52, 2.16, 0.0, .52, 2.68, 0.0, -1.5, 2.7, 0.0;
    }
  }

  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_M) ws.M.coeffs() << m1, m2, l2, m3, m4, l4, m5, m5, l5;
    if (!joint_) return;
    const Vector2 on_chassis = Eigen::Rotation2Dd(x.p[th2]) * Vector2(ac1, ac2);
    const Vector2 on_area = Eigen::Rotation2Dd(x.p[th5]) * Vector2(cc1, cc2);
    if (want & want_g) {
      ws.g = Vector2(x.p[x5], x.p[y5] - x.p[y2]) + on_area - on_chassis;
    }
    if (want & want_G) {
      ws.G.coeffs() << on_chassis[1], 1.0, -on_area[1],  // th2, x5, th5
          -1.0, -on_chassis[0], 1.0, on_area[0];         // y2, th2, y5, th5
    }
  }

  void gamma(const Context&, const State& x, Workspace& ws) const override {
    if (!joint_) return;
    ws.gamma = x.v[th2] * x.v[th2] * (Eigen::Rotation2Dd(x.p[th2]) * Vector2(ac1, ac2)) -
               x.v[th5] * x.v[th5] * (Eigen::Rotation2Dd(x.p[th5]) * Vector2(cc1, cc2));
  }

  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    const Vector &p = x.p, &v = x.v;
    const Moving rear{{a12, p[y1]}, {0.0, v[y1]}}, front{{a23, p[y3]}, {0.0, v[y3]}};
    const auto chassis = [&](double X, double Y) {
      return on_body({{0.0, p[y2]}, {0.0, v[y2]}}, p[th2], v[th2], X, Y);
    };
    const auto cabin = [&](double X) {
      return on_body({{a24 - b24, p[y4]}, {0.0, v[y4]}}, p[th4], v[th4], X, 0.0);
    };
    const auto loading = [&](double X) {
      return on_body({{p[x5], p[y5]}, {v[x5], v[y5]}}, p[th5], v[th5], X, 0.0);
    };
    const Vector2 F10 = spring_force(spring10, road(a12, x.t - delay_rear), rear);
    const Vector2 F30 = spring_force(spring30, road(a23, x.t - delay_front), front);
    const Vector2 F12 = spring_force(spring12, rear, chassis(a12, h1));
    const Vector2 F23 = pneumatic_ ? pneumatic_force(front, chassis(a23, h1))
                                   : spring_force(spring23, front, chassis(a23, h1));
    const Vector2 F24 = spring_force(spring24, chassis(a24, 0.0), cabin(b24));
    const Vector2 F42 = spring_force(spring42, chassis(a42, 0.0), cabin(b42));
    const Vector2 F25 = spring_force(spring25, chassis(a25, 0.0), loading(c25));
    const Vector2 none = Vector2::Zero();
    const Vector2 F2d = joint_ ? none : spring_force(spring_d, chassis(a52, 0.0), loading(c2d));
    const Vector2 F1d = joint_ ? none : spring_force(spring_d, chassis(a52, 0.0), loading(c1d));
    const Vector2 Fd = F1d + F2d;
    // sum X_k F_k turned by th, as the moments are written.
    const auto moment = [](double th, const Vector2& sum) {
      return sum[1] * std::cos(th) - sum[0] * std::sin(th);
    };
    const Vector2 wheels = -a23 * F23 - a12 * F12;
    const Vector2 heights = -h1 * (F23 + F12);
    const Vector2 above = a25 * F25 + a52 * Fd + a42 * F42 + a24 * F24;
    const Vector2 turn2 = wheels + Vector2(heights[1], heights[0]) + above;
    ws.f[y1] = -F10[1] + F12[1] - m1 * g;
    ws.f[y2] = -F12[1] - F23[1] + F24[1] + F42[1] + F25[1] + Fd[1] - m2 * g;
    ws.f[th2] = moment(p[th2], turn2);
    ws.f[y3] = -F30[1] + F23[1] - m3 * g;
    ws.f[y4] = -F42[1] - F24[1] - m4 * g;
    ws.f[th4] = moment(p[th4], -b42 * F42 - b24 * F24);
    ws.f[x5] = -F25[0] - Fd[0];
    ws.f[y5] = -F25[1] - Fd[1] - m5 * g;
    ws.f[th5] = moment(p[th5], -c25 * F25 - c2d * F2d - c1d * F1d);
  }

 private:
  static Places G_places() {
    return {{0, th2}, {0, x5}, {0, th5}, {1, y2}, {1, th2}, {1, y5}, {1, th5}};
  }

  bool joint_, pneumatic_;
};

}  // namespace

std::unique_ptr<Equations> make_truck(bool joint, bool pneumatic) {
  return std::make_unique<Truck>(joint, pneumatic);
}

}  // namespace mbs::test
