// Calls with arguments that no sane importer passes, and calls out of order, straight to the C
// functions. Violations of the standards are errors; the rest is advice: a crash of the FMU takes
// the importer with it.
#include <cstdarg>
#include <cstring>

#include "tools/check_fmu/trial.hpp"
#include "tools/import/native.hpp"

namespace mbs::check_fmu {
namespace {

using import::Functions2;
using import::Functions3;
using import::Library;

// The environment that callbacks must pass back, and a count of the calls with it.
struct Witness {
  int calls = 0;
  bool is_ours = true;
};
Witness witness;

void log2(fmi2ComponentEnvironment environment, fmi2String, fmi2Status, fmi2String, fmi2String,
          ...) {
  ++witness.calls;
  witness.is_ours = witness.is_ours && environment == &witness;
}
void log3(fmi3InstanceEnvironment environment, fmi3Status, fmi3String, fmi3String) {
  ++witness.calls;
  witness.is_ours = witness.is_ours && environment == &witness;
}

// The functions of the library, with good arguments for all that a trial does not change.
class Raw {
 public:
  explicit Raw(Trial& trial)
      : description_(trial.description()),
        is_fmi2_(trial.subject().is_fmi2()),
        library_(import::find_library(trial.folder(), trial.description())),
        name("check"),
        token(description_.token),
        resources(is_fmi2_ ? import::resource_uri(trial.folder())
                           : import::resource_path(trial.folder())) {
    if (is_fmi2_)
      fmi2 = library_.functions<Functions2>();
    else
      fmi3 = library_.functions<Functions3>();
  }

  bool is_fmi2() const { return is_fmi2_; }

  // Uses the arguments below.
  void* instantiate() {
    const char* place = resources ? resources->c_str() : nullptr;
    const char* hash = token ? token->c_str() : nullptr;
    if (is_fmi2_)
      return fmi2.Instantiate(name, fmi2CoSimulation, hash, place,
                              has_callbacks ? &callbacks : nullptr, fmi2False, true);
    return fmi3.InstantiateCoSimulation(name, hash, place, false, true, false, false, nullptr, 0,
                                        &witness, has_callbacks ? log3 : nullptr, nullptr);
  }
  void free(void* instance) {
    is_fmi2_ ? fmi2.FreeInstance(instance) : fmi3.FreeInstance(instance);
  }
  int enter_initialization(void* instance) {
    if (!is_fmi2_) return fmi3.EnterInitializationMode(instance, false, 0, 0, false, 0);
    const int status = fmi2.SetupExperiment(instance, false, 0, 0, false, 0);
    return status > fmi2Warning ? status : fmi2.EnterInitializationMode(instance);
  }
  int exit_initialization(void* instance) {
    return is_fmi2_ ? static_cast<int>(fmi2.ExitInitializationMode(instance))
                    : static_cast<int>(fmi3.ExitInitializationMode(instance));
  }
  int step(void* instance, double time, double size) {
    if (is_fmi2_) return fmi2.DoStep(instance, time, size, true);
    bool event = false, terminate = false, early = false;
    double last = 0;
    return fmi3.DoStep(instance, time, size, true, &event, &terminate, &early, &last);
  }

 private:
  const import::ModelDescription& description_;
  bool is_fmi2_;
  Library library_;

