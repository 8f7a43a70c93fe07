#pragma once

// The own quantities of an element, other than frames and coordinates, over T: laws (run-time
// expressions) and states (part of r), and the numbers that it shows.
//
// Derivatives with respect to the element's frames or coordinates come through what evaluate is
// given; those of laws through their locals (a spring's x and xd). In a second pass, `by_value`,
// the values of the laws and of the states themselves are the variables, in lanes 0 ... of T; what
// the laws depend on is chained on afterwards.

#include "engine/multibody/evaluation.hpp"

namespace mbs {

// Which of r are an element's.
struct OwnStates {
  int first = 0, count = 0;
};

template <class Space, class T>
class Laws {
 public:
  static constexpr int most_laws = 3, most_states = 3;
  // The states' lanes come after those of `law_count` laws. wanted: which number is to be shown;
  // -1: none.
  Laws(const Evaluation<Space>& at, const int* law, int law_count, OwnStates states, bool by_value,
       int wanted)
      : at_(at),
        law_(law),
        law_count_(law_count),
        states_(states),
        by_value_(by_value),
        wanted_(wanted) {}

  bool given(int k) const { return law_[k] != absent; }
  template <class... Locals>
  T operator()(int k, const Locals&... locals) {
    const std::initializer_list<double> values{value_of(locals)...};
    if constexpr (std::is_same_v<T, double>) {
      return at_.law(law_[k], values);
    } else {
      std::copy(values.begin(), values.end(), locals_[k].begin());
      if (by_value_) return T::variable(at_.law(law_[k], values), k);
      if (!at_.mechanism.laws[law_[k]].has_locals) return T(at_.law(law_[k], values));
      std::array<double, Expression::max_arguments> partial;
      T result(at_.law_gradient(law_[k], values, partial.data()));
      const std::vector<Law::Argument>& arguments = at_.mechanism.laws[law_[k]].arguments;
      const std::array<T, sizeof...(Locals)> local{T(locals)...};
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].kind != SymbolKind::local) continue;
        const T change = T::chain(0.0, partial[i], local[arguments[i].index]);
        result += change;
      }
      return result;
    }
  }
  bool has_columns(int k) const { return given(k) && at_.mechanism.laws[law_[k]].has_columns; }
  // use(column, derivative) of law k, for its arguments outside of the element.
  template <class Function>
  void columns(int k, const Function& use) const {
    at_.law_columns(law_[k], {locals_[k][0], locals_[k][1]}, use);
  }

  // States: the value, and what its rate of change is to be.
  bool has_state(int k) const { return k < states_.count; }
  T state(int k) const {
    const double r = at_.x.r[states_.first + k];
    if constexpr (!std::is_same_v<T, double>) {
      if (by_value_) return T::variable(r, law_count_ + k);
    }
    return T(r);
  }
  T& rate(int k) { return rate_[k]; }
  const OwnStates& states() const { return states_; }

  // Number `k` of those that the tag's schema lists; 0 is what evaluate returns.
  void show(int k, const T& value) {
    if (k == wanted_) shown_ = value;
  }
  bool showing() const { return wanted_ >= 0; }
  // The one that is wanted, after evaluate returned `value`.
  const T& shown(const T& value) const { return wanted_ == 0 ? value : shown_; }

 private:
  const Evaluation<Space>& at_;
  const int* law_;
  int law_count_;
  OwnStates states_;
  bool by_value_;
  int wanted_;
  std::array<std::array<double, 2>, most_laws> locals_{};
  std::array<T, most_states> rate_{};
  T shown_{0.0};
};

// The laws of an element, from its members `law` and, if it has states, `states`.
template <class Space, class T, class E>
Laws<Space, T> laws_of(const E& e, const Evaluation<Space>& at, bool by_value, int wanted = -1) {
  OwnStates states;
  if constexpr (requires { e.states; }) states = e.states;
  return {at, e.law.data(), E::law_count, states, by_value, wanted};
}

}  // namespace mbs
