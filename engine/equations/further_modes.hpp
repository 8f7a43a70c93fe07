#pragma once

// Modes of contacts and dry friction beside those of Structure::ContactMode, where other rows that
// act (a stop, friction elsewhere in the same mechanism) keep them from moving: their own rows
// would say the same once more, and do not act.

namespace mbs {

// It does not slide; its friction is -limit times Structure::Contact::direction, whose length is
// the part of the limit that it bears. The normal row acts.
constexpr int held_contact = 3;
// Closed, and bears nothing.
constexpr int idle_contact = 4;

}  // namespace mbs
