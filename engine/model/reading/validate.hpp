#pragma once

// Stage one of reading: the XML tree of an <mbs> element against the schema. What comes out is a
// Source, each place of a file validated once: elements that have their place, attributes that
// exist and are there when they are required, names that can be names, no deeper nesting than the
// limits allow.

#include <map>
#include <memory>
#include <utility>

#include "engine/model/reading/read_report.hpp"
#include "engine/model/reading/source.hpp"

namespace mbs {

class Validator {
 public:
  explicit Validator(ReadReport& report) : report_(report) {}
  const Source& validate(const XmlFile& file, pugi::xml_node root);

 private:
  void validate_root(Source& source);
  void validate_version(Source& source);
  void collect_defaults(Source& source);
  void validate_children(Source& source, pugi::xml_node parent, int depth);
  bool has_place(const Source& source, pugi::xml_node node, std::string_view parent);
  void validate_attributes(const Source& source, pugi::xml_node node, const TagSchema& tag,
                           bool in_default);
  void validate_names(const Source& source, pugi::xml_node node, const TagSchema& tag,
                      bool in_default);
  void validate_values(const Source& source, pugi::xml_node node, const TagSchema& tag);
  void validate_rules(const Source& source, pugi::xml_node node, const TagSchema& tag);

  ReadReport& report_;
  std::map<std::pair<const XmlFile*, std::ptrdiff_t>, std::unique_ptr<Source>> sources_;
  int open_ = 0;  // elements being validated, one inside the other
};

}  // namespace mbs
