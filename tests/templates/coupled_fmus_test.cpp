// The quarter car as three FMUs, coupled by a small master, against the one model in one FMU.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/import/fmu.hpp"

namespace mbs {
namespace {

using Connections = std::vector<std::array<std::string, 4>>;

// Each connection goes from an output of one part to an input of another.
const Connections connections = {{"vehicle", "y", "controller", "y"},
                                 {"vehicle", "yd", "controller", "yd"},
                                 {"vehicle", "stroke", "actuator", "stroke"},
                                 {"vehicle", "rate", "actuator", "rate"},
                                 {"controller", "command", "actuator", "command"},
                                 {"actuator", "F", "vehicle", "F"}};

class Part {
 public:
  Part(const std::string& name, int version)
      : name_(name),
        fmu_(import::open_fmu(std::filesystem::path(std::getenv("MBS_FMUS")) /
                              (name + "_fmi" + std::to_string(version) + ".fmu"))),
        instance_(fmu_->instantiate({.name = name})) {}

  void start(double stop) {
    ASSERT_TRUE(import::is_good(instance_->enter_initialization({.start = 0.0, .stop = stop})));
    ASSERT_TRUE(import::is_good(instance_->exit_initialization()));
  }
  double get(const std::string& variable) {
    double value = NAN;
    const import::ValueReference reference = reference_of(variable);
    EXPECT_TRUE(import::is_good(instance_->get_real({&reference, 1}, {&value, 1}))) << variable;
    return value;
  }
  void set(const std::string& variable, double value) {
    const import::ValueReference reference = reference_of(variable);
    EXPECT_TRUE(import::is_good(instance_->set_real({&reference, 1}, {&value, 1}))) << variable;
  }
  void step(double t, double h) {
    ASSERT_TRUE(import::is_good(instance_->do_step(t, h).status)) << name_ << " at " << t;
  }

 private:
  import::ValueReference reference_of(const std::string& variable) const {
      for (const import::Variable& one:fmu_->description().variables) if (
          one.name == variable) return one.reference;
  ADD_FAILURE() << name_ << " has no variable " << variable;
  return 0;
}

std::string name_;
std::unique_ptr<import::Fmu> fmu_;
std::unique_ptr<import::Instance> instance_;
};  // namespace

constexpr double stop = 2.0;

// Heights of the body every 10 ms. The parts step one after the other, with inputs held that are
// those of the step's beginning, or of its end where the part before has got there.
std::vector<double> coupled(const std::array<int, 3>& versions, int steps_in_10_ms) {
  Part controller("quarter_car_controller", versions[0]),
      actuator("quarter_car_actuator", versions[1]), vehicle("quarter_car_vehicle", versions[2]);
  const auto part = [&](const std::string& name) -> Part& {
    return name == "controller" ? controller : name == "actuator" ? actuator : vehicle;
  };
  for (Part* one : {&controller, &actuator, &vehicle}) one->start(stop);
  std::vector<double> heights;
  const int steps = 200 * steps_in_10_ms;
  for (int k = 0; k < steps; ++k) {
    const double t = stop * k / steps, h = stop * (k + 1) / steps - t;
    for (const char* name : {"controller", "actuator", "vehicle"}) {
      for (const auto& [from, output, to, input] : connections)
        if (to == name) part(to).set(input, part(from).get(output));
      part(name).step(t, h);
    }
    if ((k + 1) % steps_in_10_ms == 0) heights.push_back(vehicle.get("y"));
  }
  return heights;
}

std::vector<double> as_one(int version) {
  Part car("quarter_car", version);
  car.start(stop);
  std::vector<double> heights;
  for (int k = 0; k < 200; ++k) {
    car.step(0.01 * k, 0.01 * (k + 1) - 0.01 * k);
    heights.push_back(car.get("y_body"));
  }
  return heights;
}

// The largest deviation over the largest height.
double deviation(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0, size = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::max(most, std::abs(a[k] - b[k]));
    size = std::max(size, std::abs(b[k]));
  }
  return most / size;
}

TEST(CoupledFmus, ThreePartsOfTheQuarterCarGiveTheOneModel) {
  const std::vector<double> one = as_one(3);
  ASSERT_EQ(one.size(), 200u);
  double before = 1.0;
  const std::pair<int, double> bounds[] = {{20, 4e-4}, {40, 1.5e-4}, {100, 5e-5}};
  for (const auto& [steps_in_10_ms, bound] : bounds) {
    const double here = deviation(coupled({3, 3, 3}, steps_in_10_ms), one);
    EXPECT_LT(here, bound) << steps_in_10_ms;
    EXPECT_LT(here, 0.4 * before) << "of an order above 1 in the communication step";
    before = here;
  }
}

TEST(CoupledFmus, OfBothVersionsAndMixed) {
  const std::vector<double> three = coupled({3, 3, 3}, 10);
  for (const std::array<int, 3>& versions : {std::array{2, 2, 2}, std::array{3, 2, 3}})
    EXPECT_EQ(deviation(coupled(versions, 10), three), 0.0);
}

}  // namespace mbs
}  // namespace mbs
