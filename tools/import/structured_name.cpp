#include "tools/import/structured_name.hpp"

#include <algorithm>

namespace mbs {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Each step consumes one construct of the grammar and returns whether it was there.
class StructuredName {
 public:
  explicit StructuredName(std::string_view text) : rest_(text) {}

  bool parse() {
    if (eat("der(")) {
      if (!identifier()) return false;
      if (eat(",") && !number()) return false;
      return eat(")") && rest_.empty();
    }
    return identifier() && rest_.empty();
  }

 private:
  bool eat(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool number() {
    const std::size_t end = std::find_if_not(rest_.begin(), rest_.end(), is_digit) - rest_.begin();
    rest_.remove_prefix(end);
    return end > 0;
  }
  bool plain() {
    if (rest_.empty() || !is_letter(rest_[0])) return false;
    while (!rest_.empty() && (is_letter(rest_[0]) || is_digit(rest_[0]))) rest_.remove_prefix(1);
    return true;
  }
  bool quotation() {
    if (!eat("'")) return false;
    bool any = false;
    while (!rest_.empty() && rest_[0] != '\'') {
      if (rest_[0] == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) return false;
      rest_.remove_prefix(1);
      any = true;
    }
    return any && eat("'");
  }
  bool indices() {
    if (!eat("[")) return true;
    do
      if (!number()) return false;
    while (eat(","));
    return eat("]");
  }
  bool identifier() {
    do
      if (!(plain() || quotation()) || !indices()) return false;
    while (eat("."));
    return true;
  }

  std::string_view rest_;
};

}  // namespace

bool is_structured_name(std::string_view text) {
  return StructuredName(text).parse();
}

}  // namespace mbs
