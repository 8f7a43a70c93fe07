#include "engine/model/urdf/unused.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/model/nearest.hpp"

namespace mbs::urdf {

namespace {

constexpr Known elements[] = {
    {"robot", "name", "version", "link joint",
     "material transmission gazebo sensor ros2_control group_state"},
    {"link", "name", "type", "inertial", "visual collision contact"},
    {"inertial", "", "", "origin mass inertia", ""},
    {"origin", "xyz rpy", "", "", ""},
    {"mass", "value", "", "", ""},
    {"inertia", "ixx ixy ixz iyy iyz izz", "", "", ""},
    {"joint", "name type", "", "origin parent child axis dynamics mimic limit",
     "calibration safety_controller"},
    {"parent", "link", "", "", ""},
    {"child", "link", "", "", ""},
    {"axis", "xyz", "", "", ""},
    {"dynamics", "damping friction", "", "", ""},
    {"limit", "lower upper", "effort velocity", "", ""},
    {"mimic", "joint multiplier offset", "", "", ""},
};

// Why, where there is more to say than that it has no meaning here.
constexpr std::pair<std::string_view, std::string_view> reasons[] = {
    {"visual", "a model has no shapes"},
    {"collision", "a model has no shapes, and nothing collides"},
    {"contact", "nothing collides"},
    {"effort", "what drives the joint is a force of the model, which has its own bounds"},
    {"velocity", "no speed is bounded"},
    {"safety_controller", "controllers are made of inputs, states and forces on the joint"},
    {"transmission", "motors are made of inputs, states and forces on the joint"},
    {"gazebo", "it is for another program"},
    {"ros2_control", "it is for another program"},
};

std::string_view reason(std::string_view keyword) {
  for (const auto& [name, why] : reasons) {
    if (name == keyword) return why;
  }
  return "it has no meaning here";
}

constexpr std::size_t most_lines = 10'000;
constexpr int most_searched = 64;  // attributes of one element whose own places are looked for

}  // namespace

const Known& known(std::string_view element) {
  static constexpr Known none{};
  for (const Known& k : elements) {
    if (k.element == element) return k;
  }
  return none;
}

void Unused::add(const Place& place, std::string what, std::string_view why) {
  const auto [entry, fresh] = kinds_.try_emplace(std::move(what));
  Kind& kind = entry->second;
  if (fresh) {
    kind.first = place;
    kind.text = entry->first + " is not used: " + std::string(why);
  } else if (kind.more.size() <= most_lines) {
    kind.more.push_back(place.line);
  }
}

// A keyword that is nearly a known one gets a warning of its own: it is probably misspelt.
bool Unused::misspelt(const Place& place, std::string_view kind, std::string_view keyword,
                      std::string_view used, std::string_view unused) {
  std::vector<std::string_view> keywords = split(used, ' ');
  for (const std::string_view other : split(unused, ' ')) keywords.push_back(other);
  const std::string best = nearest(keyword, keywords);
  if (best.empty()) return false;
  diagnostics_.warning(place, "urdf-unknown",
                       "the " + std::string(kind) + " '" + std::string(keyword) + "' is not known",
                       "did you mean '" + best + "'?");
  return true;
}

void Unused::look_at(pugi::xml_node node) {
  const Known& k = known(node.name());
  const std::string of = " of <" + std::string(node.name()) + ">";
  int count = 0;
  for (const pugi::xml_attribute a : node.attributes()) {
    const std::string_view name = a.name();
    if (contains(k.attributes, ' ', name) || name.starts_with("xmlns")) continue;
    const Place place = ++count <= most_searched ? file_.place(node, a) : file_.place(node);
    const bool unused = contains(k.unused_attributes, ' ', name);
    if (!unused && misspelt(place, "attribute", name, k.attributes, k.unused_attributes)) continue;
    add(place, "the attribute '" + std::string(name) + "'" + of, reason(name));
  }
  for (const pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      add(file_.place(child), "text in <" + std::string(node.name()) + ">", reason(""));
    }
    if (child.type() != pugi::node_element) continue;
    const std::string_view name = child.name();
    if (contains(k.children, ' ', name)) continue;
    const bool unused = contains(k.unused_children, ' ', name);
    if (!unused && misspelt(file_.place(child), "element", name, k.children, k.unused_children))
      continue;
    add(file_.place(child), "<" + std::string(name) + ">" + of, reason(name));
  }
}

void Unused::note(pugi::xml_node node, std::string what, std::string_view why) {
  add(file_.place(node), std::move(what), why.empty() ? reason("") : why);
}

void Unused::report() {
  for (auto& [what, kind] : kinds_) {
    std::vector<int>& lines = kind.more;
    const bool many = lines.size() > most_lines;
    if (many) lines.resize(most_lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    std::string text = std::move(kind.text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += (i > 0              ? ", "
               : lines.size() > 1 ? "; also in lines "
                                  : "; also in line ") +
              std::to_string(lines[i]);
    }
    if (many) text += " and more";
    diagnostics_.note(kind.first, "urdf-unused", text);
  }
  kinds_.clear();
}

}  // namespace mbs::urdf
