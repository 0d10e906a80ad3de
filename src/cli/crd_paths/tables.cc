// SPDX-License-Identifier: Apache-2.0

#include "cli/crd_paths/tables.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"
#include "base/yaml.h"
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
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
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

/// A part of a schema, and the node that it was read from; nullptr: its place is not known.
struct Placed {
  k8s::View view;
  const yaml::Node* node = nullptr;

  Placed at(std::string_view key) const { return {view.at(key), node_at(key)}; }
  const yaml::Node* node_at(std::string_view key) const {
    return node == nullptr ? nullptr : node->find(key);
  }
  /// Returns the line of a member, else of the part itself, else `otherwise`.
  int line_of(std::string_view key, int otherwise) const {
    const yaml::Node* const member = node_at(key);
    return member != nullptr ? member->mark.line : node != nullptr ? node->mark.line : otherwise;
  }
};

struct Fault {
  int line = 1;
  std::string message;
};

/// The types of a schema (OpenAPI 3.0), as API servers take them in definitions.
constexpr std::array<std::string_view, 6> types{"array", "boolean", "integer", "number", "object", "string"};

/// The tables of one version of a kind.
class Tables {
 public:
  Tables(std::string prefix, int line) : prefix_(std::move(prefix)), line_(line) {}

  /// Returns the first fault of the schema, if there is one.
  const std::optional<Fault>& fault() const { return fault_; }

  /// Appends the tables of a schema with `properties`, those that it refers to first, and returns the name of
  /// its Definition. `path` is what messages of the compiler call it.
  std::string add(const Placed& schema, const std::string& path) {
    std::string members;
    const Placed properties = schema.at("properties");
    for (const auto& [name, property] : properties.view.json()) {
      if (!is_path_part(name) || !property.is_object()) continue;
      const std::string below = path.empty() ? std::string(name) : path + "." + std::string(name);
      members += "    {" + literal(name) + ", " +
                 type_of({k8s::View(property.get_object()), properties.node_at(name)}, below) + "},\n";
    }
    return define(members, path);
  }

  /// Appends the table of the whole object.
  void add_root(const Placed& schema, const std::string& title) {
    check_type(schema, "openAPIV3Schema");
    std::string members =
        "    {\"apiVersion\", Type::text},\n    {\"kind\", Type::text},\n"
        "    {\"metadata\", Type::object, &object_meta},\n";
    const Placed properties = schema.at("properties");
    for (const auto& [name, property] : properties.view.json()) {
      if (!is_path_part(name) || !property.is_object()) continue;
      if (name == "apiVersion" || name == "kind" || name == "metadata") continue;
      members += "    {" + literal(name) + ", " +
                 type_of({k8s::View(property.get_object()), properties.node_at(name)}, std::string(name)) +
                 "},\n";
    }
    append(prefix_, members, title);
  }

  const std::string& text() const { return text_; }

 private:
  /// Notes a type that there is not: of it the server would refuse the definition, and paths would be checked
  /// against nothing.
  void check_type(const Placed& schema, const std::string& path) {
    const json::Value* const type = schema.view.find("type");
    if (fault_ || type == nullptr || type->is_null() || (type->is_string() && type->get_string().empty()))
      return;
    const std::string given =
        type->is_string() ? std::string(schema.view.text("type")) : json::to_text(*type);
    if (type->is_string() && std::ranges::find(types, given) != types.end()) return;
    const std::vector<std::string> known(types.begin(), types.end());
    const std::string near = nearest(given, known);
    fault_ = Fault{schema.line_of("type", line_),
                   printable(path) + " has the type '" + printable(given, 80) + "'; " +
                       (near.empty() ? "there are " + join(known, ", ") : "did you mean " + near + "?")};
  }

