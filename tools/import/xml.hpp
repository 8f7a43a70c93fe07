// An XML text with the line of each element, and limits against hostile files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/error.hpp"

namespace mbs::import {

struct XmlLimits {
  std::size_t bytes = 256u << 20;
  std::size_t depth = 64;
};

class XmlFile {
 public:
  // The name is for messages. Throws ImportError with name:line.
  XmlFile(std::string name, std::string text, const XmlLimits& limits = {});

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  pugi::xml_node root() const { return document_.document_element(); }
  int line(pugi::xml_node node) const { return line_at(node.offset_debug()); }

 private:
  int line_at(std::ptrdiff_t offset) const;

  std::string name_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
  pugi::xml_document document_;
};

// "name:line" of a place, for messages.
std::string place(const XmlFile& file, pugi::xml_node node);

// The keywords of a list attribute, split at white space.
std::vector<std::string> split_keywords(std::string_view text);

}  // namespace mbs::import
