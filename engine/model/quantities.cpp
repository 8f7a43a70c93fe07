#include "engine/model/quantities.hpp"

namespace mbs {

namespace {

constexpr QuantitySchema table[] = {
    {"position", Quantity::position, Target::frame, Components::vector, "m", 0,
     "of the frame's origin, from that of relative_to"},
    {"velocity", Quantity::velocity, Target::frame, Components::vector, "m/s", 0,
     "of the frame's origin, as seen in relative_to"},
    {"acceleration", Quantity::acceleration, Target::frame, Components::vector, "m/s^2", 0,
     "of the frame's origin, as seen in relative_to"},
    {"orientation", Quantity::orientation, Target::frame, Components::orientation, "rad", 0,
     "of the frame against relative_to"},
    {"angular_velocity", Quantity::angular_velocity, Target::frame, Components::axial, "rad/s", 0,
     "of the frame against relative_to"},
    {"angular_acceleration", Quantity::angular_acceleration, Target::frame, Components::axial,
     "rad/s^2", 0, "of the frame against relative_to"},
    {"q", Quantity::coordinate, Target::joint_coordinate, Components::coordinate, "?", 0,
     "coordinate of a joint"},
    {"qd", Quantity::coordinate_rate, Target::joint_coordinate, Components::coordinate, "?", 1,
     "its rate"},
    {"qdd", Quantity::coordinate_acceleration, Target::joint_coordinate, Components::coordinate,
     "?", 2, "its acceleration"},
    {"reaction", Quantity::reaction, Target::joint, Components::wrench, "N", 0,
     "force and torque of a joint on its frame b, at its origin"},
    {"force", Quantity::force_value, Target::force, Components::none, "?", 0,
     "the first number that the item shows: its force, tension or torque"},
    {"value", Quantity::force_value, Target::force, Components::values, "?", 0,
     "any number that the item shows, see there"},
    {"kinetic_energy", Quantity::kinetic_energy, Target::body_or_all, Components::none, "J", 0,
     "of a body, or without `of` of the whole model"},
    {"potential_energy", Quantity::potential_energy, Target::none, Components::none, "J", 0,
     "of gravity, springs and stiffnesses of the whole model"},
    {"energy", Quantity::energy, Target::none, Components::none, "J", 0, "the sum of both"},
    {"residual", Quantity::residual, Target::none, Components::none, "1", 0,
     "largest residual of the constraints on positions, scaled: how well the joints are closed, "
     "and "
     "half of the error in the sum of squares of Euler parameters"},
    {"velocity_residual", Quantity::velocity_residual, Target::none, Components::none, "1", 0,
     "the same for velocities"},
    {"events", Quantity::event_count, Target::event, Components::none, "1", 0,
     "how often an event has happened"},
    {"event_time", Quantity::event_time, Target::event, Components::none, "s", 0,
     "when it happened last; the start time while it has not"},
    {"statistic", Quantity::statistic, Target::none, Components::keyword, "1", 0,
     "a counter of the integrator, by the keyword in `component`"},
};

constexpr ComponentGroup groups[] = {
    {Components::vector, "all", true, true, 0, 3, false, "the vector"},
    {Components::axial, "all", false, true, 0, 3, false, "the vector"},
    {Components::orientation, "matrix", false, true, 0, 9, true, "the rotation matrix"},
    {Components::orientation, "angles", false, true, 9, 3, false, "the vector of rx, ry, rz"},
    {Components::wrench, "force", true, true, 0, 3, false, "the vector of the force"},
    {Components::wrench, "torque", false, true, 3, 3, false, "the vector of the torque"},
};

}  // namespace

std::span<const QuantitySchema> quantity_schema() {
  return table;
}

std::span<const ComponentGroup> component_groups() {
  return groups;
}

}  // namespace mbs
