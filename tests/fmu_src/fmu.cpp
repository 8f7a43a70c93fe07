#include "tests/fmu_src/fmu.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "engine/model/reader.hpp"
#include "engine/model/resizable.hpp"
#include "engine/multibody/assemble.hpp"
#include "fmu_src/resources.hpp"

namespace mbs::test {

namespace fs = std::filesystem;

const char* const rig_text = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Rig" version="1" planar="xy">
  <parameter name="n" value="2" variability="structural" doc="number of rods"/>
  <parameter name="L" value="400 mm" unit="mm" min="1 mm" max="2 m" doc="length of a rod"/>
  <parameter name="half" value="L/2"/>
  <parameter name="m" value="0.1 kg"/>
  <parameter name="d" value="0.01 N.m.s/rad" variability="tunable" min="0"/>
  <parameter name="d2" value="2*d" variability="tunable"/>
  <input name="M" unit="N.m" start="0.3 N.m" doc="torque command"/>
  <input name="push" unit="kN"/>
  <gravity g="0, -9.81 m/s^2"/>
  <repeat index="i" count="n" prev="ground" next="rod[i].tip">
    <body name="rod" mass="m" com="half, 0" inertia="m*L^2/12"><frame name="tip" pos="L, 0"/></body>
    <revolute name="pin" a="prev" b="rod[i]" q="0.3 rad" damping="d2"/>
  </repeat>
  <state name="lag" start="0 N.m" der="(M - lag)/(20 ms)"/>
  <torque name="motor" joint="pin[1]" value="lag - d*pin[1].qd"/>
  <force name="side" on="rod[n].tip" value="push, 0"/>
  <output name="x" of="rod[n].tip" quantity="position" component="x" unit="mm"/>
  <output name="w" of="pin[1]" quantity="qd"/>
  <output name="alpha" of="pin[1]" quantity="qdd"/>
  <output name="N" of="pin[1]" quantity="reaction" component="fx" unit="N"/>
  <output name="P" value="lag*pin[1].qd" unit="W"/>
  <output name="direct" value="2*M" unit="N.m"/>
  <output name="E" quantity="energy" unit="J"/>
  <output name="drift" quantity="residual"/>
  <output name="steps" quantity="statistic" component="steps"/>
  <solver method="extrapolation" rtol="1e-7" atol="1e-9" stop_time="1 s"/>
</mbs>
)xml";

std::string runtime_file() {
  return std::getenv("MBSFMU_RUNTIME_FILE");
}

namespace {

template <class Function>
void bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(std::string("not exported: ") + name);
}

}  // namespace

Runtime::Runtime(const std::string& file) : handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
#define FMI2_FUNCTION(result, name, parameters) bind(handle_, "fmi2" #name, fmi2.name);
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
#define FMI3_FUNCTION(result, name, parameters) bind(handle_, "fmi3" #name, fmi3.name);
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
}

Runtime::~Runtime() {
  dlclose(handle_);
}

const Runtime& runtime() {
  static const Runtime opened;
  return opened;
}

Folder::Folder(const std::string& name) {
  std::string pattern = fs::temp_directory_path() / "mbsfmu-test-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  top_ = pattern;
  path_ = top_ + "/" + name;
  fs::create_directories(path_);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(top_, ignored);
}

std::string Folder::put(const std::string& file, const std::string& content) const {
  const fs::path path = fs::path(path_) / file;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

namespace {

VariableTable table_of(const std::string& text) {
  Diagnostics diagnostics;
  const Model model = read_model_text(text, "test.mbs.xml", diagnostics);
  if (!diagnostics.ok()) throw std::runtime_error(diagnostics.text());
  VariableTable table = make_variables(model, resizable_parameters(text));
  add_exchange_variables(table, *assemble(model, diagnostics));
  return table;
}

}  // namespace

Description::Description(const std::string& text)
    : table(table_of(text)),
      token(interface_hash(table)),
      clock_token(interface_hash(table, Extra::clocks)),
      array_token(table.exchange_arrays ? interface_hash(table, Extra::exchange_arrays) : "") {}

std::uint32_t Description::operator[](const std::string& name) const {
  for (const Variable& v : table.variables)
    if (v.name == name) return v.reference;
  throw std::out_of_range("no variable " + name);
}

Fmu::Fmu(const std::string& text, const std::string& folder)
    : description(text), resources(folder) {
  resources.put(std::string(model_file), text);
}

void log_fmi2(fmi2ComponentEnvironment environment, fmi2String, fmi2Status status,
              fmi2String category, fmi2String message, ...) {
  char text[8192];
  va_list arguments;
  va_start(arguments, message);
  std::vsnprintf(text, sizeof text, message, arguments);
  va_end(arguments);
  static_cast<std::vector<Message>*>(environment)->push_back({status, category, text});
}

void log_fmi3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
              fmi3String message) {
  static_cast<std::vector<Message>*>(environment)->push_back({status, category, message});
}

