#pragma once

// Messages about a user's file or call: where, what is wrong, and what to try. They are collected
// and shown together.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace mbs {

struct Place {
  std::string file;
  int line = 0;  // counted from 1; 0: the file as a whole
  int column = 0;
};

enum class Severity { error, warning, note };

struct Diagnostic {
  Place place;
  Severity severity = Severity::error;
  std::string code;     // short and stable, e.g. "unknown-attribute"
  std::string message;  // what is wrong, with the keywords of the file
  std::string hint;     // what to try; may be empty
  int repeats = 0;      // how many further passes of a repeat have the same error
};

class Diagnostics {
 public:
  // Only counts a diagnostic whose code is already listed at that place: all passes of a repeat
  // give one error. (For the file as a whole, line 0, the messages have to agree as well.)
  void add(Diagnostic diagnostic);
  void error(const Place& place, std::string code, std::string message, std::string hint = {});
  void warning(const Place& place, std::string code, std::string message, std::string hint = {});
  void note(const Place& place, std::string code, std::string message);

  bool ok() const { return errors_ == 0; }
  int errors() const { return errors_; }
  const std::vector<Diagnostic>& list() const { return list_; }
  // Is there one with this code at this place already? Then it is counted and needs no new
  // keywords.
  bool count_again(const Place& place, const std::string& code);
  // "file:line:column: error: message [code]\n  hint: ..." for each, in the order of the file.
  std::string text() const;

 private:
  std::vector<Diagnostic> list_;
  std::unordered_map<std::string, std::size_t> known_;  // code and place -> which of list_
  int errors_ = 0;
};

}  // namespace mbs
