#include "engine/contact/problem_text.hpp"

#include <charconv>
#include <cmath>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "engine/base/text.hpp"

namespace mbs {
namespace {

constexpr std::string_view title = "contact problem 1";
constexpr int largest_matrix = 10000;  // rows of W: 0.8 GB
constexpr int largest_size = 10'000'000;
constexpr int largest_body = 1000;
constexpr double longest_direction = 1.0 + 1e-9;

bool written(double value) {
  return value != 0.0 || std::signbit(value);
}

template <class Sparse>
void write_entries(std::ostream& out, std::string_view name, const Sparse& A) {
  out << name << ' ' << A.nonZeros() << '\n';
  for (Eigen::Index k = 0; k < A.outerSize(); ++k) {
    for (typename Sparse::InnerIterator entry(A, k); entry; ++entry)
      out << entry.row() << ' ' << entry.col() << ' ' << number_text(entry.value()) << '\n';
  }
}

void write_matrix(std::ostream& out, const Matrix& W) {
  Eigen::Index entries = 0;
  for (const double value : W.reshaped()) entries += written(value) ? 1 : 0;
  out << "W " << entries << '\n';
  for (Eigen::Index i = 0; i < W.rows(); ++i) {
    for (Eigen::Index k = 0; k < W.cols(); ++k)
      if (written(W(i, k))) out << i << ' ' << k << ' ' << number_text(W(i, k)) << '\n';
  }
}

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '\\' || c == '\n') text += '\\';
    text += c == '\n' ? 'n' : c;
  }
  return text;
}

