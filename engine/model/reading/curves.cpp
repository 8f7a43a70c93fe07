#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/model/curve_points.hpp"
#include "engine/model/reading/expand.hpp"

namespace mbs {

namespace {

// Why the points make no curve, and in which row.
struct Defect {
  std::size_t row;
  std::string code, message;
};

std::optional<Defect> check_points(const CurvePoints& p, Curve::Ends ends) {
  const auto row = [](std::size_t k) { return "row " + std::to_string(k + 1); };
  if (p.x.size() < 2) {
    return Defect{0, "curve-points",
                  "a curve needs at least two points, here " +
                      std::string(p.x.empty() ? "is none" : "is one")};
  }
  for (std::size_t k = 0; k < p.x.size(); ++k) {
    if (!std::isfinite(p.x[k]) || !std::isfinite(p.y[k])) {
      return Defect{k, "not-finite", row(k) + " has no finite value in SI units"};
    }
    if (k > 0 && !(p.x[k] > p.x[k - 1])) {
      return Defect{k, "curve-order",
                    "x must rise from row to row, " + row(k) + " has " + number_text(p.x[k]) +
                        " after " + number_text(p.x[k - 1]) + " (in SI units)"};
    }
  }
  if (ends == Curve::Ends::periodic && p.y.front() != p.y.back()) {
    return Defect{p.y.size() - 1, "curve-period",
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

// The points with the place of each row.
struct Rows {
  CurvePoints points;
  std::function<Place(int)> place;  // of an offset in their text
};

// Throws SyntaxError, whose offset `place` of the result explains.
void read_rows(const AttributeText& file, const AttributeText& columns, const ReadLimits& limits,
               Rows& rows) {
  std::array<int, 2> used{1, 2};
  rows.place = [columns](int offset) { return columns.place(offset); };
  if (columns.present()) used = parse_columns(columns.text);
  rows.place = [file](int) { return file.place(); };
  const std::string path = file_in_folder(file.file->name(), file.text);
  if (path.empty()) {
    throw SyntaxError{0, "bad-path",
                      "'" + std::string(file.text) + "' is not a file in the model's folder",
                      "a path is relative to the file that contains it, with '/' between folders"};
  }
  Diagnostics inside;
  const std::optional<std::string> loaded = load_text(path, inside, limits);
  for (const Diagnostic& d : inside.list()) {
    throw SyntaxError{0, d.code, "'" + std::string(file.text) + "': " + d.message, d.hint};
  }
  rows.place = [path, contents = *loaded](int offset) {
    const std::string_view before = std::string_view(contents).substr(0, offset);
    const std::size_t line = before.rfind('\n') + 1;  // npos + 1 is 0
    return Place{path, 1 + static_cast<int>(std::ranges::count(before, '\n')),
                 1 + static_cast<int>(before.size() - line)};
  };
  rows.points = parse_lines(*loaded, used);
}

}  // namespace

NamedCurve read_curve(ReadContext& context, const Item& item) {
  const auto text = [&](const char* name) { return context.own_text(item, name); };
  const auto unit = [&](const char* name) {
    return context.attributes.unit(context.attributes.text(item, item.attribute(name)));
  };
  const int interpolation = context.read(item, "interpolation").index;
  const int beyond = context.read(item, "beyond").index;
  const std::optional<Unit> x = unit("x_unit"), y = unit("y_unit");
  const AttributeText points = text("points"), file = text("file");
  if (interpolation < 0 || beyond < 0 || !x || !y) return {};
  if (points.present() == file.present()) return {};  // reported by the validation

  Rows rows{{}, [points](int offset) { return points.place(offset); }};
  try {
    if (file.present()) {
      read_rows(file, text("columns"), context.report.limits(), rows);
    } else {
      rows.points = parse_points(points.text);
    }
  } catch (const SyntaxError& e) {
    context.report.error(rows.place(e.offset), e.code, e.message, e.hint);
    return {};
  }
  CurvePoints& p = rows.points;
  for (std::size_t k = 0; k < p.x.size(); ++k) {
    p.x[k] = x->factor * p.x[k] + x->offset;
    p.y[k] = y->factor * p.y[k] + y->offset;
  }
  const auto ends = static_cast<Curve::Ends>(beyond);
  if (const std::optional<Defect> defect = check_points(p, ends)) {
    const bool in_row = defect->row < p.offsets.size();
    context.report.error(rows.place(in_row ? p.offsets[defect->row] : 0), defect->code,
                         defect->message);
    return {};
  }
  const auto curve =
      std::make_shared<Curve>(p.x, p.y, static_cast<Curve::Interpolation>(interpolation), ends);
  if (!is_finite(*curve, p.x)) {
    context.report.error(rows.place(0), "not-finite",
                         "the curve is too steep for numbers: some slope is infinite");
    return {};
  }
  return {curve, x->dimension, y->dimension};
}

}  // namespace mbs
