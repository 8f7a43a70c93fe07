#include "engine/model/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace mbs {

namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, 64);
  b = b.substr(0, 64);
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = 4 * static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = 4 * static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = a[i - 1], y = b[j - 1];
      const int exchange = x == y ? 0 : lower(x) == lower(y) ? 1 : 4;
      row[j] = std::min({last[j] + 4, row[j - 1] + 4, last[j - 1] + exchange});
      if (i > 1 && j > 1 && lower(x) == lower(b[j - 2]) && lower(a[i - 2]) == lower(y)) {
        row[j] = std::min(row[j], before[j - 2] + 4);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view keyword, std::span<const std::string_view> known) {
  // At most a third of the letters may be wrong; two-letter keywords may have one wrong letter.
  int best = 4 * std::max(1, static_cast<int>(keyword.size()) / 3) + 1;
  std::string_view found;
  for (const std::string_view candidate : known) {
    const int distance = edit_distance(keyword, candidate);
    if (distance < best &&
        distance < 4 * static_cast<int>(std::max(candidate.size(), keyword.size()))) {
      best = distance;
      found = candidate;
    }
  }
  return std::string(found);
}

std::string did_you_mean(std::string_view keyword, std::span<const std::string_view> known) {
  const std::string best = nearest(keyword, known);
  if (!best.empty()) return "did you mean '" + best + "'?";
  if (known.empty() || known.size() > 16) return {};
  std::string list = known.size() == 1 ? "known is " : "known are ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) list += ", ";
    list += known[i];
  }
  return list;
}

}  // namespace mbs
