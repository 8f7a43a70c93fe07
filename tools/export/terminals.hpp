// terminalsAndIcons/terminalsAndIcons.xml of FMI 3.0, which FMI 2.0 archives may hold too: where
// the mechanism can be coupled to another. A terminal is
//
//   a frame    with forces and torques on it that are inputs, and outputs of its motion
//   a joint    with a force or torque along its coordinate that is an input, or a prescribed
//              motion, and outputs of its coordinate and rates or of the force of the drive
//
// Forces into the mechanism are `inflow`, as in Kirchhoff's law; motions are `signal`. Components
// are those along ground's axes: what is given in others is no member.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "fmu_src/variables.hpp"
#include "tools/export/description.hpp"

namespace mbs {

struct TerminalMember {
  std::uint32_t variable;  // reference of a scalar
  std::string name;        // "f_x"; of an array's element "r[1]"
  bool flow = false, out = false;
};

struct Terminal {
  std::string name, kind, doc;
  std::vector<TerminalMember> members;
};

// The terminals with inputs and outputs. `arrays`, here and below: variables are listed as FMI 3's
// arrays.
std::vector<Terminal> find_terminals(const Model& model, const VariableTable& table, bool arrays);

// The terminals as XML, with the place of their icon.
std::string terminals_xml(const std::vector<Terminal>& terminals, const VariableTable& table,
                          bool arrays, bool structured);

}  // namespace mbs
