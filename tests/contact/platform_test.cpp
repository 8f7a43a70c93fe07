// A platform on three or four contact points: the load at which friction begins to slide, the
// directions in which its points slide, and the end of a motion that slides and spins, against
// closed forms and an integration of the sliding platform written here.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/events/simulated.hpp"

namespace mbs::test {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Point = Eigen::Vector2d;

constexpr double g = 9.81, mass = 2.0, inertia = 0.15, height = 0.3, mu = 0.3;
const std::vector<Point> triangle = {
    {0.5, 0.0}, {-0.25, 0.433012701892219}, {-0.25, -0.433012701892219}};
const std::vector<Point> rectangle = {{-0.4, -0.3}, {0.4, -0.3}, {0.4, 0.3}, {-0.4, 0.3}};
const std::vector<Point> trapezium = {{-0.4, -0.3}, {0.5, -0.3}, {0.4, 0.35}, {-0.4, 0.3}};

struct Platform {
  std::vector<Point> points;
  Point com = Point::Zero();
  Eigen::Vector3d push = Eigen::Vector3d::Zero();   // F_x, F_y at the origin, M, of each second
  Eigen::Vector3d start = Eigen::Vector3d::Zero();  // v_x, v_y, omega
  std::string extra = {};                           // more elements
};

std::string number(double x) {
  std::ostringstream text;
  text.precision(17);
  text << x;
  return text.str();
}

std::string text_of(const Platform& p) {
  const auto point = [](const Point& at, double z) {
    return number(at[0]) + ", " + number(at[1]) + ", " + number(z);
  };
  std::string text = "<gravity g=\"0, 0, -9.81 m/s^2\"/><body name=\"box\" mass=\"2 kg\" com=\"" +
                     point(p.com, height) + "\" inertia=\"0.2, 0.2, 0.15\">";
  for (std::size_t k = 0; k < p.points.size(); ++k)
    text += "<frame name=\"f" + std::to_string(k) + "\" pos=\"" + point(p.points[k], 0.0) + "\"/>";
  text += "</body><free a=\"ground\" b=\"box\" vel=\"" + point(p.start.head<2>(), 0.0) +
          "\" omega=\"0, 0, " + number(p.start[2]) + "\"/>";
  text += "<force on=\"box\" value=\"" + number(p.push[0]) + " N/s*time, " + number(p.push[1]) +
          " N/s*time, 0 N\"/><torque on=\"box\" value=\"0 N.m, 0 N.m, " + number(p.push[2]) +
          " N.m/s*time\"/>";
  for (std::size_t k = 0; k < p.points.size(); ++k) {
    const std::string n = std::to_string(k);
    text += "<contact name=\"point" + n + "\" a=\"ground\" b=\"box.f" + n +
            "\" normal=\"z\" mu=\"0.3\"/>";
  }
  return text + p.extra + R"(<output name="x" of="box" quantity="position" component="x"/>
<output name="y" of="box" quantity="position" component="y"/>
<output name="w" of="box" quantity="angular_velocity" component="z"/>)";
}

// The platform on three points by itself: y = (com, angle, their rates), normal forces such that it
// does not tilt. |v| of a point is sqrt(v^2 + eps^2).
class Sliding {
 public:
  Sliding(Platform p, double eps) : p_(std::move(p)), eps_(eps) {}

  Vector6 slope(double t, const Vector6& y) const {
    const Eigen::Matrix2d R = Eigen::Rotation2Dd(y[2]).toRotationMatrix();
    const Point at = R * -p_.com, F = t * p_.push.head<2>();
    double moment = t * p_.push[2] + at[0] * F[1] - at[1] * F[0];
    Eigen::Matrix3d A;
    Point r[3], d[3];
    for (int i = 0; i < 3; ++i) {
      r[i] = R * (p_.points[static_cast<std::size_t>(i)] - p_.com);
      const Point v(y[3] - y[5] * r[i][1], y[4] + y[5] * r[i][0]);
      d[i] = v / std::sqrt(v.squaredNorm() + eps_ * eps_);
      A.col(i) << 1.0, r[i][1] - height * mu * d[i][1], r[i][0] - height * mu * d[i][0];
    }
    // moments of all forces about the com: height below it, those of the load where it acts
    const Eigen::Vector3d N =
        A.partialPivLu().solve(Eigen::Vector3d(mass * g, -height * F[1], -height * F[0]));
    Point sum = F;
    for (int i = 0; i < 3; ++i) {
      const Point f = -mu * N[i] * d[i];
      sum += f;
      moment += r[i][0] * f[1] - r[i][1] * f[0];
    }
    Vector6 slope;
    slope << y.tail<3>(), sum / mass, moment / inertia;
    return slope;
  }

