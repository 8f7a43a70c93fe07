// The elements and attributes of modelDescription.xml as a table: stricter than the XML schemas
// where these accept unknown attributes, and with readable messages.
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
