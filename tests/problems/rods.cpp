// Uniform rods under gravity, p = (x, y, phi) of each: in series from the origin (the chain and the
// double pendulum), and as IFToMM's N-four-bar A02.

#include <cmath>
#include <numbers>

#include "tests/problems/parts.hpp"
#include "tests/problems/planar_joints.hpp"

namespace mbs::test {

namespace {

constexpr double gravity = 9.81;
constexpr double pi = std::numbers::pi;

Vector masses(int rods, double mass, double length) {
  return Eigen::Vector3d(mass, mass, mass * length * length / 12.0).replicate(rods, 1);
}

class Rods : public PlanarJoints {
 public:
  Rods(int rods, double mass, double length, const std::vector<Joint>& joints)
      : PlanarJoints(masses(rods, mass, length), joints, {}) {}

  void force(const Context&, const State&, unsigned want, Workspace& ws) const override {
    if (!(want & want_f)) return;
    ws.f.setZero();
    for (int i = 1; i < sizes_.v; i += 3) ws.f[i] = -masses_[i] * gravity;
  }

 protected:
  double potential(const Context&, const State& x) const override {
    double sum = 0.0;
    for (int i = 1; i < sizes_.p; i += 3) sum += masses_[i] * gravity * x.p[i];
    return sum;
  }
};

// N rods of total length and mass 1, straight at -45 degrees at rest.
class RodChain final : public Rods {
 public:
  explicit RodChain(int N) : Rods(N, 1.0 / N, 1.0 / N, joints(N)) {
    for (int i = 0; i < N; ++i) {
      const double along = (i + 0.5) / N * std::sqrt(0.5);
      p0_.segment<3>(3 * i) << along, -along, -0.25 * pi;
    }
  }

 private:
  static std::vector<Joint> joints(int N) {
    const double half = 0.5 / N;
    std::vector<Joint> list;
    for (int i = 0; i < N; ++i) {
      const Side before = i == 0 ? ground(0.0, 0.0) : body(3 * (i - 1), half, 0.0);
      list.push_back({body(3 * i, -half, 0.0), before});
    }
    return list;
  }
};

// Rods 0..N stand on (i, 0), rods N+1..2N couple their tops; all upright, the tops move by (1, 0).
class FourBars final : public Rods {
 public:
  explicit FourBars(int N) : Rods(2 * N + 1, 1.0, 1.0, joints(N)) {
    for (int i = 0; i <= N; ++i) {
      p0_.segment<3>(3 * i) << i, 0.5, 0.5 * pi;
      v0_.segment<3>(3 * i) << 0.5, 0.0, -1.0;
    }
    for (int i = 0; i < N; ++i) {
      p0_.segment<3>(3 * (N + 1 + i)) << i + 0.5, 1.0, 0.0;
      v0_.segment<3>(3 * (N + 1 + i)) << 1.0, 0.0, 0.0;
    }
  }

 private:
  static std::vector<Joint> joints(int N) {
    std::vector<Joint> list;
    for (int i = 0; i <= N; ++i) list.push_back({body(3 * i, -0.5, 0.0), ground(i, 0.0)});
    for (int i = 0; i < N; ++i) {
      const int coupler = 3 * (N + 1 + i);
      list.push_back({body(coupler, -0.5, 0.0), body(3 * i, 0.5, 0.0)});
      list.push_back({body(coupler, 0.5, 0.0), body(3 * (i + 1), 0.5, 0.0)});
    }
    return list;
  }
};

}  // namespace

std::unique_ptr<Equations> make_rod_chain(int N) {
  return std::make_unique<RodChain>(N);
}
std::unique_ptr<Equations> make_four_bars(int N) {
  return std::make_unique<FourBars>(N);
}

}  // namespace mbs::test
