// The suite runs over every FMU of MBS_HARNESS_FMUS through every importer that is built.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/import/fmu.hpp"

namespace mbs::test {

struct Importer {
  std::string name;
  std::unique_ptr<import::Fmu> (*open)(const std::filesystem::path& file);
};

std::vector<Importer> importers();
std::vector<std::filesystem::path> harness_fmus();

}  // namespace mbs::test
