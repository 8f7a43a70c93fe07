#pragma once

namespace mbs::test {

bool adams_table();  // against CVODE; whether what is asked for holds
void energy_table();
void energy_means();
void crank_table();

}  // namespace mbs::test
