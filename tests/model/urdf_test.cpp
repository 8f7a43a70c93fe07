// Robot descriptions taken into models: what becomes of each tag, which notes are given, and that
// an FMU carries the same model.

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "engine/base/text.hpp"
#include "engine/model/urdf/rigid.hpp"
#include "tests/model/model_test.hpp"
#include "tests/support/own_folder.hpp"

namespace mbs::test {
namespace {

namespace fs = std::filesystem;

const std::string robots = folder() + "/models/robots/";

std::string model_with(const std::string& attributes, const std::string& inside = {}) {
  return spatial("<import name='r' " + attributes + ">" + inside + "</import>");
}

// A model in the folder of the descriptions.
Model read_with_robots(const std::string& text, std::string* notes = nullptr) {
  Diagnostics diagnostics;
  Model model = read_model_text(text, robots + "test.mbs.xml", diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  if (notes) *notes = diagnostics.text();
  return model;
}

Model every_tag(const std::string& attributes = {}, std::string* notes = nullptr) {
  return read_with_robots(model_with("file='every_tag.urdf' " + attributes), notes);
}

std::string tag(const Model& m, const std::string& name) {
  return std::string(element(m, name).tag->name);
}

double number(const Model& m, const std::string& name, const char* attribute, std::size_t k = 0) {
  return at_start(m, element(m, name)[attribute].numbers.at(k));
}

TEST(Urdf, ImportsEveryLinkAndJoint) {
  const Model m = every_tag();
  // The root without mass is a frame; what is fixed to it is a part of ground's piece.
  EXPECT_EQ(tag(m, "r.base_joint_2"), "weld");
  EXPECT_EQ(number(m, "r.world", "mass"), 10.0);
  EXPECT_EQ(frame(m, "r.base").on, -1);
  EXPECT_EQ(tag(m, "r._1st_joint"), "revolute");
  EXPECT_EQ(number(m, "r._1st_joint", "damping"), 0.5);
  EXPECT_EQ(m.frames[element(m, "r._1st_joint")["a"].index].name, "r._1st_joint_origin");
  EXPECT_EQ(m.frames[element(m, "r._1st_joint")["b"].index].name, "r._1st_link");
  EXPECT_EQ(tag(m, "r.time_joint"), "prismatic");
  EXPECT_EQ(number(m, "r.time_joint", "axis", 1), 1.0);
  EXPECT_EQ(number(m, "r.time_joint", "q"), 0.25);
  EXPECT_EQ(tag(m, "r.time_joint_mimic"), "coupling");
  EXPECT_EQ(tag(m, "r.hinge"), "revolute");
  EXPECT_EQ(number(m, "r.hinge", "axis", 0), 1.0);  // the axis that the format takes
  EXPECT_EQ(number(m, "r.hinge", "q"), 0.75);       // 3 (-2 q + 0.25)
  EXPECT_EQ(tag(m, "r.flight"), "free");
  EXPECT_EQ(tag(m, "r.ice_u"), "prismatic");
  EXPECT_EQ(tag(m, "r.ice_v"), "prismatic");
  EXPECT_EQ(tag(m, "r.ice"), "revolute");
  EXPECT_EQ(number(m, "r.ice_u", "axis", 0), 1.0);
  EXPECT_EQ(number(m, "r.ice_v", "axis", 1), 1.0);
  EXPECT_EQ(tag(m, "r.socket"), "spherical");
  // Fixed links and those that nothing could move are frames.
  EXPECT_EQ(m.elements[m.bodies[frame(m, "r.camera").body].element].name, "r._1st_link");
  EXPECT_EQ(m.frames[frame(m, "r.lens").on].name, "r.camera");
  EXPECT_EQ(number(m, "r.pan", "mass"), 0.0);  // moved by the inertia of what hangs on it
  EXPECT_EQ(m.bodies.size(), 11u);
  EXPECT_EQ(m.parameters.size(), 6u);
  EXPECT_EQ(m.parameters[0].name, "r._1st_joint_q0");
  EXPECT_EQ(m.parameters[1].unit.name, "rad/s");
}

TEST(Urdf, NotesUnusedElementsWithTheirLines) {
  std::string notes;
  every_tag("", &notes);
  const std::string golden = robots + "every_tag.txt";
  for (std::size_t at; (at = notes.find(robots)) != std::string::npos;)
    notes.erase(at, robots.size());
  if (std::getenv("MBS_WRITE_GOLDEN")) std::ofstream(golden) << notes;
  EXPECT_EQ(notes, contents(golden));
}

TEST(Urdf, KeepsFixedLinksAsBodiesOnRequest) {
  const Model m = every_tag("fixed_joints='weld'");
  EXPECT_EQ(tag(m, "r.mount"), "weld");
  EXPECT_EQ(number(m, "r.camera", "mass"), 0.1);
  EXPECT_EQ(number(m, "r._1st_link", "mass"), 2.0);
  EXPECT_EQ(tag(m, "r.base_joint"), "weld");
  EXPECT_EQ(frame(m, "r.world").body, ground);
  EXPECT_EQ(m.bodies.size(), 12u);
}

TEST(Urdf, FreesTheBaseAndMirrors) {
  const Model m = every_tag("base='free' mirror='y'");
  EXPECT_EQ(tag(m, "r.base_joint_2"), "free");
  EXPECT_EQ(number(m, "r.time_joint", "axis", 1), -1.0);
}

// Published robots have such inertias; they are used as they are.
TEST(Urdf, WarnsOfImplausibleInertias) {
  const auto notes = [](const std::string& inertia) {
    const std::string path = robots + "inertia_test.urdf";
    std::ofstream(path) << "<robot name='r'><link name='a'/><link name='b'><inertial><mass "
                           "value='1'/><inertia " +
                               inertia +
                               "/></inertial></link><joint name='j' type='revolute'><parent "
                               "link='a'/><child link='b'/></joint></robot>";
    std::string text;
    read_with_robots(model_with("file='inertia_test.urdf'"), &text);
    fs::remove(path);
    return text;
  };
  EXPECT_EQ(notes("ixx='1' iyy='1' izz='1.5'"), "");
  EXPECT_NE(notes("ixx='1' iyy='1' izz='3'").find("warning: inertia of body 'b' belongs to no"),
            std::string::npos);
  EXPECT_NE(notes("ixx='1' iyy='-1' izz='1'").find("warning: inertia of body 'b' is negative: -1"),
            std::string::npos);
  EXPECT_NE(notes("ixx='1' iyy='1' izz='1' ixy='2'").find("is negative about some axis"),
            std::string::npos);
}

TEST(Urdf, MakesStartValuesParameters) {
  const Model m = read_with_robots(model_with("file='arm.urdf'", "<set elbow_q0='30 deg'/>"));
  EXPECT_NEAR(number(m, "r.elbow", "q"), M_PI / 6, 1e-15);
  EXPECT_EQ(number(m, "r.elbow", "qd"), 0.0);
}

// The integral of a few points of mass gives moments and products that no formula of ours made.
TEST(Urdf, JoinsTheInertiaOfFixedLinks) {
  using namespace urdf;
  struct Point {
    double mass;
    Vector at;
  };
  const auto of_points = [](const std::vector<Point>& points) {
    Inertial all;
    for (const Point& p : points) {
      all.mass += p.mass;
      for (int k = 0; k < 3; ++k) all.com[k] += p.mass * p.at[k];
    }
    for (double& c : all.com) c /= all.mass;
    for (const Point& p : points) {
      Vector d;
      for (int k = 0; k < 3; ++k) d[k] = p.at[k] - all.com[k];
      const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          all.J[i][j] += p.mass * ((i == j ? square : 0.0) - d[i] * d[j]);
        }
      }
    }
    return all;
  };
  const std::vector<Point> a{{1, {0.1, 0, 0}}, {2, {0, 0.3, 0.1}}, {0.5, {-0.2, 0.1, 0.4}}};
  std::vector<Point> b{{3, {0.5, 0.1, 0}}, {1, {0.2, -0.3, 0}}, {2, {-0.1, 0.1, 0.7}}};
  const Pose pose{{0.3, -0.2, 0.5}, {0.4, 1.1, -2.0}};
  const Inertial of_b = moved(of_points(b), pose);
  std::vector<Point> all = a;
  for (Point& p : b) {  // turned about the fixed axes x, then y, then z
    const auto turn = [&p](int i, int j, double angle) {
      const double x = p.at[i], y = p.at[j];
      p.at[i] = std::cos(angle) * x - std::sin(angle) * y;
      p.at[j] = std::sin(angle) * x + std::cos(angle) * y;
    };
    turn(1, 2, pose.rpy[0]);
    turn(2, 0, pose.rpy[1]);
    turn(0, 1, pose.rpy[2]);
    for (int k = 0; k < 3; ++k) p.at[k] += pose.xyz[k];
    all.push_back(p);
  }
  const Inertial sum = joined(of_points(a), of_b), known = of_points(all);
  EXPECT_NEAR(sum.mass, known.mass, 1e-15);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(sum.com[i], known.com[i], 1e-15);
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(sum.J[i][j], known.J[i][j], 1e-15);
  }
}

