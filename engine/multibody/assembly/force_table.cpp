#include "engine/multibody/assembly/force_table.hpp"

#include "engine/multibody/contacts.hpp"
#include "engine/multibody/row_forces.hpp"

namespace mbs {

template <class Space>
void ForceTable<Space>::add_drive(const ElementReader& e, DriveData data) {
  data.name = e.element().name;
  append<DriveForces<Space>>(e, static_cast<int>(m_.drives.size()));
  m_.drives.push_back(std::move(data));
}

template <class Space>
void ForceTable<Space>::add_rolling(const ElementReader& e, RollingData data) {
  data.name = e.element().name;
  append<RollingForces<Space>>(e, static_cast<int>(m_.rolling.size()));
  m_.rolling.push_back(std::move(data));
}

template <class Space>
void ForceTable<Space>::add_guide(const ElementReader& e, GuideData data) {
  data.name = e.element().name;
  data.s = (Space::dim - 1) * static_cast<int>(m_.guides.size());
  append<GuideForces<Space>>(e, static_cast<int>(m_.guides.size()));
  m_.guides.push_back(std::move(data));
}

template <class Space>
void ForceTable<Space>::add_contact(const ElementReader& e, ContactData data) {
  data.name = e.element().name;
  if (data.coordinate >= 0 && data.name.find('#') != std::string::npos) {  // it was given none
    data.name = m_.coordinates[data.coordinate].name + " (" + data.name + ")";
  }
  data.element = e.index();
  append<ContactForces<Space>, &ContactForces<Space>::contacts>(
      e, static_cast<int>(m_.contacts.size()));
  m_.contacts.push_back(std::move(data));
}

template class ForceTable<Planar>;
template class ForceTable<Spatial>;

}  // namespace mbs
