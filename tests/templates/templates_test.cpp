// Every template, directly and through its FMUs of both versions: the figures of its expected.csv,
// the same bits everywhere, no finding of the checks, valid against the standards' schemas.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "engine/simulation/derivatives.hpp"
#include "engine/simulation/model_exchange_driver.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tools/check_fmu/check_fmu.hpp"
#include "tools/import/simulate.hpp"
#include "tools/mbsfmu/run_model.hpp"

namespace mbs {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Figure {
  std::string time;  // "*": at every point
  std::string output;
  double value, tolerance;
};

// One run: what is set for it, and its figures.
struct Expected {
  std::vector<std::pair<std::string, double>> set;  // "# set NAME VALUE": inputs and parameters
  std::vector<Override> structure;                  // "# structure NAME VALUE": before assembly
  std::vector<Figure> figures;
};

// A `set` or `structure` after figures begins another run, where nothing else is set.
std::vector<Expected> read_expected(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<Expected> runs(1);
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream keywords(line);
    std::string hash, keyword, name, value;
    if (line.starts_with("#")) {
      if (!(keywords >> hash >> keyword >> name >> value) ||
          (keyword != "set" && keyword != "structure"))
        continue;
      if (!runs.back().figures.empty()) runs.emplace_back();
      if (keyword == "set")
        runs.back().set.emplace_back(name, std::stod(value));
      else
        runs.back().structure.push_back({name, value});
      continue;
    }
    if (line.starts_with("time,")) continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    Figure figure;
    EXPECT_TRUE(cells >> figure.time >> figure.output >> figure.value >> figure.tolerance) << line;
    runs.back().figures.push_back(figure);
  }
  for (const Expected& run : runs) EXPECT_FALSE(run.figures.empty()) << path;
  return runs;
}

// Values by output and time, wherever they come from.
struct Results {
  std::vector<std::string> names;
  std::vector<double> times;
  std::vector<std::vector<double>> rows;

  double at(double time, const std::string& output) const {
    const auto name = std::find(names.begin(), names.end(), output);
    const auto close = [time](double t) { return std::abs(t - time) < 1e-9; };
    const auto row = std::find_if(times.begin(), times.end(), close);
    if (name == names.end() || row == times.end()) {
      ADD_FAILURE() << "no output " << output << " at " << time;
      return NAN;
    }
    return rows[static_cast<std::size_t>(row - times.begin())]
               [static_cast<std::size_t>(name - names.begin())];
  }
};

class Template : public testing::TestWithParam<std::string> {
 protected:
  std::string name() const { return GetParam(); }
  fs::path folder() const { return fs::path(environment("MBS_TEMPLATES")) / name(); }
  fs::path fmu(int version) const {
    return fs::path(environment("MBS_FMUS")) / (name() + "_fmi" + std::to_string(version) + ".fmu");
  }
  std::vector<Expected> expected() const { return read_expected(folder() / "expected.csv"); }

  Model read(const Expected& run) const {
    Diagnostics diagnostics;
    Model model =
        read_model((folder() / (name() + ".mbs.xml")).string(), diagnostics, run.structure);
    EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
    return model;
  }

  template <class Driver = CoSimulationDriver>
  Driver make_simulation(const Model& model, const Expected& run) const {
    Diagnostics diagnostics;
    Driver simulation(assemble(model, diagnostics), solver_choice(model.solver));
    EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
    for (const auto& [name, value] : run.set) {
      int found = 0;
      for (std::size_t i = 0; i < model.inputs.size(); ++i)
        if (model.inputs[i].name == name) {
          simulation.set_input(static_cast<int>(i), value);
          ++found;
        }
      for (std::size_t i = 0; i < model.parameters.size(); ++i)
        if (model.parameters[i].name == name) {
          simulation.system().parameters().set(static_cast<int>(i), value);
          ++found;
        }
      EXPECT_EQ(found, 1) << name;
    }
    return simulation;
  }

  Results run_directly(const Expected& run) const {
    const Model model = read(run);
    CoSimulationDriver simulation = make_simulation(model, run);
    const Table table = run_model(model, simulation);
    Results results;
    for (const Column& column : table.columns) results.names.push_back(column.name);
    results.times = table.times;
    results.rows = table.rows;
    return results;
  }

  Results run_fmu(int version, const Expected& run, bool event_mode = true) const {
    const auto fmu = import::open_fmu(this->fmu(version));
    import::SimulateOptions options;
    options.event_mode = event_mode;
    for (const auto& [name, value] : run.set)
      options.start_values.emplace_back(name, import::to_text(value));
    const import::SimulateResult result = import::simulate(*fmu, options);
    EXPECT_TRUE(import::is_good(result.status)) << result.failure;
    return {result.names, result.times, result.rows};
  }

  // Structural parameters are fixed in an FMU: it has the runs without them.
  std::vector<Expected> fmu_runs() const {
    std::vector<Expected> runs = expected();
    std::erase_if(runs, [](const Expected& run) { return !run.structure.empty(); });
    EXPECT_FALSE(runs.empty());
    return runs;
  }

