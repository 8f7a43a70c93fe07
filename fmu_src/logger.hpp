#pragma once

// Messages to the importer, each in one of the categories of categories.hpp.

#include <functional>
#include <span>
#include <string>

namespace mbs {

// The numbers of both versions of FMI.
enum class Status : int { ok, warning, discard, error, fatal };

class Logger {
 public:
  using Sink = std::function<void(Status, const char* category, const char* message)>;

  Logger() = default;
  // Without a sink nothing is logged.
  Logger(Sink sink, bool on) : sink_(std::move(sink)), enabled_(on ? all : 0u) {}

  // Switches the categories of these names on or off, all of them when there are no names. False
  // when a name is unknown; the others are switched.
  bool switch_categories(bool on, std::span<const char* const> names);

  // The category is that of the status; ok: info.
  void log(Status status, const std::string& message) const noexcept;
  // An event of the model, in a category of its own.
  void log_event(const std::string& message) const noexcept;

 private:
  void log(unsigned category, Status status, const std::string& message) const noexcept;

  static constexpr unsigned all = 63u;
  Sink sink_;
  unsigned enabled_ = 0;
};

}  // namespace mbs
