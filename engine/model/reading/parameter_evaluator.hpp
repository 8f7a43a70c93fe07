#pragma once

// Parameters: each is evaluated when it is first needed, whatever their order in the file.

#include <vector>

#include "engine/model/reading/attribute_reader.hpp"

namespace mbs {

class ParameterEvaluator {
 public:
  ParameterEvaluator(ExpandedModel& expanded, ExpressionCompiler& compiler,
                     AttributeReader& attributes, ReadReport& report)
      : expanded_(expanded), compiler_(compiler), attributes_(attributes), report_(report) {}

  void evaluate(int index);
  void evaluate_all();

 private:
  Item item(int index) const;
  bool can_open(int index);
  Compiled compile_value(int index, Level level);
  void keep_dimension(const ParameterSlot& slot, Level level, Compiled& value);
  bool finish(int index, const Compiled& value);
  void warn_of_bare_number(int index, const Type& type);
  void read_bound(int index, std::string_view name, double& bound);
  void check_resizable(int index);

  ExpandedModel& expanded_;
  ExpressionCompiler& compiler_;
  AttributeReader& attributes_;
  ReadReport& report_;
  std::vector<int> open_;  // the chain being evaluated
};

}  // namespace mbs
