// The Jacobian of the residuals, block by block and exact: every element over Dual, seeded with one
// of its bodies at a time. fill_jacobian makes the pattern once and fills it from then on.

#include <algorithm>

#include "engine/multibody/element_evaluator.hpp"
#include "engine/multibody/further_rows.hpp"
#include "engine/multibody/measures.hpp"

namespace mbs {

namespace {

// The derivatives of rate(row, a, b) by positions, on which alone the row depends: in the first
// lanes.
template <class Space>
void add_rate_by_positions(const Row<Space, BodyDual<Space>>& row,
                           const BodyState<Space, double>& a, const BodyState<Space, double>& b,
                           std::array<double, BodyDual<Space>::lanes>& d) {
  constexpr int lanes = Space::np + Space::np % 2;  // pairs are computed at once
  const auto add = [&](const auto& part, const auto& by) {
    for (std::size_t i = 0; i < part.x.size(); ++i)
      for (int k = 0; k < lanes; ++k) d[k] += part.x[i].d[k] * by.x[i];
  };
  add(row.linear_a, a.v);
  add(row.angular_a, a.omega);
  add(row.linear_b, b.v);
  add(row.angular_b, b.omega);
}

// Rows of the constraints, with lambda, v and a of the state: for a seeded body,
//   g, G v, G a + gamma, -G^T lambda, each differentiated; and G itself.
template <class Space>
class ConstraintJacobian {
 public:
  ConstraintJacobian(const Evaluation<Space>& here, Fill& fill)
      : here_(here), m_(here.mechanism), at_(here.layout), fill_(fill) {}

  void joints() const {
    const auto constraint = [&](const auto& c) {
      std::array<Row<Space, D>, std::decay_t<decltype(c)>::rows> rows;
      functions(rows, c.row, c.a, c.b, [&](int seeded, auto& at_seeded) {
        on_seeded_sides(here_, c.a, c.b, seeded, [&](const auto& at_a, const auto& at_b) {
          c.evaluate(here_, at_a, at_b, at_seeded.data());
        });
      });
    };
    std::apply(
        [&](const auto&... lists) { (std::for_each(lists.begin(), lists.end(), constraint), ...); },
        m_.constraints);
  }

  void couplings() const {
    for (const CouplingData& coupling : m_.couplings) {
      for_terms(here_, coupling, [&](const CoordinateData& c, double factor, double) {
        functions(
            std::array<Row<Space, D>, 1>{}, coupling.row, c.a, c.b,
            [&](int seeded, auto& row) { row[0] = term_row<Space, D>(here_, c, factor, seeded); });
      });
    }
  }

  void drives() const {
    for (const DriveData& d : m_.drives) {
      const CoordinateData& c = m_.coordinates[static_cast<std::size_t>(d.coordinate)];
      functions(std::array<Row<Space, D>, 1>{}, d.row, c.a, c.b, [&](int seeded, auto& row) {
        on_sides<D>(here_, c.a, c.b, seeded,
                    [&](const auto& a, const auto& b) { row[0] = drive_row(here_, d, a, b); });
      });
      if (d.input < 0) continue;
      const Expression::Jet x = prescribed_by_input(here_, d);
      fill_.add(at_.position + d.row, at_.col_u + d.input, -x.value);
      fill_.add(at_.velocity + d.row, at_.col_u + d.input, -x.first);
      fill_.add(at_.acceleration + d.row, at_.col_u + d.input, -x.second);
    }
  }

