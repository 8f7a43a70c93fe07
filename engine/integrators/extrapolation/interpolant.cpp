#include "engine/integrators/extrapolation/interpolant.hpp"

#include <algorithm>
#include <stdexcept>

namespace mbs {
namespace {

struct Split {
  int lambda, rho;  // differences used at the left and at the right
  explicit Split(int rows) : lambda((rows - 1) / 2), rho(rows - 1 - lambda) {}
};

// Newton's divided differences for nodes 0 (`left` times), then 1 (`right` times). On entry column
// i holds the derivative of the order i at 0 for i < left, and order i - left at 1 for the others,
// both divided by the factorial of the order. On exit the coefficients.
void divided_differences(Eigen::Ref<Matrix> c, int left, int right, Eigen::Ref<Matrix> work) {
  const int n = left + right;
  // work column i: the difference of the present order that ends at node i
  for (int i = 0; i < n; ++i) work.col(i) = c.col(i < left ? 0 : left);
  for (int order = 1; order < n; ++order) {
    for (int i = n - 1; i >= order; --i) {
      if (i < left) {
        work.col(i) = c.col(order);
      } else if (i - order >= left) {
        work.col(i) = c.col(left + order);
      } else {
        work.col(i) -= work.col(i - 1);
      }
    }
  }
  c.leftCols(n) = work.leftCols(n);
}

// Value of Newton's form with nodes 0 (`left` times) and 1.
void newton(const Eigen::Ref<const Matrix>& c, int left, int n, double theta,
            Eigen::Ref<Vector> value) {
  value = c.col(n - 1);
  for (int i = n - 2; i >= 0; --i) value = value * (i < left ? theta : theta - 1.0) + c.col(i);
}

}  // namespace

Interpolant::Interpolant(const Stack& stack, int max_rows)
    : stack_(stack),
      max_rows_(max_rows),
      left_(stack.slopes(), max_rows / 2),
      right_(stack.slopes(), max_rows / 2),
      Y_(stack.ny(), max_rows + 3),
      Z_(stack.nz(), max_rows + 1),
      work_(std::max(stack.ny(), stack.nz()), max_rows + 3),
      x_(stack.size()) {}

void Interpolant::differences(int rows, const std::array<Matrix, most_rows>& slopes) {
  const Split split(rows);
  left_.setZero();
  right_.setZero();
  std::array<double, most_rows> c{};
  for (int k = 1; k <= split.rho; ++k) {
    extrapolation_weights(k, rows, c);
    for (int j = k; j <= rows; ++j) {
      const Matrix& slope = slopes[static_cast<std::size_t>(j - 1)];
      const int n = steps_of_row(j);
      double weight = c[static_cast<std::size_t>(j - 1)];  // c_j n_j^k times (-1)^i (k over i)
      for (int i = 0; i < k; ++i) weight *= n;
      for (int i = 0; i <= k; ++i) {
        right_.col(k - 1) += weight * slope.col(n - 1 - i);
        if (k <= split.lambda) left_.col(k - 1) += weight * slope.col(k - i);
        weight *= -double(k - i) / double(i + 1);
      }
    }
  }
}

void Interpolant::build(double H, int rows, const std::array<Matrix, most_rows>& slopes,
                        const StepEnd& begin, const StepEnd& end) {
  rows_ = rows;
  differences(rows, slopes);
  const Split split(rows);
  const int ny = stack_.ny(), nz = stack_.nz(), rest = nz - stack_.v;

  const auto fill = [&](int first_y, int first_z, const StepEnd& at, const Matrix& higher,
                        int count) {
    Y_.col(first_y) = at.value.head(ny);
    Y_.col(first_y + 1) = H * at.slope.head(ny);
    Z_.col(first_z) = at.value.tail(nz);
    double factorial = 1.0;  // k!
    for (int k = 1; k <= count; ++k) {
      factorial *= k;
      const auto slope = higher.col(k - 1);
      Y_.col(first_y + k + 1) = slope.head(ny) * (H / (factorial * (k + 1)));
      Z_.col(first_z + k).head(stack_.v) = slope.segment(stack_.p, stack_.v) / factorial;
      Z_.col(first_z + k).tail(rest) = slope.tail(rest) / factorial;
    }
  };
  fill(0, 0, begin, left_, split.lambda);
  fill(split.lambda + 2, split.lambda + 1, end, right_, split.rho);
  divided_differences(Y_, split.lambda + 2, split.rho + 2, work_.topRows(ny));
  divided_differences(Z_, split.lambda + 1, split.rho + 1, work_.topRows(nz));
}

void Interpolant::evaluate(double theta, State& x) {
  const Split split(rows_);
  newton(Y_, split.lambda + 2, rows_ + 3, theta, x_.head(stack_.ny()));
  newton(Z_, split.lambda + 1, rows_ + 1, theta, x_.tail(stack_.nz()));
  stack_.unpack(x_, x);
}

void Interpolant::save(ByteWriter& out) const {
  out.put(rows_);
  out.raw(Y_.data(), sizeof(double) * static_cast<std::size_t>(Y_.rows() * (rows_ + 3)));
  out.raw(Z_.data(), sizeof(double) * static_cast<std::size_t>(Z_.rows() * (rows_ + 1)));
}

void Interpolant::restore(ByteReader& in) {
  int rows = 0;
  in.get(rows);
  if (rows < 1 || rows > max_rows_) {
    throw std::runtime_error("the stored state belongs to other options of the integrator");
  }
  rows_ = rows;
  in.raw(Y_.data(), sizeof(double) * static_cast<std::size_t>(Y_.rows() * (rows_ + 3)));
  in.raw(Z_.data(), sizeof(double) * static_cast<std::size_t>(Z_.rows() * (rows_ + 1)));
}

}  // namespace mbs
