// The model as one file: every <use file="..."> gets the contents of its file inside.

#include <memory>
#include <pugixml.hpp>
#include <string>

#include "engine/model/elaborate.hpp"
#include "engine/model/reader.hpp"

namespace mbs {

namespace {

struct StringWriter : pugi::xml_writer {
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
  std::string text;
};

// The files have been read without errors before: they exist, and there is no circle.
void inline_files(pugi::xml_node node, const std::string& path, const ReadLimits& limits) {
  node.remove_attribute("doc");
  for (pugi::xml_node child = node.first_child(); child;) {
    const pugi::xml_node next = child.next_sibling();
    if (child.type() != pugi::node_element) {
      node.remove_child(child);
    } else {
      inline_files(child, path, limits);
    }
    child = next;
  }
  const pugi::xml_attribute file = node.attribute("file");
  if (std::string_view(node.name()) != "use" || !file) return;
  const std::string used = used_path(path, file.value());
  Diagnostics ignored;
  const std::unique_ptr<XmlFile> contents = load_xml(used, ignored, limits);
  if (!contents) return;
  node.remove_attribute(file);
  inline_files(node.append_copy(contents->root()), used, limits);
}

}  // namespace

std::string resolve_to_one_file(const std::string& path, Diagnostics& diagnostics,
                                std::span<const Override> overrides, const ReadLimits& limits) {
  read_model(path, diagnostics, overrides, limits);
  if (!diagnostics.ok()) return {};
  const std::unique_ptr<XmlFile> file = load_xml(path, diagnostics, limits);
  if (!file) return {};
  pugi::xml_document document;
  const pugi::xml_node root = document.append_copy(file->root());
  inline_files(root, path, limits);
  for (const Override& o : overrides) {
    for (const pugi::xml_node parameter : root.children("parameter")) {
      if (o.name != parameter.attribute("name").value()) continue;
      parameter.attribute("value").set_value(o.value.c_str());
    }
  }
  StringWriter result;
  document.save(result, " ", pugi::format_indent, pugi::encoding_utf8);
  return std::move(result.text);
}

}  // namespace mbs
