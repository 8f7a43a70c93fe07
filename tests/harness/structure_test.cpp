// ModelStructure and InitialUnknowns through each importer, in both versions, against what is seen
// when each known by itself is set to other values: nothing reacts to what its list leaves out, and
// where the model was made for it, to everything in it. Nominal values of states are those of the
// description.
#include <iterator>
#include <span>
#include <sstream>

#include "tests/harness/structured.hpp"

namespace mbs::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Importers, Structured,
                         testing::Combine(testing::ValuesIn(importers()), testing::Values(2, 3)),
                         [](const auto& one) {
                           return std::get<0>(one.param).name + "_Fmi" +
                                  std::to_string(std::get<1>(one.param));
                         });

constexpr const char* others[] = {
    "slider_crank_absolute", "element_dependencies", "load_dependencies",
    "slider_crank_joint",    "slider_crank_mixed",   "quarter_car_vehicle_joint",
    "bouncing_balls",        "trimmed_arm",          "resting",
    "resting_on_contacts"};

// Lists of names with spaces between them.
struct Lists {
  std::string unknown, running, start;
};

// Dependencies by the laws of elements.md and the joints' directions, and by what is solved for
// together with them: differences of values see no part of 1e-9, nor what flat places hide. At the
// start a block has all that acts on any of its rows, factors of velocities that are zero there
// among them; a static equilibrium with parameters that are found is one block.
const Lists of_scales[] = {
    {"a_roped", "k m u way.q", "k m u"},
    {"a_limited", "k m most w way_2.q", "k m most w"},
    {"a_hung", "g k_h down.q", "g k_h"},
    {"a_dragged", "m F_f width way_3.qd", "m F_f width"},
    {"flow", "time ps pt opens lift.pressure_a", "time ps pt opens"},
    {"tower", "far down.q", "far"},
    {"nearest", "far way.q", "far"},
    {"der(guide.qd)", "m g lift.pressure_a lift.pressure_b guide.q", "m g"},
    {"der(leaking)", "leak Q leaking", "leak Q"},
    {"der(lift.pressure_a)", "time ps pt opens lift.pressure_a lift.pressure_b guide.q guide.qd",
     "time ps pt opens"},
    {"der(lift.pressure_b)", "time ps pt opens lift.pressure_a lift.pressure_b guide.q guide.qd",
     "time ps pt opens"},
    {"der(wheel.vx)", "m k_w d_w R c_s mu_w tyre.slip_x wheel.y wheel.vy", "R c_s d_w k_w m mu_w"},
    {"der(wheel.vy)", "m g k_w d_w R wheel.y wheel.vy", "m g k_w R d_w"},
    {"der(wheel.omega)", "k_w d_w R c_s mu_w tyre.slip_x wheel.y wheel.vy", "R c_s d_w k_w mu_w"},
    {"der(tyre.slip_x)", "R relax tyre.slip_x wheel.y wheel.vx wheel.omega", "R relax"},
    {"der(train.vx)", "m k_w R c_s mu_w train.y train.vx train.omega", "m k_w R c_s mu_w"},
    {"der(train.vy)", "m g k_w R train.y", "m g k_w R"},
    {"der(train.omega)", "k_w R c_s mu_w train.y train.vx train.omega", "k_w R c_s mu_w"}};
const Lists of_turned[] = {{"a_lift", "m g k up rises.q", "m g k up"},
                           {"a_puck", "m aside", "m aside"},
                           {"a_wheel", "aside turns.q turns.qd", "aside"},
                           {"x_lift", "", ""},
                           {"y_puck", "m aside", "m aside"},
                           {"z_puck", "", ""}};

