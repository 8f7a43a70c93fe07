// The list of diagnostics, and the nearest known keyword.

#include "engine/model/diagnostic.hpp"

#include <gtest/gtest.h>

#include "engine/model/nearest.hpp"

namespace mbs {
namespace {

TEST(Diagnostics, AreSortedCountedAndShown) {
  Diagnostics d;
  d.error({"a.xml", 7, 3}, "late", "second");
  d.error({"a.xml", 2, 5}, "early", "first", "try this");
  d.error({"a.xml", 7, 3}, "late", "second in another pass");
  d.error({"a.xml", 7, 3}, "late", "second in a third pass");
  d.warning({"a.xml", 9, 1}, "odd", "is it meant?");
  d.error({"b.xml", 0, 0}, "cannot-read", "there is none");
  d.error({"b.xml", 0, 0}, "cannot-read", "another");
  EXPECT_EQ(d.text(),
            "a.xml:2:5: error: first [early]\n"
            "  hint: try this\n"
            "a.xml:7:3: error: second (and in 2 further passes) [late]\n"
            "a.xml:9:1: warning: is it meant? [odd]\n"
            "b.xml: error: there is none [cannot-read]\n"
            "b.xml: error: another [cannot-read]\n");
  EXPECT_EQ(d.errors(), 4);
  EXPECT_FALSE(d.ok());
  EXPECT_TRUE(d.count_again({"a.xml", 2, 5}, "early"));
  EXPECT_FALSE(d.count_again({"a.xml", 2, 5}, "late"));
}

TEST(Diagnostics, DoNotCountWarningsAsErrors) {
  Diagnostics d;
  d.warning({"a.xml", 1, 1}, "odd", "is it meant?");
  d.note({"a.xml", 1, 1}, "info", "so it is");
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(d.list().size(), 2u);
}

TEST(Nearest, MeasuresEditDistances) {
  EXPECT_EQ(edit_distance("revolute", "revolute"), 0);
  EXPECT_EQ(edit_distance("revolut", "revolute"), 4);   // left out
  EXPECT_EQ(edit_distance("revoulte", "revolute"), 4);  // swapped
  EXPECT_EQ(edit_distance("Revolute", "revolute"), 1);  // a capital
  EXPECT_EQ(edit_distance("mass", "mess"), 4);
  EXPECT_EQ(edit_distance("", "ab"), 8);
}

TEST(Nearest, SuggestsOnlyNearKeywords) {
  const std::string_view keywords[] = {"mass", "com", "inertia", "name"};
  EXPECT_EQ(nearest("mas", keywords), "mass");
  EXPECT_EQ(nearest("inerta", keywords), "inertia");
  EXPECT_EQ(nearest("MASS", keywords), "mass");
  EXPECT_EQ(nearest("zzzz", keywords), "");
  EXPECT_EQ(nearest("x", keywords), "");
  EXPECT_EQ(did_you_mean("nmae", keywords), "did you mean 'name'?");
  EXPECT_EQ(did_you_mean("zzzz", keywords), "known are mass, com, inertia, name");
}

}  // namespace
}  // namespace mbs
