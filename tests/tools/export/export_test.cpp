// The files of an FMU other than the library.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <numbers>
#include <pugixml.hpp>
#include <string>

#include "engine/base/text.hpp"
#include "engine/multibody/assemble.hpp"
#include "tools/export/build_fmu.hpp"
#include "tools/export/dependencies.hpp"
#include "tools/export/documentation.hpp"
#include "tools/export/icon.hpp"
#include "tools/export/picture.hpp"
#include "tools/export/resolve_array_dimensions.hpp"
#include "tools/export/terminals.hpp"
#include "tools/export/view.hpp"
#include "tools/import/xml.hpp"

namespace mbs {
namespace {

std::string source(const std::string& name) {
  std::ifstream file(std::string(std::getenv("MBS_SOURCE")) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Licences, AreThereInFull) {
  const std::string text = licences_text();
  const char* parts[] = {
      "Copyright (c) 2026, the mbsfmu authors",
      // pugixml: the MIT licence with its copyright lines
      "Arseny Kapoulkine", "Kristen Wegner", "Permission is hereby granted, free of charge",
      // AMD, COLAMD: BSD
      "Patrick R. Amestoy", "Iain S. Duff", "COLAMD",
      "Neither the name of the organizations to which the authors are",
      // KLU, BTF: LGPL in full
      "GNU LESSER GENERAL PUBLIC LICENSE", "Version 2.1, February 1999",
      "END OF TERMS AND CONDITIONS",
      // Eigen: where its source and its licence are
      "Mozilla Public License", "https://mozilla.org/MPL/2.0/", "https://eigen.tuxfamily.org",
      // libstdc++ and libgcc
      "GCC RUNTIME LIBRARY EXCEPTION"};
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part;
  for (const char* file : {"LICENSE", "LICENSE-THIRD-PARTY.md", "LICENSE-THIRD-PARTY-TEXTS.txt"}) {
    const std::string whole = source(file);
    EXPECT_GT(whole.size(), 1000u) << file;
    EXPECT_NE(text.find(whole), std::string::npos) << file << " is not as it stands";
  }
}

Model read(const std::string& text) {
  Diagnostics diagnostics;
  Model model = read_model_text(text, "m.mbs.xml", diagnostics);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text();
  return model;
}

std::string page(const Model& model) {
  const auto start = start_of(model);
  EXPECT_TRUE(start);
  return documentation_html({model, make_variables(model), "joint, because it is a tree",
                             start->solver, picture_svg(model, *start)});
}

std::string template_text(const std::string& name) {
  return source("model_templates/" + name + "/" + name + ".mbs.xml");
}

TEST(Documentation, IsWellFormedAndNeedsNothingFromOutside) {
  for (const char* name :
       {"slider_crank", "andrews", "gimbal", "truck", "rolling_disc", "insulator_chain"}) {
    const Model model = read(template_text(name));
    const std::string html = page(model);
    pugi::xml_document document;
    const auto result = document.load_string(html.c_str());
    EXPECT_TRUE(result) << name << ": " << result.description() << " at " << result.offset;
    for (const char* outside : {"src=", "url(", "@import", "<script", "http://", "https://"})
      for (std::size_t at = html.find(outside); at != std::string::npos;
           at = html.find(outside, at + 1))
        EXPECT_TRUE(html.substr(at).starts_with("http://www.w3.org/"))
            << name << html.substr(at, 60);
    for (const Output& output : model.outputs) {
      const std::string base = output.name.substr(0, output.name.find('['));
      EXPECT_NE(html.find("<code>" + base), std::string::npos) << output.name;
    }
    EXPECT_NE(html.find("<svg"), std::string::npos) << name;
    for (const Body& body : model.bodies) {
      const std::string& shown = model.elements[static_cast<std::size_t>(body.element)].name;
      EXPECT_NE(html.find("<title>" + shown), std::string::npos) << shown;
    }
    EXPECT_EQ(html.find("nan"), std::string::npos) << name;
  }
}

// The model's own states are states like those of its bodies.
TEST(Documentation, CountsEveryContinuousState) {
  const Model model = read(template_text("slider_crank"));
  VariableTable table = make_variables(model);
  Diagnostics diagnostics;
  add_exchange_variables(table, *assemble(model, diagnostics));
  const std::string count = std::to_string(table.states.size());
  const std::string html = documentation_html({model, table, {}, {}, {}});
  EXPECT_NE(html.find("Continuous states (" + count + ")"), std::string::npos);
  EXPECT_NE(html.find("Their derivatives (" + count + ")"), std::string::npos);
  EXPECT_GT(html.find("<code>M</code>"), html.find("For model exchange"));
}

TEST(Documentation, ShowsWhatCanBeResized) {
  const Model model = read(source("tests/harness/models/resizable_chain.mbs.xml"));
  const std::vector<std::string> sizes{"N"};
  const VariableTable table = make_variables(model, sizes);
  const std::string fixed = documentation_html({model, table, {}, {}, {}});
  EXPECT_EQ(fixed.find("Sizes, set in"), std::string::npos);
  const std::string html = documentation_html({model, table, {}, {}, {}, false, true});
  const std::size_t at = html.find("Sizes, set in");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(html.find("<code>N</code>"), html.find("<h2>Inputs"));
  EXPECT_NE(html.find("<code>phi[8]</code>"), std::string::npos);
  EXPECT_NE(html.find("<code>wind</code>"), std::string::npos);
}

TEST(Documentation, EscapesWhatAFileSays) {
  const Model model = read(R"xml(<mbs name='M' version='1' planar='xy'
      doc='&lt;script>alert(1)&lt;/script> &amp; "more"'>
    <parameter name='L' value='1 m' doc='&lt;b onclick="x()">&amp;amp;'/>
    <body name='b' mass='1 kg' inertia='1 kg.m^2'/><free b='b'/>
    <output name='y' value='L' doc="&lt;/td>&lt;img src='x'>"/></mbs>)xml");
  const std::string html = page(model);
  for (const char* bad : {"<script", "<b ", "</td><img", "<img"})
    EXPECT_EQ(html.find(bad), std::string::npos) << bad;
  EXPECT_NE(html.find("&lt;script&gt;alert(1)"), std::string::npos);
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(html.c_str()));
}

// The pin of the crank is where closed forms put it: in the picture a metre has the same length in
// every direction.
TEST(Documentation, PicturesPlacesTrueToScale) {
  const Model model = read(template_text("slider_crank"));
  const auto start = start_of(model);
  ASSERT_TRUE(start);
  std::map<std::string, Eigen::Vector3d> at;
  for (std::size_t k = 0; k < model.frames.size(); ++k)
    at[model.frames[k].name] = start->frames[k].r;
  const double r = 0.15, l = 0.3, phi = 0.25 * std::numbers::pi;
  EXPECT_NEAR(at["crank.pin"].x(), r * std::cos(phi), 1e-9);
  EXPECT_NEAR(at["crank.pin"].y(), r * std::sin(phi), 1e-9);
  EXPECT_NEAR(at["slider"].x(), r * std::cos(phi) + std::sqrt(l * l - r * r / 2), 1e-9);
  View view(true, Eigen::Vector3d::Zero());
  const std::vector<Eigen::Vector3d> corners{at["crank"], at["crank.pin"], at["slider"]};
  view.fit(corners, 700.0, 500.0, 50.0);
  EXPECT_NEAR((view(at["crank.pin"]) - view(at["crank"])).norm(), r * view.scale(), 1e-9);
  EXPECT_NEAR((view(at["slider"]) - view(at["crank.pin"])).norm(), l * view.scale(), 1e-9);
  for (const Eigen::Vector3d& corner : corners) {
    EXPECT_GE(view(corner).minCoeff(), 50.0 - 1e-9);
    EXPECT_LE(view(corner).x(), 650.0 + 1e-9);
    EXPECT_LE(view(corner).y(), view.height() - 50.0 + 1e-9);
  }
}

TEST(Icons, ArePortableNetworkGraphics) {
  const Model model = read(template_text("slider_crank"));
  const auto start = start_of(model);
  for (const Icon& icon : {model_icon(model, &*start), model_icon(model, nullptr), flange_icon()}) {
    ASSERT_GT(icon.png.size(), 100u);
    EXPECT_EQ(icon.png.substr(1, 3), "PNG");
    EXPECT_EQ(icon.png.substr(icon.png.size() - 8, 4), "IEND");
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(icon.svg.c_str()));
    std::size_t idat = icon.png.find("IDAT"), zeros = 0;
    for (const char c : icon.png.substr(idat)) zeros += c == '\0';
    EXPECT_LT(zeros, icon.png.size() - 200) << "nothing is drawn";
  }
}

const char* const coupled = R"(<mbs name='M' version='1' planar='xz'>
  <input name='Fx' unit='N'/><input name='Fz' unit='N'/><input name='T' unit='N.m'/>
  <input name='drive' unit='N.m'/><input name='lost' unit='N'/><input name='lid' unit='rad'/>
  <input name='own' unit='N'/>
  <body name='box' mass='1 kg' inertia='1 kg.m^2'><frame name='hook' pos='1 m, 0'/></body>
  <body name='arm' mass='1 kg' inertia='1 kg.m^2'/>
  <body name='door' mass='1 kg' inertia='1 kg.m^2'/>
  <free name='f' b='box'/>
  <revolute name='hinge' a='ground' b='arm'/>
  <revolute name='flap' a='ground' b='door'/>
  <force name='push' on='box.hook' value='Fx, -Fz'/>
  <torque name='twist' on='box.hook' value='T'/>
  <torque name='motor' joint='hinge' value='drive'/>
  <force name='half' on='box' value='0.5*lost, 0'/>
  <drive name='mover' joint='flap' q='lid'/>
  <output name='p' of='box.hook' quantity='position' component='all' unit='mm'/>
  <output name='vz' of='box.hook' quantity='velocity' component='z'/>
  <output name='angle' of='box.hook' quantity='orientation'/>
  <output name='q' of='hinge' quantity='q'/>
  <output name='qd' of='hinge' quantity='qd'/>
  <output name='speed' of='box' quantity='velocity' component='norm'/>
  <force name='along' on='arm' in='arm' value='own, 0'/>
  <output name='ax' of='arm' quantity='acceleration' component='x'/>
  <output name='wx' of='box.hook' quantity='velocity' component='x' in='box'/></mbs>)";

