// mbsfmu interpolate: values of a dumped solution at any times, without the model.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "engine/base/text.hpp"
#include "tools/mbsfmu/command_line.hpp"
#include "tools/report/output_file.hpp"
#include "tools/report/table.hpp"
#include "tools/solution/solution_file.hpp"

namespace mbs {
namespace {

struct Options {
  std::string file, output;
  std::vector<double> times;
  std::optional<double> step;
  std::vector<std::string> of;
  bool list = false, quiet = false;
};

std::vector<int> choose(const SolutionHead& head, const std::vector<std::string>& names) {
  std::vector<int> chosen;
  const auto& unknowns = head.unknowns;
  for (std::size_t i = 0; names.empty() && i < unknowns.size(); ++i)
    chosen.push_back(static_cast<int>(i));
  for (const std::string& name : names) {
    const auto found = std::find_if(unknowns.begin(), unknowns.end(),
                                    [&](const auto& unknown) { return unknown.name == name; });
    if (found == unknowns.end())
      throw std::runtime_error("there is no unknown '" + name + "' in it; --list shows them");
    chosen.push_back(static_cast<int>(found - unknowns.begin()));
  }
  return chosen;
}

int list(const SolutionHead& head) {
  std::printf("%s, by %s\n", head.model.c_str(), head.method.c_str());
  for (const auto& [name, kind] : head.unknowns)
    std::printf("  %-32s %s\n", name.c_str(), kind.c_str());
  return success;
}

// The requested times, one after the other; begin and end come from the file.
class Times {
 public:
  explicit Times(const Options& options) : options_(options) {
    for (const double t : options.times)
      if (!std::isfinite(t)) throw std::runtime_error("the times must be finite numbers");
    if (!std::is_sorted(options.times.begin(), options.times.end()))
      throw std::runtime_error("the times must increase");
    if (options.step && !(*options.step > 0.0 && std::isfinite(*options.step)))
      throw std::runtime_error("the step must be above 0");
  }
  // The next time up to `end`, if there is one.
  std::optional<double> next(double begin, double end) {
    if (!options_.step) {
      if (at_ == options_.times.size() || options_.times[at_] > end) return std::nullopt;
      const double t = options_.times[at_++];
      if (t < begin) outside(t);
      return t;
    }
    if (at_ == 0) first_ = begin;
    if ((end - first_) / *options_.step > 1e7)
      throw std::runtime_error("more than 1e7 times: the step is too small");
    double t = first_ + static_cast<double>(at_) * *options_.step;
    if (t > end && t - end < 1e-9 * *options_.step) t = end;
    if (t > end) return std::nullopt;
    ++at_;
    return t;
  }
  void finish() {
    if (!options_.step && at_ < options_.times.size()) outside(options_.times[at_]);
  }

 private:
  [[noreturn]] void outside(double t) const {
    throw std::runtime_error("t = " + number_text(t) + " s lies outside of '" + options_.file +
                             "'");
  }
  const Options& options_;
  std::size_t at_ = 0;
  double first_ = 0.0;
};

int interpolate(const Options& options) {
  SolutionReader reader(options.file);
  if (options.list) return list(reader.head());
  if (options.times.empty() && !options.step)
    throw CLI::ValidationError("interpolate", "give --times or --step");
  const std::vector<int> chosen = choose(reader.head(), options.of);
  Table table;
  for (const int i : chosen)
    table.columns.push_back(
        {reader.head().unknowns[static_cast<std::size_t>(i)].name, {}, 1.0, 0.0});
  Times times(options);
  Chebyshev piece;
  while (reader.next(piece)) {
    while (const auto t = times.next(piece.begin, piece.end)) {
      table.times.push_back(*t);
      std::vector<double> row;
      for (const int i : chosen) row.push_back(piece(i, *t));
      table.rows.push_back(std::move(row));
    }
  }
  times.finish();
  const std::string path =
      options.output.empty()
          ? std::filesystem::path(options.file).stem().string() + ".interpolated.csv"
          : options.output;
  write_file(path, to_csv(table));
  if (!options.quiet)
    std::printf("%s: %zu times of %zu unknowns in %s\n", options.file.c_str(), table.times.size(),
                table.columns.size(), path.c_str());
  return success;
}

}  // namespace

void add_interpolate(CLI::App& program, int& exit_code) {
  const auto [command, options] = add_subcommand(
      program, exit_code, "interpolate",
      "values at any times from what 'simulate --dump' wrote; needs no model", interpolate);
  command->add_option("file", options->file, "the solution, *.mbsd")->required();
  command->add_option("-o,--output", options->output,
                      "the CSV to write (default: NAME.interpolated.csv)");
  CLI::Option* times =
      command->add_option("--times", options->times, "times in s, increasing: 0.1,0.25,0.3")
          ->delimiter(',');
  command->add_option("--step", options->step, "from begin to end with this distance in s")
      ->excludes(times);
  command
      ->add_option("--of", options->of,
                   "these unknowns and no others: crank.phi,'der(crank.omega)'")
      ->delimiter(',');
  command->add_flag("--list", options->list, "only show which unknowns there are");
  command->add_flag("-q,--quiet", options->quiet, "print nothing but errors");
  command->footer(
      "The file holds, for every step of the integrator, the polynomials of all unknowns, in SI:\n"
      "positions, velocities, accelerations der(...), multipliers of joints, states. They are the\n"
      "dense output as it is, within the tolerances; joints are closed to them and no better.\n"
      "Example: mbsfmu simulate crane.mbs.xml --dump crane.mbsd\n"
      "         mbsfmu interpolate crane.mbsd --step 1e-4 --of load.x,load.y -o load.csv");
}

}  // namespace mbs
