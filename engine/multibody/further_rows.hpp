#pragma once

// All rows of G that are not those of a joint between two frames.

#include "engine/multibody/constraint_rows.hpp"
#include "engine/multibody/contacts.hpp"
#include "engine/multibody/drives.hpp"
#include "engine/multibody/guides.hpp"
#include "engine/multibody/rolling.hpp"

namespace mbs {

// visit(row, number in G, body a, body b, whether g has it), always in the same order; what comes
// for the same number is added. Those of contacts that do not act are zero.
template <class Space, class Visit>
void for_lasting_rows(const Evaluation<Space>& at, const Visit& visit) {
  const auto of_positions = [&](const Row<Space, double>& row, int number, int a, int b) {
    visit(row, number, a, b, true);
  };
  for_coupling_rows(at, of_positions);
  for_drive_rows(at, of_positions);
  for_guide_rows(at, of_positions);
  for_rolling_rows(at, visit);
}
template <class Space, class Visit>
void for_further_rows(const Evaluation<Space>& at, const Visit& visit) {
  for_lasting_rows(at, visit);
  for_contact_rows(at, visit);
}

}  // namespace mbs
