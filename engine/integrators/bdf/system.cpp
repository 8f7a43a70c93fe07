#include "engine/integrators/bdf/system.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace mbs::bdf {
namespace {

const Equations& with_mass_matrix(const Equations& equations) {
  if (!equations.structure().M_assembled) {
    throw std::invalid_argument(
        "the integrator bdf needs the mass matrix, which in joint coordinates is large and full "
        "here: choose coordinates 'mixed' or 'absolute'");
  }
  return equations;
}

}  // namespace

System::System(const Equations& equations, Context context, Form form, Formalism formalism)
    : equations_(with_mass_matrix(equations)),
      context_(context),
      moved_inputs_(context.inputs),
      form_(form),
      formalism_(formalism),
      n_(equations.sizes()),
      x_(n_),
      ws_(equations.make_workspace()),
      pattern_(equations, form, *ws_),
      at_(pattern_.at()),
      M0_(ws_->M),
      eta_force_(Vector::Zero(n_.v)),
      eta_rate_(Vector::Zero(n_.p)),
      rest_(Vector::Zero(n_.v)),
      no_G_(0, n_.v),
      none_(0) {
  if (formalism == Formalism::explicit_) {
    SaddleStructure mass;
    mass.M = equations.structure().saddle.M;
    mass.mass_blocks = equations.structure().saddle.mass_blocks;
    if (equations.structure().saddle.M_may_be_singular) {
      throw std::invalid_argument(
          "formalism is 'explicit', but the mass matrix may be singular: choose residual");
    }
    mass.G = no_G_;
    mass.F = ColumnSparse(n_.v, 0);
    mass_solver_ = make_saddle_solver("auto", mass);
  }
}

void System::pack(const State& x, Vector& y, Vector& y_dot) const {
  y.segment(at_.p, n_.p) = x.p;
  y.segment(at_.v, n_.v) = x.v;
  y.segment(at_.r, n_.r) = x.r;
  y.segment(at_.w, n_.w) = x.w;
  y.segment(at_.s, n_.s) = x.s;
  y_dot.segment(at_.v, n_.v) = x.a;
  auto lambda =
      form_ == Form::ggl ? y.segment(at_.lambda, n_.lambda) : y_dot.segment(at_.lambda, n_.lambda);
  lambda = x.lambda;
}

void System::unpack(double t, const Vector& y, const Vector& y_dot, State& x) const {
  x.t = t;
  x.p = y.segment(at_.p, n_.p);
  x.v = y.segment(at_.v, n_.v);
  x.r = y.segment(at_.r, n_.r);
  x.w = y.segment(at_.w, n_.w);
  x.s = y.segment(at_.s, n_.s);
  x.a = y_dot.segment(at_.v, n_.v);
  x.lambda = (form_ == Form::ggl ? y : y_dot).segment(at_.lambda, n_.lambda);
}

void System::set(double t, const Vector& y, const Vector& y_dot) {
  unpack(t, y, y_dot, x_);
}

