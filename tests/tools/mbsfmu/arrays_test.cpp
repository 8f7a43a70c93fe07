// Arrays of FMI 3.0 and the two naming conventions, through the program.

#include <algorithm>
#include <cmath>

#include "tests/tools/mbsfmu/command_line.hpp"
#include "tools/import/fmu.hpp"
#include "tools/report/table.hpp"

namespace mbs::test {
namespace {

class Arrays : public CommandLine {
 protected:
  void build(const std::string& options, const std::string& output) const {
    const Outcome run = mbsfmu("build " + source("tests/tools/mbsfmu/models/arrays.mbs.xml") + " " +
                               options + " -o " + output);
    ASSERT_EQ(run.exit_code, 0) << run.text;
    const bool try_it = options == "--fmi 3.0";
    const Outcome check = mbsfmu("check " + output + (try_it ? "" : " --no-run"));
    EXPECT_EQ(check.exit_code, 0) << check.text;
    EXPECT_TRUE(says(check, "no findings"));
  }
  std::string simulated(const std::string& file, const std::string& options = {}) const {
    const Outcome run = mbsfmu("simulate " + file + " -o out.csv " + options);
    EXPECT_EQ(run.exit_code, 0) << run.text;
    return content("out.csv");
  }
  import::ModelDescription description(const std::string& file) const {
    return import::read_description(folder_ / file);
}
};  // namespace

TEST_F(Arrays, AreNativeInFmi3AndScalarsElsewhereWithTheSameValues) {
  build("--fmi 3.0", "native.fmu");
  build("--fmi 3.0 --flat", "flat.fmu");
  build("--fmi 2.0", "two.fmu");
  const auto native = description("native.fmu");
  const auto size = [&](const char* name) {
    return import::dimension_sizes(native, *native.find(name));
  };
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(size("M"), Sizes{3});
  EXPECT_EQ(size("phi"), Sizes{3});
  EXPECT_EQ(size("tip"), Sizes{3});
  EXPECT_EQ(size("R"), (Sizes{3, 3}));
  EXPECT_EQ(size("F"), (Sizes{3, 3}));
  EXPECT_EQ(size("z"), Sizes{});
  EXPECT_EQ(native.find("M")->start, import::Value(import::Reals{0.1, 0.2, 0.1 * 3}));
  EXPECT_EQ(native.find("phi[1]"), nullptr);
  for (const char* file : {"flat.fmu", "two.fmu"}) {
    const auto scalars = description(file);
    EXPECT_EQ(scalars.find("phi"), nullptr);
    for (const char* name : {"phi[1]", "phi[3]", "M[2]", "R[3,1]", "F[2,3]", "tip[3]"})
      EXPECT_NE(scalars.find(name), nullptr) << name;
  }
  const std::string set = "--set M[2]=0.5 --set M[3]=-0.2";
  const std::string expected = simulated("native.fmu", set);
  EXPECT_NE(expected.find("phi[2] [deg]"), std::string::npos) << "elements have the array's unit";
  EXPECT_NE(expected.find("\"R[3,1]\""), std::string::npos);
  EXPECT_EQ(simulated("flat.fmu", set), expected);
  EXPECT_EQ(simulated("two.fmu", set), expected);
  EXPECT_EQ(simulated("native.fmu", "--set 'M=0.1 0.5 -0.2'"), expected);
  EXPECT_NE(simulated("native.fmu"), expected);
  EXPECT_TRUE(says(mbsfmu("info native.fmu"), "F[3,3]"));

  const Table table = read_csv(folder_ / "out.csv");
  const auto column = [&](const std::string& name) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                    [&](const Column& c) { return c.name == name; });
    EXPECT_NE(found, table.columns.end()) << name;
    return static_cast<std::size_t>(found - table.columns.begin());
  };
  for (const std::vector<double>& row : table.rows) {
    EXPECT_EQ(row[column("tip[3]")], row[column("z")]);
    double angle = 0.0;  // of the last link: about y, so R11 = cos, R13 = sin
    for (const char* name : {"phi[1]", "phi[2]", "phi[3]"}) angle += row[column(name)];
    EXPECT_NEAR(row[column("R[1,1]")], std::cos(angle), 1e-12);
    EXPECT_NEAR(row[column("R[1,3]")], std::sin(angle), 1e-12);
    EXPECT_NEAR(row[column("R[2,2]")], 1.0, 1e-15);
  }
}

