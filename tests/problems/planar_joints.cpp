#include "tests/problems/planar_joints.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace mbs::test {

namespace {

Eigen::Vector2d turned(const Side& side, const State& x) {
  if (!side.turns) return side.offset;
  return Eigen::Rotation2Dd(x.p[side.first + 2]) * side.offset;
}

Places G_places(const std::vector<Joint>& joints) {
  Places places;
  for (int k = 0; k < static_cast<int>(joints.size()); ++k) {
    const Joint& joint = joints[static_cast<std::size_t>(k)];
    for (const Side* side : {&joint.a, &joint.b}) {
      if (side->first < 0) continue;
      for (int i = 0; i < 2; ++i) {
        places.emplace_back(2 * k + i, side->first + i);
        if (side->turns) places.emplace_back(2 * k + i, side->first + 2);
      }
    }
  }
  return places;
}

// G^T lambda depends on the angles alone, each by itself.
Places angles(const std::vector<Joint>& joints) {
  Places places;
  for (const Joint& joint : joints) {
    for (const Side* side : {&joint.a, &joint.b}) {
      if (side->turns) places.emplace_back(side->first + 2, side->first + 2);
    }
  }
  return places;
}

}  // namespace

Side body(int first, double X, double Y) {
  return {first, true, {X, Y}};
}
Side point(int first) {
  return {first, false, {0.0, 0.0}};
}
Side ground(double x, double y) {
  return {-1, false, {x, y}};
}

PlanarJoints::PlanarJoints(const Vector& masses, const std::vector<Joint>& joints,
                           const Places& velocity_forces)
    : Handwritten(static_cast<int>(masses.size()), 2 * static_cast<int>(joints.size()),
                  band(static_cast<int>(masses.size()), 0), G_places(joints)),
      masses_(masses),
      joints_(joints) {
  structure_.saddle.M_may_be_singular = masses.minCoeff() == 0.0;
  for (int i = 0; i <= sizes_.v; ++i) structure_.saddle.mass_blocks.push_back(i);
  for (int i = 0; i < sizes_.lambda; ++i) {
    structure_.lambda_names[static_cast<std::size_t>(i)] = "joint" + std::to_string(i / 2 + 1);
  }
  set_jacobian_pattern(angles(joints), velocity_forces, G_places(joints));
  RowSparse& G = structure_.saddle.G;
  const auto at = [&](int row, int column) {
    return static_cast<int>(&G.coeffRef(row, column) - G.valuePtr());
  };
  for (int row = 0; row < sizes_.lambda; row += 2) {
    const Joint& joint = joints_[static_cast<std::size_t>(row / 2)];
    for (const Side* side : {&joint.a, &joint.b}) {
      std::array<int, 4> places{};
      for (int i = 0; i < 2 && side->first >= 0; ++i) {
        places[static_cast<std::size_t>(i)] = at(row + i, side->first + i);
      }
      for (int i = 0; i < 2 && side->turns; ++i) {
        places[static_cast<std::size_t>(2 + i)] = at(row + i, side->first + 2);
      }
      G_at_.push_back(places);
    }
  }
}

