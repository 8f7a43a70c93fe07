// Stored states of every method, and of a model whose size was chosen in the FMU: ten thousand
// times without growth, from another process, and altered.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "tests/fmu_src/fuzz/models.hpp"

namespace mbs::test {
namespace {

struct Kind {
  int version;
  std::string method;
  bool resized;
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.version << ' ' << kind.method << ' ' << kind.resized;
}

std::string text_of(const Kind& kind) {
  std::string text = fuzz::chain_text;
  const std::string solver = "<solver ";
  return text.insert(text.find(solver) + solver.size(), "method=\"" + kind.method + "\" ");
}

// A run of a chain, of five links where it is resized.
class ChainRun {
 public:
  ChainRun(const Fmu& fmu, const Kind& kind) : fmu_(fmu), kind_(kind), instance(fmu, kind.version) {
    if (kind.resized) {
      const Functions3& f = runtime().fmi3;
      const std::uint32_t n = array("N");
      const std::uint64_t size = 5;
      EXPECT_EQ(f.EnterConfigurationMode(instance.handle), fmi3OK);
      EXPECT_EQ(f.SetUInt64(instance.handle, &n, 1, &size, 1), fmi3OK);
      EXPECT_EQ(f.ExitConfigurationMode(instance.handle), fmi3OK);
    }
    EXPECT_EQ(instance.start(), ok) << instance.said();
  }
  void steps(int from, int to) {
    for (int i = from; i < to; ++i) {
      if (i % 5 == 3) set_wind(0.5 * i);
      ASSERT_EQ(instance.step(0.02 * i, 0.02), ok) << instance.said();
    }
  }
  std::vector<double> angles() {
    if (kind_.version == 2) return {instance["phi[1]"], instance["phi[2]"]};
    std::vector<double> values(kind_.resized ? 5 : 2);
    const std::uint32_t phi = array("phi");
    EXPECT_EQ(runtime().fmi3.GetFloat64(instance.handle, &phi, 1, values.data(), values.size()),
              fmi3OK);
    return values;
  }
  std::vector<char> bytes() {
    void* state = nullptr;
    std::vector<char> bytes;
    EXPECT_EQ(instance.get_state(&state), ok);
    EXPECT_EQ(instance.serialise(state, bytes), ok);
    EXPECT_EQ(instance.free_state(&state), ok);
    return bytes;
  }
  void recall(const std::vector<char>& bytes) {
    void* state = nullptr;
    ASSERT_EQ(instance.deserialise(bytes, &state), ok) << instance.said();
    ASSERT_EQ(instance.set_state(state), ok) << instance.said();
    ASSERT_EQ(instance.free_state(&state), ok);
  }

 private:
  std::uint32_t array(const std::string& name) const {
    for (const ArrayVariable& array : fmu_.description.table.arrays)
      if (array.name == name) return array.reference;
    throw std::out_of_range(name);
  }
  void set_wind(double value) {
    if (kind_.version == 2) {
      ASSERT_EQ(instance.set("wind", value), ok);
      return;
    }
    const std::uint32_t wind = array("wind");
    ASSERT_EQ(runtime().fmi3.SetFloat64(instance.handle, &wind, 1, &value, 1), fmi3OK);
  }
  const Fmu& fmu_;
  const Kind kind_;

 public:
  Instance instance;
};

constexpr int stored_at = 12, end = 25;

class StatesOf : public testing::TestWithParam<Kind> {
 protected:
  const Fmu fmu{text_of(GetParam())};
};

TEST_P(StatesOf, TenThousandCyclesDoNotGrow) {
  ChainRun run(fmu, GetParam()), undisturbed(fmu, GetParam());
  run.steps(0, stored_at);
  undisturbed.steps(0, end);
  std::size_t size = 0, memory = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::vector<char> bytes = run.bytes();
    run.recall(bytes);
    if (testing::Test::HasFailure()) return;
    if (i == 100) {
      size = bytes.size();
      memory = mallinfo2().uordblks;
    }
    if (i > 100) {
      ASSERT_EQ(bytes.size(), size);
    }
  }
  EXPECT_LE(mallinfo2().uordblks, memory + 4096) << "bytes in use";
  run.steps(stored_at, end);
  expect_same_bits(run.angles(), undisturbed.angles());
}

// The program runs once more and writes a state.
TEST_P(StatesOf, ComeFromOtherProcesses) {
  const Folder folder;
  const std::string file = folder.path() + "/state";
  std::ostringstream command;
  command << "MBS_STATE_FILE='" << file << "' MBS_STATE_KIND='" << GetParam() << "' '"
          << std::filesystem::read_symlink("/proc/self/exe").string()
          << "' --gtest_filter=StatesOfOthers.* > /dev/null";
  ASSERT_EQ(std::system(command.str().c_str()), 0);
  std::ifstream in(file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  ChainRun here(fmu, GetParam()),
      there(fmu, {GetParam().version, GetParam().method, GetParam().resized});
  here.steps(0, stored_at);
  EXPECT_EQ(here.bytes(), bytes);
  here.steps(stored_at, end);
  there.recall(bytes);
  there.steps(stored_at, end);
  expect_same_bits(there.angles(), here.angles());
}

TEST(StatesOfOthers, AreWritten) {
  const char* file = std::getenv("MBS_STATE_FILE");
  const char* text = std::getenv("MBS_STATE_KIND");
  if (!file || !text) return;  // only for the test above
  Kind kind;
  std::istringstream(text) >> kind.version >> kind.method >> kind.resized;
  const Fmu fmu(text_of(kind));
  ChainRun run(fmu, kind);
  run.steps(0, stored_at);
  const std::vector<char> bytes = run.bytes();
  std::ofstream(file, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST_P(StatesOf, AlteredAndTruncatedOnesAreRefused) {
  ChainRun run(fmu, GetParam()), undisturbed(fmu, GetParam());
  run.steps(0, stored_at);
  undisturbed.steps(0, end);
  const std::vector<char> good = run.bytes();
  std::mt19937 random(3);
  void* state = nullptr;
  for (int i = 0; i < 200; ++i) {
    std::vector<char> bad = good;
    if (i % 2 == 0)
      bad.resize(random() % good.size());
    else
      bad[random() % good.size()] ^= static_cast<char>(1 << random() % 8);
    EXPECT_EQ(run.instance.deserialise(bad, &state), error);
    EXPECT_EQ(state, nullptr);
  }
  // A state of another method.
  const Kind other{GetParam().version, GetParam().method == "bdf" ? "radau" : "bdf",
                   GetParam().resized};
  const Fmu other_fmu(text_of(other));
  EXPECT_EQ(run.instance.deserialise(ChainRun(other_fmu, other).bytes(), &state), error);
  run.steps(stored_at, end);
  expect_same_bits(run.angles(), undisturbed.angles());
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const char* method : {"extrapolation", "midpoint", "radau", "bdf", "reduction"}) {
    for (const int version : {2, 3}) all.push_back({version, method, false});
    all.push_back({3, method, true});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, StatesOf, testing::ValuesIn(kinds()), [](const auto& one) {
  return one.param.method + "_fmi" + std::to_string(one.param.version) +
         (one.param.resized ? "_resized" : "");
});

}  // namespace
}  // namespace mbs::test
