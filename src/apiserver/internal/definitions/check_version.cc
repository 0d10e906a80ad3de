// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/check_version.h"

#include <algorithm>
#include <array>
#include <expected>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "k8s/view.h"
#include "schema/schema.h"
#include "schema/structural.h"
#include "validation_rules/check_rules.h"

namespace fairway::apiserver::definitions {

namespace {

using schema::Violations;

constexpr std::array<std::string_view, 5> column_types = {"boolean", "date", "integer", "number", "string"};
constexpr std::array<std::string_view, 8> column_formats = {"byte",  "date",  "date-time", "double",
                                                            "float", "int32", "int64",     "password"};
constexpr std::size_t max_selectable_fields = 8;
constexpr std::size_t max_warning = 256;  ///< characters of a deprecation warning

template <std::size_t size>
std::string one_of(const std::array<std::string_view, size>& allowed) {
  std::string text = "must be one of ";
  for (const std::string_view value : allowed) {
    if (value != allowed.front()) text += ',';
    text += value;
  }
  return text;
}

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& allowed, std::string_view value) {
  return std::ranges::find(allowed, value) != allowed.end();
}

/// Checks a simple path. Returns false if it has a problem, which is added to `problems`.
bool check_simple_path(std::string_view text, const std::string& path, Violations& problems) {
  if (text.empty()) {
    problems.push_back(schema::invalid(path, text, "must not be empty"));
  } else if (text.front() != '.') {
    problems.push_back(schema::invalid(path, text, "must be a simple json path starting with ."));
  } else {
    return true;
  }
  return false;
}

void check_replicas_path(const k8s::View& scale, std::string_view member, std::string_view below,
                         const std::string& path, Violations& problems) {
  const std::string_view text = scale.text(member);
  const std::string at = path + "." + std::string(member);
  if (text.empty()) {
    problems.push_back(schema::required(at, ""));
  } else if (check_simple_path(text, at, problems) && !text.starts_with(std::string(below) + ".")) {
    problems.push_back(schema::invalid(at, text, "should be a json path under " + std::string(below)));
  }
}

void check_column(const k8s::View& column, const std::string& path, Violations& problems) {
  if (column.text("name").empty()) problems.push_back(schema::required(path + ".name", ""));
  const std::string_view type = column.text("type"), format = column.text("format");
  if (type.empty()) {
    problems.push_back(schema::required(path + ".type", one_of(column_types)));
  } else if (!is_one_of(column_types, type)) {
    problems.push_back(schema::invalid(path + ".type", type, one_of(column_types)));
  }
  if (!format.empty() && !is_one_of(column_formats, format)) {
    problems.push_back(schema::invalid(path + ".format", format, one_of(column_formats)));
  }
  const std::string_view json_path = column.text("jsonPath");
  // As in Kubernetes, whose own name of the field differs from that in the API.
  if (json_path.empty()) {
    problems.push_back(schema::required(path + ".JSONPath", ""));
  } else {
    check_simple_path(json_path, path + ".JSONPath", problems);
  }
}

using Steps = std::vector<std::string>;

/// A field of a schema, and the path to it.
struct FoundField {
  Steps steps;
  const json::Object* schema = nullptr;
};

/// Returns the field that a path like `.spec.color` leads to, or the reason why it is no path to one:
/// ValidFieldPath of k8s.io/apiextensions-apiserver, without array notation. A name consists of all
/// characters up to the next delimiter.
std::expected<FoundField, std::string> find_field(const json::Object& schema, std::string_view path) {
  FoundField found{.steps = {}, .schema = &schema};
  constexpr std::string_view delimiters = ".[]";
  while (!path.empty()) {
    if (path.front() == '[') return std::unexpected("array notation is not allowed");
    if (path.front() != '.') {
      const std::size_t end = std::max<std::size_t>(path.find_first_of(delimiters), 1);
      return std::unexpected("expected [ or . but got: " + std::string(path.substr(0, end)));
    }
    path.remove_prefix(1);
    if (path.empty()) return std::unexpected("unexpected end of JSON path");
    const std::string_view name = path.substr(0, std::max<std::size_t>(path.find_first_of(delimiters), 1));
    found.schema = schema::member_schema(*found.schema, name);
    if (found.schema == nullptr) return std::unexpected("does not refer to a valid field");
    found.steps.emplace_back(name);
    path.remove_prefix(name.size());
  }
  return found;
}

bool is_selectable(const json::Object& field) {
  const std::string_view type = k8s::View(field).text("type");
  return type == "string" || type == "boolean" || type == "integer";
}

}  // namespace

