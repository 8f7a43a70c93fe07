// The shared library of an FMU: its place in the FMU and its functions as a table.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fmu_src/interface/fmi2.h"
#include "fmu_src/interface/fmi3.h"
#include "tools/import/model_description.hpp"

namespace mbs::import {

struct Functions2 {
  static constexpr FmiVersion version = FmiVersion::fmi2;
#define FMI2_FUNCTION(result, name, parameters) result(*name) parameters = nullptr;
#include "fmu_src/interface/fmi2_functions.inc"
#undef FMI2_FUNCTION
};

struct Functions3 {
  static constexpr FmiVersion version = FmiVersion::fmi3;
#define FMI3_FUNCTION(result, name, parameters) result(*name) parameters = nullptr;
#include "fmu_src/interface/fmi3_functions.inc"
#undef FMI3_FUNCTION
};

// All that a library of this version must export.
std::vector<std::string> function_names(FmiVersion version);

// The folder under binaries/ for the machine this runs on.
std::string platform_folder(FmiVersion version);

// The library of the unpacked FMU; throws ImportError naming the platforms that it has instead.
std::filesystem::path find_library(const std::filesystem::path& folder,
                                   const ModelDescription& description);

class Library {
 public:
  explicit Library(const std::filesystem::path& file);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void* find(const std::string& symbol) const;
  // The whole table, Functions2 or Functions3; throws ImportError with the names of all missing
  // functions.
  template <class Functions>
  Functions functions() const;

 private:
  std::filesystem::path file_;
  void* handle_;
};

}  // namespace mbs::import
