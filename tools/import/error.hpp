// The one exception of the importer: the FMU cannot be used, and the text says which file, why, and
// what helps.
#pragma once

#include <stdexcept>
#include <string>

namespace mbs::import {

class ImportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mbs::import
