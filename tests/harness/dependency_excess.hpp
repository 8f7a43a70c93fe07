// How many entries of a model's lists have no effect that harness_dependencies_test detects, in
// that of the two versions that has more: what cancels, what settings do not reach, and what is
// solved for together with others. Fewer are better; more are an error.
#pragma once

#include <map>
#include <string>

namespace mbs::test {

struct Excess {
  int running, starting;
};

inline const std::map<std::string, Excess> dependency_excess = {
    {"all_terrain_vehicle", {444, 1020}},
    {"andrews", {3, 162}},
    {"axle_rig", {6, 42}},
    {"belt_slider", {14, 36}},
    {"borders", {47, 72}},
    {"bouncing_ball", {2, 21}},
    {"bouncing_balls", {0, 0}},
    {"cable_drum", {138, 256}},
    {"chattering_ball", {0, 0}},
    {"double_pendulum", {0, 37}},
    {"element_dependencies", {6, 6}},
    {"excited_chain", {0, 155}},
    {"explicit_car", {71, 48}},
    {"four_bar", {5, 23}},
    {"gimbal", {221, 210}},
    {"hydraulic_actuator", {22, 17}},
    {"insulator_chain", {0, 355}},
    {"knife_edge", {16, 18}},
    {"load_dependencies", {63, 68}},
    {"n_four_bar", {5, 53}},
    {"newtons_cradle", {0, 118}},
    {"passenger_car", {498, 2678}},
    {"pendulum", {14, 25}},
    {"pid_controller", {24, 19}},
    {"quarter_car", {68, 42}},
    {"quarter_car_actuator", {1, 11}},
    {"quarter_car_controller", {0, 1}},
    {"quarter_car_vehicle", {64, 40}},
    {"quarter_car_vehicle_joint", {3, 10}},
    {"railway_carriage", {383, 979}},
    {"resizable_chain", {0, 116}},
    {"resizable_chain_32", {0, 1105}},
    {"resizable_grid", {0, 0}},
    {"resizable_sizes", {0, 1}},
    {"resizable_space", {149, 5}},
    {"resizable_stops", {0, 67}},
    {"resizable_stops_absolute", {0, 67}},
    {"resizable_stops_absolute_5", {0, 115}},
    {"resizable_stops_joint", {2, 43}},
    {"resizable_stops_joint_5", {2, 79}},
    {"resizable_stops_mixed", {128, 83}},
    {"resizable_stops_mixed_5", {288, 139}},
    {"resting", {8, 117}},
    {"resting_on_contacts", {35, 136}},
    {"rocking_block", {5, 40}},
    {"rolling_disc", {40, 100}},
    {"scales", {33, 21}},
    {"shared_absolute", {361, 140}},
    {"shared_joint", {29, 22}},
    {"slider_crank", {0, 56}},
    {"slider_crank_absolute", {22, 143}},
    {"slider_crank_joint", {0, 56}},
    {"slider_crank_mixed", {103, 176}},
    {"sprocket_chain", {586, 407}},
    {"touching", {30, 40}},
    {"trimmed_arm", {0, 28}},
    {"truck", {189, 249}},
    {"turned", {4, 0}},
    {"woodpecker", {39, 58}},
};

}  // namespace mbs::test