TEST_F(Arrays, ElementsComeFromATable) {
  build("--fmi 3.0", "native.fmu");
  build("--fmi 2.0", "two.fmu");
  write("in.csv", "time,M[1],M[3]\n0,0,0\n1,1,-1\n");
  const std::string expected = simulated("two.fmu", "--inputs in.csv");
  EXPECT_EQ(simulated("native.fmu", "--inputs in.csv"), expected);
  EXPECT_NE(simulated("native.fmu"), expected);
  write("in.csv", "time,M\n0,0\n");
  EXPECT_TRUE(says(mbsfmu("simulate native.fmu --inputs in.csv"), "name elements, 'M[1]'"));
  for (const char* name : {"M[4]", "M[0]", "M[1,1]", "M[x]"}) {
    const Outcome run = mbsfmu("simulate native.fmu --set '" + std::string(name) + "=1'");
    EXPECT_NE(run.exit_code, 0);
    EXPECT_TRUE(says(run, "has no variable '" + std::string(name) + "'"));
  }
}

// The C functions get all elements of an array at once, in any order with scalars.
TEST_F(Arrays, AreReadAndSetRowByRow) {
  build("--fmi 3.0", "native.fmu");
  const auto fmu = import::open_fmu(folder_ / "native.fmu");
  const auto reference = [&](const char* name) { return fmu->description().find(name)->reference; };
  const auto instance = fmu->instantiate();
  ASSERT_EQ(instance->enter_initialization({}), import::Status::ok);
  const std::vector<import::ValueReference> m{reference("M")};
  EXPECT_EQ(instance->set_real(m, std::vector{1.0, 2.0, 3.0}), import::Status::ok);
  EXPECT_EQ(instance->set_real(m, std::vector{1.0, 2.0}), import::Status::error);
  EXPECT_EQ(instance->set_real(m, std::vector{1.0, 2.0, 3.0, 4.0}), import::Status::error);
  ASSERT_EQ(instance->exit_initialization(), import::Status::ok);
  std::vector<double> values(3 + 1 + 9);
  const std::vector<import::ValueReference> mixed{reference("M"), reference("z"), reference("R")};
  ASSERT_EQ(instance->get_real(mixed, values), import::Status::ok);
  EXPECT_EQ(values[1], 2.0);
  EXPECT_NEAR(values[4], std::cos(0.9), 1e-9);    // R11
  EXPECT_NEAR(values[6], std::sin(0.9), 1e-9);    // R13
  EXPECT_NEAR(values[10], -std::sin(0.9), 1e-9);  // R31
  values.resize(12);
  EXPECT_EQ(instance->get_real(mixed, values), import::Status::error);

  // d F / d M has a value for each pair of elements, the same as one by one.
  const std::vector<import::ValueReference> f{reference("F")};
  std::vector<double> all(9), sum(9, 0.0);
  for (int k = 0; k < 3; ++k) {
    std::vector<double> seed(3, 0.0), part(9);
    seed[static_cast<std::size_t>(k)] = k + 1.0;
    ASSERT_EQ(instance->directional_derivative(f, m, seed, part), import::Status::ok);
    for (std::size_t i = 0; i < 9; ++i) sum[i] += part[i];
  }
  ASSERT_EQ(instance->directional_derivative(f, m, std::vector{1.0, 2.0, 3.0}, all),
            import::Status::ok);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(all[i], sum[i], 1e-8) << i;
  EXPECT_GT(std::abs(all[0]), 1e-3);
  std::vector<double> adjoint(3);
  EXPECT_EQ(instance->adjoint_derivative(f, m, all, adjoint), import::Status::ok);
  double square = 0.0;
  for (const double x : all) square += x * x;
  EXPECT_NEAR(adjoint[0] + 2.0 * adjoint[1] + 3.0 * adjoint[2], square, 1e-6 * square);
}

