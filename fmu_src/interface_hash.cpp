#include <array>
#include <bit>

#include "engine/simulation/sealed.hpp"
#include "fmu_src/variables.hpp"

namespace mbs {

std::string interface_hash(const VariableTable& table, Extra extra) {
  // Two hashes with different starts make the 128 bits that such a token usually has.
  std::array<std::uint64_t, 2> hash{fnv_start, fnv("mbsfmu")};
  const auto bytes = [&hash](const void* data, std::size_t size) {
    for (std::uint64_t& h : hash) h = fnv(std::span(static_cast<const std::byte*>(data), size), h);
  };
  const auto number = [&bytes](auto value) { bytes(&value, sizeof value); };
  const auto text = [&](std::string_view s) {
    number(std::uint64_t{s.size()});
    bytes(s.data(), s.size());
  };
  for (const Variable& v : table.variables) {
    text(v.name);
    text(v.description);
    number(v.reference);
    number(v.type);
    number(v.causality);
    number(v.variability);
    number(v.initial);
    number(std::bit_cast<std::uint64_t>(v.start.value_or(0.0)));
    if (v.nominal != 1.0) number(std::bit_cast<std::uint64_t>(v.nominal));
    if (v.reinit) number(v.reinit);
    number(v.start.has_value());
    text(v.unit);
    text(v.display ? v.display->name : std::string());
    number(v.minimum);
    number(v.maximum);
    number(std::uint64_t{v.dependencies.size()});
    for (const std::uint32_t reference : v.dependencies) number(reference);
  }
  if (extra == Extra::clocks)
    for (const OutputClock& clock : table.clocks) {
      text(clock.name);
      number(clock.reference);
    }
  if (extra == Extra::exchange_arrays)
    for (const ArrayVariable& array : table.arrays) {
      text(array.name);
      number(array.reference);
    }
  static constexpr char digits[] = "0123456789abcdef";
  std::string token = "{";
  for (int nibble = 0; nibble < 32; ++nibble) {
    if (nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20) token += '-';
    token += digits[hash[nibble / 16] >> (60 - 4 * (nibble % 16)) & 15u];
  }
  return token + '}';
}

std::uint64_t model_hash(std::string_view resolved_text) {
  return fnv(resolved_text);
}

}  // namespace mbs
