#include "tools/check_fmu/derivatives.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

namespace mbs::check_fmu {
namespace {

using import::References;
using import::Status;
using import::Variable;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// Limits the processor time of columns and slopes after the first ones.
class TimeLimit {
 public:
  bool is_over() const { return std::clock() - begin_ > CLOCKS_PER_SEC / 10; }

 private:
  std::clock_t begin_ = std::clock();
};

// The tolerance of a finite difference.
std::string roughly(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

// Different factors, of both signs.
double weight(std::size_t i) {
  return (i % 2 == 0 ? 1 : -1) * (0.5 + std::fmod(0.618 * static_cast<double>(i + 1), 0.5));
}

}  // namespace

double size_of(const Variable& variable, double value) {
  const double nominal = std::abs(variable.attributes.nominal.value_or(1));
  return std::max(std::abs(value), nominal > 0 && std::isfinite(nominal) ? nominal : 1);
}

bool is_within(const Variable& variable, double value) {
  const auto bound = [](const std::optional<import::Value>& given, double otherwise) {
    const auto* reals = given ? std::get_if<import::Reals>(&*given) : nullptr;
    return reals && !reals->empty() ? reals->front() : otherwise;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  return value >= bound(variable.attributes.min, -infinity) &&
         value <= bound(variable.attributes.max, infinity);
}

Derivatives::Derivatives(Trial& trial, const Equations& equations, Mode mode,
                         import::Instance& instance)
    : trial_(trial),
      equations_(equations),
      mode_(mode),
      instance_(instance),
      x_(equations.knowns.size()),
      y_(equations.unknowns.size()) {}

bool Derivatives::read() {
  trial_.parent().doing("reading what has derivatives " + when());
  const auto sizes = [](const Block& block, const Vector& values) {
    Vector list;
    for (std::size_t i = 0; i < values.size(); ++i)
      list.push_back(size_of(block.variable(i), values[i]));
    return list;
  };
  if (!is_good(instance_.get_real(equations_.knowns.references, x_)) ||
      !is_good(instance_.get_real(equations_.unknowns.references, y_)))
    return false;
  x_size_ = sizes(equations_.knowns, x_);
  y_size_ = sizes(equations_.unknowns, y_);
  return true;
}

std::string Derivatives::derive() {
  const TimeLimit limit;
  row_size_.assign(y_.size(), 0.0);
  for (const std::size_t column : equations_.columns) {
    if (!columns_.empty() && limit.is_over()) break;
    Vector result;
    const Status status = multiply_one(column, 1, result);
    if (!is_good(status))
      return text("the unknowns", known(column)) + " answers " + std::string(to_text(status));
    for (std::size_t row = 0; row < result.size(); ++row) {
      if (!std::isfinite(result[row]))
        return text(unknown(row), known(column)) + " is answered with ok and is " +
               import::to_text(result[row]);
      row_size_[row] = std::max(row_size_[row], std::abs(result[row]));
    }
    columns_.push_back(std::move(result));
  }
  return "";
}

// Checks J (2 s) = 2 J s for one known alone, and J (s + t + ...) = J s + J t + ... for all of
// them.
void Derivatives::check_linear() {
  Vector result, expected(y_.size(), 0.0), sizes(y_.size(), 0.0);
  const std::size_t best = largest();
  const std::string by = known(equations_.columns[best]);
  for (std::size_t row = 0; row < y_.size(); ++row) {
    expected[row] = 2 * columns_[best][row];
    sizes[row] = std::abs(expected[row]);
  }
  expect_product(multiply_one(equations_.columns[best], 2, result), result, expected, sizes,
                 by + " with twice the seed");

  Vector seed(x_.size(), 0.0);
  expected.assign(y_.size(), 0.0);
  sizes.assign(y_.size(), 0.0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t column = equations_.columns[i];
    seed[column] = weight(i) * x_size_[column];
    for (std::size_t row = 0; row < y_.size(); ++row) {
      expected[row] += weight(i) * columns_[i][row];
      sizes[row] += std::abs(weight(i) * columns_[i][row]);
    }
  }
  expect_product(multiply(equations_.knowns.references, seed, result), result, expected, sizes,
                 "several knowns together");
}

// The tolerance allows for differences that the FMU may take itself.
void Derivatives::expect_product(Status status, const Vector& result, const Vector& expected,
                                 const Vector& sizes, const std::string& by) {
  if (!is_good(status))
    trial_.stop(text("the unknowns", by) + " answers " + std::string(to_text(status)),
                "one known alone is answered");
  for (std::size_t row = 0; row < y_.size(); ++row)
    if (!(std::abs(result[row] - expected[row]) <= 1e-3 * sizes[row] + 1e-5))
      trial_.stop(text(unknown(row), by) + " is " + in_its_unit(result[row], row) + " instead of " +
                      in_its_unit(expected[row], row),
                  "it is linear: the Jacobian's product with the seed");
}

// Zero within the rounding errors of a long computation.
void Derivatives::check_structure() {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    for (std::size_t row = 0; row < y_.size(); ++row) {
      const std::size_t column = equations_.columns[i];
      if (equations_.depends(row, column) ||
          std::abs(columns_[i][row]) <= 1e-6 + 1e-9 * row_size_[row])
        continue;
      trial_.report("S6").error(
          equations_.declared[equations_.unknowns.owner[row]]->line,
          text(unknown(row), known(column)) + " is " + entry(i, row) +
              ", but its dependencies do not list that",
          "list it there: importers leave out of their Jacobians what is not listed");
      return;
    }
}

// Compares J^T v with the columns: for single rows, and for all of them together with equal
// weights.
void Derivatives::check_adjoint() {
  const std::size_t single = std::min<std::size_t>(3, y_.size());
  Report report = trial_.report("D14");
  for (std::size_t k = 0; k < single + 2; ++k) {
    Vector seed(y_.size(), 0.0), result(x_.size(), nothing);
    for (std::size_t row = 0; row < y_.size(); ++row)
      if (k >= single || row == k * y_.size() / single)
        seed[row] = weight(row + k) / (std::max(row_size_[row], 1e-6) * y_size_[row]);
    trial_.parent().doing("GetAdjointDerivative " + when());
    const Status status = instance_.adjoint_derivative(equations_.unknowns.references,
                                                       equations_.knowns.references, seed, result);
    if (!is_good(status))
      return report.error(
          trial_.library(), 0,
          "the adjoint derivative " + when() + " answers " + std::string(to_text(status)),
          "the description declares it");
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::size_t column = equations_.columns[i];
      double expected = 0, sum = 0;
      for (std::size_t row = 0; row < y_.size(); ++row) {
        const double term = seed[row] * y_size_[row] * columns_[i][row];
        expected += term;
        sum += std::abs(term);
      }
      if (std::abs(result[column] * x_size_[column] - expected) <= 1e-3 * sum + 1e-5) continue;
      return report.error(trial_.library(), 0,
                          "the adjoint derivative by " + known(column) + " " + when() + " is " +
                              import::to_text(result[column]) +
                              ", the transposed directional ones give " +
                              import::to_text(expected / x_size_[column]),
                          "it is the product of the seed with the same Jacobian");
    }
  }
}

// Slopes to both sides, by a long and by a short step. The four agree where values are smooth;
// where they differ there is a kink, a jump or noise.
void Derivatives::check_slopes() {
  constexpr std::array<double, 4> steps = {1e-4, -1e-4, 1e-6, -1e-6};
  const TimeLimit limit;
  for (std::size_t i = 0; i < columns_.size() && !limit.is_over(); ++i) {
    const std::size_t column = equations_.columns[i];
    if (equations_.state[column] && mode_ != Mode::continuous_time) continue;
    const double reach = steps[0] * x_size_[column];
    const Variable& variable = equations_.knowns.variable(column);
    if (!is_within(variable, x_[column] + reach) || !is_within(variable, x_[column] - reach))
      continue;
    std::array<Vector, 4> moved;
    Vector before, after;
    if (!values_at(column, 0, before)) return;
    for (std::size_t k = 0; k < steps.size(); ++k)
      if (!values_at(column, steps[k], moved[k])) return;
    if (!values_at(column, 0, after)) return;
    for (std::size_t row = 0; row < y_.size(); ++row) {
      if (!(std::abs(after[row] - before[row]) <= 1e-10 * y_size_[row])) return;  // has a memory
      std::array<double, 4> slopes;
      for (std::size_t k = 0; k < steps.size(); ++k)
        slopes[k] = (moved[k][row] - before[row]) / (y_size_[row] * steps[k]);
      if (!agrees(slopes, columns_[i][row])) return report_slope(i, row, slopes.back());
    }
  }
}

// True as well where the slopes differ among themselves. In co-simulation values may change with
// the next step only: constant values count as agreeing, too.
bool Derivatives::agrees(const std::array<double, 4>& slopes, double derivative) const {
  const auto [least, most] = std::minmax_element(slopes.begin(), slopes.end());
  const double size = std::max(std::abs(*least), std::abs(*most));
  if (!(*most - *least <= 0.02 * size + 1e-5)) return true;
  if (size == 0 && mode_ != Mode::continuous_time) return true;
  const double mean = (slopes[0] + slopes[1] + slopes[2] + slopes[3]) / 4;
  return std::abs(derivative - mean) <= 0.05 * std::max(std::abs(derivative), size) + 1e-4;
}

// After a step of co-simulation values that were set may act in the next step only: this
// is no error there.
void Derivatives::report_slope(std::size_t i, std::size_t row, double slope) {
  const std::size_t column = equations_.columns[i];
  const std::string what = text(unknown(row), known(column)) + " is " + entry(i, row) +
                           ", differences of the values say " +
                           roughly(slope * y_size_[row] / x_size_[column]);
  const std::string advice = "it is the slope of the values at the same point";
  Report report = trial_.report("D13");
  if (mode_ == Mode::step)
    report.advice(trial_.library(), 0, what, advice);
  else
    report.error(trial_.library(), 0, what, advice);
}

std::string Derivatives::text(const std::string& of, const std::string& by) const {
  return "the directional derivative of " + of + " by " + by + " " + when();
}

std::string Derivatives::in_its_unit(double value, std::size_t row) const {
  return import::to_text(value * y_size_[row]);
}

std::string Derivatives::entry(std::size_t i, std::size_t row) const {
  return in_its_unit(columns_[i][row] / x_size_[equations_.columns[i]], row);
}

// The column with the largest entry.
std::size_t Derivatives::largest() const {
  std::size_t best = 0;
  double size = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    for (const double entry : columns_[i])
      if (std::abs(entry) > size) {
        size = std::abs(entry);
        best = i;
      }
  return best;
}

Status Derivatives::multiply(References knowns, const Vector& seed, Vector& result) {
  result.assign(y_.size(), nothing);
  trial_.parent().doing("GetDirectionalDerivative " + when());
  const Status status =
      instance_.directional_derivative(equations_.unknowns.references, knowns, seed, result);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] /= y_size_[i];
  return status;
}

// The derivative by one element of a known, this many times its size.
Status Derivatives::multiply_one(std::size_t element, double factor, Vector& result) {
  const Block& knowns = equations_.knowns;
  const std::size_t place = knowns.owner[element], first = knowns.first[place];
  Vector seed(knowns.first[place + 1] - first, 0.0);
  seed[element - first] = factor * x_size_[element];
  return multiply({&knowns.references[place], 1}, seed, result);
}

// The values of all unknowns, with one known changed by `by` times its size.
bool Derivatives::values_at(std::size_t element, double by, Vector& values) {
  const double value = x_[element] + by * x_size_[element];
  const Block& knowns = equations_.knowns;
  trial_.parent().doing("setting " + known(element) + " " + when());
  if (const auto state = equations_.state[element]) {
    Vector states(equations_.state_count);
    if (!is_good(instance_.get_continuous_states(states))) return false;
    states[*state] = value;
    if (!is_good(instance_.set_continuous_states(states))) return false;
  } else {
    const std::size_t place = knowns.owner[element], first = knowns.first[place];
    Vector list(knowns.first[place + 1] - first);
    std::copy_n(x_.begin() + static_cast<std::ptrdiff_t>(first), list.size(), list.begin());
    list[element - first] = value;
    if (!is_good(instance_.set_real({&knowns.references[place], 1}, list))) return false;
  }
  values.resize(y_.size());
  return is_good(instance_.get_real(equations_.unknowns.references, values));
}

}  // namespace mbs::check_fmu
