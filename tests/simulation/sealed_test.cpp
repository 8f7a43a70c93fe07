#include "engine/simulation/sealed.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace mbs {
namespace {

std::vector<std::byte> sealed(std::string_view text, std::uint64_t model) {
  std::vector<std::byte> bytes(envelope_size);
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  seal(bytes, model);
  return bytes;
}

std::string refusal(std::span<const std::byte> bytes, std::uint64_t model) {
  try {
    open_sealed(bytes, model);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Sealed, HashIsFnv1a) {
  EXPECT_EQ(fnv(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv("foobar"), 0x85944171f73967e8u);
}

TEST(Sealed, GivesBackWhatWasPutIn) {
  const auto bytes = sealed("what is inside", 7);
  const auto inside = open_sealed(bytes, 7);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(inside.data()), inside.size()),
            "what is inside");
}

TEST(Sealed, RefusesAndSaysWhy) {
  const auto good = sealed("what is inside", 7);
  EXPECT_NE(refusal({}, 7).find("0 bytes"), std::string::npos);
  EXPECT_NE(refusal(good, 8).find("another model"), std::string::npos);
  EXPECT_NE(refusal(std::span(good).first(good.size() - 1), 7).find("its head says"),
            std::string::npos);
  auto longer = good;
  longer.push_back(std::byte{0});
  EXPECT_NE(refusal(longer, 7).find("its head says"), std::string::npos);
  auto foreign = good;
  foreign[0] = std::byte{'X'};
  EXPECT_NE(refusal(foreign, 7).find("MBSF"), std::string::npos);
  auto newer = good;
  newer[4] = std::byte{99};
  EXPECT_NE(refusal(newer, 7).find("version 99"), std::string::npos);
  auto swapped = good;
  std::swap(swapped[8], swapped[11]);
  EXPECT_NE(refusal(swapped, 7).find("byte order"), std::string::npos);
}

TEST(Sealed, SeesEveryChangedBit) {
  const auto good = sealed("what is inside", 7);
  for (std::size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = good;
      changed[i] ^= static_cast<std::byte>(1 << bit);
      EXPECT_NE(refusal(changed, 7), "accepted") << "byte " << i << " bit " << bit;
    }
}

}  // namespace
}  // namespace mbs
