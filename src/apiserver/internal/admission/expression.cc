// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/expression.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "cel/checker/checker.h"
#include "cel/library/authorizer.h"
#include "cel/syntax/parser.h"
#include "validation_rules/rule_text.h"

namespace fairway::apiserver::admission {

namespace {

using cel::TypeKind;
using cel::TypePtr;
using validation_rules::issue_text;

constexpr std::string_view variables_name = "variables";

struct Member {
  const char* name;
  TypePtr type;
};

TypePtr object_of(std::string name, std::initializer_list<Member> members) {
  auto type = std::make_shared<cel::Type>();
  type->kind = TypeKind::object;
  type->name = std::move(name);
  for (const Member& member : members) type->fields[member.name] = {member.name, member.type};
  return type;
}

const TypePtr& text() {
  return cel::simple_type(TypeKind::string);
}

/// Declares the variable of each slot. Those that an expression may not name have a name that it cannot
/// write.
cel::Environment environment_of(const Declarations& declarations) {
  cel::Environment environment(cel::admission_functions());
  const TypePtr& dyn = cel::simple_type(TypeKind::dyn);
  environment.declare("object", dyn);
  environment.declare("oldObject", dyn);
  environment.declare(declarations.params ? "params" : " params", dyn);
  environment.declare("request", request_type());
  environment.declare("namespaceObject", namespace_type());
  environment.declare(declarations.authorizer ? "authorizer" : " authorizer", cel::authorizer_type());
  environment.declare(declarations.authorizer ? "authorizer.requestResource" : " requestResource",
                      cel::resource_check_type());
  auto variables = std::make_shared<cel::Type>();
  variables->kind = TypeKind::object;
  variables->name = "kubernetes.variables";
  for (const NamedType& variable : declarations.variables) {
    variables->fields[variable.name] = {variable.name, variable.type};
  }
  environment.declare(declarations.variables.empty() ? " variables" : std::string(variables_name),
                      std::move(variables));
  for (const NamedType& variable : declarations.variables) {
    environment.declare(std::string(variables_name) + "." + variable.name, variable.type);
  }
  return environment;
}

void find_variables(const cel::Expression& expression, std::set<std::string, std::less<>>& names) {
  if (const auto* select = std::get_if<cel::Select>(&expression.node)) {
    const auto* of = std::get_if<cel::Identifier>(&select->operand->node);
    if (of != nullptr && (of->name == variables_name || of->name == ".variables"))
      names.insert(select->field);
  }
  cel::for_each_child(expression, [&](const cel::Expression& child) { find_variables(child, names); });
}

std::string wrong_type(std::span<const TypeKind> results, const cel::Type& type) {
  std::string wanted;
  for (const TypeKind kind : results) {
    if (!wanted.empty()) wanted += ' ';
    wanted += cel::to_string(*cel::simple_type(kind));
  }
  const bool is_one = results.size() == 1;
  return (is_one ? "must evaluate to " + wanted : "must evaluate to one of [" + wanted + "]") + " but got " +
         cel::to_string(type);
}

}  // namespace

const TypePtr& request_type() {
  static const TypePtr type = [] {
    const TypePtr kind =
        object_of("kubernetes.GroupVersionKind", {{"group", text()}, {"version", text()}, {"kind", text()}});
    const TypePtr resource = object_of("kubernetes.GroupVersionResource",
                                       {{"group", text()}, {"version", text()}, {"resource", text()}});
    const TypePtr user =
        object_of("kubernetes.UserInfo", {{"username", text()},
                                          {"uid", text()},
                                          {"groups", cel::list_of(text())},
                                          {"extra", cel::map_of(text(), cel::list_of(text()))}});
    return object_of("kubernetes.AdmissionRequest", {{"kind", kind},
                                                     {"resource", resource},
                                                     {"subResource", text()},
                                                     {"requestKind", kind},
                                                     {"requestResource", resource},
                                                     {"requestSubResource", text()},
                                                     {"name", text()},
                                                     {"namespace", text()},
                                                     {"operation", text()},
                                                     {"userInfo", user},
                                                     {"dryRun", cel::simple_type(TypeKind::boolean)},
                                                     {"options", cel::simple_type(TypeKind::dyn)}});
  }();
  return type;
}

const TypePtr& namespace_type() {
  static const TypePtr type = [] {
    const TypePtr &time = cel::simple_type(TypeKind::timestamp),
                  &integer = cel::simple_type(TypeKind::integer);
    const TypePtr texts = cel::list_of(text()), map = cel::map_of(text(), text());
    const TypePtr condition = object_of("kubernetes.NamespaceCondition", {{"status", text()},
                                                                          {"type", text()},
                                                                          {"lastTransitionTime", time},
                                                                          {"message", text()},
                                                                          {"reason", text()}});
    const TypePtr metadata =
        object_of("kubernetes.NamespaceMetadata", {{"name", text()},
                                                   {"generateName", text()},
                                                   {"namespace", text()},
                                                   {"labels", map},
                                                   {"annotations", map},
                                                   {"UID", text()},
                                                   {"creationTimestamp", time},
                                                   {"deletionGracePeriodSeconds", integer},
                                                   {"deletionTimestamp", time},
                                                   {"generation", integer},
                                                   {"resourceVersion", text()},
                                                   {"finalizers", texts}});
    return object_of("kubernetes.Namespace",
                     {{"metadata", metadata},
                      {"spec", object_of("kubernetes.NamespaceSpec", {{"finalizers", texts}})},
                      {"status", object_of("kubernetes.NamespaceStatus",
                                           {{"conditions", cel::list_of(condition)}, {"phase", text()}})}});
  }();
  return type;
}

Expression compile_expression(std::string_view source, const Declarations& declarations,
                              std::span<const TypeKind> results) {
  Expression made;
  made.source = source;
  made.type = cel::simple_type(TypeKind::dyn);
  const auto tree = cel::parse(source);
  if (!tree) {
    made.error = "compilation failed: " +
                 issue_text(source, tree.error().span.start, cel::issue_message(tree.error()));
    return made;
  }
  const cel::Environment environment = environment_of(declarations);
  const auto checked = cel::check(**tree, environment);
  if (!checked) {
    made.error = "compilation failed: ";
    for (const cel::TypeError& error : checked.error()) {
      if (!made.error.ends_with(": ")) made.error += '\n';
      made.error += issue_text(source, error.span.start, error.message);
    }
    return made;
  }
  made.type = checked->type;
  if (!results.empty() && std::ranges::find(results, checked->type->kind) == results.end()) {
    made.error = wrong_type(results, *checked->type);
    return made;
  }
  std::set<std::string, std::less<>> names;
  find_variables(**tree, names);
  for (std::size_t i = 0; i < declarations.variables.size(); ++i) {
    if (names.contains(declarations.variables[i].name)) made.variables.push_back(i);
  }
  made.program.emplace(**tree, environment, &*checked);
  return made;
}

}  // namespace fairway::apiserver::admission
