// What acts on the rest that a model with <init method="statics"> begins with.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/analysis/influence.hpp"
#include "tools/export/starts.hpp"

namespace mbs {

struct ActingOnRest {
  Acting acts;                              // rows of Starts
  std::vector<std::vector<char>> on_modes;  // by contacts and knobs
};

// Empty where it cannot be told. smooth, blurred: without pieces; running: what acts while it runs.
//
// Where the model without pieces has a rest, it is made anew with each knob by itself; otherwise,
// and with contacts, points tell (rest_influence.hpp). Where the search begins acts as well: on
// which rest is found, of several, and on what friction holds. (Where a rest is unstable or
// indifferent the steps of the search decide, which all of the model shares; that is not listed.)
std::optional<ActingOnRest> acting_on_rest(const Model& model,
                                           const std::shared_ptr<const Equations>& smooth,
                                           const std::shared_ptr<const Equations>& blurred,
                                           const Influence& running, std::span<const Knob> knobs);

}  // namespace mbs
