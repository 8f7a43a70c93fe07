#include "engine/simulation/sealed.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace mbs {
namespace {

// Increase whenever what a driver or an integrator saves changes.
constexpr std::uint32_t format_version = 4;
constexpr std::uint32_t endianness_mark = 0x01020304u;

struct Envelope {
  char magic[4];
  std::uint32_t version, endianness, size_of_long;
  std::uint64_t model, length, checksum;
};
static_assert(sizeof(Envelope) == envelope_size);

Envelope envelope_for(std::span<const std::byte> inside, std::uint64_t model_hash) {
  return {{'M', 'B', 'S', 'F'}, format_version, endianness_mark, sizeof(long),
          model_hash,           inside.size(),  fnv(inside)};
}

[[noreturn]] void refuse(const std::string& why) {
  throw std::runtime_error("the stored state cannot be used: " + why);
}

}  // namespace

std::uint64_t fnv(std::span<const std::byte> bytes, std::uint64_t hash) {
  for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
  return hash;
}

std::uint64_t fnv(std::string_view text, std::uint64_t hash) {
  return fnv(std::as_bytes(std::span(text.data(), text.size())), hash);
}

void seal(std::vector<std::byte>& bytes, std::uint64_t model_hash) {
  const Envelope e = envelope_for(std::span(bytes).subspan(envelope_size), model_hash);
  std::memcpy(bytes.data(), &e, sizeof e);
}

std::span<const std::byte> open_sealed(std::span<const std::byte> bytes, std::uint64_t model_hash) {
  if (bytes.size() < envelope_size)
    refuse("it has " + std::to_string(bytes.size()) + " bytes, less than its head");
  Envelope e;
  std::memcpy(&e, bytes.data(), sizeof e);
  const auto inside = bytes.subspan(envelope_size);
  const Envelope expected = envelope_for(inside, model_hash);
  if (std::memcmp(e.magic, expected.magic, sizeof e.magic) != 0)
    refuse("it does not begin with the mark MBSF");
  if (e.endianness != expected.endianness || e.size_of_long != expected.size_of_long)
    refuse("it was made on a machine with other numbers (byte order or size)");
  if (e.version != expected.version)
    refuse("its format is version " + std::to_string(e.version) + ", this is version " +
           std::to_string(expected.version));
  if (e.model != expected.model) refuse("it belongs to another model");
  if (e.length != expected.length)
    refuse("it has " + std::to_string(expected.length) + " bytes where its head says " +
           std::to_string(e.length));
  if (e.checksum != expected.checksum) refuse("its checksum is wrong, it has been changed");
  return inside;
}

}  // namespace mbs
