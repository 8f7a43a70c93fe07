#pragma once

// The events of a simulation: how often and when they have happened, which are due at the present
// time, which one has ended the simulation, and what the log says of them.
//
// An event is due from where its time is reached until it has been handled. An importer with event
// mode sees it uncounted until then; otherwise it is counted at once, and what remains to be done
// is its action.

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/equations/equations.hpp"
#include "engine/events/root_finder.hpp"

namespace mbs {

struct LogEntry {
  double t;
  std::string text;
};

class EventRecord {
 public:
  explicit EventRecord(const Equations& equations);

  // The times of events that have not happened yet are t0.
  void start(double t0) { time_.setConstant(t0); }

  // The time of an event is reached. Internal ones are neither left uncounted nor reported.
  void reach(const Root& event, bool leave_uncounted);
  // The time of the last one since begin_report(); -infinity: there has been none.
  double last_reached() const { return last_reached_; }
  bool is_due() const { return !functions_.empty() || !uncounted_.empty(); }
  bool is_due(int function) const;
  bool any_uncounted() const { return !uncounted_.empty(); }
  bool any_to_handle() const { return !functions_.empty(); }
  // Counts what is due and hands over the functions that are to be handled, in the order of the
  // model: valid until the next call. None when an event has ended the simulation.
  std::span<const int> take_due();

  // Whether an event does something at once: it changes states, or the mode of a contact.
  bool acts(int function) const;
  bool is_time_event(int function) const;

  // Importers that integrate know the next time event in advance; it is due from its time
  // on.
  void announce(const Equations::TimeEvent& next) { announced_ = next; }
  const Equations::TimeEvent& announced() const { return *announced_; }
  bool announced_is_reached(double t) const;
  // The time at which laws of force are taken at t: just before a time event that is due.
  double law_time(double t) const;

  // Events since the last begin_report(), in order of time.
  std::span<const Root> reported() const { return reported_; }
  // keep: those that are reported now have not been read by anybody.
  void begin_report() {
    if (std::exchange(keep_, false)) return;
    reported_.clear();
    last_reached_ = -std::numeric_limits<double>::infinity();
  }
  void keep_report() { keep_ = true; }

  double count(int function) const { return count_[function]; }
  double time(int function) const { return time_[function]; }
  // Outputs that are counts or times of events.
  void fill(Vector& y) const;

  // The function whose event has ended the simulation; -1: it goes on.
  int ended_by() const { return ended_by_; }
  bool has_ended() const { return ended_by_ >= 0; }
  // "event 'floor' at t = 1.25 ended the simulation"; empty while it goes on.
  std::string end_message() const;

  void log(double t, std::span<const std::string> texts);
  std::vector<LogEntry> take_log_entries() { return std::exchange(log_, {}); }

  void save(ByteWriter&) const;
  void restore(ByteReader&);  // throws std::runtime_error

 private:
  void count(const Root& event);
  bool time_event_is_due() const;

  const Structure& structure_;
  Vector count_, time_;  // per switching function
  int ended_by_ = -1;
  std::vector<int> functions_;                     // to be handled at the present time
  std::vector<Root> uncounted_;                    // at the present time
  std::vector<int> taken_;                         // by take_due()
  std::optional<Equations::TimeEvent> announced_;  // none: no importer integrates
  std::vector<Root> reported_;
  double last_reached_ = -std::numeric_limits<double>::infinity();
  bool keep_ = false;
  std::vector<LogEntry> log_;
};

// Lists of events or functions in snapshots; a count or function that cannot be is refused.
std::size_t restore_count(ByteReader&);
int restore_function(ByteReader&, int functions);

}  // namespace mbs
