#pragma once

// Arguments made up, of every type that the interfaces have. Arrays have exactly as many elements
// as the largest count of the call, on the heap, so that the address sanitizer sees every access
// beyond.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test::fuzz {

class Arguments {
 public:
  explicit Arguments(std::uint64_t number) : random_(number) {}

  // The pools from which references and states are taken.
  const VariableTable* table = nullptr;
  int version = 2;
  std::vector<void*> states;

  int pick(unsigned count) { return static_cast<int>(random_() % count); }
  std::size_t index(std::size_t count) { return random_() % count; }
  bool seldom() { return pick(12) == 0; }
  std::uint64_t any() { return random_(); }

  double number() {
    static constexpr double some[] = {0.0,
                                      1.0,
                                      -1.0,
                                      0.01,
                                      0.3,
                                      3.0,
                                      1e-9,
                                      -1e-300,
                                      5e-324,
                                      1e9,
                                      1e300,
                                      -1e300,
                                      std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN()};
    // The wild ones are a minority, else nothing ever runs.
    return some[pick(3) != 0 ? pick(6) : pick(std::size(some))];
  }
  double duration() {
    static constexpr double some[] = {
        0.01, 0.02, 0.005, 1e-9, 0.2, 0.0, -0.01, 1e-300, std::numeric_limits<double>::quiet_NaN()};
    return some[pick(4) != 0 ? pick(4) : pick(std::size(some))];
  }
  std::uint32_t reference() {
    if (seldom()) return static_cast<std::uint32_t>(random_());
    const auto one_of = [&](std::size_t count) {
      return static_cast<std::uint32_t>(index(count + 1));
    };
    if (version == 3 && pick(3) == 0) {
      const std::size_t k = one_of(table->arrays.size());
      return k < table->arrays.size() ? table->arrays[k].reference
                                      : first_array + static_cast<std::uint32_t>(k);
    }
    if (version == 3 && seldom()) return first_clock + one_of(table->clocks.size());
    return one_of(table->variables.size());
  }
  const char* text() {
    static const std::string long_one(5000, '%');
    static const char* const some[] = {
        "", "logEvents", "logAll", "%s%n%d", long_one.c_str(), "\xff\xfe", "logStatusError"};
    return seldom() ? nullptr : some[pick(std::size(some))];
  }
  void* state() { return states.empty() || seldom() ? nullptr : states[index(states.size())]; }

  // For the arrays of the next call.
  void begin(std::size_t room, bool times) {
    room_ = room;
    times_ = times;
  }
  void end() { arrays_.clear(); }

  template <class T>
  T* array() {
    auto* elements = static_cast<T*>(std::malloc(room_ * sizeof(T) + (room_ == 0)));
    for (std::size_t i = 0; i < room_; ++i) elements[i] = make<T>();
    arrays_.emplace_back(elements, std::free);
    return elements;
  }

  template <class T>
  T make() {
    if constexpr (std::is_same_v<T, double>) {
      return times_ ? duration() : number();
    } else if constexpr (std::is_same_v<T, float>) {
      return static_cast<float>(number());
    } else if constexpr (std::is_same_v<T, const char*>) {
      return text();
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      return reference();
    } else if constexpr (std::is_same_v<T, std::size_t>) {
      return seldom() ? random_() % (room_ + 1) : room_;
    } else if constexpr (std::is_same_v<T, void*>) {
      return state();
    } else if constexpr (std::is_same_v<T, const unsigned char*>) {
      return array<unsigned char>();
    } else if constexpr (std::is_same_v<T, fmi2EventInfo>) {
      return {};
    } else if constexpr (std::is_pointer_v<T>) {
      return seldom() ? nullptr : array<std::remove_const_t<std::remove_pointer_t<T>>>();
    } else if constexpr (std::is_same_v<T, bool>) {
      return pick(2) == 0;
    } else {
      return static_cast<T>(pick(4));  // whole numbers and enumerations
    }
  }

 private:
  std::mt19937_64 random_;
  std::size_t room_ = 0;
  bool times_ = false;
  std::vector<std::unique_ptr<void, void (*)(void*)>> arrays_;
};

}  // namespace mbs::test::fuzz