TEST_F(Arrays, NamesFollowTheConvention) {
  for (const std::string version : {"2.0", "3.0"}) {
    build("--fmi " + version + " --naming structured --flat", "s.fmu");
    EXPECT_EQ(description("s.fmu").naming_convention, "structured");
    build("--fmi " + version, "f.fmu");
    EXPECT_EQ(description("f.fmu").naming_convention, "flat");
  }
  EXPECT_EQ(mbsfmu("build x.mbs.xml --naming tree").exit_code, 2);
}

// Sizes are refused where an importer could not know the structure of another size.
TEST_F(Arrays, ReportsWhatCannotBeResized) {
  const auto error = [&](const std::string& size, const std::string& rest,
                         const std::string& options = "--fmi 3.0") {
    write("m.mbs.xml",
          "<mbs name='M' version='1' planar='xy'><parameter name='N' value='4' "
          "variability='structural' resizable='true' " +
              size +
              "/><repeat index='i' count='N'><body name='b' mass='1 kg' inertia='1 kg.m^2'/>"
              "<revolute name='r' a='ground' b='b[i]'/></repeat>" +
              rest + "</mbs>");
    return mbsfmu("build m.mbs.xml -o m.fmu " + options);
  };
  const std::string good = "<output name='q' each='r' quantity='q'/>";
  EXPECT_EQ(error("", good).exit_code, 0);
  const std::string page = import::read_from_archive(folder_ / "m.fmu", "documentation/index.html");
  EXPECT_NE(page.find("Sizes, set in configuration mode"), std::string::npos);
  EXPECT_NE(page.find("<code>q[N]</code>"), std::string::npos);
  EXPECT_NE(page.find("For model exchange"), std::string::npos);
  EXPECT_NE(page.find("<code>r.q[N]</code>"), std::string::npos);
  EXPECT_EQ(page.find("for co-simulation alone"), std::string::npos);
  EXPECT_TRUE(says(error("min='4' max='4'", good), "its range holds one value alone"));
  EXPECT_TRUE(says(error("", "<parameter name='k' value='1/N'/>"),
                   "the start value of 'k' changes with 'N': 0.25 for N = 4 and 0.2 for N = 5"));
  const std::string odd =
      "<repeat index='i' count='N + 1'><output name='y' value='i*r[1].q'/></repeat>";
  EXPECT_TRUE(says(error("", odd), "the array 'y' has 5 for N = 4 and 6 for N = 5 elements"));
  const std::string lucky =
      "<repeat index='i' count='N + (N - 4)*(N - 5)'><output name='y' value='i*r[1].q'/></repeat>";
  EXPECT_TRUE(says(error("", lucky), "the array 'y' has 4 for N = 4 and 5 for N = 3 elements"));
  const std::string neighbours = good +
                                 "<repeat index='i' count='N - 1'>"
                                 "<event name='e' when='r[i].q > r[i + 1].q'/></repeat>";
  const Outcome built = error("", neighbours);
  EXPECT_EQ(built.exit_code, 0);
  EXPECT_TRUE(says(built, "events have no counters: the array 'e.count' has 3"));
  EXPECT_EQ(description("m.fmu").find("e.count"), nullptr);
  EXPECT_TRUE(
      says(built, "the FMU is for co-simulation alone: the array 'indicator(e)' has 3 for N = 4"));
  EXPECT_FALSE(description("m.fmu").model_exchange);
  EXPECT_TRUE(description("m.fmu").structure.derivatives.empty());
  EXPECT_NE(import::read_from_archive(folder_ / "m.fmu", "documentation/index.html")
                .find("The FMU is for co-simulation alone: the array "),
            std::string::npos);
  const Outcome seven = mbsfmu("simulate m.fmu --set N=7 --stop 0.1 -o seven.csv");
  EXPECT_EQ(seven.exit_code, 0) << seven.text;
  const std::string each = good +
                           "<repeat index='i' count='N'>"
                           "<event name='e' when='r[i].q > 1 rad'/></repeat>";
  EXPECT_EQ(error("", each).exit_code, 0);
  ASSERT_NE(description("m.fmu").find("e.count"), nullptr);
  EXPECT_TRUE(description("m.fmu").model_exchange);
  EXPECT_EQ(description("m.fmu").structure.event_indicators.size(), 1u);
  const std::string some =
      "<repeat index='i' count='if(N > 4, 1, 0)'>"
      "<output name='y' value='r[i].q'/></repeat>";
  EXPECT_TRUE(says(error("", some), "the variables of the model change with 'N': see 'y'"));
  EXPECT_TRUE(says(error("", "<output name='y' value='if(N > 4, r[7].q, r[1].q)'/>"),
                   "with N = 5: there is no r[7]"));
  for (const char* folded : {"--fmi 2.0", "--fmi 3.0 --flat"})
    EXPECT_EQ(error("", odd, folded).exit_code, 0) << folded;
}

