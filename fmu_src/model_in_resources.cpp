// The FMU's model is a file in its resources: nothing else reads a model inside an FMU.

#include <cstdio>
#include <stdexcept>

#include "engine/model/reader.hpp"
#include "engine/model/resizable.hpp"
#include "engine/multibody/assemble.hpp"
#include "fmu_src/packed_model.hpp"
#include "fmu_src/resources.hpp"

namespace mbs {
namespace {

std::string path_of(const std::string& directory) {
  const bool slash = !directory.empty() && (directory.back() == '/' || directory.back() == '\\');
  return directory + (slash ? "" : "/") + std::string(model_file);
}

std::string text_of(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot read " + path);
  std::string text;
  char buffer[1 << 16];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  const bool bad = std::ferror(file) != 0;
  std::fclose(file);
  if (bad) throw std::runtime_error("cannot read " + path + " to its end");
  return text;
}

bool has_model(const std::string& directory) {
  std::FILE* file = std::fopen(path_of(directory).c_str(), "rb");
  if (file == nullptr) return false;
  std::fclose(file);
  return true;
}

std::shared_ptr<const PackedModel> packed_model(const std::shared_ptr<const std::string>& text,
                                                std::span<const Override> sizes) {
  Diagnostics diagnostics;
  auto packed = std::make_shared<PackedModel>();
  packed->model = read_model_text(*text, std::string(model_file), diagnostics, sizes);
  if (diagnostics.ok()) {
    packed->equations = assemble(packed->model, diagnostics, &packed->coordinates);
  }
  if (!diagnostics.ok() || packed->equations == nullptr)
    throw std::runtime_error("the model in the FMU is not usable:\n" + diagnostics.text());
  const std::vector<std::string> resizable = resizable_parameters(*text);
  packed->add_variables(make_variables(packed->model, resizable));
  packed->hash = model_hash(*text);
  if (!resizable.empty())
    packed->resize = [text](std::span<const Override> other) { return packed_model(text, other); };
  return packed;
}

std::shared_ptr<const PackedModel> read_packed_model(const std::string& directory) {
  return packed_model(std::make_shared<const std::string>(text_of(path_of(directory))), {});
}

}  // namespace

std::shared_ptr<const PackedModel> find_packed_model(const std::optional<std::string>& resources,
                                                     const Logger& logger) {
  if (resources && has_model(*resources)) return read_packed_model(*resources);
  const std::string next_to_library = directory_from_library();
  const std::string given = resources ? "'" + *resources + "'" : "no location";
  if (next_to_library.empty() || !has_model(next_to_library))
    throw std::runtime_error("there is no " + std::string(model_file) + " in the resources (" +
                             given + " was given, '" + next_to_library +
                             "' is next to the library)");
  if (resources)
    logger.log(Status::warning, "there is no " + std::string(model_file) + " in " + given +
                                    "; the one in '" + next_to_library + "' is taken");
  return read_packed_model(next_to_library);
}

}  // namespace mbs
