#include "tests/harness/cvode.hpp"

#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>

#include "tests/bench/peers/sundials.hpp"

namespace mbs::test {
namespace {

std::span<double> elements(N_Vector x) {
  return {N_VGetArrayPointer(x), static_cast<std::size_t>(N_VGetLength(x))};
}

class Cvode final : public Ode {
 public:
  Cvode(OdeFunction function, std::size_t size, const OdeOptions& options)
      : function_(std::move(function)),
        x_(N_VNew_Serial(static_cast<sunindextype>(size), context_)),
        dense_(N_VNew_Serial(static_cast<sunindextype>(size), context_)),
        memory_(CVodeCreate(CV_ADAMS, context_)),
        fixed_point_(SUNNonlinSol_FixedPoint(x_.get(), 0, context_)) {
    std::ranges::fill(elements(x_.get()), 0.0);
    check_sundials(CVodeInit(memory_, right_hand_side, 0.0, x_.get()), "CVodeInit");
    check_sundials(CVodeSetUserData(memory_, this), "CVodeSetUserData");
    check_sundials(CVodeSetNonlinearSolver(memory_, fixed_point_.get()), "CVodeSetNonlinearSolver");
    check_sundials(CVodeSStolerances(memory_, options.tolerance, options.tolerance),
                   "CVodeSStolerances");
    check_sundials(CVodeSetMaxStep(memory_, options.largest_step), "CVodeSetMaxStep");
  }

  void start(double t, std::span<const double> x) override {
    std::ranges::copy(x, elements(x_.get()).begin());
    check_sundials(CVodeReInit(memory_, t, x_.get()), "CVodeReInit");
  }
  double step(double limit) override {
    double t = 0.0;
    check_sundials(CVodeSetStopTime(memory_, limit), "CVodeSetStopTime");
    check_sundials(CVode(memory_, limit, x_.get(), &t, CV_ONE_STEP), "CVode");
    return t;
  }
  void at(double t, std::span<double> x) override {
    check_sundials(CVodeGetDky(memory_, t, 0, dense_.get()), "CVodeGetDky");
    std::ranges::copy(elements(dense_.get()), x.begin());
  }

 private:
  static int right_hand_side(double t, N_Vector x, N_Vector dx, void* user) {
    static_cast<Cvode*>(user)->function_(t, elements(x), elements(dx));
    return 0;
  }

  OdeFunction function_;
  SundialsContext context_;
  NVector x_, dense_;
  SundialsMemory<CVodeFree> memory_;
  SunNonlinearSolver fixed_point_;
};

}  // namespace

std::unique_ptr<Ode> make_cvode(OdeFunction function, std::size_t size, const OdeOptions& options) {
  return std::make_unique<Cvode>(std::move(function), size, options);
}

}  // namespace mbs::test
