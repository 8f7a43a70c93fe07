// Mechanisms in space with two loops and one degree of freedom against closed forms, in all
// coordinates. Energy alone gives their motion: with T = M(x) x'^2 / 2 and the potential V
//
//   t(x_1) = int from x_0 to x_1 sqrt( M / (2 (E - V)) ) dx
//
// from positions and rates in closed form, by Gauss's rule of three points. Nothing of it is ours.
// Bars between two ball joints can turn about themselves; their inertia is that of a turned body,
// so that nothing makes them do so.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "engine/multibody/assemble.hpp"
#include "engine/simulation/co_simulation_driver.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

constexpr double gravity = 9.81, pi = 3.14159265358979323846;

using Point = std::array<double, 3>;

Point operator+(const Point& a, const Point& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Point operator*(double f, const Point& a) {
  return {f * a[0], f * a[1], f * a[2]};
}
Point operator-(const Point& a, const Point& b) {
  return a + -1.0 * b;
}
double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Point unit(const Point& a) {
  return 1.0 / std::sqrt(dot(a, a)) * a;
}
Point turned(const Point& axis, const Point& b, double angle) {
  return std::cos(angle) * b + (1.0 - std::cos(angle)) * dot(axis, b) * axis +
         std::sin(angle) * cross(axis, b);
}

struct Energies {
  double M = 0.0, V = 0.0;
  void add(double mass, const Point& at, const Point& rate) {
    M += mass * dot(rate, rate);
    V += mass * gravity * at[2];
  }
};

// A bar from A to B, of mass m, that is J against turns across its line.
struct Bar {
  double mass, J, along;  // along: about its line
  void add(Energies& sum, const Point& A, const Point& A_dot, const Point& B,
           const Point& B_dot) const {
    sum.add(mass, 0.5 * (A + B), 0.5 * (A_dot + B_dot));
    const Point d = B_dot - A_dot;
    sum.M += J * dot(d, d) / dot(B - A, B - A);
  }
};

double integral(const std::function<double(double)>& f, double from, double to, int n) {
  double sum = 0.0;
  const double h = (to - from) / n, x = std::sqrt(0.6) * h / 2.0;
  for (int i = 0; i < n; ++i) {
    const double middle = from + (i + 0.5) * h;
    sum += h / 18.0 * (5.0 * f(middle - x) + 8.0 * f(middle) + 5.0 * f(middle + x));
  }
  return sum;
}

// Halving the intervals changes nothing that counts.
double time_by(const std::function<double(double)>& f, double from, double to) {
  const double time = integral(f, from, to, 4000);
  EXPECT_NEAR(time, integral(f, from, to, 2000), 1e-11);
  return time;
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}
std::string list(const Point& x) {
  return number(x[0]) + ", " + number(x[1]) + ", " + number(x[2]);
}

// A body whose axes are those of the ground at the start, with frames; a bar from its origin to
// `end` has its inertia across and along that line.
std::string body(const std::string& name, double mass, const Point& com,
                 const std::array<double, 6>& J, const std::string& frames) {
  std::string text = "<body name='" + name + "' mass='" + number(mass) + "' com='" + list(com) +
                     "' inertia='" + number(J[0]);
  for (int i = 1; i < 6; ++i) text += ", " + number(J[static_cast<std::size_t>(i)]);
  return text + "'>" + frames + "</body>\n";
}
std::string frame(const std::string& name, const Point& at) {
  return "<frame name='" + name + "' pos='" + list(at) + "'/>";
}
std::string bar(const std::string& name, const Bar& b, const Point& end) {
  const Point u = unit(end);
  const double more = b.along - b.J;
  return body(name, b.mass, 0.5 * end,
              {b.J + more * u[0] * u[0], b.J + more * u[1] * u[1], b.J + more * u[2] * u[2],
               more * u[0] * u[1], more * u[0] * u[2], more * u[1] * u[2]},
              frame("end", end));
}

// Outputs at t.
Vector after(double t, const std::string& text, const std::string& coordinates,
             const std::string& method) {
  Diagnostics diagnostics;
  Model model = read_model_text(spatial(text), "test.mbs.xml", diagnostics);
  model.solver.coordinates = coordinates;
  model.solver.method = method;
  model.solver.rtol = model.solver.atol = 1e-10;
  const auto equations = diagnostics.ok() ? assemble(model, diagnostics) : nullptr;
  EXPECT_TRUE(equations) << diagnostics.text();
  CoSimulationDriver simulation(equations, solver_choice(model.solver));
  const InitialReport report = simulation.initialise(0.0);
  EXPECT_TRUE(report.ok) << report.text();
  simulation.advance(t);
  Vector y(equations->sizes().y);
  for (int i = 0; i < y.size(); ++i) y[i] = simulation.output(i);
  return y;
}

// ---- Two four-bars with axes askew: a crank moves a rocker by a bar, the rocker another one.

struct Pivot {
  Point at, axis;
};
const Pivot first{{0, 0, 0}, unit({0.2, 0.1, 1})}, second{{1.1, 0.3, 0.2}, unit({0.1, 1, 0.2})},
    third{{2.1, 0.1, 0}, unit({0.3, 1, -0.4})};
// Their points from the pivots at the start, when all angles are 0.
const Point crank_end{0.3, 0.05, 0}, rocker_near{-0.2, 0.1, 0.7}, rocker_far{0.35, -0.1, 0.3},
    last_end{0.1, 0.2, 0.8};
const Bar coupler{0.8, 0.11, 0.02}, coupler_2{0.6, 0.05, 0.01};
const std::array<double, 6> J_crank{0.02, 0.05, 0.06, 0.004, -0.003, 0.002},
    J_rocker{0.08, 0.09, 0.06, 0.01, -0.02, 0.005}, J_last{0.09, 0.08, 0.03, -0.01, 0.004, 0.01};

// A body on a pivot, its centre of mass c from there at the start.
void add_turning(Energies& sum, const Pivot& p, double mass, const Point& c,
                 const std::array<double, 6>& J, double angle, double rate) {
  const Point now = turned(p.axis, c, angle);
  sum.add(mass, p.at + now, rate * cross(p.axis, now));
  const Point& n = p.axis;
  sum.M += rate * rate *
           (J[0] * n[0] * n[0] + J[1] * n[1] * n[1] + J[2] * n[2] * n[2] +
            2.0 * (J[3] * n[0] * n[1] + J[4] * n[0] * n[2] + J[5] * n[1] * n[2]));
}

struct Turn {
  double angle, rate;
};
// The angle of a pivot whose point b is as far from A as at the start:
// |A - P|^2 + |b|^2 - 2 (A - P).b(angle) = l^2.
Turn follow(const Pivot& p, const Point& b, double l_square, const Point& A, const Point& A_dot) {
  const Point w = A - p.at, across = b - dot(p.axis, b) * p.axis;
  const double K = (dot(w, w) + dot(b, b) - l_square) / 2.0 - dot(w, p.axis) * dot(p.axis, b);
  const double x = dot(w, across), y = dot(w, cross(p.axis, b));
  const double angle = std::atan2(y, x) + std::acos(K / std::hypot(x, y));
  const Point now = turned(p.axis, b, angle), AB = p.at + now - A;
  return {angle, dot(AB, A_dot) / dot(AB, cross(p.axis, now))};
}
double square(const Point& x) {
  return dot(x, x);
}

// At a rate 1 of the crank.
Energies askew(double theta, Turn* last = nullptr) {
  Energies sum;
  const auto point = [](const Pivot& p, const Point& b, const Turn& t, Point& rate) {
    const Point now = turned(p.axis, b, t.angle);
    rate = t.rate * cross(p.axis, now);
    return p.at + now;
  };
  const double l_1 = square(second.at + rocker_near - first.at - crank_end);
  const double l_2 = square(third.at + last_end - second.at - rocker_far);
  Point A_dot, B_dot, C_dot, D_dot;
  const Turn crank{theta, 1.0};
  const Point A = point(first, crank_end, crank, A_dot);
  const Turn rocker = follow(second, rocker_near, l_1, A, A_dot);
  const Point B = point(second, rocker_near, rocker, B_dot);
  const Point C = point(second, rocker_far, rocker, C_dot);
  const Turn end = follow(third, last_end, l_2, C, C_dot);
  const Point D = point(third, last_end, end, D_dot);
  add_turning(sum, first, 1.3, 0.4 * crank_end, J_crank, crank.angle, crank.rate);
  add_turning(sum, second, 1.7, 0.5 * (rocker_near + rocker_far), J_rocker, rocker.angle,
              rocker.rate);
  add_turning(sum, third, 0.9, 0.5 * last_end, J_last, end.angle, end.rate);
  coupler.add(sum, A, A_dot, B, B_dot);
  coupler_2.add(sum, C, C_dot, D, D_dot);
  if (last != nullptr) *last = end;
  return sum;
}

std::string askew_model(double rate) {
  const auto pivot = [](const std::string& name, const std::string& b, const Pivot& p,
                        const std::string& more) {
    return frame(name + "_at", p.at) + "<revolute name='" + name + "' a='" + name + "_at' b='" + b +
           "' axis='" + list(p.axis) + "' " + more + "/>\n";
  };
  const auto ball = [](const std::string& name, const std::string& a, const std::string& b) {
    return "<spherical name='" + name + "' a='" + a + "' b='" + b + "'/>\n";
  };
  return "<gravity g='0, 0, -9.81'/>\n" +
         body("crank", 1.3, 0.4 * crank_end, J_crank, frame("end", crank_end)) +
         body("rocker", 1.7, 0.5 * (rocker_near + rocker_far), J_rocker,
              frame("near", rocker_near) + frame("far", rocker_far)) +
         body("last", 0.9, 0.5 * last_end, J_last, frame("end", last_end)) +
         bar("coupler", coupler, second.at + rocker_near - first.at - crank_end) +
         bar("coupler2", coupler_2, third.at + last_end - second.at - rocker_far) +
         pivot("drive", "crank", first, "q='0' qd='" + number(rate) + "' target='exact'") +
         pivot("middle", "rocker", second, "") + pivot("out", "last", third, "") +
         ball("A", "crank.end", "coupler") + ball("B", "coupler.end", "rocker.near") +
         ball("C", "rocker.far", "coupler2") + ball("D", "coupler2.end", "last.end") +
         "<output name='q' of='drive' quantity='q'/><output name='qd' of='drive' quantity='qd'/>"
         "<output name='r' of='out' quantity='q'/><output name='rd' of='out' quantity='qd'/>";
}

// ---- A platform on three bars, turned from where it hangs lowest. It goes up and down and turns,
// and nothing else, as all three are alike.

constexpr double top = 0.5, plate = 0.35, length = 1.1;  // radii, of the bars
constexpr double plate_mass = 2.0, plate_J = 0.15;
const Bar hanger{0.4, 0.045, 0.003};

Point corner(double radius, int k, double angle, double z) {
  const double at = 2.0 * pi * k / 3.0 + angle;
  return {radius * std::cos(at), radius * std::sin(at), z};
}
double height(double theta) {
  return -std::sqrt(length * length - top * top - plate * plate +
                    2.0 * top * plate * std::cos(theta));
}
Energies platform(double theta) {
  Energies sum;
  const double z = height(theta), z_rate = -top * plate * std::sin(theta) / z;
  sum.add(plate_mass, {0, 0, z}, {0, 0, z_rate});
  sum.M += plate_J;
  for (int k = 0; k < 3; ++k) {
    const Point B = corner(plate, k, theta, z);
    hanger.add(sum, corner(top, k, 0.0, 0.0), {0, 0, 0}, B, {-B[1], B[0], z_rate});
  }
  return sum;
}

std::string platform_model(double theta) {
  const double z = height(theta);
  std::string text = "<gravity g='0, 0, -9.81'/>\n", frames, joints;
  for (int k = 0; k < 3; ++k) {
    const std::string i = std::to_string(k);
    const Point A = corner(top, k, 0.0, 0.0), B = corner(plate, k, theta, z);
    frames += frame("c" + i, corner(plate, k, theta, 0.0));
    text += bar("bar" + i, hanger, B - A) + frame("at" + i, A);
    joints += "<spherical name='up" + i + "' a='at" + i + "' b='bar" + i +
              "'/><spherical name='low" + i + "' a='bar" + i + ".end' b='plate.c" + i + "'/>\n";
  }
  return text + body("plate", plate_mass, {0, 0, 0}, {0.1, 0.1, plate_J, 0, 0, 0}, frames) +
         joints +
         "<output name='z' of='plate' quantity='position' component='z'/>"
         "<output name='w' of='plate' quantity='angular_velocity' component='z'/>"
         "<output name='x' of='plate' quantity='position' component='x'/>"
         "<output name='tilt' of='plate' quantity='angular_velocity' component='x'/>";
}

class SpatialLoops : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(SpatialLoops, FourBarsWithAxesAskewAgreeWithQuadrature) {
  const auto [coordinates, method] = GetParam();
  const double rate_0 = 9.0, theta_1 = 9.5;
  const Energies start = askew(0.0);
  const double E = start.M * rate_0 * rate_0 / 2.0 + start.V;
  const auto slowness = [&](double theta) {
    const Energies at = askew(theta);
    return std::sqrt(at.M / (2.0 * (E - at.V)));
  };
  const double t = time_by(slowness, 0.0, theta_1);
  Turn last{};
  askew(theta_1, &last);
  const double rate_1 = 1.0 / slowness(theta_1);
  const Vector y = after(t, askew_model(rate_0), coordinates, method);
  EXPECT_NEAR(y[0], theta_1, 1e-7 * theta_1);
  EXPECT_NEAR(y[1], rate_1, 1e-7 * rate_0);
  EXPECT_NEAR(y[2], last.angle, 1e-7);
  EXPECT_NEAR(y[3], last.rate * rate_1, 1e-7 * rate_0);
}

// Released at rest; x = sqrt(theta_0 - theta) takes the pole out of the integral.
TEST_P(SpatialLoops, PlatformOnThreeBarsAgreesWithQuadrature) {
  const auto [coordinates, method] = GetParam();
  const double theta_0 = 1.3, theta_1 = -0.8;
  const double E = platform(theta_0).V;
  const auto slowness = [&](double theta) {
    const Energies at = platform(theta);
    return std::sqrt(at.M / (2.0 * (E - at.V)));
  };
  const double t = time_by([&](double x) { return 2.0 * x * slowness(theta_0 - x * x); }, 0.0,
                           std::sqrt(theta_0 - theta_1));
  const Vector y = after(t, platform_model(theta_0), coordinates, method);
  EXPECT_NEAR(y[0], height(theta_1), 1e-7);
  EXPECT_NEAR(y[1], -1.0 / slowness(theta_1), 1e-7);
  EXPECT_NEAR(y[2], 0.0, 1e-7);
  EXPECT_NEAR(y[3], 0.0, 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Every, SpatialLoops,
                         testing::Combine(testing::Values("absolute", "joint", "mixed"),
                                          testing::Values("extrapolation", "radau")),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param)) + "_" +
                                  std::get<1>(tested.param);
                         });

}  // namespace
}  // namespace mbs::test