 public:
  Functions2 fmi2;
  Functions3 fmi3;
  const char* name;
  std::optional<std::string> token, resources;
  bool has_callbacks = true;
  fmi2CallbackFunctions callbacks{log2, nullptr, nullptr, nullptr, &witness};
};

void expect_none(Trial& trial, Raw& raw, const std::string& what) {
  trial.parent().doing("Instantiate " + what);
  if (void* instance = raw.instantiate()) {
    trial.error("is instantiated " + what, "log why and return null");
    trial.parent().doing("FreeInstance");
    raw.free(instance);
  }
}

void without_name(Trial& trial) {
  Raw raw(trial);
  raw.name = nullptr;
  expect_none(trial, raw, "without a name");
  raw.name = "";
  expect_none(trial, raw, "with an empty name");
}

void without_token(Trial& trial) {
  Raw raw(trial);
  raw.token.reset();
  expect_none(trial, raw, "without a token");
}

// With or without need of resources, the library must not crash.
void without_resources(Trial& trial) {
  Raw raw(trial);
  for (const char* place : {static_cast<const char*>(nullptr), "", "http://nowhere", "/nowhere"}) {
    raw.resources = place ? std::optional<std::string>(place) : std::nullopt;
    trial.parent().doing("Instantiate with resources at " +
                         (place ? in_quotes(place) : std::string("null")));
    if (void* instance = raw.instantiate()) raw.free(instance);
  }
}

void without_callbacks(Trial& trial) {
  Raw raw(trial);
  raw.has_callbacks = false;
  trial.parent().doing("Instantiate without a logger");
  void* instance = raw.instantiate();
  if (!instance) {
    if (!raw.is_fmi2()) trial.error("refuses a null logMessage", "FMI 3 allows it");
    return;
  }
  trial.parent().doing("a message without a logger");
  double value = 0;
  const fmi3ValueReference nowhere = 0xfffffff0;
  if (raw.is_fmi2())
    static_cast<void>(raw.fmi2.GetReal(instance, &nowhere, 1, &value));
  else
    static_cast<void>(raw.fmi3.GetFloat64(instance, &nowhere, 1, &value, 1));
  raw.free(instance);
}

// The structure of callbacks belongs to the importer and is gone after the call.
void hands_back_the_environment(Trial& trial) {
  Raw raw(trial);
  trial.parent().doing("Instantiate");
  void* instance = raw.instantiate();
  if (!instance) return;
  std::memset(&raw.callbacks, 0, sizeof raw.callbacks);
  trial.parent().doing("a message after the callbacks are gone");
  double value = 0;
  const fmi3ValueReference nowhere = 0xfffffff0;
  raw.enter_initialization(instance);
  if (raw.is_fmi2())
    static_cast<void>(raw.fmi2.GetReal(instance, &nowhere, 1, &value));
  else
    static_cast<void>(raw.fmi3.GetFloat64(instance, &nowhere, 1, &value, 1));
  if (!witness.is_ours)
    trial.error("calls the logger with another environment",
                "hand back the importer's pointer as it was given");
  trial.parent().doing("FreeInstance");
  raw.free(instance);
}

void null_arrays(Trial& trial) {
  Raw raw(trial);
  void* instance = raw.instantiate();
  if (!instance) return;
  raw.enter_initialization(instance);
  trial.parent().doing("reading one value with null arrays");
  const int status = raw.is_fmi2()
                         ? static_cast<int>(raw.fmi2.GetReal(instance, nullptr, 1, nullptr))
                         : static_cast<int>(raw.fmi3.GetFloat64(instance, nullptr, 1, nullptr, 1));
  if (status <= fmi2Warning) trial.advice("reads one value with null arrays", "answer Error");
  raw.free(instance);
}

void null_handle(Trial& trial) {
  Raw raw(trial);
  trial.parent().doing("FreeInstance of null");
  raw.free(nullptr);
}

void reports_its_version(Trial& trial) {
  Raw raw(trial);
  trial.parent().doing("GetVersion");
  const char* version = raw.is_fmi2() ? raw.fmi2.GetVersion() : raw.fmi3.GetVersion();
  const std::string text = version ? version : "";
  if (!text.starts_with(raw.is_fmi2() ? "2.0" : "3.0"))
    trial.error("GetVersion answers " + in_quotes(text),
                raw.is_fmi2() ? "answer 2.0" : "answer 3.0");
  if (!raw.is_fmi2()) return;
  const char* platform = raw.fmi2.GetTypesPlatform();
  if (!platform || std::string(platform) != "default")
    trial.error("fmi2GetTypesPlatform answers " + in_quotes(platform ? platform : ""),
                "answer default");
}

void out_of_order(Trial& trial) {
  const std::string advice = "answer Error and log that the call is not allowed now";
  const auto refused = [&](const char* what, int status) {
    if (status <= fmi2Warning) trial.error(std::string(what) + " is accepted", advice);
  };
  Raw raw(trial);
  const auto with_new = [&](const char* what, auto&& body) {
    void* instance = raw.instantiate();
    if (!instance) return;
    trial.parent().doing(what);
    body(instance);
    trial.parent().doing("FreeInstance");
    raw.free(instance);
  };
  const double start = trial.grid().start, h = trial.grid().step;
  with_new("DoStep before the initialization", [&](void* instance) {
    refused("DoStep before the initialization", raw.step(instance, start, h));
  });
  with_new("ExitInitializationMode before entering it", [&](void* instance) {
    refused("ExitInitializationMode before entering it", raw.exit_initialization(instance));
  });
  with_new("EnterInitializationMode after the initialization", [&](void* instance) {
    if (raw.enter_initialization(instance) > fmi2Warning ||
        raw.exit_initialization(instance) > fmi2Warning)
      return;
    refused("EnterInitializationMode after the initialization",
            raw.is_fmi2() ? static_cast<int>(raw.fmi2.EnterInitializationMode(instance))
                          : static_cast<int>(
                                raw.fmi3.EnterInitializationMode(instance, false, 0, 0, false, 0)));
  });
  with_new("DoStep after Terminate", [&](void* instance) {
    if (raw.enter_initialization(instance) > fmi2Warning ||
        raw.exit_initialization(instance) > fmi2Warning)
      return;
    const int status = raw.is_fmi2() ? static_cast<int>(raw.fmi2.Terminate(instance))
                                     : static_cast<int>(raw.fmi3.Terminate(instance));
    if (status <= fmi2Warning) refused("DoStep after Terminate", raw.step(instance, 0, h));
  });
}

// The FMU has to find its resources from every form of the location that importers use.
void finds_resources(Trial& trial) {
  Raw raw(trial);
  const import::TemporaryFolder own;
  const std::filesystem::path odd = own.path() / "a b%\xc3\xbc";
  std::error_code error;
  std::filesystem::create_directory(trial.folder() / "resources", error);
  std::filesystem::create_directory_symlink(trial.folder(), odd, error);
  const std::string plain = (trial.folder() / "resources").string();
  std::vector<std::string> places;
  if (raw.is_fmi2()) {
    places = {"file://" + plain, "file:" + plain, "file://localhost" + plain,
              "file://" + plain + "/", import::resource_uri(odd)};
  } else {
    places = {plain, plain + "/", import::resource_path(odd)};
  }
  for (const std::string& place : places) {
    raw.resources = place;
    trial.parent().doing("Instantiate with resources at " + in_quotes(place));
    void* instance = raw.instantiate();
    if (!instance || raw.enter_initialization(instance) > fmi2Warning)
      trial.advice("does not start with its resources at " + in_quotes(place),
                   raw.is_fmi2() ? "understand every form of a file URI, percent-encoding too"
                                 : "understand paths with and without a slash at the end");
    if (instance) raw.free(instance);
  }
}

}  // namespace

std::vector<TrialEntry> argument_trials() {
  return {{"M1", "version", always, reports_its_version},
          {"L2", "no name", always, without_name},
          {"L2", "no token", always, without_token},
          {"L2", "no resources", always, without_resources, true},
          {"L2", "no logger", always, without_callbacks},
          {"L2", "the logger's environment", always, hands_back_the_environment},
          {"L2", "null arrays", always, null_arrays, true},
          {"L3", "the place of the resources", always, finds_resources, true},
          {"L6", "FreeInstance of null", always, null_handle},
          {"L7", "calls out of order", always, out_of_order}};
}

}  // namespace mbs::check_fmu
