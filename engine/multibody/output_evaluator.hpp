#pragma once

// Outputs, energies and events of a mechanism, from the motion of its bodies as they stand in the
// workspace of its elements. The state has accelerations and multipliers; all joints of the
// mechanism are constraints.

#include "engine/multibody/element_evaluator.hpp"

namespace mbs {

// The switching functions of contacts into phi (contact_events.cpp).
template <class Space>
void contact_switching(const Evaluation<Space>& here, const Vector& g_scale, Vector& phi);

template <class Space>
class OutputEvaluator final : public OutputDerivatives {
 public:
  using Own = ElementWorkspace<Space>;

  explicit OutputEvaluator(const ElementEvaluator<Space>& elements)
      : elements_(elements), mechanism_(elements.mechanism()) {}

  void outputs(const Context&, const State&, Own&) const;
  // Called after linearise() of the elements.
  void prepare_outputs(const Context&, const State&, Workspace&) const override;
  void output_change(const Variation& change, Eigen::Ref<Vector> dy, Workspace& ws) const override {
    static_cast<Own&>(ws).output_columns.apply(change, dy);
  }
  Equations::Energy energy(const Context&, const State&, const Own&) const;

  void switching(const Context&, const State&, Own&) const;
  bool act(const Context&, int function, State&, Own&) const;
  bool freeze_conditions(const Context&, State&, Own&) const;
  Equations::TimeEvent next_time(const Context&, double t) const;
  void contact_laws(const Context&, const State&, Own&, std::span<Equations::ContactLaw>) const;

 private:
  Evaluation<Space> event_signals(const Context&, const State&, Own&) const;
  double output(const Evaluation<Space>&, const OutputData&, const Own&) const;

  const ElementEvaluator<Space>& elements_;
  const Mechanism<Space>& mechanism_;
};

extern template class OutputEvaluator<Planar>;
extern template class OutputEvaluator<Spatial>;

}  // namespace mbs
