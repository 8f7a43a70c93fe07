// A process of its own for code that may crash, hang or end it. Its reports arrive at once, so that
// a crash loses none of them.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/check_fmu/check_fmu.hpp"

namespace mbs::check_fmu {

// The child's end of the pipe.
class ToParent {
 public:
  explicit ToParent(int pipe) : pipe_(pipe) {}
  void finding(const Finding& finding);
  void doing(std::string_view what);  // in case that it does not come to the end of it
  void result(std::string_view bytes);

 private:
  void send(char kind, const std::string& record);
  int pipe_;
};

struct ChildEnd {
  enum class How { finished, crashed, ended_process, hung, not_started };
  How how = How::finished;
  std::string why;    // the signal's name, or why there was no process
  std::string doing;  // what it was doing last
  std::vector<Finding> findings;
  std::string result;
};

// The working directory of a child: files that it leaves in work/ and texts that it prints are kept
// there for inspection.
struct ChildPlace {
  std::filesystem::path folder;  // of the parent's, which removes it
  std::filesystem::path work() const { return folder / "work"; }
  std::filesystem::path temporary() const { return folder / "tmp"; }
  std::filesystem::path printed() const { return folder / "printed"; }
};

ChildEnd run_in_child(const ChildPlace& place, std::chrono::milliseconds limit,
                      const std::function<void(ToParent&)>& body);

}  // namespace mbs::check_fmu
