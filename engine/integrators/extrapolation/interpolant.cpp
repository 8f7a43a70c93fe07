#include "engine/integrators/extrapolation/interpolant.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine/base/snapshot.hpp"

namespace mbs::extrapolation {

void Interpolant::build(double H, int rows, const Slopes& slopes, const StepEnd& begin,
                        const StepEnd& end) {
  y_.clear();
  z_.clear();
  add_conditions(H, rows, slopes, begin, end);
  y_.finish();
  z_.finish();
}

void Interpolant::evaluate(double theta, State& x) {
  y_.evaluate(theta, x_.head(layout_.ny()));
  z_.evaluate(theta, x_.tail(layout_.nz()));
  layout_.unpack(x_, x);
}

void Interpolant::save(ByteWriter& out) const {
  y_.save(out);
  z_.save(out);
}

void Interpolant::restore(ByteReader& in) {
  y_.restore(in);
  z_.restore(in);
}

void Interpolant::add_end(double node, double H, const StepEnd& end) {
  y_.add(node) = end.value.head(layout_.ny());
  y_.add(node) = H * end.slope.head(layout_.ny());
  z_.add(node) = end.value.tail(layout_.nz());
}

void Interpolant::add_derivative(double node, double H, int k, double scale,
                                 const Eigen::Ref<const Vector>& d) {
  y_.add(node) = d.head(layout_.ny()) * (H * scale / (k + 1));
  auto z = z_.add(node);
  z.head(layout_.v) = d.segment(layout_.p, layout_.v) * scale;
  const int rest = layout_.nz() - layout_.v;
  z.tail(rest) = d.tail(rest) * scale;
}

namespace {

class EulerInterpolant final : public Interpolant {
 public:
  EulerInterpolant(const StateLayout& layout, const Expansion& expansion, const Options& options)
      : Interpolant(layout, expansion, options.max_rows + 3),
        most_differences_(options.most_differences),
        left_(layout.slopes(), options.max_rows / 2),
        right_(layout.slopes(), options.max_rows / 2) {}

 private:
  void add_conditions(double H, int rows, const Slopes& slopes, const StepEnd& begin,
                      const StepEnd& end) override {
    const int both = std::min(rows - 1, most_differences_), lambda = both / 2, rho = both - lambda;
    find_differences(rows, lambda, rho, slopes);
    add_side(0.0, H, begin, left_, lambda);
    add_side(1.0, H, end, right_, rho);
  }

  void add_side(double node, double H, const StepEnd& at, const Matrix& differences, int count) {
    add_end(node, H, at);
    double scale = 1.0;  // 1 / k!
    for (int k = 1; k <= count; ++k) {
      scale /= k;
      add_derivative(node, H, k, scale, differences.col(k - 1));
    }
  }

  void find_differences(int rows, int lambda, int rho, const Slopes& slopes) {
    left_.setZero();
    right_.setZero();
    std::array<double, most_rows> c{};
    for (int k = 1; k <= rho; ++k) {
      extrapolation_weights(expansion_, k, rows, c);
      for (int j = k; j <= rows; ++j) {
        const Matrix& slope = slopes[static_cast<std::size_t>(j - 1)];
        const int n = expansion_.steps(j);
        double weight = c[static_cast<std::size_t>(j - 1)];  // c_j n_j^k times (-1)^i (k over i)
        for (int i = 0; i < k; ++i) weight *= n;
        for (int i = 0; i <= k; ++i) {
          right_.col(k - 1) += weight * slope.col(n - 1 - i);
          if (k <= lambda) left_.col(k - 1) += weight * slope.col(k - i);
          weight *= -double(k - i) / double(i + 1);
        }
      }
    }
  }

  int most_differences_;
  Matrix left_, right_;  // column k - 1: H^k l^(k), H^k r^(k)
};

class MidpointInterpolant final : public Interpolant {
 public:
  MidpointInterpolant(const StateLayout& layout, const Expansion& expansion, const Options& options)
      : Interpolant(layout, expansion, 2 * options.max_rows + 3),
        most_differences_(options.most_differences),
        middle_(layout.ny()),
        d_(layout.slopes()) {}

