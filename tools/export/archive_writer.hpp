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
  // A zip archive whose first entry is this content: it is copied as it is compressed there. An
  // archive that is missing or holds something else is not used.
  std::filesystem::path compressed = {};
};

// Throws std::runtime_error that names the file.
void write_archive(const std::filesystem::path& path, const std::vector<ArchiveEntry>& entries,
                   std::time_t modified);

}  // namespace mbs
