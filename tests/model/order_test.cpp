// The order of the elements in a file has no meaning: lists keep the order of the file, and how
// their elements are interleaved changes nothing.

#include <algorithm>
#include <pugixml.hpp>
#include <random>

#include "tests/model/model_test.hpp"

namespace mbs::test {
namespace {

// Elements that share a list of the Model keep their order among themselves.
int list_of(const std::string& tag) {
  for (const std::string own : {"parameter", "input", "output", "state", "algebraic", "measure"}) {
    if (tag == own) return static_cast<int>(own[0]) * 256 + static_cast<int>(own[1]);
  }
  return tag == "gravity" || tag == "solver" || tag == "init" || tag == "default" ? 1 : 0;
}

std::string shuffled(const std::string& text, unsigned seed) {
  pugi::xml_document from, to;
  EXPECT_TRUE(from.load_string(text.c_str()));
  std::vector<pugi::xml_node> nodes;
  for (const pugi::xml_node node : from.document_element().children()) {
    if (node.type() == pugi::node_element) nodes.push_back(node);
  }
  std::vector<int> lists;
  for (const pugi::xml_node node : nodes) lists.push_back(list_of(node.name()));
  std::mt19937 random(seed);
  std::shuffle(lists.begin(), lists.end(), random);
  pugi::xml_node root = to.append_child("mbs");
  for (const pugi::xml_attribute a : from.document_element().attributes()) root.append_copy(a);
  for (const int list : lists) {  // the next one of that list
    const auto next = std::find_if(nodes.begin(), nodes.end(), [&](pugi::xml_node node) {
      return !node.empty() && list_of(node.name()) == list;
    });
    root.append_copy(*next);
    *next = {};
  }
  std::ostringstream out;
  to.save(out);
  return out.str();
}

TEST(Order, OfElementsHasNoMeaning) {
  int changed = 0;
  for (const std::string name : {"andrews", "cable_drum", "double_pendulum", "insulator_chain",
                                 "pendulum", "slider_crank"}) {
    const std::string text =
        contents(std::string(MBS_TEMPLATES) + "/" + name + "/" + name + ".mbs.xml");
    const std::string expected = described(read(text));
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const std::string other = shuffled(text, seed);
      changed += other.find("<output") < other.find("<body");
      EXPECT_EQ(described(read(other)), expected) << other;
    }
  }
  EXPECT_GT(changed, 20);
}

// The axes of a reaction are those of the joint's frame a, wherever the joint stands.
TEST(Order, AllowsAReactionBeforeItsJoint) {
  const Model m =
      read(planar("<output name='f' of='r' quantity='reaction' component='fx'/>"
                  "<frame name='nail' rot='30 deg'/><body name='b' mass='1' inertia='1'/>"
                  "<revolute name='r' a='nail' b='b'/>"));
  EXPECT_EQ(m.frames[static_cast<std::size_t>(m.outputs.at(0).what.axes)].name, "nail");
}

}  // namespace
}  // namespace mbs::test
