#include "fmu_src/logger.hpp"

#include "fmu_src/categories.hpp"

namespace mbs {
namespace {

constexpr LogCategory categories[] = {
    {"logNonlinearSystems", "how initial values were made consistent"},
    {"logStatusWarning", "messages that go with the status Warning"},
    {"logStatusDiscard", "messages that go with the status Discard"},
    {"logStatusError", "messages that go with the status Error"},
    {"logStatusFatal", "messages that go with the status Fatal"},
    {"logEvents", "events of the model, with name and time"},
    {"logAll", "all messages"},
};
constexpr std::size_t with_messages = std::size(categories) - 1;

// Messages refer to variables by #r12# (FMI 2.0.5, 2.1.5) or #12# (FMI 3.0.2, 2.3.1): any other
// '#' is written twice.
std::string escaped(const std::string& message) {
  std::string text;
  for (const char c : message) text.append(c == '#' ? 2 : 1, c);
  return text;
}

}  // namespace

std::span<const LogCategory> log_categories_fmi2() {
  return categories;
}

std::span<const LogCategory> log_categories_fmi3() {
  return std::span(categories).first(with_messages);
}

bool Logger::switch_categories(bool on, std::span<const char* const> names) {
  unsigned mask = names.empty() ? all : 0u;
  bool known = true;
  for (const char* name : names) {
    unsigned bit = 0;
    for (unsigned i = 0; i < std::size(categories); ++i)
      if (name != nullptr && name == categories[i].name) bit = i < with_messages ? 1u << i : all;
    known = known && bit != 0;
    mask |= bit;
  }
  enabled_ = on ? enabled_ | mask : enabled_ & ~mask;
  return known;
}

void Logger::log(Status status, const std::string& message) const noexcept {
  log(static_cast<unsigned>(status), status, message);
}

void Logger::log_event(const std::string& message) const noexcept {
  log(with_messages - 1, Status::ok, message);
}

void Logger::log(unsigned category, Status status, const std::string& message) const noexcept {
  if (!sink_ || (enabled_ >> category & 1u) == 0) return;
  try {
    sink_(status, categories[category].name.data(), escaped(message).c_str());
  } catch (...) {
    // An exception of a callback must not pass through C.
  }
}

}  // namespace mbs
