// FMI 3.0.
#include <cmath>

#include "tests/fmu_src/fuzz/calls.hpp"

// A call that is counted.
#define CALL(name, ...) tally().count(3, #name, static_cast<int>(runtime().fmi3.name(__VA_ARGS__)))

namespace mbs::test::fuzz {
namespace {

void log(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message) {
  if (!category || !message) std::abort();
}

// The instance whose step is under way, for calls within its intermediate update. The environment
// that is handed over belongs to the case and outlives its instances.
struct Environment {
  void* stepping = nullptr;
  const VariableTable* table = nullptr;
};

void update(fmi3InstanceEnvironment given, fmi3Float64 time, fmi3Boolean, fmi3Boolean, fmi3Boolean,
            fmi3Boolean may_end, fmi3Boolean* early, fmi3Float64* early_time) {
  const auto& environment = *static_cast<Environment*>(given);
  void* const handle = environment.stepping;
  const double phase = std::fmod(time * 1e6, 16.0);
  for (const Variable& v : environment.table->variables) {
    if (environment.table->resizable || v.source != Source::output || v.type != ValueType::real)
      continue;
    double value = 0.0;
    CALL(GetFloat64, handle, &v.reference, 1, &value, 1);
  }
  void* state = nullptr;
  if (phase < 2.0 && CALL(GetFMUState, handle, &state) != ok) std::abort();
  if (CALL(FreeFMUState, handle, &state) != ok) std::abort();
  // A call that is not allowed here is refused; the step then ends with an error.
  if (phase < 1.0 && CALL(ExitInitializationMode, handle) != error) std::abort();
  *early = may_end && phase >= 8.0;
  *early_time = phase >= 12.0 ? time : time + 1e-3;
}

class Calls3 final : public Calls {
 public:
  using Calls::Calls;

  void* instantiate(const Start& start) override {
    environment_.table = &fmu_.description.table;
    const fmi3LogMessageCallback logger = make_.seldom() ? nullptr : log;
    const Functions3& f = runtime().fmi3;
    if (start.spoilt && make_.seldom()) {
      void* none = f.InstantiateScheduledExecution(start.name, start.token, start.resources, false,
                                                   start.logging, nullptr, logger, nullptr, nullptr,
                                                   nullptr);
      tally().count(3, "InstantiateScheduledExecution", none ? ok : error);
      return none;
    }
    if (start.sort == exchange) {
      void* handle = f.InstantiateModelExchange(start.name, start.token, start.resources, false,
                                                start.logging, nullptr, logger);
      tally().count(3, "InstantiateModelExchange", handle ? ok : error);
      return handle;
    }
    void* handle =
        f.InstantiateCoSimulation(start.name, start.token, start.resources, false, start.logging,
                                  start.sort == with_events, make_.pick(2) == 0, nullptr, 0,
                                  &environment_, logger, make_.pick(2) == 0 ? update : nullptr);
    tally().count(3, "InstantiateCoSimulation", handle ? ok : error);
    return handle;
  }
  void free(void* handle) override {
    runtime().fmi3.FreeInstance(handle);
    tally().count(3, "FreeInstance", ok);
  }
  int enter(void* handle, bool with_tolerance, double tolerance, double start, bool with_stop,
            double stop) override {
    return CALL(EnterInitializationMode, handle, with_tolerance, tolerance, start, with_stop, stop);
  }
  int exit(void* handle) override { return CALL(ExitInitializationMode, handle); }
  void reset(void* handle) override { CALL(Reset, handle); }
  void terminate(void* handle) override { CALL(Terminate, handle); }

  StepResult step(void* handle, double time, double size) override {
    bool event = false, terminate = false, early = false;
    double end = time + size;
    environment_.stepping = handle;
    const int status =
        CALL(DoStep, handle, time, size, make_.pick(2) == 0, &event, &terminate, &early, &end);
    if (status > warning && (event || terminate || early)) std::abort();
    if (status <= warning && !early && !terminate && end != time + size) std::abort();
    return {status, end, event};
  }
  void enter_events(void* handle) override { CALL(EnterEventMode, handle); }
  void update_events(void* handle, Sort sort) override {
    bool flags[5] = {};
    double next = 0;
    do {
      look_at_clocks(handle);
      CALL(UpdateDiscreteStates, handle, &flags[0], &flags[1], &flags[2], &flags[3], &flags[4],
           &next);
    } while (flags[0] && make_.pick(4) != 0);
    if (sort == exchange)
      CALL(EnterContinuousTimeMode, handle);
    else
      CALL(EnterStepMode, handle);
  }
  void derivative(void* handle) override {
    const Ends e = ends();
    if (fmu_.description.table.resizable)
      for (std::size_t i = 0; i < e.count; ++i) {
        e.unknowns[i] = array_of(e.unknowns[i]);
        e.knowns[i] = array_of(e.knowns[i]);
      }
    if (make_.pick(3) == 0) {
      const std::unique_ptr<int[]> orders(new int[e.count]);
      for (std::size_t i = 0; i < e.count; ++i) orders[i] = order();
      CALL(GetOutputDerivatives, handle, e.unknowns.get(), e.count, orders.get(), e.result.get(),
           e.size);
    } else if (make_.pick(2) == 0) {
      CALL(GetAdjointDerivative, handle, e.unknowns.get(), e.count, e.knowns.get(), e.count,
           e.seed.get(), e.size, e.result.get(), e.size);
    } else {
      CALL(GetDirectionalDerivative, handle, e.unknowns.get(), e.count, e.knowns.get(), e.count,
           e.seed.get(), e.size, e.result.get(), e.size);
    }
  }