Instance::Instance(const Fmu& fmu, int version, bool logging) : fmu_(fmu), version_(version) {
  const std::string& token = fmu.description.token;
  if (version == 2) {
    callbacks_ = {log_fmi2, nullptr, nullptr, nullptr, &messages};
    handle = runtime().fmi2.Instantiate("test", fmi2CoSimulation, token.c_str(), fmu.uri().c_str(),
                                        &callbacks_, fmi2False, logging);
    callbacks_ = {};  // only valid in the call
  } else {
    handle = runtime().fmi3.InstantiateCoSimulation(
        "test", token.c_str(), (fmu.resources.path() + "/").c_str(), false, logging, false, false,
        nullptr, 0, &messages, log_fmi3, nullptr);
  }
  if (handle == nullptr) throw std::runtime_error("no instance: " + said());
}

Instance::~Instance() {
  version_ == 2 ? runtime().fmi2.FreeInstance(handle) : runtime().fmi3.FreeInstance(handle);
}

std::string Instance::said() const {
  std::string all;
  for (const Message& message : messages) all += message.text + "\n";
  return all;
}

int Instance::set_up_and_enter(double start, double stop, double tolerance) {
  const bool with_stop = stop > start, with_tolerance = tolerance > 0.0;
  if (version_ == 3)
    return runtime().fmi3.EnterInitializationMode(handle, with_tolerance, tolerance, start,
                                                  with_stop, stop);
  const int status =
      runtime().fmi2.SetupExperiment(handle, with_tolerance, tolerance, start, with_stop, stop);
  return status != ok ? status : runtime().fmi2.EnterInitializationMode(handle);
}

int Instance::exit() {
  return version_ == 2 ? int(runtime().fmi2.ExitInitializationMode(handle))
                       : int(runtime().fmi3.ExitInitializationMode(handle));
}

int Instance::step(double t, double h) {
  if (version_ == 2) return runtime().fmi2.DoStep(handle, t, h, fmi2True);
  bool event = true, terminate = true, early = true;
  double last = -1.0;
  const int status = runtime().fmi3.DoStep(handle, t, h, true, &event, &terminate, &early, &last);
  EXPECT_FALSE(event || terminate || early);
  if (status == ok) {
    EXPECT_EQ(last, t + h);
  }
  return status;
}

int Instance::terminate() {
  return version_ == 2 ? int(runtime().fmi2.Terminate(handle))
                       : int(runtime().fmi3.Terminate(handle));
}

int Instance::reset() {
  return version_ == 2 ? int(runtime().fmi2.Reset(handle)) : int(runtime().fmi3.Reset(handle));
}

int Instance::get(const std::string& name, double& value) {
  const std::uint32_t reference = fmu_.description[name];
  return version_ == 2 ? int(runtime().fmi2.GetReal(handle, &reference, 1, &value))
                       : int(runtime().fmi3.GetFloat64(handle, &reference, 1, &value, 1));
}

int Instance::get_integer(const std::string& name, std::int32_t& value) {
  const std::uint32_t reference = fmu_.description[name];
  return version_ == 2 ? int(runtime().fmi2.GetInteger(handle, &reference, 1, &value))
                       : int(runtime().fmi3.GetInt32(handle, &reference, 1, &value, 1));
}

int Instance::set(const std::string& name, double value) {
  const std::uint32_t reference = fmu_.description[name];
  return version_ == 2 ? int(runtime().fmi2.SetReal(handle, &reference, 1, &value))
                       : int(runtime().fmi3.SetFloat64(handle, &reference, 1, &value, 1));
}

double Instance::operator[](const std::string& name) {
  double value = 0.0;
  return get(name, value) == ok ? value : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> Instance::all() {
  std::vector<double> values;
  for (const Variable& v : fmu_.description.table.variables)
    if (v.type == ValueType::real) values.push_back((*this)[v.name]);
  return values;
}

int Instance::get_state(void** state) {
  return version_ == 2 ? int(runtime().fmi2.GetFMUstate(handle, state))
                       : int(runtime().fmi3.GetFMUState(handle, state));
}

int Instance::set_state(void* state) {
  return version_ == 2 ? int(runtime().fmi2.SetFMUstate(handle, state))
                       : int(runtime().fmi3.SetFMUState(handle, state));
}

int Instance::free_state(void** state) {
  return version_ == 2 ? int(runtime().fmi2.FreeFMUstate(handle, state))
                       : int(runtime().fmi3.FreeFMUState(handle, state));
}

int Instance::state_size(void* state, std::size_t* size) {
  return version_ == 2 ? int(runtime().fmi2.SerializedFMUstateSize(handle, state, size))
                       : int(runtime().fmi3.SerializedFMUStateSize(handle, state, size));
}

int Instance::serialise(void* state, std::vector<char>& bytes) {
  std::size_t size = 0;
  if (const int status = state_size(state, &size); status != ok) return status;
  bytes.resize(size);
  if (version_ == 2) return runtime().fmi2.SerializeFMUstate(handle, state, bytes.data(), size);
  return runtime().fmi3.SerializeFMUState(handle, state,
                                          reinterpret_cast<std::uint8_t*>(bytes.data()), size);
}

int Instance::deserialise(const std::vector<char>& bytes, void** state) {
  if (version_ == 2)
    return runtime().fmi2.DeSerializeFMUstate(handle, bytes.data(), bytes.size(), state);
  return runtime().fmi3.DeserializeFMUState(
      handle, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), state);
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]))
        << "value " << i << ": " << a[i] << " and " << b[i];
}

}  // namespace mbs::test
