// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/check_fields.h"

#include <algorithm>
#include <array>

#include "apiserver/internal/validation/check_selector.h"
#include "base/text.h"
#include "k8s/names.h"
#include "validation_rules/rule_text.h"

namespace fairway::apiserver::admission {

namespace {

constexpr std::size_t most_conditions = 64;

bool has(const std::vector<std::string_view>& list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

json::Value list_at(const k8s::View& of, std::string_view member) {
  const json::Value* value = of.find(member);
  return value != nullptr ? *value : json::Value();
}

}  // namespace

std::string at_index(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

bool is_blank(std::string_view text) {
  return validation_rules::trimmed(text).empty();
}

void FieldCheck::one_of(const k8s::View& of, std::string_view member, const std::string& path,
                        bool is_required, const std::vector<std::string_view>& supported) {
  const std::string at = path + "." + std::string(member);
  const auto text = of.find_text(member);
  if (!text) {
    if (is_required) required(at);
    return;
  }
  if (!has(supported, *text)) add(k8s::FieldError::not_supported(at, json::Value(*text), supported));
}

void FieldCheck::resources(const k8s::View& rule, const std::string& path) {
  const std::vector<std::string_view> all = rule.texts("resources");
  if (all.empty()) required(path);
  std::set<std::string_view> with_all_subresources, of_all_resources;
  bool has_plain = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view one = all[i];
    const std::string at = at_index(path, i);
    if (one.empty()) {
      required(at);
      continue;
    }
    const std::size_t slash = one.find('/');
    if (slash == std::string_view::npos) {
      has_plain = one != "*";
      continue;
    }
    const std::string_view resource = one.substr(0, slash), subresource = one.substr(slash + 1);
    const std::string text(one);
    if (with_all_subresources.contains(resource)) {
      invalid(at, json::Value(one),
              "if '" + std::string(resource) + "/*' is present, must not specify " + text);
    }
    if (of_all_resources.contains(subresource)) {
      invalid(at, json::Value(one),
              "if '*/" + std::string(subresource) + "' is present, must not specify " + text);
    }
    if (subresource == "*") with_all_subresources.insert(resource);
    if (resource == "*") of_all_resources.insert(subresource);
  }
  if (all.size() > 1 && has(all, "*/*")) {
    invalid(path, list_at(rule, "resources"), "if '*/*' is present, must not specify other resources");
  }
  if (has(all, "*") && has_plain) {
    invalid(path, list_at(rule, "resources"),
            "if '*' is present, must not specify other resources without subresources");
  }
}

void FieldCheck::rule(const k8s::View& rule, const std::string& path, bool is_named) {
  if (is_named) {
    std::set<std::string_view> seen;
    const auto names = rule.texts("resourceNames");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string at = at_index(path + ".resourceNames", i);
      for (const std::string& fault : k8s::check_path_segment(names[i])) {
        invalid(at, json::Value(names[i]), fault);
      }
      if (!seen.insert(names[i]).second) duplicate(at, names[i]);
    }
  }
  const auto exclusive = [&](std::string_view member, std::string_view what) {
    const auto texts = rule.texts(member);
    const std::string at = path + "." + std::string(member);
    if (texts.empty()) required(at);
    if (texts.size() > 1 && has(texts, "*")) {
      invalid(at, list_at(rule, member), "if '*' is present, must not specify other " + std::string(what));
    }
    return texts;
  };
  const std::vector<std::string_view> operations{"*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
  const auto given = exclusive("operations", "operations");
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (has(operations, given[i])) continue;
    add(k8s::FieldError::not_supported(at_index(path + ".operations", i), json::Value(given[i]), operations));
  }
  exclusive("apiGroups", "API groups");
  const auto versions = exclusive("apiVersions", "API versions");
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (versions[i].empty()) required(at_index(path + ".apiVersions", i));
  }
  resources(rule, path + ".resources");
  one_of(rule, "scope", path, false, {"*", "Cluster", "Namespaced"});
}

void FieldCheck::selector(const k8s::View& of, std::string_view member, const std::string& path,
                          bool is_strict) {
  if (!of.has(member)) return;
  for (k8s::FieldError& error : validation::check_selector(of.at(member), path, is_strict))
    add(std::move(error));
}

void FieldCheck::expression(const Expression& compiled, const std::string& path) {
  if (!compiled.error.empty()) invalid(path, json::Value(compiled.source), compiled.error);
}

void FieldCheck::match_conditions(const k8s::View& of, const std::string& path, bool has_params) {
  static constexpr std::array results{cel::TypeKind::boolean};
  const auto conditions = of.items("matchConditions");
  if (conditions.size() > most_conditions) {
    add({"FieldValueTooMany", path,
         "Too many: " + std::to_string(conditions.size()) + ": must have at most 64 items"});
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::string at = at_index(path, i);
    const std::string_view source = validation_rules::trimmed(conditions[i].text("expression"));
    if (source.empty()) {
      required(at + ".expression");
    } else {
      expression(
          compile_expression(source, {.params = has_params, .authorizer = true, .variables = {}}, results),
          at + ".expression");
    }
    const std::string_view name = conditions[i].text("name");
    if (name.empty()) {
      required(at + ".name");
      continue;
    }
    for (const std::string& fault : k8s::check_qualified_name(name)) {
      invalid(at + ".name", json::Value(name), fault);
    }
    if (!seen.insert(name).second) duplicate(at + ".name", name);
  }
}

void FieldCheck::match_resources(const k8s::View& of, const std::string& path) {
  one_of(of, "matchPolicy", path, true, {"Equivalent", "Exact"});
  for (const std::string_view member : {"namespaceSelector", "objectSelector"}) {
    const std::string at = path + "." + std::string(member);
    if (!of.has(member)) required(at);
    selector(of, member, at, true);
  }
  for (const std::string_view member : {"resourceRules", "excludeResourceRules"}) {
    std::size_t index = 0;
    for (const k8s::View& one : of.items(member)) {
      rule(one, at_index(path + "." + std::string(member), index++), true);
    }
  }
}

}  // namespace fairway::apiserver::admission
