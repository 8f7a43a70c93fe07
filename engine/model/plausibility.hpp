#pragma once

// Judged when the file is read and again whenever parameters change.

#include <span>
#include <string>

namespace mbs {

// Why no distribution of mass has these moments (Ixx, Iyy, Izz and perhaps Ixy, Ixz, Iyz; in the
// plane one), to follow "inertia of body 'b'"; empty when one has.
std::string inertia_defect(std::span<const double> J);
// Tests only that no rotation has a negative energy, with the same result.
std::string negative_energy(std::span<const double> J);

}  // namespace mbs
