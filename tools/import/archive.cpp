#include "tools/import/archive.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

namespace mbs::import {
namespace {

using Sink = std::function<void(const char* bytes, std::size_t count)>;

struct CloseZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Zip = std::unique_ptr<zip_t, CloseZip>;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw ImportError(file.string() + ": " + what);
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& name,
                         const std::string& what) {
  refuse(file, "entry '" + name + "' " + what);
}

Zip open_zip(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) refuse(file, "no such file");
  if (!std::filesystem::is_regular_file(file, error)) refuse(file, "not a file");
  int code = 0;
  Zip archive(zip_open(file.c_str(), ZIP_RDONLY, &code));
  if (archive) return archive;
  zip_error_t reason;
  zip_error_init_with_code(&reason, code);
  const std::string text = zip_error_strerror(&reason);
  zip_error_fini(&reason);
  refuse(file, "not a readable zip archive (" + text +
                   "); an FMU is one, perhaps the file was cut short on its way");
}

// The parts of the path without ".". Throws if following them could leave the folder.
std::string safe_path(const std::filesystem::path& file, const std::string& name) {
  if (name.empty()) refuse(file, "has an entry without a name");
  if (name[0] == '/') refuse(file, name, "has an absolute path");
  if (name.size() > 1 && name[1] == ':' && std::isalpha(static_cast<unsigned char>(name[0])))
    refuse(file, name, "names a drive");
  std::string path;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    begin = end + 1;
    if (part == "..") refuse(file, name, "leads out of the archive by '..'");
    if (part.empty() || part == ".") continue;
    if (!path.empty()) path += '/';
    path += part;
  }
  for (const char c : name) {
    if (c == '\\') refuse(file, name, "has a backslash; zip paths are written with '/'");
    if (static_cast<unsigned char>(c) < 0x20) refuse(file, name, "has a control character");
  }
  return path;
}

void check_kind(const std::filesystem::path& file, const std::string& name, zip_t* archive,
                zip_uint64_t index) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, index, 0, &system, &attributes) != 0) return;
  if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X) return;
  const mode_t kind = static_cast<mode_t>(attributes >> 16) & S_IFMT;
  if (kind == S_IFLNK) refuse(file, name, "is a symbolic link");
  if (kind != 0 && kind != S_IFREG && kind != S_IFDIR) refuse(file, name, "is a special file");
}

void check_cost(const std::filesystem::path& file, const ArchiveEntry& entry,
                const ArchiveLimits& limits) {
  if (entry.size > limits.file_bytes)
    refuse(file, entry.name,
           "unpacks to " + std::to_string(entry.size) + " bytes, the limit is " +
               std::to_string(limits.file_bytes));
  const std::uint64_t packed = std::max<std::uint64_t>(entry.packed_size, 1);
  if (entry.size > limits.ratio_from && entry.size / packed > limits.ratio)
    refuse(file, entry.name,
           "unpacks to " + std::to_string(entry.size / packed) +
               " times its packed size, the limit is " + std::to_string(limits.ratio) +
               ": a zip bomb?");
}

ArchiveEntry read_entry(const std::filesystem::path& file, zip_t* archive, zip_uint64_t index,
                        const ArchiveLimits& limits) {
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0)
    refuse(file, "entry " + std::to_string(index) + " cannot be read: " + zip_strerror(archive));
  constexpr zip_uint64_t needed =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if ((stat.valid & needed) != needed)
    refuse(file, "entry " + std::to_string(index) + " lacks its name, size or method");
  const std::string name = stat.name;
  if (name.size() > limits.name_length)
    refuse(file, name.substr(0, 40) + "...",
           "has a name of " + std::to_string(name.size()) + " bytes, the limit is " +
               std::to_string(limits.name_length));
  ArchiveEntry entry{name, safe_path(file, name), stat.size, stat.comp_size, name.back() == '/'};
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) && stat.encryption_method != ZIP_EM_NONE)
    refuse(file, name, "is encrypted");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    refuse(file, name,
           "is packed by method " + std::to_string(stat.comp_method) +
               "; FMI allows store (0) and deflate (8)");
  check_kind(file, name, archive, index);
  check_cost(file, entry, limits);
  return entry;
}

