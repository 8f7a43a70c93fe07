#include "engine/integrators/base/integrator.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& value,
                         const std::string& bound) {
  throw std::invalid_argument(option + " is " + value + ", but must " + bound);
}

void check_relative(const std::string& option, double value) {
  if (!(value >= 1e-15 && value < 1.0)) {
    refuse(option, short_number(value), "be at least 1e-15 and less than 1");
  }
}

void check_absolute(const std::string& option, double value) {
  if (!(value > 0.0 && std::isfinite(value))) {
    refuse(option, short_number(value), "be greater than 0 and finite");
  }
}

void check_not_negative(const std::string& option, double value) {
  if (!(value >= 0.0 && std::isfinite(value))) {
    refuse(option, short_number(value), "be 0 (chosen by the method) or greater, and finite");
  }
}

void check_count(const std::string& option, Eigen::Index count, const Sizes& n) {
  const int components = n.p + n.v + n.r;
  if (count != 0 && count != components) {
    refuse("the number of values of " + option, std::to_string(count),
           "be " + std::to_string(components) + ": one for each of " + std::to_string(n.p) +
               " positions, " + std::to_string(n.v) + " velocities and " + std::to_string(n.r) +
               " states, in this order");
  }
}

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

}  // namespace

void IntegratorOptions::check(const Sizes& sizes) const {
  check_relative("rtol", rtol);
  check_absolute("atol", atol);
  check_count("rtol", rtol_each.size(), sizes);
  check_count("atol", atol_each.size(), sizes);
  for (int i = 0; i < rtol_each.size(); ++i) {
    check_relative("rtol[" + std::to_string(i + 1) + "]", rtol_each[i]);
  }
  for (int i = 0; i < atol_each.size(); ++i) {
    check_absolute("atol[" + std::to_string(i + 1) + "]", atol_each[i]);
  }
  check_not_negative("initial_step", initial_step);
  check_not_negative("max_step", max_step);
  check_not_negative("min_step", min_step);
  if (max_step > 0.0 && min_step > max_step) {
    refuse("min_step", short_number(min_step), "not exceed max_step = " + short_number(max_step));
  }
  if (max_order < 0) refuse("max_order", std::to_string(max_order), "be 0 (chosen) or greater");
  if (dense_order < 0) {
    refuse("dense_order", std::to_string(dense_order), "be 0 (not limited) or greater");
  }
  if (scheme != "auto" && scheme != "standard" && scheme != "modified") {
    refuse("scheme", "'" + scheme + "'", "be auto, standard or modified");
  }
  if (max_steps < 0) refuse("max_steps", std::to_string(max_steps), "be 0 (no limit) or greater");
}

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

namespace {

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

void Statistics::save(ByteWriter& out) const {
  for_each_number(*this, [&](const auto& number) { out.put(number); });
}

void Statistics::restore(ByteReader& in) {
  for_each_number(*this, [&](auto& number) { in.get(number); });
}

SolverFailure::SolverFailure(double at, double with, const std::string& reason,
                             const std::string& advice)
    : std::runtime_error("integration stopped at t = " + short_number(at) + " with step " +
                         short_number(with) + ": " + reason +
                         (advice.empty() ? std::string() : ". " + advice)),
      time(at),
      step(with) {}

}  // namespace mbs
