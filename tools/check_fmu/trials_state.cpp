// Saving, restoring and serialising states: replay to the bit, pointers, foreign bytes, growth.
#include <algorithm>
#include <cmath>

#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {
namespace {

using import::Bytes;
using import::State;
using import::Status;

const std::string memory_advice =
    "a state holds everything on which the continuation depends, time and the integrator's history "
    "too";

bool saves(const import::ModelDescription& d) {
  return d.co_simulation->can_get_and_set_state;
}
bool serializes(const import::ModelDescription& d) {
  return d.co_simulation->can_serialize_state;
}

State saved(Trial& trial, import::Instance& instance) {
  State state = nullptr;
  trial.parent().doing("GetFMUState");
  trial.expect_good(instance.get_state(state), "GetFMUState");
  if (!state) trial.stop("GetFMUState answers ok and gives no state", "make one");
  return state;
}

void restore(Trial& trial, import::Instance& instance, State state) {
  trial.parent().doing("SetFMUState");
  trial.expect_good(instance.set_state(state), "SetFMUState");
}

void replays(Trial& trial) {
  const int count = trial.grid().count, middle = count / 2;
  const auto instance = trial.started();
  trial.advance(*instance, 0, middle);
  State state = saved(trial, *instance);
  const Values there = trial.outputs(*instance);
  trial.advance(*instance, middle, count);
  const Values end = trial.outputs(*instance);
  trial.expect_same(end, trial.run_alone(count), "after a state was saved", memory_advice);
  for (int again = 0; again < 2; ++again) {
    restore(trial, *instance, state);
    trial.expect_same(trial.outputs(*instance), there, "after a state was restored", memory_advice);
    trial.advance(*instance, middle, count);
    trial.expect_same(trial.outputs(*instance), end,
                      again == 0 ? "a replay ends with" : "a second replay of one state ends with",
                      memory_advice);
  }
  trial.expect_good(instance->free_state(state), "FreeFMUState");
}

void handles_pointers(Trial& trial) {
  const auto instance = trial.started();
  trial.advance(*instance, 0, 1);
  State state = saved(trial, *instance);
  const State first = state;
  trial.advance(*instance, 1, 2);
  const Values there = trial.outputs(*instance);
  trial.parent().doing("GetFMUState over a state");
  trial.expect_good(instance->get_state(state), "GetFMUState over a state");
  if (state != first)
    trial.error("GetFMUState over a state makes another one",
                "write over the state that the pointer leads to");
  restore(trial, *instance, state);
  trial.expect_same(trial.outputs(*instance), there, "after a state was written over and restored",
                    "write the present state there");
  trial.parent().doing("FreeFMUState");
  trial.expect_good(instance->free_state(state), "FreeFMUState");
  if (state) trial.stop("FreeFMUState leaves the pointer as it was", "make it null");
  trial.parent().doing("FreeFMUState of null");
  trial.expect_good(instance->free_state(state), "FreeFMUState of null");
}

void carries_over(Trial& trial) {
  const int count = trial.grid().count, middle = count / 2;
  // Saved in one process, restored in another.
  const import::TemporaryFolder folder;
  trial.parent().doing("serialization in another process");
  const ChildEnd end =
      run_in_child({folder.path()}, trial.subject().options.time_limit, [&](ToParent& parent) {
        Trial first(trial.subject(), trial.folder(), trial.grid(), "R2", parent);
        try {
          const auto instance = first.started();
          first.advance(*instance, 0, middle);
          State state = saved(first, *instance);
          Bytes bytes;
          parent.doing("SerializeFMUState");
          first.expect_good(instance->serialize(state, bytes), "serializing");
          first.expect_good(instance->free_state(state), "FreeFMUState");
          parent.result(std::string(bytes.begin(), bytes.end()));
        } catch (const Trial::Stopped&) {
        }
      });
  for (const Finding& finding : end.findings) trial.parent().finding(finding);
  if (!end.findings.empty()) return;
  if (end.how != ChildEnd::How::finished)
    trial.stop("crashes or hangs in " + end.doing, "run it there in a debugger");
  const Bytes bytes(end.result.begin(), end.result.end());
  const auto other = trial.started();
  State state = nullptr;
  trial.parent().doing("DeserializeFMUState");
  trial.expect_good(other->deserialize(bytes, state), "deserializing in another process");
  restore(trial, *other, state);
  trial.advance(*other, middle, count);
  trial.expect_same(trial.outputs(*other), trial.run_alone(count),
                    "a run from a serialized state ends with", memory_advice);
  trial.expect_good(other->free_state(state), "FreeFMUState");
}

void refuses_foreign_bytes(Trial& trial) {
  const auto instance = trial.started();
  trial.advance(*instance, 0, 1);
  State state = saved(trial, *instance);
  Bytes bytes;
  trial.expect_good(instance->serialize(state, bytes), "serializing");
  trial.expect_good(instance->free_state(state), "FreeFMUState");
  if (bytes.empty()) return;
  struct Blob {
    const char* what;
    Bytes bytes;
    bool must_be_refused;
  };
  Bytes half(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2));
  Bytes longer = bytes, altered = bytes;
  longer.resize(bytes.size() + 8, 0);
  altered[bytes.size() / 3] ^= 0x40;
  for (const Blob& blob : {Blob{"half of a serialized state", half, true},
                           Blob{"a serialized state with 8 bytes more", longer, true},
                           Blob{"a serialized state with one bit changed", altered, false}}) {
    const auto other = trial.started();
    State strange = nullptr;
    trial.parent().doing(std::string("deserializing ") + blob.what);
    if (!is_good(other->deserialize(blob.bytes, strange))) continue;
    const std::string what = std::string("DeserializeFMUState takes ") + blob.what;
    const std::string advice = "mark states by token, length and checksum; answer Error";
    if (blob.must_be_refused)
      trial.error(what, advice);
    else
      trial.advice(what, advice);
    if (strange) trial.expect_good(other->free_state(strange), "FreeFMUState");
  }
}

void does_not_grow(Trial& trial) {
  const auto instance = trial.started();
  trial.advance(*instance, 0, 1);
  State state = nullptr;
  trial.parent().doing("saving and restoring a thousand times");
  const double kept = growth_per_cycle(300, [&](int i) {
    trial.expect_good(instance->get_state(state), "GetFMUState");
    trial.expect_good(instance->set_state(state), "SetFMUState");
    if (i % 2 == 0) trial.expect_good(instance->free_state(state), "FreeFMUState");
  });
  if (kept > 8)
    trial.error("keeps " + std::to_string(std::lround(kept)) +
                    " bytes each time that a state is saved and restored",
                "free what a state owned before");
  trial.expect_good(instance->free_state(state), "FreeFMUState");
}

}  // namespace

std::vector<TrialEntry> state_trials() {
  return {{"R1", "replay", saves, replays},
          {"F8", "pointers to states", saves, handles_pointers},
          {"R2", "states across processes", serializes, carries_over},
          {"R2", "foreign states", serializes, refuses_foreign_bytes},
          {"R3", "a thousand states", saves, does_not_grow}};
}

}  // namespace mbs::check_fmu
