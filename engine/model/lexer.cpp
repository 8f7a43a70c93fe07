#include "engine/model/lexer.hpp"

#include <charconv>
#include <utility>
#include <vector>

#include "engine/model/nearest.hpp"
#include "engine/model/units.hpp"

namespace mbs {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_unit_letter(char c) {
  return (is_letter(c) && c != '_') || c == '%';
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return result;
}

[[noreturn]] void unknown_unit(std::string_view keyword, std::size_t offset) {
  const std::string hint = unit_hint(keyword);
  throw SyntaxError{static_cast<int>(offset), "unknown-unit",
                    "'" + std::string(keyword) + "' is not a unit",
                    hint + (hint.empty() ? "" : " ") +
                        "A unit stands right behind its number; to multiply write '*'"};
}

}  // namespace

std::string unit_hint(std::string_view keyword) {
  // These come from the habits of other programs.
  static constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"sec", "s"},   {"second", "s"},   {"seconds", "s"},    {"msec", "ms"},    {"Nm", "N.m"},
      {"Ns", "N.s"},  {"kNm", "kN.m"},   {"Newton", "N"},     {"newton", "N"},   {"kNewton", "kN"},
      {"meter", "m"}, {"metre", "m"},    {"meters", "m"},     {"kph", "km/h"},   {"kmh", "km/h"},
      {"mps", "m/s"}, {"degree", "deg"}, {"degrees", "deg"},  {"radian", "rad"}, {"radians", "rad"},
      {"inch", "in"}, {"lbs", "lb"},     {"celsius", "degC"}, {"kelvin", "K"}};
  for (const auto& [other, ours] : others) {
    if (keyword == other) return "did you mean '" + std::string(ours) + "'?";
  }
  std::vector<std::string_view> known = {"mm",  "cm",  "km", "kg",   "mg",  "ms",
                                         "us",  "kN",  "MN", "mrad", "kHz", "kPa",
                                         "MPa", "GPa", "kJ", "kW",   "mA",  "mV"};
  for (const UnitSymbol& symbol : unit_symbols()) known.push_back(symbol.name);
  const std::string best = nearest(keyword, known);
  return best.empty() ? "" : "did you mean '" + best + "'?";
}

void Lexer::advance() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  token_ = Token{};
  token_.offset = static_cast<int>(at_);
  const std::size_t begin = at_;
  if (at_ == text_.size()) return;
  const char c = text_[at_];
  const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (is_digit(c) || (c == '.' && is_digit(next))) {
    read_number();
    read_unit();
  } else if (is_letter(c)) {
    token_.kind = Token::Kind::keyword;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
  } else if (std::string_view("+-*/^()[],.<>=!").find(c) != std::string_view::npos) {
    token_.kind = Token::Kind::symbol;
    at_ += (c == '<' || c == '>' || c == '=' || c == '!') && next == '=' ? 2 : 1;
  } else {
    std::size_t end = at_ + 1;  // a character of several bytes is shown whole
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;
    std::string hint;
    if (c == '&' || c == '|') hint = "logical operators are the keywords 'and', 'or', 'not'";
    if (c == ';' || c == ':') hint = "components are separated by commas";
    throw SyntaxError{static_cast<int>(at_), "syntax",
                      "unexpected character '" + printable(text_.substr(at_, end - at_)) + "'",
                      hint};
  }
  token_.text = text_.substr(begin, at_ - begin);
}

void Lexer::read_number() {
  token_.kind = Token::Kind::number;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), token_.number);
  if (error != std::errc()) {
    throw SyntaxError{static_cast<int>(at_), "number-range",
                      "'" + std::string(begin, end) + "' is outside the range of numbers", ""};
  }
  at_ += static_cast<std::size_t>(end - begin);
}

std::string_view Lexer::unit_symbol(std::size_t from) const {
  std::size_t end = from;
  while (end < text_.size() && is_unit_letter(text_[end])) ++end;
  return text_.substr(from, end - from);
}

// The end of a unit's first symbol; `at` itself: there is no unit.
std::size_t Lexer::end_of_first_symbol(std::size_t at) const {
  if (text_.substr(at).starts_with("1/") && at > at_) {
    const std::string_view below = unit_symbol(at + 2);  // "5 1/s"
    return parse_unit_symbol(below) ? at + 2 + below.size() : at;
  }
  const std::string_view first = unit_symbol(at);
  if (first.empty() || first == "and" || first == "or" || first == "not") return at;
  std::size_t end = at + first.size();
  if (end < text_.size() && text_[end] == '(') {
    throw SyntaxError{static_cast<int>(at), "syntax",
                      "an operator is missing before '" + std::string(first) + "('",
                      "to multiply write '*'"};
  }
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
  if (end != at + first.size() || !parse_unit_symbol(first)) {
    unknown_unit(text_.substr(at, end - at), at);
  }
  return end;
}

// The end of the power, or of the product or quotient with one more symbol; `at` itself: there is
// none.
std::size_t Lexer::end_of_next_factor(std::size_t at) const {
  if (text_[at] == '^') {
    std::size_t end = at + 1;
    if (end < text_.size() && text_[end] == '-') ++end;
    const std::size_t digits = end;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    return end == digits ? at : end;
  }
  if (text_[at] != '.' && text_[at] != '/') return at;
  const std::string_view next = unit_symbol(at + 1);
  if (parse_unit_symbol(next)) return at + 1 + next.size();
  if (text_[at] == '.') unknown_unit(next, at + 1);
  return at;  // divided by a name
}

void Lexer::read_unit() {
  std::size_t begin = at_;
  while (begin < text_.size() && is_space(text_[begin])) ++begin;
  std::size_t at = end_of_first_symbol(begin);
  if (at == begin) return;
  while (at < text_.size()) {
    const std::size_t end = end_of_next_factor(at);
    const bool power = text_[at] == '^';
    if (end == at) break;
    at = end;
    if (power && at < text_.size() && text_[at] == '^') break;
  }
  const std::string_view name = text_.substr(begin, at - begin);
  const std::optional<Unit> unit = parse_unit(name);
  if (!unit) unknown_unit(name, begin);
  token_.number = unit->factor * token_.number + unit->offset;
  token_.dimension = unit->dimension;
  token_.unit_offset = unit->offset;
  token_.bare = false;
  at_ = at;
}

}  // namespace mbs