  // The origin of the box, and its angular velocity.
  Eigen::Vector3d seen(const Vector6& y) const {
    const Point origin =
        p_.com + y.head<2>() - Eigen::Rotation2Dd(y[2]).toRotationMatrix() * p_.com;
    return {origin[0], origin[1], y[5]};
  }

  double speed(const Vector6& y, bool greatest) const {
    double found = greatest ? 0.0 : 1e9;
    for (const Point& point : p_.points) {
      const Point r = Eigen::Rotation2Dd(y[2]) * (point - p_.com);
      const double v = std::hypot(y[3] - y[5] * r[1], y[4] + y[5] * r[0]);
      found = greatest ? std::max(found, v) : std::min(found, v);
    }
    return found;
  }

 private:
  Platform p_;
  double eps_;
};

// From the start to rest, by the classical method of Runge and Kutta: steps as short as directions
// change. Its time is t.
Vector6 to_rest(const Platform& p, double& t) {
  const Sliding system(p, 0.0);
  Vector6 y = Vector6::Zero();
  y.tail<3>() = p.start;
  for (t = 0.0; system.speed(y, true) > 1e-11;) {
    const double h = 0.005 * std::min(0.1, (system.speed(y, false) + 1e-13) / (mu * g));
    const Vector6 k1 = system.slope(t, y), k2 = system.slope(t + 0.5 * h, y + 0.5 * h * k1),
                  k3 = system.slope(t + 0.5 * h, y + 0.5 * h * k2),
                  k4 = system.slope(t + h, y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    t += h;
  }
  return y;
}

// From rest at t0, where it creeps with at most eps, through the break-away to t1: the L-stable
// method of order 3 of Alexander.
Vector6 slid_from_onset(const Platform& p, double t0, double t1, int steps) {
  constexpr double eps = 1e-12, c = 0.43586652150845899942;
  const double b1 = -(6 * c * c - 16 * c + 1) / 4, b2 = (6 * c * c - 20 * c + 5) / 4;
  const double a[3][3] = {{c, 0, 0}, {(1 - c) / 2, c, 0}, {b1, b2, c}};
  const double at[3] = {c, (1 + c) / 2, 1};
  const Sliding system(p, eps);
  const double h = (t1 - t0) / steps;
  Vector6 y = Vector6::Zero();
  for (int n = 0; n < steps; ++n) {
    const double t = t0 + n * h;
    Vector6 k[3];
    for (int i = 0; i < 3; ++i) {
      Vector6 base = y;
      for (int j = 0; j < i; ++j) base += h * a[i][j] * k[j];
      const auto residual = [&](const Vector6& z) -> Vector6 {
        return z - base - h * c * system.slope(t + at[i] * h, z);
      };
      Vector6 z = base + h * c * (i > 0 ? k[i - 1] : system.slope(t, y));
      for (int newton = 0; newton < 30; ++newton) {
        const Vector6 F = residual(z);
        Eigen::Matrix<double, 6, 6> J;
        for (int q = 0; q < 6; ++q) {
          const double change = 1e-7 * std::max(std::abs(z[q]), q < 3 ? 1.0 : 1e-9);
          Vector6 other = z;
          other[q] += change;
          J.col(q) = (residual(other) - F) / change;
        }
        const Vector6 step = J.partialPivLu().solve(F);
        double part = 1.0;
        for (int halvings = 0; halvings < 30 && F.norm() > 1e-16 &&
                               residual(z - part * step).norm() > (1.0 - 0.1 * part) * F.norm();
             ++halvings)
          part *= 0.5;
        z -= part * step;
        if (step.norm() < 1e-15) break;
      }
      k[i] = (z - base) / (h * c);
    }
    y += h * (a[2][0] * k[0] + a[2][1] * k[1] + a[2][2] * k[2]);
  }
  return y;
}

// The onset of sliding by the theorem of limit analysis is the least t at which a motion w of the
// plane makes the load's power that of friction, sum mu N_i |v_i| = t P(w). N is that at rest. The
// least over the place of the centre, which is convex in v_x/omega', v_y/omega' for P(w) = 1.
double onset_of_sliding(const Platform& p) {
  Eigen::Matrix3d A;
  for (int i = 0; i < 3; ++i) A.col(i) << 1.0, p.points[static_cast<std::size_t>(i)] - p.com;
  const Eigen::Vector3d N = A.partialPivLu().solve(Eigen::Vector3d(mass * g, 0.0, 0.0));
  const Eigen::Vector3d unit = p.push / p.push.squaredNorm();  // of power 1
  const Eigen::Vector3d across1 = unit.unitOrthogonal(), across2 = unit.cross(across1).normalized();
  const auto power = [&](double a, double b) {
    const Eigen::Vector3d w = unit + a * across1 + b * across2;
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
      const Point& r = p.points[static_cast<std::size_t>(i)];
      sum += mu * N[i] * std::hypot(w[0] - w[2] * r[1], w[1] + w[2] * r[0]);
    }
    return sum;
  };
  const auto least = [](const auto& f) {
    double low = -10.0, high = 10.0;
    while (high - low > 1e-9) {
      const double left = low + 0.4 * (high - low), right = high - 0.4 * (high - low);
      (f(left) < f(right) ? high : low) = f(left) < f(right) ? right : left;
    }
    return f(0.5 * (low + high));
  };
  return least([&](double a) { return least([&](double b) { return power(a, b); }); });
}

