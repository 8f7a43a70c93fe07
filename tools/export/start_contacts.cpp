#include "tools/export/start_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "engine/contact/modes.hpp"

namespace mbs {
namespace {

constexpr double rounding = 1e-12;

bool differ(double a, double b) {
  return std::abs(a - b) > rounding * (1.0 + std::abs(b));
}

template <class Sparse>
double largest(const Sparse& matrix) {
  return matrix.nonZeros() > 0 ? Eigen::Map<const Vector>(matrix.valuePtr(), matrix.nonZeros())
                                     .lpNorm<Eigen::Infinity>()
                               : 0.0;
}

// Contacts that may act on each other: what they touch is the same somewhere, through others.
struct ContactGroup {
  std::vector<int> contacts;
  std::vector<char> touched;  // rates, by forces or impacts
  bool impacts = false;
};

std::vector<ContactGroup> groups_of(const Influence& influence, const ContactWatch& watch) {
  std::vector<ContactGroup> groups;
  for (int c = 0; c < influence.contacts; ++c) {
    if (watch.is_apart(c)) continue;
    ContactGroup group{{c}, std::vector<char>(static_cast<std::size_t>(influence.rates))};
    for (int i = 0; i < influence.rates; ++i)
      group.touched[static_cast<std::size_t>(i)] =
          influence.acts(i, influence.column_of_contact(c));
    std::erase_if(groups, [&group](const ContactGroup& other) {
      const auto both = [](char a, char b) { return a != 0 && b != 0; };
      if (!std::inner_product(group.touched.begin(), group.touched.end(), other.touched.begin(),
                              false, std::logical_or<>(), both))
        return false;
      group.contacts.insert(group.contacts.end(), other.contacts.begin(), other.contacts.end());
      std::ranges::transform(group.touched, other.touched, group.touched.begin(),
                             std::logical_or<>());
      return true;
    });
    groups.push_back(std::move(group));
  }
  // Where nothing is met nothing moves what has borne nothing.
  for (ContactGroup& group : groups) {
    group.impacts = std::ranges::any_of(group.contacts, [&](int c) { return !watch.is_still(c); });
    if (!group.impacts) std::erase_if(group.contacts, [&](int c) { return watch.is_idle(c); });
  }
  std::erase_if(groups, [](const ContactGroup& group) { return group.contacts.empty(); });
  return groups;
}

// What acts where the model starts, in all modes of contacts; as it acts anywhere where that takes
// too much.
Influence at_starts(const Equations& smooth, const Equations& blurred, const Influence& running,
                    const ContactWatch& watch, std::span<const Knob> knobs) {
  std::vector<KnownParameter> parameters;
  for (const Knob& knob : knobs)
    if (knob.source == Source::parameter) parameters.push_back({knob.index, false});
  Influence all;
  const auto points = watch.points();
  for (const ContactWatch::At& at : points) {
    if (&at != &points.front() && &at != &points.back()) continue;
    const Influence here =
        find_influence(smooth, blurred, {at.inputs, at.parameters}, at.x, parameters, true);
    if (here.kinds.empty()) return running;
    if (all.kinds.empty()) all = here;
    for (std::size_t k = 0; k < all.kinds.size(); ++k)
      if (here.kinds[k] != Influence::none) all.kinds[k] = Influence::varying;
  }
  return all.kinds.empty() ? running : all;
}

// What one group adds.
class GroupLists {
 public:
  GroupLists(const Sizes& n, const Influence& influence, const Influence& running,
             const ContactWatch& watch, const ContactGroup& group, Acting& acts)
      : influence_(influence), running_(running), watch_(watch), group_(group), n_(n), acts_(acts) {
    for (int i = n.p; i < n.p + n.v; ++i)
      if (group.touched[static_cast<std::size_t>(i)] != 0) touched_.push_back(i);
    for (int i = 0; i < rates() + influence.outputs; ++i) {
      const auto on_i = [&](int c) { return influence.acts(i, influence.column_of_contact(c)); };
      if (std::ranges::any_of(group.contacts, on_i)) forced_.push_back(i);
      if (std::ranges::any_of(touched_, [&](int j) { return running.acts(i, j); }))
        moved_.push_back(i);
    }
  }

