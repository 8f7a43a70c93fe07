#include "tools/import/library.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace mbs::import {

std::vector<std::string> function_names(FmiVersion version) {
  if (version == FmiVersion::fmi2)
    return {
#define FMI2_FUNCTION(result, name, parameters) "fmi2" #name,
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
    };
  return {
#define FMI3_FUNCTION(result, name, parameters) "fmi3" #name,
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
  };
}

std::string platform_folder(FmiVersion version) {
#if defined(__aarch64__)
  (void)version;
  return "aarch64-linux";
#elif defined(__x86_64__)
  return version == FmiVersion::fmi2 ? "linux64" : "x86_64-linux";
#else
#error "the importer knows x86_64 and aarch64"
#endif
}

std::filesystem::path find_library(const std::filesystem::path& folder,
                                   const ModelDescription& description) {
  const std::filesystem::path binaries = folder / "binaries";
  const std::string platform = platform_folder(description.version);
  const std::string name = description.co_simulation->model_identifier + ".so";
  const std::filesystem::path file = binaries / platform / name;
  std::error_code error;
  if (std::filesystem::is_regular_file(file, error)) return file;
  std::vector<std::string> others;
  for (std::filesystem::directory_iterator i(binaries, error), end; !error && i != end;
       i.increment(error))
    others.push_back(i->path().filename().string());
  std::sort(others.begin(), others.end());
  std::string text = "binaries/" + platform + "/" + name + " is not in the FMU";
  if (others.empty()) throw ImportError(text + ": it has no binaries, only perhaps sources");
  text += ", which has binaries for";
  for (const std::string& other : others) text += " " + other;
  throw ImportError(text);
}

Library::Library(const std::filesystem::path& file)
    : file_(file), handle_(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_) return;
  const char* reason = dlerror();
  throw ImportError("the FMU's library cannot be loaded: " +
                    std::string(reason ? reason : "no reason given"));
}

Library::~Library() {
  dlclose(handle_);
}

void* Library::find(const std::string& symbol) const {
  return dlsym(handle_, symbol.c_str());
}

namespace {

void assign(Functions2& functions, const Library& library) {
#define FMI2_FUNCTION(result, name, parameters) \
  functions.name = reinterpret_cast<result(*) parameters>(library.find("fmi2" #name));
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
}

void assign(Functions3& functions, const Library& library) {
#define FMI3_FUNCTION(result, name, parameters) \
  functions.name = reinterpret_cast<result(*) parameters>(library.find("fmi3" #name));
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
}

}  // namespace

template <class Functions>
Functions Library::functions() const {
  std::string missing;
  for (const std::string& name : function_names(Functions::version))
    if (!find(name)) missing += " " + name;
  if (!missing.empty())
    throw ImportError("the FMU's library " + file_.filename().string() +
                      " lacks functions that every FMU must export:" + missing);
  Functions functions;
  assign(functions, *this);
  return functions;
}

template Functions2 Library::functions() const;
template Functions3 Library::functions() const;

}  // namespace mbs::import