TEST(Urdf, ConvertsAnglesOfTheSameRotation) {
  using namespace urdf;
  const double half = M_PI / 2;
  const Vector given[] = {{0.1, 0.2, 0.3}, {3, -1, 2},      {1, half, 0.5},     {1, 1.5707963, 0.5},
                          {-2, -half, 3},  {1, -1.5707, 2}, {half, half, half}, {M_PI, 0.3, -M_PI},
                          {half, 0, half}, {0, 1.2, 0},     {0, 0, 0}};
  for (const Vector& rpy : given) {
    const Vector t = turned_angles(rpy);
    const Matrix R = rotation(rpy);
    const Matrix x = rotation({t[0], 0, 0}), y = rotation({0, t[1], 0}), z = rotation({0, 0, t[2]});
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        double same = 0;
        for (int k = 0; k < 3; ++k) {
          for (int l = 0; l < 3; ++l) same += x[i][k] * y[k][l] * z[l][j];
        }
        EXPECT_NEAR(same, R[i][j], 4e-16) << rpy[0] << " " << rpy[1] << " " << rpy[2];
      }
    }
  }
}

TEST(Urdf, ResolvesToTheSameModel) {
  for (const std::string attributes :
       {"", "base='free'", "fixed_joints='weld'", "mirror='x' base='free' fixed_joints='weld'"}) {
    const std::string path = robots + "one_file_test.mbs.xml";
    std::ofstream(path) << spatial(
        "<frame name='f' pos='1 m, 2 m, 3 m' rot='0.1, 0.2, 0.3'/>"
        "<import name='r' file='every_tag.urdf' at='f' " +
        attributes + "><set _1st_joint_q0='0.5 rad'/></import>");
    Diagnostics d, one;
    const Model original = read_model(path, d);
    const std::string text = read_resolved(path, one).text;
    EXPECT_TRUE(d.ok()) << d.text();
    EXPECT_EQ(one.text(), d.text());  // one reading: each note once
    EXPECT_EQ(text.find("import"), std::string::npos);
    EXPECT_EQ(text.find("file="), std::string::npos);
    EXPECT_EQ(described(original), described(read(text)));
    fs::remove(path);
  }
}

