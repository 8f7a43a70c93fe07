#pragma once

// Everything that affects what follows as bytes that other processes can read (see sealed.hpp).

#include "engine/base/bytes.hpp"
#include "engine/simulation/sealed.hpp"

namespace mbs {

template <class Simulation>
std::vector<std::byte> serialise(const Simulation& simulation, std::uint64_t model_hash) {
  std::vector<std::byte> bytes(envelope_size);
  ByteWriter writer(bytes);
  simulation.save(writer);
  seal(bytes, model_hash);
  return bytes;
}

// Throws std::runtime_error, the simulation is then as it was.
template <class Simulation>
void deserialise(Simulation& simulation, std::span<const std::byte> bytes,
                 std::uint64_t model_hash) {
  ByteReader reader(open_sealed(bytes, model_hash));
  simulation.restore(reader);
}

}  // namespace mbs
