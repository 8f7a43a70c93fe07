// Writes a zip archive as FMUs need it: no "./", no folders as entries, stored or deflated, no
// ZIP64 for what fits without, the same bytes for the same contents.
#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace mbs {

struct ArchiveEntry {
  std::string name;  // "binaries/linux64/crane.so"
  std::string content;
  bool executable = false;
};

// Throws std::runtime_error that names the file.
void write_archive(const std::filesystem::path& path, const std::vector<ArchiveEntry>& entries,
                   std::time_t modified);

}  // namespace mbs
