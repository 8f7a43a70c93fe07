#pragma once

// Collects what is wrong in the files of a model and stops the reading at its limits: too many
// errors, or a model that grows beyond all sense when it is expanded.

#include <cstddef>
#include <string>

#include "engine/model/diagnostic.hpp"
#include "engine/model/reader.hpp"
#include "engine/model/reading/source.hpp"
#include "engine/model/syntax.hpp"

namespace mbs {

struct ReadingStopped {};  // thrown after the reason has been reported

class ReadReport {
 public:
  ReadReport(Diagnostics& diagnostics, const ReadLimits& limits)
      : diagnostics_(diagnostics), limits_(limits) {}

  const ReadLimits& limits() const { return limits_; }
  bool ok() const { return diagnostics_.ok(); }

  void error(const Place& place, std::string code, std::string message, std::string hint = {});
  // The message names the attribute; the offset counts in its text.
  void error(const AttributeText& text, const SyntaxError& error);
  void error(const AttributeText& text, std::string code, std::string message,
             std::string hint = {}) {
    error(text, {0, std::move(code), std::move(message), std::move(hint)});
  }
  void add(const Diagnostic& warning) { diagnostics_.add(warning); }
  void warning(const Place& place, std::string code, std::string message, std::string hint);
  // Has this been reported at this place, for another pass of a repeat? Then it is counted, and
  // its message need not be composed again.
  bool counts_again(const Place& place, const std::string& code) {
    return diagnostics_.count_again(place, code);
  }

  // Elements, passes of repeats and outputs of `each`, after expansion.
  void count_element(const XmlFile& file, pugi::xml_node node);
  // Names and docs, which are copied in every pass.
  void count_text(const Place& place, std::size_t bytes);

 private:
  Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  long elements_ = 0;
  std::size_t text_bytes_ = 0;
};

}  // namespace mbs
