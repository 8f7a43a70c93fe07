// Writing a file so that a partial one never stands in place of a good one.
#pragma once

#include <filesystem>
#include <string>

namespace mbs {

// A file in the making: it stands beside the one that is meant and takes its place when it is
// complete. Symbolic links are followed, rights of a file that is replaced are kept.
class OutputFile {
 public:
  // Throws std::runtime_error that names the path when its folder is missing, or when something
  // stands there that is no file (a folder, a device, a pipe).
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // what was not committed is removed

  const std::filesystem::path& partial() const { return partial_; }  // to be written
  // Throws std::runtime_error that names the path.
  void commit();

 private:
  std::filesystem::path target_, partial_;
};

// Through an OutputFile; what is no regular file, a pipe or /dev/stdout, is written to straight.
// Throws std::runtime_error that names the file.
void write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace mbs
