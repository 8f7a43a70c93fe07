#pragma once

// A mechanism in absolute coordinates: every body has its own p and v, joints are rows of G.
//
//   M = diag(m, m, J) or diag(m, m, m, J_3x3),   f = m g - omega x (J omega) + forces,
//   r: <state>, then the counters of turns;   w: <algebraic>;   z: Mechanism::remembered,
//   directions of sliding, <discrete>

#include <Eigen/LU>

#include "engine/equations/input_filter_states.hpp"
#include "engine/multibody/forces.hpp"
#include "engine/multibody/measures.hpp"
#include "engine/multibody/output_columns.hpp"
#include "engine/multibody/time_functions.hpp"

namespace mbs {

template <class Space>
struct AbsoluteWorkspace final : Workspace {
  AbsoluteWorkspace(const Sizes& sizes, const Structure& structure,
                    const Mechanism<Space>& mechanism);

  std::vector<BodyState<Space, double>> bodies;  // ground first
  bool placed = false;  // bodies come from outside: stages leave them as they are
  std::vector<BodyState<Space, BodyDual<Space>>> moving;  // made by linearise()
  Signals<Space> signals;
  Matrix d_w;  // of solve_auxiliary
  Vector w_step, w_trial;
  Eigen::PartialPivLU<Matrix> d_w_factors;
  ColumnSparse law_partials;  // of friction
  Vector set_values;          // of act
  OutputColumns output_columns;
};

// The entries of M of one body, diag(m, ..., J), in the order of the pattern; past the last.
template <class Space>
double* fill_mass(const BodyData& body, const double* derived, double* value) {
  for (int i = 0; i < Space::dim; ++i) *value++ = derived[body.mass];
  if (!body.rotates) return value;
  const double* J = derived + body.inertia;
  if constexpr (Space::dim == 2) {
    *value++ = J[0];
  } else {
    for (const int k : {0, 3, 4, 3, 1, 5, 4, 5, 2}) *value++ = J[k];
  }
  return value;
}

template <class Space>
class AbsoluteEquations final : public Equations,
                                public InputFilterStates,
                                public OutputDerivatives {
 public:
  // elements_alone: the Jacobian leaves out what bodies do by themselves (kinematics, norms,
  // gyroscopic torques).
  AbsoluteEquations(const Model& model, std::unique_ptr<const Mechanism<Space>> mechanism,
                    bool elements_alone = false);

  // Of the parameters' default values: why they cannot be, or empty. The equations are then no use.
  const Defect& defect() const { return defect_; }
  const Mechanism<Space>& mechanism() const { return *mechanism_; }
  Capabilities capabilities() const override { return {&time_functions_, this, this, nullptr}; }

  std::unique_ptr<Workspace> make_workspace() const override;
  Parameters default_parameters() const override;
  Inputs default_inputs(const Parameters&) const override;
  std::string derive(Parameters&) const override;
  State initial(const Context&, double t0) const override;

  void position(const Context&, const State&, unsigned want, Workspace&) const override;
  void velocity(const Context&, const State&, Workspace&) const override;
  void force(const Context&, const State&, unsigned want, Workspace&) const override;
  void gamma(const Context&, const State&, Workspace&) const override;
  void friction(const Context&, const State&, Workspace&) const override;
  void jacobian(const Context&, const State&, Workspace&) const override;
  // The bodies and signals with their derivatives: what jacobian() begins with, and all of it that
  // prepare_outputs() needs.
  void linearise(const Context&, const State&, Workspace&) const;
  // What that has left in the workspace.
  Evaluation<Space> linearised(const Context& context, const State& x,
                               const AbsoluteWorkspace<Space>& ws) const {
    return {
        *mechanism_,          context, x, ws.bodies.data(), ws.signals, layout_, ws.moving.data(),
        ws.jacobian_without_g};
  }
  bool solve_auxiliary(const Context&, State&, Workspace&) const override;
  void apply_Z(const Context&, const State&, const Vector& x, Vector& z) const override;
  void outputs(const Context&, const State&, Workspace&) const override;
  void prepare_outputs(const Context&, const State&, Workspace&) const override;
  void output_change(const Variation&, Eigen::Ref<Vector> dy, Workspace&) const override;
  void switching(const Context&, const State&, Workspace&) const override;
  bool act(const Context&, int function, State&, Workspace&) const override;
  TimeEvent next_time(const Context&, const State&) const override;
  void contact_laws(const Context&, const State&, Workspace&, std::span<ContactLaw>) const override;
  void conditions(const Context&, const State&, Workspace&) const override;
  std::vector<std::string> choose_assembly_branch(const Context&, State&) const override;
  void initialize_memory(const Context&, State&, Workspace&) const override;
  std::string change(const Context& before, const Context& after, double t,
                     Vector& z) const override;
  std::vector<Following> following() const override;
  void set_filters_to_motion(const Context&, State&, Workspace&) const override;
  Energy energy(const Context&, const State&, Workspace&) const override;

 private:
  using Own = AbsoluteWorkspace<Space>;
  static Own& own(Workspace& ws) { return static_cast<Own&>(ws); }
  Evaluation<Space> at(const Context& context, const State& x, const Own& ws) const {
    return {*mechanism_, context, x, ws.bodies.data(), ws.signals, layout_};
  }

  // Bodies' states: positions and rotations; velocities.
  void place_bodies(const State&, Own&) const;
  void move_bodies(const State&, Own&) const;
  void evaluate_signals(const Evaluation<Space>&, const std::vector<int>& coordinates, Own&) const;
  void evaluate_gradients(const Evaluation<Space>&, Own&) const;

  void set_names(const Model& model);
  void set_scales(const Parameters& parameters);
  void set_contacts();
  Evaluation<Space> event_signals(const Context&, const State&, Own&) const;
  void contact_switching(const Evaluation<Space>&, Vector& phi) const;
  void record_patterns();
  void record_friction(const Evaluation<Space>&);
  void fill_M(const Context&, Own&) const;
  void fill_G(const Evaluation<Space>&, Fill&) const;
  void fill_jacobian(const Evaluation<Space>&, Fill&) const;
  void fill_bodies(const Evaluation<Space>&, Fill&) const;
  void fill_constraints(const Evaluation<Space>&, Fill&) const;
  void fill_laws(const Evaluation<Space>&, Fill&) const;
  void fill_conditions(const Evaluation<Space>&, Own&, Fill& position, Fill& velocity) const;
  double fill_law_condition(const Evaluation<Space>&, const Condition&, int row, bool of_rate, Own&,
                            Fill&) const;
  double output(const Evaluation<Space>&, const OutputData&, Own&) const;
  void output_gradient(const Evaluation<Space>&, const OutputData&, OutputRow to) const;
  void acceleration_gradient(const Evaluation<Space>&, int coordinate, const OutputRow&) const;
  void kinetic_gradient(const Evaluation<Space>&, std::size_t body, const OutputRow&) const;
  void kinetic_gradient(const Evaluation<Space>&, const OutputRow&) const;
  void potential_gradient(const Evaluation<Space>&, const OutputRow&) const;
  double acceleration(const Evaluation<Space>&, int coordinate) const;
  double kinetic(const Evaluation<Space>&, std::size_t body) const;
  double kinetic(const Evaluation<Space>&) const;
  double potential(const Evaluation<Space>&) const;

  std::unique_ptr<const Mechanism<Space>> mechanism_;
  TimeFunctions time_functions_;
  bool elements_alone_;
  JacobianLayout layout_{Sizes{}};
  Defect defect_;
  std::vector<int> G_places_, jacobian_places_, condition_p_places_, condition_v_places_;
  RowSparse condition_p_pattern_, condition_v_pattern_;
  std::vector<int> law_places_;
  ColumnSparse law_pattern_;
};

extern template class AbsoluteEquations<Planar>;
extern template class AbsoluteEquations<Spatial>;

// visit(coordinate, factor, value) for every coordinate of a coupling, value being that of the
// relation at the first of them and then 0: their sum is the coupling's function.
template <class Space, class Visit>
void for_terms(const Evaluation<Space>& at, const CouplingData& coupling, const Visit& visit) {
  if (coupling.law == absent) {
    double sum = -at.optional(coupling.constant);
    for (const CouplingData::Term& term : coupling.terms) {
      double q, rate;
      coordinate_values(at, term.coordinate, q, rate);
      sum += term.sign * at.optional(term.factor, 1.0) * q;
    }
    for (const CouplingData::Term& term : coupling.terms) {
      visit(at.mechanism.coordinates[term.coordinate], term.sign * at.optional(term.factor, 1.0),
            sum);
      sum = 0.0;
    }
    return;
  }
  const Law& law = at.mechanism.laws[coupling.law];
  const std::size_t n = law.arguments.size();
  std::array<double, Expression::max_arguments> values, factors;
  for (std::size_t k = 0; k < n; ++k) {
    const Law::Argument& x = law.arguments[k];
    double rate;
    if (x.kind == SymbolKind::coordinate) {
      coordinate_values(at, x.index, values[k], rate);
      values[k] *= x.sign;
    } else {
      values[k] = at.context.parameters.values[x.index];
    }
  }
  double value = law.expression.gradient(std::span(values).first(n), std::span(factors).first(n));
  for (std::size_t k = 0; k < n; ++k) {
    const Law::Argument& x = law.arguments[k];
    if (x.kind != SymbolKind::coordinate) continue;
    visit(at.mechanism.coordinates[x.index], x.sign * factors[k], value);
    value = 0.0;
  }
}

// The row of a coordinate times a factor; the value is the caller's.
template <class Space, class T>
Row<Space, T> term_row(const Evaluation<Space>& at, const CoordinateData& c, double factor,
                       int seeded) {
  Row<Space, T> row;
  const auto evaluate = [&](const auto& a, const auto& b) { row = coordinate_row(at, c, a, b); };
  if constexpr (std::is_same_v<T, double>) {
    on_sides<T>(at, c.a, c.b, seeded, evaluate);
  } else {
    on_seeded_sides(at, c.a, c.b, seeded, evaluate);
  }
  Row<Space, T> term = combine(factor, row, 0.0, row);
  term.value = factor * row.value;
  term.second = factor * row.second;
  return term;
}

// visit(row, number of the row in G, body a, body b); what comes for the same number is added.
template <class Space, class Visit>
void for_coupling_rows(const Evaluation<Space>& at, const Visit& visit) {
  for (const CouplingData& coupling : at.mechanism.couplings) {
    for_terms(at, coupling, [&](const CoordinateData& c, double factor, double value) {
      Row<Space, double> row = term_row<Space, double>(at, c, factor, ground);
      row.value = value;
      visit(row, coupling.row, at.body_of(c.a), at.body_of(c.b));
    });
  }
}

// The same for every function of every other constraint: one row for each number.
template <class Space, class Visit>
void for_constraint_rows(const Evaluation<Space>& at, const Visit& visit) {
  const auto list = [&](const auto& constraints) {
    for (const auto& c : constraints) {
      std::array<Row<Space, double>, std::decay_t<decltype(c)>::rows> rows;
      on_sides<double>(at, c.a, c.b, ground,
                       [&](const auto& a, const auto& b) { c.evaluate(at, a, b, rows.data()); });
      for (std::size_t k = 0; k < rows.size(); ++k) {
        visit(rows[k], c.row + static_cast<int>(k), at.body_of(c.a), at.body_of(c.b));
      }
    }
  };
  std::apply([&](const auto&... lists) { (list(lists), ...); }, at.mechanism.constraints);
}

template <class Space>
int size_p(const BodyData& body) {
  return body.rotates ? Space::np : Space::dim;
}
template <class Space>
int size_v(const BodyData& body) {
  return body.rotates ? Space::nv : Space::dim;
}

// J omega, from Ixx, Iyy, Izz, Ixy, Ixz, Iyz.
template <class T>
Vec<T, 3> inertia_times(const double* J, const Vec<T, 3>& x) {
  return {{J[0] * x[0] + J[3] * x[1] + J[4] * x[2], J[3] * x[0] + J[1] * x[1] + J[5] * x[2],
           J[4] * x[0] + J[5] * x[1] + J[2] * x[2]}};
}
template <class T>
Vec<T, 1> inertia_times(const double* J, const Vec<T, 1>& x) {
  return {{J[0] * x[0]}};
}

}  // namespace mbs
