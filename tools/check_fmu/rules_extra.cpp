// Rules about files next to the description: terminals and icons (A8), layered standards (A9).
#include <algorithm>
#include <set>

#include "tools/check_fmu/reference.hpp"
#include "tools/check_fmu/subject.hpp"

namespace mbs::check_fmu {
namespace {

using import::Causality;

constexpr const char* terminals_name = "terminalsAndIcons/terminalsAndIcons.xml";

std::string text_of(pugi::xml_node node, const char* attribute) {
  return node.attribute(attribute).value();
}
// The name of another vendor: by reverse domain, or with the vendor before it.
bool is_foreign(const std::string& keyword) {
  return keyword.find('.') != std::string::npos || keyword.starts_with('_');
}

// Absent, or red, green and blue.
bool is_colour(const std::string& text) {
  const auto keywords = import::split_keywords(text);
  const auto is_byte = [](const std::string& keyword) {
    return import::parse_integer(keyword, import::VariableType::uint8).has_value();
  };
  return text.empty() ||
         (keywords.size() == 3 && std::all_of(keywords.begin(), keywords.end(), is_byte));
}

class Terminals {
 public:
  Terminals(const Subject& subject, Report& report, const import::XmlFile& xml)
      : subject_(subject), report_(report), xml_(xml) {}

  void run() {
    const pugi::xml_node root = xml_.root();
    if (std::string_view(root.name()) != "fmiTerminalsAndIcons")
      return error(root, "the root is <" + std::string(root.name()) + ">",
                   "it is <fmiTerminalsAndIcons>");
    const std::string version = text_of(root, "fmiVersion");
    if (!version.starts_with("3.") ||
        (!subject_.is_fmi2() && version != subject_.description.version_text))
      error(root, "fmiVersion is '" + version + "'",
            subject_.is_fmi2() ? "it is that of the standard that defines this file, 3.0"
                               : "it is that of modelDescription.xml");
    const pugi::xml_node graphics = root.child("GraphicalRepresentation");
    if (const pugi::xml_node system = graphics.child("CoordinateSystem"))
      if (!(system.attribute("x1").as_double() < system.attribute("x2").as_double()) ||
          !(system.attribute("y1").as_double() < system.attribute("y2").as_double()))
        error(system, "the coordinate system is empty", "give x1 < x2 and y1 < y2");
    if (graphics.child("Icon") && !subject_.has_file("terminalsAndIcons/icon.png"))
      error(graphics.child("Icon"), "has an icon, but there is no terminalsAndIcons/icon.png",
            "add the picture or leave <Icon> out");
    check_siblings(root.child("Terminals"));
  }

 private:
  void error(pugi::xml_node node, std::string what, std::string advice) {
    report_.error(terminals_name, xml_.line(node), std::move(what), std::move(advice));
  }

  void check_siblings(pugi::xml_node parent) {
    std::set<std::string> names;
    for (const pugi::xml_node terminal : parent.children("Terminal")) {
      const std::string name = text_of(terminal, "name");
      if (name.empty()) error(terminal, "a terminal has no name", "give it one");
      if (!names.insert(name).second)
        error(terminal, "there are two terminals " + in_quotes(name), "rename one");
      check_terminal(terminal, in_quotes(name));
      check_siblings(terminal);  // the file's depth is limited
    }
  }

  void check_terminal(pugi::xml_node terminal, const std::string& who) {
    const std::string rule = text_of(terminal, "matchingRule");
    if (rule != "plug" && rule != "bus" && rule != "sequence" && rule != "none" &&
        !is_foreign(rule))
      error(terminal, "terminal " + who + " has the matching rule '" + rule + "'",
            "it is plug, bus, sequence, none, or named by a reverse domain");
    std::set<std::string> members;
    for (const pugi::xml_node member : terminal.children("TerminalMemberVariable")) {
      const std::string name = text_of(member, "memberName");
      if ((rule == "plug" || rule == "bus") && name.empty())
        error(member, "a member of terminal " + who + " has no memberName",
              "plug and bus match members by it");
      if (!name.empty() && !members.insert(name).second)
        error(member, "terminal " + who + " has two members " + in_quotes(name), "rename one");
      check_variable(member, "variableName", who);
      check_kind(member, who);
    }
    for (const pugi::xml_node member : terminal.children("TerminalStreamMemberVariable"))
      for (const char* attribute : {"inStreamVariableName", "outStreamVariableName"})
        check_variable(member, attribute, who);
    const pugi::xml_node graphic = terminal.child("TerminalGraphicalRepresentation");
    if (!graphic) return;
    const std::string base = text_of(graphic, "iconBaseName");
    if (!subject_.has_file("terminalsAndIcons/" + base + ".png"))
      error(graphic, "the icon of terminal " + who + ", '" + base + ".png', is not there",
            "add it to terminalsAndIcons/");
    if (!is_colour(text_of(graphic, "defaultConnectionColor")))
      error(graphic,
            "the colour of terminal " + who + " is '" + text_of(graphic, "defaultConnectionColor") +
                "'",
            "give red, green and blue from 0 to 255");
  }

