// mbs_schema_docs <folder>: writes mbs.xsd and manual.md there.

#include <cstdio>
#include <string>

#include "engine/model/schema_docs.hpp"

namespace {

bool write(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return false;
  }
  const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && good;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: mbs_schema_docs <folder>   (engine/model/generated)\n");
    return 2;
  }
  const std::string folder = arguments[1];
  const bool good = write(folder + "/mbs.xsd", mbs::xsd_text()) &&
                    write(folder + "/manual.md", mbs::manual_text());
  return good ? 0 : 1;
}
