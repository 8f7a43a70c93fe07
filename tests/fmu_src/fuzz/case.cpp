#include "tests/fmu_src/fuzz/case.hpp"

#include <algorithm>

namespace mbs::test::fuzz {
namespace {

Arguments arguments(std::uint64_t number) {
  Arguments make(number);
  make.version = make.pick(2) == 0 ? 2 : 3;
  return make;
}

}  // namespace

Case::Case(std::uint64_t number, const std::vector<std::unique_ptr<Fmu>>& fmus)
    : make_(arguments(number)),
      fmu_(*fmus[make_.index(fmus.size())]),
      calls_(make_.version == 2 ? calls2(fmu_, make_) : calls3(fmu_, make_)) {
  make_.table = &fmu_.description.table;
}

Case::~Case() {
  while (!make_.states.empty()) {
    if (handles_.empty()) instantiate(true);  // states need an instance to be freed with
    drop_state();
  }
  for (const Handle& one : handles_) calls_->free(one.instance);
}

void Case::run() {
  instantiate(true);
  if (make_.pick(3) == 0) calls_->resize(now().instance);
  if (make_.pick(3) != 0) begin();
  for (int i = 5 + make_.pick(80); i > 0; --i) one_call();
}

void Case::one_call() {
  if (handles_.empty()) instantiate(true);
  if (make_.pick(5) == 0) current_ = make_.index(handles_.size());
  switch (make_.pick(27)) {
    case 0:
      return instantiate(false);
    case 1:
      return make_.pick(3) == 0 ? free_one() : get_state();
    case 2:
      return calls_->reset(handle());
    case 3:
      return begin();
    case 4:
      return enter();
    case 5:
      return static_cast<void>(calls_->exit(handle()));
    case 6:
      return make_.seldom() ? calls_->terminate(handle()) : calls_->resize(handle());
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
      return now().sort == exchange && !make_.seldom() ? exchange_step() : step();
    case 13:
      return events();
    case 14:
      return get_state();
    case 15:
      return static_cast<void>(calls_->set_state(handle(), make_.state()));
    case 16:
      return make_.pick(3) == 0 ? drop_state() : serialise();
    case 17:
      return deserialise();
    case 18:
    case 19:
      return calls_->derivative(handle());
    case 20:
    case 21:
      return calls_->values(handle());
    default:
      return calls_->any(handle());
  }
}

// ---- life of an instance

void Case::instantiate(bool good) {
  if (handles_.size() >= 3) return;
  if (good && make_.pick(2) == 0) instantiate(false);
  if (good && !handles_.empty()) return;
  const auto spoilt = [&](const std::string& value) {
    return good || !make_.seldom() ? value.c_str() : make_.text();
  };
  const Description& about = fmu_.description;
  const std::string place = make_.version == 2 ? fmu_.uri() : fmu_.resources.path() + "/";
  const std::string name = "fuzz";
  const bool ticking = make_.version == 3 && !about.clock_token.empty() && make_.pick(2) == 0;
  Start start;
  start.sort = static_cast<Sort>(make_.pick(3));
  start.name = spoilt(name);
  const bool arrays = make_.version == 3 && !about.array_token.empty() && make_.pick(3) != 0;
  start.token = spoilt(ticking ? about.clock_token : arrays ? about.array_token : about.token);
  start.resources = spoilt(place);
  start.logging = make_.pick(2) == 0;
  start.spoilt = !good;
  void* instance = calls_->instantiate(start);
  if (instance) return handles_.push_back({instance, 0.0, start.sort});
  if (!good) return;
  std::fprintf(stderr, "a good instantiation is refused\n");
  std::abort();
}

void Case::free_one() {
  if (handles_.size() < 2) return;  // states need an instance to be freed with
  calls_->free(now().instance);
  handles_.erase(handles_.begin() + static_cast<std::ptrdiff_t>(current_));
  current_ = 0;
}

// Leads an instance to its run as an importer does.
void Case::begin() {
  if (!make_.seldom()) calls_->reset(now().instance);
  enter();
  if (calls_->exit(handle()) > warning) return;
  if (now().sort != plain) calls_->update_events(handle(), now().sort);
}

void Case::enter() {
  const double start = make_.pick(4) == 0 ? make_.number() : 0.0;
  const bool with_stop = make_.seldom(), with_tolerance = make_.seldom();
  const double stop = with_stop ? make_.number() : 0.0;
  const double tolerance = with_tolerance ? make_.number() : 0.0;
  calls_->enter(handle(), with_tolerance, tolerance, start, with_stop, stop);
  now().time = start;
}

// ---- steps and events

void Case::step() {
  const double time = make_.seldom() ? make_.number() : now().time, size = make_.duration();
  const StepResult result = calls_->step(handle(), time, size);
  if (result.status == error && make_.pick(2) == 0) return begin();  // else nothing goes any more
  if (result.status > warning) return;
  now().time = result.end;
  if (result.event && make_.pick(3) != 0) events();
}

void Case::events() {
  calls_->enter_events(handle());
  calls_->update_events(handle(), now().sort);
}

// The importer integrates: a step of Euler's, by states and rates that it asks for.
void Case::exchange_step() {
  const int known = calls_->state_count(now().instance);
  const std::size_t n = make_.seldom() ? make_.index(40) : static_cast<std::size_t>(known);
  const std::unique_ptr<double[]> x(new double[n]()), dx(new double[n]());
  const double h = make_.duration();
  now().time += h;
  calls_->get_states(handle(), x.get(), n);
  calls_->get_rates(handle(), dx.get(), n);
  for (std::size_t i = 0; i < n; ++i) x[i] += make_.seldom() ? make_.number() : h * dx[i];
  if (calls_->set_time(handle(), now().time) == error && make_.pick(2) == 0) return begin();
  calls_->set_states(handle(), x.get(), n);
  const std::size_t indicators = fmu_.description.table.indicators.size();
  const std::unique_ptr<double[]> phi(new double[indicators]());
  calls_->get_indicators(handle(), phi.get(), indicators);
  const bool wanted = calls_->completed(handle());
  if (wanted || make_.seldom()) events();
}

// ---- states

void Case::get_state() {
  void* fresh = nullptr;
  void** state = &fresh;
  if (!make_.states.empty() && make_.pick(2) == 0)
    state = &make_.states[make_.index(make_.states.size())];
  if (state == &fresh && make_.states.size() > 6) return;
  calls_->get_state(handle(), state);
  if (fresh) make_.states.push_back(fresh);
}

void Case::drop_state() {
  if (make_.states.empty() || handles_.empty()) return;
  void*& state = make_.states.back();
  if (calls_->free_state(handles_.front().instance, &state) != ok || state) std::abort();
  make_.states.pop_back();
}

void Case::serialise() {
  void* state = make_.state();
  void* instance = handle();
  std::size_t size = 0;
  if (calls_->state_size(instance, state, &size) > warning) return;
  const bool short_one = make_.seldom();
  const std::size_t room =
      short_one ? size - std::min<std::size_t>(size, static_cast<std::size_t>(make_.pick(9)))
                : size;
  const std::unique_ptr<unsigned char[]> bytes(new unsigned char[room]);
  const int status = calls_->write_state(instance, state, bytes.get(), room);
  if ((status == ok) != (room == size)) std::abort();
  if (status == ok) blob_.assign(bytes.get(), bytes.get() + room);
}

// A stored state, perhaps spoilt: then it is refused.
void Case::deserialise() {
  if (make_.states.size() > 6) return;
  std::vector<unsigned char> blob = blob_;
  if (make_.pick(2) == 0 && !blob.empty()) {
    for (int i = make_.pick(5); i >= 0; --i)
      blob[make_.index(blob.size())] = static_cast<unsigned char>(make_.any());
    if (make_.pick(3) == 0) blob.resize(make_.index(blob.size() + 9));
  }
  const std::unique_ptr<unsigned char[]> bytes(new unsigned char[blob.size()]);
  std::copy(blob.begin(), blob.end(), bytes.get());
  void* fresh = nullptr;
  const int status = calls_->read_state(handle(), bytes.get(), blob.size(), &fresh);
  if (fresh) make_.states.push_back(fresh);
  if (status == ok && blob != blob_) {
    std::fprintf(stderr, "a spoilt state is taken\n");
    std::abort();
  }
}

}  // namespace mbs::test::fuzz
