#include "engine/integrators/reduction/adams.hpp"

#include "engine/base/snapshot.hpp"

namespace mbs::reduction {
namespace {

// Gauss-Legendre on [0, 1].
constexpr int points = 7;
constexpr std::array<double, points> gauss_nodes{
    0.025446043828620737737, 0.12923440720030278007, 0.29707742431130141655, 0.5,
    0.70292257568869858345,  0.87076559279969721993, 0.97455395617137926226};
constexpr std::array<double, points> gauss_weights{
    0.064742483084434846635, 0.13985269574463833395, 0.19091502525255947248, 0.20897959183673469388,
    0.19091502525255947248,  0.13985269574463833395, 0.064742483084434846635};

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

Adams::Adams(int integrated, int rows)
    : integrated_(integrated),
      slopes_(Matrix::Zero(rows, most_nodes)),
      predictor_(Weights::Zero()),
      defect_(Vector::Zero(rows)) {}

void Adams::push(double t, const Vector& slope, bool in_place) {
  if (!in_place || nodes_ == 0) {
    int column = nodes_;
    if (nodes_ == most_nodes) {
      column = at_[index(most_nodes - 1)];
    } else {
      ++nodes_;
    }
    for (int j = nodes_ - 1; j > 0; --j) at_[index(j)] = at_[index(j - 1)];
    at_[0] = column;
  }
  t_[index(at_[0])] = t;
  slopes_.col(at_[0]) = slope;
}

// Weights of the divided differences over the `count` newest nodes.
void Adams::divide(double origin, double unit, int count) {
  for (int i = 0; i < count; ++i) {
    s_[index(i)] = (time(i) - origin) / unit;
    double own = 1.0;
    for (int j = 0; j < i; ++j) {
      const double inverse = 1.0 / (s_[index(j)] - s_[index(i)]);
      divided_[index(i)][index(j)] = divided_[index(i - 1)][index(j)] * inverse;
      own *= -inverse;
    }
    divided_[index(i)][index(i)] = own;
  }
}

// The weights of the slopes, column by column, in sum_{i < count} c_i f[t_0 ... t_i].
Adams::Weights Adams::combine(const Newton& c, int count) const {
  Weights sum = Weights::Zero();
  for (int j = 0; j < count; ++j) {
    double weight = 0.0;
    for (int i = j; i < count; ++i) weight += c[index(i)] * divided_[index(i)][index(j)];
    sum[at_[index(j)]] = weight;
  }
  return sum;
}

Adams::Newton Adams::values(double s, int count) const {
  Newton N{};
  N[0] = 1.0;
  for (int i = 0; i < count; ++i) N[index(i + 1)] = N[index(i)] * (s - s_[index(i)]);
  return N;
}

Adams::Newton Adams::integrals(double from, double to, int count) const {
  Newton sum{};
  for (int q = 0; q < points; ++q) {
    const double s = from + (to - from) * gauss_nodes[index(q)];
    const double weight = (to - from) * gauss_weights[index(q)];
    double N = weight;
    sum[0] += N;
    for (int i = 0; i < count; ++i) {
      N *= s - s_[index(i)];
      sum[index(i + 1)] += N;
    }
  }
  return sum;
}

void Adams::plan(double t, int k) {
  h_ = t - newest();
  order_ = k;
  divide(newest(), h_, nodes_);
  at_end_ = values(1.0, nodes_);
  integral_ = integrals(0.0, 1.0, nodes_);
  predictor_ = h_ * combine(integral_, k);
}

void Adams::predict(const Vector& y, Vector& y_new) const {
  y_new = y;
  y_new.noalias() += slopes_.topLeftCorner(integrated_, nodes_) * predictor_.head(nodes_);
}

void Adams::extrapolate(Vector& slope) {
  slope.noalias() = slopes_.leftCols(nodes_) * combine(at_end_, order_).head(nodes_);
}

const Vector& Adams::error(const Vector& f, int m) {
  const auto gamma = [this](int i) { return integral_[index(i)] / at_end_[index(i)]; };
  defect_ = f;
  defect_.noalias() -= slopes_.leftCols(nodes_) * combine(at_end_, m).head(nodes_);
  defect_ *= h_ * (gamma(m - 1) - gamma(m));
  return defect_;
}

void Adams::correct(const Vector& f, Vector& y_new) {
  const double gamma = integral_[index(order_)] / at_end_[index(order_)];
  defect_ = f;
  defect_.noalias() -= slopes_.leftCols(nodes_) * combine(at_end_, order_).head(nodes_);
  y_new += h_ * gamma * defect_.head(integrated_);
}

void Adams::interpolate(double t, double t_begin, const Vector& y0, const Vector& y1, int order,
                        Vector& y, Vector& slope) {
  const int count = order + 1 < nodes_ ? order + 1 : nodes_;
  const double h = newest() - t_begin, s = (t - newest()) / h;
  divide(newest(), h, count);
  slope.noalias() = slopes_.leftCols(nodes_) * combine(values(s, count), count).head(nodes_);
  const auto part = slopes_.topLeftCorner(integrated_, nodes_);
  const Newton whole = integrals(0.0, -1.0, count), here = integrals(0.0, s, count);
  const double share = here[index(count)] / whole[index(count)];
  const Weights most = h * (combine(here, count) - share * combine(whole, count));
  y = y1 + share * (y0 - y1);
  y.noalias() += part * most.head(nodes_);
}

void Adams::save(ByteWriter& out) const {
  out.put(nodes_);
  for (int c = 0; c < nodes_; ++c) {
    out.put(at_[index(c)]);
    out.put(t_[index(c)]);
    out.raw(slopes_.col(c).data(), sizeof(double) * index(static_cast<int>(slopes_.rows())));
  }
}

// Each column returns to its place: the order of sums over them determines the last bits.
void Adams::restore(ByteReader& in) {
  in.get(nodes_);
  expect_within(nodes_, 0, most_nodes);
  for (int c = 0; c < nodes_; ++c) {
    int& at = at_[index(c)];
    in.get(at);
    expect_within(at, 0, nodes_ - 1);
    in.get(t_[index(c)]);
    in.raw(slopes_.col(c).data(), sizeof(double) * index(static_cast<int>(slopes_.rows())));
  }
}

}  // namespace mbs::reduction
