#pragma once

// A mechanism in absolute coordinates: every body has its own p and v, joints are rows of G.
//
//   M = diag(m, m, J) or diag(m, m, m, J_3x3),   f, r, w, z as in element_evaluator.hpp

#include "engine/equations/frozen_conditions.hpp"
#include "engine/multibody/output_evaluator.hpp"
#include "engine/multibody/start_memory.hpp"
#include "engine/multibody/time_functions.hpp"

namespace mbs {

template <class Space>
class AbsoluteEquations final : public Equations, public FrozenConditions {
 public:
  AbsoluteEquations(const Model& model, std::unique_ptr<const Mechanism<Space>> mechanism);
  AbsoluteEquations(const AbsoluteEquations&) = delete;  // shown_ refers to elements_

  const Defect& defect() const { return elements_.defect(); }
  const Mechanism<Space>& mechanism() const { return elements_.mechanism(); }
  const ElementEvaluator<Space>& elements() const { return elements_; }
  const OutputEvaluator<Space>& shown() const { return shown_; }
  Capabilities capabilities() const override {
    return {&time_functions_, &shown_, &filters_, nullptr, this};
  }

  std::unique_ptr<Workspace> make_workspace() const override { return elements_.make_workspace(); }
  Parameters default_parameters() const override { return elements_.default_parameters(); }
  Inputs default_inputs(const Parameters&) const override;
  std::string derive(Parameters&) const override;
  State initial(const Context&, double t0) const override;

  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void friction(const Context&, const State&, Workspace&) const override;
  void jacobian(const Context&, const State&, Workspace&) const override;
  bool solve_auxiliary(const Context&, State&, Workspace&) const override;
  void apply_Z(const Context&, const State&, const Vector& x, Vector& z) const override;
  void outputs(const Context&, const State&, Workspace&) const override;
  void switching(const Context&, const State&, Workspace&) const override;
  bool act(const Context&, int function, State&, Workspace&) const override;
  bool freeze_conditions(const Context&, State&, Workspace&) const override;
  TimeEvent next_time(const Context&, const State&) const override;
  void contact_laws(const Context&, const State&, Workspace&, std::span<ContactLaw>) const override;
  void conditions(const Context&, const State&, Workspace&) const override;
  std::vector<std::string> choose_assembly_branch(const Context&, State&) const override;
  void initialize_memory(const Context&, State&, Workspace&) const override;
  Energy energy(const Context&, const State&, Workspace&) const override;

 private:
  using Own = ElementWorkspace<Space>;
  Own& with_bodies(const State&, Workspace&) const;  // placed and moved as the state says
  struct Filters final : InputFilterStates {
    explicit Filters(const ElementEvaluator<Space>& of) : elements(of) {}
    std::string change(const Context& before, const Context& after, double t,
                       Vector& z) const override {
      return change_filters(elements.mechanism(), elements.structure().g_scale, before, after, t,
                            z);
    }
    std::vector<Following> following() const override {
      return following_drives(elements.mechanism());
    }
    void set_filters_to_motion(const Context&, State&, Workspace&) const override;
    const ElementEvaluator<Space>& elements;
  };

  ElementEvaluator<Space> elements_;
  OutputEvaluator<Space> shown_;
  Filters filters_;
  TimeFunctions time_functions_;
};

extern template class AbsoluteEquations<Planar>;
extern template class AbsoluteEquations<Spatial>;

}  // namespace mbs