const char* const tolerances[] = {"1e-6", "1e-8"};

template <class Use>
void in_every_way(const Platform& p, const Use& use) {  // use(simulation, tolerance, method)
  const std::string text = text_of(p);
  for (const char* tolerance : tolerances)
    for (const std::string coordinates : {"absolute", "joint", "mixed"})
      for (const std::string method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
        SCOPED_TRACE(coordinates + ", " + method + ", " + tolerance);
        CoSimulationDriver simulation =
            simulated(text, coordinates,
                      "rtol=\"" + std::string(tolerance) + "\" atol=\"" + tolerance +
                          "\" method=\"" + method + "\"",
                      false);
        use(simulation, std::stod(tolerance), method);
      }
}

// What thirty steps of a tolerance each leave in a speed, in tolerances, where nothing carries an
// error on: friction takes from what is too fast. A tolerance is a mean over six velocities, and
// may lie in one of them. Half a second at that speed is half of it in x and y, points 0.5 m from
// the middle turn by twice as much, and to rest comes later what is faster, by speed / (mu g).
const double speed_error = 30.0 * std::sqrt(6.0);
const double way_error = 0.5 * speed_error, turning_error = 2.0 * speed_error;
const double stop_error = speed_error / (mu * g);

// The platform begins to slide at `when`, once, and is at `where` (x, y, omega) at t.
void expect_onset(const Platform& p, double when, double t, const Eigen::Vector3d& where) {
  in_every_way(p, [&](CoSimulationDriver& simulation, double tolerance, const std::string&) {
    simulation.advance(when - 1e-6);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(simulation.output(k), 0.0, 1e-12);
    simulation.advance(t);
    ASSERT_FALSE(simulation.events().empty());
    double nearest = 1e9;
    for (const Root& event : simulation.events())
      nearest = std::min(nearest, std::abs(event.t - when));
    EXPECT_LE(nearest, 2e-8);
    EXPECT_LE(simulation.events().size(), 20u);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(simulation.output(k), where[k], (k < 2 ? way_error : turning_error) * tolerance)
          << k;
  });
}

// m x'' = F - mu m g with F = 4 N/s t along (0.6, 0.8)
TEST(Platform, SlidesAlongAPushThroughItsCentre) {
  const double when = mu * mass * g / 4.0, s = 0.4, way = 4.0 * s * s * s / 6.0 / mass;
  for (const auto& points : {triangle, rectangle, trapezium}) {
    expect_onset({points, Point::Zero(), {2.4, 3.2, 0.0}}, when, when + s,
                 {0.6 * way, 0.8 * way, 0.0});
  }
}

// J omega' = M - mu m g r, all points at the same distance r, M = 1 N.m/s t
TEST(Platform, TurnsAboutTheCentreOfATriangle) {
  const double when = 0.5 * mu * mass * g, s = 0.4;
  expect_onset({triangle, Point::Zero(), {0.0, 0.0, 1.0}}, when, when + s,
               {0.0, 0.0, s * s / 2.0 / inertia});
}

// On a rectangle two points under a diagonal bear all the weight, and the other two close and open
// with next to no force, at events that leave the motion as it is.
TEST(Platform, TurnsAboutTheCentreOfARectangle) {
  const double when = 0.5 * mu * mass * g, s = 0.4;
  in_every_way({rectangle, Point::Zero(), {0.0, 0.0, 1.0}},
               [&](CoSimulationDriver& simulation, double tolerance, const std::string&) {
                 simulation.advance(when - 1e-6);
                 EXPECT_NEAR(simulation.output(2), 0.0, 1e-12);
                 simulation.advance(when + s);
                 EXPECT_NEAR(simulation.output(0), 0.0, way_error * tolerance);
                 EXPECT_NEAR(simulation.output(1), 0.0, way_error * tolerance);
                 EXPECT_NEAR(simulation.output(2), s * s / 2.0 / inertia,
                             turning_error * tolerance);
               });
}

