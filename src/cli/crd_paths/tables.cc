// SPDX-License-Identifier: Apache-2.0

#include "cli/crd_paths/tables.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "base/text.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/documents.h"

namespace fairway::cli {

namespace {

/// Returns a text as a C++ string literal.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '?') {
      // Three octal digits, so that a digit behind them is none of them; `?` may begin a trigraph.
      out += {'\\', static_cast<char>('0' + (byte >> 6U)), static_cast<char>('0' + ((byte >> 3U) & 7U)),
              static_cast<char>('0' + (byte & 7U))};
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// Returns whether a text is letters and digits, a letter first.
bool is_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 && c < 0x80; });
}

/// "GearBox" -> "gear_box", "HTTPRoute" -> "http_route".
std::string snake_case(std::string_view text) {
  const auto is_upper = [&](std::size_t at) { return at < text.size() && std::isupper(text[at]) != 0; };
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins_word =
        at > 0 && is_upper(at) && (!is_upper(at - 1) || (at + 1 < text.size() && !is_upper(at + 1)));
    if (begins_word) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));
  }
  return out;
}

/// Returns whether a name can be a part of a path of a view, and of a string literal.
bool is_path_part(std::string_view name) {
  return !name.empty() &&
         std::ranges::none_of(name, [](unsigned char c) { return c == '.' || c < 0x20 || c == 0x7f; });
}

/// The tables of one version of a kind.
class Tables {
 public:
  explicit Tables(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Appends the tables of a schema with `properties`, those that it refers to first, and returns the name of
  /// its Definition. `path` is what messages of the compiler call it.
  std::string add(const k8s::View& schema, const std::string& path) {
    std::string members;
    for (const auto& [name, property] : schema.at("properties").json()) {
      if (!is_path_part(name) || !property.is_object()) continue;
      const std::string below = path.empty() ? std::string(name) : path + "." + std::string(name);
      members += "    {" + literal(name) + ", " + type_of(k8s::View(property.get_object()), below) + "},\n";
    }
    return define(members, path);
  }

  /// Appends the table of the whole object.
  void add_root(const k8s::View& schema, const std::string& title) {
    std::string members =
        "    {\"apiVersion\", Type::text},\n    {\"kind\", Type::text},\n"
        "    {\"metadata\", Type::object, &object_meta},\n";
    for (const auto& [name, property] : schema.at("properties").json()) {
      if (!is_path_part(name) || !property.is_object()) continue;
      if (name == "apiVersion" || name == "kind" || name == "metadata") continue;
      members += "    {" + literal(name) + ", " +
                 type_of(k8s::View(property.get_object()), std::string(name)) + "},\n";
    }
    append(prefix_, members, title);
  }

  const std::string& text() const { return text_; }

 private:
  std::string type_of(const k8s::View& schema, const std::string& path) {
    const std::string_view type = schema.text("type");
    if (schema.flag("x-kubernetes-int-or-string")) return "Type::other";
    if (type == "string") return schema.text("format") == "date-time" ? "Type::time" : "Type::text";
    if (type == "integer") return "Type::integer";
    if (type == "number") return "Type::number";
    if (type == "boolean") return "Type::flag";
    if (type == "array") return list_type(schema.at("items"), path);
    if (type != "object") return "Type::other";
    if (schema.has("properties")) return "Type::object, &" + add(schema, path);
    return schema.text("additionalProperties.type") == "string" ? "Type::text_map" : "Type::object";
  }

  std::string list_type(const k8s::View& items, const std::string& path) {
    if (items.text("type") == "string") return "Type::text_list";
    if (items.text("type") != "object") return "Type::other";
    return items.has("properties") ? "Type::object_list, &" + add(items, path + "[]") : "Type::object_list";
  }

  std::string define(const std::string& members, const std::string& title) {
    std::string name = prefix_ + "__" + std::to_string(++count_);
    append(name, members, title);
    return name;
  }

  void append(const std::string& name, const std::string& members, const std::string& title) {
    if (members.empty()) {
      text_ += "inline constexpr Definition " + name + "{" + literal(title) + ", {}};\n\n";
      return;
    }
    text_ += "inline constexpr Member " + name + "_members[] = {\n" + members + "};\n";
    text_ += "inline constexpr Definition " + name + "{" + literal(title) + ", " + name + "_members};\n\n";
  }

  const std::string prefix_;
  std::size_t count_ = 0;
  std::string text_;
};

Result<std::string> tables_of(const k8s::CustomResourceDefinition& definition, std::set<std::string>& taken) {
  std::string out;
  for (const k8s::CustomResourceVersion& version : definition.versions()) {
    const std::string title = std::string(definition.group()) + "/" + std::string(version.name()) + " " +
                              std::string(definition.defined_kind());
    if (!is_name(definition.defined_kind()) || !is_name(version.name()))
      return fail(ErrorCode::invalid,
                  printable(title) + ": kind and version have to be letters and digits, a letter first");
    if (!version.has("schema.openAPIV3Schema"))
      return fail(ErrorCode::invalid, printable(title) + " has no schema.openAPIV3Schema");
    const std::string name = snake_case(definition.defined_kind()) + "_" + std::string(version.name());
    if (!taken.insert(name).second)
      return fail(ErrorCode::invalid, printable(title) + ": there are two kinds that would be crd::" + name);
    Tables tables(name);
    tables.add_root(version.schema(), title);
    out += tables.text();
  }
  return out;
}

}  // namespace

Result<std::string> definition_tables(std::string_view text, std::string_view file) {
  const std::string what = "reading " + std::string(file);
  const auto documents = k8s::read_documents(text);
  if (!documents) return fail(documents.error().within(what));
  std::set<std::string> taken;
  std::string tables;
  for (const k8s::Document& document : *documents) {
    auto object = k8s::Dynamic::from(document.value);
    if (!object) return fail(object.error().within(what + ", line " + std::to_string(document.line)));
    if (object->kind().ends_with("List") && object->has("items"))
      return fail(ErrorCode::invalid, what + ", line " + std::to_string(document.line) +
                                          " is a list of objects (" + printable(object->kind()) +
                                          "): write each as a document of its own");
    if (!object->is(k8s::CustomResourceDefinition::resource)) continue;
    auto made = tables_of(k8s::CustomResourceDefinition(object->release()), taken);
    if (!made) return fail(made.error().within(what + ", line " + std::to_string(document.line)));
    tables += *made;
  }
  if (tables.empty())
    return fail(ErrorCode::invalid,
                what + ": there is no CustomResourceDefinition (apiextensions.k8s.io/v1)");
  return "// The members of the kinds of " + std::string(file) +
         ", for k8s::Checked. Written by fairway-crd-paths; do not edit.\n#pragma once\n\n"
         "#include \"fairway/k8s/kinds/checked.h\"\n\nnamespace crd {\n\n"
         "using fairway::k8s::openapi::Definition, fairway::k8s::openapi::Member, "
         "fairway::k8s::openapi::Type;\nusing fairway::k8s::openapi::object_meta;\n\n" +
         tables + "}  // namespace crd\n";
}

}  // namespace fairway::cli
