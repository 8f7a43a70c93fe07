// FMI 2.0.
#include <cstdarg>
#include <cstdio>

#include "tests/fmu_src/fuzz/calls.hpp"

// A call that is counted.
#define CALL(name, ...) tally().count(2, #name, static_cast<int>(runtime().fmi2.name(__VA_ARGS__)))

namespace mbs::test::fuzz {
namespace {

void log(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category,
         fmi2String message, ...) {
  char buffer[4000];
  va_list list;
  va_start(list, message);
  std::vsnprintf(buffer, sizeof buffer, message, list);
  va_end(list);
  if (!instance || !category) std::abort();
}

class Calls2 final : public Calls {
 public:
  using Calls::Calls;

  void* instantiate(const Start& start) override {
    const fmi2CallbackFunctions callbacks{log, nullptr, nullptr, nullptr, nullptr};
    void* handle = runtime().fmi2.Instantiate(
        start.name, start.sort == exchange ? fmi2ModelExchange : fmi2CoSimulation, start.token,
        start.resources, start.spoilt && make_.seldom() ? nullptr : &callbacks, fmi2False,
        start.logging);
    tally().count(2, "Instantiate", handle ? ok : error);
    return handle;
  }
  void free(void* handle) override {
    runtime().fmi2.FreeInstance(handle);
    tally().count(2, "FreeInstance", ok);
  }
  int enter(void* handle, bool with_tolerance, double tolerance, double start, bool with_stop,
            double stop) override {
    CALL(SetupExperiment, handle, with_tolerance, tolerance, start, with_stop, stop);
    return CALL(EnterInitializationMode, handle);
  }
  int exit(void* handle) override { return CALL(ExitInitializationMode, handle); }
  void reset(void* handle) override { CALL(Reset, handle); }
  void terminate(void* handle) override { CALL(Terminate, handle); }

  StepResult step(void* handle, double time, double size) override {
    StepResult result{CALL(DoStep, handle, time, size, make_.pick(2)), time + size, false};
    if (result.status != discard) return result;
    double reached = 0.0;
    fmi2Boolean terminated = fmi2False;
    const int known = CALL(GetRealStatus, handle, fmi2LastSuccessfulTime, &reached);
    if (known != ok || CALL(GetBooleanStatus, handle, fmi2Terminated, &terminated) != ok)
      std::abort();
    return result;
  }
  void enter_events(void* handle) override { CALL(EnterEventMode, handle); }
  void update_events(void* handle, Sort sort) override {
    if (sort != exchange) return;
    fmi2EventInfo info{};
    CALL(NewDiscreteStates, handle, &info);
    CALL(EnterContinuousTimeMode, handle);
  }
  void derivative(void* handle) override {
    const bool by_time = make_.pick(3) == 0;
    const Ends e = ends(!by_time);
    if (by_time) {
      const std::unique_ptr<int[]> orders(new int[e.count]);
      for (std::size_t i = 0; i < e.count; ++i) orders[i] = order();
      if (make_.pick(2) == 0)
        CALL(GetRealOutputDerivatives, handle, e.unknowns.get(), e.count, orders.get(),
             e.result.get());
      else
        CALL(SetRealInputDerivatives, handle, e.knowns.get(), e.count, orders.get(), e.seed.get());
      return;
    }
    CALL(GetDirectionalDerivative, handle, e.unknowns.get(), e.count, e.knowns.get(), e.count,
         e.seed.get(), e.result.get());
  }
  void resize(void*) override {}
  void values(void* handle) override {
    const Ends e = ends(false);
    CALL(GetReal, handle, e.unknowns.get(), e.count, e.result.get());
    CALL(SetReal, handle, e.knowns.get(), e.count, e.seed.get());
    for (const Variable& v : fmu_.description.table.variables) {
      if (v.type != ValueType::integer || make_.pick(3) != 0) continue;
      int value = 0;
      CALL(GetInteger, handle, &v.reference, 1, &value);
    }
  }

  int state_count(void*) override { return static_cast<int>(fmu_.description.table.states.size()); }
  void get_states(void* handle, double* x, std::size_t count) override {
    CALL(GetContinuousStates, handle, x, count);
    CALL(GetNominalsOfContinuousStates, handle, x, count);
    CALL(GetContinuousStates, handle, x, count);
  }
  void get_rates(void* handle, double* dx, std::size_t count) override {
    CALL(GetDerivatives, handle, dx, count);
  }
  void get_indicators(void* handle, double* phi, std::size_t count) override {
    CALL(GetEventIndicators, handle, phi, count);
  }
  int set_time(void* handle, double time) override { return CALL(SetTime, handle, time); }
  void set_states(void* handle, const double* x, std::size_t count) override {
    CALL(SetContinuousStates, handle, x, count);
  }
  bool completed(void* handle) override {
    fmi2Boolean events = 0, terminate = 0;
    CALL(CompletedIntegratorStep, handle, make_.pick(2), &events, &terminate);
    return events != 0;
  }

  int get_state(void* handle, void** state) override { return CALL(GetFMUstate, handle, state); }
  int set_state(void* handle, void* state) override { return CALL(SetFMUstate, handle, state); }
  int free_state(void* handle, void** state) override { return CALL(FreeFMUstate, handle, state); }
  int state_size(void* handle, void* state, std::size_t* size) override {
    return CALL(SerializedFMUstateSize, handle, state, size);
  }
  int write_state(void* handle, void* state, unsigned char* bytes, std::size_t size) override {
    return CALL(SerializeFMUstate, handle, state, reinterpret_cast<char*>(bytes), size);
  }
  int read_state(void* handle, const unsigned char* bytes, std::size_t size,
                 void** state) override {
    return CALL(DeSerializeFMUstate, handle, reinterpret_cast<const char*>(bytes), size, state);
  }

  void any(void* handle) override {
    using Entry = std::pair<const char*, void (*)(Calls2&, void*)>;
    static const std::vector<Entry> all = {
#define FMI2_FUNCTION(result, name, parameters) \
  {#name, [](Calls2& c, void* one) { c.any_of(2, #name, runtime().fmi2.name, one); }},
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
    };
    const auto& [name, call] = all[make_.index(all.size())];
    if (!with_care(name)) call(*this, handle);
  }
};

}  // namespace

std::unique_ptr<Calls> calls2(const Fmu& fmu, Arguments& make) {
  return std::make_unique<Calls2>(fmu, make);
}

}  // namespace mbs::test::fuzz
