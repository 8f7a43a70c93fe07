// What a model's size does by itself, beside that there are more or fewer elements.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/export/resized.hpp"

namespace mbs {

struct VariableTable;

// Outputs, derivatives and event indicators at some points, by name, as functions of what has the
// same name: states, inputs and parameters are the same at each size. At the start those of the
// states, too.
class ValuesOfSize {
 public:
  // table: of the resized model. It starts.
  ValuesOfSize(const VariableTable& table, const Resized& resized);

  // False where a variable of one of these names, which both have, has another value.
  bool running_alike(const ValuesOfSize& other, const std::vector<std::string>& names) const;
  bool starts_alike(const ValuesOfSize& other, const std::vector<std::string>& names) const;

 private:
  using ByName = std::map<std::string, double>;
  std::vector<ByName> running_, starting_;  // by points; empty: there is none
};

}  // namespace mbs
