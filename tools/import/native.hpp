// Within the importer: shared by the two implementations over a loaded library.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tools/import/fmu.hpp"
#include "tools/import/library.hpp"

namespace mbs::import {

// The status that an FMU returned; a number that is not in the standard counts as fatal.
inline Status known_status(int number, int last) {
  return number >= 0 && number <= last ? static_cast<Status>(number) : Status::fatal;
}

// A message with # for ##. References to variables, #r12# or #12#, stay as they are.
std::string message_text(std::string_view text);

// The FMU's log callback writes here; it may be called from any thread.
class LogRecorder {
 public:
  void add(LogMessage message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
  }
  std::vector<LogMessage> messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<LogMessage> messages_;
};

// A library with its functions, kept by the FMU and every instance of it.
template <class Functions>
struct LoadedLibrary {
  explicit LoadedLibrary(const std::filesystem::path& file)
      : library(file), functions(library.functions<Functions>()) {}
  Library library;
  Functions functions;
};

// "refused to be instantiated" with the messages of the FMU.
ImportError refusal(const ModelDescription& description, const std::vector<LogMessage>& messages);

// Throws ImportError unless the FMU has model exchange as well, in the library of co-simulation.
void require_model_exchange(const ModelDescription& description);

// The location of the resources: for FMI 2 a URI, for FMI 3 a path with a slash at its end.
std::string resource_uri(const std::filesystem::path& folder);
std::string resource_path(const std::filesystem::path& folder);

// Makes the instance with the callbacks given; null if the FMU refuses.
using Instantiate2 = std::function<fmi2Component(const fmi2CallbackFunctions& callbacks)>;
using Instantiate3 = std::function<fmi3Instance(fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                                fmi3IntermediateUpdateCallback)>;

// Instances over any table of functions: here the FMU's own, in the tests those of another
// importer.
std::unique_ptr<Instance> make_instance2(std::shared_ptr<const Functions2> functions,
                                         const ModelDescription& description,
                                         const Instantiate2& instantiate,
                                         bool model_exchange = false);
std::unique_ptr<Instance> make_instance3(std::shared_ptr<const Functions3> functions,
                                         const ModelDescription& description,
                                         const IntermediateCallback& intermediate_update,
                                         const Instantiate3& instantiate,
                                         bool model_exchange = false);

std::unique_ptr<Instance> instantiate2(std::shared_ptr<const LoadedLibrary<Functions2>> library,
                                       const ModelDescription& description,
                                       const std::filesystem::path& folder,
                                       const InstanceOptions& options);
std::unique_ptr<Instance> instantiate3(std::shared_ptr<const LoadedLibrary<Functions3>> library,
                                       const ModelDescription& description,
                                       const std::filesystem::path& folder,
                                       const InstanceOptions& options);

}  // namespace mbs::import