const Lists of_borders[] = {{"a", "m d F way.qd", "m F d"},
                            {"a_limited", "m no_end k G way_2.q", "m no_end k G"},
                            {"a_slides", "m G eps way_3.qd", "G eps m"},
                            {"a_last", "last pull", "last pull slack"},
                            {"load_one", "s1 s2 push", "s1 s2 push"},
                            {"load_two", "s1 s2 push", "s1 s2 push"},
                            {"one.mode", "", "s1 s2 push"},
                            {"near[3].mode", "", "last pull slack"},
                            // Never closed at the start.
                            {"away[3].mode", "", "last pull slack"},
                            {"drives", "m lag at way_5.q way_5.qd", "at lag m"},
                            {"scaled", "u", "u"},
                            {"open", "k way.q", "k"},
                            {"der(rail.qd)", "last pull", "last pull slack"},
                            {"der(gap[3].qd)", "pull last", "last pull slack"},
                            {"der(way_4.qd)", "push s1 s2", "s1 s2 push"},
                            {"der(way_5.qd)", "lag at way_5.q way_5.qd m", "at lag m"}};

// At rest: only what holds it. Where the search begins acts on which rest is found, and on what
// friction holds.
const Lists of_resting[] = {
    {"F0", "", "c ma F G T d k m q0 time"}, {"twice", "", "c ma F G T d k m q0 time"},
    {"y", "", "time k m q0 F G T d"},       {"s", "", "time k m q0 F G T d"},
    {"z", "", "time k m q0 F G T d"},       {"qa", "", "F G T c d k m ma q0 time"},
    {"Fa", "", "ma F G T c d k m q0 time"}, {"der(rail.qd)", "", "F G T d k m q0 time"},
    {"der(s)", "", "F G T d k m q0 time"}};
const Lists of_resting_on_contacts[] = {{"height", "", "k l h e"},
                                        {"N", "", "k l h e"},
                                        {"L", "", "m a mu"},
                                        {"M", "", "m a mu"},
                                        {"R", "", "m a mu"},
                                        {"x", "", "x0 mu push a m"},
                                        {"stroke", "", "ks ds kt mw r0"},
                                        {"hop", "", "kt mw r0 ds ks"},
                                        {"floor.mode", "", "k l h e"},
                                        {"left.mode", "", "m mu a"},
                                        {"held.mode", "", "mu push a m"},
                                        {"lift.qd", "", "e h k l"},
                                        {"der(lift.qd)", "", "e h k l"}};

// Dependencies through contacts, whether the model begins on one side of them or on the other.
const Lists of_touching[] = {{"ja.qd", "", "vs e"},        {"jb.qd", "", "vs e"},
                             {"der(jb.q)", "", "vs e"},    {"der(jb.qd)", "", "vs e d fl"},
                             {"ab.mode", "", "vs e d fl"}, {"lift.q", "", "h"},
                             {"lift.qd", "", "h m r"},     {"der(lift.qd)", "", "r h m"},
                             {"floor.mode", "", "r h m"},  {"load", "", "r h m"},
                             {"jd.q", "", "time amp om"},  {"der(jp.qd)", "", "p q"},
                             {"acc", "", "p q"},           {"product", "", "amp q"}};

// A loop with redundant constraints, and a mass on a rail next to it: reactions of least norm are
// one solution for all constraints.
constexpr const char* all_of_shared = "m k F a.q b.q c.q a.qd b.qd c.qd ma rail.q";
const Lists of_shared[] = {{"x", "a.q c.q", "m"},
                           {"fx", all_of_shared, "m k F ma"},
                           {"fz", all_of_shared, "m k ma"},
                           {"der(a.qd)", all_of_shared, "m k F ma"},
                           {"der(rail.qd)", all_of_shared, "m k F ma"}};

