// A good FMU with one defect, and the finding that it must give: the one rule, at the right line,
// with a clear message.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/tools/import/zip_builder.hpp"
#include "tools/check_fmu/check_fmu.hpp"

namespace mbs::test {

struct CheckCase {
  int version;
  std::string rule;
  // One edit of modelDescription.xml.
  std::string from, to;
  std::string what;     // part of the message
  std::string at = "";  // its line is that of this text; "": of the edit; "NONE": it has none
};

std::vector<check_fmu::Finding> check_entries(const std::vector<ZipEntry>& entries,
                                              bool run_binary = false);

// All findings as text, for messages.
std::string all_of(const std::vector<check_fmu::Finding>& findings);

// How many defects each rule has caught in this process.
const std::map<std::string, int>& caught();
// Rules with a defect that cannot be seen in this build.
std::set<std::string>& hidden();

// Exactly one finding, of this rule and with this message.
void expect_one(const std::vector<check_fmu::Finding>& findings, const std::string& rule,
                const std::string& what);

// A finding of this rule and with this message, and no others but those of the rules
// `also`, which the same defect breaks; "*": any.
void expect_among(const std::vector<check_fmu::Finding>& findings, const std::string& rule,
                  const std::string& what, const std::vector<std::string>& also);

void run_case(const CheckCase& one);

}  // namespace mbs::test
