#include "engine/model/reading/read_report.hpp"

namespace mbs {

void ReadReport::error(const Place& place, std::string code, std::string message,
                       std::string hint) {
  diagnostics_.error(place, std::move(code), std::move(message), std::move(hint));
  if (diagnostics_.errors() < limits_.errors) return;
  diagnostics_.note({place.file, 0, 0}, "too-many-errors",
                    "there are " + std::to_string(limits_.errors) +
                        " errors or more; what follows was not looked at");
  throw ReadingStopped{};
}

void ReadReport::error(const AttributeText& text, const SyntaxError& e) {
  std::string message = e.message;
  const std::string attribute = "'" + std::string(text.attribute.name()) + "'";
  if (text.attribute && message.find(attribute) == std::string::npos) {
    message += " (in " + attribute + ")";
  }
  error(text.place(e.offset), e.code, std::move(message), e.hint);
}

void ReadReport::warning(const Place& place, std::string code, std::string message,
                         std::string hint) {
  diagnostics_.warning(place, std::move(code), std::move(message), std::move(hint));
}

void ReadReport::count_element(const XmlFile& file, pugi::xml_node node) {
  if (++elements_ <= limits_.elements) return;
  error(file.place(node), "limit-elements",
        "the model has more than " + std::to_string(limits_.elements) +
            " elements and passes of repeats",
        "is a count too large?");
  throw ReadingStopped{};
}

void ReadReport::count_text(const Place& place, std::size_t bytes) {
  text_bytes_ += bytes + place.file.size();
  if (text_bytes_ <= limits_.text_bytes) return;
  error(place, "limit-text",
        "the model's names and docs have more than " + std::to_string(limits_.text_bytes) +
            " bytes, counted in every pass of a repeat",
        "shorten them, or is a count too large?");
  throw ReadingStopped{};
}

}  // namespace mbs
