#include "tools/export/resolve_array_dimensions.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine/base/text.hpp"
#include "fmu_src/exchange_arrays.hpp"
#include "tools/export/resized.hpp"

namespace mbs {
namespace {

bool is_counter(const Variable& v) {
  return v.source == Source::event_count || v.source == Source::contact_count ||
         v.source == Source::contact_mode;
}

bool is_of_exchange(const Variable& v) {
  return v.source == Source::continuous || v.source == Source::derivative ||
         v.source == Source::indicator;
}

enum class Part { model, counters, exchange };

Part part_of(const VariableTable& table, const ArrayVariable& array) {
  const Variable& v = table.variables[array.elements.front()];
  return is_counter(v) ? Part::counters : is_exchange_array(array) ? Part::exchange : Part::model;
}

// The parts that an FMU can do without, each with the reason why it does; empty: it has them.
struct Without {
  std::string counters, exchange;
};

class Comparison {
 public:
  Comparison(VariableTable& table, const VariableTable& other, const std::string& parameter,
             double size, double other_size, Without& without, Diagnostics& diagnostics)
      : table_(table),
        other_(other),
        parameter_(parameter),
        size_(size),
        other_size_(other_size),
        without_(without),
        diagnostics_(diagnostics) {}

  void run() {
    for (const Part part : {Part::model, Part::counters, Part::exchange}) compare(part);
  }

 private:
  void compare(Part part) {
    if (part == Part::exchange && !(table_.exchange_arrays && other_.exchange_arrays)) {
      const bool here = !table_.exchange_arrays;
      misfit(part, (here ? table_ : other_).no_exchange_arrays + with_size(here), "");
      return;
    }
    const std::vector<std::size_t> mine = of(table_, part), others = of(other_, part);
    std::size_t k = 0;
    for (; k < mine.size() && k < others.size(); ++k) {
      if (table_.arrays[mine[k]].name != other_.arrays[others[k]].name) break;
      compare(part, table_.arrays[mine[k]], other_.arrays[others[k]]);
    }
    if (k == mine.size() && k == others.size()) return;
    const ArrayVariable& array =
        k < mine.size() ? table_.arrays[mine[k]] : other_.arrays[others[k]];
    misfit(part,
           "the variables of the model change with '" + parameter_ + "': see '" + array.name + "'",
           "what is there for one size must be there for all");
  }
  static std::vector<std::size_t> of(const VariableTable& table, Part part) {
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < table.arrays.size(); ++k)
      if (part_of(table, table.arrays[k]) == part) list.push_back(k);
    return list;
  }
  void misfit(Part part, const std::string& message, const std::string& hint) {
    if (part == Part::model) return error(message, hint);
    std::string& why = part == Part::counters ? without_.counters : without_.exchange;
    if (why.empty()) why = message;
  }
  void error(const std::string& message, const std::string& hint) {
    diagnostics_.error({"resizable", 0, 0}, "not-resizable", message, hint);
  }
  std::string with_size(bool here) const {
    return " for " + parameter_ + " = " + number_text(here ? size_ : other_size_);
  }
  std::string for_both(const std::string& here, const std::string& there) const {
    return here + with_size(true) + " and " + there + with_size(false);
  }