std::vector<ArchiveEntry> list_entries(const std::filesystem::path& file, zip_t* archive,
                                       const ArchiveLimits& limits) {
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive, 0));
  if (count > limits.entries)
    refuse(file, "has " + std::to_string(count) + " entries, the limit is " +
                     std::to_string(limits.entries));
  std::vector<ArchiveEntry> entries;
  entries.reserve(count);
  std::unordered_map<std::string, std::uint64_t> seen;
  std::uint64_t total = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    entries.push_back(read_entry(file, archive, i, limits));
    const ArchiveEntry& entry = entries.back();
    const auto [first, is_new] = seen.emplace(entry.path, i);
    if (!is_new && !(entry.is_folder && entries[first->second].is_folder))
      refuse(file, entry.name, "is there twice");
    total += entry.size;
    if (total > limits.total_bytes)
      refuse(file,
             "unpacks to more than " + std::to_string(limits.total_bytes) + " bytes, the limit");
  }
  return entries;
}

// Passes the bytes on in blocks and trusts no size written in the archive.
void read_content(const std::filesystem::path& file, zip_t* archive, zip_uint64_t index,
                  const ArchiveEntry& entry, const Sink& sink) {
  const std::unique_ptr<zip_file_t, CloseEntry> stream(zip_fopen_index(archive, index, 0));
  if (!stream) refuse(file, entry.name, std::string("cannot be opened: ") + zip_strerror(archive));
  std::vector<char> buffer(1 << 16);
  std::uint64_t total = 0;
  while (true) {
    const zip_int64_t count = zip_fread(stream.get(), buffer.data(), buffer.size());
    if (count < 0)
      refuse(file, entry.name, std::string("is damaged: ") + zip_file_strerror(stream.get()));
    if (count == 0) break;
    total += static_cast<std::uint64_t>(count);
    if (total > entry.size) break;
    sink(buffer.data(), static_cast<std::size_t>(count));
  }
  if (total != entry.size)
    refuse(file, entry.name,
           "does not unpack to the " + std::to_string(entry.size) + " bytes that the archive says");
}

class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path)
      : path_(path), handle_(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600)) {
    if (handle_ < 0) fail();
  }
  ~OutputFile() { close(handle_); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void write(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t written = ::write(handle_, bytes, count);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      bytes += written;
      count -= static_cast<std::size_t>(written);
    }
  }

 private:
  [[noreturn]] void fail() {
    throw ImportError(path_.string() + ": cannot be written: " + std::strerror(errno));
  }
  std::filesystem::path path_;
  int handle_;
};

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) throw ImportError("no folder for temporary files: set TMPDIR to one that exists");
  std::string pattern = (parent / "mbsfmu-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    throw ImportError(parent.string() + ": no temporary folder can be made there: " +
                      std::strerror(errno) + "; set TMPDIR to a folder that can be written");
  path_ = pattern;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<ArchiveEntry> list_archive(const std::filesystem::path& file,
                                       const ArchiveLimits& limits) {
  return list_entries(file, open_zip(file).get(), limits);
}

std::string read_from_archive(const std::filesystem::path& file, const std::string& name,
                              const ArchiveLimits& limits) {
  const Zip archive = open_zip(file);
  const std::vector<ArchiveEntry> entries = list_entries(file, archive.get(), limits);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].path != name || entries[i].is_folder) continue;
    std::string content;
    read_content(file, archive.get(), i, entries[i],
                 [&](const char* bytes, std::size_t count) { content.append(bytes, count); });
    return content;
  }
  refuse(file, "has no " + name);
}

TemporaryFolder unpack_archive(const std::filesystem::path& file, const ArchiveLimits& limits) {
  const Zip archive = open_zip(file);
  const std::vector<ArchiveEntry> entries = list_entries(file, archive.get(), limits);
  TemporaryFolder folder;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ArchiveEntry& entry = entries[i];
    const std::filesystem::path target = folder.path() / entry.path;
    std::error_code error;
    std::filesystem::create_directories(entry.is_folder ? target : target.parent_path(), error);
    if (error) refuse(file, entry.name, "needs a folder that cannot be made: " + error.message());
    if (entry.is_folder) continue;
    OutputFile output(target);
    read_content(file, archive.get(), i, entry,
                 [&](const char* bytes, std::size_t count) { output.write(bytes, count); });
  }
  return folder;
}

}  // namespace mbs::import
