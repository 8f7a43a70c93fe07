// Values of every operation against the C library, derivatives against differences.

#include "engine/model/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "engine/model/compile.hpp"
#include "engine/model/syntax.hpp"

namespace mbs {
namespace {

// Free names x, y, z: symbols of kind parameter with the numbers 0, 1, 2.
Resolved letter(const SyntaxTree::Name& name) {
  Resolved r;
  r.kind = Resolved::Kind::symbol;
  r.symbol = {SymbolKind::parameter, name.parts[0].keyword[0] - 'x'};
  return r;
}

// A formula takes its arguments in the order x, y, z, whatever the order in the text.
struct Formula {
  explicit Formula(const std::string& text) {
    const SyntaxTree tree = parse_list(text, 100);
    const Compiled c = compile(tree, tree.roots.at(0), letter);
    EXPECT_TRUE(c.errors.empty()) << text << ": " << c.errors.at(0).message;
    expression = c.expression;
  }
  std::vector<double> arguments(const std::vector<double>& xyz) const {
    std::vector<double> result;
    for (const Symbol& s : expression.symbols()) result.push_back(xyz[s.index]);
    return result;
  }
  double operator()(double x, double y = 0, double z = 0) const {
    return expression.value(arguments({x, y, z}));
  }
  Expression expression;
};

struct Case {
  std::string text;
  std::function<double(double, double)> expected;
  double low = -2, high = 2;  // where it is smooth
};

std::vector<Case> cases() {
  return {
      {"x + y", [](double x, double y) { return x + y; }},
      {"x - y", [](double x, double y) { return x - y; }},
      {"x*y", [](double x, double y) { return x * y; }},
      {"x/y", [](double x, double y) { return x / y; }, 0.5, 3},
      {"-x*y", [](double x, double y) { return -x * y; }},
      {"x^y", [](double x, double y) { return std::pow(x, y); }, 0.5, 3},
      {"x^2", [](double x, double) { return x * x; }},
      {"x^3 + y", [](double x, double y) { return x * x * x + y; }},
      {"x^(-1)", [](double x, double) { return 1 / x; }, 0.5, 3},
      {"x^0.5", [](double x, double) { return std::sqrt(x); }, 0.5, 3},
      {"2^x", [](double x, double) { return std::exp2(x); }},
      {"sin(x*y)", [](double x, double y) { return std::sin(x * y); }},
      {"cos(x)", [](double x, double) { return std::cos(x); }},
      {"tan(x)", [](double x, double) { return std::tan(x); }, -1, 1},
      {"asin(x)", [](double x, double) { return std::asin(x); }, -0.9, 0.9},
      {"acos(x)", [](double x, double) { return std::acos(x); }, -0.9, 0.9},
      {"atan(x)", [](double x, double) { return std::atan(x); }},
      {"atan2(y, x)", [](double x, double y) { return std::atan2(y, x); }, 0.5, 3},
      {"sinh(x)", [](double x, double) { return std::sinh(x); }},
      {"cosh(x)", [](double x, double) { return std::cosh(x); }},
      {"tanh(x)", [](double x, double) { return std::tanh(x); }},
      {"exp(x)", [](double x, double) { return std::exp(x); }},
      {"log(x)", [](double x, double) { return std::log(x); }, 0.5, 3},
      {"log10(x)", [](double x, double) { return std::log10(x); }, 0.5, 3},
      {"sqrt(x)", [](double x, double) { return std::sqrt(x); }, 0.5, 3},
      {"abs(x)*y", [](double x, double y) { return std::fabs(x) * y; }, 0.5, 3},
      {"abs(-x)", [](double x, double) { return std::fabs(x); }, 0.5, 3},
      {"sign(x) + x", [](double x, double) { return 1 + x; }, 0.5, 3},
      {"min(x, y - 9)", [](double, double y) { return y - 9; }},
      {"min(x - 9, y, 50)", [](double x, double) { return x - 9; }},
      {"max(x, y - 9)", [](double x, double) { return x; }},
      {"max(x - 9, y)", [](double, double y) { return y; }},
      {"floor(x/100) + ceil(x/100) + x", [](double x, double) { return 1 + x; }, 0.5, 3},
      {"hypot(x, y)", [](double x, double y) { return std::hypot(x, y); }, 0.5, 3},
      {"mod(x, 10*y)", [](double x, double) { return x; }, 0.5, 3},
      {"mod(x + 21, 10)", [](double x, double) { return x + 1; }, 0.5, 3},
      {"mod(-x, 10)", [](double x, double) { return 10 - x; }, 0.5, 3},
      {"if(x < y + 9, x*y, 7)", [](double x, double y) { return x * y; }},
      {"if(x > y + 9, 7, x/3)", [](double x, double) { return x / 3; }},
      {"exp(-x^2)*cos(3*y) + x*sin(y)/(2 + y^2)",
       [](double x, double y) {
         return std::exp(-x * x) * std::cos(3 * y) + x * std::sin(y) / (2 + y * y);
       }},
  };
}

double tolerance(double scale, double relative) {
  return relative * (1 + std::fabs(scale));
}

TEST(Expression, EvaluatesEveryOperation) {
  std::mt19937 random(1);
  for (const Case& c : cases()) {
    const Formula f(c.text);
    std::uniform_real_distribution<double> pick(c.low, c.high);
    for (int k = 0; k < 20; ++k) {
      const double x = pick(random), y = pick(random);
      EXPECT_NEAR(f(x, y), c.expected(x, y), tolerance(c.expected(x, y), 4e-15))
          << c.text << " at " << x << ", " << y;
    }
  }
}

TEST(Expression, GradientAgreesWithDifferences) {
  std::mt19937 random(2);
  for (const Case& c : cases()) {
    const Formula f(c.text);
    std::uniform_real_distribution<double> pick(c.low, c.high);
    for (int k = 0; k < 20; ++k) {
      std::vector<double> x = f.arguments({pick(random), pick(random), 0});
      std::vector<double> gradient(x.size(), 99);
      const double value = f.expression.gradient(x, gradient);
      EXPECT_EQ(value, f.expression.value(x)) << c.text;
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double h = 1e-5;
        std::vector<double> above = x, below = x;
        above[j] += h;
        below[j] -= h;
        const double difference = (f.expression.value(above) - f.expression.value(below)) / (2 * h);
        EXPECT_NEAR(gradient[j], difference, tolerance(difference, 2e-8)) << c.text;
      }
    }
  }
}

TEST(Expression, JetsAgreeWithDifferencesAndGradient) {
  std::mt19937 random(3);
  for (const Case& c : cases()) {
    const Formula f(c.text);
    std::uniform_real_distribution<double> pick(c.low, c.high), rate(-1, 1);
    for (int k = 0; k < 20; ++k) {
      const std::vector<double> x = f.arguments({pick(random), pick(random), 0});
      std::vector<double> v(x.size()), a(x.size());
      for (std::size_t j = 0; j < x.size(); ++j) {
        v[j] = rate(random);
        a[j] = rate(random);
      }
      const auto at = [&](double t) {
        std::vector<double> moved = x;
        for (std::size_t j = 0; j < x.size(); ++j) moved[j] += v[j] * t + a[j] * t * t / 2;
        return f.expression.value(moved);
      };
      const Expression::Jet jet = f.expression.along(x, v, a);
      EXPECT_EQ(jet.value, f.expression.value(x)) << c.text;
      std::vector<double> gradient(x.size());
      f.expression.gradient(x, gradient);
      double first = 0;
      for (std::size_t j = 0; j < x.size(); ++j) first += gradient[j] * v[j];
      EXPECT_NEAR(jet.first, first, tolerance(first, 1e-13)) << c.text;
      const double h = 1e-3;
      const double second =
          (-at(2 * h) + 16 * at(h) - 30 * at(0) + 16 * at(-h) - at(-2 * h)) / (12 * h * h);
      EXPECT_NEAR(jet.second, second, tolerance(second, 1e-7)) << c.text;
    }
  }
}

TEST(Expression, ComparesAndCombinesConditions) {
  const std::map<std::string, std::array<double, 3>> expected = {
      // for x = 1, 2, 3
      {"if(x < 2, 1, 0)", {1, 0, 0}},
      {"if(x <= 2, 1, 0)", {1, 1, 0}},
      {"if(x > 2, 1, 0)", {0, 0, 1}},
      {"if(x >= 2, 1, 0)", {0, 1, 1}},
      {"if(x == 2, 1, 0)", {0, 1, 0}},
      {"if(x != 2, 1, 0)", {1, 0, 1}},
      {"if(x > 1 and x < 3, 1, 0)", {0, 1, 0}},
      {"if(x == 1 or x == 3, 1, 0)", {1, 0, 1}},
      {"if(not x == 1, 1, 0)", {0, 1, 1}},
      {"if(not (x == 1 or x == 2), 1, 0)", {0, 0, 1}},
      {"if(x == 1 or x == 2 and x == 3, 1, 0)", {1, 0, 0}},  // and binds tighter
      {"sign(x - 2)", {-1, 0, 1}},
  };
  for (const auto& [text, values] : expected) {
    const Formula f(text);
    for (int x = 1; x <= 3; ++x) EXPECT_EQ(f(x), values[x - 1]) << text << " at " << x;
  }
}

TEST(Expression, KeepsPrecedenceAndFoldsConstants) {
  const std::map<std::string, double> expected = {{"-2^2", -4},           {"2^3^2", 512},
                                                  {"2^-1", 0.5},          {"8/4/2", 1},
                                                  {"8 - 4 - 2", 2},       {"2 + 3*4", 14},
                                                  {"(2 + 3)*4", 20},      {"--3", 3},
                                                  {"-2*-3", 6},           {"+4", 4},
                                                  {"1e-3*1E3", 1},        {".5 + 0.5", 1},
                                                  {"2*pi/pi", 2},         {"max(1, 5, 3)", 5},
                                                  {"mod(7, 4)", 3},       {"mod(-1, 4)", 3},
                                                  {"hypot(3, 4)", 5},     {"if(1 > 2, 3, 4)", 4},
                                                  {"atan2(1, 0)*2/pi", 1}};
  for (const auto& [text, value] : expected) {
    const Formula f(text);
    EXPECT_TRUE(f.expression.is_constant()) << text;
    EXPECT_DOUBLE_EQ(f.expression.constant(), value) << text;
  }
  EXPECT_EQ(Formula("x + 2*3").expression.program().size(), 3u);  // x, 6, +
  EXPECT_EQ(Formula("if(1 < 2, x, y)").expression.symbols().size(), 1u);
}

TEST(Expression, IgnoresTheBranchNotTaken) {
  const Formula f("if(x > 0, sqrt(x), 0*x) + if(x > 0, log(x), x^2)");
  std::vector<double> x{-1.0}, gradient(1);
  EXPECT_EQ(f.expression.gradient(x, gradient), 1.0);
  EXPECT_EQ(gradient[0], -2.0);
  const Expression::Jet jet = f.expression.along(x, std::vector{1.0}, std::vector{0.0});
  EXPECT_EQ(jet.value, 1.0);
  EXPECT_EQ(jet.first, -2.0);
  EXPECT_EQ(jet.second, 2.0);
  // Division by zero in the branch left out.
  const Formula g("if(x == 0, y, sin(x)/x*y)");
  std::vector<double> slopes(2);
  const std::vector<double> zero = g.arguments({0, 3, 0});
  EXPECT_EQ(g.expression.gradient(zero, slopes), 3.0);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(slopes[k], g.expression.symbols()[k].index == 1 ? 1.0 : 0.0);
  }
}

