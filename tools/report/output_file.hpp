// Writes files so that a partial one never takes the place of a good one.
#pragma once

#include <filesystem>
#include <string>

namespace mbs {

// A file under construction: it lies next to the target and takes its place when it is complete.
// Symbolic links are followed, rights of a file that is replaced are kept.
class OutputFile {
 public:
  // Throws std::runtime_error that names the path when its folder is missing, or when something
  // stands there that is no file (a folder, a device, a pipe).
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // removes a file that was not committed

  const std::filesystem::path& partial() const { return partial_; }  // to be written
  // Throws std::runtime_error that names the path.
  void commit();

 private:
  std::filesystem::path target_, partial_;
};

// Writes through an OutputFile; a pipe, /dev/stdout or another special file is written to directly.
// Throws std::runtime_error that names the file.
void write_file(const std::filesystem::path& path, const std::string& content);

}  // namespace mbs
