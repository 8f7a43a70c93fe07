#pragma once

// The forces of a mechanism in arrays by type, and where those of an element of the model stand.

#include <algorithm>
#include <typeindex>

#include "engine/multibody/assembly/element_reader.hpp"
#include "engine/multibody/forces.hpp"

namespace mbs {

// A type in Mechanism::forces and an element of that array.
struct ForceIndex {
  int type = -1, index = -1;
};

template <class Space>
class ForceTable {
 public:
  ForceTable(const Model& model, Mechanism<Space>& mechanism)
      : m_(mechanism), index_of_(model.elements.size()) {}

  template <class Force>
  void add(const ElementReader& e, Force force) {
    constexpr bool on_coordinates = requires {
      force.coordinate;
    };
    using Array = std::conditional_t<on_coordinates, CoordinateForces<Space, Force>,
                                     FrameForces<Space, Force>>;
    append<Array>(e, std::move(force));
  }
  // Elements that act by rows of G; the rows are numbered when all is bound.
  void add_drive(const ElementReader& e, DriveData data);
  void add_rolling(const ElementReader& e, RollingData data);
  void add_guide(const ElementReader& e, GuideData data);
  void add_contact(const ElementReader& e, ContactData data);

  ForceIndex index_of(int element) const { return index_of_[element]; }

 private:
  // The array of a type is made when it is first asked for.
  template <class Array, auto list = &Array::elements, class Element>
  void append(const ElementReader& e, Element element) {
    const auto found = std::find(types_.begin(), types_.end(), std::type_index(typeid(Array)));
    const auto type = found - types_.begin();
    if (found == types_.end()) {
      types_.emplace_back(typeid(Array));
      m_.forces.push_back(std::make_shared<Array>());
    }
    auto& elements = static_cast<Array&>(*m_.forces[type]).*list;
    index_of_[e.index()] = {static_cast<int>(type), static_cast<int>(elements.size())};
    elements.push_back(std::move(element));
  }

  Mechanism<Space>& m_;
  std::vector<std::type_index> types_;  // of Mechanism::forces
  std::vector<ForceIndex> index_of_;    // by element of the model
};

}  // namespace mbs
