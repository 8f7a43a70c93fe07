#pragma once

// The pattern of the iteration matrix alpha E + B of bdf::System, and the places of the model's
// matrices in it.

#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs::bdf {

enum class Form { ggl, lambda_derivative };

// The first components of the parts of y; rows of F are in the same order (kinematics, dynamics, r,
// w, s, velocity, position and norm).
struct SystemLayout {
  SystemLayout(const Sizes& n, Form form);
  int p, v, r, w, s, lambda, eta, size;
};

class SystemPattern {
 public:
  // ws has the patterns of M and G.
  SystemPattern(const Equations& equations, Form form, const Workspace& ws);

  const SystemLayout& at() const { return at_; }
  const ColumnSparse& matrix() const { return pattern_; }

  // Takes other places for B (square, as estimated).
  void use(const ColumnSparse& B, const Workspace& ws);

  // Each sets its entries of B and E, which are in the order of the pattern.
  void fill_mass(const Workspace& ws, Vector& E) const;                // M and the ones of p', r'
  void add_jacobian(const Workspace& ws, Vector& B, Vector& E) const;  // to zeros
  void fill_eta(const Workspace& ws, const State& x, Vector& B, Vector& E) const;  // eta and D

 private:
  struct Place {
    int from, to;
    double sign;
  };
  struct Product {  // columns of eta: Z G^T
    int G, minus_Z, to;
  };
  // Rows of the model's Jacobian and where they go.
  struct Block {
    int begin, count, to;
    double sign;
  };
  ColumnSparse model_pattern() const;
  void index_mass(const Workspace& ws);
  void index_jacobian();
  void index_eta(const Workspace& ws);

  const Equations& equations_;
  Form form_;
  Sizes n_;
  JacobianLayout rows_;
  SystemLayout at_;
  std::vector<Block> blocks_;
  bool known_;  // the model gives the pattern of its Jacobian
  ColumnSparse pattern_;
  std::vector<Place> jacobian_to_B_, jacobian_to_E_;  // entries of ws.jacobian
  std::vector<Place> mass_to_E_;                      // entries of ws.M
  std::vector<int> ones_in_E_;
  std::vector<Product> eta_to_B_;
  std::vector<Place> norm_to_B_;  // Euler parameters into the columns of eta_n
  std::vector<Place> D_to_;
};

}  // namespace mbs::bdf
