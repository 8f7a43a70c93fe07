// Settings of the templates at which more acts than near their default values: contacts closed,
// tyres on the joints of a road, other pieces of laws.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace mbs::test {

using Numbers = std::map<std::string, double>;  // by name

struct Setting {
  // Parameters, inputs, the time, and states while it runs: others are as at the start.
  Numbers at = {};
  // States with which event mode is gone through before: contacts close, slide, stick.
  Numbers resolved = {};
  double shift = 0.0;  // of all states while it runs
  bool wide = false;   // parameters by large steps: what decides modes
};

// The first ball of the cradle just touches the second one when all others do: lifted so far, it
// presses from above where r is large, and else from the other side.
inline double touching_lift(double r, double l) {
  return -2.0 * std::atan(2.0 * r / l);
}

// The woodpecker's beak just touches the pole, and meets it where it is below the spring.
inline Numbers pecking(Numbers at) {
  const auto of = [&at](const char* name, double start) {
    return at.contains(name) ? at.at(name) : start;
  };
  const double q = -0.1752, x = of("lG", 0.015) - 0.0201, y = of("hS", 0.02);
  at["lM"] = 0.0025 - x * std::cos(q) + y * std::sin(q);
  return at;
}

inline const Numbers hanging_aside = {
    {"thread[1].q", 0.1},  {"thread[2].q", -0.2}, {"thread[3].q", 0.3},   {"thread[4].q", 0.2},
    {"thread[5].q", -0.3}, {"thread[1].qd", 0.1}, {"thread[2].qd", -0.2}, {"thread[3].qd", 0.3},
    {"thread[4].qd", 0.2}, {"thread[5].qd", -0.3}};
inline const Numbers pecker = {
    {"e", 0.0}, {"c", -0.05}, {"sleeve.phi", 0.1}, {"sleeve.omega", 0.5}, {"spring.q", 0.1}};