  void guides() const {
    for_guides(here_, [&](const GuideData& guide, const auto& S, const auto&, const auto&) {
      constexpr int n_s = mbs::guides::places<Space>;
      const int a = here_.body_of(guide.a), b = here_.body_of(guide.b);
      const auto evaluated = [&](int seeded, bool by_place) {
        GuideRow<Space, D> found;
        on_sides<D>(here_, guide.a, guide.b, seeded, [&](const auto& side_a, const auto& side_b) {
          found = guide_row(here_, guide, S, side_a, side_b, by_place);
        });
        return found;
      };
      functions(std::array<Row<Space, D>, 1>{}, guide.row, guide.a, guide.b,
                [&](int seeded, auto& row) { row[0] = evaluated(seeded, false).row; });
      for (const int seeded : {a, b}) {
        if (seeded == ground) continue;
        const auto found = evaluated(seeded, false);
        for (int i = 0; i < n_s; ++i) {
          here_.columns(seeded, found.c[i].d.data(),
                        [&](int column, double d) { fill_.add(at_.s + guide.s + i, column, d); });
        }
      }
      const auto found = evaluated(ground, true);
      const D velocity = rate(found.row, motion(a, here_.x.v), motion(b, here_.x.v)),
              acceleration =
                  rate(found.row, motion(a, here_.x.a), motion(b, here_.x.a)) + found.row.second;
      for (int k = 0; k < n_s; ++k) {
        const int column = at_.col_s + guide.s + k;
        for (int i = 0; i < n_s; ++i) fill_.add(at_.s + guide.s + i, column, found.c[i].d[k]);
        fill_.add(at_.position + guide.row, column, found.row.value.d[k]);
        fill_.add(at_.velocity + guide.row, column, velocity.d[k]);
        fill_.add(at_.acceleration + guide.row, column, acceleration.d[k]);
        for_row(m_, found.row, a, b, [&](int i, const D& x) {
          fill_.add(at_.dynamics + i, column, -here_.x.lambda[guide.row] * x.d[k]);
        });
      }
    });
  }

  void rolling() const {
    for (const RollingData& r : m_.rolling) {
      for_rows_of(r, [&](int k, int number) {
        functions(
            std::array<Row<Space, D>, 1>{}, number, r.a, r.b,
            [&](int seeded, auto& row) {
              on_sides<D>(here_, r.a, r.b, seeded, [&](const auto& a, const auto& b) {
                row[0] = rolling_row(here_, r, k, a, b);
              });
            },
            k < 0);
      });
    }
  }

  void contacts() const {
    for (const ContactData& c : m_.contacts) {
      const ContactMode mode = mode_of(here_, c);
      for (int k = c.normal >= 0 ? -1 : 0; k < c.tangents; ++k) {
        functions(
            std::array<Row<Space, D>, 1>{}, k < 0 ? c.normal : c.tangent + k, c.a, c.b,
            [&](int seeded, auto& row) {
              if (!row_acts(c, k, mode)) return;
              on_sides<D>(here_, c.a, c.b, seeded, [&](const auto& a, const auto& b) {
                row[0] = contact_row(here_, c, k, a, b);
              });
            },
            k < 0);
        const int number = k < 0 ? c.normal : c.tangent + k;
        fill_.add(at_.velocity + number, at_.col_lambda + number,  // -D
                  row_acts(c, k, mode) ? 0.0 : -1.0);
      }
    }
  }

 private:
  using D = BodyDual<Space>;

  // Velocity coordinates of a body from a vector of them, as a state.
  BodyState<Space, double> motion(int body, const Vector& v) const {
    BodyState<Space, double> state;
    if (body == ground) return state;
    const BodyData& data = m_.bodies[body];
    for (int k = 0; k < Space::dim; ++k) state.v[k] = v[data.v + k];
    for (int k = 0; data.rotates && k < Space::rot; ++k) {
      state.omega[k] = v[data.v + Space::dim + k];
    }
    return state;
  }

