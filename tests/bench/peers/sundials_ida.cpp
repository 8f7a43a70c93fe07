// IDA on the form of Gear, Gupta and Leimkuhler, of index 2, with the residual and the iteration
// matrix d/dy + c_j d/dy' that `bdf` has (system.hpp): the model's own Jacobian, dense or sparse
// with KLU. Positions and velocities, Euler parameters, states and algebraic unknowns come along.

#include <ida/ida.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>

#include "engine/integrators/bdf/system.hpp"
#include "tests/bench/peers/solver.hpp"
#include "tests/bench/peers/sundials_vector.hpp"

namespace mbs::test {
namespace {

class Ggl {
 public:
  explicit Ggl(const PeerProblem& problem)
      : system_(problem.equations(), problem.context(), bdf::Form::ggl, bdf::Formalism::residual),
        start_(Vector::Zero(system_.size())),
        start_dot_(start_),
        y_(start_),
        y_dot_(start_),
        F_(start_),
        B_(Vector::Zero(system_.pattern().nonZeros())),
        E_(B_) {
    const State& x = problem.start;
    const bdf::System::Layout& at = system_.at();
    system_.begin(x);
    system_.pack(x, start_, start_dot_);
    system_.residual(x.t, start_, start_dot_, F_);  // at p' = 0, r' = 0
    start_dot_.segment(at.p, at.v - at.p) = -F_.segment(at.p, at.v - at.p);
    start_dot_.segment(at.r, at.w - at.r) = -F_.segment(at.r, at.w - at.r);
  }

  int size() const { return system_.size(); }
  int differential() const { return system_.differential(); }  // these come first
  const ColumnSparse& J() const { return system_.pattern(); }

  void initial(Eigen::Ref<Vector> y, Eigen::Ref<Vector> y_dot) const {
    y = start_;
    y_dot = start_dot_;
  }
  Vector p(const Vector& y) const { return y.segment(at().p, system_.sizes().p); }
  Vector v(const Vector& y) const { return y.segment(at().v, system_.sizes().v); }
  Vector lambda(const Vector& y) const { return y.segment(at().lambda, system_.sizes().lambda); }

  static int residual(double t, N_Vector y, N_Vector y_dot, N_Vector r, void* user) {
    Ggl& self = *static_cast<Ggl*>(user);
    self.y_ = values(y);
    self.y_dot_ = values(y_dot);
    self.system_.residual(t, self.y_, self.y_dot_, self.F_);
    values(r) = self.F_;
    return 0;
  }

  static int jacobian(double t, double c, N_Vector y, N_Vector y_dot, N_Vector, SUNMatrix J,
                      void* user, N_Vector, N_Vector, N_Vector) {
    Ggl& self = *static_cast<Ggl*>(user);
    self.y_ = values(y);
    self.y_dot_ = values(y_dot);
    self.system_.exact(t, self.y_, self.y_dot_, self.B_, self.E_);
    const ColumnSparse& pattern = self.J();
    if (SUNMatGetID(J) == SUNMATRIX_SPARSE) {
      Eigen::Map<Vector>(SUNSparseMatrix_Data(J), pattern.nonZeros()) = c * self.E_ + self.B_;
      std::copy_n(pattern.innerIndexPtr(), pattern.nonZeros(), SUNSparseMatrix_IndexValues(J));
      std::copy_n(pattern.outerIndexPtr(), pattern.cols() + 1, SUNSparseMatrix_IndexPointers(J));
    } else {
      self.B_ += c * self.E_;
      Eigen::Map<Matrix>(SUNDenseMatrix_Data(J), pattern.rows(), pattern.cols()) =
          Eigen::Map<const ColumnSparse>(pattern.rows(), pattern.cols(), pattern.nonZeros(),
                                         pattern.outerIndexPtr(), pattern.innerIndexPtr(),
                                         self.B_.data());
    }
    return 0;
  }

 private:
  const bdf::System::Layout& at() const { return system_.at(); }