TEST(Expression, HasDerivativesAtEdgesOfItsDomain) {
  const auto derivatives = [](const std::string& text, double x) {
    return Formula(text).expression.along(std::vector{x}, std::vector{1.0}, std::vector{0.0});
  };
  EXPECT_EQ(derivatives("x^2", 0).first, 0.0);
  EXPECT_EQ(derivatives("x^2", 0).second, 2.0);
  EXPECT_EQ(derivatives("x^1", 0).second, 0.0);
  EXPECT_EQ(derivatives("(x - 3)^3", 1).first, 12.0);  // a negative base
  EXPECT_EQ(derivatives("(x - 3)^3", 1).second, -12.0);
  EXPECT_EQ(derivatives("hypot(x, 0)", 0).first, 0.0);
  EXPECT_EQ(derivatives("abs(x)", 0).first, 0.0);
  // sqrt of something that stands still at 0 has no slope but no NaN either.
  const Formula f("sqrt(x) + y");
  const Expression::Jet jet =
      f.expression.along(f.arguments({0, 1, 0}), f.arguments({0, 1, 0}), f.arguments({0, 0, 0}));
  EXPECT_EQ(jet.first, 1.0);
  // A speed at rest: the tip of a cone has the mean of all slopes.
  const Formula speed("sqrt(x^2 + y*y) + x");
  const std::vector<double> rest = speed.arguments({0, 0, 0}), moving = speed.arguments({1, 2, 0});
  std::vector<double> slopes(2, 99.0);
  EXPECT_EQ(speed.expression.gradient(rest, slopes), 0.0);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(slopes[k], speed.expression.symbols()[k].index == 0 ? 1.0 : 0.0);
  }
  EXPECT_EQ(speed.expression.along(rest, rest, moving).first, 0.0);
  EXPECT_EQ(speed.expression.along(rest, rest, moving).second, 1.0);
}

