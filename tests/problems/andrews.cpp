// Andrews' squeezing mechanism in its seven angles, p = (beta, Theta, gamma, Phi, delta, Omega,
// epsilon) [IVP test set]. A motor torque and a spring: energy is conserved. Switching function
// beta''.

#include <cmath>

#include "tests/problems/handwritten.hpp"
#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                 m7 = .05498;
constexpr double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
                 I6 = 5.667e-7, I7 = 1.912e-5;
constexpr double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072,
                 c0 = 4530.0;
constexpr double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, l0 = .07785,
                 ss = .035, sa = .01874, sb = .01043, sc = .018, sd = .02;
constexpr double ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04,
                 fa = .01421, mom = .033;

enum { be, th, ga, ph, de, om, ep };

class Andrews final : public Handwritten {
 public:
  Andrews()
      : Handwritten(7, 6,
                    {{be, be},
                     {be, th},
                     {th, be},
                     {th, th},
                     {ga, ga},
                     {ph, ph},
                     {ph, de},
                     {de, ph},
                     {de, de},
                     {om, om},
                     {om, ep},
                     {ep, om},
                     {ep, ep}},
                    {{0, be}, {0, th}, {0, ga}, {1, be}, {1, th}, {1, ga}, {2, be}, {2, th},
                     {2, ph}, {2, de}, {3, be}, {3, th}, {3, ph}, {3, de}, {4, be}, {4, th},
                     {4, om}, {4, ep}, {5, be}, {5, th}, {5, om}, {5, ep}}) {
    structure_.saddle.mass_blocks = {be, ga, ph, om, ep + 1};
    structure_.p_names = {"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"};
    structure_.v_names = {"beta'", "Theta'", "gamma'", "Phi'", "delta'", "Omega'", "epsilon'"};
    structure_.lambda_names = {"B.x", "B.y", "A (de).x", "A (de).y", "A (ep).x", "A (ep).y"};
    sizes_.phi = 1;
    structure_.switching.push_back({"beta'' = 0"});
    // Lengths are some centimetres.
    structure_.g_scale.setConstant(0.03);
    structure_.v_scale.setConstant(1000.0);
    p0_ << -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
        0.222668390165885884674473185609, 0.487364979543842550225598953530,
        -0.222668390165885884674473185609, 1.23054744454982119249735015568;
  }

  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (want & want_M) mass_matrix(x, ws);
    const double s_be = std::sin(x.p[be]), c_be = std::cos(x.p[be]);
    const double s_ga = std::sin(x.p[ga]), c_ga = std::cos(x.p[ga]);
    const double s_de = std::sin(x.p[de]), c_de = std::cos(x.p[de]);
    const double s_ep = std::sin(x.p[ep]), c_ep = std::cos(x.p[ep]);
    const double s_bt = std::sin(x.p[be] + x.p[th]), c_bt = std::cos(x.p[be] + x.p[th]);
    const double s_pd = std::sin(x.p[ph] + x.p[de]), c_pd = std::cos(x.p[ph] + x.p[de]);
    const double s_oe = std::sin(x.p[om] + x.p[ep]), c_oe = std::cos(x.p[om] + x.p[ep]);
    // The end of the crank's second link.
    const double X = rr * c_be - d * c_bt, Y = rr * s_be - d * s_bt;
    if (want & want_g) {
      ws.g << X - ss * s_ga - xb, Y + ss * c_ga - yb, X - e * s_pd - zt * c_de - xa,
          Y + e * c_pd - zt * s_de - ya, X - zf * c_oe - u * s_ep - xa,
          Y - zf * s_oe + u * c_ep - ya;
    }
    if (want & want_G) {
      const double X_be = -Y, X_th = d * s_bt, Y_be = X, Y_th = -d * c_bt;
      ws.G.coeffs() << X_be, X_th, -ss * c_ga,           //
          Y_be, Y_th, -ss * s_ga,                        //
          X_be, X_th, -e * c_pd, -e * c_pd + zt * s_de,  //
          Y_be, Y_th, -e * s_pd, -e * s_pd - zt * c_de,  //
          X_be, X_th, zf * s_oe, zf * s_oe - u * c_ep,   //
          Y_be, Y_th, -zf * c_oe, -zf * c_oe - u * s_ep;
    }
  }

  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    const Vector& v = x.v;
    const double s_ga = std::sin(x.p[ga]), c_ga = std::cos(x.p[ga]);
    const double dx = sd * c_ga + sc * s_ga + xb - xc, dy = sd * s_ga - sc * c_ga + yb - yc;
    const double length = std::sqrt(dx * dx + dy * dy);
    const double F = -c0 * (length - l0) / length;
    const double F_x = F * dx, F_y = F * dy;
    const double s_th = std::sin(x.p[th]), c_ph = std::cos(x.p[ph]), c_om = std::cos(x.p[om]);
    ws.f << mom - m2 * da * rr * v[th] * (v[th] + 2.0 * v[be]) * s_th,
        m2 * da * rr * v[be] * v[be] * s_th,
        F_x * (sc * c_ga - sd * s_ga) + F_y * (sd * c_ga + sc * s_ga),
        m4 * zt * (e - ea) * v[de] * v[de] * c_ph,
        -m4 * zt * (e - ea) * v[ph] * (v[ph] + 2.0 * v[de]) * c_ph,
        -m6 * u * (zf - fa) * v[ep] * v[ep] * c_om,
        m6 * u * (zf - fa) * v[om] * (v[om] + 2.0 * v[ep]) * c_om;
  }

  // cos(x)'' = -x'^2 cos x and sin(x)'' = -x'^2 sin x at x'' = 0.
  void gamma(const Context&, const State& x, Workspace& ws) const override {
    const auto square = [](double y) { return y * y; };
    const double b = square(x.v[be]), bt = square(x.v[be] + x.v[th]), g2 = square(x.v[ga]);
    const double pd = square(x.v[ph] + x.v[de]), d2 = square(x.v[de]);
    const double oe = square(x.v[om] + x.v[ep]), e2 = square(x.v[ep]);
    const double be_th = x.p[be] + x.p[th], ph_de = x.p[ph] + x.p[de], om_ep = x.p[om] + x.p[ep];
    const double X = -rr * b * std::cos(x.p[be]) + d * bt * std::cos(be_th);
    const double Y = -rr * b * std::sin(x.p[be]) + d * bt * std::sin(be_th);
    ws.gamma << X + ss * g2 * std::sin(x.p[ga]), Y - ss * g2 * std::cos(x.p[ga]),
        X + e * pd * std::sin(ph_de) + zt * d2 * std::cos(x.p[de]),
        Y - e * pd * std::cos(ph_de) + zt * d2 * std::sin(x.p[de]),
        X + zf * oe * std::cos(om_ep) + u * e2 * std::sin(x.p[ep]),
        Y + zf * oe * std::sin(om_ep) - u * e2 * std::cos(x.p[ep]);
  }

  void switching(const Context&, const State& x, Workspace& ws) const override {
    ws.phi[0] = x.a[be];
  }

 protected:
  double potential(const Context&, const State& x) const override {
    const double s_ga = std::sin(x.p[ga]), c_ga = std::cos(x.p[ga]);
    const double stretch =
        std::hypot(sd * c_ga + sc * s_ga + xb - xc, sd * s_ga - sc * c_ga + yb - yc) - l0;
    return 0.5 * c0 * stretch * stretch - mom * x.p[be];
  }

 private:
  static void mass_matrix(const State& x, Workspace& ws) {
    const double c_th = std::cos(x.p[th]), s_ph = std::sin(x.p[ph]), s_om = std::sin(x.p[om]);
    const double h4 = e - ea, h6 = zf - fa;
    const double M11 = m1 * ra * ra + m2 * (rr * rr - 2.0 * da * rr * c_th + da * da) + I1 + I2;
    const double M21 = m2 * (da * da - da * rr * c_th) + I2, M22 = m2 * da * da + I2;
    const double M33 = m3 * (sa * sa + sb * sb) + I3, M44 = m4 * h4 * h4 + I4;
    const double M54 = m4 * (h4 * h4 + zt * h4 * s_ph) + I4;
    const double M55 =
        m4 * (zt * zt + 2.0 * zt * h4 * s_ph + h4 * h4) + m5 * (ta * ta + tb * tb) + I4 + I5;
    const double M66 = m6 * h6 * h6 + I6, M76 = m6 * (h6 * h6 - u * h6 * s_om) + I6;
    const double M77 =
        m6 * (h6 * h6 - 2.0 * u * h6 * s_om + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
    ws.M.coeffs() << M11, M21, M21, M22, M33, M44, M54, M54, M55, M66, M76, M76, M77;
  }
};

}  // namespace

std::unique_ptr<Equations> make_andrews() {
  return std::make_unique<Andrews>();
}

}  // namespace mbs::test
