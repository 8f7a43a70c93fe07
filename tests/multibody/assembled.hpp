#pragma once

// A model from its text, assembled, with what tests ask of it.

#include <memory>
#include <string>

#include "engine/equations/equations.hpp"
#include "engine/equations/initial.hpp"
#include "engine/model/reader.hpp"

namespace mbs::test {

struct Assembled {
  // Fails the test, with the diagnostics, when the model has errors.
  explicit Assembled(const std::string& text, const std::string& coordinates = "absolute");
  static Assembled from_file(const std::string& path);

  const Equations& operator*() const { return *equations; }
  const Equations* operator->() const { return equations.get(); }
  Context context() const { return {inputs, parameters}; }

  State start() const;       // made consistent; fails the test when that fails
  void solve(State&) const;  // a, lambda and w
  double output(const State&, const std::string& name) const;
  int p(const std::string& name) const;  // index of "body.x"
  int v(const std::string& name) const;
  int lambda(const std::string& joint) const;  // its first row
  void set(const std::string& parameter, double value);

  Model model;
  std::shared_ptr<const Equations> equations;
  Parameters parameters;
  Inputs inputs;
  std::unique_ptr<Workspace> ws;

 private:
  Assembled() = default;
  void assemble_model(Diagnostics& diagnostics);
};

// The text of the diagnostics of a model that must not assemble.
std::string errors_of(const std::string& text);

// <mbs> around the lines, in the plane or in space.
std::string planar(const std::string& lines);
std::string spatial(const std::string& lines);

// All unknowns at random in [-1, 1], bodies' Euler parameters of norm 1; the same for the same
// seed.
State random_state(const Equations& equations, int seed);

// The Jacobian of the residuals by central differences with one Richardson step.
Matrix difference_jacobian(const Equations& equations, const Context& context, const State& x);

// Fails the test where jacobian() deviates from differences, where G is not g_p Z, gamma not the
// derivative of G v.
void expect_exact_derivatives(const Assembled& model, const State& x, double tolerance = 1e-8);

// Fails the test where friction() deviates from differences of f, at the w that belongs to lambda.
void expect_exact_friction(const Assembled& model, State x);

}  // namespace mbs::test
