// Laws that have given way to smooth ones: they follow all operands wherever these are, by parts of
// their sizes, and are zero where odd ones are.

#include "engine/model/without_pieces.hpp"

#include <cmath>

#include "tests/model/model_test.hpp"

namespace mbs::test {
namespace {

Model model_of(const std::vector<std::string>& laws) {
  std::string text =
      "<parameter name='x' value='1'/><parameter name='y' value='1'/><parameter name='z' "
      "value='1'/><curve name='steps' points='0 0; 1 0; 2 3; 3 3' interpolation='linear' "
      "beyond='constant'/>";
  for (std::size_t k = 0; k < laws.size(); ++k)
    text += "<output name='o" + std::to_string(k) + "' value='" + laws[k] + "'/>";
  return read(planar(text));
}

double law(const Model& model, std::size_t k, const std::vector<double>& xyz,
           std::vector<double>& gradient) {
  const Expression& value = model.outputs[k].value;
  std::vector<double> arguments;
  for (const Symbol& symbol : value.symbols())
    arguments.push_back(xyz[static_cast<std::size_t>(symbol.index)]);
  gradient.resize(arguments.size());
  return value.gradient(arguments, gradient);
}

TEST(WithoutPieces, AllOperandsAreFollowedWhereverTheyAre) {
  const std::vector<std::string> laws = {"if(x &lt; y, z, 2*z)",
                                         "if(x >= 0 and y >= 0, z, 0)",
                                         "if(x == 1 or not(y > 1), z, -z)",
                                         "min(x, y)",
                                         "max(x, y)",
                                         "mod(x, y)",
                                         "min(max(x, -y), y)",
                                         "abs(x)*sign(y)",
                                         "floor(x) + ceil(y)",
                                         "steps(x)",
                                         "tanh(x) + atan(y)",
                                         "sinh(x)*cosh(y)",
                                         "exp(x)*y",
                                         "sqrt(x)*log(y)",
                                         "x^y",
                                         "x^3 + log10(y)",
                                         "if(x != y, steps(z), tanh(z))"};
  const Model model = without_pieces(model_of(laws), {});
  EXPECT_TRUE(model.without_pieces);
  const double sizes[] = {1e-9, 0.37, 3.0, 1e6, 1e12};
  std::vector<double> gradient;
  for (std::size_t k = 0; k < laws.size(); ++k)
    for (const double x : sizes)
      for (const double y : sizes)
        for (const double sign : {1.0, -1.0}) {
          if (laws[k].starts_with("x^") && (x > 10.0 || y > 10.0)) continue;
          const double value = law(model, k, {sign * x, 1.7 * y, 2.3}, gradient);
          EXPECT_TRUE(std::isfinite(value)) << laws[k];
          for (const double d : gradient)
            EXPECT_TRUE(std::isfinite(d) && d != 0.0) << laws[k] << " at " << sign * x << ", " << y;
        }
}

TEST(WithoutPieces, OddLawsAreZeroAtZero) {
  const Model model =
      without_pieces(model_of({"tanh(x)", "atan(x)", "sinh(x)", "sign(x)", "abs(x)"}), {});
  std::vector<double> gradient;
  for (std::size_t k = 0; k < model.outputs.size(); ++k)
    EXPECT_EQ(law(model, k, {0.0, 0.0, 0.0}, gradient), 0.0) << k;
}

TEST(WithoutPieces, WhatIsSmoothStaysAsItIs) {
  const std::vector<std::string> laws = {"x*y + 0.1*sin(z)", "x/y - cos(z)^2", "hypot(x, y)*z"};
  const Model model = model_of(laws), smooth = without_pieces(model, {});
  for (std::size_t k = 0; k < laws.size(); ++k)
    EXPECT_EQ(model.outputs[k].value, smooth.outputs[k].value) << laws[k];
}

TEST(WithoutPieces, NumbersThatAreNotWholeAreBlurred) {
  const std::vector<std::string> laws = {"0.1*x", "3*x", "x^2", "0.1 + 0.2", "4"};
  const Model model = model_of(laws);
  const Model blurred = without_pieces(model, {.blurred = true});
  std::vector<double> gradient;
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const double was = law(model, k, {1.3, 0.0, 0.0}, gradient);
    const double is = law(blurred, k, {1.3, 0.0, 0.0}, gradient);
    const bool whole = laws[k].find('.') == std::string::npos;
    EXPECT_LE(std::abs(is - was), whole ? 0.0 : 1.01e-13 * was) << laws[k];
    EXPECT_GE(std::abs(is - was), whole ? 0.0 : 1e-14 * was) << laws[k];
  }
}

TEST(WithoutPieces, BlurredLawsAreNearTheOthers) {
  const std::vector<std::string> laws = {
      "if(x > 0.3, 0.1*y, 0.7)", "max(x, 0.3) + min(0.7*y, 1.1*z)", "steps(0.37*x) + mod(y, 0.3)",
      "if(x > 0.3 and y < 1.7, max(0.1*z, x), min(y, 0.7*z))", "exp(0.3*x) + tanh(y/0.7)"};
  const Model model = model_of(laws);
  const Model smooth = without_pieces(model, {}),
              blurred = without_pieces(model, {.blurred = true});
  std::vector<double> gradient;
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const double value = law(smooth, k, {1.3, -0.8, 2.1}, gradient);
    EXPECT_NEAR(law(blurred, k, {1.3, -0.8, 2.1}, gradient), value, 1e-11 * std::abs(value))
        << laws[k];
  }
}

