// The report on consistent initial values, as a text for a person.

#include <algorithm>
#include <string>

#include "engine/equations/initial.hpp"
#include "engine/equations/initial_rows.hpp"

namespace mbs {

namespace {

constexpr std::size_t shown = 10;

void list_movements(const std::string& title, const std::vector<Movement>& moved,
                    std::string& text) {
  if (moved.empty()) return;
  text += title + ":\n";
  std::size_t width = 0;
  const std::size_t count = moved.size() <= shown + 1 ? moved.size() : shown;
  for (std::size_t i = 0; i < count; ++i) width = std::max(width, moved[i].name.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Movement& one = moved[i];
    text += "  " + one.name + std::string(width - one.name.size() + 2, ' ') +
            four_digits(one.from) + " -> " + four_digits(one.to) + " (by " +
            four_digits(one.to - one.from) + ")\n";
  }
  if (count < moved.size()) text += "  and " + std::to_string(moved.size() - count) + " more\n";
}

}  // namespace

std::string InitialReport::text() const {
  std::string text;
  if (ok) {
    text = "Initial values are consistent: residual " + four_digits(position_residual) +
           " of positions, " + four_digits(velocity_residual) + " of velocities, " +
           std::to_string(iterations) + (iterations == 1 ? " iteration.\n" : " iterations.\n");
    if (named_rows > 0) {
      text += std::to_string(named_rows) + (named_rows == 1 ? " reaction of " : " reactions of ") +
              list_names(named) + (named_rows == 1 ? " is" : " are") +
              " left out, as the model says.\n";
    }
    if (redundant_rows > 0) {
      text += std::to_string(redundant_rows) +
              (redundant_rows == 1 ? " constraint of " : " constraints of ") +
              list_names(redundant) + (redundant_rows == 1 ? " is" : " are") + " redundant: " +
              (dropped.empty() ? "the smallest reactions are taken.\n"
                               : "left out of " + list_names(dropped) + ".\n");
    }
    if (!implied.empty()) {
      text +=
          "There are more conditions than needed, and they agree: " + list_names(implied) + ".\n";
    }
    if (free_motions > 0) {
      text += "The conditions leave " + std::to_string(free_motions) +
              (free_motions == 1 ? " degree" : " degrees") + " of freedom of " +
              list_names(undetermined) + ": the values given are consistent and are kept.\n";
    }
    for (const Movement& one : missed) {
      text += "The guess " + quoted(one.name) + " is missed by " + four_digits(one.to) +
              ": constraints and exact conditions leave it no freedom.\n";
    }
    if (moved_p.empty() && moved_v.empty()) text += "Nothing had to be moved.\n";
  } else {
    text = message + "\n";
  }
  list_movements("Positions moved", moved_p, text);
  list_movements("Velocities moved", moved_v, text);
  list_movements("Parameters found", trimmed, text);
  return text;
}

}  // namespace mbs
