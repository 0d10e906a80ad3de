// SPDX-License-Identifier: Apache-2.0

// Macros: calls that are rewritten while they are parsed.
#include "cel/internal/syntax/parser_state.h"

namespace fairway::cel {

namespace {

struct MacroForm {
  std::string_view name;
  std::size_t arguments;
  Macro macro;
  bool two_variables;
};

constexpr MacroForm forms[] = {
    {"all", 2, Macro::all, false},
    {"exists", 2, Macro::exists, false},
    {"exists_one", 2, Macro::exists_one, false},
    {"existsOne", 2, Macro::exists_one, false},
    {"filter", 2, Macro::filter, false},
    {"map", 2, Macro::map, false},
    {"map", 3, Macro::map, false},
    {"optMap", 2, Macro::opt_map, false},
    {"optFlatMap", 2, Macro::opt_flat_map, false},
    {"sortBy", 2, Macro::sort_by, false},
    {"all", 3, Macro::all, true},
    {"exists", 3, Macro::exists, true},
    {"existsOne", 3, Macro::exists_one, true},
    {"exists_one", 3, Macro::exists_one, true},
    {"transformList", 3, Macro::transform_list, true},
    {"transformList", 4, Macro::transform_list, true},
    {"transformMap", 3, Macro::transform_map, true},
    {"transformMap", 4, Macro::transform_map, true},
    {"transformMapEntry", 3, Macro::transform_map_entry, true},
    {"transformMapEntry", 4, Macro::transform_map_entry, true},
};

/// Returns the name that an argument declares, nullptr if it is not a simple name.
const std::string* declared(const Expression& argument) {
  const auto* name = std::get_if<Identifier>(&argument.node);
  return name && !name->name.starts_with('.') ? &name->name : nullptr;
}

}  // namespace

std::optional<std::pair<Macro, bool>> ParserState::macro_of(std::string_view name,
                                                            std::size_t arguments) const {
  for (const MacroForm& form : forms)
    if (form.name == name && form.arguments == arguments) return std::pair{form.macro, form.two_variables};
  return std::nullopt;
}

ExpressionPtr ParserState::global_call(std::string name, std::vector<ExpressionPtr> arguments, Span span) {
  if (name == "has" && arguments.size() == 1) {
    auto* select = std::get_if<Select>(&arguments[0]->node);
    if (!select || select->test_only) return refuse(arguments[0]->span, "invalid argument to has() macro");
    return make(Select{std::move(select->operand), std::move(select->field), true}, span);
  }
  return make(Call{std::move(name), nullptr, std::move(arguments)}, span);
}

ExpressionPtr ParserState::member_call(ExpressionPtr target, std::string name,
                                       std::vector<ExpressionPtr> arguments, Span span) {
  if (const auto macro = macro_of(name, arguments.size()))
    return expand(macro->first, macro->second, std::move(target), std::move(arguments), span);
  return make(Call{std::move(name), std::move(target), std::move(arguments)}, span);
}

ExpressionPtr ParserState::expand(Macro macro, bool two_variables, ExpressionPtr range,
                                  std::vector<ExpressionPtr> arguments, Span span) {
  Comprehension node;
  node.macro = macro;
  node.range = std::move(range);
  const std::size_t variables = two_variables ? 2 : 1;
  for (std::size_t i = 0; i < variables; ++i) {
    const std::string* name = declared(*arguments[i]);
    if (!name) return refuse(arguments[i]->span, "argument must be a simple name");
    if (*name == "__result__" || *name == "@result")
      return refuse(arguments[i]->span, "iteration variable overwrites accumulator variable");
    (i == 0 ? node.variable : node.variable2) = *name;
  }
  if (two_variables && node.variable == node.variable2)
    return refuse(arguments[1]->span, "duplicate variable name: " + node.variable);
  if (arguments.size() == variables + 2) node.filter = std::move(arguments[variables]);
  node.body = std::move(arguments.back());
  return make(std::move(node), span);
}

}  // namespace fairway::cel
