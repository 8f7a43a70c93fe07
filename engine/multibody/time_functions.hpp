#pragma once

// The excitation of a mechanism in time: the functions of time alone in its run-time expressions,
// that is the largest parts of them which depend on time, parameters and nothing else.

#include "engine/equations/explicit_time_dependence.hpp"
#include "engine/multibody/mechanism.hpp"

namespace mbs {

class TimeFunctions final : public ExplicitTimeDependence {
 public:
  explicit TimeFunctions(const std::vector<Law>& laws);

  int count() const override { return static_cast<int>(functions_.size()); }
  void values(const Context& context, double t, Eigen::Ref<Vector> u) const override;

 private:
  void add(const Law& law, std::size_t begin, std::size_t end);

  struct Function {
    Expression expression;
    std::vector<int> parameters;  // by argument; -1: time
    bool operator==(const Function&) const = default;
  };
  std::vector<Function> functions_;
};

}  // namespace mbs
