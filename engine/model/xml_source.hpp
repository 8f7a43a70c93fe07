#pragma once

// A model file: its bytes, its nodes, and where each node and each letter of an attribute stands.

#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/diagnostic.hpp"
#include "engine/model/reader.hpp"

namespace mbs {

class XmlFile {
 public:
  XmlFile(std::string name, std::string text);
  const std::string& name() const { return name_; }
  std::size_t size() const { return text_.size(); }
  pugi::xml_node root() const { return document_.document_element(); }

  // Says where each line of a text comes from that was made from another file.
  void set_places(std::vector<Place> of_lines) { places_ = std::move(of_lines); }

  Place place(std::size_t byte) const;
  Place place(pugi::xml_node node) const;                                 // of its "<"
  Place place(pugi::xml_node node, pugi::xml_attribute attribute) const;  // of its name
  // The place of a byte of the attribute's value, counted in the value as it reads with &lt; and
  // the like replaced.
  Place value_place(pugi::xml_node node, pugi::xml_attribute attribute, int offset) const;

 private:
  friend std::unique_ptr<XmlFile> parse_xml(std::string, std::string, Diagnostics&,
                                            const ReadLimits&);
  struct Span {
    std::size_t name = 0, value = 0;
  };
  Span find(pugi::xml_node node, pugi::xml_attribute attribute) const;

  std::string name_, text_;
  std::size_t characters_before(std::size_t byte) const;

  std::vector<std::size_t> line_starts_;
  std::vector<Place> places_;
  std::vector<std::size_t> block_characters_;  // in all blocks before each block of the text
  pugi::xml_document document_;
};

// The bytes of a file; nothing, with the reason in diagnostics, when it cannot be read.
std::optional<std::string> load_text(const std::string& path, Diagnostics& diagnostics,
                                     const ReadLimits& limits);
// Nothing when it is not a well-formed file within the limits; the reasons are in diagnostics.
std::unique_ptr<XmlFile> load_xml(const std::string& path, Diagnostics& diagnostics,
                                  const ReadLimits& limits);
std::unique_ptr<XmlFile> parse_xml(std::string name, std::string text, Diagnostics& diagnostics,
                                   const ReadLimits& limits);

}  // namespace mbs
