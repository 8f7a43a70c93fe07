#include "engine/model/xml_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace mbs {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Length of the UTF-8 character at the front; 0: there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char c = byte(0);
  const std::size_t length = c < 0x80   ? 1
                             : c < 0xc2 ? 0
                             : c < 0xe0 ? 2
                             : c < 0xf0 ? 3
                             : c < 0xf5 ? 4
                                        : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
  }
  if ((c == 0xe0 && byte(1) < 0xa0) || (c == 0xed && byte(1) > 0x9f) ||
      (c == 0xf0 && byte(1) < 0x90) || (c == 0xf4 && byte(1) > 0x8f)) {
    return 0;
  }
  return length;
}

// The first byte that has no place in a text file; text.size(): none.
std::size_t first_strange_byte(std::string_view text) {
  for (std::size_t k = 0; k < text.size();) {
    const auto c = static_cast<unsigned char>(text[k]);
    if ((c < 0x20 && !is_space(text[k])) || c == 0x7f) return k;
    const std::size_t length = utf8_length(text.substr(k));
    if (length == 0) return k;
    k += length;
  }
  return text.size();
}

constexpr std::size_t block = 1024;

// Columns count characters, that is bytes that do not continue one.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string parse_message(pugi::xml_parse_status status) {
  switch (status) {
    case pugi::status_no_document_element:
      return "there is no element in the file";
    case pugi::status_end_element_mismatch:
      return "this closing tag does not fit the open one";
    case pugi::status_bad_attribute:
      return "this attribute is not of the form name=\"value\"";
    case pugi::status_bad_start_element:
      return "this tag is not complete";
    case pugi::status_bad_end_element:
      return "this closing tag is not complete";
    case pugi::status_bad_comment:
      return "this comment is not closed";
    case pugi::status_bad_cdata:
      return "this CDATA section is not closed";
    case pugi::status_bad_doctype:
      return "this document type is not complete";
    case pugi::status_bad_pi:
      return "this <?...?> is not complete";
    default:
      return "this is not XML";
  }
}

}  // namespace

XmlFile::XmlFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t k = 0; k < text_.size(); ++k) {
    if (text_[k] == '\n') line_starts_.push_back(k + 1);
  }
  for (std::size_t k = 0, count = 0; k <= text_.size(); k += block) {
    block_characters_.push_back(count);
    count += characters(std::string_view(text_).substr(k, block));
  }
}

// Summed by blocks, so that a column costs the same in a file that is one long line.
std::size_t XmlFile::characters_before(std::size_t byte) const {
  const std::size_t whole = byte / block;
  return block_characters_[whole] +
         characters(std::string_view(text_).substr(whole * block, byte - whole * block));
}

Place XmlFile::place(std::size_t byte) const {
  byte = std::min(byte, text_.size());
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), byte);
  const auto line = static_cast<std::size_t>(after - line_starts_.begin());
  if (!places_.empty()) return places_[std::min(line, places_.size()) - 1];
  const std::size_t start = *(after - 1);
  const std::size_t column = characters_before(byte) - characters_before(start) + 1;
  return {name_, static_cast<int>(line), static_cast<int>(column)};
}

Place XmlFile::place(pugi::xml_node node) const {
  const std::ptrdiff_t offset = node.offset_debug();
  if (offset < 0) return {name_, 0, 0};
  const auto byte = static_cast<std::size_t>(offset);
  return place(node.type() == pugi::node_element && byte > 0 ? byte - 1 : byte);
}

// Goes through the raw text of the tag: the k-th attribute of the node is the k-th name="value".
XmlFile::Span XmlFile::find(pugi::xml_node node, pugi::xml_attribute attribute) const {
  std::size_t at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug()));
  const auto end = [&] { return at >= text_.size(); };
  at += std::strlen(node.name());
  Span span{at, at};
  for (const pugi::xml_attribute a : node.attributes()) {
    while (!end() && is_space(text_[at])) ++at;
    span.name = at;
    while (!end() && text_[at] != '"' && text_[at] != '\'') ++at;
    if (end()) return span;
    const char quote = text_[at++];
    span.value = at;
    while (!end() && text_[at] != quote) ++at;
    ++at;
    if (a == attribute) return span;
  }
  return span;
}

Place XmlFile::place(pugi::xml_node node, pugi::xml_attribute attribute) const {
  return place(find(node, attribute).name);
}