TEST(Terminals, GroupWhatBelongsTogether) {
  const Model model = read(coupled);
  const VariableTable table = make_variables(model);
  const auto flat = find_terminals(model, table, false);
  // The flap has nothing that is put out, `half` is no plain input, `along` and `wx` are not along
  // ground's axes.
  ASSERT_EQ(flat.size(), 2u);
  EXPECT_EQ(flat[0].name, "box.hook");
  EXPECT_EQ(flat[1].name, "hinge");
  const auto text = [&](const Terminal& terminal) {
    std::string members;
    for (const TerminalMember& m : terminal.members)
      members += m.name + "=" + table.variables[m.variable].name +
                 (m.out    ? " out; "
                  : m.flow ? " in; "
                           : "; ");
    return members;
  };
  EXPECT_EQ(text(flat[0]),
            "f_x=Fx in; f_z=Fz out; t=T in; r[1]=p[1]; r[2]=p[2]; v_z=vz; phi=angle; ");
  EXPECT_EQ(text(flat[1]), "tau=drive in; q=q; qd=qd; ");
  const std::string xml = terminals_xml(find_terminals(model, table, true), table, true, false);
  EXPECT_NE(xml.find(R"(variableName="p" memberName="r" variableKind="signal")"), std::string::npos)
      << xml;
  EXPECT_NE(xml.find(R"(variableName="Fz" memberName="f_z" variableKind="outflow")"),
            std::string::npos);
  EXPECT_EQ(xml.find("p[1]"), std::string::npos);
}

