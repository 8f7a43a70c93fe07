#pragma once

// Notes traced values in the graph of a trace. Values belong to the scope that is open, in which
// nodes have the numbers of TracedSet; between scopes they are entries.

#include <span>

#include "engine/analysis/dependencies/trace.hpp"
#include "engine/analysis/dependencies/traced.hpp"
#include "engine/model/expression.hpp"

namespace mbs {

// What a traced value is between scopes: a node, or a constant.
struct Entry {
  int node = -1;
  double value = 0.0;
  Entry() = default;
  Entry(double constant) : value(constant) {}
};

class TraceScope {
 public:
  Traced variable(int node) const;
  Traced load(const Entry& entry) const {
    return entry.node < 0 ? Traced(entry.value) : variable(entry.node);
  }

 protected:
  void open_scope() const;
  Entry keep(const Traced& value) const;
  void emit(int node, const Traced& value) const;
  int node_of(const Traced& value) const;
  Traced expression(const Expression& e, std::span<const Traced> arguments) const;
  // Its arguments are parameters.
  Traced at_parameters(const Expression& e) const;
  DependencyGraph& graph() const { return trace_.graph; }

  mutable StructureTrace trace_;

 private:
  mutable std::vector<int> scope_, bit_of_;
};

}  // namespace mbs
