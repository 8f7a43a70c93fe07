// Chain of pendulums with excited suspension [AFF 4.2.1] in its N angles: no constraints, f depends
// on time. With W_ij = N + 1 - max(i, j), i from 1:
//
//   M_ij = W_ij cos(a_i - a_j)
//   f_i  = -sum_j W_ij sin(a_i - a_j) a_j'^2 - W_ii (cos(a_i) x_s'' + sin(a_i) (y_s'' + 9.81))
//   x_s  = 2 + 0.3 sin(omega t),  y_s = 0.2 sin(omega t)
//
// The excitation u is (sin(omega t))''.

#include <cmath>

#include "engine/equations/explicit_time_dependence.hpp"
#include "tests/problems/handwritten.hpp"
#include "tests/problems/parts.hpp"

namespace mbs::test {

namespace {

class ExcitedChain final : public Handwritten, public ExplicitTimeDependence {
 public:
  ExcitedChain(int N, double omega) : Handwritten(N, 0, full(N, N), {}), N_(N), omega_(omega) {}

  Capabilities capabilities() const override { return {.explicit_time_dependence = this}; }
  int count() const override { return 1; }
  void values(const Context&, double t, Eigen::Ref<Vector> u) const override { u[0] = wave(t); }

  void position(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (!(want & want_M)) return;
    double* M = ws.M.valuePtr();
    for (int j = 0; j < N_; ++j) {
      for (int i = 0; i < N_; ++i) *M++ = weight(i, j) * std::cos(x.p[i] - x.p[j]);
    }
  }

  void force(const Context&, const State& x, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    const double x_s = 0.3 * wave(x.t), y_s = 0.2 * wave(x.t);
    for (int i = 0; i < N_; ++i) {
      ws.f[i] = -weight(i, i) * (std::cos(x.p[i]) * x_s + std::sin(x.p[i]) * (y_s + 9.81));
      for (int j = 0; j < N_; ++j) {
        ws.f[i] -= weight(i, j) * std::sin(x.p[i] - x.p[j]) * x.v[j] * x.v[j];
      }
    }
  }

 private:
  double weight(int i, int j) const { return N_ - std::max(i, j); }
  double wave(double t) const { return -omega_ * omega_ * std::sin(omega_ * t); }

  int N_;
  double omega_;
};

}  // namespace

std::unique_ptr<Equations> make_excited_chain(int N, double omega) {
  return std::make_unique<ExcitedChain>(N, omega);
}

}  // namespace mbs::test
