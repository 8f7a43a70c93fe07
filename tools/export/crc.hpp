// The checksum of zip archives and PNG files, CRC-32 of ISO 3309, eight bytes at a time: table k
// has what a byte becomes with k zero bytes behind it (Kounavis and Berry, 2005).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mbs {

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr CrcTables crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t c = byte;
    for (int bit = 0; bit < 8; ++bit) c = c >> 1 ^ (0xedb88320u & (0u - (c & 1u)));
    tables[0][byte] = c;
  }
  for (std::size_t k = 1; k < tables.size(); ++k)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 255u];
    }
  return tables;
}

inline std::uint32_t crc(std::string_view bytes) {
  static constexpr CrcTables tables = crc_tables();
  const auto at = [&](std::size_t k) { return static_cast<unsigned char>(bytes[k]); };
  std::uint32_t c = ~0u;
  std::size_t k = 0;
  for (; k + 8 <= bytes.size(); k += 8) {
    c ^= at(k) | at(k + 1) << 8 | at(k + 2) << 16 | static_cast<std::uint32_t>(at(k + 3)) << 24;
    c = tables[7][c & 255u] ^ tables[6][c >> 8 & 255u] ^ tables[5][c >> 16 & 255u] ^
        tables[4][c >> 24] ^ tables[3][at(k + 4)] ^ tables[2][at(k + 5)] ^ tables[1][at(k + 6)] ^
        tables[0][at(k + 7)];
  }
  for (; k < bytes.size(); ++k) c = c >> 8 ^ tables[0][(c ^ at(k)) & 255u];
  return ~c;
}

}  // namespace mbs
