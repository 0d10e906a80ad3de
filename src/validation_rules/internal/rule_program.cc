// SPDX-License-Identifier: Apache-2.0

#include "validation_rules/internal/rule_program.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "cel/checker/checker.h"
#include "cel/cost/estimate.h"
#include "cel/syntax/parser.h"
#include "k8s/view.h"
#include "validation_rules/rule_text.h"

namespace fairway::validation_rules {

namespace {

constexpr std::string_view self_name = "self", old_self_name = "oldSelf";

/// Returns whether an expression names the variable `oldSelf`, not counting a macro's variable of that name.
bool names_old_self(const cel::Expression& expression) {
  if (const auto* identifier = std::get_if<cel::Identifier>(&expression.node)) {
    return identifier->name == old_self_name || identifier->name == "." + std::string(old_self_name);
  }
  if (const auto* macro = std::get_if<cel::Comprehension>(&expression.node)) {
    if (macro->variable == old_self_name || macro->variable2 == old_self_name)
      return names_old_self(*macro->range);
  }
  bool found = false;
  cel::for_each_child(expression,
                      [&](const cel::Expression& child) { found = found || names_old_self(child); });
  return found;
}

struct Compiled {
  std::optional<cel::Program> program;
  std::string error;
  std::uint64_t max_cost = 0;
  bool uses_old_self = false;
};

Compiled compile(std::string_view source, const cel::Environment& environment, cel::TypeKind wanted,
                 std::string_view prefix, std::string_view wrong_type) {
  Compiled compiled;
  const auto tree = cel::parse(source);
  if (!tree) {
    compiled.error = std::string(prefix) + "compilation failed: " +
                     issue_text(source, tree.error().span.start, cel::issue_message(tree.error()));
    return compiled;
  }
  const auto checked = cel::check(**tree, environment);
  if (!checked) {
    compiled.error = std::string(prefix) + "compilation failed: ";
    for (const cel::TypeError& error : checked.error()) {
      if (!compiled.error.ends_with(": ")) compiled.error += '\n';
      compiled.error += issue_text(source, error.span.start, error.message);
    }
    return compiled;
  }
  if (checked->type->kind != wanted) {
    compiled.error = wrong_type;
    return compiled;
  }
  compiled.uses_old_self = names_old_self(**tree);
  compiled.max_cost = cel::estimate_cost(**tree, environment, *checked).max;
  compiled.program.emplace(**tree, environment, &*checked);
  return compiled;
}

RuleProgram compile_rule(const json::Object& schema, const k8s::View& rule, const DeclaredType& type) {
  RuleProgram made;
  const std::string_view source = rule.text("rule");
  made.message = trimmed(rule.text("message"));
  made.shown = made.message.empty() ? std::string(trimmed(source)) : made.message;
  made.reason = rule.text("reason");
  made.has_optional_old_self = rule.flag("optionalOldSelf");
  if (trimmed(source).empty()) return made;

  cel::Environment environment(cel::kubernetes_functions());
  environment.declare(std::string(self_name), type.type);
  environment.declare(std::string(old_self_name),
                      made.has_optional_old_self ? cel::optional_of(type.type) : type.type);
  Compiled compiled =
      compile(source, environment, cel::TypeKind::boolean, "", "cel expression must evaluate to a bool");
  made.program = std::move(compiled.program);
  made.error = std::move(compiled.error);
  made.max_cost = compiled.max_cost;
  made.uses_old_self = compiled.uses_old_self;
  if (!made.program) return made;
  made.message_expression = rule.text("messageExpression");
  if (!made.message_expression.empty()) {
    Compiled message = compile(made.message_expression, environment, cel::TypeKind::string,
                               "messageExpression ", "messageExpression must evaluate to a string");
    made.message_program = std::move(message.program);
    made.message_error = std::move(message.error);
    made.max_message_cost = message.max_cost;
  }
  if (const std::string_view path = rule.text("fieldPath"); !path.empty()) {
    made.field_path = read_field_path(path, schema).value_or("");
  }
  return made;
}

}  // namespace

std::vector<RuleProgram> compile_rules(const json::Object& schema, const json::Array& rules,
                                       const DeclaredType& type) {
  std::vector<RuleProgram> programs;
  for (const json::Value& rule : rules) {
    static const json::Object nothing;
    programs.push_back(compile_rule(schema, k8s::View(rule.is_object() ? rule.get_object() : nothing), type));
  }
  return programs;
}

namespace {

/// Takes the next token of a field path: a delimiter, a text in single quotes, or what is between.
std::string_view take_token(std::string_view& rest) {
  std::size_t end = 0;
  if (rest.front() == '\'') {
    end = 1;
    while (end < rest.size() && (rest[end] != '\'' || rest[end - 1] == '\\')) ++end;
    end = std::min(end + 1, rest.size());
  } else {
    end = std::min(rest.find_first_of(".[]"), rest.size());
    if (end == 0) end = 1;
  }
  const std::string_view token = rest.substr(0, end);
  rest.remove_prefix(end);
  return token;
}

std::expected<std::string, std::string> unescaped(std::string_view text) {
  constexpr std::string_view letters = "abfnrtv'\\", meanings = "\a\b\f\n\r\t\v'\\";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const std::size_t letter = letters.find(text[++i]);
    if (letter == std::string_view::npos) {
      return std::unexpected("invalid string literal: invalid escape char \\" + std::string(1, text[i]));
    }
    out += meanings[letter];
  }
  return out;
}

}  // namespace

std::expected<std::string, std::string> read_field_path(std::string_view path, const json::Object& root) {
  const std::string no_field = "does not refer to a valid field", early_end = "unexpected end of JSON path";
  const json::Object* schema = &root;
  std::string read;
  while (!path.empty()) {
    const std::string_view token = take_token(path);
    if (token != "." && token != "[")
      return std::unexpected("expected [ or . but got: " + std::string(token));
    if (path.empty()) return std::unexpected(early_end);
    std::string name(take_token(path));
    if (token == "[") {
      if (name.size() < 2 || name.front() != '\'' || name.back() != '\'') {
        return std::unexpected("expected single quoted string but got " + name);
      }
      auto plain = unescaped(std::string_view(name).substr(1, name.size() - 2));
      if (!plain) return std::unexpected(plain.error());
      name = std::move(*plain);
      if (path.empty()) return std::unexpected(early_end);
      if (const std::string_view closing = take_token(path); closing != "]") {
        return std::unexpected("expected ] but got " + std::string(closing));
      }
    }
    const json::Value* properties = schema->if_contains("properties");
    const json::Value* values = schema->if_contains("additionalProperties");
    const json::Value* next = nullptr;
    if (properties != nullptr && properties->is_object()) {
      next = properties->get_object().if_contains(name);
      if (!read.empty()) read += '.';
      read += name;
    } else {
      next = values;
      read += "[" + name + "]";
    }
    if (next == nullptr || !next->is_object()) return std::unexpected(no_field);
    schema = &next->get_object();
  }
  return read;
}

}  // namespace fairway::validation_rules
