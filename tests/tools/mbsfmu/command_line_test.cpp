// mbsfmu as a person uses it: its output, its exit codes, its files.

#include "tests/tools/mbsfmu/command_line.hpp"

#include <sys/stat.h>

#include <fstream>

#include "tools/import/fmu.hpp"
#include "tools/report/table.hpp"

namespace mbs::test {
namespace {

// Expects the same columns, times and values, up to the rounding of display units.
void expect_same_table(const fs::path& a, const fs::path& b) {
  const Table x = read_csv(a), y = read_csv(b);
  ASSERT_EQ(x.columns.size(), y.columns.size());
  for (std::size_t k = 0; k < x.columns.size(); ++k) {
    EXPECT_EQ(x.columns[k].name, y.columns[k].name);
    EXPECT_EQ(x.columns[k].unit, y.columns[k].unit);
  }
  ASSERT_EQ(x.times, y.times);
  for (std::size_t i = 0; i < x.rows.size(); ++i)
    for (std::size_t k = 0; k < x.columns.size(); ++k)
      ASSERT_NEAR(x.rows[i][k], y.rows[i][k], 1e-14 * std::abs(x.rows[i][k]))
          << x.columns[k].name << " at " << x.times[i];
}

TEST_F(CommandLine, HelpTeaches) {
  const Outcome help = mbsfmu("--help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* keyword : {"build", "check", "info", "interpolate", "simulate", "crane.mbs.xml"})
    EXPECT_TRUE(says(help, keyword));
  for (const char* subcommand : {"build", "check", "info", "interpolate", "simulate"}) {
    const Outcome run = mbsfmu(std::string(subcommand) + " --help");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GT(run.text.size(), 100u);
  }
}

TEST_F(CommandLine, WrongUsageIsReportedWithItsExitCode) {
  EXPECT_EQ(mbsfmu("").exit_code, 2);
  EXPECT_EQ(mbsfmu("bild x.mbs.xml").exit_code, 2);
  EXPECT_EQ(mbsfmu("build").exit_code, 2);
  const Outcome run = mbsfmu("build x.mbs.xml --fmi 4.0");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(says(run, "--fmi"));
  EXPECT_EQ(files(), 0u);
}

TEST_F(CommandLine, RunsForInitialValuesAlone) {
  const Outcome run = mbsfmu("simulate " + source(slider_) + " --stop 0 -o start.csv");
  ASSERT_EQ(run.exit_code, 0) << run.text;
  EXPECT_TRUE(says(run, "Initial values are consistent"));
  const Table table = read_csv(folder_ / "start.csv");
  ASSERT_EQ(table.times.size(), 1u);
  EXPECT_EQ(table.times[0], 0.0);
  EXPECT_EQ(mbsfmu("simulate " + source(slider_) + " --stop -1").exit_code, 1);
  std::ofstream(folder_ / "given.mbs.xml") << R"xml(<mbs name="Given" version="1" planar="xy">
  <body name="bob" mass="1 kg" inertia="1 kg.m^2"/>
  <revolute name="pin" a="ground" b="bob" q="1 rad" qd="2 rad/s"/>
  <output name="q" value="pin.q"/>
  <condition name="still" value="pin.qd"/>
  <init conditions="given"/>
</mbs>)xml";
  const Outcome context = mbsfmu("simulate given.mbs.xml --stop 0");
  EXPECT_EQ(context.exit_code, 1);
  EXPECT_TRUE(says(context, "-1105"));
  EXPECT_TRUE(says(context, "'still'"));
}

TEST_F(CommandLine, BuildsAndRunsTheSliderCrank) {
  for (const std::string version : {"2.0", "3.0"}) {
    const Outcome build = mbsfmu("build " + source(slider_) + " --fmi " + version + " -o s.fmu");
    ASSERT_EQ(build.exit_code, 0) << build.text;
    EXPECT_TRUE(says(build, "no findings"));
    const Outcome check = mbsfmu("check s.fmu");
    EXPECT_EQ(check.exit_code, 0) << check.text;
    const Outcome run = mbsfmu("simulate s.fmu --set Mset=2 -o fmu.csv");
    ASSERT_EQ(run.exit_code, 0) << run.text;
    const Outcome direct =
        mbsfmu("simulate " + source(slider_) + " --set 'Mset=2 N.m' -o model.csv");
    ASSERT_EQ(direct.exit_code, 0) << direct.text;
    expect_same_table(folder_ / "fmu.csv", folder_ / "model.csv");
    EXPECT_TRUE(says(mbsfmu("info s.fmu"), "FMI " + version));
  }
}

TEST_F(CommandLine, InfoShowsSizeAndVariables) {
  const Outcome run = mbsfmu("info " + source(slider_));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(says(run, "3 positions, 3 velocities, 2 constraints"));
  EXPECT_TRUE(says(run, "crank radius"));
  EXPECT_TRUE(says(run, "Mset"));
}

TEST_F(CommandLine, CheckReportsWhatMovedAtTheStart) {
  // The slider's place was a guess, in every choice of coordinates.
  const struct {
    const char *coordinates, *moved;
  } ways[] = {{"auto", "guide.q  0.45 -> 0.3867"},
              {"absolute", "slider.x  0.45 -> 0.3867"},
              {"joint", "guide.q  0.45 -> 0.3867"},
              {"mixed", "slider.x  0.45 -> 0.3867"}};
  for (const auto& [coordinates, moved] : ways) {
    const Outcome run =
        mbsfmu("check " + source(slider_) + " --set solver.coordinates=" + coordinates);
    EXPECT_EQ(run.exit_code, 0) << run.text;
    EXPECT_TRUE(says(run, "Positions moved:"));
    EXPECT_TRUE(says(run, moved));
  }
}

TEST_F(CommandLine, AFailedBuildLeavesNothing) {
  write("broken.mbs.xml", "<mbs name='B' version='1'><boddy name='x'/></mbs>");
  const Outcome run = mbsfmu("build broken.mbs.xml -o broken.fmu");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "broken.mbs.xml:1:"));
  EXPECT_TRUE(says(run, "body"));
  EXPECT_EQ(files(), 1u);
}

