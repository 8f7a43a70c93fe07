// mbsfmu and FMUs of others: units that are not SI, and code that need not be run.

#include "tests/tools/import/zip_builder.hpp"
#include "tests/tools/mbsfmu/command_line.hpp"
#include "tools/report/table.hpp"

namespace mbs::test {
namespace {

class ForeignFmu : public CommandLine {
 protected:
  // The tiny FMU with its length x in a unit of its own, 1000 m + 5 m, and its input in mm.
  void SetUp() override {
    CommandLine::SetUp();
    auto entries = tiny_entries(2);
    std::string& xml = entry_named(entries, "modelDescription.xml").content;
    replace_once(xml, "unit=\"m\" displayUnit=\"mm\"", "unit=\"odd\"");
    replace_once(xml, "<Unit name=\"m/s\">",
                 "<Unit name=\"odd\"><BaseUnit m=\"1\" factor=\"1000\" offset=\"5\"/></Unit>"
                 "<Unit name=\"mm\"><BaseUnit m=\"1\" factor=\"0.001\"/></Unit>"
                 "<Unit name=\"thing\"/><Unit name=\"m/s\">");
    replace_once(xml, "<Real start=\"0\"/>", "<Real start=\"0\" unit=\"mm\"/>");
    make_zip(folder_ / "odd.fmu", entries);
    replace_once(xml, "<Real start=\"0\" unit=\"mm\"/>", "<Real start=\"0\" unit=\"thing\"/>");
    make_zip(folder_ / "thing.fmu", entries);
  }
};

TEST_F(ForeignFmu, ResultsAreInSi) {
  ASSERT_EQ(mbsfmu("simulate odd.fmu -o own.csv -q").exit_code, 0);
  ASSERT_EQ(mbsfmu("simulate odd.fmu --si -o si.csv -q").exit_code, 0);
  EXPECT_EQ(content("si.csv").substr(0, content("si.csv").find('\n')),
            "time [s],x [m],v [m/s],count");
  const Table si = read_csv(folder_ / "si.csv");
  std::istringstream own(content("own.csv"));
  std::string line;
  ASSERT_TRUE(std::getline(own, line));
  EXPECT_EQ(line, "time [s],x [odd],v [m/s],count");
  for (const auto& row : si.rows) {
    ASSERT_TRUE(std::getline(own, line));
    const double x = std::stod(line.substr(line.find(',') + 1));
    EXPECT_NEAR(row[0], 1000.0 * x + 5.0, 1e-9);
  }
}

TEST_F(ForeignFmu, InputsGoIntoItsOwnUnit) {
  // Without a unit the numbers are the FMU's own; 4 mm are 0.004 m. x stays at 1 for an input of 4.
  const auto run = [&](const std::string& heading, const std::string& value) {
    write("in.csv", "time," + heading + "\n0," + value + "\n9," + value + "\n");
    const Outcome outcome = mbsfmu("simulate odd.fmu --inputs in.csv -o out.csv -q");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    return content("out.csv");
  };
  const std::string bare = run("u", "4");
  EXPECT_NE(bare.find("\n3,1,"), std::string::npos) << bare;
  EXPECT_EQ(run("u [mm]", "4"), bare);
  EXPECT_EQ(run("u [m]", "0.004"), bare);
}

TEST_F(ForeignFmu, RefusesInputsInUnitsThatCannotBeConverted) {
  write("in.csv", "time,u [kg]\n0,4\n");
  Outcome outcome = mbsfmu("simulate odd.fmu --inputs in.csv -o out.csv");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(says(outcome, "'u [kg]'"));
  EXPECT_TRUE(says(outcome, "'mm'"));
  write("in.csv", "time,u [mm]\n0,4\n");
  outcome = mbsfmu("simulate thing.fmu --inputs in.csv -o out.csv");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(says(outcome, "'thing'"));
  EXPECT_FALSE(fs::exists(folder_ / "out.csv"));
}

TEST_F(ForeignFmu, CanBeCheckedWithoutBeingRun) {
  make_zip(folder_ / "bad.fmu", defective_entries(3, "crash"));
  const Outcome run = mbsfmu("check bad.fmu");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "crashes"));
  const Outcome still = mbsfmu("check bad.fmu --no-run");
  EXPECT_EQ(still.exit_code, 0) << still.text;
  EXPECT_TRUE(says(mbsfmu("check --help"), "run"));
  EXPECT_TRUE(says(mbsfmu("check --help"), "--no-run"));
}

}  // namespace
}  // namespace mbs::test
