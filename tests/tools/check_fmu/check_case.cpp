#include "tests/tools/check_fmu/check_case.hpp"

#include <algorithm>

namespace mbs::test {

std::vector<check_fmu::Finding> check_entries(const std::vector<ZipEntry>& entries,
                                              bool run_binary) {
  const import::TemporaryFolder folder;
  make_zip(folder.path() / "x.fmu", entries);
  return check_fmu::check_fmu(
      folder.path() / "x.fmu",
      {.run = run_binary ? check_fmu::Options::Run::everything : check_fmu::Options::Run::nothing});
}

std::string all_of(const std::vector<check_fmu::Finding>& findings) {
  std::string text;
  for (const check_fmu::Finding& finding : findings) text += to_text(finding) + "\n";
  return text;
}

namespace {
std::map<std::string, int> defects;
}

const std::map<std::string, int>& caught() {
  return defects;
}

std::set<std::string>& hidden() {
  static std::set<std::string> rules;
  return rules;
}

void expect_among(const std::vector<check_fmu::Finding>& findings, const std::string& rule,
                  const std::string& what, const std::vector<std::string>& also) {
  const auto known = [&](const std::string& other) {
    return std::find(also.begin(), also.end(), other) != also.end();
  };
  bool caught = false;
  for (const check_fmu::Finding& finding : findings) {
    caught = caught || (finding.rule == rule && finding.what.find(what) != std::string::npos);
    EXPECT_TRUE(finding.rule == rule || known(finding.rule) || known("*")) << to_text(finding);
  }
  EXPECT_TRUE(caught) << rule << " was to say '" << what << "':\n" << all_of(findings);
  if (caught) ++defects[rule];
}

void expect_one(const std::vector<check_fmu::Finding>& findings, const std::string& rule,
                const std::string& what) {
  ASSERT_EQ(findings.size(), 1u) << all_of(findings);
  expect_among(findings, rule, what, {});
}

void run_case(const CheckCase& one) {
  SCOPED_TRACE("FMI " + std::to_string(one.version) + ", " + one.rule + ": " + one.to);
  auto entries = tiny_entries(one.version);
  std::string& xml = entry_named(entries, "modelDescription.xml").content;
  const std::size_t edit = xml.find(one.from);
  replace_once(xml, one.from, one.to);
  const auto findings = check_entries(entries);
  expect_one(findings, one.rule, one.what);
  if (findings.empty()) return;
  const std::size_t place = std::min(one.at.empty() ? edit : xml.find(one.at), xml.size());
  const auto line =
      1 + std::count(xml.begin(), xml.begin() + static_cast<std::ptrdiff_t>(place), '\n');
  EXPECT_EQ(findings[0].line, one.at == "NONE" ? 0 : line) << all_of(findings);
}

}  // namespace mbs::test