// Derivatives that need the Jacobian are not promised where there is none.
TEST(Derivatives, AreDeclaredWhereThereAreSome) {
  for (const int links : {3, 520}) {
    const Model model = read(
        "<mbs name='M' version='1' planar='xy'><repeat index='i' count='" + std::to_string(links) +
        "' prev='ground' next='rod[i].end'><body name='rod' mass='1 kg'><frame name='end' pos='1 "
        "m, "
        "0'/></body><revolute a='prev' b='rod[i]'/></repeat><solver coordinates='joint' "
        "method='midpoint'/></mbs>");
    Diagnostics diagnostics;
    const auto equations = assemble(model, diagnostics);
    ASSERT_TRUE(equations) << diagnostics.text();
    ASSERT_EQ(equations->structure().M_assembled, links < 100);
    VariableTable table = make_variables(model);
    add_exchange_variables(table, *equations);
    const DescriptionRequest request{model, table, "token", "M", "2026-01-31T12:00:00Z"};
    for (const std::string& xml : {description_fmi2(request), description_fmi3(request)}) {
      const auto fmu = import::read_model_description(import::XmlFile("modelDescription.xml", xml));
      for (const auto& one : {fmu.co_simulation, fmu.model_exchange}) {
        ASSERT_TRUE(one);
        EXPECT_EQ(one->provides_directional_derivatives, links < 100);
      }
    }
  }
}

