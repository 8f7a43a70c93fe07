#include "tests/bench/peers/sundials_vector.hpp"

#include <cmath>

namespace mbs::test {
namespace {

auto array(N_Vector x) {
  return values(x).array();
}

void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
  if (a == 1.0) {
    array(z) = array(x) + b * array(y);
  } else if (b == 1.0) {
    array(z) = a * array(x) + array(y);
  } else {
    array(z) = a * array(x) + b * array(y);
  }
}

// Only x[0] may be z.
int linear_combination(int count, double* c, N_Vector* x, N_Vector z) {
  if (count == 1) {
    array(z) = c[0] * array(x[0]);
    return 0;
  }
  array(z) = c[0] * array(x[0]) + c[1] * array(x[1]);
  int i = 2;
  for (; i + 1 < count; i += 2) array(z) += c[i] * array(x[i]) + c[i + 1] * array(x[i + 1]);
  if (i < count) array(z) += c[i] * array(x[i]);
  return 0;
}

double weighted_norm(N_Vector x, N_Vector weights) {
  const auto n = static_cast<double>(values(x).size());
  return std::sqrt((array(x) * array(weights)).square().sum() / n);
}

}  // namespace

NVector make_vector(Eigen::Index size, SUNContext context, Vectors kind) {
  NVector vector(N_VNew_Serial(size, context));
  if (!vector) throw std::runtime_error("SUNDIALS cannot make a vector");
  if (kind == Vectors::packaged) return vector;
  _generic_N_Vector_Ops& use = *vector->ops;
  use.nvlinearsum = linear_sum;
  use.nvlinearcombination = linear_combination;
  use.nvwrmsnorm = weighted_norm;
  use.nvconst = [](double c, N_Vector z) { array(z) = c; };
  use.nvprod = [](N_Vector x, N_Vector y, N_Vector z) { array(z) = array(x) * array(y); };
  use.nvdiv = [](N_Vector x, N_Vector y, N_Vector z) { array(z) = array(x) / array(y); };
  use.nvscale = [](double c, N_Vector x, N_Vector z) { array(z) = c * array(x); };
  use.nvabs = [](N_Vector x, N_Vector z) { array(z) = array(x).abs(); };
  use.nvinv = [](N_Vector x, N_Vector z) { array(z) = array(x).inverse(); };
  use.nvaddconst = [](N_Vector x, double b, N_Vector z) { array(z) = array(x) + b; };
  use.nvmaxnorm = [](N_Vector x) { return array(x).abs().maxCoeff(); };
  use.nvmin = [](N_Vector x) { return array(x).minCoeff(); };
  use.nvdotprod = [](N_Vector x, N_Vector y) { return values(x).dot(values(y)); };
  return vector;
}

}  // namespace mbs::test