inline const std::map<std::string, std::vector<Setting>> settings = {
    {"belt_slider", {{.resolved = {{"block.x", 0.5}}}}},  // slides
    {"bouncing_ball", {{.at = {{"h", 0.0}}}}},            // lies
    {"double_pendulum",
     {{.at = {{"d", 0.1}, {"upper.omega", 1.0}, {"lower.omega", -0.7}, {"lower.phi", 0.3}}}}},
    {"hydraulic_actuator", {{.at = {{"lift.opening", -0.3}}}}},
    {"newtons_cradle",
     {{.at = {{"r", 0.1175}, {"gap", 0.0}, {"lift", touching_lift(0.1175, 0.2)}}},
      {.at = {{"gap", 0.0}, {"lift", touching_lift(0.015, 0.2)}}},
      // The balls behind press where threads are steep.
      {.at = hanging_aside,
       .resolved = {{"thread[1].q", 1.204},
                    {"thread[2].q", 1.202},
                    {"thread[3].q", 1.2},
                    {"thread[4].q", 1.198},
                    {"thread[5].q", 1.196}}}}},
    // The largest residual of constraints is that of one loop at a time; joints of the road.
    {"passenger_car",
     {{.at = {{"time", 0.0}}},
      {.at = {{"time", 0.0}, {"up_bearing[1].q", 0.1}}},
      {.at = {{"time", 0.0}, {"input_shaft.q", 0.1}}},
      {.at = {{"time", 0.0}, {"low_ball[1].e1", 0.1}, {"subframe[1].e3", 0.2}}},
      {.at = {{"time", 0.0}, {"low_ball[3].e1", 0.1}, {"subframe[2].e3", 0.2}}},
      {.at = {{"time", 0.0}, {"low_ball[4].e1", 0.1}, {"subframe[2].e1", 0.2}}},
      {.at = {{"time", 0.025}}, .shift = 0.005},
      {.at = {{"time", 0.155}}, .shift = 0.005}}},
    // On the road's rise, the valve within its limits.
    {"quarter_car",
     {{.at = {{"time", 0.15},
              {"ref", 0.03},
              {"integral", 0.01},
              {"body.y", 0.81},
              {"body.vy", 0.1}}}}},
    {"quarter_car_actuator", {{.at = {{"y", -0.3}}}}},
    {"quarter_car_vehicle", {{.at = {{"time", 0.15}}}}},
    // Stands; tilts with a corner that slides, or nearly; slides on the other one.
    {"rocking_block",
     {{.at = {{"tilt", 0.0}}},
      {.at = {{"tilt", 4e-10}}, .wide = true},
      {.at = {{"mu", 0.01}}},
      {.at = {{"mu", 0.2}}, .wide = true},
      {.at = {{"mu", 0.01}, {"block.phi", 0.1}, {"block.omega", 0.5}},
       .resolved = {{"block.x", 0.0},
                    {"block.y", 0.99},
                    {"block.phi", 0.0},
                    {"block.vx", 1.0},
                    {"block.vy", -0.1},
                    {"block.omega", 0.0}}}}},
    // Teeth so high that all rollers touch both sprockets, and the guide.
    {"sprocket_chain",
     {{.at = {{"a", 1.0}, {"c", 0.1}, {"gap", -0.12}}, .shift = 0.01},
      {.at = {{"a", 1.0}, {"c", 0.6}}, .shift = 0.02}}},
    {"truck", {{.at = {{"pneumatic", 1.0}, {"sine", 1.0}, {"l_air", 0.2}, {"time", 0.7}}}}},
    {"woodpecker",
     {// The sleeve fits the pole; the beak meets it; both.
      {.at = {{"rM", 0.0025}}},
      {.at = pecking({{"hS", -0.02}})},
      {.at = pecking({{"hS", -0.02}, {"rM", 0.0025}})},
      {.at = pecking({{"hS", -0.02}, {"e", 0.0}, {"c", -0.01}})},
      // Nearly another mode.
      {.at = pecking({{"hS", -0.04},
                      {"rM", 0.0025},
                      {"hM", 0.00116},
                      {"lG", 0.075},
                      {"mM", 0.0015},
                      {"JS", 3.5e-6},
                      {"mu", 0.6},
                      {"e", 0.0}}),
       .wide = true},
      {.at = pecking({{"rM", 0.0025},
                      {"lG", 0.075},
                      {"mM", 0.0015},
                      {"JM", 1e-9},
                      {"mS", 0.0225},
                      {"JS", 3.5e-6},
                      {"c", 0.05},
                      {"mu", 0.5},
                      {"e", 0.0}}),
       .wide = true},
      {.at = pecking(
           {{"hS", -0.02}, {"mM", 0.0015}, {"JS", 3.5e-6}, {"c", -0.01}, {"mu", 1.0}, {"e", 0.0}}),
       .wide = true},
      {.at = pecking({{"hS", -0.04},
                      {"rM", 0.0025},
                      {"hM", 0.00116},
                      {"lG", 0.003},
                      {"mM", 0.0015},
                      {"JM", 2.5e-8},
                      {"mS", 0.0225},
                      {"JS", 1.4e-7},
                      {"c", -0.001},
                      {"mu", 0.05},
                      {"e", 0.01}}),
       .wide = true},
      {.at = pecking({{"hS", -0.02},
                      {"rM", 0.0025},
                      {"mM", 0.0015},
                      {"JS", 3.5e-6},
                      {"c", -0.01},
                      {"e", 0.0}}),
       .wide = true},
      // The top slides, the bottom, the beak.
      {.at = pecker,
       .resolved = {{"sleeve.phi", 0.2},
                    {"sleeve.vy", -3.0},
                    {"sleeve.omega", 1.0},
                    {"spring.q", -0.2},
                    {"spring.qd", 1.0}}},
      {.at = pecker,
       .resolved = {{"sleeve.phi", -0.2},
                    {"sleeve.vy", -3.0},
                    {"sleeve.omega", -1.0},
                    {"spring.q", 0.2},
                    {"spring.qd", 1.0}}},
      {.at = pecker,
       .resolved = {{"sleeve.phi", 0.2},
                    {"sleeve.vy", -3.0},
                    {"sleeve.omega", 1.0},
                    {"spring.q", 0.05},
                    {"spring.qd", 1.0}}}}}};

}  // namespace mbs::test