class DeclaredDependencies : public Structured {
 protected:
  static Names names(const std::string& text) {
    std::istringstream keywords(text);
    return Names(std::istream_iterator<std::string>(keywords), {});
  }
  void expect(const std::vector<Unknown>& unknowns, const std::string& name, Names expected,
              bool parameters, bool at_start) {
    SCOPED_TRACE(name);
    if (!parameters)
      for (const Variable& v : description().variables)
        if (v.causality == Causality::parameter) expected.erase(v.name);
    const auto found = std::ranges::find_if(unknowns, [&](const Unknown& unknown) {
      return unknown.variable && description().variables.at(*unknown.variable).name == name;
    });
    ASSERT_NE(found, unknowns.end());
    EXPECT_TRUE(found->has_dependencies);
    Names lists = declared(*found, parameters);
    if (at_start)  // where a reaction in any digit is listed as well
      for (const std::string& input : reacting_in_digits(*found))
        if (!expected.contains(input)) lists.erase(input);
    EXPECT_EQ(lists, expected);
  }
  void expect(std::span<const Lists> lists, bool running) {
    std::vector<Unknown> unknowns = description().structure.outputs;
    std::ranges::copy(description().structure.derivatives, std::back_inserter(unknowns));
    for (const Lists& list : lists) {
      if (running) expect(unknowns, list.unknown, names(list.running), knows_parameters(), false);
      expect(description().structure.initial_unknowns, list.unknown, names(list.start), true, true);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Importers, DeclaredDependencies,
                         testing::Combine(testing::ValuesIn(importers()), testing::Values(2, 3)),
                         [](const auto& one) {
                           return std::get<0>(one.param).name + "_Fmi" +
                                  std::to_string(std::get<1>(one.param));
                         });

TEST_P(DeclaredDependencies, FollowTheLaws) {
  for (const auto& [model, lists] : {std::pair{"scales", std::span<const Lists>(of_scales)},
                                     {"turned", of_turned},
                                     {"borders", of_borders}}) {
    SCOPED_TRACE(model);
    open(model);
    expect(lists, true);
  }
}

TEST_P(DeclaredDependencies, OfAStaticStartFollowWhatHoldsIt) {
  open("resting");
  expect(of_resting, false);
  open("resting_on_contacts");
  expect(of_resting_on_contacts, false);
}

TEST_P(DeclaredDependencies, OfClosedContactsHoldInAllModes) {
  open("touching");
  expect(of_touching, false);
}

TEST_P(DeclaredDependencies, OfSharedReactionsFollowTheLoop) {
  open("shared_joint");
  expect(of_shared, true);
}

// Events of pieces, and of what other events set.
TEST_P(DeclaredDependencies, OfIndicatorsFollowTheirConditions) {
  open("borders");
  if (std::get<1>(GetParam()) == 2) return;  // they have none
  const auto& indicators = description().structure.event_indicators;
  expect(indicators, "indicator(far)", names("time u way.q"), true, false);
  expect(indicators, "indicator(later)", names("at way_3.q"), true, false);
  expect(indicators, "indicator(turns)", names("time"), true, false);
  expect(indicators, "indicator(near[3])", names("last pull slack gap[3].q"), true, false);
  expect(indicators, "indicator(one)", names("s1 s2 push way_4.qd"), true, false);
}

// FMI 2.0 has the sizes folded in. In FMI 3.0 sizes choose branches of formulas of this model, so
// that lists are left out.
TEST_P(DeclaredDependencies, HoldForAllSizes) {
  open("resizable_sizes");
  if (std::get<1>(GetParam()) == 3) {
    for (const Unknown& unknown : description().structure.derivatives)
      EXPECT_FALSE(unknown.has_dependencies);
  } else {
    const Lists of_two[] = {{"s", "way.q", ""},          {"sum", "slow.q", ""},
                            {"q[2]", "rail[2].q", ""},   {"der(rail[2].qd)", "rail[2].q c", "c"},
                            {"der(way.qd)", "G", "G"},   {"der(lane[1].qd)", "F m", "F m"},
                            {"der(lane[2].qd)", "", "m"}};
    expect(of_two, true);
  }
}

// Events change what the factors are.
TEST_P(Structured, NoFactorIsConstantWhereEventsSetNumbers) {
  open("borders");
  for (const Unknown& unknown : description().structure.outputs)
    for (const auto& kind : unknown.kinds) EXPECT_NE(kind, "constant");
  for (const Unknown& unknown : description().structure.derivatives)
    for (const auto& kind : unknown.kinds) EXPECT_NE(kind, "constant");
}

TEST_P(Structured, InitialUnknownsLeaveNothingOut) {
  for (const char* name : others) {
    SCOPED_TRACE(name);
    open(name);
    expect_initial_unknowns(false);
  }
}

TEST_P(Structured, OutputsAndDerivativesLeaveNothingOut) {
  for (const char* name : others) {
    SCOPED_TRACE(name);
    open(name);
    expect_model_structure(false);
  }
}

TEST_P(Structured, NominalValuesAreThoseOfTheDescription) {
  bool any = false;
  for (const char* name : others) {
    SCOPED_TRACE(name);
    open(name);
    const auto instance = fmu_->instantiate({.model_exchange = true});
    ASSERT_TRUE(is_good(instance->enter_initialization({.start = 0.0})));
    ASSERT_TRUE(is_good(instance->exit_initialization()));
    std::vector<double> nominals(instance->state_count());
    ASSERT_TRUE(is_good(instance->get_nominals(nominals)));
    const auto& derivatives = description().structure.derivatives;
    ASSERT_EQ(nominals.size(), derivatives.size());
    for (std::size_t k = 0; k < nominals.size(); ++k) {
      const Variable& rate = description().variables.at(*derivatives[k].variable);
      const Variable& state = description().variables.at(*description().position(*rate.derivative));
      EXPECT_EQ(nominals[k], state.attributes.nominal.value_or(1.0)) << state.name;
      any = any || nominals[k] != 1.0;
    }
  }
  EXPECT_TRUE(any);
}

// FMI 3: between steps nothing may be looked at after something was set (FMI 2.0.5 4.2.4, FMI 3.0.2
// 4.2.1), and what the step has computed stays; the next one starts from what was set. In event
// mode, and before the start, everything follows at once, and nothing has happened yet.
TEST_P(Structured, ValuesFollowWhatIsSetWhereTheyMay) {
  open("slider_crank_joint");
  const bool events = std::get<1>(GetParam()) == 3;
  constexpr double tau = 0.005, step = 1e-3;
  const Variable& torque = *description().find("Mset");
  const Variable& damping = *description().find("d");
  const Variable& rate = *description().find("der(M)");
  const Variable& power = *description().find("P");
  const auto instance = fmu_->instantiate({.event_mode = events});
  const auto value = [&](const Variable& v) { return read(*instance, v).at(0); };
  const auto set = [&](const Variable& v, double x) {
    EXPECT_TRUE(is_good(set_value(*instance, v, Reals{x})));
  };
  ASSERT_TRUE(is_good(instance->enter_initialization({})));
  EXPECT_EQ(value(rate), 0.0);
  set(torque, 1.0);
  EXPECT_NEAR(value(rate), 1.0 / tau, 1e-10 / tau);
  ASSERT_TRUE(is_good(instance->exit_initialization()));
  const Variable& turning = *description().find("der(main.qd)");
  if (events) {
    for (const double x : {2.0, -3.0, 2.0}) {  // as often as the importer's iteration takes
      set(torque, x);
      EXPECT_NEAR(value(rate), x / tau, 1e-10 / tau);
    }
    const double before = value(turning);
    set(damping, 0.04);  // -d w on the crank: 0.02 * 150 N.m more
    const double ahead = value(turning);
    EXPECT_LT(ahead, before - 1.0);
    ASSERT_TRUE(is_good(instance->update_discrete_states().status));
    EXPECT_NEAR(value(rate), 2.0 / tau, 1e-10 / tau);
    EXPECT_NEAR(value(turning), ahead, 1e-9 * std::abs(ahead));
    ASSERT_TRUE(is_good(instance->enter_step_mode()));
  } else {
    set(torque, 2.0);
    set(damping, 0.04);
  }
  ASSERT_TRUE(is_good(instance->do_step(0.0, step).status));
  // M' = (2 - M) / tau from M = 0, as follows from P = M w.
  const double rest = 2.0 * std::exp(-step / tau);
  EXPECT_NEAR(value(rate), rest / tau, 1e-4 * rest / tau);
  const double at_end = value(rate), power_at_end = value(power);
  set(torque, 20.0);
  EXPECT_EQ(value(rate), at_end);
  EXPECT_EQ(value(power), power_at_end);
  constexpr double tiny = 1e-9;
  ASSERT_TRUE(is_good(instance->do_step(step, tiny).status));
  EXPECT_NEAR(value(rate), at_end + 18.0 / tau, 1e-5 * 20.0 / tau);
}

}  // namespace
}  // namespace mbs::test
