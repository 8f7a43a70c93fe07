// Everything that influences what follows, as bytes and back.

#include "engine/simulation/core.hpp"

#include <stdexcept>
#include <utility>

#include "engine/simulation/sealed.hpp"

namespace mbs {
namespace {

constexpr std::int64_t most_stored_events = 1 << 20;

}  // namespace

void Simulation::save(ByteWriter& writer) const {
  const Core& c = *core_;
  landed();
  writer.put<std::uint64_t>(fnv(solver_.method, fnv(solver_.options.linear)));
  writer.put(c.tolerance);
  writer.put<std::uint32_t>(c.initialised | c.started << 1 | c.restart_needed << 2 |
                            c.exchange.on << 3 | c.predicted << 4 | c.slopes_end << 5);
  writer.put(c.parameters.values);
  writer.put(c.requested.values);
  for (const Inputs* inputs : {&c.inputs, &c.latest}) {
    writer.put(inputs->t0);
    writer.put(inputs->value);
    writer.put(inputs->first);
    writer.put(inputs->second);
  }
  writer.put(c.inputs.further);
  for (const Setting& setting : c.settings) {
    writer.put<std::uint32_t>(setting.touched | setting.varies << 1);
    writer.put(setting.to);
  }
  writer.put(c.input_size);
  c.history.save(writer);
  writer.put(c.horizon);
  writer.put(c.event_count);
  writer.put(c.event_time);
  writer.put(c.ended_by);
  writer.put<std::int64_t>(static_cast<std::int64_t>(c.fired.size()));
  for (const int function : c.fired) writer.put(function);
  writer.put<std::int64_t>(static_cast<std::int64_t>(c.open.size()));
  for (const Root& root : c.open) {
    writer.put(root.t);
    writer.put(root.function);
    writer.put(root.direction);
  }
  writer.put(c.reactions_here);
  writer.put(c.reacted_at);
  writer.put(c.reactions);
  writer.put<std::int64_t>(static_cast<std::int64_t>(c.timed.size()));
  for (const int function : c.timed) writer.put(function);
  writer.put(c.timed_at);
  c.x.save(writer);
  c.solver->save(writer);
  if (c.exchange.on) {
    writer.put(c.exchange.side);
    writer.put(c.exchange.shift);
    writer.put(c.exchange.largest);
    writer.put(c.exchange.seen);
    writer.put(c.exchange.seen_at);
    writer.put(c.exchange.next_time);
    writer.put(c.exchange.next_function);
  }
  if (!c.started) return;
  c.integrator->save(writer);
  c.finder->save(writer);
}

void Simulation::restore(ByteReader& reader) {
  if (!spare_) spare_ = std::make_unique<Core>(*equations_, solver_);
  Core& c = *spare_;
  std::uint64_t method = 0;
  reader.get(method);
  if (method != fnv(solver_.method, fnv(solver_.options.linear)))
    throw std::runtime_error("the stored state comes from another integration method");
  double tolerance = 0.0;
  reader.get(tolerance);
  c.set_tolerance(tolerance, *equations_, solver_);
  std::uint32_t flags = 0;
  reader.get(flags);
  c.initialised = flags & 1u;
  c.started = flags & 2u;
  c.restart_needed = flags & 4u;
  c.predicted = flags & 16u;
  c.slopes_end = flags & 32u;
  reader.get(c.parameters.values);
  reader.get(c.requested.values);
  for (Inputs* inputs : {&c.inputs, &c.latest}) {
    reader.get(inputs->t0);
    reader.get(inputs->value);
    reader.get(inputs->first);
    reader.get(inputs->second);
  }
  reader.get(c.inputs.further);
  c.find_foreseen();
  c.any_touched = c.slopes_end;
  for (Setting& setting : c.settings) {
    std::uint32_t bits = 0;
    reader.get(bits);
    setting = {(bits & 1u) != 0, (bits & 2u) != 0};
    reader.get(setting.to);
    c.any_touched = c.any_touched || setting.touched;
  }
  reader.get(c.input_size);
  c.history.restore(reader);
  reader.get(c.horizon);
  reader.get(c.event_count);
  reader.get(c.event_time);
  reader.get(c.ended_by);
  if (c.ended_by < -1 || c.ended_by >= equations_->sizes().phi)
    throw std::runtime_error("the stored state was ended by an event that is not there");
  const auto possible = [&](int function) {
    if (function >= 0 && function < equations_->sizes().phi) return;
    throw std::runtime_error("the stored state has an event that is not there");
  };
  const auto count = [&] {
    std::int64_t stored = 0;
    reader.get(stored);
    if (stored < 0 || stored > most_stored_events)
      throw std::runtime_error("the stored state has more events than can be");
    return static_cast<std::size_t>(stored);
  };
  const auto functions = [&](std::vector<int>& list) {
    list.resize(count());
    for (int& function : list) {
      reader.get(function);
      possible(function);
    }
  };
  functions(c.fired);
  c.open.resize(count());
  for (Root& root : c.open) {
    reader.get(root.t);
    reader.get(root.function);
    reader.get(root.direction);
    root.column = 0;
    possible(root.function);
  }
  reader.get(c.reactions_here);
  reader.get(c.reacted_at);
  reader.get(c.reactions);
  functions(c.timed);
  reader.get(c.timed_at);
  c.x.restore(reader);
  c.solver->restore(reader);
  c.exchange = Exchange{};
  c.exchange.on = flags & 8u;
  if (c.exchange.on) {
    const int n = equations_->sizes().phi;
    c.exchange.before.setZero(exchange_size());
    c.path.setZero(exchange_size());
    c.exchange.side.assign(static_cast<std::size_t>(n), 0);
    c.exchange.shift = c.exchange.largest = c.exchange.seen = Vector::Zero(n);
    reader.get(c.exchange.side);
    reader.get(c.exchange.shift);
    reader.get(c.exchange.largest);
    reader.get(c.exchange.seen);
    reader.get(c.exchange.seen_at);
    reader.get(c.exchange.next_time);
    reader.get(c.exchange.next_function);
    if (c.exchange.next_function >= 0) possible(c.exchange.next_function);
  }
  if (c.started) {
    c.integrator->restore(reader);
    c.finder->restore(reader);
    c.gather_found();
  } else {
    c.make_integrator(*equations_, solver_);
  }
  c.landed = true;
  c.uneventful = never;
  c.inputs_differ = false;
  c.events.clear();
  c.jumped.clear();
  c.notices.clear();
  // What follows from the values is not stored.
  equations_->derive(c.parameters);
  c.parameter_error = equations_->derive(c.requested);
  c.derive_pending = false;
  c.shown = 0;
  change_places();
}

void Simulation::change_places() {
  std::swap(core_, spare_);
  near_ = core_.get();
}

std::vector<std::byte> Simulation::serialise(std::uint64_t model_hash) const {
  std::vector<std::byte> bytes(envelope_size);
  ByteWriter writer(bytes);
  save(writer);
  seal(bytes, model_hash);
  return bytes;
}

void Simulation::deserialise(std::span<const std::byte> bytes, std::uint64_t model_hash) {
  ByteReader reader(open_sealed(bytes, model_hash));
  restore(reader);
  if (!reader.at_end()) {
    change_places();
    throw std::runtime_error("the stored state is too long");
  }
}

}  // namespace mbs