Place XmlFile::value_place(pugi::xml_node node, pugi::xml_attribute attribute, int offset) const {
  std::size_t at = find(node, attribute).value;
  for (int read = 0; read < offset && at < text_.size();) {
    std::size_t length = 1;
    int meaning = 1;
    if (text_[at] == '&') {
      const std::size_t semicolon = text_.find(';', at);
      if (semicolon != std::string::npos && semicolon - at <= 10) {
        length = semicolon - at + 1;
        if (text_[at + 1] == '#') {  // how many bytes the character has
          const bool hexadecimal = text_[at + 2] == 'x';
          const unsigned long code = std::strtoul(text_.c_str() + at + (hexadecimal ? 3 : 2),
                                                  nullptr, hexadecimal ? 16 : 10);
          meaning = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        }
      }
    } else if (text_[at] == '\r' && at + 1 < text_.size() && text_[at + 1] == '\n') {
      length = 2;  // reads as one space
    }
    at += length;
    read += meaning;
  }
  return place(at);
}

namespace {

bool check_size(const std::string& name, const std::string& text, Diagnostics& diagnostics,
                const ReadLimits& limits) {
  if (text.size() <= limits.file_bytes) return true;
  diagnostics.error({name, 0, 0}, "limit-file-size",
                    "the file has " + std::to_string(text.size()) + " bytes, at most " +
                        std::to_string(limits.file_bytes) + " are read");
  return false;
}

}  // namespace

std::unique_ptr<XmlFile> parse_xml(std::string name, std::string text, Diagnostics& diagnostics,
                                   const ReadLimits& limits) {
  if (!check_size(name, text, diagnostics, limits)) return nullptr;
  const Place whole{name, 0, 0};
  auto file = std::make_unique<XmlFile>(std::move(name), std::move(text));
  const std::string_view view = file->text_;
  if (std::all_of(view.begin(), view.end(), is_space)) {
    diagnostics.error(whole, "empty-file", "the file is empty",
                      "start with <mbs name=\"...\" version=\"1\">");
    return nullptr;
  }
  const std::size_t strange = first_strange_byte(view);
  if (strange < view.size()) {
    diagnostics.error(file->place(strange), "not-text",
                      "the file is not text in UTF-8: it holds the byte " +
                          std::to_string(static_cast<unsigned char>(view[strange])),
                      "save the model as UTF-8 without control characters");
    return nullptr;
  }
  const pugi::xml_parse_result result = file->document_.load_buffer(
      view.data(), view.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!result) {
    auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, result.offset));
    while (at < view.size() && is_space(view[at])) ++at;
    diagnostics.error(file->place(at), "xml", parse_message(result.status),
                      "the file must be well-formed XML");
    return nullptr;
  }
  int roots = 0;
  for (const pugi::xml_node node : file->document_.children()) {
    if (node.type() == pugi::node_doctype) {
      diagnostics.error(file->place(node), "xml", "a model file has no document type",
                        "leave the line <!DOCTYPE ...> out");
      return nullptr;
    }
    if (node.type() == pugi::node_element && ++roots > 1) {
      diagnostics.error(file->place(node), "xml", "there is a second element after the root",
                        "everything stands inside one <mbs>");
      return nullptr;
    }
  }
  return file;
}

std::optional<std::string> load_text(const std::string& path, Diagnostics& diagnostics,
                                     const ReadLimits& limits) {
  const auto failed = [&](int error) {
    diagnostics.error({path, 0, 0}, "cannot-read",
                      std::string("the file cannot be read: ") +
                          (error == ENOENT   ? "there is none"
                           : error == EISDIR ? "it is a directory"
                           : error == EACCES ? "no permission"
                           : error == ELOOP  ? "its links go round in a circle"
                                             : std::strerror(error)));
    return std::nullopt;
  };
  if (path.find('\0') != std::string::npos) return failed(ENOENT);
  std::FILE* stream = std::fopen(path.c_str(), "rb");
  if (!stream) return failed(errno);
  std::string text;
  char buffer[1 << 16];
  std::size_t count = 0;
  errno = 0;
  while (text.size() <= limits.file_bytes &&
         (count = std::fread(buffer, 1, sizeof buffer, stream)) > 0) {
    text.append(buffer, count);
  }
  const int error = std::ferror(stream) ? (errno != 0 ? errno : EIO) : 0;
  std::fclose(stream);
  if (error != 0) return failed(error);
  return check_size(path, text, diagnostics, limits) ? std::optional(std::move(text))
                                                     : std::nullopt;
}

std::unique_ptr<XmlFile> load_xml(const std::string& path, Diagnostics& diagnostics,
                                  const ReadLimits& limits) {
  std::optional<std::string> text = load_text(path, diagnostics, limits);
  if (!text) return nullptr;
  return parse_xml(path, std::move(*text), diagnostics, limits);
}

}  // namespace mbs
