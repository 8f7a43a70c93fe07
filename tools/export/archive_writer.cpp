#include "tools/export/archive_writer.hpp"

#include <zip.h>

#include <memory>
#include <stdexcept>

#include "tools/export/crc.hpp"

namespace mbs {
namespace {

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& why) {
  throw std::runtime_error("cannot write '" + path.string() + "': " + why);
}

using Archive = std::unique_ptr<zip_t, Discard>;

// The content as another archive has it compressed; null: it has not.
zip_source_t* compressed_source(zip_t* archive, const ArchiveEntry& entry,
                                std::vector<Archive>& others) {
  if (entry.compressed.empty()) return nullptr;
  Archive other(zip_open(entry.compressed.c_str(), ZIP_RDONLY, nullptr));
  zip_stat_t found;
  zip_stat_init(&found);
  if (!other || zip_stat_index(other.get(), 0, 0, &found) != 0 ||
      (found.valid & (ZIP_STAT_SIZE | ZIP_STAT_CRC)) != (ZIP_STAT_SIZE | ZIP_STAT_CRC) ||
      found.size != entry.content.size() || found.crc != crc(entry.content))
    return nullptr;
  zip_source_t* source = zip_source_zip(archive, other.get(), 0, ZIP_FL_COMPRESSED, 0, -1);
  if (source != nullptr) others.push_back(std::move(other));
  return source;
}

void add(zip_t* archive, const ArchiveEntry& entry, std::time_t modified,
         std::vector<Archive>& others) {
  zip_source_t* source = compressed_source(archive, entry, others);
  const bool is_compressed = source != nullptr;
  if (!is_compressed)
    source = zip_source_buffer(archive, entry.content.data(), entry.content.size(), 0);
  const zip_int64_t index = source == nullptr ? -1
                                              : zip_file_add(archive, entry.name.c_str(), source,
                                                             ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE);
  if (index < 0) {
    if (source != nullptr) zip_source_free(source);
    throw std::runtime_error(zip_strerror(archive));
  }
  const auto at = static_cast<zip_uint64_t>(index);
  const zip_uint32_t mode = 0100000u | (entry.executable ? 0755u : 0644u);
  if (!is_compressed) zip_set_file_compression(archive, at, ZIP_CM_DEFLATE, 9);
  zip_file_set_mtime(archive, at, modified, 0);
  zip_file_set_external_attributes(archive, at, 0, ZIP_OPSYS_UNIX, mode << 16);
}

}  // namespace

void write_archive(const std::filesystem::path& path, const std::vector<ArchiveEntry>& entries,
                   std::time_t modified) {
  int code = 0;
  std::vector<Archive> others;  // open until this one is written
  Archive archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    fail(path, why);
  }
  try {
    for (const ArchiveEntry& entry : entries) add(archive.get(), entry, modified, others);
    if (zip_close(archive.get()) != 0) throw std::runtime_error(zip_strerror(archive.get()));
    static_cast<void>(archive.release());
  } catch (const std::exception& error) {
    fail(path, error.what());
  }
}

}  // namespace mbs
