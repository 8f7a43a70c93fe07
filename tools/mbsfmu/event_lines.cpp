#include "tools/mbsfmu/event_lines.hpp"

#include <cstdio>

namespace mbs {

void EventLines::print(const std::string& what, const std::string& line) {
  Printed& printed = printed_[what];
  ++printed.lines;
  if (printed.lines <= most_lines) std::printf("%s\n", line.c_str());
  if (printed.lines == most_lines) std::printf("'%s': further events are counted\n", what.c_str());
  printed.last = line;
}

void EventLines::print_summary() const {
  for (const auto& [what, printed] : printed_) {
    if (printed.lines <= most_lines) continue;
    std::printf("'%s': %d more, the last: %s\n", what.c_str(), printed.lines - most_lines,
                printed.last.c_str());
  }
}

}  // namespace mbs
