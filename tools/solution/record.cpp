#include "tools/solution/record.hpp"

#include <map>

#include "engine/integrators/base/state_layout.hpp"

namespace mbs {

SolutionHead solution_head(const std::string& model, const CoSimulationDriver& simulation) {
  const Structure& names = simulation.system().equations().structure();
  const StateLayout layout(simulation.system().equations().sizes());
  SolutionHead head{model, simulation.system().choice().method, {}};
  const auto add = [&](const std::vector<std::string>& list, int count, const std::string& kind) {
    std::map<std::string, int> uses, used;
    for (const std::string& name : list) ++uses[name];
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::string name = at < list.size() ? list[at] : kind;
      if (at >= list.size() || uses[name] > 1) {
        const std::string number = std::to_string(++used[name]);
        name += "[" + number + "]";
      }
      head.unknowns.push_back({name, kind});
    }
  };
  // The order is that of StateLayout.
  std::vector<std::string> accelerations, multipliers;
  for (const std::string& name : names.v_names) accelerations.push_back("der(" + name + ")");
  for (const std::string& name : names.lambda_names) multipliers.push_back(name + ".lambda");
  add(names.p_names, layout.p, "position");
  add(names.v_names, layout.v, "velocity");
  add(names.r_names, layout.r, "state");
  add(accelerations, layout.v, "acceleration");
  add(multipliers, layout.lambda, "multiplier");
  add(names.w_names, layout.w, "auxiliary");
  add({}, layout.s, "contact");
  return head;
}

Chebyshev solution_piece(CoSimulationDriver& simulation, double begin, double end) {
  const StateLayout layout(simulation.system().equations().sizes());
  State x = simulation.state();
  return fit_chebyshev(begin, end, layout.size(), [&](double t, Eigen::Ref<Vector> values) {
    simulation.step().dense_output(t, x);
    layout.pack(x, values);
  });
}

}  // namespace mbs
