#include "tools/solution/solution_file.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "engine/base/bytes.hpp"
#include "engine/simulation/sealed.hpp"

namespace mbs {
namespace {

using Keyword = std::array<char, 4>;
constexpr std::array<char, 8> magic{'M', 'B', 'S', 'D', '\r', '\n', '\x1a', '\n'};
constexpr std::uint32_t format_version = 1, byte_order = 0x01020304u;
constexpr Keyword piece_keyword{'P', 'I', 'E', 'C'}, end_keyword{'D', 'O', 'N', 'E'};
constexpr std::uint64_t most_head = 64u << 20;
constexpr std::uint32_t most_unknowns = 1000000, most_text = 4096;

void put_text(ByteWriter& out, const std::string& text) {
  out.put(static_cast<std::uint32_t>(text.size()));
  out.raw(text.data(), text.size());
}

std::string get_text(ByteReader& in) {
  std::uint32_t size = 0;
  in.get(size);
  if (size > most_text) throw std::runtime_error("a name is too long");
  std::string text(size, ' ');
  in.raw(text.data(), size);
  return text;
}

std::vector<std::byte> head_bytes(const SolutionHead& head) {
  std::vector<std::byte> bytes;
  ByteWriter out(bytes);
  put_text(out, head.model);
  put_text(out, head.method);
  out.put(static_cast<std::uint32_t>(head.unknowns.size()));
  for (const auto& [name, kind] : head.unknowns) {
    put_text(out, name);
    put_text(out, kind);
  }
  return bytes;
}

}  // namespace

SolutionWriter::SolutionWriter(const std::filesystem::path& path, const SolutionHead& head)
    : path_(path), file_(path), out_(file_.partial(), std::ios::binary) {
  const std::vector<std::byte> inside = head_bytes(head);
  ByteWriter out(bytes_);
  out.put(magic);
  out.put(format_version);
  out.put(byte_order);
  out.put<std::uint64_t>(inside.size());
  out.put(fnv(inside));
  out.raw(inside.data(), inside.size());
  put(bytes_);
}

void SolutionWriter::put(const std::vector<std::byte>& bytes) {
  out_.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!out_) throw std::runtime_error("cannot write '" + path_.string() + "': is the disk full?");
}

void SolutionWriter::add(const Chebyshev& piece) {
  bytes_.clear();
  ByteWriter out(bytes_);
  out.put(piece_keyword);
  out.put(static_cast<std::uint32_t>(piece.c.cols()));
  out.put(piece.begin);
  out.put(piece.end);
  out.raw(piece.c.data(), sizeof(double) * static_cast<std::size_t>(piece.c.size()));
  out.put(fnv(bytes_));
  put(bytes_);
  ++pieces_;
}

void SolutionWriter::finish() {
  bytes_.clear();
  ByteWriter out(bytes_);
  out.put(end_keyword);
  out.put(pieces_);
  out.put(fnv(bytes_));
  put(bytes_);
  out_.close();
  if (!out_) throw std::runtime_error("cannot write '" + path_.string() + "': is the disk full?");
  file_.commit();
}

SolutionReader::SolutionReader(const std::filesystem::path& path)
    : path_(path), in_(path, std::ios::binary | std::ios::ate) {
  std::error_code error;
  if (!in_ || !std::filesystem::is_regular_file(path, error))
    throw std::runtime_error("cannot read '" + path.string() + "'");
  left_ = static_cast<std::uint64_t>(in_.tellg());
  in_.seekg(0);
  const std::vector<std::byte> begin = take(32, "its head");
  ByteReader in(begin);
  std::array<char, 8> mark{};
  std::uint32_t version = 0, order = 0;
  std::uint64_t length = 0, sum = 0;
  in.get(mark);
  in.get(version);
  in.get(order);
  in.get(length);
  in.get(sum);
  if (mark != magic) refuse("it is no file that 'mbsfmu simulate --dump' wrote");
  if (order != byte_order) refuse("it was made on a machine with another byte order");
  if (version != format_version)
    refuse("its format is version " + std::to_string(version) + ", this program reads version " +
           std::to_string(format_version));
  if (length > most_head) refuse("its head is too long");
  const std::vector<std::byte> inside = take(length, "its head");
  if (fnv(inside) != sum) refuse("the sum of its head is wrong, it has been changed");
  try {
    ByteReader keywords(inside);
    head_.model = get_text(keywords);
    head_.method = get_text(keywords);
    std::uint32_t count = 0;
    keywords.get(count);
    if (count > most_unknowns) throw std::runtime_error("there are too many unknowns");
    for (std::uint32_t i = 0; i < count; ++i) {
      std::string name = get_text(keywords);
      head_.unknowns.push_back({std::move(name), get_text(keywords)});
    }
    if (!keywords.at_end()) throw std::runtime_error("it goes on after the last name");
  } catch (const std::runtime_error& wrong) {
    refuse(std::string("its head is wrong: ") + wrong.what());
  }
}

void SolutionReader::refuse(const std::string& why) const {
  throw std::runtime_error("'" + path_.string() + "' cannot be used: " + why);
}

std::vector<std::byte> SolutionReader::take(std::uint64_t size, const char* what) {
  if (size > left_) refuse(std::string("it is cut off in ") + what);
  std::vector<std::byte> bytes(size);
  in_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!in_) refuse("it cannot be read to its end");
  left_ -= size;
  return bytes;
}

void SolutionReader::check_sum(const std::vector<std::byte>& bytes, const char* what) {
  std::uint64_t sum = 0;
  const std::vector<std::byte> stored = take(sizeof sum, what);
  ByteReader(stored).get(sum);
  if (fnv(bytes) != sum)
    refuse(std::string("the sum of ") + what + " " + std::to_string(pieces_ + 1) +
           " is wrong, it has been changed");
}

bool SolutionReader::next(Chebyshev& piece) {
  std::vector<std::byte> bytes = take(8, "a piece");
  Keyword keyword{};
  std::uint32_t count = 0;
  ByteReader in(bytes);
  in.get(keyword);
  in.get(count);
  if (keyword == end_keyword) {
    check_sum(bytes, "its end after piece");
    if (count != pieces_ || left_ != 0) refuse("it goes on after its end, or lacks pieces");
    return false;
  }
  if (keyword != piece_keyword)
    refuse("what follows piece " + std::to_string(pieces_) + " is no piece");
  if (count < 1 || count > most_degree + 1)
    refuse("piece " + std::to_string(pieces_ + 1) + " has an impossible degree");
  const std::vector<std::byte> rest =
      take(sizeof(double) * (2 + count * head_.unknowns.size()), "a piece");
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  check_sum(bytes, "piece");
  ByteReader values(rest);
  values.get(piece.begin);
  values.get(piece.end);
  if (!std::isfinite(piece.begin) || !std::isfinite(piece.end) || !(piece.end > piece.begin) ||
      (pieces_ > 0 && piece.begin != end_))
    refuse("the times of piece " + std::to_string(pieces_ + 1) + " do not follow those before");
  piece.c.resize(static_cast<Eigen::Index>(head_.unknowns.size()), count);
  values.raw(piece.c.data(), sizeof(double) * static_cast<std::size_t>(piece.c.size()));
  end_ = piece.end;
  ++pieces_;
  return true;
}

}  // namespace mbs
