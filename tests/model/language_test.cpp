// Dimensions, parameters, repeats and defaults.

#include "engine/model/resizable.hpp"
#include "tests/model/model_test.hpp"

namespace mbs::test {
namespace {

// Reads <parameter name="v" value=text> together with some parameters to use.
std::string parameter_errors(const std::string& text) {
  return errors(
      planar("<parameter name='l' value='2 m'/><parameter name='f' value='3 N'/>"
             "<parameter name='n' value='5'/><parameter name='w' value='4 rad/s'/>"
             "<parameter name='v' value='" +
             text + "'/>"));
}

std::string dimension_of(const std::string& text) {
  const Model model =
      read(planar("<parameter name='l' value='2 m'/><parameter name='f' value='3 N'/>"
                  "<parameter name='n' value='5'/><parameter name='w' value='4 rad/s'/>"
                  "<parameter name='v' value='" +
                  text + "'/>"));
  return model.parameters.back().unit.name;
}

TEST(Dimensions, OfEveryOperationAreDerived) {
  const std::pair<const char*, const char*> known[] = {{"l*f", "N.m"},
                                                       {"f/l", "N/m"},
                                                       {"l + 1", "m"},
                                                       {"1 + l", "m"},
                                                       {"l - 2 mm", "m"},
                                                       {"n*l", "m"},
                                                       {"2*n", "1"},
                                                       {"l^2", "m^2"},
                                                       {"l^-1", "1/m"},
                                                       {"l^(1+1)", "m^2"},
                                                       {"sqrt(l*l)", "m"},
                                                       {"abs(-f)", "N"},
                                                       {"min(l, 3)", "m"},
                                                       {"max(1, 2, f)", "N"},
                                                       {"hypot(l, l)", "m"},
                                                       {"mod(l, 1 mm)", "m"},
                                                       {"atan2(l, l)", "rad"},
                                                       {"asin(l/l)", "rad"},
                                                       {"sin(30 deg)", "1"},
                                                       {"sin(w*1 s)", "1"},
                                                       {"if(l > 1, f, 0)", "N"},
                                                       {"if(l > 1 mm and f > 0, 1, 2)", "1"},
                                                       {"sign(f)", "1"},
                                                       {"exp(l/(1 m))", "1"},
                                                       {"w*l", "m.rad/s"},
                                                       {"sqrt(4 N.m/rad/(1 kg.m^2))", "1/s"},
                                                       {"f^0", "1"},
                                                       {"(l/l)^n", "1"},
                                                       {"-l", "m"},
                                                       {"floor(l/(1 m))", "1"},
                                                       {"20 degC + 5 K", "K"},
                                                       {"2*pi", "1"}};
  for (const auto& [text, unit] : known) EXPECT_EQ(dimension_of(text), unit) << text;
}

TEST(Dimensions, ThatDoNotFitAreRefused) {
  const std::pair<const char*, const char*> known[] = {
      {"l + f", "'+' joins m and N"},
      {"n*1 s + l", "'+' joins s and m"},
      {"n*l + w", "'+' joins m and rad/s"},
      {"min(l, f)", "'min' joins m and N"},
      {"if(l > f, 1, 2)", "'>' joins m and N"},
      {"if(l > 1, l, f)", "'if' joins m and N"},
      {"sin(l)", "'sin' needs an angle or a number without dimension, this is m"},
      {"exp(f)", "'exp' needs"},
      {"l^0.5", "no whole dimension"},
      {"sqrt(l)", "no whole dimension"},
      {"2^l", "an exponent has no dimension, this is m"},
      {"l^n", "must be a fixed number"},
      {"if(l, 1, 2)", "a condition is needed here"},
      {"(l > 1) + 2", "a number is needed here"},
      {"l > 1", "a parameter is a number, this is a condition"},
      {"not 3", "a condition is needed here"}};
  for (const auto& [text, message] : known) {
    EXPECT_NE(parameter_errors(text).find(message), std::string::npos)
        << text << ": " << parameter_errors(text);
  }
}

TEST(Dimensions, OfBareParametersAdapt) {
  const Model m =
      read(planar("<parameter name='a' value='2'/><parameter name='b' value='a + 1 m'/>"
                  "<body name='c' mass='a' com='a, 2*a'/>"));
  EXPECT_EQ(m.parameters[1].unit.name, "m");
  EXPECT_EQ(at_start(m, element(m, "c")["com"].numbers[1]), 4.0);
}

TEST(Dimensions, BareNumberWithAnotherUnitGivesAWarning) {
  const std::string text = errors(planar("<parameter name='a' value='150' unit='mm'/>"));
  EXPECT_NE(text.find("warning: a number without unit is in SI: 150 m, not mm"), std::string::npos)
      << text;
  EXPECT_EQ(errors(planar("<parameter name='a' value='0' unit='mm'/>")), "");
}

TEST(Parameters, AreEvaluatedInAnyOrder) {
  const Model m =
      read(planar("<parameter name='c' value='a*b'/>"
                  "<parameter name='a' value='3' variability='structural'/>"
                  "<parameter name='b' value='2 m' variability='tunable'/>"
                  "<parameter name='e' value='c + 1 m'/>"
                  "<parameter name='s' value='a^2' variability='structural'/>"));
  ASSERT_EQ(m.parameters.size(), 5u);
  EXPECT_EQ(m.parameters[0].variability, Variability::tunable);  // it depends on b
  EXPECT_TRUE(m.parameters[0].calculated);
  EXPECT_TRUE(m.parameters[1].value.is_constant());
  EXPECT_FALSE(m.parameters[2].calculated);
  EXPECT_EQ(m.parameters[4].value.constant(), 9.0);
  EXPECT_FALSE(m.parameters[4].calculated);
  // Structural parameters are folded: c depends on b alone.
  ASSERT_EQ(m.parameters[0].value.symbols().size(), 1u);
  EXPECT_EQ(m.parameters[0].value.symbols()[0], (Symbol{SymbolKind::parameter, 2}));
  std::vector<double> values = parameter_start_values(m);
  EXPECT_EQ(values[0], 6.0);
  EXPECT_EQ(values[3], 7.0);
  values[2] = 10;
  values[0] = evaluate(m.parameters[0].value, values);
  EXPECT_EQ(values[0], 30.0);
  EXPECT_EQ(evaluate(m.parameters[3].value, values), 31.0);
}

TEST(Parameters, TakeValuesFromOutside) {
  const std::string text = planar(
      "<parameter name='N' value='2' variability='structural'/><parameter name='r' value='1 m'/>"
      "<repeat index='i' count='N'><particle name='p'/></repeat>");
  EXPECT_EQ(read(text).bodies.size(), 2u);
  const Override overrides[] = {{"N", "7"}, {"r", "200 mm"}};
  const Model m = read(text, overrides);
  EXPECT_EQ(m.bodies.size(), 7u);
  EXPECT_EQ(parameter_start_values(m)[1], 0.2);
  const Override wrong[] = {{"M", "7"}};
  EXPECT_EQ(errors(text, wrong),
            "command line: error: the model has no parameter 'M' [unknown-parameter]\n"
            "  hint: known are N, r\n");
  const Override dimension[] = {{"N", "7 m"}};
  EXPECT_NE(errors(text, dimension).find("'count' needs"), std::string::npos);
}

// A bare number from outside is in the dimension of what it replaces.
TEST(Parameters, KeepTheirDimensionWhenOverridden) {
  const std::string text = planar(
      "<parameter name='h' value='0.2 m'/><parameter name='w' value='3 N/m*h'/>"
      "<parameter name='c' value='w + 1 N'/>");
  const Override bare[] = {{"h", "0.1"}};
  const Model m = read(text, bare);
  EXPECT_EQ(m.parameters[0].unit.name, "m");
  EXPECT_EQ(m.parameters[1].unit.name, "N");
  EXPECT_NEAR(parameter_start_values(m)[2], 1.3, 1e-15);
  const Override other[] = {{"h", "0.1 kg"}};
  EXPECT_EQ(errors(text, other),
            "command line: error: '0.1 kg' is kg, the parameter 'h' is m [dimension]\n"
            "  hint: a bare number would be taken in m\n");
}

TEST(Parameters, CheckBoundsAndResizable) {
  const Model m =
      read(planar("<parameter name='d' value='5 mm' min='1 mm' max='1'/>"
                  "<parameter name='N' value='3' variability='structural' resizable='false'/>"));
  EXPECT_EQ(m.parameters[0].minimum, 1e-3);
  EXPECT_EQ(m.parameters[0].maximum, 1.0);
  EXPECT_NE(errors(planar("<parameter name='d' value='5 mm' min='6 mm'/>")).find("below its"),
            std::string::npos);
  const auto resizable = [](const std::string& attributes) {
    return errors(planar("<parameter name='N' resizable='true' " + attributes + "/>"));
  };
  EXPECT_EQ(resizable("value='5' variability='structural'"), "");
  EXPECT_NE(resizable("value='5'").find("'N' is not structural"), std::string::npos);
  for (const char* value : {"0", "2.5", "-3", "3 m", "1e9"})
    EXPECT_NE(resizable("value='" + std::string(value) + "' variability='structural'")
                  .find("is a whole number from 1 to 1000000"),
              std::string::npos)
        << value;
}

TEST(Parameters, BranchesThatSizesChooseAreFound) {
  const auto found = [](const std::string& inside) {
    return has_branches_of_sizes(
        planar("<parameter name='N' value='8' variability='structural' resizable='true' max='64'/>"
               "<parameter name='far' value='2*N' variability='structural'/>"
               "<repeat index='i' count='N'><body name='b' mass='1 kg + 1 kg*i'/></repeat>" +
               inside));
  };
  EXPECT_FALSE(found(""));
  EXPECT_FALSE(found("<force joint='j' value='if(x &gt; 5, 30*k, 0)'/><force value='40*i'/>"));
  EXPECT_TRUE(found("<force joint='j' value='if(i == 5, 30*k, 0)'/>"));
  EXPECT_TRUE(found("<force joint='j' value='min(N, 12)*7 N'/>"));
  EXPECT_TRUE(found("<force joint='j' value='if(x &gt; far, 30*k, 0)'/>"));
  EXPECT_TRUE(found("<force value='table(i)'/>"));
}

TEST(Parameters, FormLongChainsInAnyOrder) {
  std::string forwards, backwards;
  const int n = 400;
  for (int k = 0; k < n; ++k) {
    const std::string line = "<parameter name='p" + std::to_string(k) + "' value='" +
                             (k == 0 ? "1" : "p" + std::to_string(k - 1) + " + 1") + "'/>";
    forwards += line;
    backwards = line + backwards;
  }
  EXPECT_EQ(parameter_start_values(read(planar(forwards))).back(), n);
  EXPECT_EQ(parameter_start_values(read(planar(backwards))).front(), n);
}

TEST(Repeat, BindsNamesPrevAndIndices) {
  const Model m = read(planar(R"xml(
      <parameter name="N" value="3" variability="structural"/>
      <frame name="top" pos="0, 1 m"/>
      <repeat index="i" count="N" prev="top" next="link[i].end">
        <body name="link" mass="i*1 kg"><frame name="end" pos="i*1 m, 0"/></body>
        <revolute name="pin" a="prev" b="link[i]" q="if(i == 1, 30 deg, 0)"/>
      </repeat>
      <weld name="last" a="link[N].end" b="link[N - 2]"/>
      <output name="phi" each="pin" quantity="q"/>
      <output name="tip" each="link.end" quantity="position" component="x"/>)xml"));
  EXPECT_EQ(element(m, "link[2]")["mass"].numbers[0].constant(), 2.0);
  EXPECT_EQ(m.frames[element(m, "pin[1]")["a"].index].name, "top");
  EXPECT_EQ(m.frames[element(m, "pin[2]")["a"].index].name, "link[1].end");
  EXPECT_EQ(m.frames[element(m, "pin[3]")["a"].index].name, "link[2].end");
  EXPECT_NEAR(element(m, "pin[1]")["q"].numbers[0].constant(), 0.5235987755982988, 1e-15);
  EXPECT_EQ(m.frames[element(m, "last")["a"].index].name, "link[3].end");
  EXPECT_EQ(m.frames[element(m, "last")["b"].index].name, "link[1]");
  ASSERT_EQ(m.outputs.size(), 6u);
  EXPECT_EQ(m.outputs[1].name, "phi[2]");
  EXPECT_EQ(m.coordinates[m.outputs[1].what.coordinate].name, "pin[2].q");
  EXPECT_EQ(m.outputs[5].name, "tip[3]");
  EXPECT_EQ(m.frames[m.outputs[5].what.frame].name, "link[3].end");
}

TEST(Repeat, NestsWithSeveralIndices) {
  const Model m = read(planar(R"xml(
      <repeat index="i" count="2">
        <repeat index="j" count="i + 1"><particle name="p" mass="10*i + j"/></repeat>
        <particle name="q" mass="if(i == 1, 1, 2)"/>
      </repeat>
      <spring name="s" a="p[2,3]" b="q[2]" stiffness="1" length="1"/>
      <output name="x" each="p" quantity="position" component="x"/>)xml"));
  EXPECT_EQ(m.bodies.size(), 7u);
  EXPECT_EQ(element(m, "p[2,3]")["mass"].numbers[0].constant(), 23.0);
  EXPECT_EQ(m.frames[element(m, "s")["b"].index].name, "q[2]");
  ASSERT_EQ(m.outputs.size(), 5u);
  EXPECT_EQ(m.outputs[4].name, "x[2,3]");
}

TEST(Repeat, NeedsNoNamesInABranchOfAKnownCondition) {
  const Model m = read(planar(R"xml(
      <repeat index="i" count="3">
        <state name="s" start="0" der="if(i == 1, 1 Hz, (s[i - 1] - s[i])/(1 s))"/>
      </repeat>)xml"));
  EXPECT_TRUE(m.states[0].der.is_constant());
  EXPECT_EQ(m.states[2].der.symbols().size(), 2u);
  // A misspelt name is an error all the same.
  EXPECT_NE(errors(planar("<parameter name='a' value='if(1 == 1, 2, bb)'/>")).find("'bb'"),
            std::string::npos);
}

TEST(Repeat, MayHaveNoPass) {
  const Model m = read(planar("<repeat index='i' count='0'><particle name='p'/></repeat>"));
  EXPECT_EQ(m.bodies.size(), 0u);
}

TEST(Defaults, OfAllAndOfAClassYieldToOwnAttributes) {
  const Model m = read(planar(R"xml(
      <revolute name="a" a="ground" b="p"/>
      <revolute name="b" a="ground" b="p" class="worn"/>
      <revolute name="c" a="ground" b="p" class="worn" damping="3"/>
      <default><revolute damping="1" stiffness="k"/></default>
      <default class="worn"><revolute damping="2"/></default>
      <parameter name="k" value="7 N.m/rad" variability="structural"/>
      <body name="p" mass="1" inertia="1"/>)xml"));
  EXPECT_EQ(element(m, "a")["damping"].numbers[0].constant(), 1.0);
  EXPECT_EQ(element(m, "b")["damping"].numbers[0].constant(), 2.0);
  EXPECT_EQ(element(m, "c")["damping"].numbers[0].constant(), 3.0);
  EXPECT_EQ(element(m, "b")["stiffness"].numbers[0].constant(), 7.0);
  EXPECT_TRUE(element(m, "a")["damping"].given);
  EXPECT_FALSE(element(m, "a")["rest"].given);
  EXPECT_EQ(element(m, "a")["rest"].numbers[0].constant(), 0.0);
}

TEST(Defaults, OfSeveralAttributesOfAJointStayApart) {
  const Model m = read(planar(R"xml(
      <default><end_stop lower="-1 rad" rest_speed="0.5 rad/s"/></default>
      <body name="b" mass="2 kg" inertia="1 kg.m^2"/>
      <revolute name="r" a="ground" b="b"/>
      <end_stop name="s" joint="r"/>)xml"));
  EXPECT_EQ(element(m, "s")["lower"].numbers[0].constant(), -1.0);
  EXPECT_TRUE(element(m, "s")["upper"].numbers.empty());
  EXPECT_EQ(element(m, "s")["rest_speed"].numbers[0].constant(), 0.5);
}

TEST(Defaults, MayGiveRequiredAttributes) {
  const Model m = read(planar("<default><body mass='2'/></default><body name='b'/>"));
  EXPECT_EQ(element(m, "b")["mass"].numbers[0].constant(), 2.0);
}

}  // namespace
}  // namespace mbs::test