TEST_F(CommandLine, AFailedBuildDoesNotTouchAnOldFmu) {
  ASSERT_EQ(mbsfmu("build " + source(slider_) + " -o old.fmu -q").exit_code, 0);
  const std::string before = content("old.fmu");
  EXPECT_EQ(mbsfmu("build " + source("tests/tools/mbsfmu/models/redundant.mbs.xml") + " -o old.fmu")
                .exit_code,
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
  const Outcome run = mbsfmu("check " + source("tests/tools/mbsfmu/models/redundant.mbs.xml"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "redundant"));
  for (const char* joint : {"A", "B", "C", "D"})
    EXPECT_TRUE(says(run, std::string("'") + joint + "'"));
}

TEST_F(CommandLine, ContradictoryJointsAreNamed) {
  const Outcome run = mbsfmu("check " + source("tests/tools/mbsfmu/models/contradictory.mbs.xml"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "'left'"));
  EXPECT_TRUE(says(run, "'right'"));
}

TEST_F(CommandLine, MistakesInAssignmentsAreReported) {
  Outcome run = mbsfmu("simulate " + source(slider_) + " --set nonsense=1");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "nonsense"));
  run = mbsfmu("simulate " + source(slider_) + " --set 'r=3 kg'");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "kg"));
  run = mbsfmu("simulate " + source(slider_) + " --set 'Mset=3 kg'");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "N.m"));
  EXPECT_EQ(mbsfmu("simulate " + source(slider_) + " --set r").exit_code, 2);
  EXPECT_EQ(files(), 0u);
}

TEST_F(CommandLine, TheSolverIsChosenByAKeyword) {
  const std::string model = source(slider_);
  const Outcome chosen = mbsfmu("simulate " + model +
                                " --set solver.method=midpoint --set solver.linear=tree --monitor");
  EXPECT_EQ(chosen.exit_code, 0) << chosen.text;
  EXPECT_NE(chosen.text.find("integrator: midpoint; linear solver: tree"), std::string::npos)
      << chosen.text;
  EXPECT_NE(chosen.text.find("ms factorising"), std::string::npos) << chosen.text;
  const std::string direct = content("SliderCrank.csv");
  EXPECT_EQ(mbsfmu("build " + model +
                   " --set solver.method=midpoint --set solver.linear=tree -o m.fmu -q")
                .exit_code,
            0);
  const Outcome run = mbsfmu("simulate m.fmu --log -o fmu.csv");
  EXPECT_NE(run.text.find("midpoint"), std::string::npos) << run.text;
  EXPECT_FALSE(direct.empty());
  EXPECT_TRUE(content("fmu.csv") == direct);
  const Outcome wrong = mbsfmu("build " + model + " --set solver.method=midpiont -o w.fmu");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.text.find("did you mean 'midpoint'?"), std::string::npos) << wrong.text;
  EXPECT_FALSE(fs::exists(folder_ / "w.fmu"));
}

