// The elements and attributes of modelDescription.xml as a table: stricter than the XML schemas
// where these let unknown attributes pass, and with messages for people.
#pragma once

#include <functional>
#include <string>

#include "tools/import/model_description.hpp"
#include "tools/import/xml.hpp"

namespace mbs::check_fmu {

struct SchemaFinding {
  bool is_about_order;  // else about attributes
  int line;
  std::string what, advice;
};

void check_against_schema(const import::XmlFile& xml, import::FmiVersion version,
                          const std::function<void(const SchemaFinding&)>& found);

}  // namespace mbs::check_fmu
