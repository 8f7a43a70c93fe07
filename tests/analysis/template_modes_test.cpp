// Modes of every template. At static equilibrium where there is one, against an independent dense
// computation in another formulation: residuals by differences, auxiliary unknowns eliminated, null
// spaces by singular values, the general second-order eigenproblem. Where the motion starts for the
// others, against differences of the equations of motion solved densely (moving_linearisation.hpp).

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "engine/analysis/modes.hpp"
#include "engine/contact/equilibrium_on_contacts.hpp"
#include "tests/analysis/moving_linearisation.hpp"
#include "tests/multibody/assembled.hpp"

namespace mbs::test {
namespace {

const std::set<std::string> with_modes = {"andrews",
                                          "belt_slider",
                                          "double_pendulum",
                                          "excited_chain",
                                          "gimbal",
                                          "insulator_chain",
                                          "n_four_bar",
                                          "newtons_cradle",
                                          "pendulum",
                                          "pid_controller",
                                          "quarter_car",
                                          "slider_crank",
                                          "truck",
                                          "quarter_car_actuator",
                                          "quarter_car_controller",
                                          "quarter_car_vehicle"};
// Templates without equilibrium: they are driven, move for ever or fall.
const std::set<std::string> moving = {"all_terrain_vehicle", "axle_rig",      "bouncing_ball",
                                      "cable_drum",          "four_bar",      "hydraulic_actuator",
                                      "knife_edge",          "passenger_car", "railway_carriage",
                                      "rocking_block",       "rolling_disc",  "woodpecker"};

// The rollers begin in the seats, where the springs of the teeth just begin to push: there the
// forces have no derivatives, and those of either side are right.
const std::set<std::string> not_smooth = {"sprocket_chain"};

Matrix null_space(const Matrix& G, Eigen::Index columns) {
  if (G.rows() == 0) return Matrix::Identity(columns, columns);
  const Eigen::JacobiSVD<Matrix> svd(G, Eigen::ComputeFullV);
  Eigen::Index rank = 0;
  for (const double value : svd.singularValues()) {
    rank += value > 1e-9 * svd.singularValues()[0] ? 1 : 0;
  }
  return svd.matrixV().rightCols(columns - rank);
}

// Columns of p, v, r, w of the residual's derivative: central differences, extrapolated from three
// steps, each a part of the variable's size.
Matrix differences(const Assembled& model, const State& x) {
  const Sizes& n = model->sizes();
  const JacobianLayout at(n);
  Matrix J = Matrix::Zero(at.rows, at.cols);
  State near = x;
  const auto fill = [&](Vector& values, int first) {
    for (Eigen::Index j = 0; j < values.size(); ++j) {
      const double here = values[j], h = 1e-3 * std::max(0.1, std::abs(here));
      const auto difference = [&](double step) -> Vector {
        values[j] = here + step;
        model->residual(model.context(), near, *model.ws);
        const Vector above = model.ws->residual;
        values[j] = here - step;
        model->residual(model.context(), near, *model.ws);
        values[j] = here;
        return (above - model.ws->residual) / (2.0 * step);
      };
      const Vector coarse = difference(h), fine = difference(0.5 * h),
                   finest = difference(0.25 * h);
      const Vector once = (4.0 * fine - coarse) / 3.0, twice = (4.0 * finest - fine) / 3.0;
      J.col(first + j) = (16.0 * twice - once) / 15.0;
    }
  };
  fill(near.p, at.col_p);
  fill(near.v, at.col_v);
  fill(near.r, at.col_r);
  fill(near.w, at.col_w);
  return J;
}

// The last states in their sizes: pressures stand next to openings.
std::vector<std::complex<double>> eigenvalues(Matrix A, const Vector& last) {
  const Eigen::Index first = A.rows() - last.size();
  for (Eigen::Index i = 0; i < last.size(); ++i) {
    const double size = std::max(1.0, std::abs(last[i]));
    A.row(first + i) /= size;
    A.col(first + i) *= size;
  }
  const Eigen::VectorXcd values = A.eigenvalues();
  return {values.begin(), values.end()};
}

std::vector<std::complex<double>> independent(const Assembled& model, const State& x) {
  const Equations& equations = *model;
  const Sizes& n = equations.sizes();
  const JacobianLayout at(n);
  Matrix J = differences(model, x);
  if (n.w > 0) {
    const Matrix by_w = Matrix(J.block(at.w, at.col_w, n.w, n.w)).partialPivLu().inverse();
    const Matrix column = J.middleCols(at.col_w, n.w), row = J.middleRows(at.w, n.w);
    J -= column * by_w * row;
  }
  Matrix Z(n.p, n.v);
  for (int j = 0; j < n.v; ++j) {
    Vector z;
    equations.apply_Z(model.context(), x, Vector::Unit(n.v, j), z);
    Z.col(j) = z;
  }
  equations.position(model.context(), x, want_M, *model.ws);
  const Matrix M = model.ws->M;
  const Matrix K = -J.block(at.dynamics, at.col_p, n.v, n.p) * Z;
  const Matrix C = -J.block(at.dynamics, at.col_v, n.v, n.v);
  const Matrix N = null_space(J.block(at.position, at.col_p, n.g, n.p) * Z, n.v);
  const Eigen::Index d = N.cols();
  const int r = static_cast<int>(model.model.states.size());
  Matrix A = Matrix::Zero(2 * d + r, 2 * d + r);
  const Eigen::LDLT<Matrix> mass((N.transpose() * M * N).eval());
  A.block(0, d, d, d).setIdentity();
  A.block(d, 0, d, d) = -mass.solve((N.transpose() * K * N).eval());
  A.block(d, d, d, d) = -mass.solve((N.transpose() * C * N).eval());
  A.block(d, 2 * d, d, r) =
      mass.solve((N.transpose() * J.block(at.dynamics, at.col_r, n.v, r)).eval());
  A.block(2 * d, 0, r, d) = J.block(at.r, at.col_p, r, n.p) * Z * N;
  A.block(2 * d, d, r, d) = J.block(at.r, at.col_v, r, n.v) * N;
  A.block(2 * d, 2 * d, r, r) = J.block(at.r, at.col_r, r, r);
  return eigenvalues(A, x.r.head(r));
}

// Each eigenvalue of the one is one of the other. A double zero is found to the root of rounding.
void compare(const std::vector<Mode>& modes, const std::vector<std::complex<double>>& expected) {
  double largest = 0.0;
  for (const auto& value : expected) largest = std::max(largest, std::abs(value));
  std::size_t count = 0;
  for (const Mode& mode : modes) {
    count += mode.eigenvalue.imag() != 0.0 ? 2 : 1;
    double closest = 1e300;
    for (const auto& value : expected)
      closest = std::min(closest, std::abs(value - mode.eigenvalue));
    const double size = std::abs(mode.eigenvalue);
    const bool zero = size < 1e-6 * largest;
    EXPECT_LT(closest, zero ? 1e-7 * largest : 1e-8 * std::max(1.0, size)) << mode.eigenvalue;
  }
  EXPECT_EQ(count, expected.size());
}

class TemplateModes : public testing::TestWithParam<std::string> {};

TEST_P(TemplateModes, AgreeWithAnIndependentComputation) {
  const std::string folder = GetParam().starts_with("quarter_car") ? "quarter_car" : GetParam();
  const Assembled model = Assembled::from_file(std::string(std::getenv("MBS_TEMPLATES")) + "/" +
                                               folder + "/" + GetParam() + ".mbs.xml");
  State x = model.start();
  Contacts contacts(*model, model.context(), {}, "auto");
  const Equilibrium found = find_static_equilibrium(*model, model.context(), contacts, x);
  ASSERT_TRUE(found.ok) << found.message;
  const std::vector<std::complex<double>> expected = independent(model, x);
  const std::vector<Mode> modes = find_modes(linearise(
      *model, model.context(), x, {.states = static_cast<int>(model.model.states.size())}));
  ASSERT_FALSE(modes.empty());
  compare(modes, expected);
}

INSTANTIATE_TEST_SUITE_P(Templates, TemplateModes, testing::ValuesIn(with_modes),
                         [](const auto& of) { return of.param; });

class MovingTemplates : public testing::TestWithParam<std::string> {};

TEST_P(MovingTemplates, AgreeWithDifferencesOfTheMotion) {
  const Assembled model = Assembled::from_file(std::string(std::getenv("MBS_TEMPLATES")) + "/" +
                                               GetParam() + "/" + GetParam() + ".mbs.xml");
  State x = model.start();
  Contacts contacts(*model, model.context(), {}, "auto");
  ASSERT_EQ(contacts.start(x).error, "");
  if (GetParam() == "hydraulic_actuator") {  // the flow has a kink where the valve is closed
    ASSERT_EQ(model->structure().r_names[2], "lift.opening");
    x.r[2] = 0.2;
  }
  model.solve(x);
  const LinearSystem system = linearise(*model, model.context(), x,
                                        {.states = static_cast<int>(model.model.states.size())});
  const Matrix expected = moving_linearisation(model, x, system);
  for (Eigen::Index i = 0; i < expected.rows(); ++i) {
    const double size = std::max(1.0, expected.row(i).lpNorm<Eigen::Infinity>());
    EXPECT_LT((system.A - expected).row(i).lpNorm<Eigen::Infinity>(), 1e-8 * size)
        << system.states[static_cast<std::size_t>(i)];
  }
  compare(find_modes(system), eigenvalues(expected, x.r.head(system.rho)));
}

INSTANTIATE_TEST_SUITE_P(Templates, MovingTemplates, testing::ValuesIn(moving),
                         [](const auto& of) { return of.param; });

TEST(TemplateModes, NoTemplateIsForgotten) {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::getenv("MBS_TEMPLATES"))) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(".mbs.xml")) continue;
    name.resize(name.size() - 8);
    EXPECT_EQ(with_modes.contains(name) + moving.contains(name) + not_smooth.contains(name), 1)
        << name;
  }
}

}  // namespace
}  // namespace mbs::test