  std::string type_of(const Placed& placed, const std::string& path) {
    check_type(placed, path);
    const k8s::View& schema = placed.view;
    const std::string_view type = schema.text("type");
    if (schema.flag("x-kubernetes-int-or-string")) return "Type::other";
    if (type == "string") return schema.text("format") == "date-time" ? "Type::time" : "Type::text";
    if (type == "integer") return "Type::integer";
    if (type == "number") return "Type::number";
    if (type == "boolean") return "Type::flag";
    if (type == "array") return list_type(placed.at("items"), path + "[]");
    if (type != "object") return "Type::other";
    if (schema.has("properties")) return "Type::object, &" + add(placed, path);
    if (schema.has("additionalProperties.type")) check_type(placed.at("additionalProperties"), path + "[*]");
    return schema.text("additionalProperties.type") == "string" ? "Type::text_map" : "Type::object";
  }

  std::string list_type(const Placed& placed, const std::string& path) {
    check_type(placed, path);
    const k8s::View& items = placed.view;
    if (items.text("type") == "string") return "Type::text_list";
    if (items.text("type") != "object") return "Type::other";
    return items.has("properties") ? "Type::object_list, &" + add(placed, path) : "Type::object_list";
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
  const int line_;  ///< line at which the document begins
  std::optional<Fault> fault_;
  std::size_t count_ = 0;
  std::string text_;
};

/// Returns the document that begins at a line; nullptr if the text could be read as JSON only.
const yaml::Node* node_of_line(const std::vector<yaml::Node>& documents, int line) {
  const auto found = std::ranges::find_if(documents, [&](const yaml::Node& one) {
    return one.kind != yaml::Node::Kind::null && one.mark.line == line;
  });
  return found == documents.end() ? nullptr : &*found;
}

std::unexpected<Error> fault_at(std::string_view doing, int line, const std::string& message) {
  return fail(ErrorCode::invalid, std::string(doing) + ", line " + std::to_string(line) + ": " + message);
}

/// Returns the tables of a definition. `line` is where its document begins; `node`: the document itself.
Result<std::string> tables_of(const k8s::CustomResourceDefinition& definition, const yaml::Node* node,
                              int line, std::string_view doing, std::set<std::string>& taken) {
  const Placed spec = Placed{k8s::View(definition.json()), node}.at("spec"), names = spec.at("names");
  const yaml::Node* const places = spec.node_at("versions");
  const std::string kind(definition.defined_kind());
  if (!is_name(kind)) {
    return fault_at(doing, names.line_of("kind", line),
                    "the kind '" + printable(kind, 80) +
                        "' has to be letters and digits, a letter first: it becomes a part of a name in C++");
  }
  std::string out;
  std::size_t index = 0;
  for (const k8s::CustomResourceVersion& version : definition.versions()) {
    const yaml::Node* const place =
        places != nullptr && index < places->items.size() ? &places->items[index] : nullptr;
    ++index;
    const Placed placed{k8s::View(version.json()), place};
    const std::string title =
        std::string(definition.group()) + "/" + std::string(version.name()) + " " + kind;
    const int named_at = placed.line_of("name", line);
    if (!is_name(version.name())) {
      return fault_at(doing, named_at,
                      "the version '" + printable(version.name(), 80) +
                          "' has to be letters and digits, a letter first, such as v1alpha1");
    }
    if (!version.has("schema.openAPIV3Schema"))
      return fault_at(doing, named_at, printable(title) + " has no schema.openAPIV3Schema");
    const std::string name = snake_case(kind) + "_" + std::string(version.name());
    if (!taken.insert(name).second) {
      return fault_at(doing, named_at, printable(title) + ": there are two kinds that would be crd::" + name);
    }
    Tables tables(name, line);
    tables.add_root(placed.at("schema").at("openAPIV3Schema"), title);
    if (const auto& fault = tables.fault())
      return fault_at(doing, fault->line, printable(title) + ": " + fault->message);
    out += tables.text();
  }
  return out;
}

}  // namespace

Result<std::string> definition_tables(std::string_view text, std::string_view file) {
  const std::string what = "reading " + std::string(file);
  const auto documents = k8s::read_documents(text);
  if (!documents) return fail(documents.error().within(what));
  // The same text once more, for the places of its faults.
  const auto parsed = yaml::parse(text);
  const std::vector<yaml::Node> nodes = parsed ? parsed->documents : std::vector<yaml::Node>();
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
    auto made = tables_of(k8s::CustomResourceDefinition(object->release()),
                          node_of_line(nodes, document.line), document.line, what, taken);
    if (!made) return made;
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
