#include "engine/model/reading/model_files.hpp"

#include <cstring>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/model/urdf/import_urdf.hpp"

namespace mbs {

namespace {

// "a/b/../c" -> "a/c", so that a file is known by one path.
std::string normalised(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(path, '/')) {
    if (part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  std::string result = path.starts_with('/') ? "/" : "";
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k > 0) result += '/';
    result += parts[k];
  }
  return result;
}

bool is_import(pugi::xml_node use) {
  return std::strcmp(use.name(), "import") == 0;
}

std::string key(const std::string& path, pugi::xml_node use) {
  if (!is_import(use)) return path;
  const UrdfOptions options = urdf_options(use);
  return path + '|' + (options.free_base ? "free" : "fixed") + (options.keep_fixed ? "|weld" : "") +
         (options.limits ? "" : "|unlimited") + '|' +
         std::to_string(static_cast<int>(options.friction));
}

}  // namespace

std::string used_path(const std::string& from, std::string_view file) {
  const std::size_t slash = from.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : from.substr(0, slash + 1);
  return normalised(folder + std::string(file));
}

std::string file_in_folder(const std::string& from, std::string_view relative) {
  const std::string inside = is_relative_path(relative) ? used_path("", relative) : "..";
  if (inside.empty() || inside == ".." || inside.starts_with("../")) return {};
  return used_path(from, relative);
}

bool is_relative_path(std::string_view path) {
  return !path.empty() && !path.starts_with('/') && path.find_first_of("\\:") == path.npos;
}

ModelFiles::ModelFiles(std::unique_ptr<XmlFile> main, const ReadLimits& limits)
    : limits_(limits), main_path_(used_path("", main->name())), main_(main.get()) {
  files_[main_path_] = std::move(main);
}

bool ModelFiles::knows(const std::string& path, pugi::xml_node use) const {
  return files_.contains(key(path, use));
}

const XmlFile* ModelFiles::open(const std::string& path, pugi::xml_node use,
                                Diagnostics& diagnostics) {
  const auto [entry, fresh] = files_.try_emplace(key(path, use));
  if (!fresh) return entry->second.get();
  std::unique_ptr<XmlFile> file = load_xml(path, diagnostics, limits_);
  if (file && is_import(use)) file = import_urdf(*file, urdf_options(use), diagnostics, limits_);
  return (entry->second = std::move(file)).get();
}

}  // namespace mbs
