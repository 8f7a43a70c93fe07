#include "tools/report/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace mbs {
namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as many as Linux follows

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw std::runtime_error("cannot write '" + path.string() + "': " + why);
}

// A device, a pipe or a socket, which cannot be replaced by a file.
bool is_special(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// The target of links, also when it does not exist yet.
fs::path without_links(fs::path path) {
  const fs::path given = path;
  std::error_code error;
  for (int i = 0; fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    if (i == most_links) fail(given, "its links lead in a circle");
    const fs::path next = fs::read_symlink(path, error);
    if (error) fail(given, error.message());
    path = path.parent_path() / next;  // an absolute one replaces the whole
  }
  return path;
}

void write_straight(const fs::path& path, const fs::path& name, const std::string& content) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) fail(name, std::strerror(errno));
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const int reason = errno;
  if (std::fclose(file) != 0 || !written) fail(name, std::strerror(written ? errno : reason));
}

}  // namespace

OutputFile::OutputFile(const fs::path& path) : target_(without_links(path)) {
  std::error_code error;
  if (is_special(path)) fail(path, "it is no regular file");
  if (fs::is_directory(target_, error)) fail(path, "it is a folder");
  if (target_.has_parent_path() && !fs::is_directory(target_.parent_path(), error))
    fail(path, "there is no folder '" + target_.parent_path().string() + "'");
  partial_ = target_;
  partial_.replace_filename("." + target_.filename().string() + "." + std::to_string(getpid()) +
                            ".part");
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

void OutputFile::commit() {
  std::error_code error, ignored;
  if (const fs::file_status old = fs::status(target_, ignored); fs::exists(old))
    fs::permissions(partial_, old.permissions(), ignored);
  fs::rename(partial_, target_, error);
  if (error) fail(target_, error.message());
}

void write_file(const fs::path& path, const std::string& content) {
  if (is_special(path)) return write_straight(path, path, content);
  OutputFile file(path);
  write_straight(file.partial(), path, content);
  file.commit();
}

}  // namespace mbs
