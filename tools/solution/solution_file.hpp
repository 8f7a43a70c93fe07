// The continuous solution of a run on disk: polynomials of all unknowns, one a step of the
// integrator, of any method. The file is complete in itself: reading it needs no model.
//
//   head     "MBSD" "\r\n\x1a\n"  version  mark of byte order  length and FNV-1a of what follows:
//            model, method, number of unknowns, each with name and kind
//   a piece  "PIEC"  number of coefficients m  begin  end  m values for each unknown  FNV-1a
//   ...
//   end      "DONE"  number of pieces  FNV-1a
//
// Texts are their length and UTF-8; integers have 32 bits, lengths and sums 64.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tools/report/output_file.hpp"
#include "tools/solution/chebyshev.hpp"

namespace mbs {

struct SolutionHead {
  struct Unknown {
    std::string name;
    std::string kind;  // position, velocity, state, acceleration, multiplier, auxiliary, contact
  };
  std::string model, method;
  std::vector<Unknown> unknowns;
};

// Writes to disk piece by piece; the file has its name only when it is complete. Throws
// std::runtime_error that names the file.
class SolutionWriter {
 public:
  SolutionWriter(const std::filesystem::path& path, const SolutionHead& head);
  void add(const Chebyshev& piece);
  void finish();

 private:
  void put(const std::vector<std::byte>& bytes);

  std::filesystem::path path_;
  OutputFile file_;
  std::ofstream out_;
  std::uint32_t pieces_ = 0;
  std::vector<std::byte> bytes_;
};

// Reads piece by piece, in order of time. Throws std::runtime_error that names the file and says
// what is wrong with it; nothing of a file is used before its checksum is verified.
class SolutionReader {
 public:
  explicit SolutionReader(const std::filesystem::path& path);
  const SolutionHead& head() const { return head_; }
  // False after the last one.
  bool next(Chebyshev& piece);

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  std::vector<std::byte> take(std::uint64_t size, const char* what);
  void check_sum(const std::vector<std::byte>& bytes, const char* what);

  std::filesystem::path path_;
  std::ifstream in_;
  std::uint64_t left_ = 0;  // bytes of the file not read yet
  SolutionHead head_;
  std::uint32_t pieces_ = 0;
  double end_ = 0.0;
};

}  // namespace mbs
