// What the exporter puts into an FMU beside the library.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tools/export/build_fmu.hpp"
#include "tools/export/documentation.hpp"

namespace mbs {
namespace {

std::string source(const std::string& name) {
  std::ifstream file(std::string(std::getenv("MBS_SOURCE")) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Licences, AreThereInFull) {
  const std::string text = licences_text();
  const char* parts[] = {
      "Copyright (c) 2026, the mbsfmu authors",
      // pugixml: the MIT licence with its notices
      "Arseny Kapoulkine", "Kristen Wegner", "Permission is hereby granted, free of charge",
      // AMD, COLAMD: BSD
      "Patrick R. Amestoy", "Iain S. Duff", "COLAMD",
      "Neither the name of the organizations to which the authors are",
      // KLU, BTF: LGPL in full
      "GNU LESSER GENERAL PUBLIC LICENSE", "Version 2.1, February 1999",
      "END OF TERMS AND CONDITIONS",
      // Eigen: where its source and its licence are
      "Mozilla Public License", "https://mozilla.org/MPL/2.0/", "https://eigen.tuxfamily.org",
      // libstdc++ and libgcc
      "GCC RUNTIME LIBRARY EXCEPTION"};
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part;
  for (const char* file : {"LICENSE", "LICENSE-THIRD-PARTY.md", "LICENSE-THIRD-PARTY-TEXTS.txt"}) {
    const std::string whole = source(file);
    EXPECT_GT(whole.size(), 1000u) << file;
    EXPECT_NE(text.find(whole), std::string::npos) << file << " is not as it stands";
  }
}

TEST(Variables, MustBeTheSameInTheRuntimeButForDescriptions) {
  const auto table_of = [](const std::string& attributes) {
    Diagnostics diagnostics;
    return make_variables(read_model_text(
        "<mbs name='M' version='1' planar='xy'><parameter name='L' value='800 mm' " + attributes +
            "/><output name='y' value='L'/></mbs>",
        "m.mbs.xml", diagnostics));
  };
  const VariableTable table = table_of("doc='a length'");
  EXPECT_TRUE(same_variables(table, table_of("doc='another text'")));
  EXPECT_TRUE(same_variables(table, table_of("")));
  EXPECT_FALSE(same_variables(table, table_of("variability='tunable'")));
  EXPECT_FALSE(same_variables(table, table_of("max='2 m'")));
}

}  // namespace
}  // namespace mbs
