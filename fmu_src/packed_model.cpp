#include "fmu_src/packed_model.hpp"

namespace mbs {

void PackedModel::add_variables(VariableTable table) {
  variables = std::move(table);
  add_exchange_variables(variables, *equations);
  token = interface_hash(variables);
  if (!variables.clocks.empty()) clock_token = interface_hash(variables, Extra::clocks);
  if (variables.exchange_arrays) array_token = interface_hash(variables, Extra::exchange_arrays);
}

}  // namespace mbs
