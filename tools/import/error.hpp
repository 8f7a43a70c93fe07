// The only exception of the importer: the FMU cannot be used. The text gives the file, the reason
// and a remedy.
#pragma once

#include <stdexcept>
#include <string>

namespace mbs::import {

class ImportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mbs::import
