// Rules A: the zip file and the places of the files in it. The importer refuses path
// escapes, other methods, encryption and links before; such files are reported as A1 with its
// message.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "tools/check_fmu/subject.hpp"

namespace mbs::check_fmu {
namespace {

constexpr std::uint16_t plain_zip_version = 20;  // 2.0; ZIP64 needs 4.5
constexpr std::size_t longest_identifier = 64;

// The central directory, read only as far as libzip does not show it: "version needed to extract"
// of each entry.
class CentralDirectory {
 public:
  explicit CentralDirectory(const std::filesystem::path& file) : stream_(file, std::ios::binary) {
    stream_.seekg(0, std::ios::end);
    size_ = stream_ ? static_cast<std::uint64_t>(stream_.tellg()) : 0;
  }

  // The highest version needed, over all entries and with the name of one that needs it.
  std::pair<std::uint16_t, std::string> highest_version() {
    std::pair<std::uint16_t, std::string> highest;
    const std::string end = read(size_ - std::min<std::uint64_t>(size_, 65557), 65557);
    const std::size_t at = end.rfind("PK\5\6");
    if (at == std::string::npos || end.size() - at < 22) return highest;
    const std::string directory = read(number(end, at + 16, 4), number(end, at + 12, 4));
    for (std::size_t i = 0; i + 46 <= directory.size();) {
      if (directory.compare(i, 4, "PK\1\2") != 0) break;
      const auto version = static_cast<std::uint16_t>(number(directory, i + 6, 2) & 0xff);
      const std::size_t name = number(directory, i + 28, 2);
      if (version > highest.first) highest = {version, directory.substr(i + 46, name)};
      i += 46 + name + number(directory, i + 30, 2) + number(directory, i + 32, 2);
    }
    return highest;
  }

