#include "tests/linear/random_saddle.hpp"

#include <algorithm>
#include <cmath>

namespace mbs::test {

namespace {

using Entries = std::vector<Eigen::Triplet<double>>;

double uniform(std::mt19937& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}

// A random entry of either sign that is not small.
double entry(std::mt19937& random) {
  const double size = uniform(random, 0.3, 1.0);
  return random() % 2 == 0 ? size : -size;
}

// The bodies each joint holds; -1 is the ground.
std::vector<std::pair<int, int>> joints(const SaddleKind& kind, std::mt19937& random) {
  std::vector<std::pair<int, int>> list;
  const auto any_below = [&](int i) {
    return static_cast<int>(random() % static_cast<unsigned>(i));
  };
  for (int i = 0; i < kind.bodies; ++i) {
    const bool line = kind.topology == SaddleKind::chain || kind.topology == SaddleKind::loop;
    list.emplace_back(i, i == 0 ? -1 : line ? i - 1 : any_below(i));
  }
  if (kind.topology == SaddleKind::loop) {
    for (int k = kind.loops; k > 0; --k) list.emplace_back(k * kind.bodies / kind.loops - 1, -1);
  }
  return list;
}

template <class Sparse>
void fill(Sparse& matrix, int rows, int cols, const Entries& entries) {
  matrix.resize(rows, cols);
  matrix.setFromTriplets(entries.begin(), entries.end());
  matrix.makeCompressed();
}

// (1.15) and (3.11): bodies of n_y coordinates y_k, joints of d coordinates z_k behind all y,
//
//   K_k y_k + J_k z_k + H_k y_parent = h_k,    M = diag(M_k, 0).
RandomSaddle mixed_coordinates(const SaddleKind& kind, std::mt19937& random) {
  const int bodies = kind.bodies, n_y = kind.body_columns, d = kind.freedom;
  const bool line = kind.topology != SaddleKind::tree;
  const int loops = kind.topology == SaddleKind::loop ? kind.loops : 0;
  const int n = bodies * (n_y + d), rows = n_y * bodies + loops;
  RandomSaddle system;
  system.units.resize(n + rows);
  for (double& unit : system.units) {
    unit = kind.badly_scaled ? std::pow(10.0, uniform(random, -4.0, 4.0)) : 1.0;
  }
  const Vector& units = system.units;
  Entries M, G;
  const auto block = [&](double diagonal, double size, int height, int width) {
    Matrix A = diagonal * Matrix::Identity(height, width);
    for (double& x : A.reshaped()) x += size * uniform(random, -1.0, 1.0);
    return A;
  };
  const auto put = [&](Entries& entries, int row, int column, const Matrix& values) {
    const int first = &entries == &G ? n : 0;
    for (int i = 0; i < values.rows(); ++i) {
      for (int j = 0; j < values.cols(); ++j) {
        entries.emplace_back(row + i, column + j,
                             values(i, j) / (units[first + row + i] * units[column + j]));
      }
    }
  };
  std::vector<int>& body = system.structure.bodies;
  body.assign(static_cast<std::size_t>(n), 0);
  for (int k = 0; k < bodies; ++k) {
    const Matrix root = block(1.0, 0.3, n_y, n_y);
    put(M, n_y * k, n_y * k, root * root.transpose());
    put(G, n_y * k, n_y * k, block(1.0, 0.2, n_y, n_y));
    put(G, n_y * k, n_y * bodies + d * k, block(0.0, 1.0, n_y, d));
    if (k > 0) {
      const int parent = line ? k - 1 : static_cast<int>(random() % static_cast<unsigned>(k));
      put(G, n_y * k, n_y * parent, block(-1.0, 0.5, n_y, n_y));
    }
    for (int i = 0; i < n_y; ++i) body[static_cast<std::size_t>(n_y * k + i)] = k;
    for (int i = 0; i < d; ++i) body[static_cast<std::size_t>(n_y * bodies + d * k + i)] = k;
  }
  for (int l = 0; l < loops; ++l) {
    put(G, n_y * bodies + l, n_y * (bodies - 1 - l), block(0.0, 1.0, 1, n_y));
    put(G, n_y * bodies + l, n_y * l, block(0.0, 1.0, 1, n_y));
  }
  fill(system.M, n, n, M);
  fill(system.G, rows, n, G);
  system.F.resize(n, rows);
  system.D = Vector::Zero(rows);
  system.structure.M = system.M;
  system.structure.G = system.G;
  system.structure.F = system.F;
  system.structure.M_may_be_singular = true;
  return system;
}

}  // namespace

std::string name(const SaddleKind& kind) {
  static const char* const keywords[] = {"chain", "tree", "loop", "scattered"};
  std::string text = keywords[kind.topology] + std::to_string(kind.bodies);
  if (kind.massless) text += "_massless";
  if (kind.inactive) text += "_inactive";
  if (kind.with_F) text += "_F";
  if (kind.badly_scaled) text += "_scaled";
  if (kind.loops > 1) text += "_loops" + std::to_string(kind.loops);
  if (kind.freedom > 0) text += "_joints" + std::to_string(kind.freedom);
  return text;
}

Matrix RandomSaddle::whole() const {
  const auto n_v = M.cols(), n_lambda = G.rows();
  Matrix K = Matrix::Zero(size(), size());
  K.topLeftCorner(n_v, n_v) = M;
  K.bottomLeftCorner(n_lambda, n_v) = G;
  K.topRightCorner(n_v, n_lambda) = Matrix(G).transpose();
  if (with_F) K.topRightCorner(n_v, n_lambda) -= F;
  K.bottomRightCorner(n_lambda, n_lambda) = -Matrix(D.asDiagonal());
  return K;
}

void RandomSaddle::vary(std::mt19937& random, double change) {
  const auto n_v = M.cols();
  for (int i = 0; i < G.outerSize(); ++i) {
    for (RowSparse::InnerIterator g(G, i); g; ++g) {
      if (g.value() == 0.0) continue;  // of a row switched off
      const double unit = units[n_v + i] * units[g.col()];
      g.valueRef() += change * (entry(random) / unit - g.value());
    }
  }
  for (int j = 0; j < F.outerSize(); ++j) {
    for (ColumnSparse::InnerIterator f(F, j); f; ++f) {
      if (f.value() == 0.0) continue;
      const double unit = units[f.row()] * units[n_v + j];
      f.valueRef() += change * (0.3 * entry(random) / unit - f.value());
    }
  }
}

RandomSaddle make_random_saddle(const SaddleKind& kind, std::mt19937& random) {
  if (kind.freedom > 0) return mixed_coordinates(kind, random);
  const int n_v = 3 * kind.bodies;
  const auto list = joints(kind, random);
  const int n_lambda = kind.topology == SaddleKind::loop && kind.bodies < 3
                           ? 2 * kind.bodies
                           : 2 * static_cast<int>(list.size());
  RandomSaddle system;
  system.with_F = kind.with_F;
  system.units.resize(n_v + n_lambda);
  for (double& unit : system.units) {
    unit = kind.badly_scaled ? std::pow(10.0, uniform(random, -4.0, 4.0)) : 1.0;
  }
  const Vector& units = system.units;

  Entries M, G, F;
  for (int body = 0; body < kind.bodies; ++body) {
    const bool massless = kind.massless && body % 3 == 2;
    Eigen::Matrix3d root = Eigen::Matrix3d::Identity();
    for (double& x : root.reshaped()) x += 0.5 * uniform(random, -1.0, 1.0);
    Eigen::Matrix3d block = root * root.transpose();
    // A massless body keeps its inertia: its two joint rows hold its place.
    if (massless) block.topRows<2>().setZero(), block.leftCols<2>().setZero();
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const int row = 3 * body + i, col = 3 * body + j;
        M.emplace_back(row, col, block(i, j) / (units[row] * units[col]));
      }
    }
  }
  system.D = Vector::Zero(n_lambda);
  for (int row = 0; row < n_lambda; ++row) {
    const auto& [a, b] = list[static_cast<std::size_t>(row / 2)];
    // Only where the bodies behind do not need the row to be held.
    const bool off = kind.inactive && !kind.massless && row % 5 == 3;
    system.D[row] = off ? 1.0 : 0.0;
    for (const int body : {a, b}) {
      if (body < 0) continue;
      for (int i = 0; i < 3; ++i) {
        const int col = 3 * body + i;
        if (kind.topology == SaddleKind::scattered && body == b && i == 1) continue;
        const double value = off ? 0.0 : entry(random) / (units[n_v + row] * units[col]);
        G.emplace_back(row, col, value);
      }
    }
    if (kind.with_F && row % 2 == 1) {
      const int col = 3 * a + row % 3;
      F.emplace_back(col, row, off ? 0.0 : 0.3 * entry(random) / (units[col] * units[n_v + row]));
    }
  }
  fill(system.M, n_v, n_v, M);
  fill(system.G, n_lambda, n_v, G);
  fill(system.F, n_v, n_lambda, F);
  // D = 1 stands in its own units too.
  for (int i = 0; i < n_lambda; ++i) system.D[i] /= units[n_v + i] * units[n_v + i];
  system.structure.M = system.M;
  system.structure.G = system.G;
  system.structure.F = system.F;
  system.structure.M_may_be_singular = kind.massless;
  for (int i = 0; i <= kind.bodies; ++i) system.structure.mass_blocks.push_back(3 * i);
  return system;
}

}  // namespace mbs::test
