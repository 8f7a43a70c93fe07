#include "tests/contact/generated_problems.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <random>

namespace mbs::test {
namespace {

using Vector3 = Eigen::Vector3d;
constexpr double step = 1e-3, gravity = 9.81;

class Heap {
 public:
  // Returns the body.
  int add(const Vector3& at, double mass, const Vector3& inertia) {
    Matrix M = Matrix::Zero(6, 6);
    M.diagonal() << mass, mass, mass, inertia;
    masses_.push_back(M);
    centres_.push_back(at);
    return static_cast<int>(centres_.size()) - 1;
  }
  // The normal points from below (-1: the ground) to above.
  void touch(int below, int above, const Vector3& at, const Vector3& normal, double mu) {
    const int row = 3 * contacts_;
    const Vector3 helper = std::abs(normal.z()) > 0.9 ? Vector3::UnitX() : Vector3::UnitZ();
    const Vector3 t1 = normal.cross(helper).normalized(), t2 = normal.cross(t1);
    int k = 0;
    for (const Vector3& d : {normal, t1, t2}) {
      put(row + k, above, at, d);
      if (below >= 0) put(row + k, below, at, -d);
      ++k;
    }
    problem_.cones.push_back({row, row + 1, 2, mu, 0.0, "contact " + std::to_string(contacts_)});
    ++contacts_;
  }
  ContactProblem problem() {
    const auto freedoms = static_cast<Eigen::Index>(6 * centres_.size());
    RowSparse J(3 * contacts_, freedoms);
    J.setFromTriplets(entries_.begin(), entries_.end());
    Vector v = Vector::Zero(freedoms);
    for (Eigen::Index i = 0; i < freedoms / 6; ++i) {
      const double a = static_cast<double>(i);
      v.segment<3>(6 * i) << 0.05 * std::sin(a), 0.05 * std::cos(2.0 * a), -step * gravity;
    }
    problem_.b = J * v;
    problem_.factors.emplace(std::move(J), masses_);
    return std::move(problem_);
  }

 private:
  void put(int row, int body, const Vector3& at, const Vector3& d) {
    const Vector3 moment = (at - centres_[static_cast<std::size_t>(body)]).cross(d);
    for (int k = 0; k < 3; ++k) {
      entries_.emplace_back(row, 6 * body + k, d[k]);
      entries_.emplace_back(row, 6 * body + 3 + k, moment[k]);
    }
  }

  std::vector<Eigen::Triplet<double>> entries_;
  std::vector<Matrix> masses_;
  std::vector<Vector3> centres_;
  ContactProblem problem_;
  int contacts_ = 0;
};

}  // namespace

ContactProblem random_problem(const RandomContacts& of) {
  std::mt19937 random(of.seed);
  std::normal_distribution<double> normal;
  const int part = 1 + of.tangents, rows = of.contacts * part;
  const int freedoms = std::max(2, static_cast<int>(std::lround(of.freedoms * rows)));
  Matrix G(rows, freedoms);
  for (double& x : G.reshaped()) x = normal(random);
  ContactProblem problem;
  for (int i = 0; i < of.contacts; ++i) {
    G.middleRows(i * part, part) *= std::pow(10.0, 0.5 * of.spread * normal(random));
    problem.cones.push_back(
        {i * part, i * part + 1, of.tangents, of.mu, 0.0, "contact " + std::to_string(i)});
  }
  Vector v(freedoms);
  for (double& x : v) x = normal(random);
  if (of.transverse != 1.0) {  // v such that tangential velocities are as small as asked for
    Vector wanted = G * v;
    for (int i = 0; i < of.contacts; ++i)
      wanted.segment(i * part + 1, of.tangents) *= of.transverse;
    problem.b = wanted;
  } else {
    problem.b = G * v;
  }
  problem.W = G * G.transpose();
  return problem;
}

ContactProblem pyramid_of_spheres(int side) {
  constexpr double r = 0.05, mass = 0.4, mu = 0.4;
  const Vector3 inertia = Vector3::Constant(0.4 * mass * r * r);
  Heap heap;
  std::vector<int> below;
  for (int n = side; n > 0; --n) {
    const int level = side - n;
    const double z = r + level * r * std::sqrt(2.0);
    std::vector<int> here;
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) {
        const Vector3 at(r * (2 * i + level), r * (2 * k + level), z);
        const int body = heap.add(at, mass, inertia);
        here.push_back(body);
        if (level == 0) heap.touch(-1, body, at - Vector3(0, 0, r), Vector3::UnitZ(), mu);
        for (int corner = 0; corner < 4 && level > 0; ++corner) {
          const int a = i + corner % 2, b = k + corner / 2;
          const Vector3 from(r * (2 * a + level - 1), r * (2 * b + level - 1),
                             z - r * std::sqrt(2.0));
          const Vector3 normal = (at - from).normalized();
          heap.touch(below[static_cast<std::size_t>(a * (n + 1) + b)], body, from + r * normal,
                     normal, mu);
        }
      }
    }
    below = here;
  }
  return heap.problem();
}

ContactProblem wall_of_bricks(int length) {
  constexpr double l = 0.2, w = 0.1, h = 0.06, mass = 2.0, mu = 0.6;
  const Vector3 inertia = mass / 12.0 * Vector3(w * w + h * h, l * l + h * h, l * l + w * w);
  Heap heap;
  std::vector<int> below;
  for (int n = length; n > 0; --n) {
    const int level = length - n;
    std::vector<int> here;
    for (int i = 0; i < n; ++i) {
      const Vector3 at(l * (i + 0.5 * level), 0.0, h * (level + 0.5));
      const int body = heap.add(at, mass, inertia);
      here.push_back(body);
      const auto press = [&](int on, double from, double to) {
        for (const double x : {from, to}) {
          for (const double y : {-0.5 * w, 0.5 * w})
            heap.touch(on, body, at + Vector3(x, y, -0.5 * h), Vector3::UnitZ(), mu);
        }
      };
      if (level == 0) {
        press(-1, -0.5 * l, 0.5 * l);
      } else {
        press(below[static_cast<std::size_t>(i)], -0.5 * l, -0.02 * l);
        press(below[static_cast<std::size_t>(i + 1)], 0.02 * l, 0.5 * l);
      }
    }
    below = here;
  }
  return heap.problem();
}

}  // namespace mbs::test
