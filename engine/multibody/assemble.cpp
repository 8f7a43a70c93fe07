#include "engine/multibody/assemble.hpp"

#include "engine/multibody/absolute.hpp"
#include "engine/multibody/assembler.hpp"
#include "engine/multibody/joint.hpp"
#include "engine/multibody/mixed.hpp"

namespace mbs {

namespace {

template <class Space>
std::shared_ptr<const Equations> assemble_in(const Model& model, Diagnostics& diagnostics) {
  std::unique_ptr<Mechanism<Space>> mechanism = Assembler<Space>(model, diagnostics).run();
  if (!mechanism) return nullptr;
  const auto checked = [&](auto equations) -> std::shared_ptr<const Equations> {
    const Defect& defect = equations->defect();
    if (defect.message.empty()) return equations;
    const Place file{model.file};
    diagnostics.error(defect.element < 0 ? file : model.elements[defect.element].place,
                      "not-physical", defect.message);
    return nullptr;
  };
  const std::string& word = model.solver.coordinates;
  if (word == "joint") {
    return checked(std::make_shared<JointEquations<Space>>(
        model, std::move(mechanism), Assembler<Space>(model, diagnostics).run()));
  }
  if (word == "mixed") {
    return checked(std::make_shared<MixedEquations<Space>>(
        model, std::move(mechanism), Assembler<Space>(model, diagnostics).run()));
  }
  return checked(std::make_shared<AbsoluteEquations<Space>>(model, std::move(mechanism)));
}

}  // namespace

std::shared_ptr<const Equations> assemble(const Model& model, Diagnostics& diagnostics) {
  return model.planar ? assemble_in<Planar>(model, diagnostics)
                      : assemble_in<Spatial>(model, diagnostics);
}

}  // namespace mbs