 private:
  static std::size_t number(const std::string& bytes, std::size_t at, std::size_t count) {
    std::size_t value = 0;
    for (std::size_t i = count; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
  }

  std::string read(std::uint64_t offset, std::uint64_t count) {
    if (offset >= size_) return {};
    std::string bytes(static_cast<std::size_t>(std::min(count, size_ - offset)), '\0');
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return bytes;
  }

  std::ifstream stream_;
  std::uint64_t size_ = 0;
};

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_one_of(std::string_view keyword, std::initializer_list<std::string_view> keywords) {
  return std::find(keywords.begin(), keywords.end(), keyword) != keywords.end();
}

// <architecture>-<system>, perhaps followed by -<abi>
bool is_platform_tuple(std::string_view name) {
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return false;
  const std::string_view rest = name.substr(dash + 1);
  return is_one_of(name.substr(0, dash), {"aarch32", "aarch64", "riscv32", "riscv64", "x86",
                                          "x86_64", "ppc32", "ppc64"}) &&
         is_one_of(rest.substr(0, rest.find('-')), {"darwin", "linux", "windows"});
}

std::set<std::string> folders_below(const Subject& subject, const std::string& prefix) {
  std::set<std::string> names;
  for (const import::ArchiveEntry& entry : subject.entries) {
    if (!entry.path.starts_with(prefix)) continue;
    const std::size_t slash = entry.path.find('/', prefix.size());
    if (slash != std::string::npos)
      names.insert(entry.path.substr(prefix.size(), slash - prefix.size()));
    else if (entry.is_folder && entry.path.size() > prefix.size())
      names.insert(entry.path.substr(prefix.size()));
  }
  return names;
}

std::vector<const import::Interface*> interfaces(const Subject& subject) {
  std::vector<const import::Interface*> list;
  const import::ModelDescription& d = subject.description;
  for (const auto* interface : {&d.model_exchange, &d.co_simulation, &d.scheduled_execution})
    if (*interface) list.push_back(&**interface);
  return list;
}

std::string library_name(const std::string& platform, const std::string& identifier) {
  if (platform.find("win") == 0 || platform.find("windows") != std::string::npos)
    return identifier + ".dll";
  return identifier + (platform.find("darwin") != std::string::npos ? ".dylib" : ".so");
}

void check_declared_source(const Subject& subject, Report& report, const std::string& list,
                           int line, const std::string& name) {
  if (!subject.has_file("sources/" + name))
    report.error(list, line,
                 "lists the source file " + in_quotes(name) + ", which is not in the FMU",
                 "put it into sources/ or take it off the list");
}

void check_build_description(const Subject& subject, Report& report) {
  const std::string name = "sources/buildDescription.xml";
  try {
    const import::XmlFile xml(
        name, import::read_from_archive(subject.file, name, subject.options.limits));
    for (const pugi::xml_node configuration : xml.root().children("BuildConfiguration"))
      for (const pugi::xml_node set : configuration.children("SourceFileSet"))
        for (const pugi::xml_node file : set.children("SourceFile"))
          check_declared_source(subject, report, name, xml.line(file),
                                file.attribute("name").value());
  } catch (const import::ImportError& error) {
    report.error(name, 0, error.what(), "make it well-formed");
  }
}

}  // namespace

void check_zip(const Subject& subject, Report& report) {
  for (const import::ArchiveEntry& entry : subject.entries) {
    if (entry.name.starts_with("./"))
      report.error("", 0, "entry " + in_quotes(entry.name) + " begins with './'",
                   "zip from within the folder by names, not '.'");
    const std::size_t slash = entry.path.rfind('/');
    const std::string folder = entry.is_folder ? entry.path : entry.path.substr(0, slash + 1);
    if ((entry.is_folder || slash != std::string::npos) && !is_ascii(folder))
      report.error("", 0, "entry " + in_quotes(entry.name) + " has a folder name that is not ASCII",
                   "rename the folder");
  }
  const auto [version, name] = CentralDirectory(subject.file).highest_version();
  if (version > plain_zip_version)
    report.error("", 0,
                 "entry " + in_quotes(name) + " needs zip version " + std::to_string(version / 10) +
                     "." + std::to_string(version % 10) + ", FMI allows 2.0",
                 "write the archive without ZIP64 and other extensions");
}

void check_platforms(const Subject& subject, Report& report) {
  const std::set<std::string> platforms = folders_below(subject, "binaries/");
  if (platforms.empty() && !subject.has_folder("sources"))
    report.error("", 0, "has neither binaries nor sources", "add binaries/<platform>/");
  for (const std::string& platform : platforms) {
    const bool known =
        is_platform_tuple(platform) ||
        (subject.is_fmi2() &&
         is_one_of(platform, {"linux64", "linux32", "win64", "win32", "darwin64", "darwin32"}));
    if (!known)
      report.error("binaries/" + platform, 0, "is no platform of this version of FMI",
                   subject.is_fmi2() ? "name it linux64, win64 or like aarch64-linux"
                                     : "name it like x86_64-linux, x86_64-windows, aarch64-linux");
    for (const import::Interface* interface : interfaces(subject)) {
      const std::string path =
          "binaries/" + platform + "/" + library_name(platform, interface->model_identifier);
      if (known && !subject.has_file(path))
        report.error("binaries/" + platform, 0, path + " is not there",
                     "name the library exactly after modelIdentifier");
    }
  }
}

void check_model_identifier(const Subject& subject, Report& report) {
  for (const import::Interface* interface : interfaces(subject)) {
    const std::string& name = interface->model_identifier;
    if (!import::is_c_identifier(name))
      report.error(interface->line, "modelIdentifier " + in_quotes(name) + " is no C identifier",
                   "use letters, digits and '_', no digit first");
    if (name.size() > longest_identifier)
      report.advice(
          interface->line, "modelIdentifier has " + std::to_string(name.size()) + " characters",
          "keep it below " + std::to_string(longest_identifier) + ": paths on Windows end at 260");
  }
}

void check_documentation(const Subject& subject, Report& report) {
  if (!subject.has_file("documentation/index.html"))
    report.advice("documentation", 0, "has no index.html",
                  "add one page that says what the FMU is");
  if (subject.has_folder("documentation/licenses") &&
      !subject.has_file("documentation/licenses/license.txt") &&
      !subject.has_file("documentation/licenses/license.html") &&
      !subject.has_file("documentation/licenses/license.spdx"))
    report.error("documentation/licenses", 0, "has no license.txt, .html or .spdx",
                 "name the entry point license.txt, license.html or license.spdx");
  if (!subject.is_fmi2() && subject.has_file("model.png"))
    report.error("model.png", 0, "is the place of the icon in FMI 2",
                 "move it to terminalsAndIcons/icon.png");
  if (subject.is_fmi2() && !subject.has_file("model.png") &&
      subject.has_file("terminalsAndIcons/icon.png"))
    report.advice("terminalsAndIcons/icon.png", 0, "is where FMI 2 importers do not look",
                  "add the picture as model.png too");
}

void check_sources(const Subject& subject, Report& report) {
  for (const import::ArchiveEntry& entry : subject.entries) {
    const std::string name = entry.path.substr(entry.path.rfind('/') + 1);
    if (entry.path.starts_with("sources/") &&
        is_one_of(name, {"fmi2Functions.h", "fmi2FunctionTypes.h", "fmi2TypesPlatform.h",
                         "fmi3Functions.h", "fmi3FunctionTypes.h", "fmi3PlatformTypes.h"}))
      report.error(entry.path, 0, "is a header of the standard, which the importer brings",
                   "leave it out");
  }
  bool declared = false;
  for (const import::Interface* interface : interfaces(subject))
    for (const std::string& name : interface->source_files) {
      declared = true;
      check_declared_source(subject, report, description_name, interface->line, name);
    }
  if (subject.has_file("sources/buildDescription.xml")) {
    check_build_description(subject, report);
  } else if (subject.has_folder("sources") && !declared) {
    report.error("sources", 0, "holds files that no list of sources names",
                 subject.is_fmi2() ? "list the files to compile in <SourceFiles>"
                                   : "add sources/buildDescription.xml");
  }
}

void check_extra(const Subject& subject, Report& report) {
  for (const std::string& folder : folders_below(subject, "extra/"))
    if (folder.find('.') == std::string::npos)
      report.error("extra/" + folder, 0, "is not named by a reverse domain",
                   "name it like extra/org.example.tool");
  static const std::set<std::string> known = {"modelDescription.xml",
                                              "model.png",
                                              "binaries",
                                              "documentation",
                                              "extra",
                                              "resources",
                                              "sources",
                                              "terminalsAndIcons"};
  std::set<std::string> tops;
  for (const import::ArchiveEntry& entry : subject.entries)
    tops.insert(entry.path.substr(0, entry.path.find('/')));
  for (const std::string& top : tops)
    if (!known.contains(top) && !top.empty())
      report.advice(top, 0, "has no meaning at the top of an FMU",
                    "move it to extra/ or resources/");
}

}  // namespace mbs::check_fmu
