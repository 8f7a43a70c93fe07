// The schema as XML Schema: every tag with its attributes, so that an editor completes and checks
// while one writes. Expressions are plain strings there; mbsfmu checks them.

#include "engine/base/text.hpp"
#include "engine/model/quantities.hpp"
#include "engine/model/schema.hpp"
#include "engine/model/schema_docs.hpp"
#include "engine/model/schema_rules.hpp"

namespace mbs {

namespace {

using T = AttributeType;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

std::string documentation(std::string_view text, const std::string& indent) {
  return indent + "<xs:annotation><xs:documentation>" + escaped(text) +
         "</xs:documentation></xs:annotation>\n";
}

std::string attribute_doc(const AttributeSchema& a) {
  std::string doc(a.doc);
  if (!a.dimension.empty() && a.dimension[0] != '?' && a.dimension != "1") {
    doc += " [" + std::string(a.dimension) + "]";
  }
  if (!a.default_value.empty()) doc += " (default " + std::string(a.default_value) + ")";
  return doc;
}

std::string attribute(const AttributeSchema& a, bool optional) {
  if (a.type == T::any) return "    <xs:anyAttribute processContents=\"lax\"/>\n";
  std::string text = "    <xs:attribute name=\"" + std::string(a.name) + "\"";
  if (a.required && !optional) text += " use=\"required\"";
  const bool keywords = a.type == T::keyword;
  if (!keywords) {
    text += a.type == T::name      ? " type=\"name\""
            : a.type == T::boolean ? " type=\"truth\""
                                   : " type=\"xs:string\"";
  }
  text += ">\n" + documentation(attribute_doc(a), "      ");
  if (keywords) {
    text += "      <xs:simpleType><xs:restriction base=\"xs:string\">\n";
    for (const std::string_view keyword : split(a.choices, '|')) {
      text += "        <xs:enumeration value=\"" + std::string(keyword) + "\"/>\n";
    }
    text += "      </xs:restriction></xs:simpleType>\n";
  }
  return text + "    </xs:attribute>\n";
}

std::string children(std::string_view parent) {
  std::string text;
  for (const TagSchema& tag : schema()) {
    const bool in_default = parent == "default" && is_item(tag.role);
    if (!in_default && !contains(tag.parents, ' ', parent)) continue;
    text += "      <xs:element name=\"" + std::string(tag.name) + "\" type=\"" +
            std::string(tag.name) + (in_default ? ".default" : "") + "\"/>\n";
  }
  if (text.empty()) return {};
  return "    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n" + text + "    </xs:choice>\n";
}

std::string type(const TagSchema& tag, bool as_default) {
  std::string text = "  <xs:complexType name=\"" + std::string(tag.name) +
                     (as_default ? ".default" : "") + "\">\n" + documentation(tag.doc, "    ");
  if (!as_default) text += children(tag.name);
  // A default class may give what is required, so bodies, joints and forces need it only there.
  const bool optional = as_default || is_item(tag.role);
  for (const AttributeSchema& a : tag.attributes) {
    if (as_default && a.type == T::name) continue;
    text += attribute(a, optional && a.type != T::name);
  }
  for (const AttributeSchema& a : common_attributes(tag.role)) text += attribute(a, true);
  return text + "  </xs:complexType>\n";
}

}  // namespace

std::string xsd_text() {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<!-- Generated from the schema in engine/model/schema/ by mbs_schema_docs: do not edit. "
      "-->\n"
      "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n"
      "  <xs:element name=\"mbs\" type=\"mbs\"/>\n"
      "  <xs:simpleType name=\"name\"><xs:restriction base=\"xs:string\">\n"
      "    <xs:pattern value=\"[A-Za-z_][A-Za-z0-9_]*\"/>\n"
      "  </xs:restriction></xs:simpleType>\n"
      "  <xs:simpleType name=\"truth\"><xs:restriction base=\"xs:string\">\n"
      "    <xs:enumeration value=\"false\"/><xs:enumeration value=\"true\"/>\n"
      "  </xs:restriction></xs:simpleType>\n";
  for (const TagSchema& tag : schema()) {
    text += type(tag, false);
    if (is_item(tag.role)) text += type(tag, true);
  }
  return text + "</xs:schema>\n";
}

}  // namespace mbs