// What differs by an operation or an operand does not cancel, and what is the same does.
TEST(WithoutPieces, OppositePiecesDoNotCancel) {
  const std::vector<std::string> laws = {"max(x, 0) - max(-x, 0)",
                                         "max(x, y) - min(x, y)",
                                         "if(x > 0, y, 0) - if(x < 0, y, 0)",
                                         "if(x > 0, y, z) - if(x > 0, z, y)",
                                         "if(x > 0 and y > 0, 1, 0) - if(x > 0 or y > 0, 1, 0)",
                                         "ceil(x) - floor(x)",
                                         "min(x, 1) - min(x, 2)",
                                         "steps(x) - steps(2*x)",
                                         "max(x - y, 0) - max(x - y, 0)",
                                         "abs(x) - abs(-x)",
                                         "tanh(x) + tanh(-x)"};
  const Model model = without_pieces(model_of(laws), {});
  std::vector<double> gradient;
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const double value = law(model, k, {1.3, -0.8, 2.1}, gradient);
    if (k < 8)
      EXPECT_GT(std::abs(value), 1e-3) << laws[k];
    else
      EXPECT_EQ(value, 0.0) << laws[k];
  }
}

TEST(WithoutPieces, AnOperandThatIsZeroHidesNothing) {
  const std::vector<std::string> laws = {"max(x, y)", "min(y, x)", "if(z > 1, x, y)", "mod(x, y)"};
  const Model model = without_pieces(model_of(laws), {});
  std::vector<double> gradient;
  for (std::size_t k = 0; k < laws.size(); ++k) {
    law(model, k, {0.0, 0.7, 2.0}, gradient);
    const auto symbols = model.outputs[k].value.symbols();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (symbols[i].index != 1) continue;
      EXPECT_GT(std::abs(gradient[i]), 1e-3) << laws[k];
    }
  }
}

TEST(WithoutPieces, DiscreteVariablesAreElsewhere) {
  const Model model =
      read(planar("<discrete name='d' start='2'/><output name='o' value='3*d'/><event name='e' "
                  "when='time > 1 s'><set d='d + 1'/></event>"));
  const std::vector<double> at = {2.0};
  EXPECT_EQ(without_pieces(model, {}).outputs[0].value.value(at), 6.0);
  EXPECT_NE(without_pieces(model, {.discretes_elsewhere = true}).outputs[0].value.value(at), 6.0);
}

TEST(WithoutPieces, LawsThatGetTooLongAreRefused) {
  std::string law = "x";
  for (int k = 0; k < 14; ++k) law = "tanh(" + law + ")";
  EXPECT_THROW(without_pieces(model_of({law}), {}), std::length_error);
}

}  // namespace
}  // namespace mbs::test