  void compare(const Results& results, const Expected& run) const {
    std::string title = "run";
    for (const auto& [name, value] : run.set) title += " " + name + "=" + import::to_text(value);
    for (const Override& o : run.structure) title += " " + o.name + "=" + o.value;
    SCOPED_TRACE(title);
    for (const Figure& figure : run.figures) {
      const auto expect_at = [&](double time) {
        EXPECT_NEAR(results.at(time, figure.output), figure.value, figure.tolerance)
            << figure.output << " at " << time;
      };
      if (figure.time == "*")
        for (const double time : results.times) expect_at(time);
      else
        expect_at(std::stod(figure.time));
    }
  }
};

TEST_P(Template, GivesTheFiguresDirectly) {
  for (const Expected& run : expected()) compare(run_directly(run), run);
}
TEST_P(Template, GivesTheFiguresThroughFmi2) {
  for (const Expected& run : fmu_runs()) compare(run_fmu(2, run), run);
}
TEST_P(Template, GivesTheFiguresThroughFmi3) {
  for (const Expected& run : fmu_runs()) compare(run_fmu(3, run), run);
}

// Two runs: what the first one sized, the second one must find large enough.
TEST_P(Template, AllocatesNothingWhenWarm) {
  if (!test::allocations_are_counted) GTEST_SKIP() << "not counted under a sanitizer";
  const Expected run = expected().front();
  const Model model = read(run);
  CoSimulationDriver simulation = make_simulation(model, run);
  const double begin = model.solver.start_time, span = model.solver.stop_time - begin;
  ASSERT_TRUE(simulation.initialise(begin).ok);
  const auto advance_and_look = [&](double part) {
    simulation.advance(begin + part * span);
    for (int i = 0; i < static_cast<int>(model.outputs.size()); ++i) simulation.output(i);
  };
  for (int i = 1; i <= 50; ++i) advance_and_look(0.01 * i);
  const long steps = simulation.statistics().steps;
  int quiet = 0;  // pieces without events: events of contacts make log entries, which allocate
  constexpr int pieces = 200;
  for (int i = 1; i <= pieces; ++i) {
    const double part = 0.5 + 0.5 * i / pieces;
    const long allocations = test::allocations_in([&] { advance_and_look(part); });
    const bool contacts_act = !simulation.system().events().take_log_entries().empty() ||
                              (!simulation.system().equations().structure().contacts.empty() &&
                               !simulation.events().empty());
    if (contacts_act) continue;
    ++quiet;
    EXPECT_EQ(allocations, 0) << "up to " << part << " of the run";
  }
  EXPECT_GT(quiet, 20);
  EXPECT_GT(simulation.statistics().steps, steps);
}

TEST_P(Template, GivesTheSameBitsInBothVersions) {
  const Expected run = fmu_runs().front();
  const Results two = run_fmu(2, run), three = run_fmu(3, run, false);
  // FMI 3 has the elements of an array together.
  std::vector<std::size_t> in_three;
  for (const std::string& name : two.names) {
    const auto found = std::find(three.names.begin(), three.names.end(), name);
    ASSERT_NE(found, three.names.end()) << name;
    in_three.push_back(static_cast<std::size_t>(found - three.names.begin()));
  }
  ASSERT_EQ(two.names.size(), three.names.size());
  ASSERT_EQ(two.times, three.times);
  const auto expect_same = [&](std::size_t row, const std::vector<double>& other) {
    for (std::size_t c = 0; c < in_three.size(); ++c)
      EXPECT_EQ(std::memcmp(&two.rows[row][c], &other[in_three[c]], sizeof(double)), 0)
          << two.names[c] << " in row " << row;
  };
  for (std::size_t i = 0; i < two.rows.size(); ++i) expect_same(i, three.rows[i]);
  // Event mode adds rows at events and changes none.
  const Results with_events = run_fmu(3, run);
  std::size_t k = 0;
  for (std::size_t i = 0; i < two.rows.size(); ++i) {
    while (k < with_events.times.size() && with_events.times[k] < two.times[i]) ++k;
    ASSERT_LT(k, with_events.times.size());
    expect_same(i, with_events.rows[k]);
  }
}