// Files that were damaged, or made to do harm.

struct Tried {
  Diagnostics diagnostics;
  double seconds = 0;
};

Tried tried(const std::string& description, const ReadLimits& limits = {}) {
  const std::string base = own_folder() + "mbs_urdf_test/";
  fs::create_directories(base);
  std::ofstream(base + "r.urdf", std::ios::binary) << description;
  std::ofstream(base + "r.mbs.xml") << model_with("file='r.urdf'");
  Tried result;
  const auto begin = std::chrono::steady_clock::now();
  const Model model = read_model(base + "r.mbs.xml", result.diagnostics, {}, limits);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  result.seconds = time.count();
  if (result.diagnostics.ok()) {
    Diagnostics d;
    const std::string text = read_resolved(base + "r.mbs.xml", d, {}, limits).text;
    EXPECT_TRUE(d.ok()) << d.text();
    EXPECT_EQ(described(model), described(read(text)));
  }
  fs::remove_all(base);
  return result;
}

// Rotors of a drone have limits of 1e16 rad.
TEST(Urdf, IgnoresLimitsFarBeyondAnyMotion) {
  const std::string base = own_folder() + "mbs_urdf_far/";
  fs::create_directories(base);
  const auto stops = [&](const std::string& limits) {
    std::ofstream(base + "r.urdf") << "<robot name='r'><link name='a'/><link name='b'><inertial>"
                                      "<mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
                                      "</inertial></link><joint name='j' type='revolute'>"
                                      "<parent link='a'/><child link='b'/><limit "
                                   << limits << "/></joint></robot>";
    std::ofstream(base + "r.mbs.xml") << model_with("file='r.urdf'");
    Diagnostics diagnostics;
    const Model model = read_model(base + "r.mbs.xml", diagnostics);
    EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
    std::string names;
    for (const Element& e : model.elements)
      if (e.tag->name == "end_stop") names += e.name + " ";
    return names + number_text(number(model, "r.j", "q"));
  };
  EXPECT_EQ(stops("lower='-1e+16' upper='1e+16'"), "0");
  EXPECT_EQ(stops("lower='-inf' upper='inf'"), "0");
  EXPECT_EQ(stops("lower='0.5' upper='1e16'"), "r.j_lower 0.5");
  EXPECT_EQ(stops("lower='-1e300' upper='-0.5'"), "r.j_upper -0.5");
  EXPECT_EQ(stops("lower='-1e12' upper='1'"), "r.j_lower r.j_upper 0");
  fs::remove_all(base);
}

