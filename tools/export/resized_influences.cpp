#include "tools/export/resized_influences.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "engine/base/text.hpp"
#include "engine/model/resizable.hpp"
#include "tools/export/build_fmu.hpp"
#include "tools/export/influences.hpp"
#include "tools/export/resized.hpp"
#include "tools/export/size_effects.hpp"

namespace mbs {
namespace {

using References = std::vector<std::uint32_t>;
using MaybeReferences = std::optional<References>;
using Lists = MaybeReferences Variable::*;

constexpr std::size_t nowhere = ~std::size_t{0};

std::vector<std::string> names_of(const VariableTable& table, const ArrayVariable& array) {
  std::vector<std::string> names;
  for (const std::uint32_t element : array.elements) names.push_back(table.find(element)->name);
  return names;
}

bool counts(const Variable& v) {
  return v.source == Source::event_count || v.source == Source::contact_count ||
         (v.source == Source::output && !v.follows_states);
}

// What acts on each array of a table, by numbers of arrays, at all sizes so far.
class Union {
 public:
  Union(const VariableTable& table, Lists lists)
      : table_(table), lists_(lists), found_(table.arrays.size()), none_(table.arrays.size()) {}

  // array_of: the resized table's variables. required: where a list is missing it is so for all.
  void add(const VariableTable& resized, const std::vector<std::size_t>& array_of, bool required) {
    for (const Variable& v : resized.variables) {
      const std::size_t k = array_of[v.reference];
      if (k == nowhere) continue;
      const MaybeReferences& list = v.*lists_;
      if (!list && required) none_[k] = 1;
      if (!list) continue;
      for (const std::uint32_t other : *list)
        if (array_of[other] != nowhere) found_[k].insert(array_of[other]);
    }
  }
  // A size acts on what follows arrays of this size, and where it does otherwise.
  void add_size(std::size_t size, auto&& acts_on) {
    const std::uint32_t reference = table_.arrays[size].reference;
    const auto is_sized = [&](std::size_t k) {
      return std::ranges::count(table_.arrays[k].size_parameters, reference) > 0;
    };
    for (std::size_t k = 0; k < found_.size(); ++k)
      if (none_[k] == 0 &&
          (std::ranges::any_of(found_[k], is_sized) || (!is_sized(k) && acts_on(table_.arrays[k]))))
        found_[k].insert(size);
  }
  // As lists of the first elements.
  void put(VariableTable& table) const {
    for (std::size_t k = 0; k < found_.size(); ++k) {
      if (none_[k] != 0) continue;
      const ArrayVariable& array = table.arrays[k];
      for (const std::uint32_t element : array.elements)
        (table.variables[element].*lists_).emplace();
      References& list = *(table.variables[array.elements.front()].*lists_);
      for (const std::size_t other : found_[k])
        list.push_back(table.arrays[other].elements.front());
      std::sort(list.begin(), list.end());
    }
  }

 private:
  const VariableTable& table_;
  const Lists lists_;
  std::vector<std::set<std::size_t>> found_;
  std::vector<char> none_;
};

constexpr double large = 64.0;

// Of one parameter; the first one is what the FMU is made with. Empty: laws may turn farther away.
std::vector<double> sizes_of(const Variable& v, std::span<const int> turning) {
  constexpr double small = 4.0;
  const double least = std::max(1.0, v.minimum), most = std::min(v.maximum, large + 1.0);
  if (v.maximum > large && !turning.empty() && turning.back() > large) return {};
  std::set<double> sizes;
  for (double size = least; size < least + small; ++size) sizes.insert(size);
  for (const double turn : turning)
    for (const double beside : {-1.0, 0.0, 1.0}) sizes.insert(turn + beside);
  if (!turning.empty()) sizes.insert({17.0, most});  // of what numbers alone do not tell
  std::erase_if(sizes, [&](double size) { return size < least || size > most; });
  std::vector<double> list{*v.start};
  for (const double size : sizes)
    if (size != *v.start) list.push_back(size);
  return list;
}

struct Combination {
  std::vector<Override> sizes;
  std::vector<char> other;  // than what the FMU is made with
  auto others() const { return std::ranges::count(other, 1); }
};

// What the FMU is made with, each parameter by itself beside that, all together, and small ones in
// any combination. Empty: it takes too many.
std::vector<Combination> combinations(const VariableTable& table,
                                      std::span<const std::string> resizable,
                                      std::span<const int> turning) {
  std::vector<std::vector<double>> sizes;
  std::size_t longest = 0;
  for (const std::string& name : resizable) {
    sizes.push_back(sizes_of(*std::ranges::find(table.variables, name, &Variable::name), turning));
    if (sizes.back().empty()) return {};
    longest = std::max(longest, sizes.back().size());
  }
  std::vector<double> made;
  for (const auto& list : sizes) made.push_back(list.front());
  std::set<std::vector<double>> all;
  for (std::size_t k = 0; k < longest; ++k) {
    std::vector<double> together;
    for (const auto& list : sizes) together.push_back(list[std::min(k, list.size() - 1)]);
    for (std::size_t one = 0; one < sizes.size(); ++one) {
      std::vector<double> alone = made;
      alone[one] = together[one];
      all.insert(alone);
    }
    all.insert(std::move(together));
  }
  if (sizes.size() == 2)
    for (const double first : std::span(sizes[0]).first(std::min<std::size_t>(5, sizes[0].size())))
      for (const double second :
           std::span(sizes[1]).first(std::min<std::size_t>(5, sizes[1].size())))
        all.insert({first, second});
  constexpr std::size_t most = 64;  // each takes up to some seconds
  if (all.size() > most) return {};
  std::vector<Combination> list;
  for (const std::vector<double>& values : all) {
    Combination& combination = list.emplace_back();
    for (std::size_t k = 0; k < values.size(); ++k) {
      combination.sizes.push_back({resizable[k], number_text(values[k])});
      combination.other.push_back(values[k] != made[k]);
    }
  }
  std::ranges::stable_partition(list, [](const Combination& one) { return one.others() == 0; });
  return list;
}

class SizeTrials {
 public:
  SizeTrials(const VariableTable& table, std::span<const std::string> resizable)
      : table_(table),
        resizable_(resizable),
        running_(table, &Variable::influences),
        starting_(table, &Variable::start_influences),
        acts_(resizable.size()) {
    for (std::size_t k = 0; k < table.arrays.size(); ++k) by_name_[table.arrays[k].name] = k;
  }