  void compare(Part part, ArrayVariable& a, const ArrayVariable& b) {
    Variable& first = table_.variables[a.elements.front()];
    const Variable& second = other_.variables[b.elements.front()];
    if (first.name == parameter_) return;
    if (a.sizes.size() != b.sizes.size()) {
      misfit(part,
             "'" + a.name + "' has another number of dimensions for another '" + parameter_ + "'",
             "");
      return;
    }
    if (part == Part::exchange) keep_common_nominal(first, a, b);
    for (std::size_t d = 0; d < a.sizes.size(); ++d) {
      if (a.sizes[d] == b.sizes[d]) continue;
      if (a.sizes[d] == size_ && b.sizes[d] == other_size_)
        a.size_parameters[d] = reference_of_parameter();
      else
        misfit(part,
               "the array '" + a.name + "' has " +
                   for_both(std::to_string(a.sizes[d]), std::to_string(b.sizes[d])) + " elements",
               "in FMI 3.0 the size of an array can be a parameter, but nothing computed from it");
    }
    if (first.minimum != second.minimum || first.maximum != second.maximum)
      error("the range of '" + a.name + "' changes with '" + parameter_ + "'", "");
    if (first.causality == Causality::local && first.variability == Change::constant) {
      first.follows_size = first.follows_size || first.start != second.start;
      return;
    }
    const auto same_start = [&](std::size_t k) {
      return table_.variables[a.elements[k]].start == other_.variables[b.elements[k]].start;
    };
    for (std::size_t k = 0; k < std::min(a.elements.size(), b.elements.size()); ++k)
      if (!same_start(k)) {
        error("the start value of '" + table_.variables[a.elements[k]].name + "' changes with '" +
                  parameter_ + "': " +
                  for_both(number_text(table_.variables[a.elements[k]].start.value_or(0.0)),
                           number_text(other_.variables[b.elements[k]].start.value_or(0.0))),
              "give it variability=\"structural\", or a value that does not depend on '" +
                  parameter_ + "'");
        return;
      }
  }

  // One attribute for all elements, at all sizes; the C interface gives each its own.
  void keep_common_nominal(Variable& first, const ArrayVariable& a, const ArrayVariable& b) const {
    const double nominal = first.nominal;
    const auto same = [&](const VariableTable& table, const ArrayVariable& array) {
      return std::ranges::all_of(array.elements, [&](std::uint32_t element) {
        return table.variables[element].nominal == nominal;
      });
    };
    if (!same(table_, a) || !same(other_, b)) first.nominal = 1.0;
  }

  std::uint32_t reference_of_parameter() const {
    const auto found = std::find_if(table_.arrays.begin(), table_.arrays.end(),
                                    [&](const ArrayVariable& a) { return a.name == parameter_; });
    return found->reference;
  }

  VariableTable& table_;
  const VariableTable& other_;
  const std::string& parameter_;
  double size_, other_size_;
  Without& without_;
  Diagnostics& diagnostics_;
};

// Leaves variables of a part out of the description. Their references stay.
void hide(VariableTable& table, Part part) {
  std::erase_if(table.arrays,
                [&](const ArrayVariable& array) { return part_of(table, array) == part; });
  for (Variable& v : table.variables)
    if (part == Part::counters ? is_counter(v) : is_of_exchange(v)) v.in_description = false;
}

// Puts states, derivatives and indicators in the order of the arrays.
void order_exchange(VariableTable& table) {
  table.derivatives.clear();
  table.indicators.clear();
  for (const ArrayVariable& array : table.arrays) {
    if (!is_exchange_array(array)) continue;
    const Source source = table.variables[array.elements.front()].source;
    if (source == Source::continuous) continue;
    auto& list = source == Source::derivative ? table.derivatives : table.indicators;
    list.insert(list.end(), array.elements.begin(), array.elements.end());
  }
  table.states.clear();
  for (const std::uint32_t derivative : table.derivatives)
    table.states.push_back(*table.variables[derivative].derivative_of);
}

void hide_exchange(VariableTable& table, const std::string& why) {
  hide(table, Part::exchange);
  table.exchange_arrays.reset();
  table.no_exchange_arrays = why;
  table.states.clear();
  table.derivatives.clear();
  table.indicators.clear();
}

// Formulas that agree at one other size differ at one of these.
std::vector<double> other_sizes(double size, double minimum, double maximum) {
  constexpr double largest = 256.0;  // to be read in no time
  const double least = std::max(1.0, minimum);
  const double most = std::min(maximum, std::max(largest, size + 1.0));
  std::vector<double> sizes;
  for (const double other :
       {size + 1.0, size - 1.0, size + 2.0, size - 2.0, least, maximum, 2.0 * size + 1.0}) {
    const bool known = std::find(sizes.begin(), sizes.end(), other) != sizes.end();
    if (other >= least && other <= most && other != size && !known) sizes.push_back(other);
  }
  return sizes;
}

}  // namespace

