// Hostile and broken archives: each is refused with a message that names the entry and the reason,
// and nothing is left behind.
#include "tools/import/archive.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/tools/import/zip_builder.hpp"

namespace mbs::test {
namespace {

using import::ArchiveLimits;
using import::ImportError;
using import::TemporaryFolder;

class Archive : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "test.fmu"; }

  void expect_refused(const std::string& reason, const ArchiveLimits& limits = {}) const {
    for (const bool unpack : {false, true}) {
      try {
        if (unpack)
          unpack_archive(file(), limits);
        else
          list_archive(file(), limits);
        FAIL() << "accepted";
      } catch (const ImportError& error) {
        EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("test.fmu"), std::string::npos) << error.what();
      }
    }
  }

  TemporaryFolder folder_;
};

TEST_F(Archive, UnpacksFilesAndFolders) {
  const std::string large(3'000'000, 'x');
  make_zip(file(), {{"a.txt", "one"},
                    {"empty/", ""},
                    {"d/e/f.bin", large, 0},
                    {"./dot/g", "two"},
                    {"d/\xc3\xa4.txt", "umlaut"}});
  std::filesystem::path unpacked;
  {
    const TemporaryFolder content = import::unpack_archive(file());
    unpacked = content.path();
    EXPECT_EQ(read_file(unpacked / "a.txt"), "one");
    EXPECT_TRUE(std::filesystem::is_directory(unpacked / "empty"));
    EXPECT_EQ(read_file(unpacked / "d/e/f.bin"), large);
    EXPECT_EQ(read_file(unpacked / "dot/g"), "two");
    EXPECT_EQ(read_file(unpacked / "d/\xc3\xa4.txt"), "umlaut");
    EXPECT_EQ(std::filesystem::status(unpacked).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(unpacked));
  EXPECT_EQ(import::read_from_archive(file(), "dot/g"), "two");
  EXPECT_THROW(import::read_from_archive(file(), "none"), ImportError);
}

TEST_F(Archive, RefusesPathsThatLeaveIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"/etc/passwd", "has an absolute path"},
      {"../x", "by '..'"},
      {"a/../../x", "by '..'"},
      {"a/..", "by '..'"},
      {"..", "by '..'"},
      {"C:/x", "names a drive"},
      {"c:x", "names a drive"},
      {"a\\..\\x", "has a backslash"},
      {"\\\\server\\share", "has a backslash"},
      {"a\nb", "has a control character"},
  };
  for (const auto& [name, reason] : cases) {
    SCOPED_TRACE(name);
    make_zip(file(), {{"first", "1"}, {name, "evil"}});
    expect_refused(reason);
  }
}

TEST_F(Archive, RefusesLinksAndSpecialFiles) {
  make_zip(file(), {{"link", "/etc/passwd", 0, 0120777}});
  expect_refused("entry 'link' is a symbolic link");
  make_zip(file(), {{"pipe", "", 0, 0010644}});
  expect_refused("entry 'pipe' is a special file");
  make_zip(file(), {{"plain", "x", 0, 0100755}});
  EXPECT_NO_THROW(import::unpack_archive(file()));
}

TEST_F(Archive, RefusesEncryption) {
  make_zip(file(), {{"secret", "text", 8, 0, true}});
  expect_refused("entry 'secret' is encrypted");
}

TEST_F(Archive, RefusesOtherMethods) {
  make_zip(file(), {{"packed", std::string(1000, 'x'), 12}});
  expect_refused("is packed by method 12; FMI allows store (0) and deflate (8)");
}

TEST_F(Archive, RefusesANameTwice) {
  make_zip(file(), {{"aaaa", "1"}, {"bbbb", "2"}});
  rename_in_zip(file(), "bbbb", "aaaa");
  expect_refused("entry 'aaaa' is there twice");
  make_zip(file(), {{"aaaa", "1"}, {"./aaaa", "2"}});
  expect_refused("entry './aaaa' is there twice");
}

TEST_F(Archive, RefusesAFileThatIsAFolderToo) {
  make_zip(file(), {{"a", "1"}, {"a/b", "2"}});
  EXPECT_THROW(import::unpack_archive(file()), ImportError);
}

TEST_F(Archive, RefusesBombs) {
  make_zip(file(), {{"bomb", std::string(40 << 20, '\0')}});
  expect_refused("times its packed size, the limit is 250: a zip bomb?");
}

TEST_F(Archive, QuotesValueAndLimit) {
  make_zip(file(), {{"a", "12345"}, {"b", "12345"}, {"c", "12345"}});
  expect_refused("has 3 entries, the limit is 2", {.entries = 2});
  expect_refused("entry 'a' unpacks to 5 bytes, the limit is 4", {.file_bytes = 4});
  expect_refused("unpacks to more than 12 bytes, the limit", {.total_bytes = 12});
  make_zip(file(), {{"a", "1"}, {std::string(50, 'n'), "x"}});
  expect_refused("has a name of 50 bytes, the limit is 10", {.name_length = 10});
}

TEST_F(Archive, RefusesWhatIsNoZip) {
  for (const std::string& content : {std::string(), std::string("PK"), std::string(1000, 'x'),
                                     std::string("<?xml version=\"1.0\"?>")}) {
    write_file(file(), content);
    if (content.empty()) continue;  // libzip takes an empty file for an empty archive
    expect_refused("not a readable zip archive");
  }
  std::filesystem::remove(file());
  expect_refused("no such file");
  std::filesystem::create_directory(file());
  expect_refused("not a file");
}

TEST_F(Archive, RefusesATruncatedFileAtEveryLength) {
  make_zip(file(), {{"a", std::string(200, 'a'), 0}, {"d/b", "some text that can be packed"}});
  const std::string whole = read_file(file());
  for (std::size_t length = 1; length < whole.size(); length += 7) {
    write_file(file(), whole.substr(0, length));
    EXPECT_THROW(import::unpack_archive(file()), ImportError) << length;
  }
}

TEST_F(Archive, SurvivesDamageAtEveryByte) {
  make_zip(file(), {{"a", std::string(50, 'a'), 0}, {"d/b", std::string(100, 'b')}});
  const std::string whole = read_file(file());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
    write_file(file(), damaged);
    try {
      import::unpack_archive(file());
    } catch (const ImportError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, whole.size() / 2);  // times and comments do not matter, the rest does
}

}  // namespace
}  // namespace mbs::test
