#include "tools/check_fmu/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace mbs::check_fmu {
namespace {

// Checks every access, because the file may be damaged. A failed access marks the whole as damaged.
class File {
 public:
  explicit File(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T at(std::uint64_t offset) {
    T value{};
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) {
      damaged_ = true;
    } else {
      std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    }
    return value;
  }
  std::string text(const Elf64_Shdr& strings, std::uint64_t index) {
    if (index >= strings.sh_size || strings.sh_offset > bytes_.size() ||
        bytes_.size() - strings.sh_offset < strings.sh_size) {
      damaged_ = true;
      return {};
    }
    const std::string_view table = bytes_.substr(strings.sh_offset, strings.sh_size);
    return std::string(table.substr(index, table.find('\0', index) - index));
  }
  bool holds(const Elf64_Shdr& section) const {
    return section.sh_offset <= bytes_.size() &&
           bytes_.size() - section.sh_offset >= section.sh_size;
  }
  bool damaged() const { return damaged_; }

 private:
  std::string_view bytes_;
  bool damaged_ = false;
};

void read_symbols(File& file, const Elf64_Shdr& section, const Elf64_Shdr& strings,
                  SharedLibrary& library) {
  for (std::uint64_t i = 1; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = file.at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
    const auto binding = ELF64_ST_BIND(symbol.st_info);
    const auto visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    const bool global = binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE;
    const bool visible = visibility == STV_DEFAULT || visibility == STV_PROTECTED;
    if (global && visible && symbol.st_shndx != SHN_UNDEF)
      library.exported.push_back(file.text(strings, symbol.st_name));
  }
}

void read_needed(File& file, const Elf64_Shdr& section, const Elf64_Shdr& strings,
                 SharedLibrary& library) {
  for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Dyn); ++i) {
    const auto entry = file.at<Elf64_Dyn>(section.sh_offset + i * sizeof(Elf64_Dyn));
    if (entry.d_tag == DT_NEEDED) library.needed.push_back(file.text(strings, entry.d_un.d_val));
  }
}

// Both lists are chained by relative offsets; the counts bound the walk.
void read_versions(File& file, const Elf64_Shdr& section, const Elf64_Shdr& strings,
                   SharedLibrary& library) {
  std::uint64_t offset = section.sh_offset;
  for (std::uint32_t i = 0; i < section.sh_info && !file.damaged(); ++i) {
    const auto need = file.at<Elf64_Verneed>(offset);
    std::uint64_t entry_offset = offset + need.vn_aux;
    for (std::uint16_t j = 0; j < need.vn_cnt && !file.damaged(); ++j) {
      const auto entry = file.at<Elf64_Vernaux>(entry_offset);
      library.versions.push_back(file.text(strings, need.vn_file) + " " +
                                 file.text(strings, entry.vna_name));
      entry_offset += entry.vna_next;
    }
    offset += need.vn_next;
  }
}

}  // namespace

std::optional<SharedLibrary> read_shared_library(std::string_view bytes) {
  File file(bytes);
  const auto header = file.at<Elf64_Ehdr>(0);
  if (file.damaged() || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_type != ET_DYN || header.e_shentsize != sizeof(Elf64_Shdr))
    return std::nullopt;
  const auto section = [&](std::uint64_t i) {
    return file.at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  SharedLibrary library;
  for (std::uint64_t i = 0; i < header.e_shnum && !file.damaged(); ++i) {
    const Elf64_Shdr one = section(i);
    if (one.sh_type != SHT_DYNSYM && one.sh_type != SHT_DYNAMIC && one.sh_type != SHT_GNU_verneed)
      continue;
    if (!file.holds(one) || one.sh_link >= header.e_shnum) return std::nullopt;
    const Elf64_Shdr strings = section(one.sh_link);
    if (one.sh_type == SHT_DYNSYM) read_symbols(file, one, strings, library);
    if (one.sh_type == SHT_DYNAMIC) read_needed(file, one, strings, library);
    if (one.sh_type == SHT_GNU_verneed) read_versions(file, one, strings, library);
  }
  if (file.damaged()) return std::nullopt;
  return library;
}

}  // namespace mbs::check_fmu
