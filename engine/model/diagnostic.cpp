#include "engine/model/diagnostic.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace mbs {

namespace {

std::string key(const Place& place, const std::string& code, const std::string& message) {
  std::string result = code + '\n' + place.file + '\n' + std::to_string(place.line) + ':' +
                       std::to_string(place.column);
  if (place.line == 0) result += '\n' + message;
  return result;
}

const char* keyword(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    default:
      return "note";
  }
}

}  // namespace

void Diagnostics::add(Diagnostic diagnostic) {
  const auto [entry, fresh] =
      known_.try_emplace(key(diagnostic.place, diagnostic.code, diagnostic.message), list_.size());
  if (!fresh) {
    ++list_[entry->second].repeats;
    return;
  }
  if (diagnostic.severity == Severity::error) ++errors_;
  list_.push_back(std::move(diagnostic));
}

void Diagnostics::error(const Place& place, std::string code, std::string message,
                        std::string hint) {
  add({place, Severity::error, std::move(code), std::move(message), std::move(hint)});
}

void Diagnostics::warning(const Place& place, std::string code, std::string message,
                          std::string hint) {
  add({place, Severity::warning, std::move(code), std::move(message), std::move(hint)});
}

void Diagnostics::note(const Place& place, std::string code, std::string message) {
  add({place, Severity::note, std::move(code), std::move(message), {}});
}

bool Diagnostics::count_again(const Place& place, const std::string& code) {
  if (place.line == 0) return false;
  const auto entry = known_.find(key(place, code, {}));
  if (entry == known_.end()) return false;
  ++list_[entry->second].repeats;
  return true;
}

std::string Diagnostics::text() const {
  std::map<std::string, std::size_t> file_order;
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& d : list_) {
    file_order.try_emplace(d.place.file, file_order.size());
    sorted.push_back(&d);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Diagnostic* a, const Diagnostic* b) {
    const auto position = [&](const Diagnostic* d) {
      return std::tuple(file_order.at(d->place.file), d->place.line, d->place.column);
    };
    return position(a) < position(b);
  });
  std::string result;
  for (const Diagnostic* d : sorted) {
    result += d->place.file;
    if (d->place.line > 0) {
      result += ':' + std::to_string(d->place.line) + ':' + std::to_string(d->place.column);
    }
    result += std::string(": ") + keyword(d->severity) + ": " + d->message;
    if (d->repeats > 0) {
      result += " (and in " + std::to_string(d->repeats) + " further pass" +
                (d->repeats > 1 ? "es" : "") + ")";
    }
    result += " [" + d->code + "]\n";
    if (!d->hint.empty()) result += "  hint: " + d->hint + '\n';
  }
  return result;
}

}  // namespace mbs
