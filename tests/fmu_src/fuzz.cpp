// Sequences of calls of both C interfaces with arguments made up: no crash, no hang, no leak, no
// sanitizer finding, and never fatal.
//
//   fmu_fuzz                  the kept cases, then new ones for MBS_FUZZ_SECONDS (default 15)
//   fmu_fuzz 1234567          one case again
//
// A case is its number: from it come the version, the model, the calls and their arguments. Arrays
// have exactly as many elements as the largest count of the call, on the heap, so that the address
// sanitizer sees every access beyond. A case that found something goes into fuzz_cases.txt, with
// what it was.
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "tests/fmu_src/fmu.hpp"

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace mbs::test {
namespace {

// A disc that bounces, slides and sticks, and an event that ends it all.
constexpr const char* ball_text = R"(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Ball" version="1" planar="xy">
  <parameter name="m" value="1 kg" min="0.1 kg" max="10 kg"/>
  <parameter name="c" value="1 N.s/m" variability="tunable" min="0"/>
  <input name="wind" unit="N"/>
  <gravity g="0, -9.81 m/s^2"/>
  <body name="ball" mass="m" inertia="0.01 kg.m^2"/>
  <free name="rail" a="ground" b="ball" pos="0, 0.12 m" vel="0.2 m/s, 0"/>
  <contact name="floor" a="ground" b="ball" normal="y" radius_b="0.1 m" mu="0.2" restitution="0.5"/>
  <force name="push" on="ball" value="wind - c*rail.xd, 0"/>
  <event name="turn" when="rail.xd == 0"/>
  <event name="far" when="rail.x > 5" terminate="true"/>
  <output name="y" value="rail.y" unit="m"/>
  <output name="turns" of="turn" quantity="events"/>
</mbs>)";

long good_calls = 0, other_calls = 0;
char now[96] = "no case yet\n";

void say_case() {
  static_cast<void>(!write(STDERR_FILENO, now, std::strlen(now)));
}

void on_signal(int number) {
  say_case();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

class Case {
 public:
  Case(std::uint64_t number, const std::vector<std::unique_ptr<Fmu>>& fmus)
      : random_(number),
        version_(random_() % 2 == 0 ? 2 : 3),
        fmu_(*fmus[random_() % fmus.size()]) {}

  ~Case() {
    for (void*& state : states_) {
      if (handles_.empty()) instantiate(true);
      free_state(state);
    }
    for (void* handle : handles_) free_instance(handle);
  }

  void run() {
    instantiate(true);
    if (pick(3) == 0) begin();
    const int length = 5 + pick(80);
    for (int i = 0; i < length; ++i) one_call();
  }

 private:
  enum Sort : unsigned char { plain, with_events, exchange };
  const Functions2& fmi2() const { return runtime().fmi2; }
  const Functions3& fmi3() const { return runtime().fmi3; }
  int pick(unsigned count) { return static_cast<int>(random_() % count); }
  bool seldom() { return pick(12) == 0; }

  void note(int status) {
    ++(status <= warning ? good_calls : other_calls);
    if (status >= fatal) {
      std::fprintf(stderr, "a call answers %d\n", status);
      std::abort();
    }
  }

  // ---- arguments

  double number() {
    static constexpr double some[] = {0.0,
                                      1.0,
                                      -1.0,
                                      0.01,
                                      0.3,
                                      3.0,
                                      1e-9,
                                      -1e-300,
                                      5e-324,
                                      1e9,
                                      1e300,
                                      -1e300,
                                      std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN()};
    // The wild ones are a minority, else nothing ever runs.
    return some[pick(3) != 0 ? pick(6) : pick(std::size(some))];
  }
  double duration() {
    static constexpr double some[] = {
        0.01, 0.02, 0.005, 1e-9, 0.2, 0.0, -0.01, 1e-300, std::numeric_limits<double>::quiet_NaN()};
    return some[pick(4) != 0 ? pick(4) : pick(std::size(some))];
  }
  std::uint32_t reference() {
    const auto& variables = fmu_.description.table.variables;
    return seldom() ? static_cast<std::uint32_t>(random_())
                    : static_cast<std::uint32_t>(pick(static_cast<unsigned>(variables.size()) + 1));
  }
  const char* text() {
    static const std::string long_one(5000, '%');
    static const char* const some[] = {
        "", "logEvents", "logAll", "%s%n%d", long_one.c_str(), "\xff\xfe", "logStatusError"};
    return seldom() ? nullptr : some[pick(std::size(some))];
  }

  // Arrays of the present call: exactly `room_` elements each, freed after it.
  template <class T>
  T* array() {
    auto* elements = static_cast<T*>(std::malloc(room_ * sizeof(T) + (room_ == 0)));
    for (std::size_t i = 0; i < room_; ++i) elements[i] = make<T>();
    arrays_.emplace_back(elements, std::free);
    return elements;
  }

  template <class T>
  T make() {
    if constexpr (std::is_same_v<T, double>) {
      return steps_ ? duration() : number();
    } else if constexpr (std::is_same_v<T, float>) {
      return static_cast<float>(number());
    } else if constexpr (std::is_same_v<T, const char*>) {
      return text();
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      return reference();
    } else if constexpr (std::is_same_v<T, std::size_t>) {
      return seldom() ? random_() % (room_ + 1) : room_;
    } else if constexpr (std::is_same_v<T, void*>) {
      return states_.empty() || seldom() ? nullptr : states_[random_() % states_.size()];
    } else if constexpr (std::is_same_v<T, const unsigned char*>) {
      return array<unsigned char>();
    } else if constexpr (std::is_same_v<T, fmi2EventInfo>) {
      return {};
    } else if constexpr (std::is_pointer_v<T>) {
      return seldom() ? nullptr : array<std::remove_const_t<std::remove_pointer_t<T>>>();
    } else if constexpr (std::is_same_v<T, bool>) {
      return pick(2) == 0;
    } else {
      return static_cast<T>(pick(4));  // whole numbers and enumerations
    }
  }

  // ---- calls

  template <class Result, class... Rest>
  void any_of(Result (*function)(void*, Rest...), bool = true) {
    room_ = static_cast<std::size_t>(pick(7));
    // Without a count a pointer leads to one value.
    if constexpr (!(std::is_same_v<Rest, std::size_t> || ...)) room_ = 1;
    if constexpr (std::is_same_v<Result, void>)
      return;  // FreeInstance: done with care elsewhere
    else
      note(static_cast<int>(function(handle(), make<Rest>()...)));
    arrays_.clear();
  }
  template <class Result>
  void any_of(Result (*function)()) {
    if (function() == nullptr) std::abort();
  }
  template <class Result, class... Rest>
  void any_of(Result (*)(const char*, Rest...)) {
    instantiate(false);
  }
  // What takes or gives states is done by the functions below: the pointers must be states.
  static bool handles_states(const char* name) {
    return std::strstr(name, "FMUstate") != nullptr || std::strstr(name, "FMUState") != nullptr;
  }

  void any_function() {
    struct Entry {
      const char* name;
      void (*call)(Case&);
    };
    static const std::vector<Entry> of2 = {
#define FMI2_FUNCTION(result, name, parameters) {#name, [](Case& c) { c.any_of(c.fmi2().name); }},
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
    };
    static const std::vector<Entry> of3 = {
#define FMI3_FUNCTION(result, name, parameters) {#name, [](Case& c) { c.any_of(c.fmi3().name); }},
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
    };
    const std::vector<Entry>& list = version_ == 2 ? of2 : of3;
    const Entry& entry = list[random_() % list.size()];
    steps_ = std::strcmp(entry.name, "DoStep") == 0;  // a step of 1e9 s would take its time
    if (!handles_states(entry.name)) entry.call(*this);
    steps_ = false;
  }

  void* handle() {
    return handles_.empty() || pick(60) == 0 ? nullptr : handles_[current_];
  }

  // Good: there is an instance afterwards.
  void instantiate(bool good) {
    if (handles_.size() >= 3) return;
    if (good && pick(2) == 0) instantiate(false);
    if (good && !handles_.empty()) return;
    const auto spoilt = [&](const char* value) { return good || !seldom() ? value : text(); };
    const std::string place = version_ == 2 ? fmu_.uri() : fmu_.resources.path() + "/";
    const char* name = spoilt("fuzz");
    const std::string& clocks = fmu_.description.clock_token;
    const bool ticking = version_ == 3 && !clocks.empty() && pick(2) == 0;
    const char* token = spoilt(ticking ? clocks.c_str() : fmu_.description.token.c_str());
    const auto sort = static_cast<Sort>(pick(3));
    const char* resources = spoilt(place.c_str());
    const bool logging = pick(2) == 0;
    void* handle = nullptr;
    if (version_ == 2) {
      const fmi2CallbackFunctions callbacks{log2, nullptr, nullptr, nullptr, nullptr};
      handle = fmi2().Instantiate(name, sort == exchange ? fmi2ModelExchange : fmi2CoSimulation,
                                  token, resources, good || !seldom() ? &callbacks : nullptr,
                                  fmi2False, logging);
    } else {
      const fmi3LogMessageCallback log = seldom() ? nullptr : log3;
      if (!good && seldom())
        handle = fmi3().InstantiateScheduledExecution(name, token, resources, false, logging,
                                                      nullptr, log, nullptr, nullptr, nullptr);
      else if (sort == exchange)
        handle =
            fmi3().InstantiateModelExchange(name, token, resources, false, logging, nullptr, log);
      else
        handle = fmi3().InstantiateCoSimulation(name, token, resources, false, logging,
                                                sort == with_events, pick(2) == 0, nullptr, 0,
                                                nullptr, log, pick(2) == 0 ? update3 : nullptr);
    }
    if (!handle && good) {
      std::fprintf(stderr, "a good instantiation is refused\n");
      std::abort();
    }
    if (!handle) return;
    handles_.push_back(handle);
    times_.push_back(0.0);
    sorts_.push_back(sort);
  }
  // Into the run, as an importer does it.
  void begin() {
    enter();
    exit();
    if (version_ == 3 && sorts_[current_] != plain) event_update();
  }

  void free_instance(void* handle) {
    version_ == 2 ? fmi2().FreeInstance(handle) : fmi3().FreeInstance(handle);
  }

  void free_one() {
    if (handles_.size() < 2) return;  // states need an instance to be freed with
    free_instance(handles_[current_]);
    handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(current_));
    times_.erase(times_.begin() + static_cast<std::ptrdiff_t>(current_));
    sorts_.erase(sorts_.begin() + static_cast<std::ptrdiff_t>(current_));
    current_ = 0;
  }

  void enter() {
    const double start = pick(4) == 0 ? number() : 0.0;
    const bool with_stop = seldom(), with_tolerance = seldom();
    const double stop = with_stop ? number() : 0.0, tolerance = with_tolerance ? number() : 0.0;
    if (version_ == 2) {
      note(fmi2().SetupExperiment(handle(), with_tolerance, tolerance, start, with_stop, stop));
      note(fmi2().EnterInitializationMode(handle()));
    } else {
      note(fmi3().EnterInitializationMode(handle(), with_tolerance, tolerance, start, with_stop,
                                          stop));
    }
    times_[current_] = start;
  }
  void exit() {
    note(version_ == 2 ? static_cast<int>(fmi2().ExitInitializationMode(handle()))
                       : static_cast<int>(fmi3().ExitInitializationMode(handle())));
  }
  void reset() {
    note(version_ == 2 ? static_cast<int>(fmi2().Reset(handle()))
                       : static_cast<int>(fmi3().Reset(handle())));
  }
  void step() {
    const double time = seldom() ? number() : times_[current_], size = duration();
    int status = ok;
    double end = time + size;
    if (version_ == 2) {
      status = fmi2().DoStep(handle(), time, size, pick(2));
    } else {
      bool event = false, terminate = false, early = false;
      status = fmi3().DoStep(handle(), time, size, pick(2) == 0, &event, &terminate, &early, &end);
      if (status <= warning && event && pick(3) != 0) {
        note(fmi3().EnterEventMode(handle()));
        event_update();
      }
    }
    note(status);
    if (status <= warning) times_[current_] = end;
  }
  void event_update() {
    const bool exchanging = sorts_[current_] == exchange;
    if (version_ == 2) {
      if (!exchanging) return;
      fmi2EventInfo info{};
      note(fmi2().NewDiscreteStates(handle(), &info));
      note(fmi2().EnterContinuousTimeMode(handle()));
      return;
    }
    bool flags[5] = {};
    double next = 0;
    do {
      look_at_clocks();
      note(fmi3().UpdateDiscreteStates(handle(), &flags[0], &flags[1], &flags[2], &flags[3],
                                       &flags[4], &next));
    } while (flags[0] && pick(4) != 0);
    note(exchanging ? fmi3().EnterContinuousTimeMode(handle()) : fmi3().EnterStepMode(handle()));
  }
  void look_at_clocks() {
    if (version_ == 2) return;
    const std::uint32_t reference = first_clock + static_cast<std::uint32_t>(pick(4));
    bool ticks = false;
    note(fmi3().GetClock(handle(), &reference, 1, &ticks));
  }
  // The importer integrates: a step of Euler's, by states and rates that it asks for.
  void exchange_step() {
    const std::size_t n = fmu_.description.table.states.size();
    const std::size_t given = seldom() ? static_cast<std::size_t>(pick(40)) : n;
    const std::unique_ptr<double[]> x(new double[given]()), dx(new double[given]());
    const double h = duration();
    const bool two = version_ == 2;
    times_[current_] += h;
    note(two ? int(fmi2().GetContinuousStates(handle(), x.get(), given))
             : int(fmi3().GetContinuousStates(handle(), x.get(), given)));
    note(two ? int(fmi2().GetDerivatives(handle(), dx.get(), given))
             : int(fmi3().GetContinuousStateDerivatives(handle(), dx.get(), given)));
    for (std::size_t i = 0; i < given; ++i) x[i] += seldom() ? number() : h * dx[i];
    note(two ? int(fmi2().SetTime(handle(), times_[current_]))
             : int(fmi3().SetTime(handle(), times_[current_])));
    note(two ? int(fmi2().SetContinuousStates(handle(), x.get(), given))
             : int(fmi3().SetContinuousStates(handle(), x.get(), given)));
    const std::size_t indicators = fmu_.description.table.indicators.size();
    const std::unique_ptr<double[]> phi(new double[indicators]());
    note(two ? int(fmi2().GetEventIndicators(handle(), phi.get(), indicators))
             : int(fmi3().GetEventIndicators(handle(), phi.get(), indicators)));
    bool events = false, terminate = false;
    if (two) {
      fmi2Boolean events2 = 0, terminate2 = 0;
      note(fmi2().CompletedIntegratorStep(handle(), pick(2), &events2, &terminate2));
      events = events2 != 0;
    } else {
      note(fmi3().CompletedIntegratorStep(handle(), pick(2) == 0, &events, &terminate));
    }
    if (!events && !seldom()) return;
    note(two ? int(fmi2().EnterEventMode(handle())) : int(fmi3().EnterEventMode(handle())));
    event_update();
  }
  // Derivatives by references that are right more often than not.
  void derivative() {
    const VariableTable& table = fmu_.description.table;
    std::vector<std::uint32_t> outputs, inputs = table.states;
    for (const Variable& v : table.variables) {
      if (v.source == Source::output && v.type == ValueType::real) outputs.push_back(v.reference);
      if (v.source == Source::input) inputs.push_back(v.reference);
    }
    outputs.insert(outputs.end(), table.derivatives.begin(), table.derivatives.end());
    const std::size_t count = 1 + static_cast<std::size_t>(pick(3));
    const auto some = [&](const std::vector<std::uint32_t>& of) {
      std::unique_ptr<std::uint32_t[]> list(new std::uint32_t[count]);
      for (std::size_t i = 0; i < count; ++i)
        list[i] = seldom() ? reference() : of[random_() % of.size()];
      return list;
    };
    const auto unknowns = some(outputs), knowns = some(inputs);
    const std::unique_ptr<double[]> seed(new double[count]), result(new double[count]);
    for (std::size_t i = 0; i < count; ++i) seed[i] = number();
    if (version_ == 2)
      return note(fmi2().GetDirectionalDerivative(handle(), unknowns.get(), count, knowns.get(),
                                                  count, seed.get(), result.get()));
    if (pick(3) == 0) {
      const std::unique_ptr<int[]> orders(new int[count]);
      for (std::size_t i = 0; i < count; ++i) orders[i] = pick(4);
      return note(fmi3().GetOutputDerivatives(handle(), unknowns.get(), count, orders.get(),
                                              result.get(), count));
    }
    const auto function =
        pick(2) == 0 ? fmi3().GetAdjointDerivative : fmi3().GetDirectionalDerivative;
    note(function(handle(), unknowns.get(), count, knowns.get(), count, seed.get(), count,
                  result.get(), count));
  }

  void get_state() {
    void* fresh = nullptr;
    void** state = &fresh;
    if (!states_.empty() && pick(2) == 0) state = &states_[random_() % states_.size()];
    if (state == &fresh && states_.size() > 6) return;
    note(version_ == 2 ? static_cast<int>(fmi2().GetFMUstate(handle(), state))
                       : static_cast<int>(fmi3().GetFMUState(handle(), state)));
    if (fresh) states_.push_back(fresh);
  }
  void set_state() {
    void* state = make<void*>();
    note(version_ == 2 ? static_cast<int>(fmi2().SetFMUstate(handle(), state))
                       : static_cast<int>(fmi3().SetFMUState(handle(), state)));
  }
  void free_state(void*& state) {
    void* with = handles_.front();
    note(version_ == 2 ? static_cast<int>(fmi2().FreeFMUstate(with, &state))
                       : static_cast<int>(fmi3().FreeFMUState(with, &state)));
    if (state) std::abort();
  }
  void drop_state() {
    if (states_.empty() || handles_.empty()) return;
    free_state(states_.back());
    states_.pop_back();
  }
  void serialise() {
    void* state = make<void*>();
    std::size_t size = 0;
    int status = version_ == 2
                     ? static_cast<int>(fmi2().SerializedFMUstateSize(handle(), state, &size))
                     : static_cast<int>(fmi3().SerializedFMUStateSize(handle(), state, &size));
    note(status);
    if (status > warning) return;
    if (seldom()) size -= std::min<std::size_t>(size, static_cast<std::size_t>(pick(9)));
    const std::unique_ptr<unsigned char[]> bytes(new unsigned char[size]);
    status = version_ == 2
                 ? static_cast<int>(fmi2().SerializeFMUstate(
                       handle(), state, reinterpret_cast<char*>(bytes.get()), size))
                 : static_cast<int>(fmi3().SerializeFMUState(handle(), state, bytes.get(), size));
    note(status);
    if (status <= warning) blob_.assign(bytes.get(), bytes.get() + size);
  }
  // A stored state, perhaps spoilt.
  void deserialise() {
    std::vector<unsigned char> blob = blob_;
    if (pick(2) == 0 && !blob.empty()) {
      for (int i = pick(5); i >= 0; --i)
        blob[random_() % blob.size()] = static_cast<unsigned char>(random_());
      if (pick(3) == 0) blob.resize(random_() % (blob.size() + 9));
    }
    const std::unique_ptr<unsigned char[]> bytes(new unsigned char[blob.size()]);
    std::copy(blob.begin(), blob.end(), bytes.get());
    void* fresh = nullptr;
    if (states_.size() > 6) return;
    note(version_ == 2
             ? static_cast<int>(fmi2().DeSerializeFMUstate(
                   handle(), reinterpret_cast<const char*>(bytes.get()), blob.size(), &fresh))
             : static_cast<int>(
                   fmi3().DeserializeFMUState(handle(), bytes.get(), blob.size(), &fresh)));
    if (fresh) states_.push_back(fresh);
  }

  void one_call() {
    if (handles_.empty()) instantiate(true);
    if (pick(5) == 0) current_ = random_() % handles_.size();
    switch (pick(24)) {
      case 0:
        return instantiate(false);
      case 1:
        return pick(3) == 0 ? free_one() : get_state();
      case 2:
        return reset();
      case 3:
      case 4:
        return enter();
      case 5:
      case 6:
        return exit();
      case 7:
      case 8:
      case 9:
      case 10:
      case 11:
      case 12:
        return sorts_[current_] == exchange && !seldom() ? exchange_step() : step();
      case 13:
        return event_update();
      case 14:
        return get_state();
      case 15:
        return set_state();
      case 16:
        return pick(3) == 0 ? drop_state() : serialise();
      case 17:
        return deserialise();
      case 18:
        return derivative();
      default:
        return any_function();
    }
  }

  // ---- callbacks

  static void log2(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category,
                   fmi2String message, ...) {
    char buffer[4000];
    va_list list;
    va_start(list, message);
    std::vsnprintf(buffer, sizeof buffer, message, list);
    va_end(list);
    if (!instance || !category) std::abort();
  }
  static void log3(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message) {
    if (!category || !message) std::abort();
  }
  static void update3(fmi3InstanceEnvironment, fmi3Float64 time, fmi3Boolean, fmi3Boolean,
                      fmi3Boolean, fmi3Boolean, fmi3Boolean* early, fmi3Float64* early_time) {
    *early = std::fmod(time * 1e6, 2.0) >= 1.0;
    *early_time = time;
  }

  std::mt19937_64 random_;
  const int version_;
  const Fmu& fmu_;
  std::vector<void*> handles_;
  std::vector<double> times_;
  std::vector<Sort> sorts_;
  std::size_t current_ = 0;
  std::vector<void*> states_;
  std::vector<unsigned char> blob_;
  std::size_t room_ = 0;
  bool steps_ = false;
  std::vector<std::unique_ptr<void, void (*)(void*)>> arrays_;
};

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

int fuzz(int argc, char** argv) {
  for (const int number : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM, SIGPROF})
    std::signal(number, on_signal);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(say_case);
  std::vector<std::unique_ptr<Fmu>> fmus;
  for (const char* text : {rig_text, ball_text}) fmus.push_back(std::make_unique<Fmu>(text));
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
  while (std::chrono::steady_clock::now() - start < span) run_case(number++, fmus);
  std::printf("%zu kept cases and %llu new ones from %llu; %ld calls good, %ld not\n", kept.size(),
              static_cast<unsigned long long>(number - begin),
              static_cast<unsigned long long>(begin), good_calls, other_calls);
  // Both sorts must have been tried.
  return good_calls > 20 && other_calls > 20 ? 0 : 1;
}

}  // namespace
}  // namespace mbs::test

int main(int argc, char** argv) {
  return mbs::test::fuzz(argc, argv);
}
