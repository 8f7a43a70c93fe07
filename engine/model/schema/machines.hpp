#pragma once

// Schema: motors, hydraulics, wheels.

#include "engine/model/schema/structure.hpp"

namespace mbs::tables {

inline constexpr A dc_motor_attributes[] = {
    needed("name", name, "name"),
    needed("joint", joint, "rad", "the joint about whose coordinate it turns b, and a back"),
    needed("voltage", runtime, "V", "at its terminals"),
    needed("resistance", number, "Ohm", "of the winding", ">0"),
    optional("inductance", number, "H", "of the winding; absent: the current follows without delay",
             ">0"),
    needed("constant", number, "N.m/A",
           "torque per current, which is also voltage per angular velocity", ">0"),
    with_default("ratio", number, "1", "1",
                 "of the gear: turns of the motor per turn of the joint"),
    with_default("start", number, "A", "0", "current at the start"),
};

inline constexpr A hydraulic_cylinder_attributes[] = {
    needed("name", name, "name"),
    needed("a", frame, "frame at the end of the barrel"),
    needed("b", frame, "frame at the end of the rod"),
    needed("command", runtime, "1",
           "opening of the valve, limited to -1 to 1; positive feeds chamber a, which pushes the "
           "frames apart"),
    needed("area_a", number, "m^2", "of the piston towards chamber a", ">0"),
    needed("area_b", number, "m^2", "towards chamber b, less that of the rod", ">0"),
    needed("length", number, "m", "distance of the frames at stroke 0", ">=0"),
    needed("stroke", number, "m", "greatest stroke; the ends do not stop the piston", ">0"),
    needed("dead_volume", number, "m^3", "of each chamber and its pipe, with the piston at its end",
           ">0"),
    with_default("bulk_modulus", number, "Pa", "1.4 GPa", "of the oil", ">0"),
    needed("supply", number, "Pa", "pressure of the supply", ">=0"),
    with_default("tank", number, "Pa", "0", "pressure of the tank"),
    needed("valve_flow", number, "m^3/s", "through the open valve at the pressure drop valve_drop",
           ">0"),
    needed("valve_drop", number, "Pa", "pressure drop of one edge at which valve_flow is given",
           ">0"),
    optional("valve_lag", number, "s",
             "time constant with which the opening follows the command; absent: none", ">0"),
    with_default("leakage", number, "m^3/s/Pa", "0", "flow past the piston per pressure difference",
                 ">=0"),
    with_default("laminar", number, "Pa", "0.1 bar",
                 "pressure drop below which the flow is rather laminar than turbulent", ">0"),
    with_default("damping", number, "N.s/m", "0", "friction of the seals per rate of the stroke",
                 ">=0"),
    with_default("start_a", number, "Pa", "0", "pressure of chamber a at the start"),
    with_default("start_b", number, "Pa", "0", "pressure of chamber b at the start"),
    with_default("start_opening", number, "1", "0",
                 "with a lag: opening of the valve at the start"),
};

inline constexpr A tyre_attributes[] = {
    needed("name", name, "name"),
    needed("wheel", frame, "frame at the centre of the wheel, on the body that rolls"),
    with_default(
        "road", frame, "ground",
        "frame on the road: in space x and y in its plane and z up, in the plane x along and y up"),
    optional("axis", rotation_axis,
             "the wheel's axis in the axes of its frame, in space; absent: y"),
    needed("radius", number, "m", "of the wheel without load", ">0"),
    needed("stiffness", number, "N/m", "load per deflection", ">0"),
    with_default("damping", number, "N.s/m", "0",
                 "load per rate of the deflection; never more than the elastic load", ">=0"),
    needed("slip_stiffness", number, "N", "longitudinal force per slip", ">=0"),
    optional("cornering_stiffness", number, "N/rad",
             "lateral force per slip angle; needed in space", ">=0"),
    with_default("friction", number, "1", "1",
                 "the forces of slip together do not exceed this times the load", ">0"),
    needed("relaxation_x", number, "m", "relaxation length of the slip", ">0"),
    optional("relaxation_y", number, "m", "of the slip angle; needed in space", ">0"),
    with_default("start_x", number, "1", "0", "slip_x at the start"),
    with_default("start_y", number, "1", "0", "slip_y at the start"),
};

inline constexpr A wheel_rail_attributes[] = {
    optional("name", name, "name"),
    needed("wheel", frame, "frame at the centre of the wheel, on the body that rolls"),
    with_default("rail", frame, "ground",
                 "frame on the rail: x along it, in space y across and z up, in the plane y up"),
    needed("radius", number, "m", "rolling radius where the wheel stands over the rail's x axis",
           ">0"),
    with_default("cone", position, "1", "0",
                 "how the rolling radius grows with the wheel's displacement, in axes of the rail: "
                 "\"0, 0.05, 0\" for the left wheel of an axle, \"0, -0.05, 0\" for the right one"),
    needed("stiffness", number, "N/m", "load per deflection", ">0"),
    with_default("damping", number, "N.s/m", "0",
                 "load per rate of the deflection; never more than the elastic load", ">=0"),
    needed("creep_x", number, "N", "force along the rail per creepage", ">=0"),
    with_default("creep_y", number, "N", "0", "force across the rail per creepage", ">=0"),
    with_default("friction", number, "1", "0.3",
                 "creep forces together do not exceed this times the load", ">0"),
    with_default("low_speed", number, "m/s", "0.1 m/s",
                 "creepages are taken over a speed that does not fall below this", ">0"),
};

inline constexpr TagSchema machine_tags[] = {
    {.name = "dc_motor",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = dc_motor_attributes,
     .doc = "A motor with permanent magnets and a gear without losses. The inertia of its rotor is "
            "that of a body.",
     .values = "torque:N.m current:A power:W",
     .states = "current:A:start@inductance",
     .formula = "L i' = u - R i - k n q';  Q = n k i",
     .example = R"xml(<input name="u" unit="V" start="24 V"/>
<body name="drum" mass="4 kg" inertia="0.05 kg.m^2"/>
<revolute name="axle" a="ground" b="drum"/>
<dc_motor name="motor" joint="axle" voltage="u" resistance="0.6 Ohm" inductance="0.8 mH"
          constant="50 mN.m/A" ratio="12"/>
<output name="i" of="motor" quantity="value" component="current" unit="A"/>)xml"},
    {.name = "hydraulic_cylinder",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = hydraulic_cylinder_attributes,
     .doc =
         "A hydraulic cylinder between two frames, with a four-way servo valve. The oil makes it "
         "stiff: pressures reach equilibrium within milliseconds, for which implicit methods are "
         "made. "
         "Tolerances of pressures are of their size: <tolerance of=\"name.pressure_a\">.",
     .values = "force:N stroke:m rate:m/s flow_a:m^3/s flow_b:m^3/s opening:1",
     .states = "pressure_a:Pa:start_a pressure_b:Pa:start_b opening:1:start_opening@valve_lag",
     .formula =
         "F = A_a p_a - A_b p_b - damping x';  V_a p_a' = beta (q_a - q_l - A_a x');  V_b p_b' "
         "= beta (q_b + q_l + A_b x');  q = valve_flow opening sqrt(dp/valve_drop);  q_l = "
         "leakage (p_a - p_b)",
     .example = R"xml(<input name="u"/>
<body name="table" mass="500 kg"/>
<prismatic name="guide" a="ground" b="table" axis="y" q="0.7 m"/>
<hydraulic_cylinder name="lift" a="ground" b="table" command="u" length="0.5 m" stroke="0.4 m"
   area_a="20 cm^2" area_b="12 cm^2" dead_volume="0.1 l" supply="210 bar" start_a="25 bar"
   valve_flow="0.5 l/s" valve_drop="35 bar" valve_lag="5 ms" leakage="1e-13 m^3/s/Pa"/>
<tolerance of="lift.pressure_a" atol="1e2"/>
<output name="p" value="lift.pressure_a" unit="bar"/>
<output name="F" of="lift" quantity="force" unit="kN"/>)xml"},
    {.name = "tyre",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = tyre_attributes,
     .doc = "A tyre on a flat road: linear in its slips, which build up along relaxation lengths, "
            "with forces limited by friction.",
     .values = "load:N longitudinal:N deflection:m|load:N longitudinal:N deflection:m lateral:N",
     .states = "slip_x:1:start_x|slip_x:1:start_x slip_y:1:start_y",
     .formula =
         "F_z = stiffness deflection - damping h';  relaxation_x slip_x' = -v_sx - |v_x| "
         "slip_x, v_sx of the wheel at R_e = radius - deflection/3 below its centre;  F_x = "
         "slip_stiffness slip_x;  F_y = cornering_stiffness slip_y;  both times tanh(s)/s, s = "
         "|F|/(friction F_z)",
     .example = R"xml(<gravity g="0, -9.81 m/s^2"/>
<body name="wheel" mass="20 kg" inertia="0.9 kg.m^2"/>
<free b="wheel" pos="0, 0.3 m" vel="10 m/s, 0" omega="-33 rad/s"/>
<tyre name="t" wheel="wheel" radius="0.3 m" stiffness="200 kN/m" damping="300 N.s/m"
      slip_stiffness="60 kN" friction="0.9" relaxation_x="0.2 m"/>
<output name="slip" value="t.slip_x"/>
<output name="Fz" of="t" quantity="value" component="load"/>)xml"},
    {.name = "wheel_rail",
     .role = TagRole::force,
     .parents = "mbs repeat",
     .attributes = wheel_rail_attributes,
     .doc = "A conical wheel on a straight rail: quasi-elastic contact, linear creep with "
            "saturation.",
     .values = "load:N longitudinal:N deflection:m creepage_x:1|load:N longitudinal:N deflection:m "
               "creepage_x:1 lateral:N creepage_y:1",
     .formula = "r = radius + cone.d;  N = stiffness (r - h);  nu = v_slip/v;  T = -(creep_x nu_x, "
                "creep_y nu_y) (1 - u/3 + u^2/27), u = |T|/(friction N) < 3",
     .example = R"xml(<gravity g="0, -9.81 m/s^2"/>
<body name="wheel" mass="600 kg" inertia="60 kg.m^2"/>
<free b="wheel" pos="0, 0.46 m" vel="20 m/s, 0" omega="-43.5 rad/s"/>
<wheel_rail name="contact" wheel="wheel" radius="0.46 m" stiffness="1 GN/m" damping="200 kN.s/m"
            creep_x="8 MN"/>
<output name="creepage" of="contact" quantity="value" component="creepage_x"/>)xml"},
};

}  // namespace mbs::tables
