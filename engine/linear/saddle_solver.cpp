#include "engine/linear/saddle_solver.hpp"

#include <chrono>

namespace mbs {

namespace {

// Adds to a sum, when there is one, the seconds it has lived.
class Stopwatch {
 public:
  explicit Stopwatch(double* seconds) : seconds_(seconds) {
    if (seconds_ != nullptr) begin_ = std::chrono::steady_clock::now();
  }
  ~Stopwatch() {
    if (seconds_ == nullptr) return;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin_;
    *seconds_ += time.count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double* seconds_;
  std::chrono::steady_clock::time_point begin_;
};

constexpr long SaddleStatistics::*stored[] = {
    &SaddleStatistics::analyses, &SaddleStatistics::factorisations, &SaddleStatistics::solves,
    &SaddleStatistics::iterations, &SaddleStatistics::fallbacks};

}  // namespace

std::string SaddleSolver::name() const {
  return reason_.empty() ? title() : title() + ", auto: " + reason_;
}

void SaddleSolver::analyse(const SaddleStructure& structure) {
  const Stopwatch watch(&statistics_.analyse_seconds);
  do_analyse(structure);
}

bool SaddleSolver::factor(const SaddleMatrix& matrix) {
  const Stopwatch watch(measure_time_ ? &statistics_.factor_seconds : nullptr);
  const bool regular = do_factor(matrix);
  ++statistics_.factorisations;
  return regular;
}

void SaddleSolver::solve(Eigen::Ref<Vector> x, Eigen::Ref<Vector> y) {
  const Stopwatch watch(measure_time_ ? &statistics_.solve_seconds : nullptr);
  do_solve(x, y);
  ++statistics_.solves;
}

void SaddleSolver::save(ByteWriter& out) const {
  for (const auto count : stored) out.put<std::int64_t>(statistics_.*count);
  do_save(out);
}

void SaddleSolver::restore(ByteReader& in) {
  std::int64_t counts[std::size(stored)];
  for (std::int64_t& count : counts) in.get(count);
  do_restore(in);
  for (std::size_t i = 0; i < std::size(stored); ++i) {
    statistics_.*stored[i] = static_cast<long>(counts[i]);
  }
}

}  // namespace mbs
