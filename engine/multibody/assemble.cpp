#include "engine/multibody/assemble.hpp"

#include <algorithm>

#include "engine/equations/redundant_rows.hpp"
#include "engine/multibody/absolute.hpp"
#include "engine/multibody/assembly/make_mechanism.hpp"
#include "engine/multibody/joint.hpp"
#include "engine/multibody/mixed.hpp"

namespace mbs {

namespace {

// By the table of coordinates in tests/bench/README.md. What few bodies cost is next to nothing.
constexpr int few_bodies = 2;
constexpr int most_rows = 24;  // closing loops: each costs a solution in every factorisation
constexpr int most_for_implicit = 60;  // joint coordinates: their Jacobian is full

struct Choice {
  std::string keyword, reason;
};

template <class Space>
Choice choose(const Mechanism<Space>& m, const std::string& method) {
  const Tree<Space> tree(m);
  const int bodies = static_cast<int>(m.bodies.size());
  int closing = static_cast<int>(m.couplings.size() + m.drives.size() + m.guides.size());
  for (const RollingData& r : m.rolling) closing += r.touches + r.slips;
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    if (!tree.carried[j] && !m.joints[j].couples) closing += m.joints[j].rows;
  }
  const bool reactions = std::any_of(m.measures.begin(), m.measures.end(),
                                     [](const MeasureData& data) { return data.joint >= 0; });
  if (reactions) return {"absolute", "forces depend on reactions"};
  if (closing == 0 && bodies <= few_bodies) return {"absolute", "few bodies"};
  const std::string freedom =
      std::to_string(tree.nv) + " joint coordinates for " + std::to_string(bodies) + " bodies";
  const bool one_step = method == "auto" || method == "extrapolation" || method == "midpoint";
  if (!one_step && tree.nv > most_for_implicit) {
    return {"absolute", freedom + ", whose Jacobian would be full"};
  }
  const std::string rows = " rows of loops, couplings and drives: " + std::to_string(closing);
  if (closing > most_rows) return {"absolute", "many" + rows};
  if (2 * tree.nv > m.rows) return {"absolute", "joints leave most motion free"};
  return {"joint", freedom + (closing == 0 ? ", no loops" : ", few" + rows)};
}

template <class Space>
std::shared_ptr<const Equations> assemble_in(const Model& model, Diagnostics& diagnostics,
                                             std::string* coordinates) {
  std::unique_ptr<Mechanism<Space>> mechanism = make_mechanism<Space>(model, diagnostics);
  if (!mechanism) return nullptr;
  const auto checked = [&](auto equations) -> std::shared_ptr<const Equations> {
    const Defect& defect = equations->defect();
    if (defect.message.empty()) return treat_redundancy(std::move(equations));
    const Place file{model.file};
    diagnostics.error(defect.element < 0 ? file : model.elements[defect.element].place,
                      "not-physical", defect.message);
    return nullptr;
  };
  Choice choice{model.solver.coordinates, {}};
  if (choice.keyword == "auto") choice = choose(*mechanism, model.solver.method);
  if (coordinates != nullptr) {
    *coordinates = choice.keyword + (choice.reason.empty() ? "" : ", auto: " + choice.reason);
  }
  if (choice.keyword == "joint")
    return checked(std::make_shared<JointEquations<Space>>(model, std::move(mechanism)));
  if (choice.keyword == "mixed")
    return checked(std::make_shared<MixedEquations<Space>>(model, std::move(mechanism)));
  return checked(std::make_shared<AbsoluteEquations<Space>>(model, std::move(mechanism)));
}

}  // namespace

std::shared_ptr<const Equations> assemble(const Model& model, Diagnostics& diagnostics,
                                          std::string* coordinates) {
  return model.planar ? assemble_in<Planar>(model, diagnostics, coordinates)
                      : assemble_in<Spatial>(model, diagnostics, coordinates);
}

}  // namespace mbs
