// The start as GEINIVAL of Steinbrecher (2007) wants it: conditions that determine it exactly or
// more than that, and its distinctions, each by the names concerned.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

// Example 3.1: a pendulum of length 1 by its coordinates, which a rod ties to the ground.
std::string pendulum(const std::string& keyword, const std::string& at, const std::string& more) {
  return planar(R"xml(
    <gravity g="0, -9.81"/>
    <frame name="top" pos="0, 0"/>
    <particle name="bob" mass="1 kg"/><free name="begin" b="bob" pos=")xml" +
                at + R"xml("/>
    <rod name="string" a="top" b="bob" length="1 m"/>
    <measure name="x" of="bob" quantity="position" component="x"/>
    <measure name="y" of="bob" quantity="position" component="y"/>
    <measure name="vx" of="bob" quantity="velocity" component="x"/>
    <measure name="vy" of="bob" quantity="velocity" component="y"/>
    <output name="px" of="bob" quantity="position" component="x"/>
    <output name="py" of="bob" quantity="position" component="y"/>
    <output name="vx_" of="bob" quantity="velocity" component="x"/>
    <output name="vy_" of="bob" quantity="velocity" component="y"/>
    <init conditions=")xml" +
                keyword + "\"/>" + more);
}

const std::string diagonal = R"xml(<condition name="diagonal" value="x + y" equals="0 m"/>)xml";
const std::string turning =
    R"xml(<condition name="turning" value="x*vy - y*vx" equals="0.7 m^2/s"/>)xml";

struct Start {
  explicit Start(const std::string& text) : model(text) {
    x = model->initial(model.context(), 0.0);
    using Keyword = InitialOptions::Conditions;
    const std::string& keyword = model.model.init_conditions;
    report = make_consistent(*model, model.context(), x,
                             {.conditions = keyword == "complete" ? Keyword::complete
                                            : keyword == "given"  ? Keyword::given
                                                                  : Keyword::fill});
  }
  void expect_error(const std::vector<std::string>& keywords) const {
    EXPECT_FALSE(report.ok);
    for (const std::string& keyword : keywords) {
      EXPECT_NE(report.message.find(keyword), std::string::npos)
          << "'" << keyword << "' is not in: " << report.message;
    }
  }
  Assembled model;
  State x;
  InitialReport report;
};

TEST(CompleteStart, ConditionsDetermineIt) {
  const Start start(pendulum("complete", "0.6, -0.9", diagonal + turning));
  ASSERT_TRUE(start.report.ok) << start.report.message;
  EXPECT_EQ(start.report.free_motions, 0);
  EXPECT_TRUE(start.report.implied.empty());
  const double half = std::sqrt(0.5);
  EXPECT_NEAR(start.model.output(start.x, "px"), half, 1e-10);
  EXPECT_NEAR(start.model.output(start.x, "py"), -half, 1e-10);
  EXPECT_NEAR(start.model.output(start.x, "vx_"), 0.7 * half, 1e-10);
  EXPECT_NEAR(start.model.output(start.x, "vy_"), 0.7 * half, 1e-10);
}

TEST(CompleteStart, MoreConditionsThanNeededMustAgree) {
  const Start agree(pendulum(
      "complete", "0.6, -0.9",
      diagonal + turning + R"xml(<condition name="right" value="x" equals="sqrt(0.5)*1 m"/>)xml"));
  ASSERT_TRUE(agree.report.ok) << agree.report.message;
  ASSERT_EQ(agree.report.implied.size(), 2u);
  EXPECT_NE(agree.report.text().find("more conditions than needed"), std::string::npos)
      << agree.report.text();
  EXPECT_NEAR(agree.model.output(agree.x, "py"), -std::sqrt(0.5), 1e-10);
  const Start not_so(
      pendulum("complete", "0.6, -0.9",
               diagonal + turning + R"xml(<condition name="right" value="x" equals="0.5 m"/>)xml"));
  not_so.expect_error({"cannot be satisfied together", "'string'", "'diagonal'", "'right'"});
  EXPECT_TRUE(not_so.report.contradictory);
  const Start too_far(
      pendulum("complete", "0.6, -0.9",
               R"xml(<condition name="beyond" value="x" equals="1.5 m"/>)xml" + turning));
  too_far.expect_error({"cannot be satisfied together", "'string'", "'beyond'"});
}

TEST(CompleteStart, TooFewConditionsAreAnErrorUnlessTheValuesFit) {
  const Start off(pendulum("complete", "0.6, -0.9", turning));
  off.expect_error({"do not determine the start (-2106", "1 degree of freedom of positions",
                    "0 degrees of freedom of velocities", "'bob.x'", "'bob.y'", "'string'", "0.085",
                    "conditions=\"fill\""});
  EXPECT_EQ(off.report.free_motions, 1);
  const Start at_rest(pendulum("complete", "0.6, -0.9", diagonal));
  at_rest.expect_error({"0 degrees of freedom of positions and 1 degree of freedom of velocities"});
  // consistent as they are: only that is checked
  const Start fits(pendulum("complete", "0.6, -0.8", ""));
  ASSERT_TRUE(fits.report.ok) << fits.report.message;
  EXPECT_EQ(fits.report.free_motions, 2);
  EXPECT_NE(fits.report.text().find("are consistent and are kept"), std::string::npos)
      << fits.report.text();
  EXPECT_NEAR(fits.model.output(fits.x, "px"), 0.6, 1e-9);
  // without the keyword all else moves as little as possible
  EXPECT_TRUE(Start(pendulum("fill", "0.6, -0.9", turning)).report.ok);
}

TEST(CompleteStart, ConditionsThatRepeatEachOtherDoNotCount) {
  const Start twice(pendulum(
      "complete", "0.6, -0.9",
      turning + R"xml(<condition name="again" value="2*(x*vy - y*vx)" equals="1.4 m^2/s"/>)xml"));
  twice.expect_error({"-2106", "'turning' and 'again' repeat each other"});
  const Start of_joint(
      pendulum("complete", "0.6, -0.9",
               turning + R"xml(<condition name="length" value="x^2 + y^2" equals="1 m^2"/>)xml"));
  of_joint.expect_error({"-2106", "'length' repeat"});
}

TEST(CompleteStart, SaysWhatCannotBeEvaluatedOrFound) {
  const Start negative(
      pendulum("complete", "-0.6, -0.9",
               R"xml(<condition name="root" value="sqrt(x/(1 m))" equals="0.5"/>)xml"));
  negative.expect_error({"'root'", "not a finite number"});
}

TEST(CompleteStart, ValuesGivenAreOnlyChecked) {
  const Start fits(pendulum("given", "0.6, -0.8", ""));
  ASSERT_TRUE(fits.report.ok) << fits.report.message;
  EXPECT_TRUE(fits.report.moved_p.empty());
  const Start off(pendulum("given", "0.6, -0.9", ""));
  off.expect_error({"not consistent (-1105", "positions at 'string'", "0.085"});
  const Start fast(pendulum("given", "0.6, -0.8", turning));
  fast.expect_error({"-1105", "velocities at 'turning'", "0.7"});
}

}  // namespace
}  // namespace mbs::test
