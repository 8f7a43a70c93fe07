#include "tests/model/model_test.hpp"

namespace mbs::test {

namespace {

struct Writer {
  std::ostringstream out;

  void operator()(const Expression& e) {
    out.precision(17);
    if (e.is_constant()) {
      out << " " << e.constant();
      return;
    }
    out << " {";
    for (const Symbol& s : e.symbols()) out << static_cast<int>(s.kind) << ":" << s.index << " ";
    for (const Instruction& i : e.program()) {
      out << static_cast<int>(i.op) << "," << i.argument << "," << i.number << ";";
    }
    out << "}";
  }

  void operator()(const Unit& u) { out << " " << u.name; }

  void operator()(const Measure& m) {
    out << " " << m.name << " " << static_cast<int>(m.quantity) << " " << m.frame << " "
        << m.reference << " " << m.axes << " " << m.element << " " << m.coordinate << " "
        << m.component << " " << m.sign << " " << m.keyword << " " << si_unit_name(m.dimension);
  }
};

}  // namespace

std::string described(const Model& model) {
  Writer w;
  w.out << model.name << " " << model.planar << " " << model.plane_axes[1] << "\n";
  for (const Parameter& p : model.parameters) {
    w.out << p.name << " " << static_cast<int>(p.variability) << p.calculated << " " << p.minimum
          << " " << p.maximum;
    w(p.unit);
    w(p.value);
    w.out << "\n";
  }
  for (const int k : model.parameter_order) w.out << k << " ";
  for (const Input& i : model.inputs) {
    w.out << "\ninput " << i.name;
    w(i.unit);
    w(i.start);
  }
  for (const StateVariable& s : model.states) {
    w.out << "\nstate " << s.name;
    w(s.unit);
    w(s.start);
    w(s.der);
  }
  for (const AlgebraicVariable& a : model.algebraics) {
    w.out << "\nalgebraic " << a.name;
    w(a.unit);
    w(a.start);
    w(a.residual);
  }
  for (const Coordinate& c : model.coordinates) {
    w.out << "\n" << c.name << " " << c.element << " " << c.local << " " << c.sign;
  }
  for (const Measure& m : model.measures) w(m);
  for (const Output& o : model.outputs) {
    w.out << "\noutput " << o.name;
    w(o.unit);
    w(o.what);
    w(o.value);
  }
  for (const Frame& f : model.frames) {
    w.out << "\nframe " << f.name << " " << f.body << " " << f.on;
    for (const Expression& e : f.position) w(e);
    for (const Expression& e : f.rotation) w(e);
  }
  for (const Body& b : model.bodies) w.out << "\nbody " << b.element << " " << b.origin;
  for (const Element& e : model.elements) {
    w.out << "\n<" << e.tag->name << "> " << e.name << " " << e.owner;
    for (const AttributeValue& a : e.attributes) {
      w.out << " | " << a.given << " " << a.text << " " << a.index;
      for (const Expression& x : a.numbers) w(x);
    }
  }
  w.out << "\n";
  for (const Expression& e : model.gravity) w(e);
  const SolverSettings& s = model.solver;
  w.out << model.init_method << model.init_conditions << s.method << s.coordinates << s.linear
        << s.rtol << s.atol << s.initial_step << s.max_step << s.max_order << s.max_steps
        << s.start_time << s.stop_time << s.output_step << s.scheme << s.dense_order;
  for (const OwnTolerance& own : s.own_tolerances) w.out << own.of << own.rtol << own.atol;
  w.out << "\n";
  return w.out.str();
}

}  // namespace mbs::test
