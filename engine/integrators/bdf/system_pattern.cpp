#include "engine/integrators/bdf/system_pattern.hpp"

#include "engine/base/sparse_index.hpp"

namespace mbs::bdf {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

ColumnSparse make_pattern(int size, const Triplets& places) {
  ColumnSparse pattern(size, size);
  pattern.setFromTriplets(places.begin(), places.end());
  pattern.makeCompressed();
  return pattern;
}

}  // namespace

SystemLayout::SystemLayout(const Sizes& n, Form form)
    : p(0),
      v(p + n.p),
      r(v + n.v),
      w(r + n.r),
      s(w + n.w),
      lambda(s + n.s),
      eta(lambda + n.lambda),
      size(eta + (form == Form::ggl ? n.g + n.n : 0)) {}

SystemPattern::SystemPattern(const Equations& equations, Form form, const Workspace& ws)
    : equations_(equations),
      form_(form),
      n_(equations.sizes()),
      rows_(n_),
      at_(n_, form),
      blocks_{{rows_.kinematics, n_.p, at_.p, -1.0}, {rows_.dynamics, n_.v, at_.v, -1.0},
              {rows_.r, n_.r, at_.r, -1.0},          {rows_.w, n_.w, at_.w, 1.0},
              {rows_.s, n_.s, at_.s, 1.0},           {rows_.velocity, n_.lambda, at_.lambda, 1.0}},
      known_(equations.structure().jacobian.rows() == rows_.rows &&
             equations.structure().jacobian.cols() == rows_.cols) {
  if (form == Form::ggl) {
    blocks_.push_back({rows_.position, n_.g, at_.eta, 1.0});
    blocks_.push_back({rows_.norm, n_.n, at_.eta + n_.g, 1.0});
  }
  use(model_pattern(), ws);
}

ColumnSparse SystemPattern::model_pattern() const {
  const ColumnSparse& J = equations_.structure().jacobian;
  Triplets places;
  for (const Block& block : blocks_) {
    for (int j = 0; j < at_.eta; ++j) {
      if (!known_) {
        for (int i = 0; i < block.count; ++i) places.emplace_back(block.to + i, j, 1.0);
        continue;
      }
      for (ColumnSparse::InnerIterator entry(J, j); entry; ++entry) {
        const int i = static_cast<int>(entry.row()) - block.begin;
        if (i >= 0 && i < block.count) places.emplace_back(block.to + i, j, 1.0);
      }
    }
  }
  return make_pattern(at_.size, places);
}

