#pragma once

// Where the FMU's resources are.

#include <string>
#include <string_view>

namespace mbs {

constexpr std::string_view model_file = "model.mbs.xml";  // in resources/

// A directory from a URI: file:///a/b, file:/a/b, file://localhost/a/b, with %20 and the like; a
// plain absolute path is taken too. Throws std::runtime_error for anything else.
std::string directory_from_uri(std::string_view uri);

// resources/ as seen from this library, which lies in binaries/<platform>/; "" when the system does
// not tell.
std::string directory_beside_library();

}  // namespace mbs
