#pragma once

#include <string>

#include "tests/fmu_src/fmu.hpp"

// The models that are fuzzed: a driven pendulum (rig_text of fmu.hpp) and these. Forces of 1e9 N
// would take their time: the number of steps is limited.

namespace mbs::test::fuzz {

// A disc that bounces, slides and sticks, and an event that ends it all.
inline constexpr const char* ball_text = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Ball" version="1" planar="xy">
  <parameter name="m" value="1 kg" min="0.1 kg" max="10 kg"/>
  <parameter name="c" value="1 N.s/m" variability="tunable" min="0"/>
  <input name="wind" unit="N"/>
  <gravity g="0, -9.81 m/s^2"/>
  <body name="ball" mass="m" inertia="0.01 kg.m^2"/>
  <free name="rail" a="ground" b="ball" pos="0, 0.12 m" vel="0.2 m/s, 0"/>
  <contact name="floor" a="ground" b="ball" normal="y" radius_b="0.1 m" mu="0.2" restitution="0.5"/>
  <force name="push" on="ball" value="wind - c*rail.xd, 0"/>
  <event name="turn" when="rail.xd == 0"/>
  <event name="far" when="rail.x > 5" terminate="true"/>
  <output name="y" value="rail.y" unit="m"/>
  <output name="turns" of="turn" quantity="events"/>
  <solver max_steps="2000"/>
</mbs>)xml";

// A chain whose length is chosen in the FMU, with arrays of every kind, those of states too: in the
// same coordinates for all lengths.
inline constexpr const char* chain_text = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<mbs name="Chain" version="1" planar="xy">
  <parameter name="N" value="2" variability="structural" resizable="true" min="1" max="6"/>
  <parameter name="links" value="N + 1" variability="structural"/>
  <parameter name="d" value="0.1 N.m.s/rad" variability="tunable" min="0"/>
  <input name="wind" unit="N"/>
  <gravity g="0, -9.81 m/s^2"/>
  <repeat index="i" count="N" prev="ground" next="link[i].tip">
    <input name="F" unit="N" start="0.1 N*i"/>
    <body name="link" mass="1 kg" com="0, -0.1 m" inertia="0.01 kg.m^2">
      <frame name="tip" pos="0, -0.2 m"/>
    </body>
    <revolute name="pin" a="prev" b="link[i]" damping="d" q="if(i == 1, 0.3 rad, 0)"/>
    <force name="push" on="link[i].tip" value="F[i], 0"/>
    <state name="heat" start="0 J" der="d*pin[i].qd^2"/>
    <event name="turn" when="pin[i].qd == 0"/>
  </repeat>
  <force name="gust" on="link[N].tip" value="wind, 0"/>
  <output name="tip" of="link[N].tip" quantity="position" component="all"/>
  <output name="phi" each="pin" quantity="q"/>
  <solver coordinates="joint" max_steps="2000"/>
</mbs>)xml";

inline std::string limited_rig() {
  std::string text = rig_text;
  const std::string solver = "<solver ";
  return text.insert(text.find(solver) + solver.size(), "max_steps=\"2000\" ");
}

}  // namespace mbs::test::fuzz
