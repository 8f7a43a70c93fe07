#pragma once

// Options of single methods come by name, as the model file's <radau form="..."/> has them, and are
// read by the method itself:
//
//   OptionReader read("radau", options.method_options);
//   const int form = read.keyword("form", "projected|index1");     the index of the choice, 0 when
//                                                                  the option is absent
//   const double theta = read.number("jacobian_reuse", 0.001, 0.0, 1.0);
//   read.finish();                                                 refuses names that nobody read
//
// Values that are not possible throw std::invalid_argument with the value and the bound.

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mbs {

struct MethodOption {
  std::string method, name, value;
};

class OptionReader {
 public:
  OptionReader(std::string_view method, std::span<const MethodOption> options)
      : method_(method), options_(options) {}

  int keyword(std::string_view name, std::string_view choices);
  double number(std::string_view name, double otherwise, double least, double most);
  int integer(std::string_view name, int otherwise, int least, int most);
  bool boolean(std::string_view name, bool otherwise);
  void finish() const;

 private:
  // The last value given; null: none.
  const std::string* find(std::string_view name);
  [[noreturn]] void refuse(std::string_view name, const std::string& value,
                           const std::string& must) const;

  std::string_view method_;
  std::span<const MethodOption> options_;
  std::set<std::string_view> read_;
};

}  // namespace mbs
