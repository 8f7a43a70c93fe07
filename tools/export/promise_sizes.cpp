#include "tools/export/promise_sizes.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "engine/model/words.hpp"
#include "engine/multibody/assemble.hpp"

namespace mbs {
namespace {

bool is_counter(const Variable& v) {
  return v.source == Source::event_count || v.source == Source::contact_count ||
         v.source == Source::contact_mode;
}

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
    const bool here = k < table_.arrays.size();
    const VariableTable& table = here ? table_ : other_;
    const ArrayVariable& array = table.arrays[k];
    misfit(table.variables[array.elements.front()],
           "the variables of the model change with '" + parameter_ + "': see '" + array.name + "'",
           "what is there for one size must be there for all");
  }

  // Counters whose size is no parameter.
  const std::set<std::string>& without_place() const { return without_place_; }

 private:
  void misfit(const Variable& v, const std::string& message, const std::string& hint) {
    if (is_counter(v))
      without_place_.insert(message);
    else
      error(message, hint);
  }
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
        misfit(first,
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
  std::set<std::string> without_place_;
};

// They come after the model's own; what follows them is not listed with resizable parameters.
void drop_counters(VariableTable& table) {
  std::erase_if(table.arrays, [&](const ArrayVariable& array) {
    return is_counter(table.variables[array.elements.front()]);
  });
  table.states.clear();
  table.derivatives.clear();
  table.indicators.clear();
  const auto first = std::find_if(table.variables.begin(), table.variables.end(), is_counter);
  table.variables.erase(first, table.variables.end());
}

// Formulas that agree at one other size differ at one of these.
std::vector<double> other_sizes(const Variable& v) {
  constexpr double largest = 256.0;  // to be read in no time
  const double size = *v.start, least = std::max(1.0, v.minimum);
  const double most = std::min(v.maximum, std::max(largest, size + 1.0));
  std::vector<double> sizes;
  for (const double other :
       {size + 1.0, size - 1.0, size + 2.0, size - 2.0, least, v.maximum, 2.0 * size + 1.0}) {
    const bool known = std::find(sizes.begin(), sizes.end(), other) != sizes.end();
    if (other >= least && other <= most && other != size && !known) sizes.push_back(other);
  }
  return sizes;
}

}  // namespace

bool promise_sizes(VariableTable& table, const std::string& resolved,
                   std::span<const std::string> resizable, Diagnostics& diagnostics) {
  std::set<std::string> without_place;
  for (const std::string& name : resizable) {
    const auto v = std::find_if(table.variables.begin(), table.variables.end(),
                                [&](const Variable& one) { return one.name == name; });
    const std::vector<double> sizes = other_sizes(*v);
    if (sizes.empty())
      diagnostics.error({"resizable", 0, 0}, "not-resizable",
                        "'" + name + "' is resizable, but its range holds one value alone",
                        "widen min and max");
    for (const double size : sizes) {
      Diagnostics inside;
      const Override other{name, number_text(size)};
      const Model model = read_model_text(resolved, "resources/model.mbs.xml", inside, {&other, 1});
      const auto equations = inside.ok() ? assemble(model, inside) : nullptr;
      for (const Diagnostic& d : inside.list())
        if (d.severity == Severity::error)
          diagnostics.error(d.place, d.code,
                            "with " + name + " = " + other.value + ": " + d.message, d.hint);
      if (!inside.ok() || !equations) break;
      try {
        VariableTable with_size = make_variables(model, resizable);
        add_exchange_variables(with_size, *equations);
        Comparison comparison(table, with_size, name, *v->start, size, diagnostics);
        comparison.run();
        without_place.insert(comparison.without_place().begin(), comparison.without_place().end());
      } catch (const std::runtime_error& error) {
        diagnostics.error({"resizable", 0, 0}, "not-resizable", error.what(),
                          "use each=\"...\" outside of repeats, or no resizable parameter");
      }
      if (!diagnostics.ok()) break;  // the same again and again
    }
  }
  if (!without_place.empty()) {
    diagnostics.warning({"resizable", 0, 0}, "no-counters",
                        "events have no counters: " + *without_place.begin(),
                        "in FMI 3.0 the size of an array can be a parameter, but nothing computed "
                        "from it");
    drop_counters(table);
  }
  return diagnostics.ok();
}

}  // namespace mbs