  // Every function that counts or lists arrays, with the size that was just chosen.
  void resize(void* handle) override {
    CALL(EnterConfigurationMode, handle);
    const VariableTable& table = fmu_.description.table;
    for (const ArrayVariable& array : table.arrays) {
      if (!table.variables[array.elements.front()].resizable) continue;
      std::uint64_t size = make_.seldom() ? make_.any() : static_cast<std::uint64_t>(make_.pick(8));
      CALL(SetUInt64, handle, &array.reference, 1, &size, 1);
      CALL(GetUInt64, handle, &array.reference, 1, &size, 1);
    }
    if (!make_.seldom()) CALL(ExitConfigurationMode, handle);
  }
  // Whole arrays, of the size that they may have.
  void values(void* handle) override {
    const VariableTable& table = fmu_.description.table;
    for (const ArrayVariable& array : table.arrays) {
      if (make_.pick(3) != 0) continue;
      const Variable& v = table.variables[array.elements.front()];
      const std::size_t count =
          table.resizable && make_.pick(2) == 0 ? 1 + make_.index(7) : array.elements.size();
      const std::unique_ptr<double[]> x(new double[count]());
      if (v.type == ValueType::integer) {
        const std::unique_ptr<int[]> n(new int[count]());
        CALL(GetInt32, handle, &array.reference, 1, n.get(), count);
        continue;
      }
      CALL(GetFloat64, handle, &array.reference, 1, x.get(), count);
      if (v.causality != Causality::input && v.causality != Causality::parameter) continue;
      if (make_.pick(2) == 0) x[make_.index(count)] = make_.number();
      CALL(SetFloat64, handle, &array.reference, 1, x.get(), count);
    }
    const Ends e = ends(false);
    CALL(GetFloat64, handle, e.unknowns.get(), e.count, e.result.get(), e.size);
    CALL(SetFloat64, handle, e.knowns.get(), e.count, e.seed.get(), e.size);
  }

  int state_count(void* handle) override {
    std::size_t states = 0, indicators = 0;
    CALL(GetNumberOfContinuousStates, handle, &states);
    CALL(GetNumberOfEventIndicators, handle, &indicators);
    return static_cast<int>(states);
  }
  void get_states(void* handle, double* x, std::size_t count) override {
    CALL(GetNominalsOfContinuousStates, handle, x, count);
    CALL(GetContinuousStates, handle, x, count);
  }
  void get_rates(void* handle, double* dx, std::size_t count) override {
    CALL(GetContinuousStateDerivatives, handle, dx, count);
  }
  void get_indicators(void* handle, double* phi, std::size_t count) override {
    CALL(GetEventIndicators, handle, phi, count);
  }
  int set_time(void* handle, double time) override { return CALL(SetTime, handle, time); }
  void set_states(void* handle, const double* x, std::size_t count) override {
    CALL(SetContinuousStates, handle, x, count);
  }
  bool completed(void* handle) override {
    bool events = false, terminate = false;
    CALL(CompletedIntegratorStep, handle, make_.pick(2) == 0, &events, &terminate);
    return events;
  }

  int get_state(void* handle, void** state) override { return CALL(GetFMUState, handle, state); }
  int set_state(void* handle, void* state) override { return CALL(SetFMUState, handle, state); }
  int free_state(void* handle, void** state) override { return CALL(FreeFMUState, handle, state); }
  int state_size(void* handle, void* state, std::size_t* size) override {
    return CALL(SerializedFMUStateSize, handle, state, size);
  }
  int write_state(void* handle, void* state, unsigned char* bytes, std::size_t size) override {
    return CALL(SerializeFMUState, handle, state, bytes, size);
  }
  int read_state(void* handle, const unsigned char* bytes, std::size_t size,
                 void** state) override {
    return CALL(DeserializeFMUState, handle, bytes, size, state);
  }

  void any(void* handle) override {
    using Entry = std::pair<const char*, void (*)(Calls3&, void*)>;
    static const std::vector<Entry> all = {
#define FMI3_FUNCTION(result, name, parameters) \
  {#name, [](Calls3& c, void* one) { c.any_of(3, #name, runtime().fmi3.name, one); }},
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
    };
    const auto& [name, call] = all[make_.index(all.size())];
    environment_.stepping = handle;
    if (!with_care(name)) call(*this, handle);
  }

 private:
  void look_at_clocks(void* handle) {
    const std::uint32_t reference = first_clock + static_cast<std::uint32_t>(make_.pick(4));
    bool ticks = false;
    CALL(GetClock, handle, &reference, 1, &ticks);
  }
  std::uint32_t array_of(std::uint32_t scalar) const {
    for (const ArrayVariable& array : fmu_.description.table.arrays)
      for (const std::uint32_t element : array.elements)
        if (element == scalar) return array.reference;
    return scalar;
  }

  Environment environment_;
};

}  // namespace

std::unique_ptr<Calls> calls3(const Fmu& fmu, Arguments& make) {
  return std::make_unique<Calls3>(fmu, make);
}

}  // namespace mbs::test::fuzz
