#include "engine/model/reader.hpp"

#include <utility>

#include "engine/model/reading/bind.hpp"
#include "engine/model/reading/discontinuities.hpp"
#include "engine/model/reading/expand.hpp"
#include "engine/model/reading/one_file.hpp"
#include "engine/model/reading/validate.hpp"

namespace mbs {

namespace {

void start_model(ReadContext& context, const Source& source) {
  Model& model = context.expanded.model;
  const pugi::xml_node root = source.root;
  model.name = root.attribute("name").value();
  model.doc = root.attribute("doc").value();
  Frame inertial;
  inertial.name = "ground";
  inertial.place = source.file->place(root);
  model.frames.push_back(std::move(inertial));
  const std::string_view plane = source.plane();
  model.planar = !plane.empty();
  if (plane == "xz") {
    model.plane_axes = {0, 2, 1};
  } else if (plane == "yz") {
    model.plane_axes = {1, 2, 0};
  } else if (model.planar && plane != "xy") {
    context.report.error(source.file->value_place(root, root.attribute("planar"), 0),
                         "unknown-keyword", "'planar' cannot be '" + std::string(plane) + "'",
                         "it is xy, xz or yz; without it the model is spatial");
  }
}

Model read(ModelFiles& files, Diagnostics& diagnostics, std::span<const Override> overrides,
           const ReadLimits& limits) {
  ReadContext context(diagnostics, overrides, limits);
  context.expanded.model.file = files.main().name();
  Validator validator(context.report);
  try {
    const Source& source = validator.validate(files.main(), files.main().root());
    if (source.root) {
      start_model(context, source);
      expand(source, context, files, validator);
      bind(context);
      freeze_discontinuities(context.expanded.model);
    }
  } catch (const ReadingStopped&) {
  }
  return std::move(context.expanded.model);
}

}  // namespace

Model read_model(const std::string& path, Diagnostics& diagnostics,
                 std::span<const Override> overrides, const ReadLimits& limits) {
  std::unique_ptr<XmlFile> file = load_xml(path, diagnostics, limits);
  if (!file) return {};
  ModelFiles files(std::move(file), limits);
  return read(files, diagnostics, overrides, limits);
}

Model read_model_text(std::string_view text, const std::string& file, Diagnostics& diagnostics,
                      std::span<const Override> overrides, const ReadLimits& limits) {
  std::unique_ptr<XmlFile> xml = parse_xml(file, std::string(text), diagnostics, limits);
  if (!xml) return {};
  ModelFiles files(std::move(xml), limits);
  return read(files, diagnostics, overrides, limits);
}

ResolvedModel read_resolved(const std::string& path, Diagnostics& diagnostics,
                            std::span<const Override> overrides, const ReadLimits& limits) {
  std::unique_ptr<XmlFile> file = load_xml(path, diagnostics, limits);
  if (!file) return {};
  ModelFiles files(std::move(file), limits);
  ResolvedModel result{read(files, diagnostics, overrides, limits), {}};
  if (diagnostics.ok()) {
    result.text = one_file(result.model, files, diagnostics, overrides, limits);
  }
  return result;
}

}  // namespace mbs
