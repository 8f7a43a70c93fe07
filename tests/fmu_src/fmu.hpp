#pragma once

// The runtime as an importer sees it: the built library, opened with dlopen, a resources folder of
// the test's own, and one interface for both versions of FMI so that most tests run with both.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fmu_src/interface/fmi2.h"
#include "fmu_src/interface/fmi3.h"
#include "fmu_src/variables.hpp"

namespace mbs::test {

struct Functions2 {
#define FMI2_FUNCTION(result, name, parameters) result(*name) parameters = nullptr;
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
};

struct Functions3 {
#define FMI3_FUNCTION(result, name, parameters) result(*name) parameters = nullptr;
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
};

std::string runtime_file();

class Runtime {
 public:
  explicit Runtime(const std::string& file = runtime_file());
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  Functions2 fmi2;
  Functions3 fmi3;

 private:
  void* handle_;
};

// Opened once and kept.
const Runtime& runtime();

// A folder that is removed with the object.
class Folder {
 public:
  explicit Folder(const std::string& name = "resources");
  ~Folder();
  const std::string& path() const { return path_; }
  std::string put(const std::string& file, const std::string& content) const;  // its path

 private:
  std::string top_, path_;
};

// A model with every kind of variable: a driven pendulum.
extern const char* const rig_text;
// Names of its variables, and what an importer would read in modelDescription.xml.
struct Description {
  explicit Description(const std::string& model_text);
  VariableTable table;
  std::string token;
  std::string clock_token;  // of an FMU with clocks
  std::string array_token;  // of one whose states are arrays; empty: they cannot be
  std::uint32_t operator[](const std::string& name) const;
};

struct Message {
  int status;
  std::string category, text;
};

// An FMU of a model and instances of it.
class Fmu {
 public:
  explicit Fmu(const std::string& model_text, const std::string& folder = "resources");
  const Description description;
  const Folder resources;
  std::string uri() const { return "file://" + resources.path(); }
};

class Instance {
 public:
  Instance(const Fmu& fmu, int version, bool logging = true);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  int set_up_and_enter(double start = 0.0, double stop = -1.0, double tolerance = -1.0);
  int exit();
  int start(double t0 = 0.0) {
    const int status = set_up_and_enter(t0);
    return status != 0 ? status : exit();
  }
  int step(double t, double h);
  int terminate();
  int reset();
  int get(const std::string& name, double& value);
  int get_integer(const std::string& name, std::int32_t& value);
  int set(const std::string& name, double value);
  double operator[](const std::string& name);  // NaN when it cannot be read
  std::vector<double> all();                   // every real variable
  int get_state(void** state);
  int set_state(void* state);
  int free_state(void** state);
  int state_size(void* state, std::size_t* size);
  int serialise(void* state, std::vector<char>& bytes);
  int deserialise(const std::vector<char>& bytes, void** state);

  void* handle = nullptr;
  std::vector<Message> messages;
  std::string said() const;  // all texts

 private:
  const Fmu& fmu_;
  int version_;
  fmi2CallbackFunctions callbacks_{};
};

void log_fmi2(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
              fmi2String category, fmi2String message, ...);
void log_fmi3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
              fmi3String message);

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b);

enum : int { ok, warning, discard, error, fatal };

}  // namespace mbs::test
