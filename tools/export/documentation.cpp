#include "tools/export/documentation.hpp"

#include <map>
#include <string_view>

#include "engine/model/words.hpp"

namespace mbs {
namespace {

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

void append_row(std::string& html, const Variable& variable) {
  html += "<tr><td><code>" + escape(variable.name) + "</code></td><td class=\"n\">" +
          (variable.start ? number_text(*variable.start) : "") + "</td><td>" +
          escape(variable.unit) + "</td><td>" + std::string(word(variable.variability)) +
          "</td><td>" + escape(variable.description) + "</td></tr>\n";
}

void append_section(std::string& html, const VariableTable& table, Causality causality,
                    const char* title) {
  bool first = true;
  for (const Variable& variable : table.variables) {
    if (variable.causality != causality) continue;
    if (first)
      html += std::string("<h2>") + title +
              "</h2>\n<table><tr><th>name</th><th>start</th><th>unit</th><th>variability</th>"
              "<th>what it is</th></tr>\n";
    first = false;
    append_row(html, variable);
  }
  if (!first) html += "</table>\n";
}

}  // namespace

std::string documentation_html(const Model& model, const VariableTable& table) {
  std::map<std::string_view, int> count;
  for (const Element& element : model.elements) ++count[element.tag->name];
  std::string made_of;
  for (const auto& [tag, times] : count)
    made_of += (made_of.empty() ? "" : ", ") + std::to_string(times) + " " + std::string(tag);

  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"UTF-8\"><title>" +
      escape(model.name) +
      "</title>\n<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
      "table{border-collapse:collapse}td,th{border-bottom:1px solid #ccc;padding:.2em .8em;"
      "text-align:left}td.n{text-align:right}</style></head><body>\n<h1>" +
      escape(model.name) + "</h1>\n";
  if (!model.doc.empty()) html += "<p>" + escape(model.doc) + "</p>\n";
  html += std::string("<p>A ") + (model.planar ? "planar" : "spatial") +
          " multibody model: " + escape(made_of) + ". Integrator: " + escape(model.solver.method) +
          ", relative tolerance " + number_text(model.solver.rtol) + ", absolute tolerance " +
          number_text(model.solver.atol) +
          ". All values are SI; angles are in radians. Everything the FMU needs is inside.</p>\n";
  append_section(html, table, Causality::input, "Inputs");
  append_section(html, table, Causality::output, "Outputs");
  append_section(html, table, Causality::parameter, "Parameters");
  append_section(html, table, Causality::calculated_parameter, "Calculated parameters");
  append_section(html, table, Causality::local, "Other values");
  html += "<p>Made with mbsfmu " MBSFMU_VERSION ".</p>\n</body></html>\n";
  return html;
}

std::string licences_text() {
  return
#include "licences.inc"
      ;
}

}  // namespace mbs
