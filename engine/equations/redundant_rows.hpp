#pragma once

// Equations whose constraints may depend on one another, for every formalism alike. Rows that are
// left out (Structure::Redundancy::drop, or by name) have a mode each and become inactive ones:
// zeros in G, g, gI and gamma, D = 1 and with it lambda_i = 0. Where all rows stay, the saddle
// solver takes the multipliers of least norm.

#include <memory>

#include "engine/equations/start.hpp"

namespace mbs {

inline bool is_left_out(const Structure& known, const State& x, Eigen::Index row) {
  return known.dropped >= 0 && x.modes[static_cast<std::size_t>(known.dropped + row)] != 0;
}

class RedundantRows final : public Equations, public ClosedStart {
 public:
  explicit RedundantRows(std::shared_ptr<const Equations> all_rows);
  const Equations& all_rows() const { return *inner_; }

  Capabilities capabilities() const override;
  std::unique_ptr<Workspace> make_workspace() const override;
  Parameters default_parameters() const override;
  Inputs default_inputs(const Parameters&) const override;
  std::string derive(Parameters&) const override;
  State initial(const Context&, double t0) const override;
  InitialReport close(const Context&, double t0, const InitialOptions&, State& guess,
                      State& x) const override;

  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void friction(const Context&, const State&, Workspace&) const override;
  void jacobian(const Context&, const State&, Workspace&) const override;
  bool solve_auxiliary(const Context&, State&, Workspace&) const override;
  void apply_M(const Context&, const State&, const Vector& x, Vector& Mx,
               Workspace&) const override;
  std::unique_ptr<SaddleSolver> make_solver(const std::string& keyword) const override;
  void apply_Z(const Context&, const State&, const Vector& x, Vector& z) const override;
  std::vector<std::string> choose_assembly_branch(const Context&, State&) const override;
  void initialize_memory(const Context&, State&, Workspace&) const override;
  void normalise(State&) const override;
  void switching(const Context&, const State&, Workspace&) const override;
  bool act(const Context&, int function, State&, Workspace&) const override;
  TimeEvent next_time(const Context&, const State&) const override;
  void contact_laws(const Context&, const State&, Workspace&, std::span<ContactLaw>) const override;
  void outputs(const Context&, const State&, Workspace&) const override;
  void conditions(const Context&, const State&, Workspace&) const override;
  Energy energy(const Context&, const State&, Workspace&) const override;

 private:
  std::shared_ptr<const Equations> inner_;
  std::vector<int> jacobian_places_;  // of the entries of the inner Jacobian
};

// The equations with their redundant rows treated as their structure says; the same equations where
// it asks for nothing.
std::shared_ptr<const Equations> treat_redundancy(std::shared_ptr<const Equations> equations);

}  // namespace mbs
