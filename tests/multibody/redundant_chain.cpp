#include "tests/multibody/redundant_chain.hpp"

#include <cmath>
#include <sstream>

namespace mbs::test {

std::string redundant_chain(int cells, bool in_space) {
  std::ostringstream text;
  const std::string z = in_space ? ", 0" : "", axis = in_space ? " axis=\"z\"" : "";
  const std::string thin = in_space ? "0.03, 0.01, 0.03" : "0.03";
  const std::string bar = in_space ? "0.1, 0.5, 0.5" : "0.5";
  text << "<gravity g=\"0, -9.81" << z << "\"/><frame name=\"left\" pos=\"0, 0" << z
       << "\"/><frame name=\"right\" pos=\"2, 0" << z << "\"/>\n";
  for (int i = 1; i <= cells; ++i) {
    const std::string k = std::to_string(i), above = "coupler" + std::to_string(i - 1);
    const std::string left = i == 1 ? "left" : above + ".left";
    const std::string right = i == 1 ? "right" : above + ".right";
    for (const std::string crank : {"one", "two"}) {
      text << "<body name=\"" << crank << k << "\" mass=\"0.3\" com=\"0, -0.5" << z
           << "\" inertia=\"" << thin << "\"><frame name=\"tip\" pos=\"0, -1" << z
           << "\"/></body>\n";
    }
    text << "<body name=\"coupler" << k << "\" mass=\"2\" com=\"1, 0" << z << "\" inertia=\"" << bar
         << "\"><frame name=\"left\" pos=\"0, 0" << z << "\"/><frame name=\"right\" pos=\"2, 0" << z
         << "\"/></body>\n";
    const double q = 0.5 * std::cos(i);
    const auto revolute = [&](const char* name, const std::string& a, const std::string& b,
                              double angle, const char* target) {
      text << "<revolute name=\"" << name << k << "\" a=\"" << a << "\" b=\"" << b << "\"" << axis
           << " q=\"" << angle << "\"" << target << "/>\n";
    };
    revolute("a", left, "one" + k, q, " target=\"exact\"");
    revolute("b", right, "two" + k, q, "");
    revolute("c", "one" + k + ".tip", "coupler" + k + ".left", -q, "");
    revolute("d", "two" + k + ".tip", "coupler" + k + ".right", -q, "");
  }
  text << "<output name=\"x\" of=\"coupler" << cells
       << "\" quantity=\"position\" component=\"x\"/>\n"
          "<output name=\"fx\" of=\"a1\" quantity=\"reaction\" component=\"fx\" in=\"ground\"/>\n"
          "<output name=\"fy\" of=\"a1\" quantity=\"reaction\" component=\"fy\" in=\"ground\"/>\n"
          "<solver redundancy=\""
       << (in_space ? "minimum_norm" : "error") << "\"/>";
  return in_space ? spatial(text.str()) : planar(text.str());
}

}  // namespace mbs::test
