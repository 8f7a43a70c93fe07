// The importer against the tiny FMU: loading and its failures, values of every type, messages,
// event mode.
#include "tools/import/fmu.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>

#include "tests/tools/import/tiny/tiny.h"
#include "tests/tools/import/zip_builder.hpp"
#include "tools/import/native.hpp"

namespace mbs::test {
namespace {

using namespace import;  // NOLINT: the test is about all of it

std::string message_of(const std::filesystem::path& file) {
  try {
    open_fmu(file);
    return "";
  } catch (const ImportError& error) {
    return error.what();
  }
}

double real(Instance& instance, ValueReference reference) {
  double value = NAN;
  EXPECT_EQ(instance.get_real({&reference, 1}, {&value, 1}), Status::ok);
  return value;
}

class Loading : public testing::TestWithParam<int> {
 protected:
  Loading() : entries_(tiny_entries(GetParam())) {}
  std::string& xml() { return entry_named(entries_, "modelDescription.xml").content; }
  std::string message() {
    make_zip(file_, entries_);
    return message_of(file_);
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "x.fmu";
  std::vector<ZipEntry> entries_;
};

TEST_P(Loading, OpensAGoodFmu) {
  EXPECT_EQ(message(), "");
}

TEST_P(Loading, NeedsADescription) {
  entries_.erase(entries_.begin());
  EXPECT_NE(message().find("has no modelDescription.xml"), std::string::npos);
}

TEST_P(Loading, ReportsProblemsWithLines) {
  replace_once(xml(), "valueReference=\"3\"", "valueReference=\"three\"");
  const std::string text = message();
  EXPECT_NE(text.find("x.fmu: modelDescription.xml cannot be used\n  line "), std::string::npos);
  EXPECT_NE(text.find("valueReference=\"three\""), std::string::npos);
}

TEST_P(Loading, NeedsCoSimulation) {
  const std::size_t at = xml().find("  <CoSimulation");
  xml().erase(at, xml().find('\n', at) + 1 - at);
  EXPECT_NE(message().find("is no co-simulation FMU"), std::string::npos);
}

TEST_P(Loading, RefusesAModelIdentifierThatIsAPath) {
  replace_once(xml(), "modelIdentifier=\"tiny\"", "modelIdentifier=\"../../tiny\"");
  EXPECT_NE(message().find("modelIdentifier=\"../../tiny\" is no C identifier"), std::string::npos);
}

TEST_P(Loading, NamesThePlatformsThereAre) {
  for (ZipEntry& entry : entries_)
    if (entry.name.ends_with(".so")) entry.name = "binaries/win64/tiny.dll";
  EXPECT_NE(message().find("is not in the FMU, which has binaries for win64"), std::string::npos);
}

TEST_P(Loading, SaysWhenTheLibraryIsNone) {
  for (ZipEntry& entry : entries_)
    if (entry.name.ends_with(".so")) entry.content = "no library";
  EXPECT_NE(message().find("the FMU's library cannot be loaded"), std::string::npos);
}

TEST_P(Loading, NamesMissingFunctions) {
  const std::string name =
      GetParam() == 2 ? "fmi2GetDirectionalDerivative" : "fmi3GetAdjointDerivative";
  std::string other = name;
  other.back() = 'X';
  for (ZipEntry& entry : entries_)
    if (entry.name.ends_with(".so"))
      for (std::size_t at = 0; (at = entry.content.find(name, at)) != std::string::npos;)
        entry.content.replace(at, name.size(), other);
  // The dynamic loader finds symbols by hash, so a renamed one is not found under either name.
  EXPECT_NE(message().find("lacks functions that every FMU must export: " + name),
            std::string::npos);
}

TEST_P(Loading, ReportsTheMessagesOfAnFmuThatRefuses) {
  make_zip(file_, entries_);
  const auto fmu = open_fmu(file_);
  try {
    fmu->instantiate({.token = "other"});
    FAIL() << "accepted";
  } catch (const ImportError& error) {
    EXPECT_NE(std::string(error.what()).find("refused to be instantiated\n  "), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("wrong"), std::string::npos);
  }
}

// In both versions # is written twice where it does not refer to a variable.
TEST(Messages, AreReadAsTheyAreMeant) {
  EXPECT_EQ(message_text(""), "");
  EXPECT_EQ(message_text("#r1365# must be positive (IO channel ##4)"),
            "#r1365# must be positive (IO channel #4)");
  EXPECT_EQ(message_text("##r12##, #7##i8###"), "#r12#, #7##i8##");
  EXPECT_EQ(message_text("a # alone, #5 too, #rx# #"), "a # alone, #5 too, #rx# #");
  EXPECT_EQ(message_text("####"), "##");
}

TEST_P(Loading, InstancesOutliveTheirFmu) {
  make_zip(file_, entries_);
  auto fmu = open_fmu(file_);
  const auto instance = fmu->instantiate();
  fmu.reset();
  EXPECT_EQ(real(*instance, TINY_K), 4);
}

INSTANTIATE_TEST_SUITE_P(Versions, Loading, testing::Values(2, 3));

class Running : public testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Fmu> fmu_ = open_fmu(GetParam() == 2 ? TINY_FMU2 : TINY_FMU3);
};

TEST_P(Running, GetsAndSetsEveryVariable) {
  const auto instance = fmu_->instantiate();
  for (const Variable& variable : fmu_->description().variables) {
    SCOPED_TRACE(variable.name);
    if (!variable.start) continue;
    const std::size_t count = *element_count(fmu_->description(), variable);
    Value value;
    EXPECT_EQ(get_value(*instance, variable, count, value), Status::ok);
    EXPECT_EQ(value, *variable.start);
    Value changed = *variable.start;
    if (auto* reals = std::get_if<Reals>(&changed)) reals->back() = 0.75;
    if (auto* integers = std::get_if<Integers>(&changed))
      integers->back() = variable.type == VariableType::boolean ? 0 : 100;
    if (auto* strings = std::get_if<Strings>(&changed)) strings->back() = "new";
    EXPECT_EQ(set_value(*instance, variable, changed), Status::ok);
    EXPECT_EQ(get_value(*instance, variable, count, value), Status::ok);
    EXPECT_EQ(value, changed);
  }
}

TEST_P(Running, StepsLikeTheFormula) {
  const auto instance = fmu_->instantiate();
  ASSERT_EQ(instance->enter_initialization({.start = 0, .stop = 1}), Status::ok);
  ASSERT_EQ(instance->exit_initialization(), Status::ok);
  const StepResult result = instance->do_step(0, 0.5);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.time, 0.5);
  // Euler on x'' = -4 x with h = 1 ms: x + v / 2i turns by 1 + 2i h in each step.
  const std::complex<double> exact = std::pow(std::complex<double>(1, 2e-3), 500);
  EXPECT_NEAR(real(*instance, TINY_X), exact.real(), 1e-12);
  EXPECT_NEAR(real(*instance, TINY_V), -2 * exact.imag(), 1e-12);
  const std::int32_t order = 1;
  const ValueReference x = TINY_X;
  double derivative = 0;
  EXPECT_EQ(instance->get_output_derivatives({&x, 1}, {&order, 1}, {&derivative, 1}), Status::ok);
  EXPECT_EQ(derivative, real(*instance, TINY_V));
}

TEST_P(Running, PassesStatusAndMessagesOn) {
  const auto instance = fmu_->instantiate({.logging = true});
  const ValueReference wrong = 77;
  double value = 0;
  EXPECT_EQ(instance->get_real({&wrong, 1}, {&value, 1}), Status::error);
  EXPECT_EQ(instance->do_step(0, -1).status, Status::error);
  const auto messages = instance->messages();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[1].status, Status::error);
  EXPECT_EQ(messages[1].category, "logStatusError");
  EXPECT_EQ(messages[1].text, "the call is not allowed now");
  EXPECT_EQ(instance->set_debug_logging(false, {}), Status::ok);
  EXPECT_EQ(instance->do_step(0, -1).status, Status::error);
  EXPECT_EQ(instance->messages().size(), 2u);
}

