#include "engine/analysis/influence.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

#include "engine/analysis/tangent.hpp"

namespace mbs {
namespace {

constexpr double negligible = 1e-12;  // of the row's largest

// Modes of contacts at a point: all alike, each by chance, or those of the given state.
enum Modes : int { open, stick, slide, mixed, as_they_are, patterns };

// States, rates, multipliers and inputs beside x, all different from zero.
struct Beside {
  std::mt19937 engine{12345};

  double number() {
    const double size = 0.2 + 0.8 * std::uniform_real_distribution(0.0, 1.0)(engine);
    return engine() % 2 == 0 ? size : -size;
  }
  void move(Vector& x, const Vector& scale, double by) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
      x[i] += by * number() * (i < scale.size() ? scale[i] : 1.0 + std::abs(x[i]));
  }
  State state(const Equations& equations, const State& at, Modes modes, double far) {
    const Structure& known = equations.structure();
    State x = at;
    x.t += number();
    move(x.p, known.p_scale, 0.3 * far);
    equations.normalise(x);
    move(x.v, known.v_scale, far);
    for (Vector* part : {&x.r, &x.w, &x.a, &x.lambda}) move(*part, {}, far);
    for (const Structure::Contact& c : known.contacts) {
      int& mode = x.modes[static_cast<std::size_t>(c.mode)];
      if (modes != as_they_are) {
        mode = modes == mixed ? static_cast<int>(engine() % 3) : static_cast<int>(modes);
      }
      if (c.tangents == 0 && mode == Structure::slide) mode = Structure::stick;
      if (c.normal < 0 && mode == Structure::open) mode = Structure::stick;
      if (c.direction >= 0) x.z[c.direction] = 1.0;
    }
    return x;
  }
};

// Other values that are possible; false when these are not.
bool move(const Equations& equations, Beside& beside, Parameters& parameters) {
  Parameters moved = parameters;
  for (double& value : moved.values) {
    const double by = beside.number();
    value = value == 0.0 ? 0.1 * std::abs(by) : value * (1.0 + 0.05 * by);
  }
  if (!equations.derive(moved).empty() || !moved.derived.allFinite()) return false;
  parameters = std::move(moved);
  return true;
}

}  // namespace

Influence find_influence(const Equations& equations, const Given& given, const State& at,
                         bool with_pieces) {
  const Sizes& n = equations.sizes();
  Tangent tangent(equations);
  Influence result;
  if (!tangent.knows_outputs()) return result;
  const int states = n.p + n.v + n.r, rows = states + n.y;
  result.columns = states + n.u;
  Matrix first, now(rows, result.columns);
  Beside beside;
  Inputs inputs = given.inputs;
  Parameters parameters = given.parameters;
  Variation change(n);
  Vector rates, outputs;
  const bool contacts = !equations.structure().contacts.empty();
  bool moved = false, begun = false;  // parameters; there was a point
  const int points = contacts ? 6 * patterns : 12;
  for (int point = 0; point < points; ++point) {
    const int round = contacts ? point / patterns : point;
    const double far = round % 4 < 2 ? 1.0 : 4.0;
    const State x = beside.state(equations, at, Modes(point % patterns), far);
    inputs.value = given.inputs.value;
    beside.move(inputs.value, {}, far);
    parameters = given.parameters;
    const bool others = begun && move(equations, beside, parameters);
    try {
      tangent.evaluate({inputs, parameters}, x, with_pieces ? 1 + point : 0);
      int column = 0;
      for (Vector* part : {&change.p, &change.v, &change.r, &change.u})
        for (double& unit : *part) {
          unit = 1.0;
          tangent.follow(change);
          tangent.rates(change, rates);
          tangent.outputs({inputs, parameters}, change, outputs);
          unit = 0.0;
          now.col(column++) << rates, outputs;
        }
    } catch (const std::runtime_error&) {
      for (Vector* part : {&change.p, &change.v, &change.r, &change.u}) part->setZero();
      continue;
    }
    if (!now.allFinite()) continue;
    if (!begun) result.kinds.assign(static_cast<std::size_t>(now.size()), Influence::none);
    if (!begun) first = now;
    moved = moved || others;
    for (int i = 0; i < rows; ++i) {
      const double largest = now.row(i).lpNorm<Eigen::Infinity>();
      for (int j = 0; j < result.columns; ++j) {
        Influence::Kind& kind = result.kinds[static_cast<std::size_t>(i * result.columns + j)];
        const bool acts = std::abs(now(i, j)) > negligible * largest;
        const bool same = std::abs(now(i, j) - first(i, j)) <= negligible * largest;
        if (acts)
          kind = same && (!begun || kind == Influence::constant) ? Influence::constant
                                                                 : Influence::varying;
        else if (kind == Influence::constant)
          kind = Influence::varying;
      }
    }
    begun = true;
  }
  if (!moved && n.parameters > 0)
    for (Influence::Kind& kind : result.kinds)
      if (kind == Influence::constant) kind = Influence::varying;
  return result;
}

}  // namespace mbs
