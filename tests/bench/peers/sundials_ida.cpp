// IDA on the form of Gear, Gupta and Leimkuhler, of index 2, with Z = I and nothing but p and v:
//
//   0 = p' - v + G^T mu
//   0 = M v' - f + G^T lambda
//   0 = G v + gI
//   0 = g
//
// The iteration matrix d/dy + c_j d/dy' comes from the model's own Jacobian at mu = 0 (which mu is,
// but for errors), dense or sparse with KLU.

#include <ida/ida.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include "tests/bench/peers/solver.hpp"
#include "tests/bench/peers/sundials_vector.hpp"

namespace mbs::test {
namespace {

class Ggl {
 public:
  explicit Ggl(const PeerProblem& problem)
      : equations_(problem.equations()),
        given_(problem.given()),
        at_(equations_.sizes()),
        start_(problem.start),
        x_(problem.start),
        n_(static_cast<int>(x_.p.size())),
        m_(static_cast<int>(x_.lambda.size())),
        ws_(equations_.make_workspace()) {
    if (equations_.sizes().v != n_ || equations_.sizes().g != m_ || at_.cols != 2 * n_ + m_) {
      throw std::invalid_argument("IDA: only for p' = v with holonomic constraints");
    }
    equations_.jacobian(given_, x_, *ws_);  // gives its pattern
    std::vector<Eigen::Triplet<double>> places;
    for_entries(0.0, [&](int i, int j, double) { places.emplace_back(i, j, 1.0); });
    J_.resize(size(), size());
    J_.setFromTriplets(places.begin(), places.end());
    J_.makeCompressed();
  }

  int size() const { return 2 * (n_ + m_); }
  int differential() const { return 2 * n_; }  // unknowns with a derivative: the first ones
  const ColumnSparse& J() const { return J_; }

  void initial(Eigen::Ref<Vector> y, Eigen::Ref<Vector> y_dot) const {
    y << start_.p, start_.v, start_.lambda, Vector::Zero(m_);
    y_dot << start_.v, start_.a, Vector::Zero(2 * m_);
  }
  Vector p(const Vector& y) const { return y.head(n_); }
  Vector v(const Vector& y) const { return y.segment(n_, n_); }
  Vector lambda(const Vector& y) const { return y.segment(2 * n_, m_); }

  static int residual(double t, N_Vector y, N_Vector y_dot, N_Vector r, void* user) {
    static_cast<Ggl*>(user)->evaluate(t, values(y), values(y_dot), values(r));
    return 0;
  }

  static int jacobian(double t, double c, N_Vector y, N_Vector y_dot, N_Vector, SUNMatrix J,
                      void* user, N_Vector, N_Vector, N_Vector) {
    Ggl& self = *static_cast<Ggl*>(user);
    self.linearise(t, values(y), values(y_dot), c);
    const ColumnSparse& A = self.J_;
    if (SUNMatGetID(J) == SUNMATRIX_SPARSE) {
      std::copy_n(A.valuePtr(), A.nonZeros(), SUNSparseMatrix_Data(J));
      std::copy_n(A.innerIndexPtr(), A.nonZeros(), SUNSparseMatrix_IndexValues(J));
      std::copy_n(A.outerIndexPtr(), A.cols() + 1, SUNSparseMatrix_IndexPointers(J));
    } else {
      Eigen::Map<Matrix>(SUNDenseMatrix_Data(J), A.rows(), A.cols()) = A;
    }
    return 0;
  }

 private:
  void set(double t, const Eigen::Ref<const Vector>& y, const Eigen::Ref<const Vector>& y_dot) {
    x_.t = t;
    x_.p = y.head(n_);
    x_.v = y.segment(n_, n_);
    x_.lambda = y.segment(2 * n_, m_);
    x_.a = y_dot.segment(n_, n_);
  }

  void evaluate(double t, const Eigen::Ref<const Vector>& y, const Eigen::Ref<const Vector>& y_dot,
                Eigen::Map<Vector> r) {
    set(t, y, y_dot);
    equations_.position(given_, x_, want_M | want_G | want_g, *ws_);
    equations_.velocity(given_, x_, *ws_);
    equations_.force(given_, x_, want_f, *ws_);
    r.head(n_) = y_dot.head(n_) - x_.v;
    r.head(n_).noalias() += ws_->G.transpose() * y.tail(m_);
    auto dynamics = r.segment(n_, n_);
    dynamics = -ws_->f;
    dynamics.noalias() += ws_->M * x_.a;
    dynamics.noalias() += ws_->G.transpose() * x_.lambda;
    r.segment(2 * n_, m_) = ws_->G_v;
    r.tail(m_) = ws_->g;
  }

  void linearise(double t, const Eigen::Ref<const Vector>& y, const Eigen::Ref<const Vector>& y_dot,
                 double c) {
    set(t, y, y_dot);
    equations_.jacobian(given_, x_, *ws_);
    equations_.position(given_, x_, want_M | want_G, *ws_);
    J_.coeffs().setZero();
    for_entries(c, [&](int i, int j, double value) { J_.coeffRef(i, j) += value; });
  }

  // Columns (p, v, lambda) of the model's Jacobian are those of y.
  template <class Function>
  void for_entries(double c, Function&& entry) const {
    for (int i = 0; i < n_; ++i) entry(i, i, c);
    for (int j = 0; j < ws_->jacobian.outerSize(); ++j) {
      for (ColumnSparse::InnerIterator at(ws_->jacobian, j); at; ++at) {
        const int i = static_cast<int>(at.row());
        const auto within = [i](int begin, int count) { return i >= begin && i < begin + count; };
        if (within(at_.kinematics, n_)) entry(i - at_.kinematics, j, -at.value());
        if (within(at_.dynamics, n_)) entry(n_ + i - at_.dynamics, j, -at.value());
        if (within(at_.velocity, m_)) entry(2 * n_ + i - at_.velocity, j, at.value());
        if (within(at_.position, m_)) entry(2 * n_ + m_ + i - at_.position, j, at.value());
      }
    }
    for (int j = 0; j < n_; ++j) {
      for (ColumnSparse::InnerIterator at(ws_->M, j); at; ++at) {
        entry(n_ + static_cast<int>(at.row()), n_ + j, c * at.value());
      }
    }
    for (int i = 0; i < m_; ++i) {
      for (RowSparse::InnerIterator at(ws_->G, i); at; ++at) {
        entry(static_cast<int>(at.col()), 2 * n_ + m_ + i, at.value());
      }
    }
  }

  const Equations& equations_;
  Given given_;
  JacobianLayout at_;
  State start_, x_;
  int n_, m_;
  std::unique_ptr<Workspace> ws_;
  ColumnSparse J_;
};

// Of multipliers. With a tolerance like those of p and v neither the error test nor Newton's method
// passes at small steps, where rounding errors in them grow with 1 / h^2.
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
