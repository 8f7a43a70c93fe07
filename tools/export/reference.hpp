// A reference trajectory within the FMU, so that whoever imports it can see that it runs there as
// it did here: the layered standard fmi-ls-ref (its first beta, which calls itself 1.0.0-alpha.1),
// with the experiment in the Modelica Association's Experiments Format (ma-hs-experiments, not
// released yet: as its schema is) and the results as CSV.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tools/export/archive_writer.hpp"

namespace mbs {

// Files for the archive. The FMU's default experiment is run as it stands and with a tolerance ten
// times tighter; the latter is the reference, and for each output four times their distance, at
// least 1e-6 of its largest value (of those with its unit where it is zero throughout), is the
// accuracy that is promised. `noise`: outputs without a
// meaning for others, such as residuals. Throws std::runtime_error.
std::vector<ArchiveEntry> reference_entries(const std::filesystem::path& fmu,
                                            const std::set<std::string>& noise);

}  // namespace mbs
