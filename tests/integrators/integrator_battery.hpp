#pragma once

// The tests that every integrator has to pass, whatever its method, stand in battery_accuracy.hpp,
// battery_contract.hpp and battery_events.hpp. A test program includes them once and says for which
// keywords:
//
//   INSTANTIATE_TEST_SUITE_P(Extrapolation, IntegratorBattery, testing::Values("extrapolation"));

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tests/integrators/problem_run.hpp"
#include "tests/integrators/small_equations.hpp"
#include "tests/support/allocation_counter.hpp"

namespace mbs::test {

class IntegratorBattery : public testing::TestWithParam<std::string> {
 protected:
  // A multistep method keeps the errors of single steps to the tolerance, and makes far more of
  // them; it closes constraints to a fraction of the tolerance with the factors it has.
  static bool multistep() { return GetParam().starts_with("bdf"); }
  // Reductions that damp the drift from the constraints, or do not correct positions, keep
  // constraints to the tolerance only.
  static bool drifts() {
    return GetParam().find("stabilized") != std::string::npos ||
           GetParam().find("hybrid") != std::string::npos ||
           GetParam().find("position_correction=false") != std::string::npos;
  }
  static double residual_bound(double tolerance) {
    return drifts() ? 10.0 * tolerance : multistep() ? 0.1 * tolerance : 1e-9;
  }
  static double slack() {
    // The index-1 form takes v' for a: its errors are about twice those of the projected form.
    for (const char* keyword : {"hybrid", "form=index1"}) {
      if (GetParam().find(keyword) != std::string::npos) return 2.0;
    }
    return multistep() ? 20.0 : 1.0;
  }

  static std::vector<std::byte> bytes_of(const Integrator& integrator) {
    std::vector<std::byte> bytes;
    ByteWriter out(bytes);
    integrator.save(out);
    return bytes;
  }
  // The integrator must refuse to go on, with these keywords, and leave its state alone.
  static void expect_failure(Integrator& integrator, double t_stop,
                             const std::vector<std::string>& keywords) {
    State before = integrator.state();
    try {
      for (;;) {
        before = integrator.state();
        integrator.step(t_stop);
        ASSERT_LT(integrator.state().t, t_stop) << "nothing failed";
      }
    } catch (const SolverFailure& failure) {
      for (const std::string& keyword : keywords) {
        EXPECT_NE(std::string(failure.what()).find(keyword), std::string::npos)
            << "'" << keyword << "' is not in: " << failure.what();
      }
      EXPECT_EQ(failure.time, before.t);
      EXPECT_TRUE(std::isfinite(failure.step));
    }
    EXPECT_TRUE(same_bits(integrator.state(), before));
    EXPECT_TRUE(before.p.allFinite() && before.v.allFinite() && before.lambda.allFinite());
  }
};

}  // namespace mbs::test
