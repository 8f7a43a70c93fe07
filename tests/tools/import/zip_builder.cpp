#include "tests/tools/import/zip_builder.hpp"

#include <gtest/gtest.h>
#include <zip.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace mbs::test {
namespace {

void require(bool good, zip_t* archive) {
  if (!good) throw std::runtime_error(std::string("test zip: ") + zip_strerror(archive));
}

void add_entry(zip_t* archive, const ZipEntry& entry) {
  if (entry.name.ends_with('/')) {
    require(zip_dir_add(archive, entry.name.c_str(), ZIP_FL_ENC_UTF_8) >= 0, archive);
    return;
  }
  zip_source_t* source = zip_source_buffer(archive, entry.content.data(), entry.content.size(), 0);
  const zip_int64_t index = zip_file_add(archive, entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
  require(index >= 0, archive);
  const auto place = static_cast<zip_uint64_t>(index);
  require(zip_set_file_compression(archive, place, entry.method, 0) == 0, archive);
  if (entry.unix_mode != 0)
    require(zip_file_set_external_attributes(archive, place, 0, ZIP_OPSYS_UNIX,
                                             entry.unix_mode << 16) == 0,
            archive);
  if (entry.encrypted)
    require(zip_file_set_encryption(archive, place, ZIP_EM_AES_128, "secret") == 0, archive);
}

}  // namespace

void make_zip(const std::filesystem::path& file, const std::vector<ZipEntry>& entries) {
  int code = 0;
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!archive) throw std::runtime_error("test zip cannot be opened");
  for (const ZipEntry& entry : entries) add_entry(archive, entry);
  require(zip_close(archive) == 0, archive);
}

void rename_in_zip(const std::filesystem::path& file, const std::string& from,
                   const std::string& to) {
  std::string bytes = read_file(file);
  int count = 0;
  for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1)) {
    bytes.replace(at, from.size(), to);
    ++count;
  }
  EXPECT_EQ(count, 2) << from;
  write_file(file, bytes);
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_file(const std::filesystem::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

std::vector<ZipEntry> tiny_entries(int version) {
  const std::filesystem::path fmu = version == 2 ? TINY_FMU2 : TINY_FMU3;
  std::vector<ZipEntry> entries;
  for (const import::ArchiveEntry& entry : import::list_archive(fmu))
    if (!entry.is_folder)
      entries.push_back({entry.path, import::read_from_archive(fmu, entry.path)});
  return entries;
}

std::vector<ZipEntry> defective_entries(int version, const std::string& defect) {
  auto entries = tiny_entries(version);
  for (ZipEntry& entry : entries) {
    if (!entry.name.ends_with(".so")) continue;
    entry.content =
        read_file(std::string(DEFECTIVE_LIBRARIES) + "/defects" + std::to_string(version) + ".so");
    const std::size_t at = entry.content.find("defect:none");
    EXPECT_NE(at, std::string::npos);
    entry.content.replace(at + 7, defect.size() + 1, defect.c_str(), defect.size() + 1);
  }
  entries.push_back({"resources/data.txt", "data"});
  return entries;
}

ZipEntry& entry_named(std::vector<ZipEntry>& entries, const std::string& name) {
  for (ZipEntry& entry : entries)
    if (entry.name == name) return entry;
  throw std::runtime_error("no entry " + name);
}

void replace_once(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << "not in the text: " << from;
  text.replace(at, from.size(), to);
}

}  // namespace mbs::test
