// mbsfmu eigen: frequencies, damping ratios and mode shapes of a model at an operating point.

#include <cmath>
#include <memory>
#include <numbers>

#include "engine/analysis/modes.hpp"
#include "tools/mbsfmu/operating_point.hpp"

namespace mbs {
namespace {

constexpr double shown = 1e-6;  // of a mode's largest movement

int eigen(const PointOptions& options) {
  const auto point = find_point(options);
  if (!point) return failed;
  const LinearSystem system =
      linearise(point->equations(), point->context(), point->x, {.states = point->states()});
  const std::vector<Mode> modes = find_modes(system);
  Report report;
  report.title = point->loaded->model.name + ", modes " + point->at;
  Sheet list{"modes",
             "real eigenvalues have no frequency; modes with damping below 0 grow",
             {"mode", "frequency [Hz]", "damping", "real [1/s]", "imaginary [rad/s]"},
             {}};
  Sheet shapes{"shapes",
               "movement of the coordinates, the largest being 1",
               {"mode", "coordinate", "size", "phase [deg]"},
               {}};
  double growing = 0.0;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const Mode& mode = modes[k];
    const auto number = static_cast<double>(k + 1);
    list.rows.push_back(
        {number, mode.frequency, mode.damping, mode.eigenvalue.real(), mode.eigenvalue.imag()});
    if (mode.eigenvalue.real() > 1e-6 * (1.0 + std::abs(mode.eigenvalue))) ++growing;
    const auto add = [&](const std::string& name, std::complex<double> value, double size) {
      if (size < shown) return;
      shapes.rows.push_back(
          {number, name, std::abs(value), std::arg(value) * 180.0 / std::numbers::pi});
    };
    for (Eigen::Index i = 0; i < mode.shape.size(); ++i)
      add(system.coordinates[static_cast<std::size_t>(i)], mode.shape[i],
          std::abs(mode.shape[i]) / system.coordinate_scale[i]);
    for (int i = 0; i < system.rho; ++i) {
      const int at = system.eta + system.nu + i;
      add(system.states[static_cast<std::size_t>(at)], mode.states[at], std::abs(mode.states[at]));
    }
  }
  report.facts = {{"unstable modes", growing}};
  report.sheets = {list, shapes};
  put_out(report, options.report);
  return success;
}

}  // namespace

void add_eigen(CLI::App& program, int& exit_code) {
  const auto [command, options] = add_subcommand(
      program, exit_code, "eigen", "frequencies, damping and mode shapes of a model", eigen);
  add_point_options(*command, *options);
  command->footer(
      "Frequency is |eigenvalue| / 2 pi, damping -Re / |eigenvalue|; one mode stands for a pair.\n"
      "Example: mbsfmu eigen truck.mbs.xml --statics");
}

}  // namespace mbs
