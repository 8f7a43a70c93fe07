// Rules A: each with its defects.
#include "tests/tools/check_fmu/check_case.hpp"

namespace mbs::test {
namespace {

class CheckArchive : public testing::TestWithParam<int> {
 protected:
  CheckArchive() : entries_(tiny_entries(GetParam())) {}
  std::string& xml() { return entry_named(entries_, "modelDescription.xml").content; }
  ZipEntry& library() {
    for (ZipEntry& entry : entries_)
      if (entry.name.ends_with(".so")) return entry;
    throw std::runtime_error("no library");
  }
  void expect(const std::string& rule, const std::string& what) {
    expect_one(check_entries(entries_), rule, what);
  }
  std::vector<ZipEntry> entries_;
};

TEST_P(CheckArchive, ReportsWhatTheImporterRefuses) {
  entries_.push_back({"../evil", "x"});
  expect("A1", "entry '../evil' leads out of the archive by '..'");
  entries_.back() = {"link", "/etc", 0, 0120777};
  expect("A1", "entry 'link' is a symbolic link");
  entries_.back() = {"packed", std::string(1000, 'x'), 12};
  expect("A1", "is packed by method 12");
}

TEST_P(CheckArchive, WantsPlainNames) {
  entries_.push_back({"./resources/a.txt", "x"});
  expect("A1", "entry './resources/a.txt' begins with './'");
  entries_.back() = {"resources/\xc3\xa4/a.txt", "x"};
  expect("A1", "has a folder name that is not ASCII");
  entries_.back() = {"resources/\xc3\xa4.txt", "x"};
  EXPECT_EQ(all_of(check_entries(entries_)), "");
}

TEST_P(CheckArchive, WantsAnOldZipVersion) {
  const import::TemporaryFolder folder;
  const auto file = folder.path() / "x.fmu";
  make_zip(file, entries_);
  std::string bytes = read_file(file);
  const std::size_t at = bytes.find("PK\1\2");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 6] = 45;
  write_file(file, bytes);
  expect_one(check_fmu::check_fmu(file, {.run = check_fmu::Options::Run::nothing}), "A1",
             "needs zip version 4.5, FMI allows 2.0");
}

TEST_P(CheckArchive, KnowsPlatforms) {
  ZipEntry other = library();
  other.name = "binaries/sparc-solaris/tiny.so";
  entries_.push_back(other);
  expect("A2", "is no platform of this version of FMI");
  entries_.back() = {"binaries/riscv64-linux-gnu/tiny.so", other.content};
  EXPECT_EQ(all_of(check_entries(entries_)), "");
  entries_.back() = {"binaries/x86_64-windows/tiny.dll", "MZ"};
  EXPECT_EQ(all_of(check_entries(entries_)), "");
}

TEST_P(CheckArchive, WantsTheLibraryNamedAfterTheModel) {
  std::string& name = library().name;
  replace_once(name, "tiny.so", "other.so");
  expect("A2", "/tiny.so is not there");
  std::erase_if(entries_, [](const ZipEntry& entry) { return entry.name.ends_with(".so"); });
  expect("A2", "has neither binaries nor sources");
}

TEST_P(CheckArchive, WantsAShortIdentifier) {
  std::string& name = library().name;
  replace_once(name, "tiny.so", "9tiny.so");
  replace_once(xml(), "modelIdentifier=\"tiny\"", "modelIdentifier=\"9tiny\"");
  expect("A3", "modelIdentifier '9tiny' is no C identifier");
  const std::string longest(80, 'n');
  replace_once(name, "9tiny.so", longest + ".so");
  replace_once(xml(), "modelIdentifier=\"9tiny\"", "modelIdentifier=\"" + longest + "\"");
  expect("A3", "modelIdentifier has 80 characters");
}

TEST_P(CheckArchive, WantsDocumentation) {
  entries_.push_back({"documentation/licenses/LICENSE", "x"});
  expect("A5", "has no license.txt, .html or .spdx");
  entries_.back().name = "documentation/licenses/license.txt";
  EXPECT_EQ(all_of(check_entries(entries_)), "");
  std::erase_if(entries_, [](const ZipEntry& entry) { return entry.name.starts_with("doc"); });
  expect("A5", "has no index.html");
}

TEST_P(CheckArchive, WantsTheIconAtItsPlace) {
  entries_.push_back({GetParam() == 2 ? "terminalsAndIcons/icon.png" : "model.png", "png"});
  expect("A5", GetParam() == 2 ? "is where FMI 2 importers do not look"
                               : "is the place of the icon in FMI 2");
}

TEST_P(CheckArchive, WantsDeclaredSources) {
  entries_.push_back({"sources/a.c", "int a;"});
  expect("A6", "holds files that no list of sources names");
  const std::string build =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "<BuildConfiguration modelIdentifier=\"tiny\">\n<SourceFileSet>\n<SourceFile name=\"a.c\"/>\n"
      "<SourceFile name=\"b.c\"/>\n</SourceFileSet>\n</BuildConfiguration>\n"
      "</fmiBuildDescription>\n";
  entries_.push_back({"sources/buildDescription.xml", build});
  const auto findings = check_entries(entries_);
  expect_one(findings, "A6", "lists the source file 'b.c', which is not in the FMU");
  EXPECT_EQ(findings.at(0).line, 6);
  EXPECT_EQ(findings.at(0).file, "sources/buildDescription.xml");
  entries_.push_back({"sources/b.c", "int b;"});
  EXPECT_EQ(all_of(check_entries(entries_)), "");
  entries_.push_back({"sources/fmi3Functions.h", ""});
  expect("A6", "is a header of the standard");
}

TEST_P(CheckArchive, WantsExtraByDomain) {
  entries_.push_back({"extra/mine/a", "x"});
  expect("A7", "is not named by a reverse domain");
  entries_.back().name = "extra/org.example/a";
  EXPECT_EQ(all_of(check_entries(entries_)), "");
  entries_.back().name = "stuff/a";
  expect("A7", "has no meaning at the top of an FMU");
}

INSTANTIATE_TEST_SUITE_P(Versions, CheckArchive, testing::Values(2, 3));

TEST(CheckArchiveFmi2, WantsSourcesOfTheDescription) {
  auto entries = tiny_entries(2);
  replace_once(entry_named(entries, "modelDescription.xml").content,
               "canSerializeFMUstate=\"true\"/>",
               "canSerializeFMUstate=\"true\"><SourceFiles><File name=\"a.c\"/><File "
               "name=\"b.c\"/></SourceFiles></CoSimulation>");
  entries.push_back({"sources/a.c", "int a;"});
  expect_one(check_entries(entries), "A6", "lists the source file 'b.c'");
}

TEST(CheckArchiveFile, ReportsWhatIsNoZip) {
  const import::TemporaryFolder folder;
  write_file(folder.path() / "x.fmu", "hello");
  expect_one(check_fmu::check_fmu(folder.path() / "x.fmu"), "A1", "not a readable zip archive");
  expect_one(check_fmu::check_fmu(folder.path() / "none.fmu"), "A1", "no such file");
}

}  // namespace
}  // namespace mbs::test
