// Derives the numbers that depend on parameters alone, and checks that they are possible.

#include "engine/multibody/mechanism.hpp"

#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/plausibility.hpp"
#include "engine/multibody/forces.hpp"

namespace mbs {

Mat<double, 3> rotation_about(int axis, double angle) {
  Mat<double, 3> R = identity3<double>();
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  R(i, i) = R(j, j) = std::cos(angle);
  R(j, i) = std::sin(angle);
  R(i, j) = -R(j, i);
  return R;
}

Mat<double, 3> cardan_rotation(const double* angles) {
  return rotation_about(0, angles[0]) * rotation_about(1, angles[1]) * rotation_about(2, angles[2]);
}

// The largest Euler parameter is taken from the diagonal first, because the others are divided by
// it.
void euler_parameters(const Mat<double, 3>& R, double* e) {
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  int k = -1;  // which of e1, e2, e3 is largest; -1: e0
  double largest = trace;
  for (int i = 0; i < 3; ++i) {
    if (R(i, i) > largest) largest = R(i, i), k = i;
  }
  if (k < 0) {
    e[0] = 0.5 * std::sqrt(1.0 + trace);
    e[1] = 0.25 * (R(2, 1) - R(1, 2)) / e[0];
    e[2] = 0.25 * (R(0, 2) - R(2, 0)) / e[0];
    e[3] = 0.25 * (R(1, 0) - R(0, 1)) / e[0];
    return;
  }
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const double x = 0.5 * std::sqrt(1.0 + R(k, k) - R(i, i) - R(j, j));
  e[1 + k] = x;
  e[0] = 0.25 * (R(j, i) - R(i, j)) / x;
  e[1 + i] = 0.25 * (R(i, k) + R(k, i)) / x;
  e[1 + j] = 0.25 * (R(j, k) + R(k, j)) / x;
}

namespace {

// A rotation whose column `k` lies along a direction; no rotation when it does already. False for a
// direction of length zero.
bool rotation_to(int, const Vec<double, 2>& direction, const Vec<double, 2>*,
                 PlaneRotation<double>& R) {
  if (!(dot(direction, direction) > 0.0)) return false;
  R = plane_rotation(std::atan2(direction[1], direction[0]));
  return true;
}

bool rotation_to(int k, const Vec<double, 3>& direction, const Vec<double, 3>* along,
                 Mat<double, 3>& R) {
  const double length = std::sqrt(dot(direction, direction));
  if (!(length > 0.0)) return false;
  const Vec<double, 3> axis = (1.0 / length) * direction;
  int m = (k + 1) % 3;  // the coordinate axis that is farthest from `axis`
  for (const int other : {(k + 2) % 3, k}) {
    if (std::abs(axis[other]) < std::abs(axis[m])) m = other;
  }
  Vec<double, 3> e;
  e[m] = 1.0;
  if (along != nullptr) e = *along;
  Vec<double, 3> next = e - dot(e, axis) * axis;
  next = (1.0 / std::sqrt(dot(next, next))) * next;
  const Vec<double, 3> last = cross(axis, next);
  for (int i = 0; i < 3; ++i) {
    R(i, k) = axis[i];
    R(i, (k + 1) % 3) = next[i];
    R(i, (k + 2) % 3) = last[i];
  }
  return true;
}

// Attributes that must keep to ">=0" or ">0" at the start must do so later.
std::string check_range(const Slot& slot, double x) {
  if (!std::isfinite(x)) {
    return std::string(slot.attribute ? slot.attribute->name : "a number") + " of " + slot.owner +
           " is " + number_text(x);
  }
  if (slot.attribute == nullptr) return {};
  const std::string_view range = slot.attribute->range;
  if ((range == ">=0" && x < 0.0) || (range == ">0" && x <= 0.0)) {
    return std::string(slot.attribute->name) + " of " + slot.owner + " is " + number_text(x) +
           ", it must be " + std::string(range);
  }
  return {};
}

// Stores the constants of frame k, which stands on one that has them.
template <class Space>
Defect place_frame(const Mechanism<Space>& m, int k, double* derived) {
  const FrameData& f = m.frames[k];
  FrameConstants<Space> at;
  if (f.base >= 0) at = m.frame(derived, f.base);
  if (f.com != absent) {
    for (int i = 0; i < Space::dim; ++i) at.s[i] = -derived[f.com + i];
  }
  if (f.position != absent) {
    Vec<double, Space::dim> position;
    for (int i = 0; i < Space::dim; ++i) position[i] = derived[f.position + i];
    at.s += turn(at.R, position);
  }
  typename Space::template Rotation<double> R = no_rotation<Space, double>();
  if (f.rotation != absent) {
    if constexpr (Space::dim == 2) {
      R = plane_rotation(derived[f.rotation]);
    } else {
      R = cardan_rotation(derived + f.rotation);
    }
  }
  if (f.direction != absent) {
    Vec<double, Space::dim> direction;
    for (int i = 0; i < Space::dim; ++i) direction[i] = derived[f.direction + i];
    Vec<double, Space::dim> next;
    for (int i = 0; f.next != absent && i < Space::dim; ++i) next[i] = derived[f.next + i];
    if (f.next != absent) {
      const double cosine =
          dot(direction, next) / std::sqrt(dot(direction, direction) * dot(next, next));
      if (!(std::abs(cosine) < 1e-6)) {
        return {"the two axes of " + f.owner +
                    (std::abs(cosine) > 1.0 - 1e-9 ? " are parallel" : " are not perpendicular"),
                f.element};
      }
    }
    if (!rotation_to(f.turned_axis, direction, f.next == absent ? nullptr : &next, R)) {
      return {"axis of " + f.owner + " has no length", f.element};
    }
  }
  at.R = compose(at.R, R);
  store_frame(at, derived + m.slots.size() + Space::frame_numbers * k);
  return {};
}

Defect friction_defect(const std::vector<ContactData>& contacts, const double* derived) {
  for (const ContactData& c : contacts) {
    const bool of_normal = c.mu_static != absent && c.mu != absent;
    const double least = of_normal ? derived[c.mu] : 1.0;
    const double holds = of_normal                  ? derived[c.mu_static]
                         : c.static_ratio != absent ? derived[c.static_ratio]
                                                    : 1.0;
    if (holds >= least) continue;
    return {(of_normal ? "mu_static of contact '" : "static of friction '") + c.name + "' is " +
                number_text(holds) + ", it must be at least " + (of_normal ? "mu, which is " : "") +
                number_text(least) +
                ": friction holds at least as much while it sticks as while it slides",
            c.element};
  }
  return {};
}

}  // namespace

template <class Space>
Defect Mechanism<Space>::derive(Parameters& parameters) const {
  const std::span<double> values(parameters.values.data(),
                                 static_cast<std::size_t>(parameters.values.size()));
  for (const int i : parameter_order) {
    if (calculated[i]) parameters.values[i] = evaluate(parameter_values[i], values);
  }
  double* derived = parameters.derived.data();
  for (std::size_t k = 0; k < slots.size(); ++k) {
    derived[k] = evaluate(slots[k].value, values);
    if (std::string wrong = check_range(slots[k], derived[k]); !wrong.empty()) {
      return {std::move(wrong), slots[k].element};
    }
  }
  for (const int k : frame_order) {
    if (Defect wrong = place_frame(*this, k, derived); !wrong.message.empty()) return wrong;
  }
  if (Defect wrong = friction_defect(contacts, derived); !wrong.message.empty()) return wrong;
  for (const BodyData& body : bodies) {
    if (!body.rotates || body.published) continue;
    const std::string wrong =
        inertia_defect({derived + body.inertia, static_cast<std::size_t>(Space::inertia_numbers)});
    if (!wrong.empty()) return {"inertia of body '" + body.name + "' " + wrong, body.element};
  }
  return {};
}

template <class Space>
bool Mechanism<Space>::massless(const Parameters& parameters) const {
  for (const BodyData& body : bodies) {
    if (parameters.derived[body.mass] == 0.0) return true;
    for (int k = 0; body.rotates && k < Space::rot; ++k) {
      if (parameters.derived[body.inertia + k] == 0.0) return true;
    }
  }
  return false;
}

template <class Space>
void number_further_rows(Mechanism<Space>& m) {
  for (DriveData& d : m.drives) d.row = m.rows++;
  for (GuideData& g : m.guides) g.row = m.rows++;
  for (RollingData& r : m.rolling) {
    if (r.touches) r.normal = m.rows++;
  }
  for (ContactData& c : m.contacts) {
    if (c.kind != ContactData::Kind::friction) c.normal = m.rows++;
  }
  for (RollingData& r : m.rolling) {
    r.slip = m.rows;
    m.rows += r.slips;
  }
  for (ContactData& c : m.contacts) {
    if (c.tangents == 0) continue;
    c.tangent = m.rows;
    m.rows += c.tangents;
  }
}

template void number_further_rows(Mechanism<Planar>&);
template void number_further_rows(Mechanism<Spatial>&);
template struct Mechanism<Planar>;
template struct Mechanism<Spatial>;

}  // namespace mbs
