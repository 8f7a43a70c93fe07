#pragma once

// Helpers shared by the tests of the model language.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "engine/model/reader.hpp"

namespace mbs::test {

inline std::string folder() {
  return MBS_MODEL_TESTS;
}

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string planar(const std::string& inside) {
  return "<mbs name=\"Test\" version=\"1\" planar=\"xy\">\n" + inside + "\n</mbs>\n";
}

inline std::string spatial(const std::string& inside) {
  return "<mbs name=\"Test\" version=\"1\">\n" + inside + "\n</mbs>\n";
}

// The model of a text that must have no errors.
inline Model read(const std::string& text, std::span<const Override> overrides = {}) {
  Diagnostics diagnostics;
  Model model = read_model_text(text, "test.mbs.xml", diagnostics, overrides);
  EXPECT_TRUE(diagnostics.ok()) << diagnostics.text() << text;
  return model;
}

inline std::string errors(const std::string& text, std::span<const Override> overrides = {}) {
  Diagnostics diagnostics;
  read_model_text(text, "test.mbs.xml", diagnostics, overrides);
  return diagnostics.text();
}

inline const Element& element(const Model& model, const std::string& name) {
  for (const Element& e : model.elements) {
    if (e.name == name) return e;
  }
  ADD_FAILURE() << "no element " << name;
  return model.elements.at(0);
}

inline const Frame& frame(const Model& model, const std::string& name) {
  for (const Frame& f : model.frames) {
    if (f.name == name) return f;
  }
  ADD_FAILURE() << "no frame " << name;
  return model.frames.at(0);
}

// The value of an expression of parameters at their start values.
inline double at_start(const Model& model, const Expression& expression) {
  return evaluate(expression, parameter_start_values(model));
}

// Everything in a Model but documentation and places, as text: equal texts are equal models.
std::string described(const Model& model);

}  // namespace mbs::test