// Neighbouring joints mostly share a body: its angle is turned once.
void PlanarJoints::position(const Context&, const State& x, unsigned want, Workspace& ws) const {
  if (want & want_M) ws.M.coeffs() = masses_.array();
  if (!(want & (want_G | want_g))) return;
  double* G = ws.G.valuePtr();
  const auto* at = G_at_.data();
  int turned_body = -1;
  double c = 1.0, s = 0.0;
  for (int k = 0; k < static_cast<int>(joints_.size()); ++k) {
    const Joint& joint = joints_[static_cast<std::size_t>(k)];
    Eigen::Vector2d gap(0.0, 0.0);
    double sign = 1.0;
    for (const Side* side : {&joint.a, &joint.b}) {
      double arm_x = side->offset[0], arm_y = side->offset[1];
      if (side->turns) {
        if (side->first != turned_body) {
          c = std::cos(x.p[side->first + 2]);
          s = std::sin(x.p[side->first + 2]);
          turned_body = side->first;
        }
        const double X = arm_x, Y = arm_y;
        arm_x = c * X - s * Y;
        arm_y = s * X + c * Y;
      }
      if (want & want_g) {
        const double x0 = side->first >= 0 ? x.p[side->first] : 0.0;
        const double y0 = side->first >= 0 ? x.p[side->first + 1] : 0.0;
        gap += sign * Eigen::Vector2d(x0 + arm_x, y0 + arm_y);
      }
      if (want & want_G) {
        if (side->first >= 0) G[(*at)[0]] = G[(*at)[1]] = sign;
        if (side->turns) {
          G[(*at)[2]] = -sign * arm_y;
          G[(*at)[3]] = sign * arm_x;
        }
        ++at;
      }
      sign = -1.0;
    }
    if (want & want_g) ws.g.segment<2>(2 * k) = gap;
  }
}

// -omega^2 arm, with the arms that stand in G.
void PlanarJoints::gamma(const Context&, const State& x, Workspace& ws) const {
  const double* G = ws.G.valuePtr();
  const auto* at = G_at_.data();
  for (int k = 0; k < static_cast<int>(joints_.size()); ++k) {
    const Joint& joint = joints_[static_cast<std::size_t>(k)];
    double first = 0.0, second = 0.0;
    for (const Side* side : {&joint.a, &joint.b}) {
      if (side->turns) {
        const double omega = x.v[side->first + 2], square = omega * omega;
        first -= square * G[(*at)[3]];
        second += square * G[(*at)[2]];
      }
      ++at;
    }
    ws.gamma[2 * k] = first;
    ws.gamma[2 * k + 1] = second;
  }
}

// With `arm` = (X cos phi - Y sin phi, X sin phi + Y cos phi): d arm/dphi = (-arm_y, arm_x).
void PlanarJoints::jacobian(const Context&, const State& x, Workspace& ws) const {
  const JacobianLayout at(sizes_);
  if (ws.jacobian.size() == 0) ws.jacobian = structure_.jacobian;
  ColumnSparse& J = ws.jacobian;
  J.coeffs().setZero();
  for (int i = 0; i < sizes_.p; ++i) J.coeffRef(at.kinematics + i, at.col_v + i) = 1.0;
  const auto set_G = [&](int row, int col, double value) {
    J.coeffRef(at.dynamics + col, at.col_lambda + row) = -value;
    J.coeffRef(at.velocity + row, at.col_v + col) = value;
    J.coeffRef(at.position + row, at.col_p + col) = value;
  };
  for (int k = 0; k < static_cast<int>(joints_.size()); ++k) {
    const Joint& joint = joints_[static_cast<std::size_t>(k)];
    double sign = 1.0;
    for (const Side* side : {&joint.a, &joint.b}) {
      if (side->first >= 0) {
        for (int i = 0; i < 2; ++i) set_G(2 * k + i, side->first + i, sign);
      }
      if (side->turns) {
        const int phi = side->first + 2;
        const Eigen::Vector2d arm = sign * turned(*side, x), across(-arm[1], arm[0]);
        const double omega = x.v[phi], alpha = x.a[phi];
        J.coeffRef(at.dynamics + phi, at.col_p + phi) += arm.dot(x.lambda.segment<2>(2 * k));
        for (int i = 0; i < 2; ++i) {
          const int row = 2 * k + i;
          set_G(row, phi, across[i]);
          J.coeffRef(at.velocity + row, at.col_p + phi) = -omega * arm[i];
          J.coeffRef(at.acceleration + row, at.col_p + phi) =
              -alpha * arm[i] - omega * omega * across[i];
          J.coeffRef(at.acceleration + row, at.col_v + phi) = -2.0 * omega * arm[i];
        }
      }
      sign = -1.0;
    }
  }
  force_jacobian(x, at, J);
}

}  // namespace mbs::test
