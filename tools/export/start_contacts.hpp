// What contacts add to a start in any of their modes. Contacts that are open where it is looked may
// be closed elsewhere, and may slide or bounce. What tells them (their gaps and speeds, their laws,
// and the forces on them) acts on all that they do then.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/analysis/influence.hpp"
#include "tools/export/starts.hpp"

namespace mbs {

// What is seen of contacts while seen_to_act() looks at starts.
class ContactWatch : public StartWatch {
 public:
  ContactWatch(const Equations& equations, std::size_t knobs);
  void see(const Starts& start) override;
  void see(const Starts& start, std::size_t moved) override;
  void see_none(std::size_t moved) override;

  bool has_normal(int contact) const {
    return equations_.structure().contacts[of(contact)].normal >= 0;
  }
  // The gap has always been the same, and is one.
  bool is_apart(int contact) const { return seen_[of(contact)].apart; }
  // Nothing has moved along it: there is no impact.
  bool is_still(int contact) const { return seen_[of(contact)].still; }
  // Friction alone that has always stuck and borne nothing: whatever its law, it does nothing.
  bool is_idle(int contact) const { return seen_[of(contact)].idle; }
  // The gap, or the speed at which it is met.
  bool changes(int contact, std::size_t knob) const { return changes_[knob][of(contact)] != 0; }
  // What impulses do to a velocity: masses, levers of contacts and constraints.
  bool changes_impulses(int velocity, std::size_t knob) const {
    return impulses_[knob][static_cast<std::size_t>(velocity)] != 0;
  }

  struct At {
    State x;
    Inputs inputs;
    Parameters parameters;
  };
  std::span<const At> points() const { return points_; }

 private:
  struct Seen {
    bool apart = true, still = true, idle = true;
    double gap = 0.0;  // the first one
  };
  struct Values {
    Vector gap, speed;  // of contacts
    RowSparse G;
    ColumnSparse M;
  };
  static std::size_t of(int contact) { return static_cast<std::size_t>(contact); }
  Values evaluate(const At& at);
  void note(const At& at, const Values& values);

  const Equations& equations_;
  std::unique_ptr<Workspace> ws_;
  std::vector<Seen> seen_;
  std::vector<std::vector<char>> changes_, impulses_;  // by knobs
  std::vector<At> points_;
  Values here_;
};

// Of a start that moves on at once. For each contact and knob, whether it acts on its mode.
// running: its columns after those of the states are the knobs.
std::vector<std::vector<char>> add_contacts(const Equations& smooth, const Equations& blurred,
                                            const Influence& running, const ContactWatch& watch,
                                            std::span<const Knob> knobs, Acting& acts);

}  // namespace mbs