void SystemPattern::use(const ColumnSparse& B, const Workspace& ws) {
  Triplets places;
  for (int j = 0; j < B.cols(); ++j) {
    for (ColumnSparse::InnerIterator entry(B, j); entry; ++entry) {
      places.emplace_back(static_cast<int>(entry.row()), j, 1.0);
    }
  }
  for (int i = 0; i < n_.p; ++i) places.emplace_back(at_.p + i, at_.p + i, 1.0);
  for (int i = 0; i < n_.r; ++i) places.emplace_back(at_.r + i, at_.r + i, 1.0);
  for (int j = 0; j < n_.v; ++j) {
    for (ColumnSparse::InnerIterator M(ws.M, j); M; ++M) {
      places.emplace_back(at_.v + static_cast<int>(M.row()), at_.v + j, 1.0);
    }
  }
  for (int i = 0; i < n_.lambda; ++i) places.emplace_back(at_.lambda + i, at_.lambda + i, 1.0);
  if (form_ == Form::ggl) {
    // Z is taken where the kinematic rows of B have entries in the columns of v.
    for (int i = 0; i < n_.g; ++i) {
      places.emplace_back(at_.eta + i, at_.eta + i, 1.0);
      for (RowSparse::InnerIterator G(ws.G, i); G; ++G) {
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
  pattern_ = make_pattern(at_.size, places);
  index_mass(ws);
  index_jacobian();
  index_eta(ws);
}

void SystemPattern::index_mass(const Workspace& ws) {
  ones_in_E_.clear();
  mass_to_E_.clear();
  D_to_.clear();
  const auto diagonal = [this](int i) { return sparse_index(pattern_, i, i); };
  for (int i = 0; i < n_.p; ++i) ones_in_E_.push_back(diagonal(at_.p + i));
  for (int i = 0; i < n_.r; ++i) ones_in_E_.push_back(diagonal(at_.r + i));
  for (int j = 0; j < n_.v; ++j) {
    for (int k = ws.M.outerIndexPtr()[j]; k < ws.M.outerIndexPtr()[j + 1]; ++k) {
      const int row = at_.v + ws.M.innerIndexPtr()[k];
      mass_to_E_.push_back({k, sparse_index(pattern_, row, at_.v + j), 1.0});
    }
  }
  for (int i = 0; i < n_.lambda; ++i) D_to_.push_back({i, diagonal(at_.lambda + i), -1.0});
  for (int i = 0; form_ == Form::ggl && i < n_.g; ++i) {
    D_to_.push_back({i, diagonal(at_.eta + i), -1.0});
  }
}

// The model's Jacobian is full where its pattern is not known.
void SystemPattern::index_jacobian() {
  jacobian_to_B_.clear();
  jacobian_to_E_.clear();
  ColumnSparse full;
  if (!known_) {
    full = Matrix::Ones(rows_.rows, rows_.cols).sparseView();
    full.makeCompressed();
  }
  const ColumnSparse& J = known_ ? equations_.structure().jacobian : full;
  for (int j = 0; j < at_.eta; ++j) {
    const bool in_E = j >= at_.lambda && form_ == Form::lambda_derivative;
    for (int k = J.outerIndexPtr()[j]; k < J.outerIndexPtr()[j + 1]; ++k) {
      for (const Block& block : blocks_) {
        const int i = J.innerIndexPtr()[k] - block.begin;
        if (i < 0 || i >= block.count) continue;
        const int to = sparse_index(pattern_, block.to + i, j);
        if (to >= 0) (in_E ? jacobian_to_E_ : jacobian_to_B_).push_back({k, to, block.sign});
      }
    }
  }
}

void SystemPattern::index_eta(const Workspace& ws) {
  eta_to_B_.clear();
  norm_to_B_.clear();
  if (form_ != Form::ggl) return;
  for (int i = 0; i < n_.g; ++i) {
    for (int k = ws.G.outerIndexPtr()[i]; k < ws.G.outerIndexPtr()[i + 1]; ++k) {
      const int column = at_.v + ws.G.innerIndexPtr()[k];
      for (int z = pattern_.outerIndexPtr()[column]; z < pattern_.outerIndexPtr()[column + 1];
           ++z) {
        const int row = pattern_.innerIndexPtr()[z];
        if (row >= at_.v) break;
        eta_to_B_.push_back({k, z, sparse_index(pattern_, row, at_.eta + i)});
      }
    }
  }
  for (int k = 0; k < n_.n; ++k) {
    const int e = equations_.structure().euler_parameters[static_cast<std::size_t>(k)];
    for (int i = 0; i < 4; ++i) {
      norm_to_B_.push_back({e + i, sparse_index(pattern_, at_.p + e + i, at_.eta + n_.g + k), 1.0});
    }
  }
}

void SystemPattern::fill_mass(const Workspace& ws, Vector& E) const {
  for (const int i : ones_in_E_) E[i] = 1.0;
  const double* M = ws.M.valuePtr();
  for (const Place& place : mass_to_E_) E[place.to] = M[place.from];
}

void SystemPattern::add_jacobian(const Workspace& ws, Vector& B, Vector& E) const {
  const double* J = ws.jacobian.valuePtr();
  for (const Place& place : jacobian_to_B_) B[place.to] += place.sign * J[place.from];
  for (const Place& place : jacobian_to_E_) E[place.to] += place.sign * J[place.from];
}

// Z is the negative of the kinematic rows of B.
void SystemPattern::fill_eta(const Workspace& ws, const State& x, Vector& B, Vector& E) const {
  const double* G = ws.G.valuePtr();
  for (const Product& product : eta_to_B_) B[product.to] -= G[product.G] * B[product.minus_Z];
  for (const Place& place : norm_to_B_) B[place.to] = x.p[place.from];
  Vector& D = form_ == Form::ggl ? B : E;
  for (const Place& place : D_to_) D[place.to] = place.sign * ws.D[place.from];
}

}  // namespace mbs::bdf