VariableTable with_dependencies(const Model& model) {
  Diagnostics diagnostics;
  const auto equations = assemble(model, diagnostics);
  EXPECT_TRUE(equations) << diagnostics.text();
  VariableTable table = make_variables(model);
  if (!equations) return table;
  add_exchange_variables(table, *equations);
  add_dependencies(table, model, *equations);
  return table;
}

std::string names_of(const VariableTable& table, const std::vector<std::uint32_t>& references) {
  std::string text;
  for (const std::uint32_t reference : references) text += table.find(reference)->name + " ";
  return text;
}

// A known that acts alone is alone in its lists, however many contacts there are.
TEST(Dependencies, AreExactWithManyContacts) {
  constexpr int balls = 40;
  const Model model = read(
      "<mbs name='M' version='1' planar='xy'><parameter name='k' value='30 N/m'/><repeat index='i' "
      "count='" +
      std::to_string(balls) +
      "'><body name='ball' mass='1 kg'/><prismatic name='rail' a='ground' b='ball[i]' axis='y' "
      "q='1 m' stiffness='k'/><contact name='floor' a='ground' b='ball[i]' normal='y' "
      "restitution='0.5'/></repeat><solver coordinates='joint'/></mbs>");
  const VariableTable table = with_dependencies(model);
  for (int i = 0; i < balls; ++i) {
    const Variable& rate = *table.find(table.derivatives[static_cast<std::size_t>(balls + i)]);
    const std::string rail = "rail[" + std::to_string(i + 1) + "]";
    ASSERT_EQ(rate.name, "der(" + rail + ".qd)");
    ASSERT_TRUE(rate.traced_dependencies && rate.initialization_dependencies);
    EXPECT_EQ(names_of(table, *rate.traced_dependencies), "k " + rail + ".q ");
    EXPECT_EQ(names_of(table, *rate.initialization_dependencies), "k ");
  }
}

// A formula with branches that sizes choose may be another one at a size that is not looked at.
TEST(Dependencies, AreLeftOutWhereSizesChooseBranches) {
  const auto lists = [](const std::string& law) {
    const std::string text =
        "<mbs name='M' version='1' planar='xy'><parameter name='N' value='3' "
        "variability='structural' resizable='true'/><parameter name='k' value='30 N/m'/><repeat "
        "index='i' count='N'><body name='b' "
        "mass='1 kg'/><prismatic name='rail' a='ground' b='b[i]' axis='x'/><force joint='rail[i]' "
        "value='" +
        law + "'/></repeat><solver coordinates='joint'/></mbs>";
    const Model model = read(text);
    Diagnostics diagnostics;
    const auto equations = assemble(model, diagnostics);
    EXPECT_TRUE(equations) << diagnostics.text();
    const std::vector<std::string> sizes{"N"};
    VariableTable table = make_variables(model, sizes);
    add_exchange_variables(table, *equations);
    EXPECT_TRUE(resolve_array_dimensions(table, text, sizes, diagnostics)) << diagnostics.text();
    add_array_dependencies(table, text, sizes);
    return table.find(table.derivatives.back())->traced_dependencies.has_value();
  };
  EXPECT_TRUE(lists("-k*rail[i].q*i"));
  EXPECT_TRUE(lists("-k*max(rail[i].q, 1 m)"));
  EXPECT_FALSE(lists("-k*rail[i].q*max(50, 100 - i)"));
  EXPECT_FALSE(lists("if(N &gt; 12, -k*rail[i].q, 0 N)"));
}

