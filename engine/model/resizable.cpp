#include "engine/model/resizable.hpp"

#include <cstring>
#include <pugixml.hpp>

namespace mbs {

std::vector<std::string> resizable_parameters(std::string_view text) {
  std::vector<std::string> names;
  pugi::xml_document document;
  if (!document.load_buffer(text.data(), text.size())) return names;
  for (const pugi::xml_node node : document.document_element().children("parameter"))
    if (std::strcmp(node.attribute("resizable").value(), "true") == 0)
      names.emplace_back(node.attribute("name").value());
  return names;
}

}  // namespace mbs
