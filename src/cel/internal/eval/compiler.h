// SPDX-License-Identifier: Apache-2.0

// Turns a syntax tree into the compact tree.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/checker/checked.h"
#include "cel/checker/environment.h"
#include "cel/internal/eval/node.h"
#include "cel/syntax/ast.h"

namespace fairway::cel {

class Compiler {
 public:
  Compiler(CompiledProgram& program, const Environment& environment, const Checked* checked)
      : program_(program), environment_(environment), checked_(checked) {}

  Node* compile(const Expression& expression);

 private:
  Node* make(Op op, const Expression& expression);
  Node* constant(const Expression& expression, Value value);
  Node* failure(const Expression& expression, std::string message);
  Node* literal(const Expression& expression, const Literal& literal);
  /// Compiles a name, or a chain of selections that is one; nullptr if it is neither variable nor type.
  Node* name(const Expression& expression);
  Node* select(const Expression& expression, const Select& select);
  Node* call(const Expression& expression, const Call& call);
  Node* function(const Expression& expression, std::string_view name,
                 std::vector<const Expression*> arguments, bool member);
  Node* access(const Expression& expression, const Call& call, Op op);
  Node* list(const Expression& expression, const ListLiteral& literal);
  Node* map(const Expression& expression, const MapLiteral& literal);
  Node* comprehension(const Expression& expression, const Comprehension& comprehension);

  /// Returns whether a node is an attribute. Selections of an attribute are counted as part of it; those of
  /// another value cost one more.
  static bool is_attribute(const Node& node);
  /// Removes the cost of an attribute's root: an attribute that is a branch of ?: or an index is counted
  /// without it.
  static void drop_root_cost(Node& node);
  void compile_pattern(const Value& pattern);
  std::string_view text(std::string text);
  std::optional<std::uint32_t> local(std::string_view name) const;

  CompiledProgram& program_;
  const Environment& environment_;
  const Checked* checked_;
  std::vector<std::pair<std::string, std::uint32_t>> locals_;
};

}  // namespace fairway::cel
