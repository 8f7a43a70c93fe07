// Within the checker: partial derivatives of an FMU at one point, and their checks.
#pragma once

#include <array>

#include "tools/check_fmu/equations.hpp"
#include "tools/check_fmu/trial.hpp"

namespace mbs::check_fmu {

// The larger of value and nominal value.
double size_of(const import::Variable& variable, double value);
// Within min and max.
bool is_within(const import::Variable& variable, double value);

// The derivatives of an instance that is in the mode. Numbers are in units of their variables'
// sizes.
class Derivatives {
 public:
  Derivatives(Trial& trial, const Equations& equations, Mode mode, import::Instance& instance);

  // The values there come first, then the derivatives. False when they cannot be read.
  bool read();
  // Column by column. Returns the fault of the first wrong one; "": there is none.
  std::string derive();

  void check_linear();
  void check_structure();
  void check_adjoint();
  void check_slopes();

 private:
  using Vector = std::vector<double>;

  std::string when() const { return std::string(to_text(mode_)); }
  std::string known(std::size_t i) const { return equations_.name(equations_.knowns, i); }
  std::string unknown(std::size_t i) const { return equations_.name(equations_.unknowns, i); }
  std::string text(const std::string& of, const std::string& by) const;
  std::string in_its_unit(double value, std::size_t row) const;
  std::string entry(std::size_t i, std::size_t row) const;

  std::size_t largest() const;
  import::Status multiply(import::References knowns, const Vector& seed, Vector& result);
  import::Status multiply_one(std::size_t element, double factor, Vector& result);
  void expect_product(import::Status status, const Vector& result, const Vector& expected,
                      const Vector& sizes, const std::string& by);
  bool values_at(std::size_t element, double by, Vector& values);
  bool agrees(const std::array<double, 4>& slopes, double derivative) const;
  void report_slope(std::size_t i, std::size_t row, double slope);

  Trial& trial_;
  const Equations& equations_;
  Mode mode_;
  import::Instance& instance_;
  Vector x_, y_, x_size_, y_size_;  // knowns and unknowns, in their own units
  std::vector<Vector> columns_;     // of equations_.columns those that there was time for
  Vector row_size_;                 // the largest entry of each row
};

}  // namespace mbs::check_fmu
