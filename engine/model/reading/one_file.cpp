#include "engine/model/reading/one_file.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/model/curve_points.hpp"
#include "engine/model/solver_overrides.hpp"
#include "engine/model/urdf/import_urdf.hpp"

namespace mbs {

namespace {

// Elements in each other; stops counting beyond `most`. No recursion.
int nesting_of(pugi::xml_node root, int most) {
  int deepest = 1;
  pugi::xml_node node = root;
  for (int depth = 1; depth <= most;) {
    deepest = std::max(deepest, depth);
    if (node.first_child()) {
      node = node.first_child();
      ++depth;
      continue;
    }
    for (; node != root && !node.next_sibling(); node = node.parent()) --depth;
    if (node == root) return deepest;
    node = node.next_sibling();
  }
  return most + 1;
}

struct StringWriter : pugi::xml_writer {
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
  std::string text;
};

std::string text_of(const pugi::xml_document& document) {
  StringWriter writer;
  document.save(writer, " ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(writer.text);
}

// The model has been read without errors, so what it uses exists and goes in no circle, except
// where nothing was ever expanded: in a repeat of no pass. Such a use is left out when it cannot
// be followed: the file was never validated, it may be nested to any depth.
class Inliner {
 public:
  Inliner(ModelFiles& files, Diagnostics& diagnostics, const ReadLimits& limits)
      : files_(files), diagnostics_(diagnostics), limits_(limits), open_{files.main_path()} {}

  void inline_files(pugi::xml_node node, const std::string& path) {
    node.remove_attribute("doc");
    ++depth_;
    for (pugi::xml_node child = node.first_child(); child && diagnostics_.ok();) {
      const pugi::xml_node next = child.next_sibling();
      const bool keep = child.type() == pugi::node_element && follow(child, path);
      if (!keep) node.remove_child(child);
      child = next;
    }
    --depth_;
  }

  std::string text(const pugi::xml_document& document) const {
    std::string whole = text_of(document);
    if (whole.size() > limits_.file_bytes) too_large(whole.size());
    return whole;
  }

 private:
  void too_large(std::size_t bytes) const {
    diagnostics_.error({open_.front(), 0, 0}, "limit-file-size",
                       "as one file the model has " + std::to_string(bytes) +
                           " bytes or more, at most " + std::to_string(limits_.file_bytes) +
                           " can be read");
  }

  // The points of a curve's file become an attribute.
  void inline_points(pugi::xml_node node, const std::string& path) {
    std::array<int, 2> columns{1, 2};
    if (const pugi::xml_attribute given = node.attribute("columns")) {
      columns = parse_columns(given.value());
      node.remove_attribute(given);
    }
    const pugi::xml_attribute file = node.attribute("file");
    Diagnostics ignored;
    const auto text = load_text(file_in_folder(path, file.value()), ignored, limits_);
    if (!text) return;
    node.append_attribute("points") = points_text(parse_lines(*text, columns)).c_str();
    node.remove_attribute(file);
    bytes_ += text->size();
    if (bytes_ > limits_.file_bytes) too_large(bytes_);
  }

  bool follow(pugi::xml_node node, const std::string& path) {
    inline_files(node, path);
    const pugi::xml_attribute file = node.attribute("file");
    if (std::string_view(node.name()) == "curve" && file) {
      try {
        inline_points(node, path);
      } catch (const SyntaxError&) {  // in a subsystem that was never expanded
        return false;
      }
    }
    const bool import = std::string_view(node.name()) == "import";
    if ((std::string_view(node.name()) != "use" && !import) || !file) return true;
    const std::string used = used_path(path, file.value());
    if (std::find(open_.begin(), open_.end(), used) != open_.end() ||
        static_cast<int>(open_.size()) >= limits_.nesting) {
      return false;
    }
    Diagnostics ignored;
    const XmlFile* contents = files_.open(used, node, ignored);
    if (contents && import) {
      node.set_name("use");
      for (const char* option : urdf_option_names) node.remove_attribute(option);
    }
    const int room = limits_.whole_nesting() - depth_;
    if (!contents || nesting_of(contents->root(), room) > room) return false;
    bytes_ += contents->size();
    if (bytes_ > limits_.file_bytes) {
      too_large(bytes_);
      return false;
    }
    node.remove_attribute(file);
    open_.push_back(used);
    inline_files(node.append_copy(contents->root()), used);
    open_.pop_back();
    return true;
  }

  ModelFiles& files_;
  Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  std::vector<std::string> open_;
  std::size_t bytes_ = 0;
  int depth_ = 0;  // of elements being followed
};

// A bare number from outside has the dimension of the value that it replaces.
void keep_dimension(const Model& model, const std::string& name, pugi::xml_node parameter) {
  const auto found = std::ranges::find(model.parameters, name, &Parameter::name);
  if (found == model.parameters.end() || found->unit.dimension == Dimension{}) return;
  if (!parameter.attribute("unit"))
    parameter.append_attribute("unit").set_value(found->unit.name.c_str());
}

void set_solver(const Override& value, pugi::xml_node root) {
  const SolverOverride set = solver_override(value.name);
  const std::string tag(set.tag->name), name(set.attribute->name);
  pugi::xml_node solver = root.child(tag.c_str());
  if (!solver) solver = root.append_child(tag.c_str());
  if (!solver.attribute(name.c_str())) solver.append_attribute(name.c_str());
  solver.attribute(name.c_str()).set_value(value.value.c_str());
}

void set_parameter(const Override& value, const Model& model, pugi::xml_node root) {
  for (const pugi::xml_node parameter : root.children("parameter")) {
    if (value.name != parameter.attribute("name").value()) continue;
    parameter.attribute("value").set_value(value.value.c_str());
    keep_dimension(model, value.name, parameter);
  }
}

}  // namespace

std::string one_file(const Model& model, ModelFiles& files, Diagnostics& diagnostics,
                     std::span<const Override> overrides, const ReadLimits& limits) {
  pugi::xml_document document;
  const pugi::xml_node root = document.append_copy(files.main().root());
  Inliner inliner(files, diagnostics, limits);
  inliner.inline_files(root, files.main().name());
  for (const Override& value : overrides) {
    if (value.name.starts_with(solver_prefix)) {
      set_solver(value, root);
    } else {
      set_parameter(value, model, root);
    }
  }
  std::string text = inliner.text(document);
  return diagnostics.ok() ? std::move(text) : std::string();
}

std::string with_setting(const std::string& text, const Override& setting) {
  pugi::xml_document document;
  document.load_buffer(text.data(), text.size());
  set_solver(setting, document.document_element());
  return text_of(document);
}

}  // namespace mbs