// At this tolerance points meet the floor by rounding, at 2e-10 m/s. A point that is thrown up by
// such an impact would fly lower than positions can resolve, and the platform would fall onto it at
// 4.7 m/s^2.
TEST(Platform, StaysOnTheFloorThoughPointsMeetItByRounding) {
  constexpr double tolerance = 1e-10, when = 0.5 * mu * mass * g, s = 0.4;
  for (const std::string method : {"extrapolation", "midpoint", "bdf", "reduction"}) {
    SCOPED_TRACE(method);
    CoSimulationDriver simulation =
        simulated(text_of({rectangle, Point::Zero(), {0.0, 0.0, 1.0}}), "absolute",
                  "rtol=\"1e-10\" atol=\"1e-10\" method=\"" + method + "\"", false);
    simulation.advance(when + s);
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(simulation.output(k), 0.0, way_error * tolerance);
    EXPECT_NEAR(simulation.output(2), s * s / 2.0 / inertia, turning_error * tolerance);
  }
}

TEST(Platform, SlidesAndTurnsUnderAnEccentricPush) {
  for (const Eigen::Vector3d& push :
       {Eigen::Vector3d(2.4, 3.2, 0.4), Eigen::Vector3d(4.0, 0.0, 1.6)}) {
    const Platform p{triangle, Point::Zero(), push};
    const double when = onset_of_sliding(p), t = when + 0.5;
    expect_onset(p, when, t, Sliding(p, 0.0).seen(slid_from_onset(p, when - 0.1, t, 8000)));
  }
}

// Balls hit the floor next to the platform, one each 0.4 ms from the onset of sliding on, while its
// speeds are still low: each impact is an event for the platform as well and must leave its
// friction as it is.
TEST(Platform, KeepsItsFrictionThroughImpactsElsewhere) {
  Platform p{triangle, Point::Zero(), {2.4, 3.2, 0.4}};
  const double when = onset_of_sliding(p), t = when + 0.5;
  for (int k = 1; k <= 4; ++k) {
    const std::string n = "ball" + std::to_string(k);
    const double t_impact = when + 4e-4 * k;
    p.extra += "<particle name=\"" + n + "\" mass=\"1 kg\"/><free a=\"ground\" b=\"" + n +
               "\" pos=\"" + std::to_string(k) + ", 3, " + number(0.5 * g * t_impact * t_impact) +
               "\"/><contact name=\"under_" + n + "\" a=\"ground\" b=\"" + n +
               "\" normal=\"z\" restitution=\"1\"/>";
  }
  const Eigen::Vector3d where = Sliding(p, 0.0).seen(slid_from_onset(p, when - 0.1, t, 8000));
  in_every_way(p, [&](CoSimulationDriver& simulation, double tolerance, const std::string&) {
    simulation.advance(t);
    EXPECT_GE(simulation.events().size(), 5u);
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(simulation.output(k), where[k], (k < 2 ? way_error : turning_error) * tolerance)
          << k;
  });
}

TEST(Platform, SlidesUnderUnequalNormalForces) {
  const Platform p{triangle, Point(0.08, -0.09), {-3.8, 2.7, 0.2}};
  const double when = onset_of_sliding(p), t = when + 0.5;
  expect_onset(p, when, t, Sliding(p, 0.0).seen(slid_from_onset(p, when - 0.1, t, 8000)));
}

// The platform stops at v / (mu g), after v^2 / (2 mu g). Beyond the stop a step evaluates friction
// as before it.
TEST(Platform, SlidesStraightToRest) {
  const Eigen::Vector2d starts[] = {{1.6820172248941205, 0.0},
                                    {2.5677733042721762, -0.049790063896086423},
                                    {1.897645958413146, -1.8440903118432859},
                                    {3.2567088611085695, 1.7499529792153221}};
  for (const Eigen::Vector2d& start : starts) {
    const double v = start.norm(), stop = v / (mu * g);
    const Eigen::Vector2d end = 0.5 * stop * start;
    const std::string text =
        text_of({triangle, Point::Zero(), Eigen::Vector3d::Zero(), {start[0], start[1], 0.0}});
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-8})
      for (const std::string coordinates : {"absolute", "joint", "mixed"})
        for (const std::string method :
             {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
          SCOPED_TRACE(number(v) + ", " + number(tolerance) + ", " + coordinates + ", " + method);
          CoSimulationDriver simulation =
              simulated(text, coordinates,
                        "rtol=\"" + number(tolerance) + "\" atol=\"" + number(tolerance) +
                            "\" method=\"" + method + "\"",
                        false);
          simulation.advance(stop + 0.1);
          ASSERT_FALSE(simulation.events().empty());
          EXPECT_NEAR(simulation.events().back().t, stop, stop_error * tolerance);
          for (int k = 0; k < 2; ++k)
            EXPECT_NEAR(simulation.output(k), end[k], way_error * tolerance);
        }
  }
}

