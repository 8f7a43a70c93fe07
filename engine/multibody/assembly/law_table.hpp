#pragma once

// Expressions that are evaluated while the model runs, with their symbols bound to the mechanism.

#include "engine/multibody/assembly/joint_table.hpp"

namespace mbs {

template <class Space>
class LawTable {
 public:
  LawTable(const Model& model, Mechanism<Space>& mechanism, JointTable<Space>& joints)
      : model_(model), m_(mechanism), joints_(joints) {}

  int add(const Expression& expression);
  // The law of an attribute; absent when the attribute is.
  int of(const ElementReader& e, std::string_view attribute, int component = 0);
  // mu times radius (where there is one) times the reaction force of the element's joint.
  int friction_of(const ElementReader& e);

 private:
  const Model& model_;
  Mechanism<Space>& m_;
  JointTable<Space>& joints_;
};

}  // namespace mbs
