// The points at which results are written, and the continuous solution and its reader, as a person
// uses them.

#include <cmath>

#include "tests/tools/mbsfmu/command_line.hpp"
#include "tools/report/table.hpp"

namespace mbs::test {
namespace {

// x = sin(w t) / w
constexpr const char* oscillator = R"(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Swing" version="1" planar="xy">
  <body name="mass" mass="1 kg"/>
  <prismatic name="rail" a="ground" b="mass" axis="x" qd="1 m/s"/>
  <frame name="wall" pos="-1 m, 0"/>
  <spring name="spring" a="wall" b="mass" stiffness="40 N/m" length="1 m"/>
  <event name="turn" when="rail.qd == 0"/>
  <output name="x" of="rail" quantity="q" unit="m"/>
  <output name="v" of="rail" quantity="qd"/>
  <solver rtol="1e-9" atol="1e-9" stop_time="1 s" output_step="0.25 s"/>
</mbs>)";
const double w = std::sqrt(40.0);

class DenseOutput : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("swing.mbs.xml", oscillator);
  }
  Table run(const std::string& options) const {
    const Outcome outcome = mbsfmu("simulate swing.mbs.xml -o out.csv " + options);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    Table table = read_csv(folder_ / "out.csv");
    for (std::size_t i = 0; i < table.times.size(); ++i)
      EXPECT_NEAR(table.rows[i][0], std::sin(w * table.times[i]) / w, 1e-7) << table.times[i];
    return table;
  }
};

TEST_F(DenseOutput, EventsArePrintedAndHaveRows) {
  EXPECT_TRUE(says(mbsfmu("simulate swing.mbs.xml"), "event 'turn' at t = 0.248"));
  const Table table = run("");
  ASSERT_EQ(table.times.size(), 5u + 2u);  // after 1/4 and 3/4 of a period of 0.9935 s
}

TEST_F(DenseOutput, TakesPointsInFourWays) {
  const Table times = run("--times 0.1,0.125,0.9");
  EXPECT_EQ(times.times, (std::vector<double>{0.1, 0.125, 0.9}));

  const Table steps = run("--per-step 0"), three = run("--per-step 3 --outputs x");
  const std::size_t events = 2, count = steps.times.size() - events - 1;
  EXPECT_GE(count, 2u);
  EXPECT_EQ(three.times.size(), 4 * count + events + 1);
  EXPECT_EQ(three.columns.size(), 1u);
  EXPECT_EQ(three.times.back(), 1.0);

  const Table even = run("--longest 0.01");
  for (std::size_t i = 1; i < even.times.size(); ++i)
    EXPECT_LE(even.times[i] - even.times[i - 1], 0.01 * (1.0 + 1e-9));
  run("--dense-order 3 --times 0.0001");
}

TEST_F(DenseOutput, WrongOptionsAreReported) {
  EXPECT_TRUE(says(mbsfmu("simulate swing.mbs.xml --times 1 --step 0.1"), "excludes"));
  EXPECT_TRUE(says(mbsfmu("simulate swing.mbs.xml --times 0.2,0.1"), "must increase"));
  EXPECT_TRUE(says(mbsfmu("simulate swing.mbs.xml --times 2"), "between 0 s and 1 s"));
  EXPECT_TRUE(says(mbsfmu("simulate swing.mbs.xml --longest 0"), "above 0"));
  EXPECT_TRUE(says(mbsfmu("simulate swing.mbs.xml --outputs y"), "no output 'y'"));
}

TEST_F(DenseOutput, TheContinuousSolutionIsReadWithoutTheModel) {
  run("--dump s.mbsd");
  fs::remove(folder_ / "swing.mbs.xml");
  const Outcome list = mbsfmu("interpolate s.mbsd --list");
  EXPECT_TRUE(says(list, "mass.x"));
  EXPECT_TRUE(says(list, "der(mass.vx)"));
  const Outcome outcome =
      mbsfmu("interpolate s.mbsd --step 0.001 --of 'mass.x,mass.vx,der(mass.vx)' -o i.csv");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  const Table table = read_csv(folder_ / "i.csv");
  ASSERT_EQ(table.times.size(), 1001u);
  for (std::size_t i = 0; i < table.times.size(); ++i) {
    const double phase = w * table.times[i];
    EXPECT_NEAR(table.rows[i][0], std::sin(phase) / w, 1e-7);
    EXPECT_NEAR(table.rows[i][1], std::cos(phase), 1e-6);
    EXPECT_NEAR(table.rows[i][2], -w * std::sin(phase), 1e-5);
  }
  ASSERT_EQ(mbsfmu("interpolate s.mbsd --times 0,0.3,1 -o i.csv").exit_code, 0);
  EXPECT_EQ(read_csv(folder_ / "i.csv").times, (std::vector<double>{0.0, 0.3, 1.0}));
  for (const char* wrong : {"--times 1.1", "--times -0.1", "--times 0.2,0.1", "--step 0", "",
                            "--times 0.1 --of nothing", "--times nan", "--step 1e-12"})
    EXPECT_NE(mbsfmu(std::string("interpolate s.mbsd ") + wrong).exit_code, 0) << wrong;
  EXPECT_TRUE(says(mbsfmu("interpolate i.csv --list"), "no file that"));
}

TEST_F(DenseOutput, ADumpDoesNotChangeTheRunAndEndsWithIt) {
  run("");
  const std::string plain = content("out.csv");
  run("--dump s.mbsd");
  EXPECT_EQ(content("out.csv"), plain);
  const std::string good = content("s.mbsd");
  EXPECT_EQ(mbsfmu("simulate swing.mbs.xml --dump s.mbsd --times 7").exit_code, 1);
  EXPECT_TRUE(says(mbsfmu("simulate swing.mbs.xml --dump both -o ./both"), "two names"));
  EXPECT_EQ(content("s.mbsd"), good) << "a good file stays";
}

}  // namespace
}  // namespace mbs::test
