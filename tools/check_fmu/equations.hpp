// Within the checker: unknowns and knowns of the partial derivatives in one mode of an FMU, as many
// as can be checked quickly.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/import/fmu.hpp"

namespace mbs::check_fmu {

enum class Mode { initialization, step, continuous_time };

// "after a step"
std::string_view to_text(Mode mode);

// The interface of co-simulation or, in continuous-time mode, of model exchange.
const import::Interface& interface_in(const import::ModelDescription& description, Mode mode);

// Model exchange by the library of co-simulation.
bool has_exchange(const import::ModelDescription& description);

// Real variables, the elements of all of them one after the other.
struct Block {
  std::vector<const import::Variable*> variables;
  std::vector<import::ValueReference> references;
  std::vector<std::size_t> first;  // element of each variable, and of what would come next
  std::vector<std::size_t> owner;  // of each element: the place of its variable

  std::size_t size() const { return owner.size(); }
  const import::Variable& variable(std::size_t element) const { return *variables[owner[element]]; }
};

// Continuous outputs and derivatives of states follow from continuous inputs and states; in
// initialization mode outputs follow from inputs.
struct Equations {
  Equations(const import::ModelDescription& description, Mode mode);

  // Whether the model structure says so, for elements.
  bool depends(std::size_t unknown, std::size_t known) const;
  std::string name(const Block& block, std::size_t element) const;

  const import::ModelDescription& description;
  Block unknowns, knowns;
  std::vector<const import::Unknown*> declared;  // one for each unknown variable
  // The place of each element of the knowns among all states; none: it is an input's.
  std::vector<std::optional<std::size_t>> state;
  std::vector<std::size_t> columns;            // elements of the knowns that are tried
  std::vector<import::ValueReference> states;  // all of them, in the order of model exchange
  std::size_t state_count = 0;                 // their elements
  bool has_too_many_states = false;            // to be tried: not all of them are here

 private:
  void find_states();
  void add_unknowns(const std::vector<import::Unknown>& from, bool is_of_outputs);
  void add_knowns();

  std::vector<std::uint32_t> given_;      // of each state, as in the description
  std::vector<std::size_t> state_first_;  // its first element
  std::vector<std::set<import::ValueReference>> dependencies_;
};

}  // namespace mbs::check_fmu
