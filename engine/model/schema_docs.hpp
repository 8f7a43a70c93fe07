#pragma once

// Texts that are generated from the schema and committed in engine/model/generated/.

#include <string>

namespace mbs {

std::string xsd_text();     // mbs.xsd, for editors
std::string manual_text();  // manual.md, the reference manual

}  // namespace mbs