std::optional<CommonCoordinates> common_coordinates(const Model& model, const std::string& resolved,
                                                    std::span<const std::string> resizable) {
  if (resizable.empty() || model.solver.coordinates != "auto") return {};
  const std::vector<double> values = parameter_start_values(model);
  std::string choice, size;
  std::size_t most_bodies = 0;
  for (const std::string& name : resizable) {
    const auto at = std::ranges::find(model.parameters, name, &Parameter::name);
    const double made = values[static_cast<std::size_t>(at - model.parameters.begin())];
    std::vector<double> sizes = other_sizes(made, at->minimum, at->maximum);
    sizes.push_back(made);
    const Override largest{name, number_text(std::ranges::max(sizes))};
    Diagnostics inside;  // errors are reported when the sizes are compared
    const Resized resized = read_resized(resolved, {&largest, 1}, inside);
    if (!resized.equations || resized.model.bodies.size() < most_bodies) continue;
    most_bodies = resized.model.bodies.size();
    choice = resized.coordinates;
    size = name + " = " + largest.value;
  }
  const std::string keyword = choice.substr(0, choice.find(','));
  if (keyword.empty()) return {};
  return CommonCoordinates{
      keyword, keyword + ", for all sizes as for " + size + choice.substr(keyword.size())};
}

bool resolve_array_dimensions(VariableTable& table, const std::string& resolved,
                              std::span<const std::string> resizable, Diagnostics& diagnostics) {
  if (resizable.empty()) return true;
  Without without{{}, table.no_exchange_arrays};
  for (const std::string& name : resizable) {
    const auto v = std::find_if(table.variables.begin(), table.variables.end(),
                                [&](const Variable& one) { return one.name == name; });
    const std::vector<double> sizes = other_sizes(*v->start, v->minimum, v->maximum);
    if (sizes.empty())
      diagnostics.error({"resizable", 0, 0}, "not-resizable",
                        "'" + name + "' is resizable, but its range holds one value alone",
                        "widen min and max");
    for (const double size : sizes) {
      Diagnostics inside;
      const Override other{name, number_text(size)};
      const auto [model, equations, coordinates] = read_resized(resolved, {&other, 1}, inside);
      for (const Diagnostic& d : inside.list())
        if (d.severity == Severity::error)
          diagnostics.error(d.place, d.code,
                            "with " + name + " = " + other.value + ": " + d.message, d.hint);
      if (!inside.ok() || !equations) break;
      try {
        VariableTable with_size = make_variables(model, resizable);
        add_exchange_variables(with_size, *equations);
        Comparison(table, with_size, name, *v->start, size, without, diagnostics).run();
      } catch (const std::runtime_error& error) {
        diagnostics.error({"resizable", 0, 0}, "not-resizable", error.what(),
                          "use each=\"...\" outside of repeats, or no resizable parameter");
      }
      if (!diagnostics.ok()) break;  // the same again and again
    }
  }
  constexpr const char* no_formula =
      "in FMI 3.0 the size of an array can be a parameter, but nothing computed from it";
  if (!without.counters.empty()) {
    diagnostics.warning({"resizable", 0, 0}, "no-counters",
                        "events have no counters: " + without.counters, no_formula);
    hide(table, Part::counters);
  }
  if (without.exchange.empty()) {
    order_exchange(table);
  } else {
    diagnostics.warning(
        {"resizable", 0, 0}, "no-model-exchange",
        "the FMU is for co-simulation alone: " + without.exchange,
        std::string(no_formula) +
            "; for states, other coordinates may do: <solver coordinates=\"...\"/>");
    hide_exchange(table, without.exchange);
  }
  return diagnostics.ok();
}

}  // namespace mbs
