#include "tools/import/xml.hpp"

#include <algorithm>
#include <utility>

namespace mbs::import {
namespace {

// Walks without recursion: the file may be nested as deep as it is long.
void check_depth(const XmlFile& file, pugi::xml_node root, std::size_t limit) {
  std::size_t depth = 1;
  pugi::xml_node node = root;
  while (node) {
    if (depth > limit)
      throw ImportError(place(file, node) + ": elements are nested deeper than " +
                        std::to_string(limit));
    if (node.first_child()) {
      node = node.first_child();
      ++depth;
      continue;
    }
    while (node != root && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = node == root ? pugi::xml_node() : node.next_sibling();
  }
}

}  // namespace

XmlFile::XmlFile(std::string name, std::string text, const XmlLimits& limits)
    : name_(std::move(name)), text_(std::move(text)) {
  if (text_.size() > limits.bytes)
    throw ImportError(name_ + ": has " + std::to_string(text_.size()) + " bytes, the limit is " +
                      std::to_string(limits.bytes));
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  const pugi::xml_parse_result result = document_.load_buffer(text_.data(), text_.size());
  if (!result)
    throw ImportError(name_ + ":" + std::to_string(line_at(result.offset)) +
                      ": is not well-formed XML: " + result.description());
  if (!root()) throw ImportError(name_ + ": has no root element");
  check_depth(*this, root(), limits.depth);
}

int XmlFile::line_at(std::ptrdiff_t offset) const {
  const auto position = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
  return static_cast<int>(std::upper_bound(line_starts_.begin(), line_starts_.end(), position) -
                          line_starts_.begin());
}

std::string place(const XmlFile& file, pugi::xml_node node) {
  return file.name() + ":" + std::to_string(file.line(node));
}

std::vector<std::string> split_keywords(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  std::vector<std::string> keywords;
  std::size_t begin = text.find_first_not_of(blank);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(blank, begin), text.size());
    keywords.emplace_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(blank, end);
  }
  return keywords;
}

}  // namespace mbs::import
