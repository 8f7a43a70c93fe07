#pragma once

// A flat stream of bytes for snapshots. Values are written as they stand in memory; who stores a
// stream outside of the process puts magic, version and checksum around it. Types with padding are
// excluded, since its bytes are undefined and the same state would give different snapshots.

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/types.hpp"

namespace mbs {

template <class T>
inline constexpr bool has_no_padding =
    std::has_unique_object_representations_v<T> || std::floating_point<T>;
template <class T, std::size_t size>
inline constexpr bool has_no_padding<std::array<T, size>> = has_no_padding<T>;

template <class T>
concept Storable = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && has_no_padding<T>;

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& out) : out_(out) {}

  template <Storable T>
  void put(const T& value) {
    raw(&value, sizeof value);
  }
  void put(const Vector& x) {
    put<std::int64_t>(x.size());
    raw(x.data(), sizeof(double) * static_cast<std::size_t>(x.size()));
  }
  void put(const std::vector<int>& x) {
    put<std::int64_t>(static_cast<std::int64_t>(x.size()));
    raw(x.data(), sizeof(int) * x.size());
  }
  void raw(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    out_.insert(out_.end(), bytes, bytes + size);
  }

 private:
  std::vector<std::byte>& out_;
};

// Reading what was not written so throws std::runtime_error and never reads past the end.
// A Vector must have the size it has been given before: a stream never resizes anything.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> in) : in_(in) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) { raw(&value, sizeof value); }
  void get(Vector& x) {
    expect(x.size());
    raw(x.data(), sizeof(double) * static_cast<std::size_t>(x.size()));
  }
  void get(std::vector<int>& x) {
    expect(static_cast<std::int64_t>(x.size()));
    raw(x.data(), sizeof(int) * x.size());
  }
  void raw(void* data, std::size_t size) {
    if (size > in_.size()) throw std::runtime_error("the stored state is too short");
    if (size > 0) std::memcpy(data, in_.data(), size);
    in_ = in_.subspan(size);
  }
  bool at_end() const { return in_.empty(); }
  void expect_end() const {
    if (!at_end()) throw std::runtime_error("the stored state is too long");
  }

 private:
  void expect(std::int64_t size) {
    std::int64_t stored = 0;
    get(stored);
    if (stored != size) throw std::runtime_error("the stored state belongs to another model");
  }
  std::span<const std::byte> in_;
};

}  // namespace mbs
