// Solution files: exact polynomials, and the errors of bad files.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/base/bytes.hpp"
#include "engine/simulation/sealed.hpp"
#include "tools/solution/solution_file.hpp"

namespace mbs {
namespace {

namespace fs = std::filesystem;

double cubic(double t) {
  return 1.0 - 2.0 * t + 0.5 * t * t * t;
}

Chebyshev piece(double a, double b) {
  return fit_chebyshev(a, b, 2, [](double t, Eigen::Ref<Vector> x) { x << cubic(t), 7.0; });
}

class SolutionFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("mbs_solution_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string good() const {
    const fs::path path = folder_ / "good.mbsd";
    SolutionWriter writer(path, {"Swing", "extrapolation", {{"x", "position"}, {"y", "position"}}});
    writer.add(piece(0.0, 1.0));
    writer.add(piece(1.0, 1.5));
    writer.finish();
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The message of reading these bytes to the end; empty: there is none.
  std::string complaint(const std::string& bytes) const {
    const fs::path path = folder_ / "bad.mbsd";
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      SolutionReader reader(path);
      Chebyshev one;
      while (reader.next(one)) {
      }
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("bad.mbsd"), std::string::npos);
      return error.what();
    }
    return {};
  }
  fs::path folder_;
};

TEST(ChebyshevForm, FindsTheDegreeOfAPolynomialAndReproducesIt) {
  const Chebyshev fit = piece(-1.0, 3.0);
  EXPECT_EQ(fit.c.cols(), 4);
  for (double t = -1.0; t <= 3.0; t += 0.125) {
    EXPECT_NEAR(fit(0, t), cubic(t), 1e-14 * 10.0);
    EXPECT_NEAR(fit(1, t), 7.0, 1e-14);
  }
  const auto high = [](double t, Eigen::Ref<Vector> x) { x << std::pow(t, 21); };
  EXPECT_EQ(fit_chebyshev(-1.0, 1.0, 1, high).c.cols(), 22) << "odd: every other is zero";
  const auto wave = [](double t, Eigen::Ref<Vector> x) { x << std::sin(10.0 * t); };
  const Chebyshev smooth = fit_chebyshev(0.0, 2.0, 1, wave);
  for (double t = 0.0; t <= 2.0; t += 0.1) EXPECT_NEAR(smooth(0, t), std::sin(10.0 * t), 1e-13);
}

TEST_F(SolutionFile, IsReadAsItWasWritten) {
  good();
  SolutionReader reader(folder_ / "good.mbsd");
  EXPECT_EQ(reader.head().model, "Swing");
  ASSERT_EQ(reader.head().unknowns.size(), 2u);
  EXPECT_EQ(reader.head().unknowns[1].name, "y");
  Chebyshev one;
  int pieces = 0;
  for (; reader.next(one); ++pieces) {
    EXPECT_EQ(std::memcmp(one.c.data(), piece(one.begin, one.end).c.data(),
                          sizeof(double) * static_cast<std::size_t>(one.c.size())),
              0);
    EXPECT_NEAR(one(0, one.end), cubic(one.end), 1e-14);
  }
  EXPECT_EQ(pieces, 2);
}

TEST_F(SolutionFile, HasItsNameOnlyWhenComplete) {
  const std::string before = good();
  {
    SolutionWriter writer(folder_ / "good.mbsd", {"Swing", "extrapolation", {{"x", "position"}}});
    writer.add(piece(0.0, 1.0));
  }
  std::ifstream file(folder_ / "good.mbsd", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  EXPECT_THROW(SolutionWriter(folder_ / "no" / "such.mbsd", SolutionHead{}), std::runtime_error);
}

TEST_F(SolutionFile, RefusesEveryTruncationAndEveryChangedByte) {
  const std::string bytes = good();
  EXPECT_EQ(complaint(bytes), "");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(complaint(bytes.substr(0, size)), "") << "cut to " << size;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    EXPECT_NE(complaint(changed), "") << "byte " << at;
  }
  EXPECT_NE(complaint(bytes + "x"), "");
}

TEST_F(SolutionFile, ReportsWhatIsWrong) {
  const std::string bytes = good();
  const auto says = [&](const std::string& text, const std::string& keywords) {
    EXPECT_NE(complaint(text).find(keywords), std::string::npos) << complaint(text);
  };
  says("", "cut off");
  says("time [s],x\n0,1\n1,2\n and more than a head",
       "no file that 'mbsfmu simulate --dump' wrote");
  says(bytes.substr(0, bytes.size() - 30), "cut off");
  std::string version = bytes;
  version[8] = 9;
  says(version, "version 9");
  std::string order = bytes;
  std::swap(order[12], order[15]);
  says(order, "byte order");
  std::string length = bytes;
  for (int k = 16; k < 24; ++k) length[static_cast<std::size_t>(k)] = '\x7f';
  says(length, "too long");
  EXPECT_THROW(SolutionReader{folder_}, std::runtime_error);
  EXPECT_THROW(SolutionReader(folder_ / "none"), std::runtime_error);
}

// Hostile files: correct checksums around wrong contents.
TEST_F(SolutionFile, ChecksEveryNumber) {
  const std::string bytes = good();
  const std::size_t first = bytes.find("PIEC");
  const auto with_count = [&](std::uint32_t count) {
    std::string changed = bytes;
    std::memcpy(&changed[first + 4], &count, 4);
    return complaint(changed);
  };
  EXPECT_NE(with_count(0).find("impossible degree"), std::string::npos);
  EXPECT_NE(with_count(0xffffffffu).find("impossible degree"), std::string::npos);
  EXPECT_NE(with_count(60).find("cut off"), std::string::npos);

  std::string head = bytes.substr(32, first - 32);
  head.replace(0, 4, "\xff\xff\xff\x7f");  // the length of the first name
  std::string changed = bytes.substr(0, 32) + head + bytes.substr(first);
  const std::uint64_t sum = fnv(std::as_bytes(std::span(head)));
  std::memcpy(&changed[24], &sum, 8);
  EXPECT_NE(complaint(changed).find("a name is too long"), std::string::npos);
}

}  // namespace
}  // namespace mbs
