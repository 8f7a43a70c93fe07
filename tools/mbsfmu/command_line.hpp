// Shared by the subcommands of mbsfmu.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/diagnostic.hpp"

namespace mbs {

// Exit codes, for scripts.
enum ExitCode { success = 0, failed = 1, wrong_usage = 2 };

// A subcommand adds itself to the program; when it is chosen its result goes to `exit_code`.
using AddCommand = void (*)(CLI::App& program, int& exit_code);
void add_build(CLI::App& program, int& exit_code);
void add_check(CLI::App& program, int& exit_code);
void add_eigen(CLI::App& program, int& exit_code);
void add_energy(CLI::App& program, int& exit_code);
void add_info(CLI::App& program, int& exit_code);
void add_linearize(CLI::App& program, int& exit_code);
void add_simulate(CLI::App& program, int& exit_code);
void add_statics(CLI::App& program, int& exit_code);
void add_interpolate(CLI::App& program, int& exit_code);

// Runs the body of a subcommand; an exception becomes a message on standard error and `failed`.
int guarded(const std::function<int()>& body);

// A subcommand with options of its own, which run(options) gets when it is chosen.
template <class Options>
struct Subcommand {
  CLI::App* command;
  Options* options;  // lives as long as the command
};
template <class Options>
Subcommand<Options> add_subcommand(CLI::App& program, int& exit_code, const std::string& name,
                                   const std::string& description, int (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(name, description);
  command->callback(
      [options, run, &exit_code] { exit_code = guarded([&] { return run(*options); }); });
  return {command, options.get()};
}

// Everything in the diagnostics to standard error, with a last line that counts.
void show(const Diagnostics& diagnostics);

bool is_fmu(const std::string& path);

// "name=value" of --set; throws CLI::ValidationError otherwise.
std::pair<std::string, std::string> split_assignment(const std::string& text);

// A line on standard error that shows how far a long run is: nothing unless it is a terminal and
// the run takes more than a second.
class ProgressLine {
 public:
  ProgressLine(std::string what, double begin, double end);
  ~ProgressLine();
  void at(double now);

 private:
  std::string what_;
  double begin_, end_;
  bool terminal_, shown_ = false;
  std::chrono::steady_clock::time_point started_, last_;
};

}  // namespace mbs