void System::residual(double t, const Vector& y, const Vector& y_dot, Vector& F) {
  set(t, y, y_dot);
  Workspace& ws = *ws_;
  equations_.position(here(), x_, want_position_all, ws);
  equations_.velocity(here(), x_, ws);
  equations_.force(here(), x_, want_force_all, ws);
  auto kinematics = F.segment(at_.p, n_.p);
  kinematics = y_dot.segment(at_.p, n_.p) - ws.p_dot;
  if (form_ == Form::ggl) {
    if (n_.g > 0) {
      eta_force_.setZero();
      for (int i = 0; i < n_.g; ++i) {
        const double eta = y[at_.eta + i];
        for (RowSparse::InnerIterator G(ws.G, i); G; ++G) eta_force_[G.col()] += eta * G.value();
      }
      equations_.apply_Z(here(), x_, eta_force_, eta_rate_);
      kinematics += eta_rate_;
    }
    for (int k = 0; k < n_.n; ++k) {
      const int e = equations_.structure().euler_parameters[static_cast<std::size_t>(k)];
      kinematics.segment<4>(e) += y[at_.eta + n_.g + k] * x_.p.segment<4>(e);
    }
  }
  auto dynamics = F.segment(at_.v, n_.v);
  if (formalism_ == Formalism::residual) {
    dynamics = -ws.f;
    dynamics.noalias() += ws.M * x_.a;
    dynamics.noalias() += ws.G.transpose() * x_.lambda;
  } else {
    rest_ = ws.f;
    rest_.noalias() -= ws.G.transpose() * x_.lambda;
    if (mass_solver_->factor({ws.M, no_G_, none_})) {
      mass_solver_->solve(rest_, none_);
    } else {
      rest_.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
    rest_ = x_.a - rest_;
    dynamics.noalias() = M0_ * rest_;
  }
  F.segment(at_.r, n_.r) = y_dot.segment(at_.r, n_.r) - ws.b;
  F.segment(at_.w, n_.w) = ws.d;
  F.segment(at_.s, n_.s) = ws.c;
  F.segment(at_.lambda, n_.lambda) = ws.G_v - ws.D.cwiseProduct(x_.lambda);
  if (form_ == Form::ggl) {
    F.segment(at_.eta, n_.g) = ws.g - ws.D.head(n_.g).cwiseProduct(y.segment(at_.eta, n_.g));
    F.segment(at_.eta + n_.g, n_.n) = ws.n;
  }
}

void System::constraints(double t, const Vector& y, const Vector& y_dot, Vector& F) {
  set(t, y, y_dot);
  Workspace& ws = *ws_;
  equations_.position(here(), x_, want_G | want_g | want_c, ws);
  equations_.velocity(here(), x_, ws);
  if (n_.w > 0) equations_.force(here(), x_, want_d, ws);
  F.head(at_.w).setZero();
  F.segment(at_.w, n_.w) = ws.d;
  F.segment(at_.s, n_.s) = ws.c;
  F.segment(at_.lambda, n_.lambda) = ws.G_v;
  if (form_ == Form::ggl) {
    F.segment(at_.eta, n_.g) = ws.g;
    F.segment(at_.eta + n_.g, n_.n) = ws.n;
  }
}

void System::move_input(int i, double change) {
  if (!moved_) {
    moved_inputs_ = context_.inputs;
    moved_ = true;
  }
  moved_inputs_.value[i] += change;
}

void System::restore_inputs() {
  moved_ = false;
}

void System::begin(const State& x) {
  x_.z = x.z;
  x_.modes = x.modes;
}

void System::exact(double t, const Vector& y, const Vector& y_dot, Vector& B, Vector& E) {
  set(t, y, y_dot);
  Workspace& ws = *ws_;
  equations_.jacobian(here(), x_, ws);
  equations_.position(here(), x_, want_M | want_G, ws);
  E.setZero();
  pattern_.fill_mass(ws, E);
  B.setZero();
  pattern_.add_jacobian(ws, B, E);
  pattern_.fill_eta(ws, x_, B, E);
}

void System::complete(double t, const Vector& y, const Vector& y_dot, Vector& B, Vector& E) {
  set(t, y, y_dot);
  equations_.position(here(), x_, want_M | want_G, *ws_);
  pattern_.fill_mass(*ws_, E);
  pattern_.fill_eta(*ws_, x_, B, E);
}

void System::update_mass(double t, const Vector& y, const Vector& y_dot, Vector& E) {
  set(t, y, y_dot);
  equations_.position(here(), x_, want_M, *ws_);
  pattern_.fill_mass(*ws_, E);
}

void System::keep_mass(Vector& F) {
  if (formalism_ == Formalism::residual) return;
  std::copy_n(ws_->M.valuePtr(), ws_->M.nonZeros(), M0_.valuePtr());
  F.segment(at_.v, n_.v).noalias() = M0_ * rest_;
}

void System::save(ByteWriter& out) const {
  if (formalism_ != Formalism::explicit_) return;
  out.put(Vector(Eigen::Map<const Vector>(M0_.valuePtr(), M0_.nonZeros())));
  mass_solver_->save(out);
}

void System::restore(ByteReader& in) {
  if (formalism_ != Formalism::explicit_) return;
  Vector M0(M0_.nonZeros());
  in.get(M0);
  std::copy_n(M0.data(), M0.size(), M0_.valuePtr());
  mass_solver_->restore(in);
}

}  // namespace mbs::bdf