 private:
  void add_conditions(double H, int rows, const Slopes& slopes, const StepEnd& begin,
                      const StepEnd& end) override {
    add_end(0.0, H, begin);
    add_end(1.0, H, end);
    if (rows == 1) return;
    std::array<double, most_rows> c{};
    extrapolation_weights(expansion_, 1, rows, c);
    middle_.setZero();
    for (int j = 1; j <= rows; ++j) {
      const auto i = static_cast<std::size_t>(j - 1);
      middle_ += c[i] * slopes[i].col(expansion_.steps(j)).head(layout_.ny());
    }
    y_.add(0.5) = middle_;
    const int most = std::min(2 * rows - 3, most_differences_);
    double scale = 1.0;  // 1 / k!
    for (int k = 0; k <= most; ++k) {
      if (k > 0) scale /= k;
      find_central_difference(k, rows, slopes);
      add_derivative(0.5, H, k, scale, d_);
    }
  }

  // H^k times the k-th derivative of the slopes in the middle.
  void find_central_difference(int k, int rows, const Slopes& slopes) {
    int from = 1;
    while (expansion_.steps(from) / 2 <= k) ++from;
    std::array<double, most_rows> c{};
    extrapolation_weights(expansion_, from, rows, c);
    d_.setZero();
    for (int j = from; j <= rows; ++j) {
      const Matrix& slope = slopes[static_cast<std::size_t>(j - 1)];
      const int m = expansion_.steps(j) / 2;
      double weight = c[static_cast<std::size_t>(j - 1)];  // c_j m^k times (-1)^i (k over i)
      for (int i = 0; i < k; ++i) weight *= m;
      for (int i = 0; i <= k; ++i) {
        d_ += weight * slope.col(m + k - 2 * i);
        weight *= -double(k - i) / double(i + 1);
      }
    }
  }

  int most_differences_;
  Vector middle_, d_;
};

}  // namespace

DenseOutput::DenseOutput(const StateLayout& layout, const Expansion& expansion,
                         const Options& options)
    : layout_(layout), max_rows_(options.max_rows), dense_(options.dense) {
  if (options.method == Method::euler) {
    interpolant_ = std::make_unique<EulerInterpolant>(layout, expansion, options);
  } else {
    interpolant_ = std::make_unique<MidpointInterpolant>(layout, expansion, options);
  }
  for (StepEnd* end : {&begin_, &end_}) {
    end->value = Vector::Zero(layout.size());
    end->slope = Vector::Zero(layout.slopes());
  }
  for (int j = 1; j <= (dense_ ? max_rows_ : 1); ++j) {
    const int columns = dense_ ? expansion.steps(j) + 1 : 2;
    slopes_[index(j)] = trial_[index(j)] = Matrix::Zero(layout.slopes(), columns);
  }
}

void DenseOutput::pack(const StepPoint& point, StepEnd& end) const {
  layout_.pack(point.x, end.value);
  layout_.pack_slopes(point.x, point.p_dot, point.r_dot, end.slope);
}

void DenseOutput::start(const StepPoint& point) {
  pack(point, end_);
  begin_ = end_;
  rows_ = 0;
  built_ = false;
}

void DenseOutput::accept(int rows, const StepPoint& point) {
  std::swap(begin_, end_);
  pack(point, end_);
  std::swap(slopes_, trial_);
  rows_ = rows;
  built_ = false;
}

void DenseOutput::build(double H) const {
  if (built_) return;
  interpolant_->build(H, rows_, slopes_, begin_, end_);
  built_ = true;
}

void DenseOutput::evaluate(double H, double theta, State& x) {
  if (!dense_) throw std::logic_error("this integrator was made without dense output");
  build(H);
  interpolant_->evaluate(theta, x);
}

// The slopes of the last step are not stored, the interpolant made of them is.
void DenseOutput::save(double H, ByteWriter& out) const {
  out.put(begin_.value);
  out.put(begin_.slope);
  out.put(rows_);
  if (rows_ == 0 || !dense_) return;
  build(H);
  interpolant_->save(out);
}

void DenseOutput::restore(ByteReader& in, const StepPoint& end) {
  pack(end, end_);
  in.get(begin_.value);
  in.get(begin_.slope);
  in.get(rows_);
  expect_within(rows_, 0, max_rows_);
  built_ = rows_ > 0 && dense_;
  if (built_) interpolant_->restore(in);
}

}  // namespace mbs::extrapolation
