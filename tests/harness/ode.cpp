#include "tests/harness/ode.hpp"

#include <algorithm>

#ifdef HAS_CVODE
#include "tests/harness/cvode.hpp"
#endif

namespace mbs::test {
namespace {

class RungeKutta final : public Ode {
 public:
  RungeKutta(OdeFunction function, std::size_t size, const OdeOptions& options)
      : function_(std::move(function)),
        h_(options.largest_step),
        begin_(size),
        end_(size),
        stage_(size),
        slope_(size) {}

  void start(double t, std::span<const double> x) override {
    t_begin_ = t_end_ = t;
    std::copy(x.begin(), x.end(), end_.begin());
  }
  double step(double limit) override {
    t_begin_ = t_end_;
    begin_ = end_;
    t_end_ = t_begin_ + 1.5 * h_ < limit ? t_begin_ + h_ : limit;  // no small step at the limit
    at(t_end_, end_);
    return t_end_;
  }
  void at(double t, std::span<double> x) override {
    const double h = t - t_begin_;
    const double part[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    std::copy(begin_.begin(), begin_.end(), x.begin());
    std::fill(slope_.begin(), slope_.end(), 0.0);
    for (int k = 0; k < 4; ++k) {
      for (std::size_t i = 0; i < stage_.size(); ++i)
        stage_[i] = begin_[i] + part[k] * h * slope_[i];
      function_(t_begin_ + part[k] * h, stage_, slope_);
      for (std::size_t i = 0; i < stage_.size(); ++i) x[i] += weight[k] * h / 6.0 * slope_[i];
    }
  }

 private:
  OdeFunction function_;
  double h_, t_begin_ = 0.0, t_end_ = 0.0;
  std::vector<double> begin_, end_, stage_, slope_;
};

}  // namespace

std::vector<OdeSolver> ode_solvers() {
  std::vector<OdeSolver> list;
  list.push_back({"RungeKutta",
                  [](OdeFunction function, std::size_t size,
                     const OdeOptions& options) -> std::unique_ptr<Ode> {
                    return std::make_unique<RungeKutta>(std::move(function), size, options);
                  }});
#ifdef HAS_CVODE
  list.push_back({"Cvode", make_cvode});
#endif
  return list;
}

}  // namespace mbs::test
