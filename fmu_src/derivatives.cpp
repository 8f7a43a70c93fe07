#include "fmu_src/derivatives.hpp"

#include <algorithm>

namespace mbs {
namespace {

bool is_rate_or_output(const Variable& v) {
  return v.source == Source::output || v.source == Source::derivative;
}

bool is_start_value(const Variable& v) {
  return v.source == Source::continuous ||
         (v.source == Source::parameter && v.initial == Initial::calculated);
}

// Any failure of the numerics is a Refusal with status Discard; std::invalid_argument, too, which
// says that there is no such Jacobian.
template <class Body>
void differentiate(const Body& body) {
  try {
    body();
  } catch (const Refusal&) {
    throw;
  } catch (const std::exception& error) {
    throw Refusal(error.what(), Status::discard);
  }
}

}  // namespace

void Derivatives::reset() {
  unknowns_ = {};
  exact_derivatives_.reset();
  differences_.reset();
  starts_.reset();
}

// FMI 2.0 has inputs and states as knowns once it runs; before, and in FMI 3.0 always, parameters
// and time as well, as far as they are real numbers that can be set.
const Variable& Derivatives::find_known(std::uint32_t reference) const {
  const Variable* v = core_.variables().find(reference);
  const bool exact = v != nullptr && place_of(*v, core_.sizes()) >= 0;
  const bool other = v != nullptr && v->type == ValueType::real &&
                     (v->source == Source::time ||
                      (v->source == Source::parameter && v->causality == Causality::parameter));
  const bool all = core_.options.fmi_version == 3 || core_.machine.is_in(initialization_mode);
  if (exact || (all && other)) return *v;
  throw Refusal(
      std::string("derivatives are with respect to inputs") +
      (all ? ", continuous states, real parameters and time; " : " and continuous states; ") +
      (v != nullptr ? "'" + v->name + "'" : std::to_string(reference)) + " is none of them");
}

EvaluationPoint Derivatives::point() const {
  Preview* pending = core_.pending();
  return pending != nullptr ? pending->point() : core_.system().point();
}

ExactDerivatives& Derivatives::exact() {
  if (!exact_derivatives_)
    exact_derivatives_ = std::make_unique<ExactDerivatives>(core_.system().equations());
  return *exact_derivatives_;
}

DifferenceDerivatives& Derivatives::differences() {
  if (!differences_)
    differences_ = std::make_unique<DifferenceDerivatives>(core_.system().equations(),
                                                           core_.system().options().linear);
  return *differences_;
}

const Vector& Derivatives::of_outputs(int order) {
  return differences().of_outputs(core_.system().point(), order);
}

// The direct effect of an input on the start cannot be separated from what follows by other start
// values: such columns come from initializations.
bool Derivatives::found_by_initializing(const Variable& known) const {
  if (!core_.machine.is_in(initialization_mode)) return false;
  if (known.source == Source::parameter || known.source == Source::time) return true;
  return known.source == Source::input &&
         (start_follows_inputs(core_.packed().model) ||
          moves_constraints(core_.system().equations(), known.index) || unknowns_.start_values);
}

Derivatives::Unknowns Derivatives::find_unknowns(std::span<const std::uint32_t> references) const {
  const Sizes& n = core_.sizes();
  Unknowns found;
  found.at_start = core_.machine.is_in(initialization_mode);
  for (const std::uint32_t reference : references) {
    const Variable& v = find_variable(core_.variables(), reference, ValueType::real);
    const bool rate = is_rate_or_output(v);
    if (!rate && !(found.at_start && is_start_value(v)))
      throw Refusal("derivatives are those of outputs and of states' derivatives; '" + v.name +
                    "' is neither");
    found.start_values = found.start_values || !rate;
    found.rows.push_back(!rate                        ? -1
                         : v.source == Source::output ? n.p + n.v + n.r + v.index
                                                      : v.index);
  }
  found.references.assign(references.begin(), references.end());
  return found;
}

// Checks the arguments before anything is computed.
void Derivatives::prepare(std::span<const std::uint32_t> unknowns,
                          std::span<const std::uint32_t> knowns) {
  if (!core_.variables().has_jacobian)
    throw Refusal(
        "there are no directional derivatives: the Jacobian in so many joint coordinates would be "
        "too large; build the FMU with coordinates = absolute or mixed");
  if (core_.machine.is_in(initialization_mode) != unknowns_.at_start ||
      !std::ranges::equal(unknowns, unknowns_.references))
    unknowns_ = find_unknowns(unknowns);
  knowns_.clear();
  exact_ = true;
  for (const std::uint32_t reference : knowns) {
    const Variable& v = find_known(reference);
    const bool by_initializing = found_by_initializing(v);
    knowns_.push_back({&v, by_initializing ? -1 : place_of(v, core_.sizes()), by_initializing});
    exact_ = exact_ && knowns_.back().place >= 0;
    if (unknowns_.start_values && !by_initializing)
      throw Refusal("start values have derivatives with respect to inputs, parameters and time; '" +
                    v.name + "' is a state");
  }
  core_.need_values();
}

// use(entry), where entry(i) = d unknown i / d known.
template <class Use>
void Derivatives::use_column(const Known& known, const Use& use) {
  const Variable& v = *known.variable;
  const auto use_rows = [&](const auto& all) {
    use([&](std::size_t i) { return all[unknowns_.rows[i]]; });
  };
  if (known.by_initializing) {
    column_.resize(unknowns_.references.size());
    starts_.differentiate(core_, unknowns_.references, v, column_);
    use([&](std::size_t i) { return column_[i]; });
  } else if (known.place >= 0) {
    use_rows(exact().column(point(), known.place));
  } else if (v.source == Source::time) {
    use_rows(differences().by_time(point()));
  } else {
    use_rows(differences().by_parameter(point(), v.index, v.minimum, v.maximum));
  }
}

void Derivatives::sum_columns(std::span<const double> seed, std::span<double> sensitivity) {
  sums_.assign(sensitivity.size(), 0.0);
  for (std::size_t k = 0; k < knowns_.size(); ++k) {
    if (seed[k] == 0.0) continue;
    use_column(knowns_[k], [&](const auto& entry) {
      for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += seed[k] * entry(i);
    });
  }
  std::ranges::copy(sums_, sensitivity.begin());
}

// Inputs and states together are one direction.
void Derivatives::exact_direction(std::span<const double> seed, std::span<double> sensitivity) {
  Variation change(core_.sizes());
  for (std::size_t i = 0; i < knowns_.size(); ++i) {
    Eigen::Index k = knowns_[i].place;
    for (Vector* part : {&change.p, &change.v, &change.r, &change.u}) {
      if (k >= 0 && k < part->size()) (*part)[k] += seed[i];
      k -= part->size();
    }
  }
  Vector dx, dy;
  exact().differentiate(point(), change, dx, &dy);
  for (std::size_t i = 0; i < sensitivity.size(); ++i) {
    const Eigen::Index row = unknowns_.rows[i];
    sensitivity[i] = row < dx.size() ? dx[row] : dy[row - dx.size()];
  }
}

void Derivatives::directional(std::span<const std::uint32_t> unknowns,
                              std::span<const std::uint32_t> knowns, std::span<const double> seed,
                              std::span<double> sensitivity) {
  expect_count(seed.size(), knowns.size());
  expect_count(sensitivity.size(), unknowns.size());
  prepare(unknowns, knowns);
  if (knowns.empty()) {
    std::ranges::fill(sensitivity, 0.0);
    return;
  }
  differentiate([&] {
    if (exact_ && knowns.size() == 1)
      use_column(knowns_[0], [&](const auto& entry) {
        for (std::size_t i = 0; i < sensitivity.size(); ++i) sensitivity[i] = seed[0] * entry(i);
      });
    else if (exact_)
      exact_direction(seed, sensitivity);
    else
      sum_columns(seed, sensitivity);
  });
}

void Derivatives::adjoint(std::span<const std::uint32_t> unknowns,
                          std::span<const std::uint32_t> knowns, std::span<const double> seed,
                          std::span<double> sensitivity) {
  expect_count(seed.size(), unknowns.size());
  expect_count(sensitivity.size(), knowns.size());
  prepare(unknowns, knowns);
  differentiate([&] {
    for (std::size_t j = 0; j < knowns.size(); ++j) {
      double sum = 0.0;
      use_column(knowns_[j], [&](const auto& entry) {
        for (std::size_t i = 0; i < unknowns.size(); ++i) sum += seed[i] * entry(i);
      });
      sensitivity[j] = sum;
    }
  });
}

}  // namespace mbs