  bdf::System system_;
  Vector start_, start_dot_, y_, y_dot_, F_, B_, E_;
};

// The absolute tolerance of the multipliers. With one like that of p and v neither the error test
// nor Newton's method passes at small steps, where rounding errors in them grow with 1 / h^2.
constexpr double no_tolerance = 1e6;

class Ida final : public PeerSolver {
 public:
  Ida(const PeerProblem& problem, bool sparse)
      : problem_(problem),
        sparse_(sparse),
        system_(problem),
        y_(make_vector(system_.size(), context_)),
        y_dot_(make_vector(system_.size(), context_)),
        atol_(make_vector(system_.size(), context_)),
        matrix_(sparse ? SUNSparseMatrix(system_.size(), system_.size(), system_.J().nonZeros(),
                                         CSC_MAT, context_)
                       : SUNDenseMatrix(system_.size(), system_.size(), context_)),
        linear_(sparse ? SUNLinSol_KLU(y_.get(), matrix_.get(), context_)
                       : SUNLinSol_Dense(y_.get(), matrix_.get(), context_)),
        memory_(IDACreate(context_)) {
    system_.initial(values(y_.get()), values(y_dot_.get()));
    check_sundials(IDAInit(memory_, Ggl::residual, problem.problem.t0, y_.get(), y_dot_.get()),
                   "IDAInit");
    check_sundials(IDASetUserData(memory_, &system_), "IDASetUserData");
    check_sundials(IDASetLinearSolver(memory_, linear_.get(), matrix_.get()), "IDASetLinearSolver");
    check_sundials(IDASetJacFn(memory_, Ggl::jacobian), "IDASetJacFn");
    check_sundials(IDASetMaxNumSteps(memory_, most_steps), "IDASetMaxNumSteps");
    values(atol_.get()).setConstant(no_tolerance);
  }
  std::string name() const override { return sparse_ ? "ida-ggl-klu" : "ida-ggl-dense"; }

  PeerRun run(double tolerance) override {
    system_.initial(values(y_.get()), values(y_dot_.get()));
    values(atol_.get()).head(system_.differential()).setConstant(tolerance);
    PeerRun result;
    result.tolerance = tolerance;
    double t = problem_.problem.t0;
    const double end = problem_.problem.t_end;
    const Stopwatch watch;
    check_sundials(IDAReInit(memory_, t, y_.get(), y_dot_.get()), "IDAReInit");
    check_sundials(IDASVtolerances(memory_, tolerance, atol_.get()), "IDASVtolerances");
    check_sundials(IDASetStopTime(memory_, end), "IDASetStopTime");
    result.ok = IDASolve(memory_, end, &t, y_.get(), y_dot_.get(), IDA_NORMAL) >= 0;
    result.milliseconds = watch.milliseconds();
    if (!result.ok) return result;
    const Vector y = values(y_.get());
    judge(problem_, system_.p(y), system_.v(y), system_.lambda(y), result);
    check_sundials(IDAGetNumResEvals(memory_, &result.evaluations), "IDAGetNumResEvals");
    check_sundials(IDAGetNumJacEvals(memory_, &result.factorisations), "IDAGetNumJacEvals");
    check_sundials(IDAGetNumSteps(memory_, &result.steps), "IDAGetNumSteps");
    check_sundials(IDAGetNumErrTestFails(memory_, &result.rejected), "IDAGetNumErrTestFails");
    return result;
  }

 private:
  const PeerProblem& problem_;
  bool sparse_;
  SundialsContext context_;
  Ggl system_;
  NVector y_, y_dot_, atol_;
  SunMatrix matrix_;
  SunLinearSolver linear_;
  SundialsMemory<IDAFree> memory_;
};

}  // namespace

std::unique_ptr<PeerSolver> make_ida(const PeerProblem& problem, bool sparse) {
  return std::make_unique<Ida>(problem, sparse);
}

}  // namespace mbs::test
