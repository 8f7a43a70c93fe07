#include "engine/multibody/assembly/make_mechanism.hpp"

#include <algorithm>

#include "engine/multibody/assembly/signals.hpp"
#include "engine/multibody/contacts.hpp"

namespace mbs {

namespace {

template <class Space>
void bind_element(Assembly<Space>& to, const Element& e) {
  const auto types = element_types<Space>();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const auto& type) { return type.tag == e.tag->name; });
  const ElementReader reader(to.model, e, to.mechanism->slots, to.diagnostics);
  if (found != types.end()) {
    found->bind(to, reader);
  } else {
    reader.error("not-assembled", "<" + std::string(e.tag->name) + "> has no equations here");
  }
}

template <class Space>
void bind_elements(Assembly<Space>& to, TagRole role) {
  // What couples coordinates comes after all joints that have them.
  for (const bool couples : {false, true}) {
    for (const Element& e : to.model.elements) {
      const bool relates =
          e.tag->name == "coupling" || e.tag->name == "gear" || e.tag->name == "rack";
      if (e.tag->role == role && relates == couples) bind_element(to, e);
    }
  }
}

// Angles in space that are used as numbers get an r state that counts their turns.
template <class Space>
void count_turns(Mechanism<Space>& m, const std::vector<char>& used_as_number) {
  for (std::size_t c = 0; c < m.coordinates.size(); ++c) {
    const auto kind = m.coordinates[c].kind;
    const bool turns =
        kind == CoordinateData::Kind::turning || kind == CoordinateData::Kind::second_turning;
    if (!turns || !used_as_number[c]) continue;
    m.coordinates[c].counter = static_cast<int>(m.der.size() + m.counted.size());
    m.counted.push_back(static_cast<int>(c));
  }
}

template <class Space>
void list_gradients(Mechanism<Space>& m) {
  const auto sort = [](std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  m.differentiated = m.evaluated;
  m.differentiated.insert(m.differentiated.end(), m.counted.begin(), m.counted.end());
  sort(m.differentiated);
  std::vector<int> shown = m.evaluated_in_outputs;
  for (const OutputData& output : m.outputs) {
    const Quantity what = output.measure.quantity;
    if (what == Quantity::coordinate || what == Quantity::coordinate_rate)
      shown.push_back(output.coordinate);
  }
  sort(shown);
  std::set_difference(shown.begin(), shown.end(), m.differentiated.begin(), m.differentiated.end(),
                      std::back_inserter(m.differentiated_in_outputs));
}

// Numbers the rows that belong to no joint, modes, switching functions and what stands in z.
template <class Space>
void number_rows(Mechanism<Space>& m) {
  for (const RollingData& r : m.rolling) m.velocity_rows += r.slips;
  int phi = static_cast<int>(m.events.size()), mode = 0;
  for (ContactData& c : m.contacts) {
    c.mode = mode++;
    c.phi = phi;
    phi += (c.kind != ContactData::Kind::friction) + (c.tangents > 0);
    if (c.tangents == 0) continue;
    c.direction = static_cast<int>(m.start_values.size()) + m.directions;
    if (c.tangents > 1) c.low_speed = c.direction + c.tangents;
    m.velocity_rows += c.tangents;
    m.directions += c.tangents + (c.low_speed >= 0 ? low_speed_entries : 0);
  }
  number_further_rows(m);
  for (DriveData& d : m.drives) {
    if (d.input < 0) continue;
    d.state = static_cast<int>(m.start_values.size()) + m.directions + m.followed;
    m.followed += 3;
  }
  m.discrete = static_cast<int>(m.start_values.size()) + m.directions + m.followed;
}

}  // namespace

template <class Space>
std::unique_ptr<Mechanism<Space>> make_mechanism(const Model& model, Diagnostics& diagnostics) {
  Assembly<Space> to(model, diagnostics);
  Mechanism<Space>& m = *to.mechanism;
  to.frames.add_frames_of_model();
  add_variables(model, m);
  for (const Body& b : model.bodies) bind_element(to, model.elements[b.element]);
  bind_elements(to, TagRole::joint);
  if (!diagnostics.ok()) return nullptr;
  add_measures(to);
  bind_elements(to, TagRole::force);
  add_rates_and_residuals(to);
  m.evaluated = to.joints.evaluated();
  add_outputs(to);
  add_events(to);
  m.evaluated_in_outputs = to.joints.evaluated();
  count_turns(m, to.joints.used_as_number());
  // Conditions take the turns of angles in space that are nearest to the start values, and need no
  // counter.
  add_conditions(to);
  list_gradients(m);
  number_rows(m);
  if (diagnostics.ok()) to.dropped.name_rows(m, diagnostics);
  if (!diagnostics.ok()) return nullptr;
  return std::move(to.mechanism);
}

template std::unique_ptr<Mechanism<Planar>> make_mechanism(const Model&, Diagnostics&);
template std::unique_ptr<Mechanism<Spatial>> make_mechanism(const Model&, Diagnostics&);

}  // namespace mbs