  // evaluate(seeded body, rows) for functions of two frames, the first of them row `first` of G.
  template <std::size_t n, class Evaluate>
  void functions(std::array<Row<Space, D>, n> rows, int first, int frame_a, int frame_b,
                 const Evaluate& evaluate, bool in_g = true) const {
    const int a = here_.body_of(frame_a), b = here_.body_of(frame_b);
    const auto velocity_a = motion(a, here_.x.v), velocity_b = motion(b, here_.x.v);
    const auto acceleration_a = motion(a, here_.x.a), acceleration_b = motion(b, here_.x.a);
    for (const int seeded : {a, b}) {
      if (seeded == ground) continue;
      evaluate(seeded, rows);
      const auto derivative = [&](int row, const double* d, double factor) {
        here_.position_columns(
            seeded, d, [&](int column, double one) { fill_.add(row, column, factor * one); });
      };
      std::array<double, D::lanes> d;
      const int n_p = here_.count_p(seeded);
      for (int k = 0; k < static_cast<int>(n); ++k) {
        const int row = first + k;
        if (here_.without_g) {
          fill_.skip(in_g ? 2 * n_p : n_p);
        } else {
          if (in_g) derivative(at_.position + row, rows[k].value.d.data(), 1.0);
          d = {};
          add_rate_by_positions(rows[k], velocity_a, velocity_b, d);
          derivative(at_.velocity + row, d.data(), 1.0);
        }
        d = rows[k].second.d;
        add_rate_by_positions(rows[k], acceleration_a, acceleration_b, d);
        here_.columns(seeded, d.data(), [&](int column, double one) {
          fill_.add(at_.acceleration + row, column, one);
        });
        for_row(m_, rows[k], a, b, [&](int i, const D& x) {
          derivative(at_.dynamics + i, x.d.data(), -here_.x.lambda[row]);
        });
      }
    }
    for (int k = 0; k < static_cast<int>(n); ++k) {
      for_row(m_, rows[k], a, b, [&](int i, const D& x) {
        fill_.add(at_.velocity + first + k, at_.col_v + i, x.v);
        fill_.add(at_.dynamics + i, at_.col_lambda + first + k, -x.v);
      });
    }
  }

  const Evaluation<Space>& here_;
  const Mechanism<Space>& m_;
  const JacobianLayout& at_;
  Fill& fill_;
};

}  // namespace

template <class Space>
void ElementEvaluator<Space>::fill_constraints(const Evaluation<Space>& here, Fill& fill) const {
  const ConstraintJacobian<Space> rows(here, fill);
  rows.joints();
  fill.prune(false);
  rows.couplings();
  rows.drives();
  rows.guides();
  rows.rolling();
  rows.contacts();
  fill.prune(true);
}

template <class Space>
void ElementEvaluator<Space>::fill_bodies(const Evaluation<Space>& here, Fill& fill) const {
  using D = BodyDual<Space>;
  const Mechanism<Space>& m = *mechanism_;
  [[maybe_unused]] int norm_row = layout_.norm;
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    const BodyData& data = m.bodies[i];
    const int plain = data.rotates && Space::dim == 2 ? 3 : Space::dim;
    for (int k = 0; k < plain; ++k) {
      fill.add(layout_.kinematics + data.p + k, layout_.col_v + data.v + k, 1.0);
    }
    if constexpr (Space::dim == 3) {
      if (!data.rotates) continue;
      // e' = Q(e) omega, the gyroscopic torque and the norm, in lanes of (e, omega).
      std::array<D, 4> e, e_dot;
      Vec<D, 3> omega;
      for (int k = 0; k < 4; ++k) e[k] = D::variable(here.x.p[data.p + 3 + k], 3 + k);
      for (int k = 0; k < 3; ++k) {
        omega[k] = D::variable(here.x.v[data.v + 3 + k], Space::np + 3 + k);
      }
      euler_rates(e.data(), omega.x.data(), e_dot.data());
      const Vec<D, 3> gyroscopic =
          cross(omega, inertia_times(here.derived() + data.inertia, omega));
      D norm;
      for (int k = 0; k < 4; ++k) norm += 0.5 * (e[k] * e[k]);
      const auto derivative = [&](int row, const D& x) {
        here.columns(static_cast<int>(i), x.d.data(),
                     [&](int column, double d) { fill.add(row, column, d); });
      };
      for (int k = 0; k < 4; ++k) derivative(layout_.kinematics + data.p + 3 + k, e_dot[k]);
      for (int k = 0; k < 3; ++k) derivative(layout_.dynamics + data.v + 3 + k, -gyroscopic[k]);
      derivative(norm_row++, norm);
    }
  }
}

template <class Space>
void ElementEvaluator<Space>::fill_jacobian(const Evaluation<Space>& here, Fill& fill) const {
  const Mechanism<Space>& m = *mechanism_;
  fill.prune(true);
  fill_constraints(here, fill);
  if (body_terms_) fill_bodies(here, fill);
  fill.prune(false);
  for (const auto& forces : m.forces) forces->add_jacobian(here, fill);
  fill_laws(here, fill);
  for (std::size_t k = 0; k < m.counted.size(); ++k) {
    const auto& qd = here.signals.grad_qd[static_cast<std::size_t>(m.counted[k])];
    here.columns(qd, 1.0, [&](int column, double d) {
      fill.add(layout_.r + static_cast<int>(m.der.size() + k), column, d);
    });
  }
}

