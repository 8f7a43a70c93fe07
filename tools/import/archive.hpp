// Reads the zip file of an FMU, which may be hostile: every entry is checked before one byte is
// written, and all files stay within a private temporary folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/import/error.hpp"

namespace mbs::import {

// Limits for an archive. A message quotes the value found and the bound.
struct ArchiveLimits {
  std::uint64_t entries = 100'000;
  std::uint64_t file_bytes = 1ull << 30;   // one unpacked file
  std::uint64_t total_bytes = 4ull << 30;  // all of them
  std::uint64_t ratio = 250;               // unpacked to packed, for files beyond ratio_from
  std::uint64_t ratio_from = 16ull << 20;
  std::uint64_t name_length = 1024;
};

struct ArchiveEntry {
  std::string name;  // as in the archive
  std::string path;  // where it is unpacked: without leading "./" and trailing "/"
  std::uint64_t size = 0;
  std::uint64_t packed_size = 0;
  bool is_folder = false;
};

// A folder that only this user may read, removed with all it holds at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// All entries in the order of the archive. Throws ImportError at the first that is not acceptable.
std::vector<ArchiveEntry> list_archive(const std::filesystem::path& file,
                                       const ArchiveLimits& limits = {});

// The content of one file of the archive.
std::string read_from_archive(const std::filesystem::path& file, const std::string& name,
                              const ArchiveLimits& limits = {});

TemporaryFolder unpack_archive(const std::filesystem::path& file, const ArchiveLimits& limits = {});

}  // namespace mbs::import