std::string unescaped(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size();
    if (escape) ++i;
    name += escape && text[i] == 'n' ? '\n' : text[i];
  }
  return name;
}

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  ContactProblem read() {
    if (next_line() != title) fail("the first line is '" + std::string(title) + "'");
    const int size = integer_after("size", largest_size);
    problem_.bias_scale = not_negative(after("bias_scale"));
    owner_.clear();
    std::string_view line = next_line();
    for (; line.starts_with("contact '"); line = next_line()) read_cone(line, size);
    if (line != "b") fail("a contact or 'b' is expected");
    read_bias(size);
    line = next_line();
    if (line.starts_with("bodies "))
      read_factors(size, integer(line.substr(7), largest_size));
    else if (line.starts_with("W "))
      read_matrix(size, line.substr(2));
    else
      fail("'W' or 'bodies' is expected");
    if (!at_end()) fail("nothing is expected after the last matrix");
    return std::move(problem_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("line " + std::to_string(number_) + ": " + what);
  }

  bool take_line() {
    while (std::getline(in_, line_)) {
      ++number_;
      if (!line_.empty() && line_.back() == '\r') line_.pop_back();
      if (!line_.empty() && line_.front() != '#') return true;
    }
    return false;
  }
  std::string_view next_line() {
    if (!take_line()) fail("the text ends too early");
    return line_;
  }
  bool at_end() { return !take_line(); }

  double number(std::string_view text) const {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      fail("'" + std::string(text.substr(0, 40)) + "' is not a finite number");
    return value;
  }
  double not_negative(std::string_view text) const {
    const double value = number(text);
    if (value < 0.0) fail("'" + std::string(text) + "' is negative");
    return value;
  }
  int integer(std::string_view text, int most, int least = 0) const {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
      fail("'" + std::string(text.substr(0, 40)) + "' is not a whole number from " +
           std::to_string(least) + " to " + std::to_string(most));
    return value;
  }
  std::string_view after(std::string_view keyword) {
    const std::string_view line = next_line();
    if (!line.starts_with(keyword) || line.size() <= keyword.size() || line[keyword.size()] != ' ')
      fail("'" + std::string(keyword) + "' with a number is expected");
    return line.substr(keyword.size() + 1);
  }
  int integer_after(std::string_view keyword, int most) { return integer(after(keyword), most); }

  void own(int entry) {
    if (owner_.size() <= static_cast<std::size_t>(entry))
      owner_.resize(static_cast<std::size_t>(entry) + 1, 0);
    if (std::exchange(owner_[static_cast<std::size_t>(entry)], 1) != 0)
      fail("entry " + std::to_string(entry) + " belongs to two contacts");
  }

  void read_cone(std::string_view line, int size) {
    const std::size_t end = line.rfind("': normal ");
    if (end == std::string_view::npos) fail("a contact is: contact 'name': normal ...");
    FrictionCone cone;
    cone.name = unescaped(line.substr(9, end < 9 ? 0 : end - 9));
    std::vector<std::string_view> part;
    for (const std::string_view item : split(line.substr(end + 3), ',')) {
      for (const std::string_view text : split(item, ' ')) part.push_back(text);
    }
    const bool slides = part.size() > 10;
    if (part.size() < 10 || part[0] != "normal" || part[2] != "tangents" || part[4] != "from" ||
        part[6] != "mu" || part[8] != "limit" ||
        (slides && (part.size() < 13 || part[10] != "slides" || part[11] != "along")))
      fail("a contact is: contact 'name': normal 0, tangents 2 from 1, mu 0.5, limit 0");
    cone.normal = integer(part[1], size - 1, -1);
    cone.tangents = integer(part[3], 2);
    if (cone.tangents > 0) cone.tangent = integer(part[5], size - cone.tangents);
    cone.mu = not_negative(part[7]);
    cone.limit = not_negative(part[9]);
    if (slides) {
      if (part.size() != 12u + static_cast<std::size_t>(cone.tangents))
        fail("a sliding direction has a number for each tangent");
      cone.sliding.resize(cone.tangents);
      for (int k = 0; k < cone.tangents; ++k)
        cone.sliding[k] = number(part[12u + static_cast<std::size_t>(k)]);
      if (cone.sliding.norm() > longest_direction) fail("a sliding direction is longer than 1");
    }
    if (cone.normal < 0 && cone.tangents == 0) fail("the contact has neither normal nor tangents");
    if (cone.normal >= 0) own(cone.normal);
    for (int k = 0; k < cone.tangents; ++k) own(cone.tangent + k);
    problem_.cones.push_back(std::move(cone));
  }

  void read_bias(int size) {
    std::vector<double> values;
    for (int k = 0; k < size; ++k) values.push_back(number(next_line()));
    problem_.b = Eigen::Map<const Vector>(values.data(), size);
    for (int k = 0; k < size; ++k) {
      if (static_cast<std::size_t>(k) >= owner_.size() || owner_[static_cast<std::size_t>(k)] == 0)
        fail("entry " + std::to_string(k) + " belongs to no contact");
    }
  }

  std::vector<Eigen::Triplet<double>> read_entries(int entries, int rows, Eigen::Index columns) {
    std::vector<Eigen::Triplet<double>> result;
    for (int k = 0; k < entries; ++k) {
      const std::vector<std::string_view> part = split(next_line(), ' ');
      if (part.size() != 3) fail("an entry is: row column value");
      const int row = integer(part[0], rows - 1);
      result.emplace_back(row, integer(part[1], static_cast<int>(columns) - 1), number(part[2]));
    }
    return result;
  }

  void read_matrix(int size, std::string_view count) {
    if (size > largest_matrix)
      fail("W has more than " + std::to_string(largest_matrix) + " rows: give its factors");
    problem_.W = Matrix::Zero(size, size);
    const int most =
        static_cast<int>(std::min<long>(static_cast<long>(size) * size, largest_size * 100L));
    for (const auto& entry : read_entries(integer(count, most), size, size))
      problem_.W(entry.row(), entry.col()) = entry.value();
  }

  void read_factors(int size, int bodies) {
    std::vector<Matrix> masses;
    Eigen::Index columns = 0;
    for (int body = 0; body < bodies; ++body) {
      const int n = integer(next_line(), largest_body, 1);
      std::vector<double> values;
      for (int i = 0; i < n; ++i) {
        const std::vector<std::string_view> part = split(next_line(), ' ');
        if (part.size() != static_cast<std::size_t>(n))
          fail("a row of this mass matrix has " + std::to_string(n) + " numbers");
        for (const std::string_view text : part) values.push_back(number(text));
      }
      masses.push_back(Eigen::Map<const Matrix>(values.data(), n, n).transpose());
      columns += n;
      if (columns > largest_size) fail("the bodies have too many freedoms");
    }
    const auto entries = read_entries(integer_after("J", largest_size * 10), size, columns);
    RowSparse J(size, columns);
    J.setFromTriplets(entries.begin(), entries.end(), [](double, double last) { return last; });
    try {
      problem_.factors.emplace(std::move(J), std::move(masses));
    } catch (const std::invalid_argument& error) {
      fail(error.what());
    }
  }

  std::istream& in_;
  std::string line_;
  long number_ = 0;
  std::vector<char> owner_;  // of the entries of x
  ContactProblem problem_;
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const ContactProblem& problem) {
  out << title << "\nsize " << problem.b.size() << "\nbias_scale "
      << number_text(problem.bias_scale) << '\n';
  for (const FrictionCone& cone : problem.cones) {
    out << "contact '" << escaped(cone.name) << "': normal " << cone.normal << ", tangents "
        << cone.tangents << " from " << cone.tangent << ", mu " << number_text(cone.mu)
        << ", limit " << number_text(cone.limit);
    if (cone.sliding.size() > 0) out << ", slides along";
    for (const double d : cone.sliding) out << ' ' << number_text(d);
    out << '\n';
  }
  out << "b\n";
  for (const double value : problem.b) out << number_text(value) << '\n';
  if (!problem.factors) {
    write_matrix(out, problem.W);
    return out;
  }
  out << "bodies " << problem.factors->masses().size() << '\n';
  for (const Matrix& M : problem.factors->masses()) {
    out << M.rows() << '\n';
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      for (Eigen::Index k = 0; k < M.cols(); ++k) out << (k > 0 ? " " : "") << number_text(M(i, k));
      out << '\n';
    }
  }
  write_entries(out, "J", problem.factors->J());
  return out;
}

ContactProblemText read_contact_problem(std::istream& in) {
  try {
    return {Reader(in).read(), {}};
  } catch (const std::runtime_error& error) {
    return {{}, error.what()};
  }
}

}  // namespace mbs
