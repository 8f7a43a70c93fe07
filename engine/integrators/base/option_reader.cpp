#include "engine/integrators/base/option_reader.hpp"

#include <charconv>
#include <stdexcept>

#include "engine/base/text.hpp"

namespace mbs {

const std::string* OptionReader::find(std::string_view name) {
  read_.insert(name);
  const std::string* value = nullptr;
  for (const MethodOption& option : options_) {
    if (option.method == method_ && option.name == name) value = &option.value;
  }
  return value;
}

void OptionReader::refuse(std::string_view name, const std::string& value,
                          const std::string& must) const {
  throw std::invalid_argument(std::string(method_) + "." + std::string(name) + " = '" + value +
                              "' must " + must);
}

int OptionReader::keyword(std::string_view name, std::string_view choices) {
  const std::string* value = find(name);
  if (!value) return 0;
  std::string known;
  std::string_view rest = choices;
  for (int choice = 0;; ++choice) {
    const std::size_t end = rest.find('|');
    const std::string_view keyword = rest.substr(0, end);
    if (keyword == *value) return choice;
    known += (choice > 0 ? ", " : "") + std::string(keyword);
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  refuse(name, *value, "be one of " + known);
}

double OptionReader::number(std::string_view name, double otherwise, double least, double most) {
  const std::string* value = find(name);
  if (!value) return otherwise;
  double number = 0.0;
  const char* end = value->data() + value->size();
  const auto [last, fault] = std::from_chars(value->data(), end, number);
  if (fault != std::errc() || last != end || !(number >= least && number <= most)) {
    refuse(name, *value, "be a number from " + short_number(least) + " to " + short_number(most));
  }
  return number;
}

int OptionReader::integer(std::string_view name, int otherwise, int least, int most) {
  const std::string* value = find(name);
  if (!value) return otherwise;
  int number = 0;
  const char* end = value->data() + value->size();
  const auto [last, fault] = std::from_chars(value->data(), end, number);
  if (fault != std::errc() || last != end || number < least || number > most) {
    refuse(name, *value,
           "be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

bool OptionReader::boolean(std::string_view name, bool otherwise) {
  const std::string* value = find(name);
  if (!value) return otherwise;
  if (*value != "true" && *value != "false") refuse(name, *value, "be true or false");
  return *value == "true";
}

void OptionReader::finish() const {
  for (const MethodOption& option : options_) {
    if (option.method != method_ || read_.contains(option.name)) continue;
    std::string known;
    for (const std::string_view name : read_) {
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw std::invalid_argument(std::string(method_) + " has no option '" + option.name +
                                "'; it has " + known);
  }
}

}  // namespace mbs
