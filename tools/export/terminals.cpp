#include "tools/export/terminals.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "engine/model/indexed_name.hpp"

namespace mbs {
namespace {

// An expression that is an input, or an input with the sign turned.
struct PlainInput {
  int input;
  bool negative;
};
std::optional<PlainInput> plain_input(const Expression& expression) {
  const auto symbols = expression.symbols();
  if (symbols.size() != 1 || symbols[0].kind != SymbolKind::input) return std::nullopt;
  constexpr std::array<double, 3> tried{1.0, -2.5, 7.0};
  const auto is = [&](double factor) {
    return std::ranges::all_of(
        tried, [&](double x) { return expression.value(std::span(&x, 1)) == factor * x; });
  };
  if (is(1.0)) return PlainInput{symbols[0].index, false};
  if (is(-1.0)) return PlainInput{symbols[0].index, true};
  return std::nullopt;
}

class Finder {
 public:
  Finder(const Model& model, const VariableTable& table) : model_(model), table_(table) {
    for (const Variable& v : table.variables) {
      if (v.source == Source::input) inputs_.push_back(v.reference);
      if (v.source == Source::output) outputs_.push_back(v.reference);
    }
    for (int k = 0; k < 2; ++k)
      plane_[static_cast<std::size_t>(k)] = "xyz"[model.plane_axes[static_cast<std::size_t>(k)]];
  }

  std::vector<Terminal> find(bool arrays) {
    for (const Element& element : model_.elements) read_inputs(element);
    for (std::size_t i = 0; i < model_.outputs.size(); ++i) read_output(i);
    std::vector<Terminal> found;
    for (Terminal& terminal : terminals_) {
      if (arrays) leave_out_parts(terminal);
      const auto is_input = [&](const TerminalMember& m) {
        return table_.variables[m.variable].source == Source::input;
      };
      const auto inputs = std::count_if(terminal.members.begin(), terminal.members.end(), is_input);
      if (inputs > 0 && inputs < std::ssize(terminal.members)) found.push_back(terminal);
    }
    return found;
  }

 private:
  // An array can only be a member as a whole.
  void leave_out_parts(Terminal& terminal) const {
    const auto has = [&](std::uint32_t variable) {
      return std::any_of(terminal.members.begin(), terminal.members.end(),
                         [&](const TerminalMember& m) { return m.variable == variable; });
    };
    std::set<std::uint32_t> parts;
    for (const ArrayVariable& array : table_.arrays)
      if (!std::all_of(array.elements.begin(), array.elements.end(), has))
        parts.insert(array.elements.begin(), array.elements.end());
    std::erase_if(terminal.members,
                  [&](const TerminalMember& m) { return parts.contains(m.variable); });
  }

  char axis(std::size_t k) const { return model_.planar ? plane_[k] : "xyz"[k]; }

  Terminal& frame_terminal(int frame) {
    const auto [at, fresh] = of_frame_.try_emplace(frame, terminals_.size());
    if (fresh)
      terminals_.push_back({model_.frames[static_cast<std::size_t>(frame)].name,
                            model_.planar ? "_mbsfmu.frame.planar" : "_mbsfmu.frame.spatial",
                            "frame: forces on it, its motion",
                            {}});
    return terminals_[at->second];
  }
  // -1: a joint without a coordinate of its own.
  int coordinate_of(int joint) const {
    int found = -1;
    for (int k = 0; k < std::ssize(model_.coordinates); ++k) {
      if (model_.coordinates[static_cast<std::size_t>(k)].element != joint) continue;
      if (found >= 0) return -1;
      found = k;
    }
    return found;
  }
  bool slides(int coordinate) const {
    return model_.coordinates[static_cast<std::size_t>(coordinate)].dimension ==
           parse_unit("m")->dimension;
  }
  Terminal& joint_terminal(int joint, int coordinate) {
    const auto [at, fresh] = of_joint_.try_emplace(joint, terminals_.size());
    if (fresh)
      terminals_.push_back(
          {model_.elements[static_cast<std::size_t>(joint)].name,
           slides(coordinate) ? "_mbsfmu.flange.translational" : "_mbsfmu.flange.rotational",
           "joint: force along its coordinate, its motion",
           {}});
    return terminals_[at->second];
  }
  static void add(Terminal& terminal, TerminalMember member) {
    const auto same = [&](const TerminalMember& m) {
      return m.name == member.name || m.variable == member.variable;
    };
    if (std::none_of(terminal.members.begin(), terminal.members.end(), same))
      terminal.members.push_back(std::move(member));
  }