// Any attribute of <solver>, read like one of the file, also where the file has no <solver>.
TEST_F(CommandLine, EverySettingOfTheSolverIsSetFromOutside) {
  std::ofstream(folder_ / "swing.mbs.xml")
      << R"xml(<mbs name="Swing" version="1" planar="xy"><gravity g="0, -9.81"/>
<body name="rod" mass="1 kg" inertia="0.1 kg.m^2"/><revolute name="pin" a="ground" b="rod" q="0.5"/>
<output name="phi" of="pin" quantity="q" unit="rad"/></mbs>)xml";
  const std::string model = "swing.mbs.xml";
  const std::string set = " --set 'solver.stop_time=300 ms' --set solver.output_step=1e-1";
  EXPECT_EQ(mbsfmu("simulate " + model + set + " -o a.csv").exit_code, 0);
  const std::string direct = content("a.csv");
  EXPECT_EQ(std::count(direct.begin(), direct.end(), '\n'), 5);  // a head and 4 lines
  EXPECT_EQ(mbsfmu("build " + model + set + " -o a.fmu -q").exit_code, 0);
  EXPECT_EQ(mbsfmu("simulate a.fmu -o b.csv").exit_code, 0);
  EXPECT_TRUE(content("b.csv") == direct);
  Outcome wrong = mbsfmu("check " + model + " --set solver.rtol=-1");
  EXPECT_TRUE(says(wrong, "command line: error: 'rtol' must be positive, this is -1"));
  wrong = mbsfmu("check " + model + " --set solver.metod=midpoint");
  EXPECT_TRUE(says(wrong, "did you mean 'solver.method'?"));
  wrong = mbsfmu("check " + model + " --set solver.body.mass=1");
  EXPECT_TRUE(says(wrong, "the solver has no setting 'solver.body.mass'"));
}

TEST_F(CommandLine, StructuralParametersAreSetAtTheBuild) {
  const std::string chain = source("model_templates/insulator_chain/insulator_chain.mbs.xml");
  const Outcome build = mbsfmu("build " + chain + " --set N=4 -o c.fmu");
  ASSERT_EQ(build.exit_code, 0) << build.text;
  EXPECT_TRUE(says(build, "6 bodies"));
  EXPECT_EQ(mbsfmu("simulate c.fmu --stop 0.01 -o c.csv").exit_code, 0);
}

TEST_F(CommandLine, AnInputTableMovesTheModelAndTheFmuAlike) {
  // Constant pieces that change at a communication point: both take them without approximation.
  write("torque.csv", "time [ms],Mset [kN.m]\n0,0.002\n50,0.002\n50,-0.001\n100,-0.001\n");
  const Outcome direct = mbsfmu("simulate " + source(slider_) + " --inputs torque.csv -o d.csv");
  ASSERT_EQ(direct.exit_code, 0) << direct.text;
  ASSERT_EQ(mbsfmu("build " + source(slider_) + " -o s.fmu -q").exit_code, 0);
  const Outcome fmu = mbsfmu("simulate s.fmu --inputs torque.csv -o f.csv");
  ASSERT_EQ(fmu.exit_code, 0) << fmu.text;
  expect_same_table(folder_ / "d.csv", folder_ / "f.csv");
  // Until the change it is the constant torque of 2 N.m, afterwards it is not.
  ASSERT_EQ(mbsfmu("simulate s.fmu --set Mset=2 -o c.csv").exit_code, 0);
  const Table table = read_csv(folder_ / "f.csv"), constant = read_csv(folder_ / "c.csv");
  ASSERT_EQ(table.times, constant.times);
  for (std::size_t i = 0; i < table.times.size(); ++i) {
    if (table.times[i] <= 0.05) {
      ASSERT_EQ(table.rows[i], constant.rows[i]) << table.times[i];
    } else if (table.times[i] > 0.051) {
      ASSERT_NE(table.rows[i][2], constant.rows[i][2]) << table.times[i];
    }
  }
}

