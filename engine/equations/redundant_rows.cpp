#include "engine/equations/redundant_rows.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/linear_solver_names.hpp"

namespace mbs {

RedundantRows::RedundantRows(std::shared_ptr<const Equations> all_rows)
    : inner_(std::move(all_rows)) {
  sizes_ = inner_->sizes();
  structure_ = inner_->structure();
  if (structure_.redundancy != Structure::Redundancy::drop && structure_.named_rows.empty()) return;
  structure_.dropped = sizes_.modes;
  sizes_.modes += sizes_.lambda;
  if (structure_.jacobian.size() == 0) return;
  // The Jacobian needs an entry for -D in each row.
  const JacobianLayout at(sizes_);
  const ColumnSparse& of_all = inner_->structure().jacobian;
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < of_all.cols(); ++j) {
    for (ColumnSparse::InnerIterator e(of_all, j); e; ++e)
      entries.emplace_back(static_cast<int>(e.row()), j, 0.0);
  }
  for (int i = 0; i < sizes_.lambda; ++i)
    entries.emplace_back(at.velocity + i, at.col_lambda + i, 0.0);
  ColumnSparse& J = structure_.jacobian;
  J.setFromTriplets(entries.begin(), entries.end());
  J.makeCompressed();
  for (int j = 0; j < of_all.cols(); ++j) {
    const int* begin = J.innerIndexPtr() + J.outerIndexPtr()[j];
    const int* end = J.innerIndexPtr() + J.outerIndexPtr()[j + 1];
    for (ColumnSparse::InnerIterator e(of_all, j); e; ++e) {
      const int* place = std::lower_bound(begin, end, static_cast<int>(e.row()));
      jacobian_places_.push_back(static_cast<int>(place - J.innerIndexPtr()));
    }
  }
}

Capabilities RedundantRows::capabilities() const {
  Capabilities inner = inner_->capabilities();
  if (inner.closed_start != nullptr) inner.closed_start = this;
  return inner;
}

std::unique_ptr<Workspace> RedundantRows::make_workspace() const {
  return inner_->make_workspace();
}

Parameters RedundantRows::default_parameters() const {
  return inner_->default_parameters();
}

Inputs RedundantRows::default_inputs(const Parameters& parameters) const {
  return inner_->default_inputs(parameters);
}

std::string RedundantRows::derive(Parameters& parameters) const {
  return inner_->derive(parameters);
}

State RedundantRows::initial(const Context& context, double t0) const {
  State x = inner_->initial(context, t0);
  x.modes.resize(static_cast<std::size_t>(sizes_.modes));
  return x;
}

InitialReport RedundantRows::close(const Context& context, double t0, const InitialOptions& options,
                                   State& guess, State& x) const {
  InitialReport report = inner_->capabilities().closed_start->close(context, t0, options, guess, x);
  for (State* state : {&guess, &x}) state->modes.resize(static_cast<std::size_t>(sizes_.modes));
  return report;
}

void RedundantRows::position(const Context& context, const State& x, unsigned want,
                             Workspace& ws) const {
  inner_->position(context, x, want, ws);
  for (int i = 0; i < sizes_.lambda; ++i) {
    if (!is_left_out(structure_, x, i)) continue;
    if (want & want_G) {
      for (RowSparse::InnerIterator entry(ws.G, i); entry; ++entry) entry.valueRef() = 0.0;
      ws.D[i] = 1.0;
      ws.gI[i] = 0.0;
    }
    if ((want & want_g) && i < sizes_.g) ws.g[i] = 0.0;
  }
}

void RedundantRows::velocity(const Context& context, const State& x, Workspace& ws) const {
  inner_->velocity(context, x, ws);
}

void RedundantRows::force(const Context& context, const State& x, unsigned want,
                          Workspace& ws) const {
  inner_->force(context, x, want, ws);
}

void RedundantRows::gamma(const Context& context, const State& x, Workspace& ws) const {
  inner_->gamma(context, x, ws);
  for (int i = 0; i < sizes_.lambda; ++i) {
    if (is_left_out(structure_, x, i)) ws.gamma[i] = 0.0;
  }
}

void RedundantRows::friction(const Context& context, const State& x, Workspace& ws) const {
  inner_->friction(context, x, ws);
}

