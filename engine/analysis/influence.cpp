// Columns of time and parameters: with the difference e of the residuals between here and there at
// the same a, lambda, w, s, these follow as with any other effect (tangent.cpp), to first order in
// e; the outputs are then evaluated once more. That has the zeros of the derivative and takes no
// difference of small numbers.
//
// Where e has parts e_g and e_v in the rows of g and of G v, the same equations, solved for these
// in place of the accelerations' rows, move the positions by Z dq and the velocities by dv:
//
//   G dq = -e_g,     G dv = -(e_v + d(G v)/dp Z dq)

#include "engine/analysis/influence.hpp"

#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>

#include "engine/analysis/tangent.hpp"
#include "engine/equations/initial.hpp"

namespace mbs {
namespace {

constexpr double negligible = 1e-12;           // of the row's largest
constexpr double negligible_of_steps = 1e-11;  // where accelerations are solved for

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
  State state(const Equations& equations, const State& at, Modes modes, double far, double time) {
    const Structure& known = equations.structure();
    State x = at;
    x.t += time * number();
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

bool is_possible(const Equations& equations, Parameters& parameters) {
  return equations.derive(parameters).empty() && parameters.derived.allFinite();
}

double other(double value, double by) {
  return value == 0.0 ? 0.5 * by : value * (1.0 + by);
}

// Other values that are possible; false when these are not.
bool move(const Equations& equations, Beside& beside, Parameters& parameters) {
  Parameters moved = parameters;
  for (double& value : moved.values) {
    const double by = beside.number();
    value = other(value, 0.05 * (value == 0.0 ? 4.0 * std::abs(by) : by));
  }
  if (!is_possible(equations, moved)) return false;
  parameters = std::move(moved);
  return true;
}

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

// What all knowns do at one point.
class AtPoint {
 public:
  explicit AtPoint(const Equations& equations)
      : equations_(equations),
        n_(equations.sizes()),
        at_(n_),
        states_(n_.p + n_.v + n_.r),
        tangent_(equations),
        ws_(equations.make_workspace()),
        solver_(equations.make_solver("auto")),
        change_(n_) {}

  const Equations& equations() const { return equations_; }
  bool knows_outputs() const { return tangent_.knows_outputs(); }

  // Accelerations and reactions that belong to the point, where it has them: masses and forces that
  // grow together cancel in these alone.
  void make_consistent(const Given& given, State& x) {
    State found = x;
    const bool auxiliary = n_.s + n_.w == 0 || equations_.solve_auxiliary(given, found, *ws_);
    if (auxiliary && solve_accelerations(equations_, given, found, *ws_, *solver_) &&
        found.a.allFinite() && found.lambda.allFinite() && found.w.allFinite())
      x = std::move(found);
  }

  // Throws std::runtime_error where there are no accelerations.
  void evaluate(const Given& given, const State& x) {
    given_.emplace(given);
    x_ = x;
    tangent_.evaluate(given, x);
    equations_.jacobian(given, x, *ws_);
    J_ = ws_->jacobian;
    here_ = residual(given, x.t);
    here_laws_ = laws_;
    y_ = outputs(given, x);
  }
  const Vector& y() const { return y_; }

  // Of an unknown of p, v, r, u, into a column of rates, outputs and residuals. `follows`: what it
  // does beside by positions that follow it.
  void column(int unknown, Eigen::Ref<Vector> direct, Vector& follows) {
    follows.resize(0);
    clear();
    unit(unknown) = 1.0;
    tangent_.follow(change_);
    note(direct);
    Vector e = Vector::Zero(at_.rows);
    add_columns(e);
    direct.tail<3>() = of_rows(e, false);
    if (unknown < states_ || !follow_constraints(e)) return;
    unit(unknown) = 1.0;
    tangent_.follow(change_);
    follows.resize(direct.size());
    note(follows);
  }

  // Of another time or other parameters. at_events: what can be set in event mode.
  void column(const Given& there, double t, bool at_events, Eigen::Ref<Vector> direct,
              Vector& follows) {
    follows.resize(0);
    const Vector e = residual(there, t) - here_;
    clear();
    tangent_.follow(change_, e);
    note(there, t, direct);
    const bool other_laws = laws_ != here_laws_;
    direct.tail<3>() = of_rows(e, other_laws);
    if (!at_events || !follow_constraints(e)) return;
    tangent_.follow(change_, e);
    follows.resize(direct.size());
    note(there, t, follows);
  }

  // Of what contacts do.
  void column_of_contacts(Eigen::Ref<Vector> direct) {
    if (equations_.structure().contacts.empty()) return;
    Vector e = Vector::Zero(at_.rows);
    for_contact_rows([&](int row, bool) { e[at_.acceleration + row] = 1.0 + 0.1 * row; });
    clear();
    tangent_.follow(change_, e);
    note(direct);
  }

 private:
  void clear() {
    for (Vector* part : {&change_.p, &change_.v, &change_.r, &change_.u}) part->setZero();
  }
  double& unit(int unknown) {
    for (Vector* part : {&change_.p, &change_.v, &change_.r}) {
      if (unknown < part->size()) return (*part)[unknown];
      unknown -= static_cast<int>(part->size());
    }
    return change_.u[unknown];
  }
  void note(Eigen::Ref<Vector> column) {
    tangent_.rates(change_, rates_);
    tangent_.outputs(*given_, change_, dy_);
    column << rates_, dy_, 0.0, 0.0, 0.0;
  }
  void note(const Given& there, double t, Eigen::Ref<Vector> column) {
    tangent_.rates(change_, rates_);
    State x = x_;
    x.t = t;
    x.p += change_.p;
    x.v += change_.v;
    x.a += change_.a;
    x.lambda += change_.lambda;
    x.w += change_.w;
    x.s += change_.s;
    column << rates_, outputs(there, x) - y_, 0.0, 0.0, 0.0;
  }
  Vector residual(const Given& given, double t) {
    State x = x_;
    x.t = t;
    const auto& contacts = equations_.structure().contacts;
    std::vector<Equations::ContactLaw> laws(contacts.size());
    equations_.contact_laws(given, x, *ws_, laws);
    laws_.clear();
    for (const auto& law : laws)
      laws_.insert(laws_.end(), {law.restitution, law.mu, law.mu_static, law.limit,
                                 law.limit_static, law.rest_speed});
    equations_.residual(given, x, *ws_);
    return ws_->residual;
  }
  Vector outputs(const Given& given, const State& x) {
    ws_->y.setZero();
    equations_.outputs(given, x, *ws_);
    return ws_->y;
  }
  static double largest(const Vector& e, int first, int count) {
    return count == 0 ? 0.0 : e.segment(first, count).lpNorm<Eigen::Infinity>();
  }
  // use(row of G, whether it is one of g) for contacts.
  template <class Use>
  void for_contact_rows(const Use& use) const {
    for (const Structure::Contact& c : equations_.structure().contacts) {
      if (c.normal >= 0) use(c.normal, true);
      for (int k = 0; k < c.tangents; ++k) use(c.tangent + k, false);
    }
  }
  Eigen::Vector3d of_rows(const Vector& e, bool other_laws) const {
    double of_contacts = other_laws ? 1.0 : 0.0;
    for_contact_rows([&](int row, bool in_g) {
      of_contacts = std::max(of_contacts, std::abs(e[at_.velocity + row]));
      if (in_g) of_contacts = std::max(of_contacts, std::abs(e[at_.position + row]));
    });
    return {std::max(largest(e, at_.position, n_.g), largest(e, at_.norm, n_.n)),
            largest(e, at_.velocity, n_.lambda), of_contacts};
  }
  // What the change does to all residuals.
  void add_columns(Vector& e) const {
    for (const auto& [first, part] : {std::pair{at_.col_p, &change_.p},
                                      {at_.col_v, &change_.v},
                                      {at_.col_r, &change_.r},
                                      {at_.col_u, &change_.u}})
      for (Eigen::Index i = 0; i < part->size(); ++i)
        if (const double d = (*part)[i]; d != 0.0)
          for (ColumnSparse::InnerIterator entry(J_, first + i); entry; ++entry)
            e[entry.row()] += d * entry.value();
  }
  // Velocity coordinates that make up for a part of the velocities' or positions' rows.
  Vector made_up(const Vector& part) {
    Vector e = Vector::Zero(at_.rows);
    e.segment(at_.acceleration, part.size()) = part;
    clear();
    tangent_.follow(change_, e);
    return change_.a;
  }
  // Sets the changes of p and v alone; false when there are none.
  bool follow_constraints(const Vector& e) {
    if (n_.lambda == 0) return false;
    Vector e_v = e.segment(at_.velocity, n_.lambda), e_g = Vector::Zero(n_.lambda);
    e_g.head(n_.g) = e.segment(at_.position, n_.g);
    if (e_g.isZero(0.0) && e_v.isZero(0.0)) return false;
    const Vector dq = made_up(e_g);
    clear();
    equations_.apply_Z(*given_, x_, dq, change_.p);
    const Vector dp = change_.p;
    Vector moved = Vector::Zero(at_.rows);
    add_columns(moved);
    e_v += moved.segment(at_.velocity, n_.lambda);
    const Vector dv = made_up(e_v);
    clear();
    change_.p = dp;
    change_.v = dv;
    return true;
  }

  const Equations& equations_;
  const Sizes& n_;
  const JacobianLayout at_;
  const int states_;
  Tangent tangent_;
  std::unique_ptr<Workspace> ws_;
  std::unique_ptr<SaddleSolver> solver_;
  ColumnSparse J_;
  Variation change_;
  std::optional<Given> given_;
  State x_;
  Vector here_, y_, rates_, dy_;
  std::vector<double> here_laws_, laws_;
};

// A point, with the steps of time and parameters that are taken from it.
struct Point {
  State x;
  Inputs inputs;
  Parameters parameters;
  double later = 0.0;
  std::vector<double> others;  // of the parameters; NaN: none is possible

  // The same but for a few last digits, in all that entries may be differences of.
  Point blurred(Beside& beside) const {
    Point point = *this;
    for (Vector* part : {&point.x.p, &point.x.v, &point.x.r, &point.x.w, &point.x.a,
                         &point.x.lambda, &point.inputs.value})
      for (double& value : *part) value *= 1.0 + 1e-11 * beside.number();
    return point;
  }
};

// A column for each known, at one point.
struct Columns {
  Matrix direct, follows;
  std::vector<char> finite;

  Columns(int rows, int columns)
      : direct(rows, columns), follows(rows, columns), finite(static_cast<std::size_t>(columns)) {}

  // False where there are none. Those of time and parameters may fail by themselves.
  bool find(AtPoint& here, const Point& point, int exact,
            std::span<const KnownParameter> of_parameters) {
    const Given given{point.inputs, point.parameters};
    direct.setZero();
    follows.setZero();
    std::fill(finite.begin(), finite.end(), 1);
    try {
      here.evaluate(given, point.x);
      for (int j = 0; j < exact; ++j) {
        here.column(j, direct.col(j), following);
        if (following.size() > 0) follows.col(j) = following;
      }
      here.column_of_contacts(direct.rightCols<1>());
    } catch (const std::runtime_error&) {
      return false;
    }
    if (!direct.allFinite() || !follows.allFinite() || !here.y().allFinite()) return false;
    Inputs later = point.inputs;
    later.t0 += point.later;  // they stay what they are
    find(here, exact, {later, point.parameters}, point.x.t + point.later, false);
    for (std::size_t k = 0; k < of_parameters.size(); ++k) {
      Parameters shifted = point.parameters;
      shifted.values[of_parameters[k].index] = point.others[k];
      const int j = exact + 1 + static_cast<int>(k);
      if (std::isfinite(point.others[k]) && is_possible(here.equations(), shifted))
        find(here, j, {point.inputs, shifted}, point.x.t, of_parameters[k].tunable);
      else
        finite[static_cast<std::size_t>(j)] = 0;
    }
    return true;
  }

 private:
  void find(AtPoint& here, int j, const Given& there, double t, bool at_events) {
    here.column(there, t, at_events, direct.col(j), following);
    if (following.size() > 0) follows.col(j) = following;
    if (direct.col(j).allFinite() && follows.col(j).allFinite()) return;
    finite[static_cast<std::size_t>(j)] = 0;
    direct.col(j).setZero();
    follows.col(j).setZero();
  }
  Vector following;
};

// Accelerations that are rounding of the others: directions are as exact as sin and cos of an
// angle.
void drop_rounding(const Equations& equations, Matrix& columns) {
  const Sizes& n = equations.sizes();
  const Vector& scale = equations.structure().v_scale;
  const Vector one_over =
      scale.size() == n.v ? scale.cwiseInverse().eval() : Vector::Ones(n.v).eval();
  for (auto column : columns.colwise()) {
    auto a = column.segment(n.p, n.v);
    const Vector sizes = a.cwiseAbs().cwiseProduct(one_over);
    const double least = n.v == 0 ? 0.0 : 0.1 * negligible * sizes.maxCoeff();
    for (int i = 0; i < n.v; ++i)
      if (sizes[i] < least) a[i] = 0.0;
  }
}

// Rounding is another number at the point beside.
bool is_number(double value, double beside, double least) {
  return std::abs(value) > least && std::abs(value - beside) < 0.1 * std::abs(value);
}

}  // namespace

Influence find_influence(const Equations& equations, const Given& given, const State& at,
                         std::span<const KnownParameter> of_parameters) {
  const Sizes& n = equations.sizes();
  Influence result;
  AtPoint here(equations);
  if (!here.knows_outputs()) return result;
  const int states = n.p + n.v + n.r, exact = states + n.u;
  result.rates = states;
  result.outputs = n.y;
  result.time = exact;
  result.columns = exact + 2 + static_cast<int>(of_parameters.size());
  const int rows = result.rows();
  Columns now(rows, result.columns), beside_it = now;
  Matrix first;
  std::vector<char> seen(static_cast<std::size_t>(result.columns), 0);
  Beside beside;
  const bool contacts = !equations.structure().contacts.empty();
  bool moved = false, begun = false;  // parameters; there was a point
  const int points = contacts ? 6 * patterns : 12;
  for (int k = 0; k < points; ++k) {
    const int round = contacts ? k / patterns : k;
    const double far = round % 4 < 2 ? 1.0 : 4.0;
    const double time = std::pow(10.0, -(round % 5));  // also what follows it fast and fades
    Point point{beside.state(equations, at, Modes(k % patterns), far, time),
                given.inputs,
                given.parameters,
                0.7 * time * beside.number(),
                {}};
    beside.move(point.inputs.value, {}, far);
    const bool others = begun && move(equations, beside, point.parameters);
    for (const auto& [parameter, tunable] : of_parameters)
      point.others.push_back(possible_step(equations, point.parameters, parameter));
    here.make_consistent({point.inputs, point.parameters}, point.x);
    if (!now.find(here, point, exact, of_parameters)) continue;
    const Vector y = here.y();
    if (!beside_it.find(here, point.blurred(beside), exact, of_parameters)) continue;
    drop_rounding(equations, now.direct);
    drop_rounding(equations, now.follows);
    if (!begun) result.kinds.assign(static_cast<std::size_t>(now.direct.size()), Influence::none);
    if (!begun) first = now.direct;
    moved = moved || others;
    for (int j = 0; j < result.columns; ++j)
      if (now.finite[static_cast<std::size_t>(j)] != 0) seen[static_cast<std::size_t>(j)] = 1;
    for (int i = 0; i < rows; ++i) {
      double largest = std::max(now.direct.row(i).lpNorm<Eigen::Infinity>(),
                                now.follows.row(i).lpNorm<Eigen::Infinity>());
      if (i >= states && i < states + n.y) largest = std::max(largest, std::abs(y[i - states]));
      for (int j = 0; j < result.columns; ++j) {
        Influence::Kind& kind = result.of(i, j);
        const double d = now.direct(i, j);
        const double least = (j < exact ? negligible : negligible_of_steps) * largest;
        const bool acts = is_number(d, beside_it.direct(i, j), least);
        const bool same = std::abs(d - first(i, j)) <= negligible * largest;
        const bool linear = same && j < exact && i < states + n.y;
        if (is_number(now.follows(i, j), beside_it.follows(i, j), least))
          kind = Influence::varying;
        else if (acts)
          kind = linear && (!begun || kind == Influence::constant) ? Influence::constant
                                                                   : Influence::varying;
        else if (kind == Influence::constant)
          kind = Influence::varying;
      }
    }
    begun = true;
  }
  if (!begun) return result;
  for (int j = exact; j < result.of_contacts(); ++j)
    if (seen[static_cast<std::size_t>(j)] == 0)
      for (int i = 0; i < rows; ++i) result.of(i, j) = Influence::varying;
  if (!moved && n.parameters > 0)
    for (Influence::Kind& kind : result.kinds)
      if (kind == Influence::constant) kind = Influence::varying;
  return result;
}

}  // namespace mbs
