// The exports and needs of a shared library of Linux, read from its dynamic section without loading
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mbs::check_fmu {

struct SharedLibrary {
  std::vector<std::string> exported;  // symbols defined and visible
  std::vector<std::string> needed;    // libraries it wants loaded
  // Versions it needs of others, like "libc.so.6 GLIBC_2.29".
  std::vector<std::string> versions;
};

// Nothing if this is no 64-bit little-endian ELF shared library, or a damaged one.
std::optional<SharedLibrary> read_shared_library(std::string_view bytes);

}  // namespace mbs::check_fmu
