#pragma once

// Parameters in force, and as they are to be from the next start, step or event on.

#include <cstdint>
#include <string>
#include <utility>

#include "engine/equations/equations.hpp"
#include "engine/integrators/base/integrator.hpp"

namespace mbs {

class TunableParameters {
 public:
  explicit TunableParameters(const Equations& equations)
      : equations_(equations), in_force_(equations.default_parameters()) {
    error_ = equations_.derive(in_force_);
    requested_ = in_force_;
  }

  const Parameters& in_force() const { return in_force_; }
  // Calculated parameters follow the others; what is set to one of them is lost.
  const Parameters& requested() {
    if (std::exchange(pending_, false)) error_ = equations_.derive(requested_);
    return requested_;
  }
  double value(int i) { return requested().values[i]; }
  void set(int i, double value) {
    requested_.values[i] = value;
    pending_ = asked_ = true;
    ++revision_;
  }
  void set_all(const Parameters& parameters) { in_force_ = requested_ = parameters; }
  std::uint64_t revision() const { return revision_; }  // another after each change
  bool differ() { return requested().values != in_force_.values; }
  // Whether something may have been set since the last acknowledge().
  bool may_differ() const { return asked_; }
  void acknowledge() { asked_ = false; }

  // The reason why the requested parameters are impossible, for a person; empty if they are
  // possible.
  const std::string& error() {
    requested();
    return error_;
  }
  void refuse_impossible(double t) {
    if (!error().empty()) throw SolverFailure(t, 0.0, error_, "set parameters that are possible");
  }
  void put_in_force() { in_force_ = requested(); }

  void save(ByteWriter& writer) const {
    writer.put(in_force_.values);
    writer.put(requested_.values);
  }
  // Numbers that follow from the values are not stored, but derived again.
  void restore(ByteReader& reader) {
    reader.get(in_force_.values);
    reader.get(requested_.values);
    equations_.derive(in_force_);
    pending_ = asked_ = true;
  }

 private:
  const Equations& equations_;
  Parameters in_force_, requested_;
  bool pending_ = false, asked_ = false;
  std::uint64_t revision_ = 0;
  std::string error_;
};

}  // namespace mbs
