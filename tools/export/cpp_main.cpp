// The program that makes FMUs of a model written in C++: linked with the model by mbs_add_fmu().
//
//   name_export RUNTIME VERSION OUTPUT

#include <cstdio>
#include <exception>

#include "fmu_src/cpp_model.hpp"
#include "tools/export/build_fmu.hpp"

namespace {

int build(const std::string& runtime, const std::string& version, const std::string& output) {
  const auto packed = mbs::packed_cpp_model();
  mbs::Diagnostics diagnostics;
  mbs::VariableTable table = packed->variables;
  table.clocks.clear();
  const mbs::FmuContents contents{packed->model, table, packed->token, runtime, {}};
  const mbs::FmuTarget target{
      version == "3.0" ? mbs::import::FmiVersion::fmi3 : mbs::import::FmiVersion::fmi2, output,
      [](const std::string& line) { std::printf("%s\n", line.c_str()); }};
  const bool built = mbs::starts(packed->model, packed->equations, diagnostics) &&
                     mbs::write_fmu(contents, target, diagnostics);
  std::fputs(diagnostics.text().c_str(), stderr);
  return built ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s RUNTIME 2.0|3.0 OUTPUT\n", argv[0]);
    return 2;
  }
  try {
    return build(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
