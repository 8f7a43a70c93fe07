#pragma once

// The files that a model is made of, each loaded once; and paths between them.

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/model/xml_source.hpp"

namespace mbs {

// Is it one with '/' between folders?
bool is_relative_path(std::string_view path);
// The path of a file that another uses: "a/b.xml", "../c.xml" -> "c.xml".
std::string used_path(const std::string& from, std::string_view file);
// The path of a file that `from` names in its own folder or below; empty when `relative` leads out
// of it.
std::string file_in_folder(const std::string& from, std::string_view relative);

class ModelFiles {
 public:
  ModelFiles(std::unique_ptr<XmlFile> main, const ReadLimits& limits);

  const XmlFile& main() const { return *main_; }
  const std::string& main_path() const { return main_path_; }
  bool is_full() const { return static_cast<int>(files_.size()) >= limits_.files; }
  bool knows(const std::string& path, pugi::xml_node use) const;
  // The file of a <use>, or the model that an <import> makes of a robot description. Null when it
  // cannot be read, for reasons that are in `diagnostics` the first time.
  const XmlFile* open(const std::string& path, pugi::xml_node use, Diagnostics& diagnostics);

 private:
  const ReadLimits& limits_;
  std::string main_path_;
  std::unordered_map<std::string, std::unique_ptr<XmlFile>> files_;  // by path and options
  const XmlFile* main_;
};

}  // namespace mbs
