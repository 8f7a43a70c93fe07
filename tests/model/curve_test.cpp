// Curves: their mathematics against SciPy's CubicSpline (natural, clamped, periodic) and
// PchipInterpolator, and what makes them in a model file.

#include "engine/model/curve.hpp"

#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/model/model_test.hpp"
#include "tests/support/own_folder.hpp"

namespace mbs::test {
namespace {

using Shape = Curve::Interpolation;
using Ends = Curve::Ends;

const std::vector<double> points_x{0, 1, 1.5, 3, 4, 6}, points_y{0, 2, 2.5, 2, 3, 0};

struct Figure {
  double x, value, first, second;
};

void expect_figures(const Curve& curve, const std::vector<Figure>& figures) {
  for (const Figure& f : figures) {
    const Curve::Jet y = curve.at(f.x);
    EXPECT_NEAR(y.value, f.value, 1e-14) << f.x;
    EXPECT_NEAR(y.first, f.first, 1e-14) << f.x;
    EXPECT_NEAR(y.second, f.second, 1e-13) << f.x;
  }
}

TEST(Curve, SplinesAgreeWithSciPy) {
  expect_figures(
      Curve(points_x, points_y, Shape::spline, Ends::linear),
      {{0.29999999999999999, 0.66845836802664438, 2.1830571745767418, -0.4513738551207323},
       {1.2, 2.2656885928393007, 1.1388398556758257, -2.0917568692756037},
       {2.3999999999999999, 2.1288692756036638, -0.65786289203441561, 0.66794338051623603},
       {3.1000000000000001, 2.0615557868442966, 0.74993477657507646, 2.4838467943380511},
       {5.7000000000000002, 0.7447964196502912, -2.4374174299195115, -0.45237302248126543}});
  expect_figures(
      Curve(points_x, points_y, Shape::spline, Ends::constant),
      {{0.29999999999999999, 0.31004508196721314, 1.8811885245901638, 4.4128415300546449},
       {1.2, 2.3061311475409831, 1.1460655737704921, -3.6404371584699451},
       {2.3999999999999999, 2.0629836065573768, -0.61983606557377047, 0.91038251366120182},
       {3.1000000000000001, 2.0804877049180326, 0.94495901639344293, 2.5385245901639335},
       {5.7000000000000002, 0.18350409836065529, -1.1551229508196714, 3.1680327868852469}});
  expect_figures(
      Curve(points_x, points_y, Shape::spline, Ends::periodic),
      {{0.29999999999999999, 0.41500602409638548, 1.9685341365461848, 2.9843373493975909},
       {1.2, 2.2950843373493974, 1.1471485943775104, -3.2072289156626508},
       {2.3999999999999999, 2.0633734939759036, -0.63694779116465905, 0.92771084337349263},
       {3.1000000000000001, 2.0837530120481929, 0.98226907630522098, 2.613253012048192},
       {5.7000000000000002, 0.035753012048193256, -0.81857429718875352, 4.126506024096388}});
}

TEST(Curve, MonotoneInterpolationAgreesWithSciPy) {
  expect_figures(
      Curve(points_x, points_y, Shape::monotone, Ends::linear),
      {{0.29999999999999999, 0.74299999999999988, 2.2823809523809526, -1.3238095238095235},
       {1.2, 2.2685714285714287, 1.2857142857142858, -1.7142857142857131},
       {2.3999999999999999, 2.1760000000000002, -0.47999999999999998, 0.26666666666666639},
       {3.1000000000000001, 2.028, 0.54000000000000048, 4.7999999999999989},
       {5.7000000000000002, 0.86862499999999965, -2.6279166666666667, -1.7583333333333331}});
}

// Every kind: through its points, derivatives that are those of its values, and what is promised
// of them across points and ends.
TEST(Curve, IsAsSmoothAsItsInterpolationSays) {
  for (const Shape shape : {Shape::linear, Shape::monotone, Shape::spline}) {
    for (const Ends ends : {Ends::linear, Ends::constant, Ends::periodic}) {
      for (const std::size_t count : {2u, 3u, 4u, 6u}) {
        std::vector<double> x(points_x.begin(), points_x.begin() + static_cast<long>(count));
        std::vector<double> y(points_y.begin(), points_y.begin() + static_cast<long>(count));
        if (ends == Ends::periodic) y.back() = y.front();
        const Curve curve(x, y, shape, ends);
        for (std::size_t k = 0; k < count; ++k) EXPECT_NEAR(curve.at(x[k]).value, y[k], 1e-15);
        const double first = x.front() - 2.0, step = (x.back() + 2.0 - first) / 97.0;
        for (double at = first; at < x.back() + 2.0; at += step) {
          constexpr double h = 1e-5;
          if (std::abs(2 * at - std::round(2 * at)) < 1e-3) continue;  // all points are there
          const auto value = [&](double s) { return curve.at(at + s).value; };
          const auto slope = [&](double s) { return curve.at(at + s).first; };
          EXPECT_NEAR(curve.at(at).first, (value(h) - value(-h)) / (2 * h), 1e-8) << at;
          EXPECT_NEAR(curve.at(at).second, (slope(h) - slope(-h)) / (2 * h), 1e-8) << at;
        }
        for (const double at : x) {
          constexpr double h = 1e-9;
          const Curve::Jet left = curve.at(at - h), right = curve.at(at + h);
          EXPECT_NEAR(left.value, right.value, 1e-7) << at;
          if (shape != Shape::linear) {
            EXPECT_NEAR(left.first, right.first, 1e-7) << at;
          }
          const bool end = at == x.front() || at == x.back();
          if (shape == Shape::spline && !(end && ends == Ends::constant)) {
            EXPECT_NEAR(left.second, right.second, 1e-6) << at;
          }
        }
      }
    }
  }
}

// No overshoot: between two points a monotone curve stays between them.
TEST(Curve, MonotoneStaysBetweenItsPoints) {
  const std::vector<double> x{0, 1, 1.1, 2, 5, 5.5}, y{0, 0, 10, 10.5, 10.5, -3};
  for (const Ends ends : {Ends::linear, Ends::constant}) {
    const Curve curve(x, y, Shape::monotone, ends);
    for (std::size_t k = 0; k + 1 < x.size(); ++k) {
      for (int i = 0; i <= 50; ++i) {
        const double value = curve.at(x[k] + i / 50.0 * (x[k + 1] - x[k])).value;
        EXPECT_GE(value, std::min(y[k], y[k + 1]) - 1e-14);
        EXPECT_LE(value, std::max(y[k], y[k + 1]) + 1e-14);
      }
    }
  }
}

TEST(Curve, GivesNanAtNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Ends ends : {Ends::linear, Ends::constant, Ends::periodic}) {
    std::vector<double> y = points_y;
    y.back() = y.front();
    EXPECT_TRUE(std::isnan(Curve(points_x, y, Shape::spline, ends).at(nan).value));
  }
}

const std::string curve_line =
    R"xml(<curve name="f" x_unit="mm" y_unit="kN" interpolation="spline" points="0 0; 1000 2; 1500 2.5;
       3000 2; 4000 3; 6000 0"/><input name="u" unit="m"/>)xml";

// Gradient and second derivative of an expression with a curve inside: f(2 u)^2 at u = 0.6.
TEST(CurveInExpressions, HaveExactDerivatives) {
  const Model m =
      read(planar(curve_line + R"xml(<output name="y" value="f(2*u)^2/(1 MN.N)"/>)xml"));
  const Expression& e = m.outputs[0].value;
  std::array<double, 1> x{0.6}, gradient{}, one{1.0}, three{3.0};
  const double f = 2.2656885928393007, f1 = 1.1388398556758257, f2 = -2.0917568692756037;
  EXPECT_NEAR(e.value(x), f * f, 1e-13);
  EXPECT_NEAR(e.gradient(x, gradient), f * f, 1e-13);
  EXPECT_NEAR(gradient[0], 4 * f * f1, 1e-13);
  const Expression::Jet jet = e.along(x, one, three);
  EXPECT_NEAR(jet.first, 4 * f * f1, 1e-13);
  EXPECT_NEAR(jet.second, 8 * (f1 * f1 + f * f2) + 3 * 4 * f * f1, 1e-12);
  EXPECT_EQ(negated(e).value(x), -e.value(x));
}

TEST(CurveInExpressions, TakeParametersAndWorkInSubsystems) {
  const Model m = read(planar(curve_line + R"xml(
      <parameter name="F" value="f(500 mm) + f(7 m)"/><parameter name="n" value="f(3 m)/(1 kN)"
        variability="structural"/>
      <repeat index="i" count="n"><particle name="p" mass="1"/></repeat>
      <use name="s"><mbs name="S" version="1" planar="xy"><curve name="g" points="0 0; 1 2"/>
        <parameter name="k" value="g(0.25)"/></mbs></use><parameter name="of_s" value="s.g(3)"/>)xml"));
  // natural spline of the figures above: at 0.5, and beyond its end with the slope there.
  const Curve f(points_x, points_y, Shape::spline, Ends::linear);
  EXPECT_NEAR(m.parameters[0].value.constant(), 1000 * (f.at(0.5).value + f.at(7).value), 1e-9);
  EXPECT_EQ(m.bodies.size(), 2u);
  EXPECT_EQ(evaluate(m.parameters[2].value, {}), 6.0);
  EXPECT_EQ(evaluate(m.parameters[3].value, {}), 0.5);
}

// A file with keywords, remarks, another order of columns and the ends of lines of another system
// gives the same curve as its points written down; and the model in one file is the same again.
TEST(CurveFile, IsReadAndCarriedInTheResolvedModel) {
  namespace fs = std::filesystem;
  const fs::path at = fs::path(own_folder()) / "curve_file";
  fs::create_directories(at / "data");
  std::ofstream(at / "data" / "f.csv", std::ios::binary)
      << "force;time;stroke\r\n# measured\r\n0;1;0\r\n2;2;1000\r\n\r\n2.5;3;1500\r\n2;4;3000\r\n"
         "3;5;4000\r\n0;6;6000";
  const std::string path = at / "m.mbs.xml";
  const std::string file_line = R"xml(<curve name="f" x_unit="mm" y_unit="kN" interpolation="spline"
      file="data/f.csv" columns="3 1"/><input name="u" unit="m"/>)xml";
  const std::string output = R"xml(<output name="y" value="f(u)"/>)xml";
  std::ofstream(path) << planar(file_line + output);
  Diagnostics diagnostics;
  const Model of_file = read_model(path, diagnostics);
  const std::string one = read_resolved(path, diagnostics).text;
  ASSERT_TRUE(diagnostics.ok()) << diagnostics.text();
  EXPECT_EQ(one.find("f.csv"), std::string::npos);
  const Model written = read(planar(curve_line + output)), carried = read(one);
  for (const double u : {-1.0, 0.3, 1.2, 2.4, 9.0}) {
    const std::array<double, 1> x{u};
    EXPECT_EQ(of_file.outputs[0].value.value(x), written.outputs[0].value.value(x));
    EXPECT_EQ(carried.outputs[0].value.value(x), written.outputs[0].value.value(x));
  }
  fs::remove_all(at);
}

TEST(CurveFile, HasALimitedNumberOfPoints) {
  std::string points;
  for (int k = 0; k <= 100'000; ++k) points += std::to_string(k) + " 0;";
  const std::string text = errors(planar("<curve name=\"f\" points=\"" + points + "\"/>"));
  EXPECT_NE(text.find("a curve has at most 100000 points [limit-points]"), std::string::npos);
}

}  // namespace
}  // namespace mbs::test
