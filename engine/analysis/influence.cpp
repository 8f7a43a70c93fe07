// Whether a number is zero but for rounding: rounding is another number at a point beside, with the
// model's numbers and the state's others by some 1e-13 of them. Sizes say nothing: an input moves a
// cart by 1/m beside a rope of any stiffness, and a leakage of 1e-13 m3/(s Pa) is one.

#include "engine/analysis/influence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "engine/analysis/influence_point.hpp"

namespace mbs {
namespace {

// Modes of contacts at a point. What a contact does may show only where others do nothing: all are
// open, closed or sliding, as they are at the given state, each one alone, and each by chance.
class Modes {
 public:
  explicit Modes(const Structure& known) : contacts_(known.contacts) {}

  int points() const {
    const int n = static_cast<int>(contacts_.size());
    return n == 0 ? 3 * first_alone : first_alone + std::min(6 * n + 36, most);
  }
  template <class Engine>
  void set(int point, State& x, Engine& engine) const {
    const int n = static_cast<int>(contacts_.size()), alone = point - first_alone;
    const double closed = std::uniform_real_distribution(0.2, 0.8)(engine);
    for (int k = 0; k < n; ++k) {
      const Structure::Contact& c = contacts_[static_cast<std::size_t>(k)];
      const int some_mode = 1 + static_cast<int>(engine() % 2);
      const bool is_closed = std::uniform_real_distribution(0.0, 1.0)(engine) < closed;
      int& mode = x.modes[static_cast<std::size_t>(c.mode)];
      if (point < 3)
        mode = point;  // open, stick, slide
      else if (alone >= 0 && alone < 2 * n)
        mode = k == alone / 2 ? 1 + alone % 2 : Structure::open;
      else if (alone >= 0)
        mode = is_closed ? some_mode : Structure::open;
      if (c.tangents == 0 && mode == Structure::slide) mode = Structure::stick;
      if (c.normal < 0 && mode == Structure::open) mode = Structure::stick;
      if (c.direction >= 0) x.z[c.direction] = 1.0;
    }
  }

 private:
  static constexpr int first_alone = 4, most = 200;
  std::span<const Structure::Contact> contacts_;
};

double other(double value, double by) {
  return value == 0.0 ? 0.5 * by : value * (1.0 + by);
}

// States, rates, multipliers, inputs and parameters beside given ones, all different from zero.
class Beside {
 public:
  double number() {
    const double size = 0.2 + 0.8 * std::uniform_real_distribution(0.0, 1.0)(engine_);
    return engine_() % 2 == 0 ? size : -size;
  }
  void move(Vector& x, const Vector& scale, double by) {
    for (Eigen::Index i = 0; i < x.size(); ++i)
      x[i] += by * number() * (i < scale.size() ? scale[i] : 1.0 + std::abs(x[i]));
  }
  State state(const Equations& equations, const State& at, const Modes& modes, int point,
              double far, double time) {
    const Structure& known = equations.structure();
    State x = at;
    x.t += time * number();
    move(x.p, known.p_scale, 0.3 * far);
    equations.normalise(x);
    move(x.v, known.v_scale, far);
    for (Vector* part : {&x.r, &x.w, &x.a, &x.lambda}) move(*part, {}, far);
    modes.set(point, x, engine_);
    return x;
  }
  // Other values that are possible; false when these are not.
  bool move(const Equations& equations, Parameters& parameters) {
    Parameters moved = parameters;
    for (double& value : moved.values) {
      const double by = number();
      value = other(value, 0.05 * (value == 0.0 ? 4.0 * std::abs(by) : by));
    }
    if (!is_possible(equations, moved)) return false;
    parameters = std::move(moved);
    return true;
  }
  // The same but for a few last digits.
  InfluencePoint blurred(const Equations& equations, const InfluencePoint& point) {
    constexpr double digits = 1e-13;
    const Structure& known = equations.structure();
    InfluencePoint there = point;
    there.x.t *= 1.0 + digits * number();
    there.later *= 1.0 + digits * number();
    for (Vector* part : {&there.x.p, &there.x.v, &there.x.r, &there.x.w, &there.x.a,
                         &there.x.lambda, &there.inputs.value, &there.parameters.values})
      for (double& value : *part) value *= 1.0 + digits * number();
    // Small angles, too, in digits of their cosines.
    for (const auto& [part, scale] :
         {std::pair{&there.x.p, &known.p_scale}, {&there.x.v, &known.v_scale}})
      for (Eigen::Index i = 0; i < std::min(part->size(), scale->size()); ++i)
        (*part)[i] += digits * number() * (*scale)[i];
    if (!is_possible(equations, there.parameters)) there.parameters = point.parameters;
    return there;
  }

