#pragma once

// The log categories. Each message has one of those that modelDescription.xml declares.

#include <span>
#include <string_view>

namespace mbs {

struct LogCategory {
  std::string_view name, description;
};

// The categories in the order of Status, then that of events. FMI 2 has logAll as well, which
// switches all of them and is the category of no message.
std::span<const LogCategory> log_categories_fmi2();
std::span<const LogCategory> log_categories_fmi3();

}  // namespace mbs
