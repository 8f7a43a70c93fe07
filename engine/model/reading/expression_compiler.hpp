#pragma once

// Turns the text of an attribute into expressions and references: parses it, finds what its names
// mean in their scope, checks dimensions. Errors are reported with their place in the text.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/model/reading/expanded_model.hpp"
#include "engine/model/reading/read_report.hpp"

namespace mbs {

// Restricts what an expression may use; `event`: also values known only after the equations are
// solved.
enum class Level : unsigned char { structural, parameters, runtime, event };

class ExpressionCompiler {
 public:
  // Parameters are evaluated when they are first needed, whatever their order in the file.
  ExpressionCompiler(ExpandedModel& expanded, ReadReport& report,
                     std::function<void(int)> evaluate_parameter)
      : expanded_(expanded), report_(report), evaluate_(std::move(evaluate_parameter)) {}

  // Nothing when it cannot be parsed, which is reported.
  const SyntaxTree* parsed(const AttributeText& text);
  // A scope of -1 is that of a value from the command line.
  std::vector<Compiled> compile_list(const AttributeText& text, int scope, Level level,
                                     std::string_view locals = {});
  Compiled compile_one(const AttributeText& text, int scope, Level level);
  // One root of a tree; errors are only in the result.
  Compiled compile_root(const SyntaxTree& tree, int root, int scope, Level level,
                        std::string_view locals = {});
  // Reports a type that does not fit to the attribute.
  bool check_type(const AttributeText& text, const AttributeSchema& schema, const Type& type,
                  const Dimension& wanted, int offset = 0);
  // Reads the text as one name: a frame, a joint, ...; kind `failed` when it is none.
  Entity reference(const AttributeText& text, int scope);
  // "did you mean ...?" of the names in a system; `before` leads to that system.
  std::string candidates(std::string_view keyword, int system, const std::string& before = {});

 private:
  struct Site {  // where a name stands
    const SyntaxTree& tree;
    int scope;
    Level level;
  };
  Resolved resolve(const Site& site, const SyntaxTree::Name& name, std::string_view locals);
  std::optional<Resolved> resolve_keyword(const Site& site, const SyntaxTree::Name& name,
                                          std::string_view locals) const;
  Resolved resolve_parameter(const Site& site, const SyntaxTree::Name& name, int index);
  Resolved resolve_variable(const Site& site, const SyntaxTree::Name& name, Entity entity);
  Resolved not_a_number(const SyntaxTree::Name& name, Entity entity) const;

  Entity look_up(const Site& site, const SyntaxTree::Name& name, SyntaxError& why);
  std::optional<std::string> full_name(const Site& site, const SyntaxTree::Name& name,
                                       SyntaxError& why);
  std::optional<long> index_of(const Site& site, int node, SyntaxError& why);
  SyntaxError unknown_name(const SyntaxTree::Name& name, int scope, const std::string& full);
  SyntaxError wrong_index(const SyntaxTree::Name& name, int scope, const std::string& full);

  ExpandedModel& expanded_;
  ReadReport& report_;
  std::function<void(int)> evaluate_;
  // The key is the address of the text: attributes and the schema's defaults stay where they are.
  std::unordered_map<const void*, std::pair<SyntaxTree, std::optional<SyntaxError>>> parsed_;
};

}  // namespace mbs
