// Stage two: curves. They are made of numbers alone, so that parameters may use them.

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/curve_points.hpp"
#include "engine/model/elaborate.hpp"

namespace mbs {

namespace {

// Why the points make no curve, and in which row.
struct Wrong {
  std::size_t row;
  std::string code, message;
};

std::optional<Wrong> check_points(const CurvePoints& p, Curve::Ends ends) {
  const auto row = [](std::size_t k) { return "row " + std::to_string(k + 1); };
  if (p.x.size() < 2) {
    return Wrong{0, "curve-points",
                 "a curve needs at least two points, here " +
                     std::string(p.x.empty() ? "is none" : "is one")};
  }
  for (std::size_t k = 0; k < p.x.size(); ++k) {
    if (!std::isfinite(p.x[k]) || !std::isfinite(p.y[k])) {
      return Wrong{k, "not-finite", row(k) + " has no finite value in SI units"};
    }
    if (k > 0 && !(p.x[k] > p.x[k - 1])) {
      return Wrong{k, "curve-order",
                   "x must rise from row to row, " + row(k) + " has " + number_text(p.x[k]) +
                       " after " + number_text(p.x[k - 1]) + " (in SI units)"};
    }
  }
  if (ends == Curve::Ends::periodic && p.y.front() != p.y.back()) {
    return Wrong{p.y.size() - 1, "curve-period",
                 "a periodic curve ends with the y it begins with, these are " +
                     number_text(p.y.front()) + " and " + number_text(p.y.back()) +
                     " (in SI units)"};
  }
  return std::nullopt;
}

bool is_finite(const Curve& curve, const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [&](double at) {
    const Curve::Jet y = curve.at(at);
    return std::isfinite(y.value) && std::isfinite(y.first) && std::isfinite(y.second);
  });
}

}  // namespace

std::string file_in_folder(const std::string& from, std::string_view relative) {
  const bool plain = !relative.empty() && !relative.starts_with('/') &&
                     relative.find('\\') == std::string_view::npos &&
                     relative.find(':') == std::string_view::npos;
  const std::string inside = plain ? used_path("", relative) : "..";
  if (inside.empty() || inside == ".." || inside.starts_with("../")) return {};
  return used_path(from, relative);
}

void Elaborator::collect_curves(int system, int scope) {
  const Source& source = *systems_[system].source;
  for (const pugi::xml_node node : source.root.children("curve")) {
    count_element(*source.file, node);
    const std::string name = node.attribute("name").value();
    const std::string full = systems_[system].prefix + name;
    const Place place = source.file->place(node);
    count_text(place, full.size());
    const int index = static_cast<int>(curves_.size());
    if (!declare_name(full, name, {EntityKind::curve, index}, scope, place)) continue;
    const auto [known, fresh] = curve_of_.try_emplace(node.internal_object());
    if (fresh) known->second = read_curve({node, find_tag("curve"), scope, index, ground});
    curves_.push_back(known->second);
  }
}

NamedCurve Elaborator::read_curve(const Item& item) {
  const auto schema = [&](std::string_view name) -> const AttributeSchema& {
    return item.tag->attributes[static_cast<std::size_t>(find_attribute(*item.tag, name))];
  };
  const auto text = [&](const char* name) { return attribute_text(item.node, item.scope, name); };
  const int interpolation = read_attribute(item, schema("interpolation")).index;
  const int beyond = read_attribute(item, schema("beyond")).index;
  Unit units[2];
  bool good = interpolation >= 0 && beyond >= 0;
  for (const int k : {0, 1}) {
    const std::optional<Unit> unit = read_unit(text_of(item, schema(k == 0 ? "x_unit" : "y_unit")));
    if (unit) units[k] = *unit;
    good = good && unit.has_value();
  }
  const Text inline_points = text("points"), file = text("file"), columns = text("columns");
  if (!good || inline_points.present() == file.present()) return {};  // reported by validate

  // The points, and where an offset in their text is.
  CurvePoints points;
  std::string contents;
  std::function<Place(int)> where = [&](int offset) { return place(inline_points, offset); };
  std::string path;
  try {
    if (file.present()) {
      std::array<int, 2> used{1, 2};
      where = [&](int offset) { return place(columns, offset); };
      if (columns.present()) used = parse_columns(columns.text);
      where = [&](int) { return place(file); };
      path = file_in_folder(file_of(item.scope).name(), file.text);
      if (path.empty()) {
        throw SyntaxError{0, "bad-path",
                          "'" + std::string(file.text) + "' is not a file in the model's folder",
                          "a path is relative to the file that contains it, with '/' between "
                          "folders"};
      }
      Diagnostics inside;
      std::optional<std::string> loaded = load_text(path, inside, limits_);
      for (const Diagnostic& d : inside.list()) {
        throw SyntaxError{0, d.code, "'" + std::string(file.text) + "': " + d.message, d.hint};
      }
      contents = std::move(*loaded);
      where = [&](int offset) {
        const auto at = contents.begin() + offset;
        const auto line = std::find(std::make_reverse_iterator(at), contents.rend(), '\n').base();
        return Place{path, 1 + static_cast<int>(std::count(contents.begin(), at, '\n')),
                     1 + static_cast<int>(at - line)};
      };
      points = parse_lines(contents, used);
    } else {
      points = parse_points(inline_points.text);
    }
  } catch (const SyntaxError& e) {
    error(where(e.offset), e.code, e.message, e.hint);
    return {};
  }
  for (std::size_t k = 0; k < points.x.size(); ++k) {
    points.x[k] = units[0].factor * points.x[k] + units[0].offset;
    points.y[k] = units[1].factor * points.y[k] + units[1].offset;
  }
  const auto ends = static_cast<Curve::Ends>(beyond);
  if (const std::optional<Wrong> wrong = check_points(points, ends)) {
    const bool at_row = wrong->row < points.offsets.size();
    error(where(at_row ? points.offsets[wrong->row] : 0), wrong->code, wrong->message);
    return {};
  }
  const auto curve = std::make_shared<Curve>(
      points.x, points.y, static_cast<Curve::Interpolation>(interpolation), ends);
  if (!is_finite(*curve, points.x)) {
    error(where(0), "not-finite", "the curve is too steep for numbers: some slope is infinite");
    return {};
  }
  return {curve, units[0].dimension, units[1].dimension};
}

}  // namespace mbs
