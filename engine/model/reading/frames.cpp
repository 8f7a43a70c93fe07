#include "engine/model/reading/bind.hpp"

namespace mbs {

void bind_frame(ReadContext& context, const Item& item) {
  ExpandedModel& expanded = context.expanded;
  Frame& frame = expanded.model.frames[item.index];
  copy_numbers(context.read(item, "pos"), frame.position);
  const AttributeValue rotation = context.read(item, "rot");
  if (rotation.numbers.size() == 1) {
    frame.rotation[2] = rotation.numbers[0];
  } else {
    copy_numbers(rotation, frame.rotation);
  }
  if (context.attributes.text(item, item.attribute("on")).present()) {
    frame.on = context.read(item, "on").index;
  } else if (item.owner == ground) {
    frame.on = expanded.system_of(item.scope).ground;
  } else {
    frame.on = expanded.model.bodies[item.owner].origin;
  }
}

void find_bodies_of_frames(ReadContext& context) {
  Model& model = context.expanded.model;
  enum : char { unknown, open, known };
  std::vector<char> state(model.frames.size(), unknown);
  state[0] = known;
  for (const Body& body : model.bodies) state[body.origin] = known;
  std::vector<int> chain;
  for (int k = 0; k < static_cast<int>(model.frames.size()); ++k) {
    chain.clear();
    int at = k;
    for (; at >= 0 && state[at] == unknown; at = model.frames[at].on) {
      state[at] = open;
      chain.push_back(at);
    }
    if (at >= 0 && state[at] == open) {
      context.report.error(model.frames[at].place, "frame-cycle",
                           "frames are placed on each other in a circle, '" +
                               model.frames[at].name + "' is one of them");
    }
    const int body = at >= 0 ? model.frames[at].body : ground;
    for (const int f : chain) {
      state[f] = known;
      Frame& frame = model.frames[f];
      const int declared = frame.body;
      frame.body = body;
      if (declared == ground || body == declared || frame.on < 0) continue;
      context.report.error(
          frame.place, "frame-on",
          "the frame '" + frame.name + "' stands in one body and is placed on another",
          "take it out of the body, or place it on a frame of the same body");
    }
  }
  for (Frame& frame : model.frames) {
    const bool origin = frame.on == 0 || (frame.on > 0 && frame.body != ground &&
                                          frame.on == model.bodies[frame.body].origin);
    if (origin) frame.on = -1;
  }
}

}  // namespace mbs
