#include "engine/multibody/assembly/frame_table.hpp"

#include <algorithm>

namespace mbs {

template <class Space>
void FrameTable<Space>::add_frames_of_model() {
  const int count = static_cast<int>(model_.frames.size());
  const auto numbers = [&](const std::array<Expression, 3>& values, int first, int n,
                           const std::string& owner) {
    const bool zero = std::all_of(values.begin(), values.end(), [](const Expression& x) {
      return x.is_constant() && x.constant() == 0.0;
    });
    if (zero) return absent;
    const int slot = static_cast<int>(m_.slots.size());
    for (int i = 0; i < n; ++i) add_slot(m_.slots, values[first + i], owner);
    return slot;
  };
  std::vector<char> is_origin(count, 0);
  for (const Body& b : model_.bodies) is_origin[b.origin] = 1;
  for (int k = 0; k < count; ++k) {
    const Frame& f = model_.frames[k];
    FrameData data;
    data.owner = "frame '" + f.name + "'";
    data.body = f.body;
    data.base = f.on;
    if (f.on < 0 && k > 0 && !is_origin[k]) {
      data.base = f.body == ground ? 0 : model_.bodies[f.body].origin;
    }
    data.position = numbers(f.position, 0, Space::dim, data.owner);
    data.rotation =
        numbers(f.rotation, Space::dim == 2 ? 2 : 0, Space::rotation_numbers, data.owner);
    m_.frames.push_back(data);
  }
  // Each after its base.
  std::vector<char> placed(count, 0);
  std::vector<int> path;
  for (int k = 0; k < count; ++k) {
    for (int f = k; f >= 0 && !placed[f]; f = m_.frames[f].base) {
      path.push_back(f);
      placed[f] = 1;
    }
    m_.frame_order.insert(m_.frame_order.end(), path.rbegin(), path.rend());
    path.clear();
  }
}

template <class Space>
void FrameTable<Space>::add_body(const ElementReader& e, BodyData data, int com) {
  const Body& b = model_.bodies[m_.bodies.size()];
  data.name = e.element().name;
  data.element = b.element;
  data.origin = b.origin;
  if (!m_.bodies.empty()) {
    const BodyData& last = m_.bodies.back();
    data.p = last.p + (last.rotates ? Space::np : Space::dim);
    data.v = last.v + (last.rotates ? Space::nv : Space::dim);
  }
  m_.frames[b.origin].com = com;
  m_.bodies.push_back(std::move(data));
}

template <class Space>
int FrameTable<Space>::add(FrameData frame) {
  m_.frames.push_back(std::move(frame));
  m_.frame_order.push_back(static_cast<int>(m_.frames.size()) - 1);
  return m_.frame_order.back();
}

template <class Space>
int FrameTable<Space>::turned(const ElementReader& e, int frame, int direction, int k, int next) {
  FrameData turned;
  turned.body = m_.frames[frame].body;
  turned.base = frame;
  turned.direction = direction;
  turned.turned_axis = k;
  turned.next = next;
  turned.owner = e.title();
  turned.element = e.index();
  return add(std::move(turned));
}

template <class Space>
int FrameTable<Space>::rotated(int frame, int rotation, const std::string& owner) {
  FrameData rotated;
  rotated.body = m_.frames[frame].body;
  rotated.base = frame;
  rotated.rotation = rotation;
  rotated.owner = owner;
  return add(std::move(rotated));
}

template <class Space>
int FrameTable<Space>::centre_of_mass(int body) {
  FrameData frame;
  frame.body = body;
  frame.owner = "the centre of mass of '" + m_.bodies[body].name + "'";
  return add(std::move(frame));
}

template <class Space>
bool FrameTable<Space>::rotates(int frame) const {
  const int body = m_.frames[frame].body;
  return body == ground || m_.bodies[body].rotates;
}

template <class Space>
void FrameTable<Space>::must_rotate(const ElementReader& e, int frame) const {
  if (rotates(frame)) return;
  const std::string& name = m_.bodies[m_.frames[frame].body].name;
  const bool is_joint = e.element().tag->role == TagRole::joint;
  e.error("no-orientation",
          e.title() + " acts on an orientation, and particle '" + name + "' has none",
          std::string("use a <body>") + (!is_joint ? ""
                                         : Space::dim == 2
                                             ? ", or a <revolute> to hold its position alone"
                                             : ", or a <spherical> to hold its position alone"));
}

template <class Space>
bool FrameTable<Space>::on_two_bodies(const ElementReader& e, int a, int b) const {
  const int body = m_.frames[a].body;
  if (body != m_.frames[b].body) return true;
  e.error("joint-on-one-body",
          e.title() + " has both sides on " +
              (body == ground ? "ground" : "body '" + m_.bodies[body].name + "'"),
          "a and b must be frames of different bodies, or one of them ground's");
  return false;
}

template class FrameTable<Planar>;
template class FrameTable<Spatial>;

}  // namespace mbs
