#pragma once

// A folder that belongs to this test program alone and is gone when it ends: programs that run at
// the same time do not meet there.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace mbs::test {

// The path ends with a slash, as testing::TempDir() does.
inline const std::string& own_folder() {
  struct Folder {
    std::string path = testing::TempDir() + "mbs_XXXXXX";
    Folder() {
      if (!mkdtemp(path.data())) throw std::runtime_error("no folder like " + path);
      path += '/';
    }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

}  // namespace mbs::test