  // True where the knob acts on modes.
  bool add(std::size_t k) {
    const auto any_contact = [&](auto&& test) {
      return std::ranges::any_of(group_.contacts, test);
    };
    const bool near = any_contact([&](int c) { return watch_.changes(c, k); });
    const auto rubs = [&](int c) { return acts_on(influence_.row_of_friction(c), k); };
    // Friction alone is a force and makes no impulse.
    const auto strikes = [&](int c) {
      return acts_on(influence_.row_of_impacts(c), k) || (watch_.has_normal(c) && rubs(c));
    };
    const auto hits = [&](int i) {
      return acts_(i, k) != 0 || watch_.changes_impulses(i - n_.p, k);
    };
    const bool bounces =
        group_.impacts && (near || any_contact(strikes) || std::ranges::any_of(touched_, hits));
    // After impacts velocities are any: what acts with them is what acts while the model runs.
    const auto forces = [&](int i) {
      return acts_on(i, k) || (group_.impacts && acts_on(running_, i, k));
    };
    const bool decides =
        near || bounces || any_contact(rubs) || std::ranges::any_of(touched_, forces);
    // In closed contacts more may act than in open ones, whoever decides which they are.
    for (const int i : forced_)
      if (decides || acts_on(i, k)) later_.push_back({rates() + i, k});
    for (const int i : moved_)
      if (group_.impacts && acts_on(running_, i, k)) later_.push_back({rates() + i, k});
    if (bounces) {
      for (const int i : touched_) later_.push_back({i, k});
      for (const int i : moved_) later_.push_back({rates() + i, k});
    }
    return decides;
  }
  // True where there is something new.
  bool put() {
    bool any = false;
    for (const auto& [row, k] : later_) any = std::exchange(acts_(row, k), 1) == 0 || any;
    return any;
  }

 private:
  int rates() const { return influence_.rates; }
  // Itself, or through states.
  bool acts_on(int row, std::size_t k) const { return acts_on(influence_, row, k); }
  bool acts_on(const Influence& by, int row, std::size_t k) const {
    bool any = by.acts(row, rates() + static_cast<int>(k));
    for (int j = 0; j < rates() && !any; ++j) any = acts_(j, k) != 0 && by.acts(row, j);
    return any;
  }

  const Influence &influence_, &running_;  // at the start; anywhere
  const ContactWatch& watch_;
  const ContactGroup& group_;
  const Sizes& n_;
  Acting& acts_;
  std::vector<int> touched_;         // velocities
  std::vector<int> forced_, moved_;  // rates and outputs, by contacts and by what they touch
  std::vector<std::pair<int, std::size_t>> later_;
};

}  // namespace

ContactWatch::ContactWatch(const Equations& equations, std::size_t knobs)
    : equations_(equations),
      ws_(equations.make_workspace()),
      seen_(equations.structure().contacts.size()),
      changes_(knobs, std::vector<char>(seen_.size(), 0)),
      impulses_(knobs, std::vector<char>(static_cast<std::size_t>(equations.sizes().v), 0)) {}

ContactWatch::Values ContactWatch::evaluate(const At& at) {
  const auto& contacts = equations_.structure().contacts;
  const auto count = static_cast<Eigen::Index>(contacts.size());
  State x = at.x;
  for (const Structure::Contact& c : contacts) set_contact_mode(x, c, ContactMode::stick);
  const Context context{at.inputs, at.parameters};
  equations_.position(context, x, want_M | want_G | want_g, *ws_);
  equations_.velocity(context, x, *ws_);
  Values values{Vector::Zero(count), Vector::Zero(count), ws_->G, ws_->M};
  for (Eigen::Index k = 0; k < count; ++k) {
    const Structure::Contact& c = contacts[static_cast<std::size_t>(k)];
    for (int i = 0; i < c.tangents; ++i)
      values.speed[k] = std::max(values.speed[k], std::abs(ws_->G_v[c.tangent + i]));
    if (c.normal < 0) continue;
    values.speed[k] = std::max(values.speed[k], std::abs(ws_->G_v[c.normal]));
    values.gap[k] = ws_->g[c.normal];
  }
  return values;
}

void ContactWatch::note(const At& at, const Values& values) {
  const auto& contacts = equations_.structure().contacts;
  std::vector<Equations::ContactLaw> laws(contacts.size());
  equations_.contact_laws({at.inputs, at.parameters}, at.x, *ws_, laws);
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    const Structure::Contact& c = contacts[k];
    const auto i = static_cast<Eigen::Index>(k);
    constexpr double none = 1e-9;
    seen_[k].still = seen_[k].still && values.speed[i] == 0.0;
    seen_[k].apart = seen_[k].apart && c.normal >= 0 && std::abs(values.gap[i]) > none &&
                     !differ(values.gap[i], seen_[k].gap);
    double bears = 0.0;
    for (int j = 0; j < c.tangents; ++j)
      bears = std::max(bears, std::abs(at.x.lambda[c.tangent + j]));
    const bool sticks = contact_mode(at.x, c) == ContactMode::stick;
    seen_[k].idle = seen_[k].idle && c.normal < 0 && sticks && bears <= rounding * laws[k].limit;
  }
}