  void look(const std::string& resolved, const Combination& sizes, bool required) {
    Diagnostics inside;
    const Resized resized = read_resized(resolved, sizes.sizes, inside);
    if (!resized.equations || !starts(resized.model, resized.equations, inside)) return;
    VariableTable table;
    try {
      table = make_variables(resized.model, resizable_);
      add_exchange_variables(table, *resized.equations);
    } catch (const std::runtime_error&) {
      return;  // it never is of this size
    }
    const ValuesOfSize values(table, resized);
    for (const auto& [others, before] : seen_)
      if (const auto k = only_other(sizes.sizes, others)) note_effects(values, before, acts_[*k]);
    seen_.emplace_back(sizes.sizes, values);
    add_influences(table, resized.model, resized.equations);
    std::vector<std::size_t> array_of(table.variables.size(), nowhere);
    for (const ArrayVariable& array : table.arrays)
      if (const auto at = by_name_.find(array.name); at != by_name_.end())
        for (const std::uint32_t element : array.elements) array_of[element] = at->second;
    running_.add(table, array_of, required);
    starting_.add(table, array_of, required);
  }

  void put(VariableTable& table) {
    for (std::size_t k = 0; k < resizable_.size(); ++k) {
      const std::size_t size = by_name_.at(resizable_[k]);
      running_.add_size(size,
                        [&](const ArrayVariable& a) { return acts_[k].running.contains(a.name); });
      starting_.add_size(
          size, [&](const ArrayVariable& a) { return acts_[k].starting.contains(a.name); });
    }
    running_.put(table);
    starting_.put(table);
  }

 private:
  // Names of arrays on which one size acts.
  struct Effects {
    std::set<std::string> running, starting;
  };
  // Where one alone is another.
  static std::optional<std::size_t> only_other(const std::vector<Override>& a,
                                               const std::vector<Override>& b) {
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (a[k].value == b[k].value) continue;
      if (found) return {};
      found = k;
    }
    return found;
  }
  void note_effects(const ValuesOfSize& values, const ValuesOfSize& before,
                    Effects& effects) const {
    for (const ArrayVariable& array : table_.arrays) {
      if (counts(table_.variables[array.elements.front()])) continue;
      const std::vector<std::string> names = names_of(table_, array);
      if (!effects.running.contains(array.name) && !before.running_alike(values, names))
        effects.running.insert(array.name);
      if (!effects.starting.contains(array.name) && !before.starts_alike(values, names))
        effects.starting.insert(array.name);
    }
  }

  const VariableTable& table_;
  const std::span<const std::string> resizable_;
  Union running_, starting_;
  std::vector<Effects> acts_;
  std::vector<std::pair<std::vector<Override>, ValuesOfSize>> seen_;
  std::map<std::string, std::size_t> by_name_;
};

}  // namespace

void add_resized_influences(VariableTable& table, const std::string& resolved,
                            std::span<const std::string> resizable) {
  const auto tried = combinations(table, resizable, turning_sizes(resolved));
  if (tried.empty()) return;
  SizeTrials trials(table, resizable);
  // The size that the FMU is made with may be too large to be looked at: it is like the others.
  for (const Combination& one : tried)
    trials.look(resolved, one, one.others() > 0 || tried.size() == 1);
  trials.put(table);
}

}  // namespace mbs
