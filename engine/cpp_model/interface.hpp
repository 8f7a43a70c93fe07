#pragma once

// The interface of a model written in C++: name, parameters, inputs, outputs, states, experiment.
// It becomes a Model without elements, so that the FMU's variables, its description and its
// documentation are made by the same code as those of a model file.

#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace mbs {

// Handles: what a declaration returns and evaluations take as an index.
struct ParameterOf {
  int i = -1;
};
struct InputOf {
  int i = -1;
};
struct OutputOf {
  int i = -1;
};
struct StateOf {  // first-order state r
  int i = -1;
};
struct UnknownOf {  // auxiliary unknown w
  int i = -1;
};

enum class Direct : unsigned char { none, inputs };  // what acts on an output at the same instant

class Interface {
 public:
  // Units as in model files ("N.m/rad", "deg"): start values are in SI, the unit is for display.
  // Throw std::invalid_argument for a name or unit that is none, or a name taken already.
  void name(const std::string& name, const std::string& doc);
  ParameterOf parameter(const std::string& name, double value, const std::string& unit,
                        const std::string& doc = {}, Variability variability = Variability::fixed);
  InputOf input(const std::string& name, double start, const std::string& unit,
                const std::string& doc = {});
  OutputOf output(const std::string& name, const std::string& unit, const std::string& doc = {},
                  Direct direct = Direct::inputs);
  StateOf state(const std::string& name, double start, const std::string& unit,
                const std::string& doc = {});
  UnknownOf unknown(const std::string& name, double start, const std::string& unit,
                    const std::string& doc = {});
  // Stop time and distance of outputs of the default experiment, tolerances, method, ...
  SolverSettings& solver() { return model_.solver; }

  const Model& model() const { return model_; }
  Direct direct(OutputOf y) const { return direct_[static_cast<std::size_t>(y.i)]; }

 private:
  void check_name(const std::string& name);

  Model model_;
  std::vector<Direct> direct_;
  std::vector<std::string> taken_{"time"};
};

}  // namespace mbs
