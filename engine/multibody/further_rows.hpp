#pragma once

// All rows of G but those of constraints between two frames (constraint_rows.hpp): couplings,
// drives, guides, rolling, contacts.

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

// c and g, as `want` says.
template <class Space>
void set_constraint_values(const Evaluation<Space>& here, unsigned want, Workspace& ws) {
  if (want & want_c) set_contact_points(here, ws.c);
  if ((want & want_g) == 0) return;
  ws.g.setZero();
  for_constraint_rows(here, [&](const Row<Space, double>& row, int number, int, int) {
    ws.g[number] += row.value;
  });
  for_further_rows(here, [&](const auto& row, int number, int, int, bool in_g) {
    if (in_g) ws.g[number] += row.value;
  });
}

}  // namespace mbs
