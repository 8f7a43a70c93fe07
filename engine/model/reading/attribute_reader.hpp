#pragma once

// Reads the value of an attribute by the type that its schema gives it: numbers in SI with the sign
// they have in a mirrored subsystem, directions, keywords, frames, joints.

#include <optional>
#include <span>
#include <string_view>

#include "engine/model/reading/expression_compiler.hpp"

namespace mbs {

class AttributeReader {
 public:
  AttributeReader(const ExpandedModel& expanded, ExpressionCompiler& compiler,
                  std::span<const Override> overrides, ReadReport& report)
      : expanded_(expanded), compiler_(compiler), overrides_(overrides), report_(report) {}

  AttributeValue read(const Item& item, const AttributeSchema& schema);
  AttributeValue read(const Item& item, std::string_view name) {
    return read(item, item.attribute(name));
  }
  // The text comes from the command line, the file, its defaults or the schema, in this order.
  AttributeText text(const Item& item, const AttributeSchema& schema) const;
  std::optional<Unit> unit(const AttributeText& text);
  // The unit in which something of the given type is shown, perhaps named by an attribute; the
  // result has its dimension.
  Unit display_unit(const AttributeText& text, const Type& type, Type& result);

 private:
  void read_numbers(const Item& item, const AttributeSchema& schema, const AttributeText& text,
                    AttributeValue& value);
  void read_axis(const Item& item, const AttributeSchema& schema, const AttributeText& text,
                 AttributeValue& value);
  void read_keyword(const AttributeSchema& schema, std::string_view choices,
                    const AttributeText& text, AttributeValue& value);
  void read_frame(const Item& item, const AttributeText& text, AttributeValue& value);
  void read_joint(const Item& item, const AttributeSchema& schema, const AttributeText& text,
                  AttributeValue& value);
  std::string_view joint_unit(const Item& item, std::string_view dimension);
  bool acts_on_joint(const Item& item) const;
  bool fits_count(const AttributeSchema& schema, const AttributeText& text, std::size_t count,
                  std::size_t wanted, std::size_t other);
  void read_whole_number(const AttributeSchema& schema, const AttributeText& text,
                         AttributeValue& value);
  void mirror(const Item& item, const AttributeSchema& schema, AttributeValue& value) const;
  // value_checks.cpp: values that no physical thing has
  void check_range(const AttributeSchema& schema, const AttributeText& text,
                   const AttributeValue& value);
  void check_axis(const AttributeText& text, const AttributeValue& value);
  void check_inertia(const Item& item, const AttributeText& text, const AttributeValue& value);

  const ExpandedModel& expanded_;
  ExpressionCompiler& compiler_;
  std::span<const Override> overrides_;
  ReadReport& report_;
};

}  // namespace mbs
