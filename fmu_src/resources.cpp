#include "fmu_src/resources.hpp"

#include <stdexcept>

#if !defined(_WIN32)
#include <link.h>
#endif

namespace mbs {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    const char c = static_cast<char>(16 * high + low);
    if (c == '\0') throw std::runtime_error("the resource location contains %00");
    out += c;
    i += 2;
  }
  return out;
}

bool begins_with_file_scheme(std::string_view uri) {
  if (uri.size() < 5) return false;
  for (int i = 0; i < 5; ++i)
    if ((uri[i] | 0x20) != ("file:"[i] | 0x20)) return false;
  return true;
}

}  // namespace

std::string directory_from_uri(std::string_view uri) {
  const std::string given(uri);
  if (!begins_with_file_scheme(uri)) {
    if (!uri.empty() && uri.front() == '/') return given;
    throw std::runtime_error("the resource location '" + given + "' is not a file: URI");
  }
  uri.remove_prefix(5);
  if (uri.substr(0, 2) == "//") {
    uri.remove_prefix(2);
    const std::string_view host = uri.substr(0, uri.find('/'));
    if (!host.empty() && host != "localhost")
      throw std::runtime_error("the resource location '" + given + "' is on another machine");
    uri.remove_prefix(host.size());
  }
  std::string path = percent_decoded(uri);
  if (path.empty() || path.front() != '/')
    throw std::runtime_error("the resource location '" + given + "' is not an absolute path");
#if defined(_WIN32)
  if (path.size() > 2 && path[2] == ':') path.erase(0, 1);  // /C:/dir
#endif
  return path;
}

std::string directory_from_library() {
#if defined(_WIN32)
  return {};
#else
  // dl_iterate_phdr does what dladdr would do, and even old C libraries have it.
  std::string library;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* result) {
        const auto here = reinterpret_cast<ElfW(Addr)>(&directory_from_library);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          const ElfW(Addr) begin = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || here < begin || here >= begin + segment.p_memsz)
            continue;
          *static_cast<std::string*>(result) = info->dlpi_name;
          return 1;
        }
        return 0;
      },
      &library);
  const std::size_t slash = library.rfind('/');
  if (slash == std::string::npos) return {};
  return library.substr(0, slash) + "/../../resources";
#endif
}

}  // namespace mbs
