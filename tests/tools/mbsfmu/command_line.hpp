// mbsfmu as a person uses it: a working folder, a run of the program there, and its results.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace mbs::test {

namespace fs = std::filesystem;

struct Outcome {
  int exit_code = -1;
  std::string text;  // both streams
};

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("mbs_command_line_" + std::to_string(getpid()));
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

inline testing::AssertionResult says(const Outcome& run, const std::string& keywords) {
  if (run.text.find(keywords) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << keywords << "' is not in: " << run.text;
}

}  // namespace mbs::test
