#include <sstream>
#include <stdexcept>

#include "engine/model/reader.hpp"
#include "engine/multibody/assemble.hpp"
#include "tests/bench/dynamics/bodies.hpp"

namespace mbs::bench {

namespace {

std::string model_text(const Bodies& all, const std::string& closed) {
  std::ostringstream text;
  text.precision(17);
  const auto list = [&](const Point& x) { text << x[0] << ", " << x[1] << ", " << x[2]; };
  text << "<mbs name=\"Bench\" version=\"1\">\n<gravity g=\"0, 0, " << gravity << "\"/>\n";
  std::vector<std::string> frames(all.links.size());  // on each body, those of its children
  for (std::size_t i = 0; i < all.links.size(); ++i) {
    const Link& link = all.links[i];
    if (link.parent < 0) continue;
    std::ostringstream frame;
    frame.precision(17);
    frame << "<frame name=\"f" << i << "\" pos=\"" << link.at[0] << ", " << link.at[1] << ", "
          << link.at[2] << "\"/>";
    frames[static_cast<std::size_t>(link.parent)] += frame.str();
  }
  for (std::size_t i = 0; i < all.links.size(); ++i) {
    const Link& link = all.links[i];
    text << "<body name=\"b" << i << "\" mass=\"" << link.mass << "\" com=\"";
    list(link.com);
    text << "\" inertia=\"";
    list(link.inertia);
    text << "\">" << frames[i] << "</body>\n";
  }
  for (std::size_t i = all.free ? 1 : 0; i < all.links.size(); ++i) {
    const Link& link = all.links[i];
    text << "<revolute name=\"j" << i << "\" a=\"";
    if (link.parent < 0) {
      text << "ground";
    } else {
      text << "b" << link.parent << ".f" << i;
    }
    text << "\" b=\"b" << i << "\" axis=\""
         << "xyz"[link.axis] << "\"/>\n";
  }
  if (!closed.empty()) {
    text << "<frame name=\"end\" pos=\"" << 0.05 * all.hinges() << ", 0, 0\"/>\n<" << closed
         << " name=\"close\" a=\"end\" b=\"b" << all.links.size() - 1 << "\"/>\n";
  }
  text << "</mbs>\n";
  return text.str();
}

class Ours final : public Code {
 public:
  Ours(const Bodies& all, const std::string& coordinates, const std::string& closed) {
    Diagnostics diagnostics;
    Model model = read_model_text(model_text(all, closed), "bench.mbs.xml", diagnostics);
    model.solver.coordinates = coordinates;
    if (diagnostics.ok()) equations_ = assemble(model, diagnostics);
    if (!equations_) throw std::runtime_error(diagnostics.text());
    parameters_ = equations_->default_parameters();
    inputs_ = equations_->default_inputs(parameters_);
    x_ = State(equations_->sizes());
    if (closed.empty()) x_ = equations_->initial({inputs_, parameters_}, 0.0);
    ws_ = equations_->make_workspace();
    solver_ = equations_->make_solver("auto");
    const auto& names = equations_->structure();
    for (std::size_t i = all.free ? 1 : 0; i < all.links.size(); ++i) {
      const auto find = [&](const std::vector<std::string>& list, const std::string& keyword) {
        const std::string name = "j" + std::to_string(i) + keyword;
        // The search follows the order of the tree, which is seldom far from that of the file.
        for (std::size_t k = 0; k < list.size(); ++k) {
          const std::size_t at = (k + last_ + 1) % list.size();
          if (list[at] == name) return static_cast<int>(last_ = at);
        }
        return -1;  // the joint that a loop is cut at
      };
      p_.push_back(find(names.p_names, ".q"));
      v_.push_back(find(names.v_names, ".qd"));
    }
  }

  void evaluate(const double* q, const double* qd, double* qdd) override {
    const Context context{inputs_, parameters_};
    for (std::size_t i = 0; i < p_.size(); ++i) {
      if (p_[i] < 0) continue;
      x_.p[p_[i]] = q[i];
      x_.v[v_[i]] = qd[i];
    }
    equations_->position(context, x_, want_solver | want_G, *ws_);
    equations_->velocity(context, x_, *ws_);
    equations_->force(context, x_, want_f, *ws_);
    equations_->gamma(context, x_, *ws_);
    solver_->factor(ws_->saddle());
    x_.a = ws_->f;
    x_.lambda = -ws_->gamma;
    solver_->solve(x_.a, x_.lambda);
    for (std::size_t i = 0; i < v_.size(); ++i) {
      if (v_[i] >= 0) qdd[i] = x_.a[v_[i]];
    }
  }

  // M da = d(residual) and the columns of 1, with the factors of the last evaluation.
  void differentiate() override {
    const Context context{inputs_, parameters_};
    equations_->jacobian(context, x_, *ws_);
    const JacobianLayout at(equations_->sizes());
    const int n = equations_->sizes().v, rows = equations_->sizes().lambda;
    derivatives_.setZero(n, at.col_r + n);
    multipliers_.setZero(rows, at.col_r + n);
    for (int j = 0; j < at.col_r; ++j) {
      for (ColumnSparse::InnerIterator e(ws_->jacobian, j); e; ++e) {
        const Eigen::Index row = e.row() - at.dynamics, closing = e.row() - at.acceleration;
        if (row >= 0 && row < n) derivatives_(row, j) = e.value();
        if (closing >= 0 && closing < rows) multipliers_(closing, j) = -e.value();
      }
    }
    for (int i = 0; i < n; ++i) derivatives_(i, at.col_r + i) = 1.0;
    solver_->solve_columns(derivatives_, multipliers_);
  }

 private:
  Matrix derivatives_, multipliers_;
  std::shared_ptr<const Equations> equations_;
  Parameters parameters_;
  Inputs inputs_;
  State x_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  std::vector<int> p_, v_;
  std::size_t last_ = 0;
};

}  // namespace

std::unique_ptr<Code> make_ours(const Bodies& all, const std::string& coordinates,
                                const std::string& closed) {
  return std::make_unique<Ours>(all, coordinates, closed);
}

}  // namespace mbs::bench