void ContactWatch::see(const Starts& start) {
  points_.push_back({start.state(), start.inputs(), start.parameters()});
  here_ = evaluate(points_.back());
  if (points_.size() == 1)
    for (std::size_t k = 0; k < seen_.size(); ++k)
      seen_[k].gap = here_.gap[static_cast<Eigen::Index>(k)];
  note(points_.back(), here_);
}

void ContactWatch::see(const Starts& start, std::size_t moved) {
  const At at{start.state(), start.inputs(), start.parameters()};
  const Values there = evaluate(at);
  note(at, there);
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (differ(there.gap[i], here_.gap[i]) || differ(there.speed[i], here_.speed[i]))
      changes_[moved][k] = 1;
  }
  std::vector<char>& impulses = impulses_[moved];
  const double mass = rounding * largest(here_.M), lever = rounding * largest(here_.G);
  const ColumnSparse masses = there.M - here_.M;
  for (int j = 0; j < masses.outerSize(); ++j)
    for (ColumnSparse::InnerIterator entry(masses, j); entry; ++entry)
      if (std::abs(entry.value()) > mass)
        for (const auto i : {entry.row(), entry.col()}) impulses[static_cast<std::size_t>(i)] = 1;
  const RowSparse levers = there.G - here_.G;
  for (int j = 0; j < levers.outerSize(); ++j)
    for (RowSparse::InnerIterator entry(levers, j); entry; ++entry)
      if (std::abs(entry.value()) > lever) impulses[static_cast<std::size_t>(entry.col())] = 1;
}

void ContactWatch::see_none(std::size_t moved) {
  for (Seen& one : seen_) one.apart = one.still = one.idle = false;
  std::ranges::fill(changes_[moved], 1);
  std::ranges::fill(impulses_[moved], 1);
}

std::vector<std::vector<char>> add_contacts(const Equations& smooth, const Equations& blurred,
                                            const Influence& running, const ContactWatch& watch,
                                            std::span<const Knob> knobs, Acting& acts) {
  const Influence influence = at_starts(smooth, blurred, running, watch, knobs);
  std::vector<std::vector<char>> on_modes(static_cast<std::size_t>(running.contacts),
                                          std::vector<char>(knobs.size(), 0));
  const std::vector<ContactGroup> groups = groups_of(influence, watch);
  for (bool more = true; more;) {  // speeds after impacts act on others by forces
    more = false;
    for (const ContactGroup& group : groups) {
      GroupLists lists(smooth.sizes(), influence, running, watch, group, acts);
      for (std::size_t k = 0; k < knobs.size(); ++k)
        if (lists.add(k))
          for (const int c : group.contacts) on_modes[static_cast<std::size_t>(c)][k] = 1;
      more = lists.put() || more;
    }
  }
  return on_modes;
}

}  // namespace mbs