TEST_F(CommandLine, AnInputTableInWrongUnitsIsRefused) {
  ASSERT_EQ(mbsfmu("build " + source(slider_) + " -o s.fmu -q").exit_code, 0);
  for (const std::string& what : {source(slider_), std::string("s.fmu")}) {
    write("torque.csv", "time,Mset [mm]\n0,1\n1,1\n");
    Outcome run = mbsfmu("simulate " + what + " --inputs torque.csv -o x.csv");
    EXPECT_EQ(run.exit_code, 1) << what;
    EXPECT_TRUE(says(run, "'Mset [mm]'"));
    EXPECT_TRUE(says(run, "N.m"));
    write("torque.csv", "time [mm],Mset\n0,1\n1,1\n");
    run = mbsfmu("simulate " + what + " --inputs torque.csv -o x.csv");
    EXPECT_EQ(run.exit_code, 1) << what;
    EXPECT_TRUE(says(run, "'mm' is no unit of time"));
    EXPECT_FALSE(fs::exists(folder_ / "x.csv"));
  }
}

// A coordinate that follows a table, u = 0.1 + 2 t: x = 0.1 + 2 (t - 2 T + (t + 2 T) exp(-t/T)),
// in the model and in the FMU; an FMU's inputs are constant for a communication step h, so that x
// is 2 h/2 late at the most. Without a lag there is no model exchange.
TEST_F(CommandLine, DrivesFollowTables) {
  const auto model = [](const std::string& lag) {
    return R"xml(<mbs name="Follows" version="1" planar="xy">
  <input name="u" unit="m" start="0.1"/>
  <body name="slider" mass="2 kg"/>
  <prismatic name="rail" a="ground" b="slider" axis="x"/>
  <drive name="motor" joint="rail" input="u" lag=")xml" +
           lag + R"xml("/>
  <output name="q" of="rail" quantity="q"/><output name="F" of="motor" quantity="force"/>
  <solver rtol="1e-9" atol="1e-9" stop_time="0.5 s" output_step="1 ms"/>
</mbs>)xml";
  };
  write("drive.mbs.xml", model("0.2 s"));
  write("stiff.mbs.xml", model("0"));
  write("u.csv", "time,u\n0,0.1\n1,2.1\n");
  ASSERT_EQ(mbsfmu("simulate drive.mbs.xml --inputs u.csv -o 0.csv").exit_code, 0);
  for (const char* version : {"2.0", "3.0"}) {
    const std::string v(version);
    Outcome run = mbsfmu("build drive.mbs.xml --fmi " + v + " -o " + v + ".fmu");
    ASSERT_EQ(run.exit_code, 0) << run.text;
    EXPECT_TRUE(says(run, "model exchange and co-simulation"));
    run = mbsfmu("simulate " + v + ".fmu --inputs u.csv -o " + v + ".csv");
    ASSERT_EQ(run.exit_code, 0) << run.text;
    run = mbsfmu("check " + v + ".fmu");
    EXPECT_EQ(run.exit_code, 0) << run.text;
    EXPECT_TRUE(says(run, "no findings"));

    run = mbsfmu("build stiff.mbs.xml --fmi " + v + " -o stiff.fmu");
    ASSERT_EQ(run.exit_code, 0) << run.text;
    EXPECT_TRUE(says(run,
                     "the FMU is for co-simulation alone: the drive 'motor' follows its input "
                     "without a lag"));
    EXPECT_TRUE(says(run, v + " co-simulation, "));
    run = mbsfmu("check stiff.fmu");
    EXPECT_EQ(run.exit_code, 0) << run.text;
    EXPECT_TRUE(says(run, "no findings"));
  }
  for (const char* name : {"0.csv", "2.0.csv", "3.0.csv"}) {
    const Table table = read_csv(folder_ / name);
    const double constant = std::string(name) == "0.csv" ? 0.0 : 1e-3, T = 0.2;
    for (std::size_t i = 0; i < table.times.size(); ++i) {
      const double t = table.times[i];
      EXPECT_NEAR(table.rows[i][0], 0.1 + 2.0 * (t - 2.0 * T + (t + 2.0 * T) * std::exp(-t / T)),
                  constant + 1e-7)
          << name << " at " << t;
    }
  }
}

