#pragma once

#include "tests/bench/bdf/template_run.hpp"

namespace mbs::test {

void print_heading();
void print_row(const char* title, const BdfRun& run);

void print_elimination();
void print_weights();
void print_phases();
void print_carriage();
void print_pendulums();
void print_car();
void print_rig();
void print_whole();
void print_sizes();

}  // namespace mbs::test