// Translation and rotation end at the same time.
TEST(Platform, SlidesAndSpinsToRest) {
  for (const Eigen::Vector3d& start :
       {Eigen::Vector3d(1.0, 0.0, 3.0), Eigen::Vector3d(1.0, 0.3, 4.0),
        Eigen::Vector3d(0.2, 0.0, 6.0)}) {
    const Platform p{triangle, Point::Zero(), Eigen::Vector3d::Zero(), start};
    double t = 0.0;
    const Eigen::Vector3d end = Sliding(p, 0.0).seen(to_rest(p, t));
    in_every_way(p, [&](CoSimulationDriver& simulation, double tolerance, const std::string&) {
      simulation.advance(t + 0.1);
      ASSERT_FALSE(simulation.events().empty());
      // reduction comes next to it: of friction that a step turns over, its estimate sees the part
      // of an Adams error constant alone
      EXPECT_NEAR(simulation.events().back().t, t, stop_error * tolerance);
      EXPECT_LE(simulation.events().size(), 8u);
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(simulation.output(k), k < 2 ? end[k] : 0.0, way_error * tolerance) << k;
      const double x = simulation.output(0), y = simulation.output(1);
      simulation.advance(10.0);
      EXPECT_TRUE(simulation.events().empty());
      EXPECT_NEAR(simulation.output(0), x, 1e-12);
      EXPECT_NEAR(simulation.output(1), y, 1e-12);
    });
  }
}

// One of four points turns while it is slow: friction is continuous there, and steps stay long.
TEST(Platform, FrictionIsContinuousWhereAPointTurnsSlowly) {
  struct Start {
    const char *velocity, *omega, *mu;
    double x, y;
  };
  for (const Start& start : {Start{"1.1, 0, 0", "-3.92", "0.3", 0.3387703, 0.0431925},
                             Start{"-1.393, 1.527, 0", "0.76", "0.5", -0.2931544, 0.3293080}}) {
    std::string text = R"(<gravity g="0, 0, -9.81 m/s^2"/>
<body name="box" mass="2 kg" com="0.03, 0.02, 0.1" inertia="0.2, 0.2, 0.15">
<frame name="f0" pos="-0.4, -0.3, 0"/><frame name="f1" pos="0.4, -0.3, 0"/>
<frame name="f2" pos="0.4, 0.3, 0"/><frame name="f3" pos="-0.4, 0.3, 0"/></body>
<free a="ground" b="box" vel=")" +
                       std::string(start.velocity) + R"(" omega="0, 0, )" + start.omega + R"("/>)";
    for (int k = 0; k < 4; ++k)
      text += "<contact name=\"c" + std::to_string(k) + "\" a=\"ground\" b=\"box.f" +
              std::to_string(k) + "\" normal=\"z\" mu=\"" + start.mu + "\"/>";
    text += R"(<output name="x" of="box" quantity="position" component="x"/>
<output name="y" of="box" quantity="position" component="y"/>)";
    for (const double tolerance : {1e-6, 1e-7})
      for (const std::string coordinates : {"absolute", "joint", "mixed"})
        for (const std::string method :
             {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
          SCOPED_TRACE(number(tolerance) + ", " + coordinates + ", " + method);
          CoSimulationDriver simulation =
              simulated(text, coordinates,
                        "rtol=\"" + number(tolerance) + "\" atol=\"" + number(tolerance) +
                            "\" method=\"" + method + "\"",
                        false);
          simulation.advance(2.0);
          EXPECT_LT(simulation.statistics().steps, 1000);
          EXPECT_NEAR(simulation.output(0), start.x, way_error * tolerance + 1e-6);
          EXPECT_NEAR(simulation.output(1), start.y, way_error * tolerance + 1e-6);
        }
  }
}

}  // namespace
}  // namespace mbs::test
