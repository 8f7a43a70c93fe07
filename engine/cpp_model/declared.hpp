#pragma once

// The part of a C++ model that does not depend on its functions: what has been declared, start
// values, patterns (dense ones: C++ models are small or bring patterns of their own).

#include "engine/cpp_model/at.hpp"
#include "engine/equations/equations.hpp"

namespace mbs {

// A start value: a number in SI, or a parameter.
struct Start {
  Start(double number) : value(number) {}           // implicit on purpose
  Start(ParameterOf which) : parameter(which.i) {}  // likewise
  double value = 0.0;
  int parameter = -1;
};

class DeclaredEquations : public Equations {
 public:
  const Interface& interface() const { return interface_; }
  // Has to be called after the last declaration and before any use.
  virtual void complete();

  Parameters default_parameters() const override;
  Inputs default_inputs(const Parameters&) const override;
  State initial(const Context&, double t0) const override;

 protected:
  using Parameter = ParameterOf;
  using Input = InputOf;
  using Output = OutputOf;
  using FirstOrder = StateOf;
  using Unknown = UnknownOf;
  using Coordinate = CoordinateOf;
  using Constraint = ConstraintOf;
  using Event = EventOf;

  explicit DeclaredEquations(const std::string& name, const std::string& doc = {});

  // `size` is the typical size of a change, in SI: 1 m, 1 rad.
  Coordinate coordinate(const std::string& name, Start start, Start rate = 0.0, double size = 1.0);
  // A model with kinematics of its own declares p and v apart; each keeps the order of declaration.
  Coordinate position_coordinate(const std::string& name, Start start, double size = 1.0);
  Coordinate speed(const std::string& name, Start start, double size = 1.0);
  // Holonomic ones first.
  Constraint constraint(const std::string& name, double size = 1.0);
  Constraint velocity_constraint(const std::string& name, double size = 1.0);
  Event event(const std::string& name, bool terminate = false, bool rising = true,
              bool falling = true);
  // Forces depend on multipliers (friction).
  void forces_depend_on_multipliers() { structure_.f_depends_on_lambda = true; }

  Parameter parameter(const std::string& name, double value, const std::string& unit,
                      const std::string& doc = {}) {
    return interface_.parameter(name, value, unit, doc);
  }
  Parameter tunable(const std::string& name, double value, const std::string& unit,
                    const std::string& doc = {}) {
    return interface_.parameter(name, value, unit, doc, Variability::tunable);
  }
  Input input(const std::string& name, double start, const std::string& unit,
              const std::string& doc = {}) {
    return interface_.input(name, start, unit, doc);
  }
  Output output(const std::string& name, const std::string& unit, const std::string& doc = {},
                Direct direct = Direct::inputs) {
    return interface_.output(name, unit, doc, direct);
  }
  FirstOrder state(const std::string& name, double start, const std::string& unit,
                   const std::string& doc = {}) {
    return interface_.state(name, start, unit, doc);
  }
  Unknown unknown(const std::string& name, double start, const std::string& unit,
                  const std::string& doc = {}) {
    return interface_.unknown(name, start, unit, doc);
  }
  SolverSettings& solver() { return interface_.solver(); }

 private:
  Interface interface_;
  std::vector<Start> p0_, v0_;
  std::vector<double> p_scale_, v_scale_, g_scale_;
};

// A model and what is known of it from outside: what an FMU is made of.
struct CppModel {
  Interface interface;
  std::shared_ptr<const Equations> equations;
};

// Makes a CppModel of a class derived from DeclaredEquations.
template <class Equations, class... Arguments>
CppModel make_cpp_model(Arguments&&... arguments) {
  auto equations = std::make_shared<Equations>(std::forward<Arguments>(arguments)...);
  equations->complete();
  return {equations->interface(), equations};
}

// Defined by the user, once in a program or runtime: the model that it holds.
CppModel cpp_model();

}  // namespace mbs
