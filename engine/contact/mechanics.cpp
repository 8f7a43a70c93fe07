#include "engine/contact/mechanics.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

#include "engine/base/text.hpp"
#include "engine/equations/initial.hpp"

namespace mbs {
namespace {

constexpr double closed = 1e-6;  // of the size of a gap: after its correction
constexpr int most_corrections = 5;
// Part of the largest eigenvalue that counts as zero: a correction is at most 1e3 times a gap.
constexpr double dependent = 1e-6;

// The least x with W x = b in the sense of least squares; W is symmetric, positive semidefinite.
Vector least_norm(const Matrix& W, const Vector& b) {
  const Vector size =
      W.diagonal().cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(size.asDiagonal() * W * size.asDiagonal());
  const Vector& values = spectrum.eigenvalues();
  Vector part = spectrum.eigenvectors().transpose() * b.cwiseProduct(size);
  const double least = dependent * values.maxCoeff();
  for (Eigen::Index k = 0; k < part.size(); ++k)
    part[k] = values[k] > least ? part[k] / values[k] : 0.0;
  return size.cwiseProduct(spectrum.eigenvectors() * part);
}

}  // namespace

ContactMechanics::ContactMechanics(const Equations& equations, Context context,
                                   const Tolerances& tolerances, const std::string& linear)
    : equations_(equations),
      context_(context),
      contacts_(equations.structure().contacts),
      projection_(equations, context, tolerances) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) order_.push_back(i);
  std::stable_sort(order_.begin(), order_.end(), [&](std::size_t i, std::size_t j) {
    return contacts_[i].name < contacts_[j].name;
  });
  if (contacts_.empty()) return;
  ws_ = equations.make_workspace();
  solver_ = equations.make_solver(linear);
}

std::optional<DelassusSystem> ContactMechanics::assemble(const State& at,
                                                         const ModeCandidates& candidates,
                                                         bool with_accelerations) {
  State x = at;
  DelassusSystem system;
  system.of.resize(contacts_.size());
  std::vector<int> rows;
  for (const std::size_t i : order_) {
    const Structure::Contact& c = contacts_[i];
    if (!candidates[i].present) continue;
    if (c.normal >= 0) {
      system.of[i].normal = static_cast<int>(rows.size());
      rows.push_back(c.normal);
    }
    if (c.tangents > 0) system.of[i].tangent = static_cast<int>(rows.size());
    for (int k = 0; k < c.tangents; ++k) rows.push_back(c.tangent + k);
  }
  const auto count = static_cast<Eigen::Index>(rows.size());
  write_all_rows(contacts_, candidates, x);
  equations_.position(context_, x, want_position_all, *ws_);
  equations_.velocity(context_, x, *ws_);
  if (with_accelerations) equations_.gamma(context_, x, *ws_);
  const Sizes& n = equations_.sizes();
  system.u = ws_->G_v(rows);
  if (with_accelerations) system.b = ws_->gamma(rows);
  Matrix G = Matrix::Zero(count, n.v);
  for (Eigen::Index k = 0; k < count; ++k) {
    for (RowSparse::InnerIterator it(ws_->G, rows[static_cast<std::size_t>(k)]); it; ++it)
      G(k, it.col()) = it.value();
  }
  for (const Structure::Contact& c : contacts_) set_contact_mode(x, c, ContactMode::open);
  if (with_accelerations) {
    if (!solve_accelerations(x)) return {};
    system.b += G * x.a;
    system.lambda = x.lambda;
  } else {
    equations_.position(context_, x, want_M | want_G, *ws_);
    if (!solver_->factor(ws_->saddle())) return {};
  }
  system.Y = G.transpose();
  Vector column, multipliers(n.lambda);
  for (Eigen::Index k = 0; k < count; ++k) {
    column = system.Y.col(k);
    multipliers.setZero();
    solver_->solve(column, multipliers);
    system.Y.col(k) = column;
  }
  system.W = G * system.Y;
  return system;
}

Vector ContactMechanics::gaps(const State& at, const ModeCandidates& candidates) {
  State x = at;
  write_all_rows(contacts_, candidates, x);
  equations_.position(context_, x, want_g, *ws_);
  return ws_->g;
}

Vector ContactMechanics::velocities(const State& at, const ModeCandidates& candidates) {
  State x = at;
  write_all_rows(contacts_, candidates, x);
  equations_.position(context_, x, want_G, *ws_);
  equations_.velocity(context_, x, *ws_);
  return ws_->G_v;
}

