#include "engine/integrators/bdf/system.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "engine/integrators/bdf/places.hpp"

namespace mbs::bdf {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

System::Layout layout(const Sizes& n, Form form) {
  System::Layout at{};
  at.p = 0;
  at.v = at.p + n.p;
  at.r = at.v + n.v;
  at.w = at.r + n.r;
  at.s = at.w + n.w;
  at.lambda = at.s + n.s;
  at.eta = at.lambda + n.lambda;
  at.size = at.eta + (form == Form::ggl ? n.g + n.n : 0);
  return at;
}

}  // namespace

System::System(const Equations& equations, Context context, Form form, Formalism formalism)
    : equations_(equations),
      context_(context),
      moved_inputs_(context.inputs),
      form_(form),
      formalism_(formalism),
      n_(equations.sizes()),
      rows_(n_),
      at_(layout(n_, form)),
      x_(n_),
      ws_(equations.make_workspace()),
      M0_(ws_->M),
      eta_force_(Vector::Zero(n_.v)),
      eta_rate_(Vector::Zero(n_.p)),
      rest_(Vector::Zero(n_.v)),
      no_G_(0, n_.v),
      none_(0) {
  if (!equations.structure().M_assembled) {
    throw std::invalid_argument(
        "the integrator bdf needs the mass matrix, which in joint coordinates is large and full "
        "here: choose coordinates 'mixed' or 'absolute'");
  }
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
  make_model_pattern();
  use_pattern(model_pattern_);
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

void System::make_model_pattern() {
  const ColumnSparse& J = equations_.structure().jacobian;
  knows_pattern_ = J.rows() == rows_.rows && J.cols() == rows_.cols;
  Triplets places;
  const auto add_block = [&](int row, int count, int to) {
    if (!knows_pattern_) {
      for (int i = 0; i < count; ++i) {
        for (int j = 0; j < at_.eta; ++j) places.emplace_back(to + i, j, 1.0);
      }
      return;
    }
    for (int j = 0; j < at_.eta; ++j) {
      for (ColumnSparse::InnerIterator entry(J, j); entry; ++entry) {
        const int i = static_cast<int>(entry.row()) - row;
        if (i >= 0 && i < count) places.emplace_back(to + i, j, 1.0);
      }
    }
  };
  add_block(rows_.kinematics, n_.p, at_.p);
  add_block(rows_.dynamics, n_.v, at_.v);
  add_block(rows_.r, n_.r, at_.r);
  add_block(rows_.w, n_.w, at_.w);
  add_block(rows_.s, n_.s, at_.s);
  add_block(rows_.velocity, n_.lambda, at_.lambda);
  if (form_ == Form::ggl) {
    add_block(rows_.position, n_.g, at_.eta);
    add_block(rows_.norm, n_.n, at_.eta + n_.g);
  }
  model_pattern_.resize(at_.size, at_.size);
  model_pattern_.setFromTriplets(places.begin(), places.end());
  model_pattern_.makeCompressed();
}

void System::use_pattern(const ColumnSparse& B) {
  Triplets places;
  for (int j = 0; j < B.cols(); ++j) {
    for (ColumnSparse::InnerIterator entry(B, j); entry; ++entry) {
      places.emplace_back(static_cast<int>(entry.row()), j, 1.0);
    }
  }
  for (int i = 0; i < n_.p; ++i) places.emplace_back(at_.p + i, at_.p + i, 1.0);
  for (int i = 0; i < n_.r; ++i) places.emplace_back(at_.r + i, at_.r + i, 1.0);
  for (int j = 0; j < n_.v; ++j) {
    for (ColumnSparse::InnerIterator M(ws_->M, j); M; ++M) {
      places.emplace_back(at_.v + static_cast<int>(M.row()), at_.v + j, 1.0);
    }
  }
  for (int i = 0; i < n_.lambda; ++i) places.emplace_back(at_.lambda + i, at_.lambda + i, 1.0);
  if (form_ == Form::ggl) {
    // Z is taken where the kinematic rows of B have entries in the columns of v.
    for (int i = 0; i < n_.g; ++i) {
      places.emplace_back(at_.eta + i, at_.eta + i, 1.0);
      for (RowSparse::InnerIterator G(ws_->G, i); G; ++G) {
        const int column = at_.v + static_cast<int>(G.col());
        for (ColumnSparse::InnerIterator Z(B, column); Z && Z.row() < at_.v; ++Z) {
          places.emplace_back(static_cast<int>(Z.row()), at_.eta + i, 1.0);
        }
      }
    }
    for (int k = 0; k < n_.n; ++k) {
      const int e = equations_.structure().euler_parameters[static_cast<std::size_t>(k)];
      for (int i = 0; i < 4; ++i) places.emplace_back(at_.p + e + i, at_.eta + n_.g + k, 1.0);
    }
  }
  pattern_.resize(at_.size, at_.size);
  pattern_.setFromTriplets(places.begin(), places.end());
  pattern_.makeCompressed();
  index_pattern();
}

void System::index_pattern() {
  jacobian_to_B_.clear();
  jacobian_to_E_.clear();
  mass_to_E_.clear();
  ones_in_E_.clear();
  eta_to_B_.clear();
  norm_to_B_.clear();
  D_to_.clear();
  const bool ggl = form_ == Form::ggl;
  for (int i = 0; i < n_.p; ++i) ones_in_E_.push_back(place_of(pattern_, at_.p + i, at_.p + i));
  for (int i = 0; i < n_.r; ++i) ones_in_E_.push_back(place_of(pattern_, at_.r + i, at_.r + i));
  for (int j = 0; j < n_.v; ++j) {
    for (int k = ws_->M.outerIndexPtr()[j]; k < ws_->M.outerIndexPtr()[j + 1]; ++k) {
      const int row = at_.v + ws_->M.innerIndexPtr()[k];
      mass_to_E_.push_back({k, place_of(pattern_, row, at_.v + j), 1.0});
    }
  }
  for (int i = 0; i < n_.lambda; ++i) {
    D_to_.push_back({i, place_of(pattern_, at_.lambda + i, at_.lambda + i), -1.0});
  }
  for (int i = 0; ggl && i < n_.g; ++i) {
    D_to_.push_back({i, place_of(pattern_, at_.eta + i, at_.eta + i), -1.0});
  }
  // Entries of the model's Jacobian; without a pattern it comes full.
  const ColumnSparse full = knows_pattern_ ? ColumnSparse() : [&] {
    ColumnSparse all = Matrix::Ones(rows_.rows, rows_.cols).sparseView();
    all.makeCompressed();
    return all;
  }();
  const ColumnSparse& J = knows_pattern_ ? equations_.structure().jacobian : full;
  const auto target = [&](int row, double& sign) {
    struct Block {
      int begin, count, to;
      double sign;
    };
    const Block blocks[] = {{rows_.kinematics, n_.p, at_.p, -1.0},
                            {rows_.dynamics, n_.v, at_.v, -1.0},
                            {rows_.r, n_.r, at_.r, -1.0},
                            {rows_.w, n_.w, at_.w, 1.0},
                            {rows_.s, n_.s, at_.s, 1.0},
                            {rows_.velocity, n_.lambda, at_.lambda, 1.0},
                            {rows_.position, ggl ? n_.g : 0, at_.eta, 1.0},
                            {rows_.norm, ggl ? n_.n : 0, at_.eta + n_.g, 1.0}};
    for (const Block& b : blocks) {
      if (row >= b.begin && row < b.begin + b.count) {
        sign = b.sign;
        return b.to + row - b.begin;
      }
    }
    return -1;
  };
  for (int j = 0; j < at_.eta; ++j) {
    for (int k = J.outerIndexPtr()[j]; k < J.outerIndexPtr()[j + 1]; ++k) {
      double sign = 1.0;
      const int row = target(J.innerIndexPtr()[k], sign);
      const int to = row < 0 ? -1 : place_of(pattern_, row, j);
      if (to < 0) continue;
      (j >= at_.lambda && !ggl ? jacobian_to_E_ : jacobian_to_B_).push_back({k, to, sign});
    }
  }
  if (!ggl) return;
  for (int i = 0; i < n_.g; ++i) {
    for (int k = ws_->G.outerIndexPtr()[i]; k < ws_->G.outerIndexPtr()[i + 1]; ++k) {
      const int column = at_.v + ws_->G.innerIndexPtr()[k];
      for (int z = pattern_.outerIndexPtr()[column]; z < pattern_.outerIndexPtr()[column + 1];
           ++z) {
        const int row = pattern_.innerIndexPtr()[z];
        if (row >= at_.v) break;
        eta_to_B_.push_back({k, z, place_of(pattern_, row, at_.eta + i)});
      }
    }
  }
  for (int k = 0; k < n_.n; ++k) {
    const int e = equations_.structure().euler_parameters[static_cast<std::size_t>(k)];
    for (int i = 0; i < 4; ++i) {
      norm_to_B_.push_back({e + i, place_of(pattern_, at_.p + e + i, at_.eta + n_.g + k), 1.0});
    }
  }
}

void System::fill_E(Vector& E) const {
  E.setZero();
  for (const int i : ones_in_E_) E[i] = 1.0;
  const double* M = ws_->M.valuePtr();
  for (const Place& place : mass_to_E_) E[place.to] = M[place.from];
}

// Z is the negative of the kinematic rows of B.
void System::fill_eta(Vector& B, Vector& E) const {
  const double* G = ws_->G.valuePtr();
  for (const Product& x : eta_to_B_) B[x.to] -= G[x.G] * B[x.minus_Z];
  for (const Place& place : norm_to_B_) B[place.to] = x_.p[place.from];
  Vector& D = form_ == Form::ggl ? B : E;
  for (const Place& place : D_to_) D[place.to] = place.sign * ws_->D[place.from];
}

void System::move_input(int i, double change) {
  if (!moved_) {
    moved_inputs_ = context_.inputs;
    moved_ = true;
  }
  moved_inputs_.value[i] += change;
}

void System::inputs_back() {
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
  fill_E(E);
  B.setZero();
  const double* J = ws.jacobian.valuePtr();
  for (const Place& place : jacobian_to_B_) B[place.to] += place.sign * J[place.from];
  for (const Place& place : jacobian_to_E_) E[place.to] += place.sign * J[place.from];
  fill_eta(B, E);
}

void System::complete(double t, const Vector& y, const Vector& y_dot, Vector& B, Vector& E) {
  set(t, y, y_dot);
  equations_.position(here(), x_, want_M | want_G, *ws_);
  for (const int i : ones_in_E_) E[i] = 1.0;
  const double* M = ws_->M.valuePtr();
  for (const Place& place : mass_to_E_) E[place.to] = M[place.from];
  fill_eta(B, E);
}

// Only M may change in E; the columns of lambda in the second form are kept.
void System::update_mass(double t, const Vector& y, const Vector& y_dot, Vector& E) {
  set(t, y, y_dot);
  equations_.position(here(), x_, want_M, *ws_);
  const double* M = ws_->M.valuePtr();
  for (const Place& place : mass_to_E_) E[place.to] = M[place.from];
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