// N - 1 joints are N bodies: what follows the size depends on the coordinates, which are the same
// for all sizes.
TEST_F(Arrays, StatesOfModelExchangeFollowTheCoordinates) {
  write("m.mbs.xml",
        "<mbs name='M' version='1' planar='xy'><parameter name='N' value='2' min='2' "
        "variability='structural' resizable='true'/><gravity g='0, -9.81 m/s^2'/>"
        "<repeat index='i' count='N'><body name='b' mass='1 kg' inertia='1 kg.m^2'><frame name='f' "
        "pos='1 m, 0'/></body></repeat><revolute name='top' a='ground' b='b[1]' q='1 rad'/>"
        "<repeat index='i' count='N - 1'><revolute name='r' a='b[i].f' b='b[i + 1]'/>"
        "</repeat><output name='y' each='b' quantity='position' component='y'/></mbs>");
  const auto build = [&](const std::string& coordinates) {
    return mbsfmu("build m.mbs.xml -o m.fmu --fmi 3.0 --set solver.coordinates=" + coordinates);
  };
  const auto simulates = [&] {
    for (const char* size : {"2", "3", "20"}) {
      const Outcome run =
          mbsfmu("simulate m.fmu --stop 0.01 -o o.csv --set N=" + std::string(size));
      EXPECT_EQ(run.exit_code, 0) << run.text;
    }
  };
  const Outcome joint = build("joint");
  EXPECT_EQ(joint.exit_code, 0) << joint.text;
  EXPECT_TRUE(says(joint,
                   "for co-simulation alone: the array 'r.q' has 1 for N = 2 and 2 for "
                   "N = 3 elements"))
      << joint.text;
  EXPECT_TRUE(says(joint, "other coordinates may do"));
  EXPECT_FALSE(description("m.fmu").model_exchange);
  simulates();
  for (const char* keyword : {"absolute", "mixed", "auto"}) {
    const Outcome run = build(keyword);
    EXPECT_EQ(run.exit_code, 0) << run.text;
    const auto made = description("m.fmu");
    const bool all = std::string(keyword) == "absolute";
    EXPECT_EQ(made.model_exchange.has_value(), all) << keyword << run.text;
    if (all) {
      EXPECT_EQ(made.structure.derivatives.size(), 6u);
      EXPECT_EQ(import::dimension_sizes(made, *made.find("b.x")), std::vector<std::size_t>{2});
    }
    EXPECT_TRUE(says(mbsfmu("check m.fmu"), "no findings"));
    simulates();
  }
  // Two bodies by themselves would be in absolute coordinates, more of them along the tree.
  EXPECT_TRUE(says(build("auto"), "coordinates: joint, for all sizes as for N = 5"));
}

