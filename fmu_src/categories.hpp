#pragma once

// The log categories: those that modelDescription.xml declares and no others come with a message.

#include <span>
#include <string_view>

namespace mbs {

struct LogCategory {
  std::string_view name, description;
};

// In the order of Status, then that of events; FMI 2 has logAll besides, which switches all of them
// and never comes with a message.
std::span<const LogCategory> log_categories_fmi2();
std::span<const LogCategory> log_categories_fmi3();

}  // namespace mbs
