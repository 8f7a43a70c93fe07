#include "engine/integrators/base/statistics.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

namespace mbs {
namespace {

using Keyword = std::pair<std::string_view, double (*)(const Statistics&)>;

constexpr std::array<Keyword, 22> by_keywords{{
    {"steps", [](const Statistics& s) { return double(s.steps); }},
    {"rejected", [](const Statistics& s) { return double(s.rejected); }},
    {"failed", [](const Statistics& s) { return double(s.failed); }},
    {"matrix_evaluations", [](const Statistics& s) { return double(s.matrix_evaluations); }},
    {"force_evaluations", [](const Statistics& s) { return double(s.force_evaluations); }},
    {"jacobians", [](const Statistics& s) { return double(s.jacobians); }},
    {"factorisations", [](const Statistics& s) { return double(s.factorisations); }},
    {"solves", [](const Statistics& s) { return double(s.solves); }},
    {"projections", [](const Statistics& s) { return double(s.projections); }},
    {"selectors", [](const Statistics& s) { return double(s.selectors); }},
    {"starts", [](const Statistics& s) { return double(s.starts); }},
    {"last_step", [](const Statistics& s) { return s.last_step; }},
    {"last_order", [](const Statistics& s) { return double(s.last_order); }},
    {"updates", [](const Statistics& s) { return double(s.updates); }},
    {"cycles", [](const Statistics& s) { return double(s.cycles()); }},
    {"cycle_steps", [](const Statistics& s) { return double(s.cycle_steps); }},
    {"refreshes_failed", [](const Statistics& s) { return double(s.refreshes_failed); }},
    {"refreshes_slow", [](const Statistics& s) { return double(s.refreshes_slow); }},
    {"refreshes_step", [](const Statistics& s) { return double(s.refreshes_step); }},
    {"contraction", [](const Statistics& s) { return s.contraction; }},
    {"operations", [](const Statistics& s) { return s.operations; }},
    {"simulation_rate", [](const Statistics& s) { return s.simulation_rate(); }},
}};

constexpr auto all_keywords = [] {
  std::array<std::string_view, by_keywords.size()> keywords{};
  for (std::size_t i = 0; i < keywords.size(); ++i) keywords[i] = by_keywords[i].first;
  return keywords;
}();

template <class S, class Function>
void for_each_number(S& s, Function&& function) {
  for (auto* count :
       {&s.steps, &s.rejected, &s.failed, &s.matrix_evaluations, &s.force_evaluations, &s.jacobians,
        &s.factorisations, &s.solves, &s.projections, &s.selectors, &s.starts, &s.updates,
        &s.refreshes_failed, &s.refreshes_slow, &s.refreshes_step, &s.cycle_steps}) {
    function(*count);
  }
  for (auto* number : {&s.last_step, &s.contraction, &s.operations, &s.simulated}) {
    function(*number);
  }
  function(s.last_order);
}

}  // namespace

std::span<const std::string_view> Statistics::keywords() {
  return all_keywords;
}

double Statistics::by_keyword(std::string_view keyword) const {
  for (const auto& [name, value] : by_keywords) {
    if (name == keyword) return value(*this);
  }
  std::string known;
  for (std::string_view name : all_keywords)
    known += (known.empty() ? "" : ", ") + std::string(name);
  throw std::out_of_range("there is no statistic '" + std::string(keyword) + "'; there are " +
                          known);
}

void Statistics::save(ByteWriter& out) const {
  for_each_number(*this, [&](const auto& number) { out.put(number); });
}

void Statistics::restore(ByteReader& in) {
  for_each_number(*this, [&](auto& number) { in.get(number); });
}

}  // namespace mbs
