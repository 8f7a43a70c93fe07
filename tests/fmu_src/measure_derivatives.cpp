// Measures the cost of a Jacobian through FMI: all rates and real outputs by all states and inputs,
// column by column with GetDirectionalDerivative as importers ask for it, against a difference: the
// importer changes one state (which sets them all) or one input, reads all rates and outputs, and
// changes it back with the next. A one-sided Jacobian is n of them and the point itself, a
// two-sided one 2 n. Also in one unit: one call with all knowns at once at a point that is known,
// all adjoints, and FMI 2.0. Processor time, the least of several rounds that alternate. It is no
// test, because time depends on the machine: measure_derivatives RUNTIME MODEL...

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

#include "tests/fmu_src/fmu.hpp"

namespace mbs::test {
namespace {

double seconds(const auto& what) {
  const std::clock_t begin = std::clock();
  int rounds = 0;
  do what();
  while (++rounds < 3 || std::clock() - begin < CLOCKS_PER_SEC / 100);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / rounds;
}

void say_nothing(void*, const char*, fmi2Status, const char*, const char*, ...) {}

// One instance for model exchange, in continuous-time mode.
class Client {
 public:
  Client(const Fmu& fmu, int version) : fmi3_(version == 3) {
    const std::string& token = fmu.description.token;
    if (fmi3_) {
      handle_ = f3_.InstantiateModelExchange(
          "m", token.c_str(), (fmu.resources.path() + "/").c_str(), false, false, nullptr, nullptr);
      if (!handle_ || f3_.EnterInitializationMode(handle_, false, 0, 0, false, 0) != fmi3OK ||
          f3_.ExitInitializationMode(handle_) != fmi3OK)
        throw std::runtime_error("does not start");
      bool flags[5];
      double next = 0.0;
      f3_.UpdateDiscreteStates(handle_, &flags[0], &flags[1], &flags[2], &flags[3], &flags[4],
                               &next);
      f3_.EnterContinuousTimeMode(handle_);
    } else {
      handle_ =
          f2_.Instantiate("m", fmi2ModelExchange, token.c_str(),
                          ("file://" + fmu.resources.path()).c_str(), &callbacks_, false, false);
      if (!handle_ || f2_.SetupExperiment(handle_, false, 0, 0, false, 0) != fmi2OK ||
          f2_.EnterInitializationMode(handle_) != fmi2OK ||
          f2_.ExitInitializationMode(handle_) != fmi2OK)
        throw std::runtime_error("does not start");
      fmi2EventInfo info{};
      f2_.NewDiscreteStates(handle_, &info);
      f2_.EnterContinuousTimeMode(handle_);
    }
  }
  ~Client() { fmi3_ ? f3_.FreeInstance(handle_) : f2_.FreeInstance(handle_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  using References = std::vector<std::uint32_t>;
  using Values = std::vector<double>;
  void get_states(Values& x) {
    fmi3_ ? int(f3_.GetContinuousStates(handle_, x.data(), x.size()))
          : int(f2_.GetContinuousStates(handle_, x.data(), x.size()));
  }
  void set_states(const Values& x) {
    fmi3_ ? int(f3_.SetContinuousStates(handle_, x.data(), x.size()))
          : int(f2_.SetContinuousStates(handle_, x.data(), x.size()));
  }
  void get_rates(Values& dx) {
    fmi3_ ? int(f3_.GetContinuousStateDerivatives(handle_, dx.data(), dx.size()))
          : int(f2_.GetDerivatives(handle_, dx.data(), dx.size()));
  }
  void get(const References& r, Values& y) {
    fmi3_ ? int(f3_.GetFloat64(handle_, r.data(), r.size(), y.data(), y.size()))
          : int(f2_.GetReal(handle_, r.data(), r.size(), y.data()));
  }
  void set(std::uint32_t r, double u) {
    fmi3_ ? int(f3_.SetFloat64(handle_, &r, 1, &u, 1)) : int(f2_.SetReal(handle_, &r, 1, &u));
  }
  bool along(const References& unknowns, const std::uint32_t* knowns, std::size_t count,
             const double* seed, Values& column) {
    return fmi3_ ? f3_.GetDirectionalDerivative(handle_, unknowns.data(), unknowns.size(), knowns,
                                                count, seed, count, column.data(),
                                                column.size()) == fmi3OK
                 : f2_.GetDirectionalDerivative(handle_, unknowns.data(), unknowns.size(), knowns,
                                                count, seed, column.data()) == fmi2OK;
  }
  void adjoint(const References& unknowns, const References& knowns, const Values& seed,
               Values& row) {
    f3_.GetAdjointDerivative(handle_, unknowns.data(), unknowns.size(), knowns.data(),
                             knowns.size(), seed.data(), seed.size(), row.data(), row.size());
  }

 private:
  const bool fmi3_;
  const Functions3& f3_ = runtime().fmi3;
  const Functions2& f2_ = runtime().fmi2;
  fmi2CallbackFunctions callbacks_{say_nothing, nullptr, nullptr, nullptr, nullptr};
  void* handle_ = nullptr;
};

struct Costs {
  double difference = 1e9, first = 1e9, jacobian = 1e9, direction = 1e9, adjoint = 1e9;
};

class Measurement {
 public:
  Measurement(const Fmu& fmu, int version)
      : client_(fmu, version), fmi3_(version == 3), table_(fmu.description.table) {
    knowns_ = table_.states;
    unknowns_ = table_.derivatives;
    for (const Variable& v : table_.variables) {
      if (v.source == Source::output && v.type == ValueType::real && v.follows_states)
        outputs_.push_back(v.reference);
      if (v.source == Source::input) inputs_.push_back(v.reference);
    }
    knowns_.insert(knowns_.end(), inputs_.begin(), inputs_.end());
    unknowns_.insert(unknowns_.end(), outputs_.begin(), outputs_.end());
    x_.resize(table_.states.size());
    dx_.resize(x_.size());
    y_.resize(outputs_.size());
    u_.resize(inputs_.size());
    column_.resize(unknowns_.size());
    seed_.assign(std::max(knowns_.size(), unknowns_.size()), 1.0);
    row_.resize(knowns_.size());
    client_.get_states(x_);
    client_.get(inputs_, u_);
  }
  std::size_t knowns() const { return knowns_.size(); }
  std::size_t outputs() const { return outputs_.size(); }

  Costs run() {
    Costs least;
    for (int i = 0; i < 7; ++i) {
      const auto keep = [](double& best, double now) { best = std::min(best, now); };
      keep(least.difference, seconds([&] { differences(); }) / static_cast<double>(knowns()));
      keep(least.first, seconds([&] { jacobian(1); }));
      keep(least.jacobian, seconds([&] { jacobian(knowns()); }));
      keep(least.direction, seconds([&] {
             ask(client_.along(unknowns_, knowns_.data(), knowns(), seed_.data(), column_));
           }));
      if (!fmi3_) continue;
      keep(least.adjoint, seconds([&] {
             move();
             client_.adjoint(unknowns_, knowns_,
                             {seed_.begin(), seed_.begin() + std::ssize(unknowns_)}, row_);
           }));
    }
    return least;
  }

 private:
  void ask(bool answered) {
    if (!answered) throw std::runtime_error("refuses");
  }
  void move() {  // another point each time
    x_[0] += by_ = -by_;
    client_.set_states(x_);
  }
  void differences() {
    for (double& x : x_) {
      const double before = x;
      x += 1e-7;
      client_.set_states(x_);
      look();
      x = before;
    }
    client_.set_states(x_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      client_.set(inputs_[i], u_[i] + 1e-7);
      look();
      client_.set(inputs_[i], u_[i]);
    }
  }
  void look() {
    client_.get_rates(dx_);
    client_.get(outputs_, y_);
  }
  void jacobian(std::size_t columns) {
    move();
    const double one = 1.0;
    for (std::size_t k = 0; k < columns; ++k)
      ask(client_.along(unknowns_, &knowns_[k], 1, &one, column_));
  }

  Client client_;
  const bool fmi3_;
  const VariableTable& table_;
  std::vector<std::uint32_t> outputs_, inputs_, knowns_, unknowns_;
  std::vector<double> x_, dx_, y_, u_, column_, seed_, row_;
  double by_ = 1e-9;
};

void measure(const std::string& path) {
  std::ifstream file(path);
  const Fmu fmu(std::string(std::istreambuf_iterator<char>(file), {}));
  Measurement with3(fmu, 3), with2(fmu, 2);
  const Costs c = with3.run(), c2 = with2.run();
  const double n = static_cast<double>(with3.knowns()), us = 1e6;
  const std::string name = path.substr(path.rfind('/') + 1);
  std::printf(
      "| %s | %.0f | %zu | %.2f | %.1f | %.1f | %.1f | %.3f | %.3f | %.2f | %.1f | %.3f |\n",
      name.substr(0, name.find('.')).c_str(), n, with3.outputs(), us * c.difference, us * c.first,
      us * c.jacobian, c.jacobian / c.difference, c.jacobian / c.difference / n,
      0.5 * c.jacobian / c.difference / n, c.direction / c.difference, c.adjoint / c.difference,
      c2.jacobian / c2.difference / n);
}

}  // namespace
}  // namespace mbs::test

int main(int count, char** arguments) {
  if (count > 1) setenv("MBSFMU_RUNTIME_FILE", arguments[1], 1);
  std::printf(
      "| model | n | outputs | a difference, us | first column, us | Jacobian, us | in differences "
      "| "
      "per n | per n, two-sided | a direction | all adjoints | FMI 2.0, per n |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 2; i < count; ++i) {
    try {
      mbs::test::measure(arguments[i]);
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", arguments[i], error.what());
    }
  }
  return 0;
}
