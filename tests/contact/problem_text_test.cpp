// Contact problems as text: what is written is read again to the last bit; what is no problem is
// refused with its line.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "engine/contact/problem_text.hpp"
#include "tests/contact/generated_problems.hpp"

namespace mbs::test {
namespace {

std::string text_of(const ContactProblem& problem) {
  std::ostringstream out;
  out << problem;
  return out.str();
}

ContactProblemText read(const std::string& text) {
  std::istringstream in(text);
  return read_contact_problem(in);
}

TEST(ContactProblemText, ReadsWhatItWrites) {
  ContactProblem problem = random_problem({3, 4, 2, 1.3, 0.1, 6.0});
  problem.bias_scale = 1.0 / 3.0;
  problem.W(0, 1) = std::numeric_limits<double>::denorm_min();
  problem.W(1, 0) = -0.0;
  problem.W(2, 0) = 0.0;
  problem.W(3, 3) = std::numeric_limits<double>::max();
  problem.cones[0].name = "it's: normal 3\\ of\ntwo lines";
  problem.cones[1].sliding = Vector::Constant(2, std::sqrt(0.5));
  problem.cones[2].limit = 0.1;
  const ContactProblemText again = read(text_of(problem));
  ASSERT_EQ(again.error, "");
  EXPECT_EQ(again.problem.W, problem.W);
  EXPECT_TRUE(std::signbit(again.problem.W(1, 0)));
  EXPECT_EQ(again.problem.b, problem.b);
  EXPECT_EQ(again.problem.bias_scale, problem.bias_scale);
  ASSERT_EQ(again.problem.cones.size(), 4u);
  EXPECT_EQ(again.problem.cones[0].name, problem.cones[0].name);
  EXPECT_EQ(again.problem.cones[1].sliding, problem.cones[1].sliding);
  EXPECT_EQ(again.problem.cones[2].limit, 0.1);
  EXPECT_EQ(text_of(again.problem), text_of(problem));
}

TEST(ContactProblemText, ReadsFactorsThatItWrites) {
  const ContactProblem problem = pyramid_of_spheres(2);
  const ContactProblemText again = read("# a comment\n\n" + text_of(problem));
  ASSERT_EQ(again.error, "");
  EXPECT_EQ(Matrix(again.problem.factors->J()), Matrix(problem.factors->J()));
  EXPECT_EQ(again.problem.factors->masses(), problem.factors->masses());
  EXPECT_EQ(text_of(again.problem), text_of(problem));
}

TEST(ContactProblemText, RefusesWhatIsNoProblem) {
  const std::string begin = "contact problem 1\nsize 1\nbias_scale 0\n";
  const std::string cone = "contact 'a': normal 0, tangents 0 from -1, mu 0, limit 0\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "line 0: the text ends too early"},
      {"<xml/>\n", "line 1: the first line is 'contact problem 1'"},
      {"contact problem 1\nsize -1\n", "line 2: '-1' is not a whole number"},
      {"contact problem 1\nsize 99999999999\n", "line 2: '99999999999' is not a whole number"},
      {begin + "contact 'a': normal 1, tangents 0 from -1, mu 0, limit 0\n", "line 4: '1' is not"},
      {begin + "contact 'a': normal 0, tangents 2 from 0, mu 0, limit 0\n", "line 4: '0' is not"},
      {begin + "contact 'a': normal 0, tangents 0 from -1, mu -1, limit 0\n",
       "line 4: '-1' is neg"},
      {begin + "contact 'a': normal 0, tangents 0 from -1, mu nan, limit 0\n",
       "line 4: 'nan' is not a finite number"},
      {begin + "contact ': normal \n", "line 4: a contact is"},
      {begin + "contact 'a'\n", "line 4: a contact is"},
      {begin + "contact 'a': normal -1, tangents 0 from -1, mu 0, limit 0\n",
       "line 4: the contact has neither"},
      {begin + cone + cone, "line 5: entry 0 belongs to two contacts"},
      {begin + "b\n1\n", "line 5: entry 0 belongs to no contact"},
      {begin + cone + "b\n1e999\n", "line 6: '1e999' is not a finite number"},
      {begin + cone + "b\n1 2\n", "line 6: '1 2' is not a finite number"},
      {begin + cone + "b\n1\nW 1\n0 1 2\n", "line 8: '1' is not a whole number from 0 to 0"},
      {begin + cone + "b\n1\nW 2\n0 0 2\n0 0 2\n", "line 7: '2' is not a whole number"},
      {begin + cone + "b\n1\nW 1\n0 0\n", "line 8: an entry is: row column value"},
      {begin + cone + "b\n1\nW 1\n0 0 1\nmore\n", "line 9: nothing is expected"},
      {begin + cone + "b\n1\nbodies 1\n1\n-1\nJ 0\n", "line 10: a mass matrix is not"},
      {begin + cone + "b\n1\nbodies 1\n2\n1 0\n", "line 9: the text ends too early"},
      {begin + cone + "b\n1\nbodies 0\nJ 1\n0 0 1\n", "line 9: '0' is not a whole number"},
      {begin + "contact 'a': normal 0, tangents 0 from -1, mu 0, limit 0, slides along 1\n",
       "line 4: a sliding direction"},
  };
  for (const auto& [text, error] : cases)
    EXPECT_EQ(read(text).error.substr(0, error.size()), error) << text;
}

TEST(ContactProblemText, RefusesATextThatIsCutAnywhere) {
  const std::string whole = text_of(random_problem({1, 1, 1, 2.0, 0.5, 0.0}));
  for (std::size_t cut = 0; cut + 4 < whole.size(); ++cut)
    EXPECT_TRUE(whole[cut] != '\n' || !read(whole.substr(0, cut)).error.empty()) << cut;
}

}  // namespace
}  // namespace mbs::test
