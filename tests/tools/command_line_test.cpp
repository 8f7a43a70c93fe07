// mbsfmu as a person uses it: what it prints, what it exits with, what it leaves on the disk.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tools/import/fmu.hpp"

namespace mbs {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int exit_code = -1;
  std::string text;  // both streams
};

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "mbs_command_line_test";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Outcome mbsfmu(const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() + "' && '" +
                                std::string(std::getenv("MBSFMU")) + "' " + arguments + " 2>&1";
    Outcome run;
    std::FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
      run.text.append(buffer, n);
    const int status = pclose(pipe);
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return run;
  }
  std::string source(const std::string& path) const {
    return "'" + std::string(std::getenv("MBS_SOURCE")) + "/" + path + "'";
  }
  std::string content(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  fs::path folder_;
  const std::string slider_ = "model_templates/slider_crank/slider_crank.mbs.xml";
};

#define EXPECT_SAYS(run, words) \
  EXPECT_NE((run).text.find(words), std::string::npos) << "in: " << (run).text

TEST_F(CommandLine, HelpTeaches) {
  const Outcome help = mbsfmu("--help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* word : {"build", "check", "info", "simulate", "crane.mbs.xml"})
    EXPECT_SAYS(help, word);
  for (const char* subcommand : {"build", "check", "info", "simulate"}) {
    const Outcome run = mbsfmu(std::string(subcommand) + " --help");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GT(run.text.size(), 100u);
  }
}

TEST_F(CommandLine, WrongUsageIsToldAndHasItsExitCode) {
  EXPECT_EQ(mbsfmu("").exit_code, 2);
  EXPECT_EQ(mbsfmu("bild x.mbs.xml").exit_code, 2);
  EXPECT_EQ(mbsfmu("build").exit_code, 2);
  const Outcome run = mbsfmu("build x.mbs.xml --fmi 4.0");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_SAYS(run, "--fmi");
  EXPECT_EQ(files(), 0u);
}

TEST_F(CommandLine, BuildsAndRunsTheSliderCrank) {
  for (const std::string version : {"2.0", "3.0"}) {
    const Outcome build = mbsfmu("build " + source(slider_) + " --fmi " + version + " -o s.fmu");
    ASSERT_EQ(build.exit_code, 0) << build.text;
    EXPECT_SAYS(build, "no findings");
    const Outcome check = mbsfmu("check s.fmu");
    EXPECT_EQ(check.exit_code, 0) << check.text;
    const Outcome run = mbsfmu("simulate s.fmu --set Mset=2 -o fmu.csv");
    ASSERT_EQ(run.exit_code, 0) << run.text;
    const Outcome direct =
        mbsfmu("simulate " + source(slider_) + " --set 'Mset=2 N.m' -o model.csv");
    ASSERT_EQ(direct.exit_code, 0) << direct.text;
    EXPECT_EQ(content("fmu.csv").substr(0, 60), content("model.csv").substr(0, 60));
    EXPECT_SAYS(mbsfmu("info s.fmu"), "FMI " + version);
  }
}

TEST_F(CommandLine, InfoShowsSizeAndVariables) {
  const Outcome run = mbsfmu("info " + source(slider_));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_SAYS(run, "9 positions, 9 velocities, 8 constraints");
  EXPECT_SAYS(run, "crank radius");
  EXPECT_SAYS(run, "Mset");
}

TEST_F(CommandLine, CheckReportsWhatMovedAtTheStart) {
  const Outcome run = mbsfmu("check " + source(slider_));
  EXPECT_EQ(run.exit_code, 0) << run.text;
  EXPECT_SAYS(run, "slider");
}

TEST_F(CommandLine, AFailedBuildLeavesNothing) {
  write("broken.mbs.xml", "<mbs name='B' version='1'><boddy name='x'/></mbs>");
  const Outcome run = mbsfmu("build broken.mbs.xml -o broken.fmu");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_SAYS(run, "broken.mbs.xml:1:");
  EXPECT_SAYS(run, "body");
  EXPECT_EQ(files(), 1u);
}

TEST_F(CommandLine, AFailedBuildDoesNotTouchAnOldFmu) {
  ASSERT_EQ(mbsfmu("build " + source(slider_) + " -o old.fmu -q").exit_code, 0);
  const std::string before = content("old.fmu");
  EXPECT_EQ(
      mbsfmu("build " + source("tests/tools/models/redundant.mbs.xml") + " -o old.fmu").exit_code,
      1);
  EXPECT_EQ(content("old.fmu"), before);
  EXPECT_EQ(files(), 1u);
}

TEST_F(CommandLine, ABuildCanBeRepeatedToTheByte) {
  ASSERT_EQ(setenv("SOURCE_DATE_EPOCH", "1700000000", 1), 0);
  ASSERT_EQ(mbsfmu("build " + source(slider_) + " -o a.fmu -q").exit_code, 0);
  ASSERT_EQ(mbsfmu("build " + source(slider_) + " -o b.fmu -q").exit_code, 0);
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_EQ(content("a.fmu"), content("b.fmu"));
  EXPECT_NE(
      import::read_description(folder_ / "a.fmu").generation_date.find("2023-11-14T22:13:20Z"),
      std::string::npos);
}

TEST_F(CommandLine, RedundantJointsAreNamed) {
  const Outcome run = mbsfmu("check " + source("tests/tools/models/redundant.mbs.xml"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_SAYS(run, "redundant");
  for (const char* joint : {"A", "B", "C", "D"}) EXPECT_SAYS(run, std::string("'") + joint + "'");
}

TEST_F(CommandLine, ContradictoryJointsAreNamed) {
  const Outcome run = mbsfmu("check " + source("tests/tools/models/contradictory.mbs.xml"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_SAYS(run, "'left'");
  EXPECT_SAYS(run, "'right'");
}

TEST_F(CommandLine, MistakesInAssignmentsAreTold) {
  Outcome run = mbsfmu("simulate " + source(slider_) + " --set nonsense=1");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_SAYS(run, "nonsense");
  run = mbsfmu("simulate " + source(slider_) + " --set 'r=3 kg'");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_SAYS(run, "kg");
  run = mbsfmu("simulate " + source(slider_) + " --set 'Mset=3 kg'");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_SAYS(run, "N.m");
  EXPECT_EQ(mbsfmu("simulate " + source(slider_) + " --set r").exit_code, 2);
  EXPECT_EQ(files(), 0u);
}

TEST_F(CommandLine, StructuralParametersAreSetAtTheBuild) {
  const std::string chain = source("model_templates/insulator_chain/insulator_chain.mbs.xml");
  const Outcome build = mbsfmu("build " + chain + " --set N=4 -o c.fmu");
  ASSERT_EQ(build.exit_code, 0) << build.text;
  EXPECT_SAYS(build, "6 bodies");
  EXPECT_EQ(mbsfmu("simulate c.fmu --stop 0.01 -o c.csv").exit_code, 0);
}

TEST_F(CommandLine, AnInputTableMovesTheModel) {
  write("torque.csv", "time,Mset [kN.m]\n0,0\n0.05,0.002\n0.1,0\n");
  const Outcome direct = mbsfmu("simulate " + source(slider_) + " --inputs torque.csv -o d.csv");
  ASSERT_EQ(direct.exit_code, 0) << direct.text;
  ASSERT_EQ(mbsfmu("build " + source(slider_) + " -o s.fmu -q").exit_code, 0);
  const Outcome fmu = mbsfmu("simulate s.fmu --inputs torque.csv -o f.csv");
  ASSERT_EQ(fmu.exit_code, 0) << fmu.text;
  EXPECT_NE(content("d.csv"), "");
}

TEST_F(CommandLine, FilesThatAreNotThereOrNotWhatTheySay) {
  EXPECT_EQ(mbsfmu("check nothing.mbs.xml").exit_code, 1);
  EXPECT_EQ(mbsfmu("simulate nothing.fmu").exit_code, 1);
  write("text.fmu", "this is no archive");
  const Outcome run = mbsfmu("check text.fmu");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(mbsfmu("info text.fmu").exit_code, 1);
  EXPECT_EQ(mbsfmu("build " + source(slider_) + " -o /nowhere/s.fmu").exit_code, 1);
}

}  // namespace
}  // namespace mbs