// A door on two hinges: derivatives of what they share by least norms are not promised.
TEST_F(CommandLine, SharedReactionsHaveNoDerivatives) {
  const auto door = [](const std::string& redundancy) {
    return R"xml(<mbs name="Door" version="1"><frame name="low"/><frame name="high" pos="0, 0, 1 m"/>
<body name="door" mass="20 kg" com="0.4 m, 0, 0.5 m" inertia="1 kg.m^2, 2 kg.m^2, 1 kg.m^2">
  <frame name="low_eye"/><frame name="high_eye" pos="0, 0, 1 m"/></body>
<revolute name="one" a="low" b="door.low_eye" axis="z"/>
<revolute name="two" a="high" b="door.high_eye" axis="z"/>
<output name="F" of="two" quantity="reaction" component="fz"/>
<solver method="radau" stop_time="0.1 s" redundancy=")xml" +
           redundancy + R"("/></mbs>)";
  };
  for (const char* version : {"2.0", "3.0"})
    for (const char* redundancy : {"minimum_norm", "drop"}) {
      SCOPED_TRACE(std::string(version) + " " + redundancy);
      const bool shares = std::string(redundancy) == "minimum_norm";
      write("door.mbs.xml", door(redundancy));
      Outcome run = mbsfmu("build door.mbs.xml -o door.fmu --fmi " + std::string(version));
      ASSERT_EQ(run.exit_code, 0) << run.text;
      EXPECT_EQ(says(run, "the FMU has no directional derivatives"), shares);
      EXPECT_EQ(import::open_fmu(folder_ / "door.fmu")
                    ->description()
                    .co_simulation->provides_directional_derivatives,
                !shares);
      run = mbsfmu("check door.fmu");
      EXPECT_EQ(run.exit_code, 0) << run.text;
      EXPECT_TRUE(says(run, "no findings"));
    }
}

// Contact events are reported as they happen, the end of bouncing with its reason, unless the run
// is quiet.
TEST_F(CommandLine, ContactEventsAreReported) {
  const std::string ball = source("model_templates/bouncing_ball/bouncing_ball.mbs.xml");
  const Outcome run = mbsfmu("simulate " + ball);
  ASSERT_EQ(run.exit_code, 0) << run.text;
  EXPECT_TRUE(says(run, "'floor': impact at 4.42945 m/s at t = 0.4515"));
  EXPECT_TRUE(says(run, "'floor': brought to rest: its bounces, the last of "));
  EXPECT_TRUE(says(run, "have become lower than positions can resolve and would end within "));
  EXPECT_TRUE(says(run, " at t = 4.06"));
  const std::size_t first = run.text.find("brought to rest");
  EXPECT_EQ(run.text.find("brought to rest", first + 1), std::string::npos) << run.text;
  EXPECT_EQ(mbsfmu("simulate -q " + ball).text, "");
}

TEST_F(CommandLine, AnFmuGoesToAFileAlone) {
  const fs::path pipe = folder_ / "pipe.fmu";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Outcome run = mbsfmu("build " + source(slider_) + " -o pipe.fmu");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run, "pipe.fmu"));
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(files(), 1u);
}

TEST_F(CommandLine, ALinkIsFollowed) {
  fs::create_directory(folder_ / "there");
  fs::create_symlink("there/real.fmu", folder_ / "link.fmu");
  fs::create_symlink("there/real.csv", folder_ / "link.csv");
  for (int again = 0; again < 2; ++again) {  // first the target is not there yet
    ASSERT_EQ(mbsfmu("build " + source(slider_) + " -o link.fmu -q").exit_code, 0);
    ASSERT_EQ(mbsfmu("simulate link.fmu -o link.csv -q").exit_code, 0);
    EXPECT_TRUE(fs::is_symlink(folder_ / "link.fmu"));
    EXPECT_TRUE(fs::is_symlink(folder_ / "link.csv"));
    EXPECT_TRUE(fs::is_regular_file(folder_ / "there/real.fmu"));
    EXPECT_GT(fs::file_size(folder_ / "there/real.csv"), 1000u);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "there"), {}), 2);
  }
}

TEST_F(CommandLine, MissingAndMislabelledFilesAreReported) {
  EXPECT_EQ(mbsfmu("check nothing.mbs.xml").exit_code, 1);
  EXPECT_EQ(mbsfmu("simulate nothing.fmu").exit_code, 1);
  write("text.fmu", "this is no archive");
  const Outcome run = mbsfmu("check text.fmu");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(mbsfmu("info text.fmu").exit_code, 1);
  EXPECT_EQ(mbsfmu("build " + source(slider_) + " -o /nowhere/s.fmu").exit_code, 1);
}

}  // namespace
}  // namespace mbs::test
