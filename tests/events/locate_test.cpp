#include "engine/events/locate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace mbs {
namespace {

struct Case {
  const char* what;
  std::function<double(double)> phi;
  double a, b, zero;
};

const Case cases[] = {
    {"line", [](double t) { return 1.0 - 3.0 * t; }, 0.0, 1.0, 1.0 / 3.0},
    {"cosine", [](double t) { return std::cos(t); }, 0.0, 3.0, 0.5 * M_PI},
    // Newton from most places runs away
    {"arc tangent", [](double t) { return std::atan(50.0 * (t - 0.3)); }, -5.0, 9.0, 0.3},
    {"cubic root", [](double t) { return std::cbrt(t - 0.25); }, -1.0, 2.0, 0.25},
    {"triple zero", [](double t) { return std::pow(0.7 - t, 3); }, 0.0, 1.0, 0.7},
    {"jump", [](double t) { return t < 0.123 ? 5.0 : -1e-3; }, 0.0, 1.0, 0.123},
    {"at the end", [](double t) { return 2.0 - t; }, 1.0, 2.0, 2.0},
    {"close to the start", [](double t) { return 1e-9 - t; }, 0.0, 1.0, 1e-9},
};

TEST(Locate, TheZeroOfTheDenseOutput) {
  for (const Case& c : cases) {
    int calls = 0;
    const auto phi = [&](double t) {
      EXPECT_GE(t, c.a) << c.what;
      EXPECT_LE(t, c.b) << c.what;
      ++calls;
      return c.phi(t);
    };
    const Estimate found = damped_newton(phi, {c.a, c.b, c.phi(c.a), c.phi(c.b)}, 1e-11);
    EXPECT_NEAR(found.t, c.zero, std::string(c.what) == "triple zero" ? 1e-5 : 3e-11) << c.what;
    EXPECT_LE(calls, 150) << c.what;
  }
}

// Projection moves the zero of a function a little, here by `shift`.
TEST(Locate, EndsOnTheFarSideOfTheProjectedZero) {
  for (const Case& c : cases) {
    if (std::string(c.what) == "triple zero") continue;  // its slope there is none
    for (const double shift : {0.0, 1e-7, -1e-7}) {
      int calls = 0;
      const auto phi = [&](double t) {
        ++calls;
        return c.phi(t - shift);
      };
      const Estimate raw = damped_newton(c.phi, {c.a, c.b, c.phi(c.a), c.phi(c.b)}, 1e-11);
      const double side = c.phi(c.a) > 0.0 ? 1.0 : -1.0;
      const double zero = std::clamp(c.zero + shift, c.a, c.b);
      const double t = polish_root(phi, raw, side, c.a, c.b, 1e-12);
      EXPECT_NEAR(t, zero, 3e-11) << c.what << " shifted by " << shift;
      const bool there = c.zero + shift <= c.b;
      EXPECT_TRUE(!there || phi(t) * side <= 0.0) << c.what << " shifted by " << shift;
      EXPECT_LE(calls, 62) << c.what;
      if (std::string(c.what) == "line" || std::string(c.what) == "cosine") {
        EXPECT_LE(calls, 5) << c.what << ": each point is a projection";
      }
    }
  }
}

}  // namespace
}  // namespace mbs