TEST(UrdfHostile, DamagedFilesAreHandled) {
  const std::string text = contents(robots + "every_tag.urdf");
  for (std::size_t n = 0; n < text.rfind("</robot>"); n += 61) {
    EXPECT_FALSE(tried(text.substr(0, n)).diagnostics.ok()) << n << " bytes were a robot";
  }
  std::mt19937 random(7);
  int refused = 0;
  for (int k = 0; k < 100; ++k) {
    std::string damaged = text;
    damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
    damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
    refused += !tried(damaged).diagnostics.ok();
  }
  EXPECT_GT(refused, 30);
  EXPECT_LT(refused, 100);
}

std::string chain(int n) {
  std::string text = "<robot name='chain'><link name='l0'/>";
  for (int k = 1; k <= n; ++k) {
    const std::string i = std::to_string(k), before = std::to_string(k - 1);
    text += "<link name='l" + i +
            "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
            "<joint name='j" +
            i + "' type='fixed'><parent link='l" + before + "'/><child link='l" + i + "'/></joint>";
  }
  return text + "</robot>";
}

TEST(UrdfHostile, LongChainsAndManyErrorsAreHandledInTime) {
  const Tried long_chain = tried(chain(4000));
  EXPECT_TRUE(long_chain.diagnostics.ok()) << long_chain.diagnostics.text();
  ReadLimits few;
  few.elements = 2000;
  EXPECT_NE(tried(chain(4000), few).diagnostics.text().find("[limit-elements]"), std::string::npos);
  few.file_bytes = 1000;
  EXPECT_NE(tried(chain(20), few).diagnostics.text().find("[limit-file-size]"), std::string::npos);

  std::string unknown = "<robot name='r'><link name='a'/>", attributes = "<robot name='r'><link ";
  std::string errors = "<robot name='r'>";
  for (int k = 0; k < 10000; ++k) {
    const std::string i = std::to_string(k);
    unknown += "<thing" + i + "/>\n";
    attributes += "a" + i + "='1'\n";
    errors += "<joint name='j" + i + "' type='x'/><link name='l'/>\n";
  }
  const Tried things = tried(unknown + "</robot>");
  EXPECT_TRUE(things.diagnostics.ok());
  EXPECT_LT(things.seconds, 20.0);
  const Tried many = tried(attributes + "/></robot>");
  EXPECT_FALSE(many.diagnostics.ok());  // it has no name
  EXPECT_LT(many.seconds, 20.0);
  const Tried wrong = tried(errors + "</robot>");
  EXPECT_LE(wrong.diagnostics.errors(), 201);
  EXPECT_LT(wrong.seconds, 20.0);
}

TEST(UrdfHostile, NamesCannotLeaveTheirPlace) {
  const Tried r = tried(
      "<robot name='&quot;/>&lt;'><link name='&quot;/>&lt;body name=&quot;x'/><link name='ground'>"
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
      "<joint name='../&#10;' type='continuous'><parent link='&quot;/>&lt;body name=&quot;x'/>"
      "<child link='ground'/></joint></robot>");
  EXPECT_TRUE(r.diagnostics.ok()) << r.diagnostics.text();
  EXPECT_NE(r.diagnostics.text().find("the link 'ground' is called ground_link"),
            std::string::npos);
}

}  // namespace
}  // namespace mbs::test
