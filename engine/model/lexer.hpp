#pragma once

// The keywords of an expression. A unit belongs to the number before it and reaches as far as it
// can be read without a space: "12 N/m" is one number, "12 N / m" a number divided by the name m.

#include <string_view>

#include "engine/model/dimension.hpp"
#include "engine/model/syntax.hpp"

namespace mbs {

struct Token {
  enum class Kind : unsigned char { number, keyword, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;  // as written
  int offset = 0;
  double number = 0.0;  // in SI
  Dimension dimension;
  bool bare = true;
  double unit_offset = 0.0;  // of a temperature: number holds it already
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }
  const Token& token() const { return token_; }
  void advance();  // throws SyntaxError
  std::string_view text() const { return text_; }

 private:
  void read_number();
  void read_unit();
  std::string_view unit_symbol(std::size_t from) const;
  std::size_t end_of_first_symbol(std::size_t at) const;
  std::size_t end_of_next_factor(std::size_t at) const;

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
};

// The unit that an unknown keyword may have meant: "did you mean 's'?", or nothing.
std::string unit_hint(std::string_view keyword);

}  // namespace mbs