TEST_P(Running, ReturnsErrorForWhatTheFmuCannotDo) {
  const auto instance = fmu_->instantiate();
  const ValueReference u = TINY_U, x = TINY_X;
  const double seed = 1;
  double result = 0;
  EXPECT_EQ(instance->directional_derivative({&x, 1}, {&u, 1}, {&seed, 1}, {&result, 1}),
            Status::error);
  EXPECT_EQ(instance->adjoint_derivative({&x, 1}, {&u, 1}, {&seed, 1}, {&result, 1}),
            Status::error);
  EXPECT_EQ(instance->enter_configuration_mode(), Status::error);
  const std::int32_t order = 1;
  EXPECT_EQ(instance->set_input_derivatives({&u, 1}, {&order, 1}, {&seed, 1}), Status::error);
  if (GetParam() == 2) {
    EXPECT_EQ(instance->enter_event_mode(), Status::error);
    EXPECT_EQ(instance->update_discrete_states().status, Status::error);
    EXPECT_EQ(instance->enter_step_mode(), Status::error);
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, Running, testing::Values(2, 3));

// The FMU of another vendor may return any status.
TEST(Status, OutsideOfTheEnumerationIsFatal) {
  const Library library2(TINY_LIBRARY2);
  Functions2 functions2 = library2.functions<Functions2>();
  functions2.Reset = [](fmi2Component) { return static_cast<fmi2Status>(7); };
  functions2.Terminate = [](fmi2Component) { return static_cast<fmi2Status>(fmi2Pending); };
  const ModelDescription description = read_description(TINY_FMU2);
  const auto instance2 = make_instance2(std::make_shared<const Functions2>(functions2), description,
                                        [&](const fmi2CallbackFunctions& callbacks) {
                                          return functions2.Instantiate(
                                              "a", fmi2CoSimulation, description.token.c_str(),
                                              "file:///", &callbacks, fmi2False, fmi2False);
                                        });
  EXPECT_EQ(instance2->reset(), Status::fatal);
  EXPECT_EQ(instance2->terminate(), Status::pending);

  const auto fmu3 = open_fmu(TINY_FMU3);
  const Library library3(find_library(fmu3->folder(), fmu3->description()));
  Functions3 functions3 = library3.functions<Functions3>();
  functions3.Reset = [](fmi3Instance) { return static_cast<fmi3Status>(5); };
  const auto instance3 =
      make_instance3(std::make_shared<const Functions3>(functions3), fmu3->description(), {},
                     [&](fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                         fmi3IntermediateUpdateCallback update) {
                       return functions3.InstantiateCoSimulation(
                           "a", fmu3->description().token.c_str(), nullptr, false, false, false,
                           false, nullptr, 0, environment, log, update);
                     });
  EXPECT_EQ(instance3->reset(), Status::fatal);
}

TEST(Fmi3, ReturnsEarlyAtEventsAndContinues) {
  const auto fmu = open_fmu(TINY_FMU3);
  const auto instance = fmu->instantiate({.event_mode = true, .early_return = true});
  ASSERT_EQ(instance->enter_initialization({.start = 0.5}), Status::ok);
  ASSERT_EQ(instance->exit_initialization(), Status::ok);
  EXPECT_FALSE(instance->update_discrete_states().needed_again);
  ASSERT_EQ(instance->enter_step_mode(), Status::ok);
  const StepResult early = instance->do_step(0.5, 2);
  EXPECT_TRUE(early.early_return);
  EXPECT_TRUE(early.event_needed);
  EXPECT_EQ(early.time, 1.0);
  EXPECT_EQ(instance->enter_event_mode(), Status::ok);
  EXPECT_EQ(instance->update_discrete_states().status, Status::ok);
  EXPECT_EQ(instance->enter_step_mode(), Status::ok);
  std::int64_t count = 0;
  const ValueReference reference = TINY_COUNT;
  EXPECT_EQ(instance->get_integer(VariableType::int32, {&reference, 1}, {&count, 1}), Status::ok);
  EXPECT_EQ(count, 1);
}

TEST(Fmi3, CallsTheIntermediateUpdate) {
  const auto fmu = open_fmu(TINY_FMU3);
  std::vector<IntermediateUpdate> updates;
  const auto instance = fmu->instantiate(
      {.intermediate_update = [&](const IntermediateUpdate& update) -> std::optional<double> {
        updates.push_back(update);
        return std::nullopt;
      }});
  ASSERT_EQ(instance->enter_initialization({}), Status::ok);
  ASSERT_EQ(instance->exit_initialization(), Status::ok);
  ASSERT_EQ(instance->do_step(0, 0.5).status, Status::ok);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].time, 0.5);
  EXPECT_TRUE(updates[0].step_finished);
}

}  // namespace
}  // namespace mbs::test
