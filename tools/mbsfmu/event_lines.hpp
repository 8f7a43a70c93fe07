#pragma once

// Lines about events while a simulation runs: the first ones of each event or contact, and at the
// end how many there were of those that had more, with their last line.

#include <map>
#include <string>

namespace mbs {

class EventLines {
 public:
  // what: a contact or an event, by its name.
  void print(const std::string& what, const std::string& line);
  void print_summary() const;

 private:
  static constexpr int most_lines = 40;

  struct Printed {
    int lines = 0;
    std::string last;
  };
  std::map<std::string, Printed> printed_;
};

}  // namespace mbs