// The dependencies found are those of any time.
TEST(Dependencies, AreThoseOfAnyTime) {
  for (const double time : {0.0, 1e9}) {
    SCOPED_TRACE(time);
    const Model model = read(
        "<mbs name='M' version='1' planar='xy'><parameter name='k' value='30 N/m'/><parameter "
        "name='w' value='7 1/s'/><body name='b' mass='1 kg'/><prismatic name='rail' a='ground' "
        "b='b' axis='x'/><force joint='rail' value='-k*rail.q + 1 N*sin(w*time)'/><solver "
        "coordinates='joint' start_time='" +
        number_text(time) + " s' stop_time='" + number_text(time + 1.0) + " s'/></mbs>");
    const VariableTable table = with_dependencies(model);
    const Variable& rate = *table.find(table.derivatives.at(1));
    ASSERT_TRUE(rate.traced_dependencies);
    EXPECT_EQ(names_of(table, *rate.traced_dependencies), "time k w rail.q ");
    ASSERT_TRUE(rate.initialization_dependencies);
    EXPECT_EQ(names_of(table, *rate.initialization_dependencies), "time k w ");
  }
}

// Every unit of the language: SI = factor * shown + offset here, and FMI says the way back,
// shown = factor * SI + offset, with the base units' exponents, in both versions.
TEST(Units, AreCompleteInBothVersions) {
  std::string text = "<mbs name='M' version='1' planar='xy'>";
  std::vector<std::string> names;
  for (const char* unit :
       {"mm",  "deg",     "rpm",    "kN",    "N.m.s/rad", "kN/mm", "bar", "g",   "t",
        "min", "km/h",    "degC",   "J",     "kWh",       "V",     "Ohm", "mH",  "uF",
        "T",   "Wb",      "S",      "mol/s", "cd",        "l/min", "in",  "lbf", "psi",
        "%",   "rad/s^2", "kg.m^2", "K",     "A",         "Hz",    "1/s", "N.m", "W/K"}) {
    names.push_back("u" + std::to_string(names.size()));
    text += "<input name='" + names.back() + "' unit='" + unit + "'/>";
  }
  text += "<body name='b' mass='1 kg' inertia='1 kg.m^2'/><free b='b'/></mbs>";
  const Model model = read(text);
  const VariableTable table = make_variables(model);
  const DescriptionRequest request{model, table, "token", "M", "2026-01-31T12:00:00Z"};
  for (const std::string& xml : {description_fmi2(request), description_fmi3(request)}) {
    const auto fmu = import::read_model_description(import::XmlFile("modelDescription.xml", xml));
    EXPECT_TRUE(fmu.problems.empty());
    for (std::size_t k = 0; k < names.size(); ++k) {
      const Unit& written = model.inputs[k].unit;
      const import::Variable* variable = fmu.find(names[k]);
      ASSERT_NE(variable, nullptr);
      const import::Attributes& a = variable->attributes;
      const import::Unit* unit = fmu.find_unit(a.unit);
      if (!unit) {  // without a dimension: a per cent has no unit to be shown in
        EXPECT_EQ(written.dimension, Dimension{}) << written.name;
        continue;
      }
      EXPECT_TRUE(unit->has_base);
      EXPECT_EQ(unit->factor, 1.0);
      EXPECT_EQ(unit->offset, 0.0);
      for (std::size_t i = 0; i < 8; ++i)
        EXPECT_EQ(unit->exponents[i], written.dimension.exponents[i]) << written.name << i;
      if (a.display_unit.empty()) {
        EXPECT_EQ(written.factor, 1.0) << written.name;
        EXPECT_EQ(written.offset, 0.0) << written.name;
        continue;
      }
      EXPECT_EQ(a.display_unit, written.name);
      const auto display =
          std::find_if(unit->display_units.begin(), unit->display_units.end(),
                       [&](const auto& one) { return one.name == a.display_unit; });
      ASSERT_NE(display, unit->display_units.end()) << written.name;
      for (const double shown : {0.0, 1.0, -17.5}) {
        const double si = written.factor * shown + written.offset;
        EXPECT_NEAR(display->factor * si + display->offset, shown,
                    1e-13 * (1.0 + std::abs(display->offset)))
            << written.name;
      }
    }
  }
}

}  // namespace
}  // namespace mbs
