// CVODE's Adams method (fixed-point iteration) and ARKODE's explicit Runge-Kutta methods on the
// index-1 form
//
//   p' = v
//   v' = a(t, p, v)  from  ( M  G^T ; G  0 ) ( a ; lambda ) = ( f ; -gamma )
//
// with nothing that keeps p and v on the constraints, as in peers.csv. Where it is not stated,
// their options are SUNDIALS' own.

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "engine/equations/initial.hpp"
#include "tests/bench/peers/solver.hpp"
#include "tests/bench/peers/sundials_vector.hpp"

namespace mbs::test {
namespace {

class Index1 {
 public:
  explicit Index1(const PeerProblem& problem)
      : equations(problem.equations()),
        context(problem.context()),
        x(problem.start),
        ws_(equations.make_workspace()),
        solver_(equations.make_solver("auto")) {}

  bool accelerations(double t, const Eigen::Ref<const Vector>& y) {
    ++evaluations;
    x.t = t;
    x.p = y.head(x.p.size());
    x.v = y.tail(x.v.size());
    return solve_accelerations(equations, context, x, *ws_, *solver_);
  }

  static int right_hand_side(double t, N_Vector y, N_Vector y_dot, void* user) {
    Index1& self = *static_cast<Index1*>(user);
    if (!self.accelerations(t, values(y))) return 1;
    auto derivative = values(y_dot);
    derivative.head(self.x.p.size()) = self.x.v;
    derivative.tail(self.x.v.size()) = self.x.a;
    return 0;
  }

  const Equations& equations;
  Context context;
  State x;
  long evaluations = 0;

 private:
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
};

// The common part of both: the unknowns y = (p, v), and judgement of where they end.
class Index1Solver : public PeerSolver {
 public:
  Index1Solver(const PeerProblem& problem, Vectors vectors)
      : problem_(problem),
        vectors_(vectors),
        system_(problem),
        y_(make_vector(problem.start.p.size() + problem.start.v.size(), context_, vectors)) {
    start();
  }

  bool packaged() const final { return vectors_ == Vectors::packaged; }

  PeerRun run(double tolerance) final {
    start();
    system_.evaluations = 0;
    PeerRun result;
    result.tolerance = tolerance;
    const Stopwatch watch;
    result.ok = integrate(tolerance);
    result.milliseconds = watch.milliseconds();
    result.evaluations = result.factorisations = system_.evaluations;
    if (!result.ok || !system_.accelerations(problem_.problem.t_end, values(y()))) return result;
    judge(problem_, system_.x.p, system_.x.v, system_.x.lambda, result);
    count(result);
    return result;
  }

 protected:
  virtual bool integrate(double tolerance) = 0;
  virtual void count(PeerRun& run) const = 0;
  N_Vector y() const { return y_.get(); }

  const PeerProblem& problem_;
  Vectors vectors_;
  SundialsContext context_;
  Index1 system_;

 private:
  void start() { values(y()) << problem_.start.p, problem_.start.v; }
  NVector y_;
};

class CvodeAdams final : public Index1Solver {
 public:
  CvodeAdams(const PeerProblem& problem, Vectors vectors)
      : Index1Solver(problem, vectors),
        memory_(CVodeCreate(CV_ADAMS, context_)),
        fixed_point_(SUNNonlinSol_FixedPoint(y(), 0, context_)) {
    check_sundials(CVodeInit(memory_, Index1::right_hand_side, problem.problem.t0, y()),
                   "CVodeInit");
    check_sundials(CVodeSetUserData(memory_, &system_), "CVodeSetUserData");
    check_sundials(CVodeSetNonlinearSolver(memory_, fixed_point_.get()), "CVodeSetNonlinearSolver");
    check_sundials(CVodeSetMaxNumSteps(memory_, most_steps), "CVodeSetMaxNumSteps");
  }
  std::string name() const override { return "cvode-adams-idx1"; }

 protected:
  bool integrate(double tolerance) override {
    double t = problem_.problem.t0;
    const double end = problem_.problem.t_end;
    check_sundials(CVodeReInit(memory_, t, y()), "CVodeReInit");
    check_sundials(CVodeSStolerances(memory_, tolerance, tolerance), "CVodeSStolerances");
    check_sundials(CVodeSetStopTime(memory_, end), "CVodeSetStopTime");
    return CVode(memory_, end, y(), &t, CV_NORMAL) >= 0;
  }
  void count(PeerRun& run) const override {
    check_sundials(CVodeGetNumSteps(memory_, &run.steps), "CVodeGetNumSteps");
    check_sundials(CVodeGetNumErrTestFails(memory_, &run.rejected), "CVodeGetNumErrTestFails");
  }

 private:
  SundialsMemory<CVodeFree> memory_;
  SunNonlinearSolver fixed_point_;
};

class Arkode final : public Index1Solver {
 public:
  Arkode(const PeerProblem& problem, RungeKutta method, Vectors vectors)
      : Index1Solver(problem, vectors),
        method_(method),
        memory_(ERKStepCreate(Index1::right_hand_side, problem.problem.t0, y(), context_)) {
    const auto table =
        method == RungeKutta::fehlberg78 ? ARKODE_FEHLBERG_13_7_8 : ARKODE_DORMAND_PRINCE_7_4_5;
    check_sundials(ERKStepSetUserData(memory_, &system_), "ERKStepSetUserData");
    check_sundials(ERKStepSetTableNum(memory_, table), "ERKStepSetTableNum");
    check_sundials(ERKStepSetMaxNumSteps(memory_, most_steps), "ERKStepSetMaxNumSteps");
  }
  std::string name() const override {
    return method_ == RungeKutta::fehlberg78 ? "arkode-fehlberg78-idx1" : "arkode-dp54-idx1";
  }

 protected:
  bool integrate(double tolerance) override {
    double t = problem_.problem.t0;
    const double end = problem_.problem.t_end;
    check_sundials(ERKStepReInit(memory_, Index1::right_hand_side, t, y()), "ERKStepReInit");
    check_sundials(ERKStepSStolerances(memory_, tolerance, tolerance), "ERKStepSStolerances");
    check_sundials(ERKStepSetStopTime(memory_, end), "ERKStepSetStopTime");
    return ERKStepEvolve(memory_, end, y(), &t, ARK_NORMAL) >= 0;
  }
  void count(PeerRun& run) const override {
    check_sundials(ERKStepGetNumSteps(memory_, &run.steps), "ERKStepGetNumSteps");
    check_sundials(ERKStepGetNumErrTestFails(memory_, &run.rejected), "ERKStepGetNumErrTestFails");
  }

 private:
  RungeKutta method_;
  SundialsMemory<ERKStepFree> memory_;
};

}  // namespace

std::unique_ptr<PeerSolver> make_cvode_adams(const PeerProblem& problem, Vectors vectors) {
  return std::make_unique<CvodeAdams>(problem, vectors);
}

std::unique_ptr<PeerSolver> make_arkode(const PeerProblem& problem, RungeKutta method,
                                        Vectors vectors) {
  return std::make_unique<Arkode>(problem, method, vectors);
}

}  // namespace mbs::test
