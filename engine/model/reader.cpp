#include "engine/model/reader.hpp"

#include <algorithm>
#include <cstring>

#include "engine/model/elaborate.hpp"

namespace mbs {

void Elaborator::error(const Place& place, std::string code, std::string message,
                       std::string hint) {
  diagnostics_.error(place, std::move(code), std::move(message), std::move(hint));
  if (diagnostics_.errors() >= limits_.errors) {
    diagnostics_.note({place.file, 0, 0}, "too-many-errors",
                      "there are " + std::to_string(limits_.errors) +
                          " errors or more; what follows was not looked at");
    throw GiveUp{};
  }
}

Place Elaborator::place(const Text& text, int offset) const {
  if (!text.file) return {"command line", 0, 0};
  return text.file->value_place(text.node, text.attribute, offset);
}

void Elaborator::error(const Text& text, const SyntaxError& e) {
  std::string message = e.message;
  const std::string attribute = "'" + std::string(text.attribute.name()) + "'";
  if (text.attribute && message.find(attribute) == std::string::npos) {
    message += " (in " + attribute + ")";
  }
  error(place(text, e.offset), e.code, std::move(message), e.hint);
}

// Counts one more pass with an error that has been reported; its keywords need not be found again.
bool Elaborator::taken(const Place& place, const std::string& code) {
  return diagnostics_.count_again(place, code);
}

std::string_view Elaborator::plane_letters() const {
  return model_.plane_axes[1] == 1 ? "xy" : model_.plane_axes[0] == 0 ? "xz" : "yz";
}

Model Elaborator::run(std::unique_ptr<XmlFile> file) {
  const XmlFile* main = file.get();
  model_.file = main->name();
  file_by_path_[used_path("", main->name())] = file.get();
  open_files_.push_back(used_path("", main->name()));
  files_.push_back(std::move(file));
  try {
    Source* source = source_of(*main, main->root());
    const pugi::xml_node root = source->root;
    if (!root) return std::move(model_);
    model_.name = root.attribute("name").value();
    model_.doc = root.attribute("doc").value();
    const std::string_view plane = root.attribute("planar").value();
    if (!plane.empty()) {
      model_.planar = true;
      if (plane == "xz") model_.plane_axes = {0, 2, 1};
      if (plane == "yz") model_.plane_axes = {1, 2, 0};
      if (plane != "xy" && plane != "xz" && plane != "yz") {
        error(main->value_place(root, root.attribute("planar"), 0), "unknown-keyword",
              "'planar' cannot be '" + std::string(plane) + "'",
              "it is xy, xz or yz; without it the model is spatial");
      }
    }
    Frame inertial;
    inertial.name = "ground";
    inertial.place = main->place(root);
    model_.frames.push_back(std::move(inertial));
    systems_.emplace_back().source = source;
    scopes_.emplace_back();
    expand_system(0, 0);
    bind();
  } catch (const GiveUp&) {
  }
  return std::move(model_);
}

Model read_model(const std::string& path, Diagnostics& diagnostics,
                 std::span<const Override> overrides, const ReadLimits& limits) {
  std::unique_ptr<XmlFile> file = load_xml(path, diagnostics, limits);
  if (!file) return {};
  return Elaborator(diagnostics, overrides, limits).run(std::move(file));
}

Model read_model_text(std::string_view text, const std::string& file, Diagnostics& diagnostics,
                      std::span<const Override> overrides, const ReadLimits& limits) {
  std::unique_ptr<XmlFile> xml = parse_xml(file, std::string(text), diagnostics, limits);
  if (!xml) return {};
  return Elaborator(diagnostics, overrides, limits).run(std::move(xml));
}

}  // namespace mbs
