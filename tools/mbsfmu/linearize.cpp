// mbsfmu linearize: A, B, C, D of a model at an operating point.

#include <memory>

#include "engine/analysis/linearise.hpp"
#include "tools/mbsfmu/operating_point.hpp"

namespace mbs {
namespace {

Sheet sheet(const std::string& name, const std::string& what, const Matrix& matrix,
            const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
  Sheet result{name, what, {"of"}, {}};
  result.columns.insert(result.columns.end(), columns.begin(), columns.end());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    std::vector<Cell>& row = result.rows.emplace_back();
    row.emplace_back(rows[static_cast<std::size_t>(i)]);
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.emplace_back(matrix(i, j));
  }
  return result;
}

int linearize(const PointOptions& options) {
  const auto point = find_point(options);
  if (!point) return failed;
  const LinearSystem system =
      linearise(point->equations(), point->context(), point->x, {.states = point->states()});
  Report report;
  report.title = point->loaded->model.name + ", linearised " + point->at;
  report.facts = {{"positions", double(system.eta)},
                  {"velocities", double(system.nu)},
                  {"first-order states", double(system.rho)}};
  report.sheets = {
      sheet("A", "rates of the states by the states", system.A, system.states, system.states),
      sheet("B", "rates of the states by the inputs", system.B, system.states, system.inputs),
      sheet("C", "outputs by the states", system.C, system.outputs, system.states),
      sheet("D", "outputs by the inputs", system.D, system.outputs, system.inputs)};
  put_out(report, options.report);
  return success;
}

}  // namespace

void add_linearize(CLI::App& program, int& exit_code) {
  const auto [command, options] =
      add_subcommand(program, exit_code, "linearize",
                     "A, B, C, D of a model in independent coordinates", linearize);
  add_point_options(*command, *options);
  command->footer(
      "xi' = A xi + B u, y = C xi + D u, all in SI and as changes from the operating point. States "
      "are\n"
      "independent ones of the position coordinates (chosen for good condition), the same of the\n"
      "velocities, then the model's <state>s. All come from exact derivatives. Where an\n"
      "if, a curve or a slack cable has a kink just at the point, they are those of one side.\n"
      "Example: mbsfmu linearize crane.mbs.xml --statics --format json -o crane.json");
}

}  // namespace mbs
