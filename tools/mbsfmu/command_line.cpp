#include "tools/mbsfmu/command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>

namespace mbs {

int guarded(const std::function<int()>& body) {
  try {
    return body();
  } catch (const CLI::Error&) {
    throw;  // wrong usage; main() answers
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mbsfmu: %s\n", error.what());
    return failed;
  }
}

void show(const Diagnostics& diagnostics) {
  if (diagnostics.list().empty()) return;
  std::fputs(diagnostics.text().c_str(), stderr);
  if (diagnostics.errors() > 0)
    std::fprintf(stderr, "%d error%s\n", diagnostics.errors(),
                 diagnostics.errors() == 1 ? "" : "s");
}

bool is_fmu(const std::string& path) {
  return path.ends_with(".fmu");
}

std::pair<std::string, std::string> split_assignment(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw CLI::ValidationError("--set", "'" + text + "' is not of the form name=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

ProgressLine::ProgressLine(std::string what, double begin, double end)
    : what_(std::move(what)),
      begin_(begin),
      end_(end),
      terminal_(isatty(STDERR_FILENO) == 1),
      started_(std::chrono::steady_clock::now()),
      last_(started_) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::at(double now) {
  using namespace std::chrono;
  if (!terminal_) return;
  const auto clock = steady_clock::now();
  if (clock - started_ < 1s || clock - last_ < 200ms) return;
  last_ = clock;
  shown_ = true;
  const double done = std::clamp((now - begin_) / (end_ - begin_), 0.0, 1.0);
  const double seconds = duration<double>(clock - started_).count();
  std::fprintf(stderr, "\r%s: %3.0f %%  t = %.6g s of %.6g s", what_.c_str(), 100.0 * done, now,
               end_);
  if (done > 0.01) std::fprintf(stderr, ", about %.0f s left", seconds * (1.0 - done) / done);
  std::fputs("\033[K", stderr);
}

}  // namespace mbs
