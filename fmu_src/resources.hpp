#pragma once

// The location of the FMU's resources.

#include <string>
#include <string_view>

namespace mbs {

constexpr std::string_view model_file = "model.mbs.xml";  // in resources/

// A directory from a URI: file:///a/b, file:/a/b, file://localhost/a/b, with %20 and the like; a
// plain absolute path is taken too. Throws std::runtime_error for anything else.
std::string directory_from_uri(std::string_view uri);

// resources/ relative to this library, which lies in binaries/<platform>/; "" when the system does
// not give its path.
std::string directory_from_library();

}  // namespace mbs
