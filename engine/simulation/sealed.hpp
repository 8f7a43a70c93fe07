#pragma once

// The envelope of a stored state: what is not ours, not of this model, not whole or not readable on
// this machine is refused before anything looks inside.
//
//   "MBSF"  format version  endianness mark  model hash  length  checksum (FNV-1a)  the bytes

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace mbs {

// 64-bit FNV-1a; chain by handing in the hash so far.
constexpr std::uint64_t fnv_start = 0xcbf29ce484222325u;
std::uint64_t fnv(std::span<const std::byte> bytes, std::uint64_t hash = fnv_start);
std::uint64_t fnv(std::string_view text, std::uint64_t hash = fnv_start);

constexpr std::size_t envelope_size = 40;

// Fills the envelope of `bytes`, whose first envelope_size bytes are left free for it.
void seal(std::vector<std::byte>& bytes, std::uint64_t model_hash);
// The stored bytes without the envelope. Throws std::runtime_error with the reason if they are
// refused.
std::span<const std::byte> open_sealed(std::span<const std::byte> bytes, std::uint64_t model_hash);

}  // namespace mbs
