// Rules that need the library: exports, start values of the binary, token, log categories; and
// libraries that crash, hang or end the process.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "tests/tools/check_fmu/check_case.hpp"
#include "tools/check_fmu/elf.hpp"

namespace mbs::test {
namespace {

class CheckBinary : public testing::TestWithParam<int> {
 protected:
  CheckBinary() : entries_(tiny_entries(GetParam())) {}
  std::string& xml() { return entry_named(entries_, "modelDescription.xml").content; }
  ZipEntry& library() {
    for (ZipEntry& entry : entries_)
      if (entry.name.ends_with(".so")) return entry;
    throw std::runtime_error("no library");
  }
  std::vector<ZipEntry> entries_;
};

TEST_P(CheckBinary, ComparesStartValuesBitForBit) {
  replace_once(xml(), "start=\"4\" min", "start=\"4.000000000000001\" min");
  const auto findings = check_entries(entries_, true);
  expect_one(findings, "M2",
             "'k' starts as 4.000000000000001 in the description and as 4 in the binary");
  EXPECT_EQ(findings.at(0).line, GetParam() == 2 ? 35 : 29);
}

TEST_P(CheckBinary, ComparesEveryType) {
  if (GetParam() == 2) {
    replace_once(xml(), "<Boolean start=\"true\"/>", "<Boolean start=\"false\"/>");
    replace_once(xml(), "<String start=\"tiny\"/>", "<String start=\"huge\"/>");
  } else {
    replace_once(xml(), "fixed\" start=\"true\"", "fixed\" start=\"false\"");
    replace_once(xml(), "<Start value=\"tiny\"/>", "<Start value=\"huge\"/>");
    replace_once(xml(), "start=\"1 2 3\"", "start=\"1\"");
    replace_once(xml(), "start=\"0.1\"", "start=\"0.2\"");
    replace_once(xml(), "value=\"cafe\"", "value=\"cafa\"");
    for (int i = 0; i < 8; ++i) {
      const std::string part = "valueReference=\"" + std::to_string(20 + i) +
                               "\" causality=\"parameter\" variability=\"fixed\" start=\"";
      replace_once(xml(), part + std::to_string(i + 1), part + "9");
    }
  }
  const auto findings = check_entries(entries_, true);
  for (const auto& finding : findings) EXPECT_EQ(finding.rule, "M2");
  EXPECT_EQ(findings.size(), GetParam() == 2 ? 2u : 13u) << all_of(findings);
}

TEST_P(CheckBinary, ReportsATokenOfAnotherFmu) {
  replace_once(xml(), "{tiny-1}", "{tiny-2}");
  expect_one(check_entries(entries_, true), "L1", "refused to be instantiated");
}

TEST_P(CheckBinary, ComparesLogCategories) {
  // The library logs when it refuses a call: here the reading of an unknown variable.
  replace_once(xml(), "name=\"logStatusError\"", "name=\"logEvents\"");
  replace_once(xml(), "valueReference=\"1\"", "valueReference=\"61\"");
  const auto findings = check_entries(entries_, true);
  ASSERT_GE(findings.size(), 2u) << all_of(findings);
  EXPECT_EQ(findings[0].rule, "M2");
  EXPECT_NE(findings[0].what.find("'k' cannot be read in initialization: error"),
            std::string::npos);
  EXPECT_EQ(findings[1].rule, "M17");
  EXPECT_NE(findings[1].what.find("logs the category 'logStatusError', which is not declared"),
            std::string::npos);
}

TEST_P(CheckBinary, NamesMissingExports) {
  std::string& bytes = library().content;
  const std::string name = GetParam() == 2 ? "fmi2CancelStep" : "fmi3ActivateModelPartition";
  for (std::size_t at = 0; (at = bytes.find(name, at)) != std::string::npos;) bytes[at + 4] = 'X';
  const auto findings = check_entries(entries_);
  expect_one(findings, "L1", "does not export " + name);
}

TEST_P(CheckBinary, NamesSurplusExports) {
  std::string& bytes = library().content;
  const std::string name = GetParam() == 2 ? "fmi2CancelStep" : "fmi3ActivateModelPartition";
  for (std::size_t at = 0; (at = bytes.find(name, at)) != std::string::npos;) bytes[at] = 'g';
  const auto findings = check_entries(entries_);
  ASSERT_EQ(findings.size(), 2u) << all_of(findings);
  EXPECT_NE(findings[1].what.find("exports g" + name.substr(1)), std::string::npos);
}

TEST_P(CheckBinary, LooksAtLibrariesWhateverTheirName) {
  replace_once(xml(), "modelIdentifier=\"tiny\"", "modelIdentifier=\"arm32\"");
  std::string& name = library().name;
  name.replace(name.find("tiny.so"), 7, "arm32.so");
  library().content = "no library";
  expect_one(check_entries(entries_), "L1", "is no 64-bit shared library of Linux");
}

TEST_P(CheckBinary, LeavesLibrariesOf32BitsAlone) {
  ZipEntry old = library();
  old.content = "not looked at";
  old.name = GetParam() == 2 ? "binaries/linux32/tiny.so" : "binaries/x86-linux/tiny.so";
  entries_.push_back(old);
  EXPECT_EQ(all_of(check_entries(entries_)), "");
}

TEST_P(CheckBinary, RefusesWhatIsNoLibrary) {
  library().content = "no library";
  expect_one(check_entries(entries_), "L1", "is no 64-bit shared library of Linux");
}

INSTANTIATE_TEST_SUITE_P(Versions, CheckBinary, testing::Values(2, 3));

TEST(CheckBadLibrary, NamesLibrariesThatMayBeMissing) {
  auto entries = tiny_entries(3);
  for (ZipEntry& entry : entries)
    if (entry.name.ends_with(".so"))
      entry.content = read_file(std::string(DEFECTIVE_LIBRARIES) + "/bad_needs.so");
  expect_one(check_entries(entries), "B1", "needs libzip.so.");
}

TEST(CheckBadLibrary, NamesLibrariesOfTheCompilerOnWindows) {
  auto entries = tiny_entries(3);
  entries.push_back({"binaries/x86_64-windows/tiny.dll", "MZ ... libwinpthread-1.dll ..."});
  expect_one(check_entries(entries), "B2", "needs libwinpthread-1.dll");
}

TEST(CheckBadLibrary, NamesRunTimes) {
  auto entries = tiny_entries(3);
  for (ZipEntry& entry : entries)
    if (entry.name.ends_with(".so")) replace_once(entry.content, "libm.so.6", "libjvm.so");
  expect_one(check_entries(entries), "B3", "needs the run time libjvm.so");
  entries = tiny_entries(3);
  replace_once(entry_named(entries, "modelDescription.xml").content, "<CoSimulation",
               "<CoSimulation needsExecutionTool=\"true\"");
  expect_one(check_entries(entries), "B3", "needs its tool at the receiver");
}

TEST(CheckBadLibrary, NamesDebugInformation) {
  auto entries = tiny_entries(3);
  for (ZipEntry& entry : entries)
    if (entry.name.ends_with(".so")) entry.content += ".debug_info";
  expect_one(check_entries(entries), "B4", "holds debug information");
}

// Keeps this process from making others from here on.
bool forbid_new_processes() {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned number : {
#ifdef SYS_fork
           unsigned(SYS_fork), unsigned(SYS_vfork),
#endif
           unsigned(SYS_clone), unsigned(SYS_clone3)}) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(CheckWithoutAProcess, SaysThatItCouldNotTry) {
  enum { as_expected = 0, otherwise = 1, not_possible_here = 2 };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!forbid_new_processes()) _exit(not_possible_here);
    const auto findings = check_entries(tiny_entries(3), true);
    const bool good = findings.size() == 1 && findings[0].rule == "L4" &&
                      findings[0].what.starts_with("cannot be tried: ");
    _exit(good ? as_expected : otherwise);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == not_possible_here) GTEST_SKIP() << "no system call filters here";
  EXPECT_EQ(WEXITSTATUS(status), as_expected);
}

TEST(Elf, ReadsNeededLibrariesAndVersions) {
  const auto library = check_fmu::read_shared_library(read_file(TINY_LIBRARY2));
  ASSERT_TRUE(library);
  bool needs_c = false, has_version = false;
  for (const std::string& name : library->needed) needs_c = needs_c || name == "libc.so.6";
  for (const std::string& version : library->versions)
    has_version = has_version || version.starts_with("libc.so.6 GLIBC_2.");
  EXPECT_TRUE(needs_c);
  EXPECT_TRUE(has_version);
}

TEST(Elf, SurvivesDamage) {
  const std::string whole = read_file(TINY_LIBRARY2);
  ASSERT_TRUE(check_fmu::read_shared_library(whole));
  for (std::size_t length = 0; length < whole.size(); length += 97)
    EXPECT_FALSE(check_fmu::read_shared_library(whole.substr(0, length))) << length;
  for (std::size_t i = 0; i < whole.size(); i += 13) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(~damaged[i]);
    check_fmu::read_shared_library(damaged);
  }
}

}  // namespace
}  // namespace mbs::test