TEST(Expression, GivesNanForDomainErrors) {
  EXPECT_TRUE(std::isnan(Formula("sqrt(x)")(-1)));
  EXPECT_TRUE(std::isnan(Formula("log(x)")(-1)));
  EXPECT_TRUE(std::isnan(Formula("asin(x)")(2)));
  EXPECT_TRUE(std::isnan(Formula("sign(x)")(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Expression, KeepsItsBounds) {
  std::vector<Instruction> deep;
  for (int k = 0; k < 65; ++k) deep.push_back({Instruction::Op::load, 0});
  for (int k = 0; k < 64; ++k) deep.push_back({Instruction::Op::add});
  EXPECT_THROW(Expression(deep, {Symbol{}}), std::length_error);
  deep.erase(deep.begin());
  deep.pop_back();
  EXPECT_EQ(Expression(deep, {Symbol{}}).value(std::vector{1.0}), 64.0);
  EXPECT_THROW(Expression({{Instruction::Op::add}}, {}), std::logic_error);
  EXPECT_THROW(Expression({{Instruction::Op::load, 1}}, {Symbol{}}), std::logic_error);
}

TEST(Expression, NegatesAndCompares) {
  const Formula f("x*y");
  EXPECT_EQ(negated(f.expression).value(std::vector{2.0, 3.0}), -6.0);
  EXPECT_EQ(negated(Expression(2.0)), Expression(-2.0));
  EXPECT_EQ(f.expression, Formula("x*y").expression);
  EXPECT_NE(f.expression, Formula("x/y").expression);
  EXPECT_NE(f.expression, Expression(1.0));
}

}  // namespace
}  // namespace mbs