// The rows of g, G v and G a + gamma; the column of lambda, which is 0, in the dynamics.
void RedundantRows::jacobian(const Context& context, const State& x, Workspace& ws) const {
  if (structure_.dropped < 0) return inner_->jacobian(context, x, ws);
  struct Exchange {
    ColumnSparse &a, &b;
    Exchange(ColumnSparse& one, ColumnSparse& other) : a(one), b(other) { a.swap(b); }
    ~Exchange() { a.swap(b); }
  };
  {
    const Exchange of_all(ws.jacobian, ws.jacobian_of_all_rows);
    inner_->jacobian(context, x, ws);
  }
  ColumnSparse& J = ws.jacobian;
  if (jacobian_places_.empty()) {  // a dense pattern
    J = ws.jacobian_of_all_rows;
  } else {
    if (J.size() == 0) J = structure_.jacobian;
    J.coeffs().setZero();
    const double* value = ws.jacobian_of_all_rows.valuePtr();
    for (const int place : jacobian_places_) J.valuePtr()[place] = *value++;
  }
  const JacobianLayout at(sizes_);
  const auto out = [&](Eigen::Index row, int first, int count) {
    const Eigen::Index i = row - first;
    return i >= 0 && i < count && is_left_out(structure_, x, i);
  };
  // Entries G_ij of the dynamics' lambda_i column, which may hold df/dlambda, too.
  for (int j = 0; j < sizes_.v; ++j) {
    for (ColumnSparse::InnerIterator entry(J, at.col_v + j); entry; ++entry) {
      if (!out(entry.row(), at.velocity, sizes_.lambda) || entry.value() == 0.0) continue;
      J.coeffRef(at.dynamics + j, at.col_lambda + entry.row() - at.velocity) += entry.value();
    }
  }
  for (int j = 0; j < J.cols(); ++j) {
    for (ColumnSparse::InnerIterator entry(J, j); entry; ++entry) {
      if (out(entry.row(), at.velocity, sizes_.lambda) || out(entry.row(), at.position, sizes_.g) ||
          out(entry.row(), at.acceleration, sizes_.lambda))
        entry.valueRef() = 0.0;
    }
  }
  for (int i = 0; i < sizes_.lambda; ++i) {
    if (is_left_out(structure_, x, i)) J.coeffRef(at.velocity + i, at.col_lambda + i) = -1.0;
  }
}

bool RedundantRows::solve_auxiliary(const Context& context, State& x, Workspace& ws) const {
  return inner_->solve_auxiliary(context, x, ws);
}

void RedundantRows::apply_M(const Context& context, const State& x, const Vector& v, Vector& Mv,
                            Workspace& ws) const {
  inner_->apply_M(context, x, v, Mv, ws);
}

std::unique_ptr<SaddleSolver> RedundantRows::make_solver(const std::string& keyword) const {
  const bool least_norm =
      structure_.redundancy == Structure::Redundancy::minimum_norm && sizes_.lambda > 0;
  return inner_->make_solver(least_norm ? std::string(least_norm_keyword) : keyword);
}

void RedundantRows::apply_Z(const Context& context, const State& x, const Vector& v,
                            Vector& z) const {
  inner_->apply_Z(context, x, v, z);
}

std::vector<std::string> RedundantRows::choose_assembly_branch(const Context& context,
                                                               State& x) const {
  return inner_->choose_assembly_branch(context, x);
}

void RedundantRows::initialize_memory(const Context& context, State& x, Workspace& ws) const {
  inner_->initialize_memory(context, x, ws);
}

void RedundantRows::normalise(State& x) const {
  inner_->normalise(x);
}

void RedundantRows::switching(const Context& context, const State& x, Workspace& ws) const {
  inner_->switching(context, x, ws);
}

bool RedundantRows::act(const Context& context, int function, State& x, Workspace& ws) const {
  return inner_->act(context, function, x, ws);
}

Equations::TimeEvent RedundantRows::next_time(const Context& context, const State& x) const {
  return inner_->next_time(context, x);
}

void RedundantRows::contact_laws(const Context& context, const State& x, Workspace& ws,
                                 std::span<ContactLaw> laws) const {
  inner_->contact_laws(context, x, ws, laws);
}

void RedundantRows::outputs(const Context& context, const State& x, Workspace& ws) const {
  inner_->outputs(context, x, ws);
}

void RedundantRows::conditions(const Context& context, const State& x, Workspace& ws) const {
  inner_->conditions(context, x, ws);
}

Equations::Energy RedundantRows::energy(const Context& context, const State& x,
                                        Workspace& ws) const {
  return inner_->energy(context, x, ws);
}

std::shared_ptr<const Equations> treat_redundancy(std::shared_ptr<const Equations> equations) {
  const Structure& known = equations->structure();
  if (known.redundancy == Structure::Redundancy::error && known.named_rows.empty())
    return equations;
  return std::make_shared<RedundantRows>(std::move(equations));
}

}  // namespace mbs
