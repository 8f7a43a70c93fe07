#pragma once

// Switching functions of time alone: whatever integrates them, their zeros are known.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/equations/equations.hpp"

namespace mbs::test {

class Signals final : public Equations {
 public:
  using Signal = std::function<double(double)>;

  explicit Signals(std::vector<Signal> signals) : signals_(std::move(signals)) {
    sizes_.phi = static_cast<int>(signals_.size());
    structure_.saddle.M = ColumnSparse(0, 0);
    structure_.saddle.G = RowSparse(0, 0);
    structure_.saddle.F = ColumnSparse(0, 0);
    for (std::size_t i = 0; i < signals_.size(); ++i)
      structure_.switching.push_back({"signal " + std::to_string(i + 1)});
  }
  Structure::SwitchingFunction& at(int i) {
    return structure_.switching[static_cast<std::size_t>(i)];
  }

  State initial(const Context&, double t0) const override {
    State x(sizes_);
    x.t = t0;
    return x;
  }
  void position(const Context&, const State&, unsigned, Workspace&) const override {}
  void velocity(const Context&, const State&, Workspace&) const override {}
  void force(const Context&, const State&, unsigned, Workspace&) const override {}
  void gamma(const Context&, const State&, Workspace&) const override {}
  void switching(const Context&, const State& x, Workspace& ws) const override {
    for (int i = 0; i < sizes_.phi; ++i) ws.phi[i] = signals_[static_cast<std::size_t>(i)](x.t);
  }

 private:
  std::vector<Signal> signals_;
};

}  // namespace mbs::test
