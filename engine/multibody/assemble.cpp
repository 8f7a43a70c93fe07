#include "engine/multibody/assemble.hpp"

#include "engine/multibody/absolute.hpp"
#include "engine/multibody/assembler.hpp"

namespace mbs {

namespace {

template <class Space>
std::shared_ptr<const Equations> assemble_in(const Model& model, Diagnostics& diagnostics) {
  std::unique_ptr<Mechanism<Space>> mechanism = Assembler<Space>(model, diagnostics).run();
  if (!mechanism) return nullptr;
  auto equations = std::make_shared<AbsoluteEquations<Space>>(model, std::move(mechanism));
  if (const Defect& defect = equations->defect(); !defect.message.empty()) {
    const Place file{model.file};
    diagnostics.error(defect.element < 0 ? file : model.elements[defect.element].place,
                      "not-physical", defect.message);
    return nullptr;
  }
  return equations;
}

}  // namespace

std::shared_ptr<const Equations> assemble(const Model& model, Diagnostics& diagnostics) {
  return model.planar ? assemble_in<Planar>(model, diagnostics)
                      : assemble_in<Spatial>(model, diagnostics);
}

}  // namespace mbs
