#pragma once

// For a class whose outputs(at, y) is written over any scalar, as its other functions are: as a
// second base it makes their derivatives exact,
//
//   struct Crane : mbs::Automatic<Crane>, mbs::ExactOutputs<Crane> { ... };
//
// Without it outputs may use whatever works on plain numbers, and their derivatives are differences
// along the exact change of everything else, accurate to about 1e-10 (analysis/tangent.cpp).

#include "engine/cpp_model/automatic.hpp"
#include "engine/equations/output_derivatives.hpp"

namespace mbs {

template <class Model>
class ExactOutputs : public OutputDerivatives {
 public:
  void prepare_outputs(const Context& context, const State& x,
                       Workspace& workspace) const override {
    using Automatic = mbs::Automatic<Model>;
    using Chunk = typename Automatic::Chunk;
    const Automatic& model = equations();
    auto& ws = Automatic::own(workspace);
    Scratch<Chunk>& at = ws.chunk.at;
    const int rows = model.sizes().y;
    ws.output_jacobian.resize(rows, std::ssize(at.p) + std::ssize(at.v) + std::ssize(at.r) +
                                        std::ssize(at.u) + std::ssize(at.a) +
                                        std::ssize(at.lambda) + std::ssize(at.w));
    Eigen::Index column = 0;
    for (std::vector<Chunk>* part : {&at.p, &at.v, &at.r, &at.u, &at.a, &at.lambda, &at.w}) {
      const int count = static_cast<int>(part->size());
      for (int first = 0; first < count; first += Automatic::chunk) {
        model.load(context, x, ws.chunk);
        Automatic::seed(*part, first);
        model.functions().call(at, 0, rows, [&](const At<Chunk>& here, Values<Chunk>& y) {
          model.model().outputs(here, y);
        });
        for (int j = 0; j < std::min(Automatic::chunk, count - first); ++j, ++column)
          for (int i = 0; i < rows; ++i) ws.output_jacobian(i, column) = at.out[i].d[j];
      }
    }
  }

  void output_change(const Variation& change, Eigen::Ref<Vector> dy,
                     Workspace& workspace) const override {
    const Matrix& J = Automatic<Model>::own(workspace).output_jacobian;
    dy.setZero();
    Eigen::Index column = 0;
    for (const Vector* part :
         {&change.p, &change.v, &change.r, &change.u, &change.a, &change.lambda, &change.w}) {
      if (part->size() > 0) dy.noalias() += J.middleCols(column, part->size()) * *part;
      column += part->size();
    }
  }

 private:
  const Automatic<Model>& equations() const { return static_cast<const Model&>(*this); }
};

}  // namespace mbs