  void check_variable(pugi::xml_node member, const char* attribute, const std::string& who) {
    const std::string name = text_of(member, attribute);
    if (!subject_.description.find(name))
      error(member,
            "terminal " + who + " has the member " + in_quotes(name) +
                ", which is no variable of the model",
            "name a variable of modelDescription.xml");
  }
  void check_kind(pugi::xml_node member, const std::string& who) {
    const std::string kind = text_of(member, "variableKind");
    const import::Variable* variable = subject_.description.find(text_of(member, "variableName"));
    const bool known = kind == "signal" || kind == "inflow" || kind == "outflow";
    if (!known && !is_foreign(kind))
      error(member, "a member of terminal " + who + " has the kind '" + kind + "'",
            "it is signal, inflow, outflow, or named by a reverse domain");
    if (!known || !variable) return;
    const Causality is = variable->causality;
    if (is != Causality::input && is != Causality::output && is != Causality::parameter &&
        is != Causality::calculated_parameter)
      error(member,
            in_quotes(variable->name) + " is " + std::string(import::to_text(is)) +
                " and member of terminal " + who,
            "members are inputs, outputs, parameters and calculated parameters");
  }

  const Subject& subject_;
  Report& report_;
  const import::XmlFile& xml_;
};

// Reads a file of the archive as XML; none, with a report, when it is none.
std::optional<import::XmlFile> read_xml(const Subject& subject, Report& report,
                                        const std::string& name) {
  try {
    return import::XmlFile(name,
                           import::read_from_archive(subject.file, name, subject.options.limits));
  } catch (const import::ImportError& error) {
    report.error(name, 0, error.what(), "repair or remove it");
    return std::nullopt;
  }
}

// The path that a relative reference means; empty: it is absolute or leads out of the archive.
std::string resolved(const std::string& folder, const std::string& reference) {
  if (reference.empty() || reference.front() == '/' || reference.find(':') != std::string::npos ||
      reference.find('\\') != std::string::npos)
    return {};
  const auto path = (std::filesystem::path(folder) / reference).lexically_normal().string();
  return path.starts_with("..") ? std::string() : path;
}

void check_file(const Subject& subject, Report& report, const import::XmlFile& xml,
                pugi::xml_node node, const std::string& folder) {
  const std::string source = text_of(node, "source");
  if (source.find(':') != std::string::npos) return;  // somewhere else
  const std::string path = resolved(folder, source);
  if (path.empty() || !subject.has_file(path))
    report.error(xml.name(), xml.line(node), "refers to '" + source + "', which is not there",
                 "add the file, or remove what refers to it");
}

void check_related(const Subject& subject, Report& report, const import::XmlFile& xml,
                   const std::string& folder) {
  static const std::set<std::string> roles = {"document",
                                              "requirement",
                                              "specification",
                                              "model",
                                              "parameter",
                                              "system",
                                              "testcase",
                                              "experiment",
                                              "result",
                                              "method",
                                              "rationale",
                                              "report",
                                              "request",
                                              "delivery",
                                              "configuration",
                                              "signature",
                                              "meta-data",
                                              "serialized-state",
                                              "other",
                                              "experiment/smoke-test",
                                              "experiment/validation",
                                              "experiment/uncertainty-analysis"};
  for (const pugi::xml_node related : xml.root().children("Related")) {
    const std::string role = text_of(related, "role");
    if (!roles.contains(role) && !role.starts_with("serialized-state/"))
      report.error(xml.name(), xml.line(related), "has the role '" + role + "'",
                   "it is model, parameter, experiment, result, document, ...");
    check_file(subject, report, xml, related, folder);
    const std::string path = resolved(folder, text_of(related, "source"));
    if (!is_experiments_file(role, path) || !subject.has_file(path)) continue;
    const auto experiments = read_xml(subject, report, path);
    if (!experiments) continue;
    const std::string place = std::filesystem::path(path).parent_path().string();
    for (const pugi::xml_node experiment : experiments->root().children("Experiment"))
      for (const char* part : {"Parameters", "Stimuli", "References"})
        for (const pugi::xml_node node : experiment.children(part))
          check_file(subject, report, *experiments, node, place);
  }
}

}  // namespace

void check_terminals(const Subject& subject, Report& report) {
  if (subject.has_file(terminals_name)) {
    if (const auto xml = read_xml(subject, report, terminals_name))
      Terminals(subject, report, *xml).run();
  }
  if (subject.has_file("terminalsAndIcons/icon.svg") &&
      !subject.has_file("terminalsAndIcons/icon.png"))
    report.error("terminalsAndIcons/icon.svg", 0, "has no icon.png next to it",
                 "a PNG is needed, an SVG may be there too");
}

void check_layered_standards(const Subject& subject, Report& report) {
  for (const import::ArchiveEntry& entry : subject.entries) {
    const std::filesystem::path path(entry.path);
    if (entry.is_folder || path.filename() != "fmi-ls-manifest.xml" ||
        path.parent_path().parent_path() != "extra")
      continue;
    const std::string folder = path.parent_path().string(), name = path.parent_path().filename();
    const auto xml = read_xml(subject, report, entry.path);
    if (!xml) continue;
    const pugi::xml_node root = xml->root();
    const auto attribute = [&](std::string_view local) {
      for (const pugi::xml_attribute a : root.attributes()) {
        const std::string_view full = a.name();
        if (full.substr(full.find(':') + 1) == local) return std::string(a.value());
      }
      return std::string();
    };
    if (attribute("fmi-ls-name") != name)
      report.error(
          entry.path, xml->line(root),
          "is the manifest of '" + attribute("fmi-ls-name") + "' in the folder of '" + name + "'",
          "both are the name of the layered standard");
    for (const char* needed : {"fmi-ls-version", "fmi-ls-description"})
      if (attribute(needed).empty())
        report.error(entry.path, xml->line(root), std::string("has no ") + needed, "add it");
    if (name == reference_standard) check_related(subject, report, *xml, folder);
  }
}

}  // namespace mbs::check_fmu
