#pragma once

// Shared by fmi2.cpp and fmi3.cpp: from C arguments to calls of an Instance under the guard of its
// state machine.

#include <cstring>

#include "fmu_src/instance.hpp"

namespace mbs {

// States in which both versions allow a kind of function.
constexpr unsigned readable = any_mode;
constexpr unsigned writable =
    instantiated | initialization_mode | step_mode | event_mode | continuous_time_mode;

// An array argument; a null pointer is only possible with no elements.
template <class T>
std::span<T> array(T* data, std::size_t count) {
  if (data == nullptr && count > 0) throw Refusal("an array argument is null");
  return {data, count};
}

// An argument that receives a value.
template <class T>
T& receiver(T* argument) {
  if (argument == nullptr) throw Refusal("an argument that receives a value is null");
  return *argument;
}

// body(instance) under the guard. With a null handle there is nobody to log the error.
template <class Body>
Status call(void* handle, const char* function, unsigned allowed, Body&& body,
            std::optional<Kind> kind = {}) noexcept {
  if (handle == nullptr) return Status::error;
  auto& instance = *static_cast<Instance*>(handle);
  return instance.core.machine.call(
      function, allowed, [&] { body(instance); }, kind);
}

template <class Body>
Status exchange(void* handle, const char* function, unsigned allowed, Body&& body) noexcept {
  return call(handle, function, allowed, std::forward<Body>(body), Kind::model_exchange);
}
constexpr unsigned exchanging = event_mode | continuous_time_mode;
// Values after an error help to find its cause (FMI 2.0.5, 3.2.3 and 4.2.4: allowed;
// FMI 3.0.2: the state Terminated, 2.3).
constexpr unsigned differentiable = initialization_mode | step_mode | step_discarded | event_mode |
                                    continuous_time_mode | intermediate_update_mode | terminated |
                                    failed;
constexpr unsigned exchange_readable = initialization_mode | exchanging | terminated | failed;

inline Status not_provided(void* handle, const char* function, const char* why) noexcept {
  return call(handle, function, any_mode, [why](Instance&) { throw Refusal(why); });
}

template <class T>
Status get_values(void* handle, const char* function, const std::uint32_t* references,
                  std::size_t reference_count, T* values, std::size_t count) noexcept {
  return call(handle, function, readable, [=](Instance& instance) {
    instance.variables.get<T>(instance.variables.scalars(array(references, reference_count)),
                              array(values, count));
  });
}

// This and the next one are not inline because most calls end in the fast path (fast_path.hpp),
// which comes before them.
template <class T>
[[gnu::noinline]] Status set_values(void* handle, const char* function,
                                    const std::uint32_t* references, std::size_t reference_count,
                                    const T* values, std::size_t count,
                                    unsigned allowed = writable) noexcept {
  return call(handle, function, allowed, [=](Instance& instance) {
    instance.variables.set<T>(instance.variables.scalars(array(references, reference_count)),
                              array(values, count));
  });
}

[[gnu::noinline]] inline Status set_derivatives(void* handle, const char* function,
                                                const std::uint32_t* references, std::size_t count,
                                                const int* orders, const double* values) noexcept {
  return call(
      handle, function, writable,
      [=](Instance& instance) {
        instance.inputs.set_derivatives(array(references, count), array(orders, count),
                                        array(values, count));
      },
      Kind::co_simulation);
}

// Reading or setting values of a type without variables: only calls without references succeed.
inline Status no_values(void* handle, const char* function, unsigned allowed, const char* type,
                        const std::uint32_t* references, std::size_t count) noexcept {
  return call(handle, function, allowed, [=](Instance&) {
    if (!array(references, count).empty())
      throw Refusal(std::string("this FMU has no variables of type ") + type);
  });
}

// Stored states: *state is null or one of ours, which is then overwritten.
inline Status get_state(void* handle, const char* function, void** state) noexcept {
  return call(handle, function, any_mode, [=](Instance& instance) {
    void*& target = receiver(state);
    std::unique_ptr<StoredState> fresh;
    if (target == nullptr) fresh = std::make_unique<StoredState>();
    instance.store(fresh ? *fresh : *static_cast<StoredState*>(target));
    if (fresh) target = fresh.release();
  });
}

inline Status set_state(void* handle, const char* function, void* state) noexcept {
  return call(handle, function, any_mode, [=](Instance& instance) {
    instance.restore(receiver(static_cast<StoredState*>(state)));
  });
}

inline Status free_state(void* handle, const char* function, void** state) noexcept {
  return call(handle, function, any_mode, [=](Instance&) {
    if (state == nullptr) return;
    delete static_cast<StoredState*>(std::exchange(*state, nullptr));
  });
}

inline Status state_size(void* handle, const char* function, void* state,
                         std::size_t* size) noexcept {
  return call(handle, function, any_mode, [=](Instance&) {
    receiver(size) = receiver(static_cast<StoredState*>(state)).bytes.size();
  });
}

inline Status write_state(void* handle, const char* function, void* state, void* bytes,
                          std::size_t size) noexcept {
  return call(handle, function, any_mode, [=](Instance&) {
    const std::vector<std::byte>& stored = receiver(static_cast<StoredState*>(state)).bytes;
    if (size < stored.size())
      throw Refusal("the state has " + std::to_string(stored.size()) +
                    " bytes, there is room for " + std::to_string(size));
    std::memcpy(array(static_cast<std::byte*>(bytes), size).data(), stored.data(), stored.size());
  });
}

inline Status read_state(void* handle, const char* function, const void* bytes, std::size_t size,
                         void** state) noexcept {
  return call(handle, function, any_mode, [=](Instance& instance) {
    void*& target = receiver(state);
    const auto stored = array(static_cast<const std::byte*>(bytes), size);
    open_stored(stored, instance.core.packed());
    auto fresh = std::make_unique<StoredState>();
    fresh->bytes.assign(stored.begin(), stored.end());
    if (target != nullptr) delete static_cast<StoredState*>(target);
    target = fresh.release();
  });
}

// The part of instantiation that both versions share: `prepare` fills the request or throws. Null
// after a message.
template <class Prepare>
Instance* instantiate(const char* function, const char* name, const char* token, Logger logger,
                      Prepare&& prepare) noexcept {
  try {
    if (name == nullptr || *name == '\0') throw Refusal("the instance has no name");
    if (token == nullptr) throw Refusal("there is no token (guid)");
    InstanceRequest request;
    request.token = token;
    prepare(request);
    return new Instance(request, logger);
  } catch (const std::exception& error) {
    logger.log(Status::error, std::string(function) + ": " + error.what());
  } catch (...) {
    logger.log(Status::error, "unknown error");
  }
  return nullptr;
}

}  // namespace mbs
