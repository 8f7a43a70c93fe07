#include "tools/export/documentation.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "engine/base/text.hpp"
#include "engine/model/indexed_name.hpp"
#include "tools/export/svg.hpp"

namespace mbs {
namespace {

constexpr std::string_view styles = R"css(<style>
body{font-family:system-ui,sans-serif;line-height:1.45;color:#222;max-width:62em;margin:2em auto;padding:0 1em}
h1{margin-bottom:.1em}h2{margin-top:2em;border-bottom:2px solid #4878a8;padding-bottom:.1em}
figure{margin:1.5em 0;border:1px solid #ddd;border-radius:6px;padding:.5em;background:#fcfcfc}
figure svg{display:block;width:100%;height:auto;max-height:36em}
figcaption{color:#555;font-size:.9em;padding:.3em .5em}
table{border-collapse:collapse;width:100%;font-size:.95em}
td,th{border-bottom:1px solid #ddd;padding:.25em .7em;text-align:left;vertical-align:top}
th{background:#f2f5f8}td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
td.v{overflow-wrap:anywhere}code{font-family:ui-monospace,Consolas,monospace;font-size:.95em}.doc{color:#444;font-size:1.1em;margin-top:.2em}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1.2em}dt{color:#555}dd{margin:0}
summary{cursor:pointer;color:#2d5680}
</style>
)css";

std::string cell(std::string_view text, std::string_view style = {}) {
  return (style.empty() ? "<td>" : "<td class=\"" + std::string(style) + "\">") + escape_xml(text) +
         "</td>";
}

std::string shown(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", x);
  return buffer;
}

// An array has one row; the values of its elements where they differ.
std::string start_text(const VariableTable& table, std::span<const std::uint32_t> elements) {
  std::string text;
  bool same = true;
  for (const std::uint32_t element : elements) {
    const Variable& v = table.variables[element];
    if (!v.start) return {};
    same = same && *v.start == *table.variables[elements.front()].start;
    const double value = v.display ? (*v.start - v.display->offset) / v.display->factor : *v.start;
    if (elements.size() <= 9) text += (text.empty() ? "" : ", ") + shown(value);
    if (text.empty()) text = shown(value);
  }
  if (same) return text.substr(0, text.find(','));
  return elements.size() <= 9 ? text : text + ", ...";
}

std::string row(const VariableTable& table, const std::string& name,
                std::span<const std::uint32_t> elements, bool starts) {
  const Variable& v = table.variables[elements.front()];
  const std::string unit = v.display ? v.display->name : v.unit;
  return "<tr><td class=\"v\"><code>" + escape_xml(name) + "</code></td>" +
         (starts ? cell(start_text(table, elements), "n") : "") + cell(unit) +
         cell(v.display ? v.unit : "") + cell(keyword(v.variability)) + cell(v.description) +
         "</tr>\n";
}

using Wanted = std::function<bool(const Variable&)>;

// The rows of the variables that are wanted, how many they are, and whether any has a start value.
struct Rows {
  std::string html;
  int count = 0;
  bool starts = false;
};

// "phi[N]" where the size is a parameter, else "phi[8]".
std::string size_text(const VariableTable& table, const ArrayVariable& array, std::size_t k) {
  for (const ArrayVariable& other : table.arrays)
    if (k < array.size_parameters.size() && other.reference == array.size_parameters[k])
      return other.name;
  return std::to_string(array.sizes[k]);
}

Rows rows(const VariableTable& table, const Wanted& wanted) {
  Rows result;
  for (const Variable& v : table.variables)
    result.starts = result.starts || (v.in_description && wanted(v) && v.start.has_value());
  std::vector<const ArrayVariable*> array_of(table.variables.size());
  for (const ArrayVariable& array : table.arrays)
    for (const std::uint32_t element : array.elements) array_of[element] = &array;
  for (const Variable& v : table.variables) {
    if (!v.in_description || !wanted(v)) continue;
    const ArrayVariable* array = array_of[v.reference];
    if (array && array->elements.front() != v.reference) continue;
    ++result.count;
    if (!array) {
      result.html += row(table, v.name, std::span(&v.reference, 1), result.starts);
      continue;
    }
    std::string name = array->name;
    for (std::size_t k = 0; k < array->sizes.size(); ++k)
      name += (k == 0 ? "[" : ",") + size_text(table, *array, k);
    result.html +=
        row(table, name + (array->sizes.empty() ? "" : "]"), array->elements, result.starts);
  }
  return result;
}

std::string table_of(const Rows& rows) {
  return std::string("<table><thead><tr><th>name</th>") + (rows.starts ? "<th>start</th>" : "") +
         "<th>unit</th><th>in SI</th><th>variability</th><th>what it "
         "is</th></tr></thead><tbody>\n" +
         rows.html + "</tbody></table>\n";
}

std::string section(const VariableTable& table, const char* title, const Wanted& wanted) {
  const Rows found = rows(table, wanted);
  return found.count == 0 ? std::string()
                          : "<h2>" + std::string(title) + "</h2>\n" + table_of(found);
}

// Long lists of what few need, closed until somebody opens them.
std::string closed_section(const VariableTable& table, const char* title, const Wanted& wanted) {
  const Rows found = rows(table, wanted);
  return found.count == 0
             ? std::string()
             : "<details><summary>" + std::string(title) + " (" + std::to_string(found.count) +
                   ")</summary>\n" + table_of(found) + "</details>\n";
}

std::string entry(const char* term, const std::string& text) {
  if (text.empty()) return {};
  return "<dt>" + std::string(term) + "</dt><dd>" + escape_xml(text) + "</dd>\n";
}

std::string made_of(const Model& model) {
  std::map<std::string_view, int> count;
  for (const Element& element : model.elements) ++count[element.tag->name];
  std::string text;
  for (const auto& [tag, times] : count)
    text += (text.empty() ? "" : ", ") + std::to_string(times) + " \u00d7 " + std::string(tag);
  return text;
}

std::string solver_section(const DocumentationRequest& request) {
  const SolverSettings& solver = request.model.solver;
  std::string options;
  const auto option = [&](std::string_view name, std::string_view value) {
    options += (options.empty() ? "" : ", ") + std::string(name) + " = " + std::string(value);
  };
  for (const MethodSetting& setting : solver.method_settings)
    option(setting.method + "." + setting.name, setting.value);
  if (solver.initial_step > 0.0) option("first step", number_text(solver.initial_step) + " s");
  if (solver.max_step > 0.0) option("longest step", number_text(solver.max_step) + " s");
  if (solver.max_order > 0) option("highest order", std::to_string(solver.max_order));
  if (solver.redundancy != "error") option("redundancy", solver.redundancy);
  for (const OwnTolerance& own : solver.own_tolerances)
    option("tolerance of " + own.of, (own.rtol > 0.0 ? "rtol " + number_text(own.rtol) + " " : "") +
                                         (own.atol > 0.0 ? "atol " + number_text(own.atol) : ""));
  const double step = solver.output_step > 0.0 ? solver.output_step
                                               : (solver.stop_time - solver.start_time) / 500.0;
  return "<h2>Solver</h2>\n<dl>\n" +
         entry("integrator", request.solver.empty() ? solver.method : request.solver) +
         entry("coordinates", request.coordinates) +
         entry("tolerances", "relative " + number_text(solver.rtol) + ", absolute " +
                                 number_text(solver.atol) + " (SI); an importer may set another") +
         entry("options", options) +
         entry("default experiment", number_text(solver.start_time) + " s to " +
                                         number_text(solver.stop_time) + " s, a value every " +
                                         number_text(step) + " s") +
         "</dl>\n";
}

// Whether a variable is a continuous state; states that the model declares are among them.
bool is_continuous_state(const VariableTable& table, const Variable& v) {
  return std::find(table.states.begin(), table.states.end(), v.reference) != table.states.end();
}

std::string exchange_sections(const VariableTable& table) {
  if (table.states.empty() || !table.no_exchange.empty()) return {};
  std::string html = "<h2>For model exchange</h2>\n";
  html += closed_section(table, "Continuous states",
                         [&](const Variable& v) { return is_continuous_state(table, v); });
  html += closed_section(table, "Their derivatives",
                         [](const Variable& v) { return v.source == Source::derivative; });
  html += closed_section(table, "Event indicators",
                         [](const Variable& v) { return v.source == Source::indicator; });
  return html;
}

}  // namespace

std::string documentation_html(const DocumentationRequest& request) {
  const Model& model = request.model;
  const VariableTable& table = request.table;
  const auto is = [](Causality causality) {
    return [causality](const Variable& v) { return v.causality == causality; };
  };
  const auto of_solver = [&](const Variable& v) {
    return v.source == Source::continuous || v.source == Source::derivative ||
           v.source == Source::indicator || (!request.resizable && is_continuous_state(table, v));
  };
  const std::string name = escape_xml(model.name);
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>"
      "<meta charset=\"UTF-8\"/><title>" +
      name + "</title>\n" + std::string(styles) + "</head>\n<body>\n<h1>" + name + "</h1>\n";
  if (!model.doc.empty()) html += "<p class=\"doc\">" + escape_xml(model.doc) + "</p>\n";
  html += std::string("<p>A ") + (model.planar ? "planar" : "spatial") + " multibody model";
  const std::string parts = made_of(model);
  if (!parts.empty()) html += ": " + escape_xml(parts);
  html +=
      ". Values are exchanged in SI units, angles in radians; the tables show them in the units of "
      "the model. Everything the FMU needs is inside.</p>\n";
  if (!request.picture.empty())
    html += "<figure>\n" + request.picture + "<figcaption>The mechanism at the start" +
            (model.planar ? "" : ", seen from above and the side") +
            ". Names show when pointed at.</figcaption></figure>\n";
  if (request.resizable)
    html += section(table, "Sizes, set in configuration mode",
                    [](const Variable& v) { return v.resizable; });
  html += section(table, "Inputs", is(Causality::input));
  html += section(table, "Outputs", is(Causality::output));
  html += section(table, "Parameters", is(Causality::parameter));
  html += section(table, "Calculated parameters", is(Causality::calculated_parameter));
  html += section(table, "Other values", [&](const Variable& v) {
    return v.causality == Causality::local && !of_solver(v) && !(request.resizable && v.resizable);
  });
  html += solver_section(request);
  html += exchange_sections(table);
  if (!table.no_exchange.empty() || (request.resizable && !table.exchange_arrays)) {
    const std::string& why =
        table.no_exchange.empty() ? table.no_exchange_arrays : table.no_exchange;
    html += "<p>The FMU is for co-simulation alone" + (why.empty() ? "" : ": " + escape_xml(why)) +
            ".</p>\n";
  }
  if (request.reference)
    html +=
        "<p>The FMU holds results of its default experiment: <a "
        "href=\"fmi-ls-ref.txt\">fmi-ls-ref.txt</a>.</p>\n";
  html += "<p>Made with mbsfmu " MBSFMU_VERSION
          ". Licences: <a href=\"licenses/license.txt\">license.txt</a>.</p>\n</body>\n</html>\n";
  return html;
}

std::string licences_text() {
  return
#include "licences.inc"
      ;
}

}  // namespace mbs
