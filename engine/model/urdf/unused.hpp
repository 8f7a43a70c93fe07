#pragma once

// Collects what a robot description has and the model has no use for: one note for each kind, with
// all its lines.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/diagnostic.hpp"
#include "engine/model/xml_source.hpp"

namespace mbs::urdf {

// The attributes and children that an element of a description may have, separated by spaces.
struct Known {
  std::string_view element;
  std::string_view attributes, unused_attributes;
  std::string_view children, unused_children;
};
const Known& known(std::string_view element);

class Unused {
 public:
  Unused(const XmlFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  // All that stands in this element beyond what is known. Does not go into its children.
  void look_at(pugi::xml_node node);
  // `what` says it in keywords: "<dynamics> of a fixed joint".
  void note(pugi::xml_node node, std::string what, std::string_view why = {});
  void report();

 private:
  struct Kind {
    Place first;
    std::string text;
    std::vector<int> more;
  };
  void add(const Place& place, std::string what, std::string_view why);
  bool misspelt(const Place& place, std::string_view kind, std::string_view keyword,
                std::string_view used, std::string_view unused);

  const XmlFile& file_;
  Diagnostics& diagnostics_;
  std::map<std::string, Kind> kinds_;
};

}  // namespace mbs::urdf
