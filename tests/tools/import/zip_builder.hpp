// Makes zip files for tests, broken and hostile ones, too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/import/archive.hpp"

namespace mbs::test {

struct ZipEntry {
  std::string name;
  std::string content;
  int method = 8;          // as in the zip format: 0 store, 8 deflate, 12 bzip2
  unsigned unix_mode = 0;  // 0120777: a symbolic link
  bool encrypted = false;
};

void make_zip(const std::filesystem::path& file, const std::vector<ZipEntry>& entries);

// Replaces a name by another of the same length in local and central directory: for names that
// libzip refuses to write (twice the same).
void rename_in_zip(const std::filesystem::path& file, const std::string& from,
                   const std::string& to);

std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& content);

// A tiny FMU as entries, to be changed by a test: description, library, documentation.
std::vector<ZipEntry> tiny_entries(int version);
// The entries of a tiny FMU with the library of check_fmu/defects/defects<version>.c and one of its
// defects, or "none".
std::vector<ZipEntry> defective_entries(int version, const std::string& defect);
ZipEntry& entry_named(std::vector<ZipEntry>& entries, const std::string& name);

// Fails the test if the text is not there, so that no edit goes astray.
void replace_once(std::string& text, const std::string& from, const std::string& to);

}  // namespace mbs::test