Violations check_schema(const json::Value& validation, const std::string& path) {
  const json::Value* schema = json::find(validation, "openAPIV3Schema");
  if (schema == nullptr || !schema->is_object()) return {};
  const std::string at = path + ".openAPIV3Schema";
  Violations problems = schema::check_definition_schema(schema->get_object(), at);
  // Rules are judged by what a schema says, which makes sense only of one that is right.
  return problems.empty() ? validation_rules::check_rules(schema->get_object(), at) : problems;
}

Violations check_subresources(const json::Value& subresources, const std::string& path) {
  Violations problems;
  const json::Value* found = json::find(subresources, "scale");
  if (found == nullptr || !found->is_object()) return problems;
  const k8s::View scale(found->get_object());
  const std::string at = path + ".scale";
  check_replicas_path(scale, "specReplicasPath", ".spec", at, problems);
  check_replicas_path(scale, "statusReplicasPath", ".status", at, problems);
  const std::string_view selector = scale.text("labelSelectorPath");
  if (!selector.empty() && check_simple_path(selector, at + ".labelSelectorPath", problems) &&
      !selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    problems.push_back(schema::invalid(at + ".labelSelectorPath", selector,
                                       "should be a json path under either .spec or .status"));
  }
  return problems;
}

Violations check_printer_columns(const json::Value& columns, const std::string& path) {
  Violations problems;
  if (!columns.is_array()) return problems;
  for (std::size_t i = 0; i < columns.get_array().size(); ++i) {
    const json::Value& column = columns.get_array()[i];
    if (column.is_object()) {
      check_column(k8s::View(column.get_object()), path + "[" + std::to_string(i) + "]", problems);
    }
  }
  return problems;
}

Violations check_selectable_fields(const json::Value& fields, const json::Value* validation,
                                   const std::string& path) {
  Violations problems;
  if (!fields.is_array()) return problems;
  const json::Array& list = fields.get_array();
  if (list.size() > max_selectable_fields) {
    problems.push_back(schema::too_many(path, static_cast<std::int64_t>(list.size()), max_selectable_fields));
  }
  const json::Value* root = validation == nullptr ? nullptr : json::find(*validation, "openAPIV3Schema");
  std::set<Steps> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = path + "[" + std::to_string(i) + "].jsonPath";
    const std::string_view text = json::find_string(list[i], "jsonPath").value_or("");
    if (text.empty()) {
      problems.push_back(schema::required(at, ""));
      continue;
    }
    const json::Object none;
    const auto field = find_field(root != nullptr && root->is_object() ? root->get_object() : none, text);
    if (!field) {
      problems.push_back(schema::invalid(at, text, "is an invalid path: " + field.error()));
    } else if (field->steps.front() == "metadata") {
      problems.push_back(schema::invalid(at, text, "must not point to fields in metadata"));
    } else if (!is_selectable(*field->schema)) {
      problems.push_back(
          schema::invalid(at, text,
                          "must point to a field of type string, boolean or integer. Enum string "
                          "fields and strings with formats are allowed."));
    } else if (!seen.insert(field->steps).second) {
      problems.push_back(schema::duplicate(at, text));
    }
  }
  return problems;
}

Violations check_deprecation(const json::Object& object, const std::string& path) {
  const k8s::View version(object);
  const auto warning = version.find_text("deprecationWarning");
  if (!warning) return {};
  const std::string at = path + ".deprecationWarning";
  Violations problems;
  if (!version.flag("deprecated")) {
    problems.push_back(schema::invalid(at, *warning, "can only be set for deprecated versions"));
  }
  if (warning->empty()) problems.push_back(schema::invalid(at, *warning, "must not be an empty string"));
  const auto is_first_of_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  if (static_cast<std::size_t>(std::ranges::count_if(*warning, is_first_of_character)) > max_warning) {
    problems.push_back(schema::invalid(at, *warning, "must be <= 256 characters long"));
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (const auto control = std::ranges::find_if(*warning, is_control); control != warning->end()) {
    problems.push_back(schema::invalid(
        at, *warning,
        "must only contain printable UTF-8 characters; non-printable character found at index " +
            std::to_string(control - warning->begin())));
  }
  return problems;
}

}  // namespace fairway::apiserver::definitions