  void read_inputs(const Element& element) {
    const std::string_view tag = element.tag->name;
    const bool force = tag == "force", torque = tag == "torque";
    if (tag == "drive") return read_drive(element);
    if (!force && !torque) return;
    const AttributeValue& value = element["value"];
    const AttributeValue& joint = element["joint"];
    if (joint.given && joint.index >= 0) {
      const int coordinate = coordinate_of(joint.index);
      const auto input = value.numbers.empty() ? std::nullopt : plain_input(value.numbers[0]);
      if (!input || coordinate < 0) return;
      add(joint_terminal(joint.index, coordinate),
          {inputs_[static_cast<std::size_t>(input->input)], slides(coordinate) ? "f" : "tau", true,
           input->negative});
      return;
    }
    const int on = element["on"].index;
    const bool normal = torque && model_.planar;
    if (on < 0 || (element["in"].index != 0 && !normal)) return;  // f_x is along ground's axes
    for (std::size_t k = 0; k < value.numbers.size(); ++k) {
      const auto input = plain_input(value.numbers[k]);
      if (!input) continue;
      const std::string base = force ? "f" : "t";
      add(frame_terminal(on), {inputs_[static_cast<std::size_t>(input->input)],
                               normal ? base : base + '_' + axis(k), true, input->negative});
    }
  }
  void read_drive(const Element& element) {
    const int joint = element["joint"].index;
    if (joint < 0) return;
    for (std::size_t a = 0; a < element.attributes.size(); ++a)
      for (const Expression& number : element.attributes[a].numbers) {
        const auto input = plain_input(number);
        const int coordinate = coordinate_of(joint);
        if (!input || coordinate < 0 || input->negative) continue;
        add(joint_terminal(joint, coordinate),
            {inputs_[static_cast<std::size_t>(input->input)],
             std::string(element.tag->attributes[a].name), false, false});
        drives_[static_cast<int>(&element - model_.elements.data())] = joint;
      }
  }

  void read_output(std::size_t i) {
    const Measure& what = model_.outputs[i].what;
    const std::uint32_t reference = outputs_[i];
    if (what.sign < 0.0) return;  // as a mirrored subsystem sees it
    switch (what.quantity) {
      case Quantity::coordinate:
      case Quantity::coordinate_rate:
      case Quantity::coordinate_acceleration: {
        const int joint = what.element;
        if (!of_joint_.contains(joint)) return;
        const char* name = what.quantity == Quantity::coordinate        ? "q"
                           : what.quantity == Quantity::coordinate_rate ? "qd"
                                                                        : "qdd";
        add(joint_terminal(joint, what.coordinate), {reference, name});
        return;
      }
      case Quantity::force_value: {
        const auto drive = drives_.find(what.element);
        if (drive == drives_.end()) return;
        const int coordinate = coordinate_of(drive->second);
        add(joint_terminal(drive->second, coordinate),
            {reference, slides(coordinate) ? "f" : "tau", true, false});
        return;
      }
      default:
        break;
    }
    static const std::map<Quantity, std::string> bases = {
        {Quantity::position, "r"},         {Quantity::velocity, "v"},
        {Quantity::acceleration, "a"},     {Quantity::orientation, "R"},
        {Quantity::angular_velocity, "w"}, {Quantity::angular_acceleration, "wd"}};
    const auto base = bases.find(what.quantity);
    if (base == bases.end() || what.reference != 0 || !of_frame_.contains(what.frame)) return;
    if (what.axes != 0) return;  // of the same frame as the forces
    const bool turning = what.quantity == Quantity::orientation ||
                         what.quantity == Quantity::angular_velocity ||
                         what.quantity == Quantity::angular_acceleration;
    const auto k = static_cast<std::size_t>(what.component);
    std::string name = base->second;
    const IndexedName own = split_indices(table_.variables[reference].name);
    const bool angles = what.quantity == Quantity::orientation && (model_.planar || k >= 9);
    if (angles) name = "phi";
    if (const auto array = array_of(reference)) {
      name = element_name(name, std::span(array->sizes), array->element);
    } else if (angles && !model_.planar) {
      name += std::string("_") + "xyz"[k - 9];
    } else if (what.quantity == Quantity::orientation && !model_.planar) {
      name += "_" + std::to_string(k / 3 + 1) + std::to_string(k % 3 + 1);
    } else if (!(turning && model_.planar)) {
      if (k > 2) return;  // a norm
      name += std::string("_") + axis(k);
    }
    add(frame_terminal(what.frame), {reference, name});
  }

