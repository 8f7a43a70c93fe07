#pragma once

// One element of a model while the mechanism is made: its attributes become slots and indices of
// frames, and what is wrong with them becomes a message with its place.

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/multibody/laws.hpp"

namespace mbs {

// The index of the new slot.
int add_slot(std::vector<Slot>& slots, Expression value, std::string owner,
             const AttributeSchema* attribute = nullptr, int element = -1);

std::string title(const Element& e);  // "revolute 'main'"

class ElementReader {
 public:
  ElementReader(const Model& model, const Element& element, std::vector<Slot>& slots,
                Diagnostics& diagnostics)
      : model_(model), element_(element), slots_(slots), diagnostics_(diagnostics) {}

  const Element& element() const { return element_; }
  int index() const { return static_cast<int>(&element_ - model_.elements.data()); }
  const AttributeValue& operator[](std::string_view attribute) const { return element_[attribute]; }
  std::string title() const { return mbs::title(element_); }
  void error(std::string code, std::string message, std::string hint = {}) const;

  bool given(std::string_view attribute) const;
  // A number is there, and it is not the constant 0.
  bool can_be_nonzero(std::string_view attribute) const;
  bool is_zero_at_start(std::string_view attribute) const;
  int frame(std::string_view attribute) const;  // ground's where the attribute is absent
  int slot(std::string_view attribute) const { return slots(attribute, 1); }
  int slots(std::string_view attribute, int count) const;  // the first of them, or absent
  // The states that the element has of its own.
  OwnStates states() const { return {element_.first_state, element_.state_count}; }

 private:
  const Model& model_;
  const Element& element_;
  std::vector<Slot>& slots_;
  Diagnostics& diagnostics_;
};

}  // namespace mbs
