#pragma once

// One case: it is its number, from which come the version, the model, the calls and their
// arguments.

#include "tests/fmu_src/fuzz/calls.hpp"

namespace mbs::test::fuzz {

class Case {
 public:
  Case(std::uint64_t number, const std::vector<std::unique_ptr<Fmu>>& fmus);
  ~Case();
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;
  void run();

 private:
  struct Handle {
    void* instance;
    double time;
    Sort sort;
  };
  void one_call();
  void instantiate(bool good);  // good: there is an instance afterwards
  void begin();
  void enter();
  void free_one();
  void step();
  void events();
  void exchange_step();
  void get_state();
  void drop_state();
  void serialise();
  void deserialise();

  Handle& now() { return handles_[current_]; }
  void* handle() { return handles_.empty() || make_.pick(60) == 0 ? nullptr : now().instance; }

  Arguments make_;
  const Fmu& fmu_;
  const std::unique_ptr<Calls> calls_;
  std::vector<Handle> handles_;
  std::size_t current_ = 0;
  std::vector<unsigned char> blob_;
};

}  // namespace mbs::test::fuzz
