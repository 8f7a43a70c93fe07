// Sequences of calls of both C interfaces with arguments made up: no crash, no hang, no leak, no
// sanitizer finding, and never a status that the standard does not allow.
//
//   fmu_fuzz                  the kept cases, then new ones for MBS_FUZZ_SECONDS (default 15) from
//                             MBS_FUZZ_FIRST (default 1) on
//   fmu_fuzz 1234567          one case again
//
// A case that found something goes into cases.txt, with what it was.
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

#include "tests/fmu_src/fuzz/case.hpp"
#include "tests/fmu_src/fuzz/models.hpp"

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace mbs::test::fuzz {
namespace {

char now[96] = "no case yet\n";

void say_case() {
  static_cast<void>(!write(STDERR_FILENO, now, std::strlen(now)));
}

void on_signal(int number) {
  say_case();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// A case takes milliseconds; of processor time, as the machine may have other things to do.
constexpr itimerval case_limit{{0, 0}, {60, 0}};
constexpr unsigned longest_wait = 1000;  // seconds, for one that sleeps

void run_case(std::uint64_t number, const std::vector<std::unique_ptr<Fmu>>& fmus) {
  std::snprintf(now, sizeof now, "fuzz case %llu\n", static_cast<unsigned long long>(number));
  setitimer(ITIMER_PROF, &case_limit, nullptr);
  alarm(longest_wait);
  Case(number, fmus).run();
}

std::vector<std::uint64_t> kept_cases() {
  std::vector<std::uint64_t> numbers;
  const char* file = std::getenv("MBS_FUZZ_CASES");
  std::ifstream text(file ? file : "");
  for (std::string line; std::getline(text, line);)
    if (!line.empty() && line[0] != '#')
      numbers.push_back(std::strtoull(line.c_str(), nullptr, 10));
  return numbers;
}

int run(int argc, char** argv) {
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM, SIGPROF})
    std::signal(number, on_signal);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(say_case);
  std::vector<std::unique_ptr<Fmu>> fmus;
  for (const std::string& text : {limited_rig(), std::string(ball_text), std::string(chain_text)})
    fmus.push_back(std::make_unique<Fmu>(text));
  if (argc > 1) {
    run_case(std::strtoull(argv[1], nullptr, 10), fmus);
    return 0;
  }
  const auto kept = kept_cases();
  for (const std::uint64_t number : kept) run_case(number, fmus);
  const char* given = std::getenv("MBS_FUZZ_SECONDS");
  const std::chrono::duration<double> span(given ? std::atof(given) : 15.0);
  const auto start = std::chrono::steady_clock::now();
  const char* first = std::getenv("MBS_FUZZ_FIRST");
  std::uint64_t number = first ? std::strtoull(first, nullptr, 10) : 1;
  const std::uint64_t begin = number;
  // Enough cases for every function on slow machines, too.
  constexpr std::uint64_t least = 400;
  while (std::chrono::steady_clock::now() - start < span || number - begin < least)
    run_case(number++, fmus);
  tally().print();
  std::printf("%zu kept cases and %llu new ones from %llu\n", kept.size(),
              static_cast<unsigned long long>(number - begin),
              static_cast<unsigned long long>(begin));
  return tally().complete() ? 0 : 1;
}

}  // namespace
}  // namespace mbs::test::fuzz

int main(int argc, char** argv) {
  return mbs::test::fuzz::run(argc, argv);
}
