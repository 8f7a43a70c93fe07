// Within the importer: reads the attributes of one element and records those that it cannot
// understand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/import/model_description.hpp"

namespace mbs::import {

class Reader {
 public:
  Reader(const XmlFile& file, ModelDescription& description)
      : file_(file), description_(description) {}

  ModelDescription& description() { return description_; }
  bool is_fmi2() const { return description_.version == FmiVersion::fmi2; }
  int line(pugi::xml_node node) const { return file_.line(node); }

  void problem(pugi::xml_node node, std::string what) {
    description_.problems.push_back({line(node), std::move(what)});
  }

  std::string text(pugi::xml_node node, const char* name) { return node.attribute(name).value(); }

  std::string required_text(pugi::xml_node node, const char* name) {
    if (!node.attribute(name)) missing(node, name);
    return text(node, name);
  }

  std::optional<double> real(pugi::xml_node node, const char* name) {
    return parsed<double>(node, name, "a number", [](std::string_view t) { return parse_real(t); });
  }

  bool boolean(pugi::xml_node node, const char* name) {
    return optional_boolean(node, name).value_or(false);
  }

  std::optional<bool> optional_boolean(pugi::xml_node node, const char* name) {
    return parsed<bool>(node, name, "true or false", parse_boolean);
  }

  std::optional<std::uint32_t> whole(pugi::xml_node node, const char* name) {
    return parsed<std::uint32_t>(node, name, "a whole number from 0 to 4294967295", parse_whole);
  }

  std::uint32_t required_whole(pugi::xml_node node, const char* name) {
    if (!node.attribute(name)) missing(node, name);
    return whole(node, name).value_or(0);
  }

  std::vector<std::uint32_t> whole_list(pugi::xml_node node, const char* name) {
    std::vector<std::uint32_t> list;
    for (const std::string& keyword : split_keywords(node.attribute(name).value())) {
      if (const auto number = parse_whole(keyword))
        list.push_back(*number);
      else
        not_understood(node, name, keyword, "a whole number from 0 to 4294967295");
    }
    return list;
  }

  // One of some keywords, in the order of the enumeration.
  template <class Enumeration, std::size_t N>
  std::optional<Enumeration> keyword(pugi::xml_node node, const char* name,
                                     const std::string_view (&keywords)[N]) {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) return std::nullopt;
    std::string all;
    for (std::size_t i = 0; i < N; ++i) {
      if (keywords[i] == attribute.value()) return static_cast<Enumeration>(i);
      all += (i == 0 ? "" : ", ") + std::string(keywords[i]);
    }
    not_understood(node, name, attribute.value(), "one of " + all);
    return std::nullopt;
  }

  template <class Parsed, class Parse>
  std::optional<Parsed> parsed(pugi::xml_node node, const char* name, const std::string& expected,
                               Parse parse) {
    const pugi::xml_attribute attribute = node.attribute(name);
    if (!attribute) return std::nullopt;
    const std::vector<std::string> keywords = split_keywords(attribute.value());
    if (keywords.size() == 1)
      if (const auto value = parse(keywords[0])) return *value;
    not_understood(node, name, attribute.value(), expected);
    return std::nullopt;
  }

  void not_understood(pugi::xml_node node, const char* name, const std::string& given,
                      const std::string& expected) {
    problem(node, std::string("attribute ") + name + "=\"" + given + "\" of <" + node.name() +
                      "> should be " + expected);
  }

 private:
  static std::optional<std::uint32_t> parse_whole(std::string_view text) {
    if (const auto number = parse_integer(text, VariableType::uint32))
      return static_cast<std::uint32_t>(*number);
    return std::nullopt;
  }

  void missing(pugi::xml_node node, const char* name) {
    problem(node, std::string("<") + node.name() + "> lacks the attribute " + name);
  }

  const XmlFile& file_;
  ModelDescription& description_;
};

// read_variables.cpp, where FMI 2 and 3 differ most.
void read_types(Reader& reader, pugi::xml_node list);
void read_variables(Reader& reader, pugi::xml_node list);

}  // namespace mbs::import
