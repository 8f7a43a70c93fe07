#include "tools/export/start_contacts.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace mbs {
namespace {

// Contacts that may act on each other: what they touch is the same somewhere, through others.
struct ContactGroup {
  std::vector<int> contacts;
  std::vector<char> touched;  // rates, by forces or impacts
};

std::vector<ContactGroup> groups_of(const Influence& running) {
  std::vector<ContactGroup> groups;
  for (int c = 0; c < running.contacts; ++c) {
    ContactGroup group{{c}, std::vector<char>(static_cast<std::size_t>(running.rates))};
    for (int i = 0; i < running.rates; ++i)
      group.touched[static_cast<std::size_t>(i)] = running.acts(i, running.column_of_contact(c));
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
  return groups;
}

}  // namespace

std::vector<std::vector<char>> add_contacts(const Sizes& n, const Influence& running,
                                            std::size_t knobs, Acting& acts) {
  const int states = running.rates;
  std::vector<std::vector<char>> on_modes(static_cast<std::size_t>(running.contacts),
                                          std::vector<char>(knobs, 0));
  for (const ContactGroup& group : groups_of(running)) {
    std::vector<int> touched;  // velocities
    for (int i = n.p; i < n.p + n.v; ++i)
      if (group.touched[static_cast<std::size_t>(i)] != 0) touched.push_back(i);
    std::vector<int> follow = touched;  // values
    for (int i = 0; i < states + running.outputs; ++i) {
      const auto on_i = [&](int c) { return running.acts(i, running.column_of_contact(c)); };
      if (std::ranges::any_of(group.contacts, on_i) ||
          std::ranges::any_of(touched, [&](int j) { return running.acts(i, j); }))
        follow.push_back(states + i);
    }
    for (std::size_t k = 0; k < knobs; ++k) {
      const auto acts_on = [&](int row) {
        bool any = running.acts(row, states + static_cast<int>(k));
        for (int j = 0; j < states && !any; ++j) any = acts(j, k) != 0 && running.acts(row, j);
        return any;
      };
      const auto on_row = [&](int c) { return acts_on(running.row_of_contact(c)); };
      if (std::ranges::none_of(group.contacts, on_row) && std::ranges::none_of(touched, acts_on))
        continue;
      for (const int c : group.contacts) on_modes[static_cast<std::size_t>(c)][k] = 1;
      for (const int i : follow) acts(i, k) = 1;
    }
  }
  return on_modes;
}

}  // namespace mbs