// Rates and outputs along random directions of states and inputs, at a point of the run.
TEST_P(Template, DerivativesAgreeWithDifferences) {
  const Expected run = expected().front();
  const Model model = read(run);
  CoSimulationDriver there = make_simulation(model, run);
  auto simulation = make_simulation<ModelExchangeDriver>(model, run);
  const double begin = model.solver.start_time;
  ASSERT_TRUE(there.initialise(begin).ok);
  there.advance(begin + 0.13 * (model.solver.stop_time - begin));
  ASSERT_TRUE(simulation.initialise(begin).ok);
  simulation.begin();
  simulation.set_time(there.time());
  const Sizes& n = simulation.system().equations().sizes();
  const Structure& known = simulation.system().equations().structure();
  Vector x(n.p + n.v + n.r), scale = Vector::Ones(x.size());
  x << there.state().p, there.state().v, there.state().r;
  if (known.p_scale.size() == n.p) scale.head(n.p) = known.p_scale;
  if (known.v_scale.size() == n.v) scale.segment(n.p, n.v) = known.v_scale;
  const Vector u = Vector::NullaryExpr(
      n.u, [&](Eigen::Index i) { return simulation.input(static_cast<int>(i)); });
  const auto values = [&](const Vector& states, const Vector& inputs) {
    for (int i = 0; i < n.u; ++i) simulation.set_input(i, inputs[i]);
    simulation.set_states({states.data(), static_cast<std::size_t>(states.size())});
    Vector all(x.size() + n.y);
    all.head(x.size()) = simulation.rates();
    for (int i = 0; i < n.y; ++i) all[x.size() + i] = simulation.output(i);
    return all;
  };
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> random(-1.0, 1.0);
  for (int direction = 0; direction < 3; ++direction) {
    const Vector dx = scale.unaryExpr([&](double s) { return s * random(engine); });
    const Vector du =
        u.unaryExpr([&](double value) { return (1.0 + std::abs(value)) * random(engine); });
    const Vector here = values(x, u);
    Variation change(n);
    change.p = dx.head(n.p);
    change.v = dx.segment(n.p, n.v);
    change.r = dx.tail(n.r);
    change.u = du;
    Vector rates, outputs, exact(here.size());
    ExactDerivatives(simulation.system().equations())
        .differentiate(simulation.system().point(), change, rates, &outputs);
    exact << rates, outputs;
    // Extrapolated central differences: two steps show how good they are.
    const auto difference = [&](double h) -> Vector {
      return (8.0 * (values(x + h * dx, u + h * du) - values(x - h * dx, u - h * du)) -
              (values(x + 2 * h * dx, u + 2 * h * du) - values(x - 2 * h * dx, u - 2 * h * du))) /
             (12.0 * h);
    };
    // Ever smaller ones: the two neighbours that agree best. Unloaded rollers lie within 1e-6 of
    // where they leave their seats; elsewhere so small steps show rounding alone.
    const double smallest = GetParam() == "sprocket_chain" ? 1e-10 : 1e-7;
    Vector fine = difference(2e-4), coarse = difference(4e-4), last = fine;
    for (double h = 1e-4; h > smallest; h /= 4.0) {
      const Vector finer = difference(h);
      for (Eigen::Index i = 0; i < fine.size(); ++i)
        if (std::abs(finer[i] - last[i]) < std::abs(fine[i] - coarse[i])) {
          coarse[i] = last[i];
          fine[i] = finer[i];
        }
      last = finer;
    }
    for (Eigen::Index i = 0; i < exact.size(); ++i) {
      const Eigen::Index output = i - x.size();
      if (output >= 0) {
        const Quantity shown = model.outputs[static_cast<std::size_t>(output)].what.quantity;
        // The largest of magnitudes, all of them zero here, has no derivative.
        if (shown == Quantity::residual || shown == Quantity::velocity_residual) continue;
      }
      const double size = std::abs(exact[i]) + exact.lpNorm<Eigen::Infinity>() * 1e-6;
      EXPECT_NEAR(exact[i], fine[i], 1e-6 * size + 3.0 * std::abs(fine[i] - coarse[i])) << i;
      EXPECT_LT(std::abs(fine[i] - coarse[i]), 1e-5 * size + 1e-7)
          << i << ": no difference to trust";
    }
  }
}

TEST_P(Template, HasNoFindings) {
  for (const int version : {2, 3})
    for (const auto& finding : check_fmu::check_fmu(fmu(version)))
      ADD_FAILURE() << fmu(version) << ": " << check_fmu::to_text(finding);
}

TEST_P(Template, IsValidAgainstTheSchemas) {
  const fs::path schemas = environment("MBS_FMI_SCHEMA");
  if (schemas.empty()) GTEST_SKIP() << "MBS_FMI_SCHEMA is not given";
  ASSERT_TRUE(fs::exists(schemas / "fmi2")) << "no schemas in " << schemas;
  ASSERT_EQ(std::system("xmllint --version >/dev/null 2>&1"), 0) << "tools/setup installs xmllint";
  for (const int version : {2, 3}) {
    const import::UnpackedFmu unpacked = import::unpack_fmu(fmu(version));
    const std::string digit = std::to_string(version);
    const auto validate = [&](const fs::path& schema, const char* file) {
      const std::string command = "xmllint --noout --schema '" + (schemas / schema).string() +
                                  "' '" + (unpacked.folder.path() / file).string() + "' 2>&1";
      EXPECT_EQ(std::system(command.c_str()), 0) << command;
    };
    validate("fmi" + digit + "/fmi" + digit + "ModelDescription.xsd", "modelDescription.xml");
    validate("fmi3/fmi3TerminalsAndIcons.xsd", "terminalsAndIcons/terminalsAndIcons.xml");
  }
}

TEST_P(Template, HasAPage) {
  std::ifstream page(folder() / "README.md");
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_GT(text.size(), 400u) << folder() / "README.md";
}

std::vector<std::string> all_templates() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(environment("MBS_TEMPLATES")))
    if (const std::string name = entry.path().filename().string();
        fs::exists(entry.path() / (name + ".mbs.xml")))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Template, testing::ValuesIn(all_templates()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace mbs