TEST_F(Arrays, UndeclaredStatesAreFound) {
  const Outcome made = mbsfmu("build " + source("tests/harness/models/resizable_grid.mbs.xml") +
                              " --fmi 3.0 -o r.fmu");
  ASSERT_EQ(made.exit_code, 0) << made.text;
  const std::string command =
      "cd '" + folder_.string() +
      "' && rm -rf x && mkdir x && cd x && unzip -q ../r.fmu && "
      "sed -i '/<EventIndicator/d' modelDescription.xml && zip -q -r -D -X ../bad.fmu .";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const Outcome check = mbsfmu("check bad.fmu");
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_TRUE(says(check,
                   "there are 12 event indicators after sizes have changed, but the variables that "
                   "the model structure lists have 0 elements"))
      << check.text;
  EXPECT_TRUE(says(check, "[F7]"));
}

// The reference results in the FMU are those that it computes, and an FMU with other results is
// found.
TEST_F(Arrays, ReferenceResultsAreReproduced) {
  for (const std::string version : {"2.0", "3.0"}) {
    build("--reference --fmi " + version, "r.fmu");
    EXPECT_TRUE(says(mbsfmu("check r.fmu"), "no findings"));
    const auto edit = [&](const std::string& file, const std::string& script) {
      const std::string command =
          "cd '" + folder_.string() +
          "' && rm -rf x bad.fmu && mkdir x && cd x && unzip -q ../r.fmu && "
          "sed -i '" +
          script + "' extra/org.fmi-standard.fmi-ls-ref/" + file +
          " && zip -q -r -D -X ../bad.fmu .";
      ASSERT_EQ(std::system(command.c_str()), 0) << command;
    };
    edit("reference.csv", "50s/,[^,]*/,0.4321/");
    const Outcome value = mbsfmu("check bad.fmu");
    EXPECT_EQ(value.exit_code, 1);
    EXPECT_TRUE(says(value, "the reference experiment 'default': 'phi[1]' differs at time 0.48"));
    EXPECT_TRUE(says(value, "[A9]"));
    edit("reference.csv", "1s/phi/psi/g");
    EXPECT_TRUE(says(mbsfmu("check bad.fmu"), "'psi[1]', which is no variable of the FMU"));
    edit("reference.csv", "1s/phi\\[1\\]/phi/");
    EXPECT_TRUE(says(mbsfmu("check bad.fmu"),
                     version == "2.0" ? "'phi', which is no variable of the FMU"
                                      : "'phi', which is an array: columns are elements"));
    edit("default.exp", "s,reference.csv,../../../x.csv,");
    EXPECT_TRUE(says(mbsfmu("check bad.fmu --no-run"), "refers to '../../../x.csv'"));
  }
}

// Reference results that are no numbers are refused.
TEST_F(Arrays, ReferenceResultsAreNumbers) {
  write("m.mbs.xml",
        "<mbs name='M' version='1' planar='xy'><body name='b' mass='1 kg' inertia='1 kg.m^2'/>"
        "<free b='b'/><output name='y' value='sqrt(0.5 - time/1 s)'/>"
        "<solver stop_time='1 s' output_step='0.1 s'/></mbs>");
  const Outcome outcome = mbsfmu("build m.mbs.xml -o m.fmu --reference");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(says(outcome, "'y' is no number at t = 0.6"));
}

TEST_F(Arrays, WrongComponentsAreReported) {
  const auto error = [&](const std::string& space, const std::string& output) {
    write("m.mbs.xml", "<mbs name='M' version='1'" + space +
                           "><body name='b' mass='1 kg' inertia='1 kg.m^2'/><free b='b'/>" +
                           "<output name='o' of='b' " + output + "/></mbs>");
    return mbsfmu("check m.mbs.xml");
  };
  EXPECT_TRUE(says(error(" planar='xy'", "quantity='position'"), "x, y, norm, all"));
  EXPECT_TRUE(says(error(" planar='xy'", "quantity='position' component='al'"), "'all'?"));
  EXPECT_TRUE(says(error(" planar='xy'", "quantity='orientation' component='matrix'"),
                   "has no components here"));
  EXPECT_EQ(error(" planar='xy'", "quantity='velocity' component='all'").exit_code, 0);
}

}  // namespace mbs::test
}  // namespace mbs::test
