#include "tools/export/promise_sizes.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine/model/words.hpp"

namespace mbs {
namespace {

class Comparison {
 public:
  Comparison(VariableTable& table, const VariableTable& other, const std::string& parameter,
             double size, double other_size, Diagnostics& diagnostics)
      : table_(table),
        other_(other),
        parameter_(parameter),
        size_(size),
        other_size_(other_size),
        diagnostics_(diagnostics) {}

  void run() {
    std::size_t k = 0;
    for (; k < table_.arrays.size() && k < other_.arrays.size(); ++k) {
      if (table_.arrays[k].name != other_.arrays[k].name) break;
      compare(table_.arrays[k], other_.arrays[k]);
    }
    if (k == table_.arrays.size() && k == other_.arrays.size()) return;
    const std::string& name =
        k < table_.arrays.size() ? table_.arrays[k].name : other_.arrays[k].name;
    error("the variables of the model change with '" + parameter_ + "': see '" + name + "'",
          "what is there for one size must be there for all");
  }

 private:
  void error(const std::string& message, const std::string& hint) {
    diagnostics_.error({"resizable", 0, 0}, "not-resizable", message, hint);
  }
  std::string for_both(const std::string& here, const std::string& there) const {
    return here + " for " + parameter_ + " = " + number_text(size_) + " and " + there + " for " +
           parameter_ + " = " + number_text(other_size_);
  }

  void compare(ArrayVariable& a, const ArrayVariable& b) {
    Variable& first = table_.variables[a.elements.front()];
    const Variable& second = other_.variables[b.elements.front()];
    if (first.name == parameter_) return;
    if (a.sizes.size() != b.sizes.size()) {
      error("'" + a.name + "' has another number of dimensions for another '" + parameter_ + "'",
            "");
      return;
    }
    for (std::size_t d = 0; d < a.sizes.size(); ++d) {
      if (a.sizes[d] == b.sizes[d]) continue;
      if (a.sizes[d] == size_ && b.sizes[d] == other_size_)
        a.size_parameters[d] = reference_of_parameter();
      else
        error("the array '" + a.name + "' has " +
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

  std::uint32_t reference_of_parameter() const {
    const auto found = std::find_if(table_.arrays.begin(), table_.arrays.end(),
                                    [&](const ArrayVariable& a) { return a.name == parameter_; });
    return found->reference;
  }

  VariableTable& table_;
  const VariableTable& other_;
  const std::string& parameter_;
  double size_, other_size_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool promise_sizes(VariableTable& table, const std::string& resolved,
                   std::span<const std::string> resizable, Diagnostics& diagnostics) {
  for (const std::string& name : resizable) {
    const auto v = std::find_if(table.variables.begin(), table.variables.end(),
                                [&](const Variable& one) { return one.name == name; });
    const double size = *v->start;
    const double other_size = size + 1.0 <= v->maximum ? size + 1.0 : size - 1.0;
    if (other_size < std::max(1.0, v->minimum)) {
      diagnostics.error({"resizable", 0, 0}, "not-resizable",
                        "'" + name + "' is resizable, but its range holds one value alone",
                        "widen min and max");
      continue;
    }
    Diagnostics inside;
    const Override other{name, number_text(other_size)};
    const Model model = read_model_text(resolved, "resources/model.mbs.xml", inside, {&other, 1});
    for (const Diagnostic& d : inside.list())
      if (d.severity == Severity::error)
        diagnostics.error(d.place, d.code, "with " + name + " = " + other.value + ": " + d.message,
                          d.hint);
    if (!inside.ok()) continue;
    try {
      Comparison(table, make_variables(model, resizable), name, size, other_size, diagnostics)
          .run();
    } catch (const std::runtime_error& error) {
      diagnostics.error({"resizable", 0, 0}, "not-resizable", error.what(),
                        "use each=\"...\" outside of repeats, or no resizable parameter");
    }
  }
  return diagnostics.ok();
}

}  // namespace mbs