// Adds the derivatives of expressions by other coordinates, measures, states and inputs.
template <class Space>
void ElementEvaluator<Space>::fill_laws(const Evaluation<Space>& here, Fill& fill) const {
  for (const auto& forces : mechanism_->forces) forces->add_law_jacobian(here, fill);
  const auto law = [&](int first_row, const std::vector<int>& laws) {
    for (std::size_t i = 0; i < laws.size(); ++i) {
      if (laws[i] == absent) continue;
      here.law_columns(laws[i], {}, [&](int column, double d) {
        fill.add(first_row + static_cast<int>(i), column, d);
      });
    }
  };
  law(layout_.r, mechanism_->der);
  law(layout_.w, mechanism_->residuals);
}

template <class Space>
void ElementEvaluator<Space>::linearise(const Context& context, const State& x, Own& ws) const {
  using D = BodyDual<Space>;
  Evaluation<Space> here = at(context, x, ws);
  const std::size_t bodies = mechanism_->bodies.size();
  ws.moving.resize(bodies);
  for (std::size_t i = 0; i < bodies; ++i) {
    ws.moving[i] = here.template body<D>(static_cast<int>(i), static_cast<int>(i));
  }
  here.moving = ws.moving.data();
  evaluate_signals(here, mechanism_->evaluated, ws);
  evaluate_gradients(here, ws);
}

template <class Space>
void ElementEvaluator<Space>::jacobian(const Context& context, const State& x, Own& ws) const {
  if (ws.jacobian.size() == 0) ws.jacobian = structure_.jacobian;
  linearise(context, x, ws);
  ws.jacobian.coeffs().setZero();
  Fill fill(jacobian_places_, ws.jacobian.valuePtr());
  fill_jacobian(linearised(context, x, ws), fill);
}

// Patterns of G, the Jacobian and the rows of conditions, recorded at a random point with random
// derived numbers.
template <class Space>
void ElementEvaluator<Space>::record_patterns() {
  RandomNumbers random;
  Parameters parameters = default_parameters();
  random(parameters.derived);
  const Inputs inputs(sizes_.u);
  const Context context{inputs, parameters};
  State x(sizes_);
  for (Vector* part : {&x.p, &x.v, &x.r, &x.w, &x.s, &x.z, &x.a, &x.lambda}) random(*part);
  std::fill(x.modes.begin(), x.modes.end(), static_cast<int>(ContactMode::every_row));
  Own ws(sizes_, structure_, *mechanism_);
  place_bodies(*mechanism_, x.p, ws.bodies);
  move_bodies(*mechanism_, x.v, ws.bodies);
  linearise(context, x, ws);
  const Evaluation<Space> here = linearised(context, x, ws);

  std::vector<Fill::Entry> seen;
  const auto recorder = [&] {
    seen.clear();
    Fill fill(seen);
    fill.prune(true);
    return fill;
  };
  Fill G = recorder();
  fill_G(here, G);
  structure_.saddle.G = pattern_of<RowSparse>(seen, sizes_.lambda, sizes_.v, G_places_);
  Fill J = recorder();
  fill_jacobian(here, J);
  structure_.jacobian =
      pattern_of<ColumnSparse>(seen, layout_.rows, layout_.cols, jacobian_places_);
  record_friction(here);
  std::vector<Fill::Entry> seen_velocity;
  Fill position = recorder(), velocity(seen_velocity);
  fill_conditions(here, ws, position, velocity);
  condition_p_pattern_ =
      pattern_of<RowSparse>(seen, sizes_.conditions_p, sizes_.v, condition_p_places_);
  condition_v_pattern_ =
      pattern_of<RowSparse>(seen_velocity, sizes_.conditions_v, sizes_.v, condition_v_places_);
}

template class ElementEvaluator<Planar>;
template class ElementEvaluator<Spatial>;

}  // namespace mbs
