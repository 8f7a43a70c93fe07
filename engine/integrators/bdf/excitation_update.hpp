#pragma once

// The change of B by the explicit time dependence of the model, the second line of eq. (26) of
// Arnold et al. (2006):
//
//   B_new = B_old + sum_i dB/du_i (u_i(t_new) - u_i(t_old))
//
// u are the inputs and the equations' own functions of time (explicit_time_dependence.hpp). The
// derivatives are found once, at the first evaluation after a start, by differences:
//
//   inputs      are moved one by one;
//   functions   cannot be moved, but time can: B is taken at other times t_j, with driven
//               coordinates at their positions then. Times are chosen, out of t + 2^k h, until the
//               differences of u to those of t are spanned,
//                 u(t) - u(t_0) = sum_j c_j (u(t_j) - u(t_0)),
//                 B(t) - B(t_0) = sum_j c_j (B(t_j) - B(t_0)),
//               so that functions which change together cost one evaluation.
//
// Each later evaluation of B tests the update: where the change of B does not agree with (26),
// because the state has followed the excitation or the model is far from linear, B stays unchanged
// until (26) is right again.

#include <functional>

#include "engine/equations/projection.hpp"
#include "engine/integrators/base/integrator.hpp"
#include "engine/integrators/bdf/system.hpp"

namespace mbs::bdf {

class ExcitationUpdate {
 public:
  // Evaluates B at a point.
  using Evaluate = std::function<void(double t, const Vector& y, const Vector& y_dot, Vector& B)>;

  ExcitationUpdate(System& system, Context context, const IntegratorOptions& options);

  bool exists() const { return inputs_ + functions_ > 0; }
  bool known() const { return known_; }
  void forget() { known_ = false; }
  // Finds the derivatives, with B at (t, y, y') and the step size h.
  void find(double t, double h, const Vector& y, const Vector& y_dot, const Vector& B,
            const Evaluate& evaluate);
  void made(double t);                                            // B was evaluated at t
  void judge(double t, const Vector& before, const Vector& now);  // tests (26) by a new B
  bool changed(double t);                                         // u has noticeably changed since
  void update(double t, Vector& B);                               // moves B to t

  void save(ByteWriter&) const;
  void restore(ByteReader&, Eigen::Index entries);

 private:
  void excitation(double t, Vector& u) const;
  void find_by_time(double t, double h, const Vector& y, const Vector& y_dot, const Vector& B,
                    const Evaluate& evaluate);
  void find_change(double t);
  bool follow(double t, const Vector& y, Vector& moved);

  System& system_;
  Context context_;
  int inputs_;
  const ExplicitTimeDependence* time_dependence_;  // null: there is none
  int functions_;
  bool known_ = false, trusted_ = true;
  Matrix B_by_c_;  // changes of B for unit factors c
  Matrix c_by_u_;  // factors by changes of u
  Vector u_, u_of_B_, c_, change_;
  Projection projection_;
  std::unique_ptr<SaddleSolver> solver_;
  State x_;
};

}  // namespace mbs::bdf
