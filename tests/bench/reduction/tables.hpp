#pragma once

namespace mbs::test {

void adams_table();  // against CVODE
void energy_table();
void energy_means();
void crank_table();

}  // namespace mbs::test