Vector ContactMechanics::rounding_of_gaps(const State& x, const ModeCandidates& candidates) {
  constexpr double last_digits = 4.0 * std::numeric_limits<double>::epsilon();
  const Vector here = gaps(x, candidates);
  Vector rounding = here.cwiseAbs();
  State perturbed = x;
  for (const int period : {1, 2, 3}) {  // all positions the same way, and with changing signs
    for (Eigen::Index j = 0; j < x.p.size(); ++j) {
      perturbed.p[j] = x.p[j] * (1.0 + (j % (2 * period) < period ? last_digits : -last_digits));
    }
    rounding = rounding.cwiseMax((gaps(perturbed, candidates) - here).cwiseAbs());
  }
  return rounding;
}

std::vector<ContactLaw> ContactMechanics::laws(const State& x) {
  std::vector<ContactLaw> laws(contacts_.size());
  equations_.contact_laws(context_, x, *ws_, laws);
  return laws;
}

Vector ContactMechanics::indicators(const State& x) {
  equations_.switching(context_, x, *ws_);
  return ws_->phi;
}

// Positions onto the constraints of joints alone.
bool ContactMechanics::restore_joints(State& x) {
  const std::vector<int> modes = x.modes;
  for (const Structure::Contact& c : contacts_) set_contact_mode(x, c, ContactMode::open);
  const bool ok = projection_.positions(x, *ws_, *solver_).ok;
  x.modes = modes;
  return ok;
}

std::string ContactMechanics::close_gaps(State& x, const ModeCandidates& candidates) {
  std::vector<std::size_t> touching;
  for (const std::size_t i : order_)
    if (candidates[i].present && contacts_[i].normal >= 0) touching.push_back(i);
  const auto count = static_cast<Eigen::Index>(touching.size());
  if (count == 0) return {};
  Vector gap(count), relative(count);
  const auto evaluate = [&] {
    const Vector all = gaps(x, candidates);
    for (Eigen::Index k = 0; k < count; ++k) {
      const int row = contacts_[touching[static_cast<std::size_t>(k)]].normal;
      gap[k] = all[row];
      relative[k] = std::abs(all[row]) / equations_.structure().g_scale[row];
    }
    return relative.maxCoeff();
  };
  double error = evaluate();
  for (int k = 0; k < most_corrections && error > 0.0; ++k) {
    const std::optional<DelassusSystem> system = assemble(x, candidates, false);
    if (!system) return "the equations of motion are singular at an event";
    std::vector<int> rows;
    for (const std::size_t i : touching) rows.push_back(system->of[i].normal);
    const Vector multipliers = least_norm(system->W(rows, rows), -gap);
    State moved = x;
    Vector change(x.p.size());
    equations_.apply_Z(context_, x, system->Y(Eigen::all, rows) * multipliers, change);
    moved.p += change;
    equations_.normalise(moved);
    std::swap(x, moved);
    const double left = restore_joints(x) ? evaluate() : error;
    if (!(left < error)) std::swap(x, moved);  // rounding
    if (!(left < 0.5 * error)) break;
    error = left;
  }
  evaluate();
  Eigen::Index worst = 0;
  if (relative.maxCoeff(&worst) <= closed) return {};
  return "'" + contacts_[touching[static_cast<std::size_t>(worst)]].name +
         "' is closed, but its gap is " + short_number(gap[worst]);
}

bool ContactMechanics::project_velocities(State& x) {
  return projection_.velocities(x, *ws_, *solver_).ok;
}

bool ContactMechanics::solve_accelerations(State& x) {
  return mbs::solve_accelerations(equations_, context_, x, *ws_, *solver_);
}

double ContactMechanics::gap_tolerance(int row) const {
  return touching_gap * equations_.structure().g_scale[row];
}

std::string ContactMechanics::close_touching(const State& x, ModeCandidates& candidates) {
  candidates.assign(contacts_.size(), {});
  for (ModeCandidate& candidate : candidates) {
    candidate.present = true;
    candidate.mode = ContactMode::stick;
  }
  const Vector gap = gaps(x, candidates);
  std::string inside;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const int row = contacts_[i].normal;
    if (row < 0) continue;
    if (penetrates(row, gap[row])) {
      inside +=
          (inside.empty() ? "'" : ", '") + contacts_[i].name + "' by " + short_number(-gap[row]);
    }
    if (gap[row] > gap_tolerance(row)) candidates[i] = {};
  }
  if (inside.empty()) return {};
  return "the start is beyond stops or inside of what is touched: " + inside +
         " (m, or rad where a joint turns). Give other initial positions";
}

}  // namespace mbs
