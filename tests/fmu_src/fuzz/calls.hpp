#pragma once

// One interface for both versions: an importer's actions, each a few calls on an instance that may
// be null. Every call is counted with its status.

#include <cstring>
#include <memory>
#include <string_view>

#include "tests/fmu_src/fuzz/arguments.hpp"
#include "tests/fmu_src/fuzz/tally.hpp"

namespace mbs::test::fuzz {

enum Sort : unsigned char { plain, with_events, exchange };

struct Start {
  Sort sort = plain;
  const char *name = nullptr, *token = nullptr, *resources = nullptr;
  bool logging = false, spoilt = false;  // callbacks and the like may be missing
};

struct StepResult {
  int status = error;
  double end = 0.0;
  bool event = false;
};

class Calls {
 public:
  Calls(const Fmu& fmu, Arguments& make) : fmu_(fmu), make_(make) {}
  virtual ~Calls() = default;

  virtual void* instantiate(const Start& start) = 0;
  virtual void free(void* handle) = 0;
  virtual int enter(void* handle, bool with_tolerance, double tolerance, double start,
                    bool with_stop, double stop) = 0;
  virtual int exit(void* handle) = 0;
  virtual void reset(void* handle) = 0;
  virtual void terminate(void* handle) = 0;
  virtual StepResult step(void* handle, double time, double size) = 0;
  // Leaves event mode, to the next state of this kind of instance.
  virtual void enter_events(void* handle) = 0;
  virtual void update_events(void* handle, Sort sort) = 0;
  // Derivatives by references that are right more often than not.
  virtual void derivative(void* handle) = 0;
  virtual void resize(void* handle) = 0;
  virtual void values(void* handle) = 0;  // likewise

  // Model exchange.
  virtual int state_count(void* handle) = 0;
  virtual void get_states(void* handle, double* x, std::size_t count) = 0;
  virtual void get_rates(void* handle, double* dx, std::size_t count) = 0;
  virtual void get_indicators(void* handle, double* phi, std::size_t count) = 0;
  virtual int set_time(void* handle, double time) = 0;
  virtual void set_states(void* handle, const double* x, std::size_t count) = 0;
  virtual bool completed(void* handle) = 0;  // event mode is asked for

  virtual int get_state(void* handle, void** state) = 0;
  virtual int set_state(void* handle, void* state) = 0;
  virtual int free_state(void* handle, void** state) = 0;
  virtual int state_size(void* handle, void* state, std::size_t* size) = 0;
  virtual int write_state(void* handle, void* state, unsigned char* bytes, std::size_t size) = 0;
  virtual int read_state(void* handle, const unsigned char* bytes, std::size_t size,
                         void** state) = 0;

  // Calls any function with any arguments.
  virtual void any(void* handle) = 0;

 protected:
  // Outputs and rates; inputs, and states where they are meant.
  struct Ends {
    std::unique_ptr<std::uint32_t[]> unknowns, knowns;
    std::unique_ptr<double[]> seed, result;
    std::size_t count, size;
  };
  Ends ends(bool with_states = true) {
    const VariableTable& table = fmu_.description.table;
    std::vector<std::uint32_t> outputs = table.derivatives, inputs;
    if (with_states) inputs = table.states;
    for (const Variable& v : table.variables) {
      if (v.source == Source::output && v.type == ValueType::real) outputs.push_back(v.reference);
      if (v.source == Source::input) inputs.push_back(v.reference);
    }
    const std::size_t count = 1 + static_cast<std::size_t>(make_.pick(3));
    const auto some = [&](const std::vector<std::uint32_t>& of) {
      std::unique_ptr<std::uint32_t[]> list(new std::uint32_t[count]);
      for (std::size_t i = 0; i < count; ++i)
        list[i] = make_.seldom() ? make_.reference() : of[make_.index(of.size())];
      return list;
    };
    const std::size_t size = make_.seldom() ? count + 1 : count;
    Ends ends{some(outputs),
              some(inputs),
              std::unique_ptr<double[]>(new double[size]),
              std::unique_ptr<double[]>(new double[size]),
              count,
              size};
    for (std::size_t i = 0; i < size; ++i) ends.seed[i] = make_.number();
    return ends;
  }

  int order() { return make_.seldom() ? make_.pick(4) : 1 + make_.pick(2); }

  // The functions above make the calls that take or return states: the pointers must be states; so
  // are new instances and their end.
  static bool with_care(std::string_view name) {
    return name.find("FMUstate") != name.npos || name.find("FMUState") != name.npos ||
           name.starts_with("Instantiate") || name == "FreeInstance";
  }
  template <class Result, class... Rest>
  void any_of(int version, std::string_view name, Result (*function)(void*, Rest...),
              void* handle) {
    // Without a count a pointer leads to one value.
    constexpr bool counted = (std::is_same_v<Rest, std::size_t> || ...);
    // A step of 1e9 s would take its time.
    make_.begin(counted ? static_cast<std::size_t>(make_.pick(7)) : 1, name == "DoStep");
    if constexpr (!std::is_same_v<Result, void>)
      tally().count(version, name, static_cast<int>(function(handle, make_.make<Rest>()...)));
    make_.end();
  }
  template <class Result>
  void any_of(int version, std::string_view name, Result (*function)(), void*) {
    if (function() == nullptr) std::abort();
    tally().count(version, name, ok);
  }
  template <class Result, class... Rest>
  void any_of(int, std::string_view, Result (*)(const char*, Rest...), void*) {}

  const Fmu& fmu_;
  Arguments& make_;
};

std::unique_ptr<Calls> calls2(const Fmu& fmu, Arguments& make);
std::unique_ptr<Calls> calls3(const Fmu& fmu, Arguments& make);

}  // namespace mbs::test::fuzz