 private:
  std::mt19937 engine_{12345};
};

// Another value of one that is possible; NaN: there is none near.
double possible_step(const Equations& equations, const Parameters& parameters, int which) {
  Parameters shifted = parameters;
  double& value = shifted.values[which];
  for (const double part : {0.2, -0.2, 0.02, -0.02}) {
    value = other(parameters.values[which], part);
    const double asked = value;
    if (is_possible(equations, shifted)) return asked;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// What the knowns do at a point, and which entries are more than rounding.
class Seen {
 public:
  Seen(int rows, int columns) : direct(rows, columns), follows(rows, columns), finite_(columns) {}
  Matrix direct, follows;  // with 0 in place of rounding

  // False where the point tells nothing.
  bool look(InfluenceColumns& here, InfluenceColumns& blurred, const InfluencePoint& point,
            Beside& beside, const Influence& known) {
    if (!here.go_to(point)) return false;
    for (int j = 0; j < columns(); ++j)
      finite_[static_cast<std::size_t>(j)] = here.find(j, direct.col(j), follows.col(j));
    const Variation response = here.response();
    std::vector<int> in_question;
    for (int j = 0; j < columns(); ++j)
      if (is_new(j, known)) in_question.push_back(j);
    Vector direct_beside(direct.rows()), follows_beside(direct.rows());
    for (int k = 0; k < 15 && !in_question.empty(); ++k) {
      InfluenceColumns& site = k == 0 ? here : blurred;
      // Where constraints depend on each other, or nearly so, all is rounding.
      if (!site.go_to(beside.blurred(site.equations(), point)) || !site.responds_as(response))
        return false;
      std::erase_if(in_question, [&](int j) {
        if (!site.find(j, direct_beside, follows_beside)) return true;
        drop_rounding(direct.col(j), direct_beside);
        drop_rounding(follows.col(j), follows_beside);
        return !is_new(j, known) || (k >= 4 && !has_small(j));
      });
    }
    return true;
  }
  bool finite(int j) const { return finite_[static_cast<std::size_t>(j)] != 0; }

 private:
  int columns() const { return static_cast<int>(direct.cols()); }
  // There are entries that have not been seen to act at other points.
  bool is_new(int j, const Influence& known) const {
    for (int i = 0; i < direct.rows(); ++i)
      if ((direct(i, j) != 0.0 || follows(i, j) != 0.0) &&
          (known.kinds.empty() || !known.acts(i, j)))
        return true;
    return false;
  }
  // As small as rounding may be: one last digit is the same at many points.
  bool has_small(int j) const {
    constexpr double small = 1e-11;
    for (int i = 0; i < direct.rows(); ++i)
      for (const Matrix* entries : {&direct, &follows})
        if (const double d = std::abs((*entries)(i, j));
            d != 0.0 && d < small * entries->row(i).lpNorm<Eigen::Infinity>())
          return true;
    return false;
  }
  static void drop_rounding(Eigen::Ref<Vector> column, const Vector& beside) {
    for (Eigen::Index i = 0; i < column.size(); ++i)
      if (!(std::abs(column[i] - beside[i]) < 0.05 * std::abs(column[i]))) column[i] = 0.0;
  }

  std::vector<char> finite_;
};

}  // namespace

Influence find_influence(const Equations& equations, const Equations& blurred_equations,
                         const Given& given, const State& at,
                         std::span<const KnownParameter> of_parameters) {
  const Sizes& n = equations.sizes();
  Influence result;
  if (!equations.structure().M_assembled) return result;  // nor is there a Jacobian
  InfluenceColumns here(equations, of_parameters), blurred(blurred_equations, of_parameters);
  if (!here.knows_outputs()) return result;
  const int states = n.p + n.v + n.r, exact = states + n.u;
  result.rates = states;
  result.outputs = n.y;
  result.time = exact;
  result.columns = exact + 2 + static_cast<int>(of_parameters.size());
  const int rows = result.rows();
  Seen seen(rows, result.columns);
  Matrix first;
  std::vector<char> told(static_cast<std::size_t>(result.columns), 0);
  Beside beside;
  const Modes modes(equations.structure());
  bool moved = false;  // parameters
  for (int k = 0; k < modes.points(); ++k) {
    constexpr double distances[] = {1.0, 0.02, 4.0, 1.0, 1.0};
    const double far = distances[k % 5];
    const double time = std::pow(10.0, -(k % 6));  // also what follows it fast and fades
    InfluencePoint point{beside.state(equations, at, modes, k, far, time),
                         given.inputs,
                         given.parameters,
                         0.7 * time * beside.number(),
                         {}};
    beside.move(point.inputs.value, {}, far);
    const bool begun = !result.kinds.empty();
    const bool others = begun && beside.move(equations, point.parameters);
    for (const auto& [parameter, tunable] : of_parameters)
      point.others.push_back(possible_step(equations, point.parameters, parameter));
    here.make_consistent(point);
    if (!seen.look(here, blurred, point, beside, result)) continue;
    if (!begun) result.kinds.assign(static_cast<std::size_t>(seen.direct.size()), Influence::none);
    if (!begun) first = seen.direct;
    moved = moved || others;
    for (int j = 0; j < result.columns; ++j) {
      if (seen.finite(j)) told[static_cast<std::size_t>(j)] = 1;
      for (int i = 0; i < rows; ++i) {
        Influence::Kind& kind = result.of(i, j);
        const double d = seen.direct(i, j);
        const bool same = std::abs(d - first(i, j)) <= 1e-10 * std::abs(d);
        const bool linear = same && j < exact && i < states + n.y && seen.follows(i, j) == 0.0;
        const bool acts = d != 0.0 || seen.follows(i, j) != 0.0;
        if (acts && linear && (!begun || kind == Influence::constant))
          kind = Influence::constant;
        else if (acts || kind == Influence::constant)
          kind = Influence::varying;
      }
    }
  }
  if (result.kinds.empty()) return result;
  for (int j = exact; j < result.of_contacts(); ++j)
    if (told[static_cast<std::size_t>(j)] == 0)
      for (int i = 0; i < rows; ++i) result.of(i, j) = Influence::varying;
  if (!moved && n.parameters > 0)
    for (Influence::Kind& kind : result.kinds)
      if (kind == Influence::constant) kind = Influence::varying;
  return result;
}

}  // namespace mbs