  struct InArray {
    std::vector<std::size_t> sizes;
    std::size_t element;
  };
  // The place of a component in its array, if all of the array is one output; those of `each`
  // belong to several terminals.
  std::optional<InArray> array_of(std::uint32_t reference) const {
    for (const ArrayVariable& array : table_.arrays) {
      const auto found = std::find(array.elements.begin(), array.elements.end(), reference);
      if (found == array.elements.end()) continue;
      const auto frame = [&](std::uint32_t element) {
        return model_.outputs[static_cast<std::size_t>(table_.variables[element].index)].what.frame;
      };
      for (const std::uint32_t element : array.elements)
        if (frame(element) != frame(reference)) return std::nullopt;
      return InArray{{array.sizes.begin(), array.sizes.end()},
                     static_cast<std::size_t>(found - array.elements.begin())};
    }
    return std::nullopt;
  }

  const Model& model_;
  const VariableTable& table_;
  std::vector<std::uint32_t> inputs_, outputs_;
  char plane_[2] = {'x', 'y'};
  std::map<int, std::size_t> of_frame_, of_joint_;
  std::map<int, int> drives_;  // element -> joint
  std::vector<Terminal> terminals_;
};

void set(pugi::xml_node node, const char* attribute, const std::string& value) {
  node.append_attribute(attribute).set_value(value.c_str());
}

void set_corners(pugi::xml_node node, int x1, int y1, int x2, int y2) {
  set(node, "x1", std::to_string(x1));
  set(node, "y1", std::to_string(y1));
  set(node, "x2", std::to_string(x2));
  set(node, "y2", std::to_string(y2));
}

}  // namespace

std::vector<Terminal> find_terminals(const Model& model, const VariableTable& table, bool arrays) {
  return Finder(model, table).find(arrays);
}

std::string terminals_xml(const std::vector<Terminal>& terminals, const VariableTable& table,
                          bool arrays, bool structured) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node root = document.append_child("fmiTerminalsAndIcons");
  set(root, "fmiVersion", "3.0");
  pugi::xml_node graphics = root.append_child("GraphicalRepresentation");
  pugi::xml_node system = graphics.append_child("CoordinateSystem");
  set_corners(system, -100, -100, 100, 100);
  set(system, "suggestedScalingFactorTo_mm", "0.1");
  set_corners(graphics.append_child("Icon"), -100, -100, 100, 100);
  std::map<std::uint32_t, const ArrayVariable*> array_of;
  if (arrays)
    for (const ArrayVariable& array : table.arrays)
      for (const std::uint32_t element : array.elements) array_of[element] = &array;
  pugi::xml_node list;
  const int count = static_cast<int>(terminals.size());
  for (int i = 0; i < count; ++i) {
    const Terminal& terminal = terminals[static_cast<std::size_t>(i)];
    if (!list) list = root.append_child("Terminals");
    pugi::xml_node node = list.append_child("Terminal");
    set(node, "name", terminal.name);
    set(node, "matchingRule", "bus");
    set(node, "terminalKind", terminal.kind);
    set(node, "description", terminal.doc);
    std::set<std::string> written;
    for (const TerminalMember& member : terminal.members) {
      const auto array = array_of.find(member.variable);
      const std::string& name =
          array == array_of.end() ? table.variables[member.variable].name : array->second->name;
      if (!written.insert(name).second) continue;
      pugi::xml_node variable = node.append_child("TerminalMemberVariable");
      set(variable, "variableName", structured ? structured_name(name) : name);
      set(variable, "memberName",
          array == array_of.end() ? member.name
                                  : member.name.substr(0, member.name.find_first_of("[_")));
      set(variable, "variableKind", !member.flow ? "signal" : member.out ? "outflow" : "inflow");
    }
    // along the left and the right side of the icon
    const int side = i % 2 == 0 ? -100 : 100, rows = (count + 1) / 2;
    const int y = 90 - 180 * (2 * (i / 2) + 1) / (2 * rows), half = 8;
    pugi::xml_node graphic = node.append_child("TerminalGraphicalRepresentation");
    set(graphic, "defaultConnectionColor", "51 51 51");
    set(graphic, "defaultConnectionStrokeSize", "1");
    set_corners(graphic, side - half, y - half, side + half, y + half);
    set(graphic, "iconBaseName", "flange");
  }
  std::ostringstream out;
  document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  return out.str();
}

}  // namespace mbs
