// SPDX-License-Identifier: Apache-2.0

#include "validation_rules/internal/rule_types.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "k8s/view.h"
#include "schema/schema.h"

namespace fairway::validation_rules {

namespace {

// Sizes of JSON texts, as k8s.io/apiserver/pkg/cel/limits.go has them.
constexpr std::int64_t empty_text = 2, shortest_bool = 4, shortest_number = 1, shortest_duration = 3,
                       longest_duration = 32, date_size = 12, shortest_date_time = 21, longest_date_time = 32;
/// Most bytes of a character.
constexpr std::int64_t bytes_of_character = 4;

DeclaredType sized(cel::Type type, std::int64_t max_size, std::int64_t min_bytes) {
  type.max_size = static_cast<std::uint64_t>(std::max<std::int64_t>(max_size, 0));
  return {std::make_shared<const cel::Type>(std::move(type)), min_bytes};
}

DeclaredType simple(cel::TypeKind kind, std::int64_t max_size, std::int64_t min_bytes) {
  return sized(*cel::simple_type(kind), max_size, min_bytes);
}

std::int64_t longest_choice(const json::Array& choices) {
  std::size_t longest = 0;
  for (const json::Value& choice : choices) {
    if (choice.is_string()) longest = std::max(longest, choice.get_string().size());
  }
  return static_cast<std::int64_t>(longest);
}

DeclaredType declare_string(const k8s::View& schema) {
  using enum cel::TypeKind;
  const std::string_view format = schema.text("format");
  const auto max_length = schema.find_integer("maxLength");
  if (format == "byte") return simple(bytes, max_length.value_or(largest_request - empty_text), empty_text);
  if (format == "duration") return simple(duration, longest_duration, shortest_duration);
  if (format == "date") return simple(timestamp, date_size, date_size);
  if (format == "date-time") return simple(timestamp, longest_date_time, shortest_date_time);
  if (max_length)
    return simple(string, std::min(*max_length, largest_request) * bytes_of_character, empty_text);
  const json::Value* choices = schema.find("enum");
  if (choices != nullptr && choices->is_array() && !choices->get_array().empty()) {
    return simple(string, longest_choice(choices->get_array()), empty_text);
  }
  return simple(string, largest_request - empty_text, empty_text);
}

bool is_text(const k8s::View& schema, std::string_view path) {
  return schema.text(std::string(path) + ".type") == "string";
}

/// Returns whether a schema declares the whole part of an object's head that rules may see.
bool has_own_head(const json::Object& schema) {
  const k8s::View properties = k8s::View(schema).at("properties");
  return is_text(properties, "kind") && is_text(properties, "apiVersion") &&
         properties.text("metadata.type") == "object" && is_text(properties, "metadata.properties.name") &&
         is_text(properties, "metadata.properties.generateName");
}

DeclaredType any_text() {
  return simple(cel::TypeKind::string, largest_request - empty_text, empty_text);
}

cel::Field field_of(std::string_view key, const DeclaredType& declared) {
  return {std::string(key), declared.type};
}

/// Adds the members that every object has, whatever its schema declares.
void add_head(cel::Type& type, const std::string& name) {
  cel::Type metadata{.kind = cel::TypeKind::object, .name = name + ".metadata"};
  metadata.fields = {{"name", field_of("name", any_text())},
                     {"generateName", field_of("generateName", any_text())}};
  type.fields["kind"] = field_of("kind", any_text());
  type.fields["apiVersion"] = field_of("apiVersion", any_text());
  type.fields["metadata"] = field_of("metadata", sized(std::move(metadata), 0, empty_text));
}

bool is_head(std::string_view member) {
  return member == "kind" || member == "apiVersion" || member == "metadata";
}

}  // namespace

std::optional<std::string> name_in_rules(std::string_view member) {
  static constexpr std::array<std::string_view, 21> reserved = {
      "true",     "false",   "null",      "in",       "as",  "break",  "const",
      "continue", "else",    "for",       "function", "if",  "import", "let",
      "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_plain = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
  };
  if (member.empty() || is_digit(member.front())) return std::nullopt;
  if (std::ranges::find(reserved, member) != reserved.end()) return "__" + std::string(member) + "__";
  std::string name;
  for (std::size_t i = 0; i < member.size(); ++i) {
    const char c = member[i];
    if (c == '_' && i + 1 < member.size() && member[i + 1] == '_') {
      name += "__underscores__";
      ++i;
    } else if (is_plain(c)) {
      name += c;
    } else if (c == '.') {
      name += "__dot__";
    } else if (c == '-') {
      name += "__dash__";
    } else if (c == '/') {
      name += "__slash__";
    } else {
      return std::nullopt;
    }
  }
  return name;
}

RuleTypes::RuleTypes(const json::Object& root) : root_(root) {
  find(root, "selfType");
}

const DeclaredType* RuleTypes::find(const json::Object& schema) {
  // Parts that the root does not show.
  return find(schema, "selfType" + std::to_string(types_.size()));
}

const DeclaredType* RuleTypes::find(const json::Object& schema, const std::string& name) {
  auto known = types_.find(&schema);
  if (known == types_.end()) {
    auto declared = declare(schema, name);
    known = types_.emplace(&schema, std::move(declared)).first;
  }
  return known->second ? &*known->second : nullptr;
}

std::optional<DeclaredType> RuleTypes::declare(const json::Object& schema, const std::string& name) {
  using enum cel::TypeKind;
  const k8s::View view(schema);
  if (view.flag("x-kubernetes-int-or-string")) {
    const auto max_length = view.find_integer("maxLength");
    return simple(dyn,
                  max_length ? std::min(*max_length, largest_request) * bytes_of_character
                             : largest_request - empty_text,
                  shortest_number);
  }
  const std::string_view kind = view.text("type");
  if (kind == "array") return declare_array(schema, name);
  if (kind == "object") return declare_object(schema, name);
  if (kind == "string") return declare_string(view);
  if (kind == "boolean") return simple(boolean, 0, shortest_bool);
  if (kind == "number") return simple(floating, 0, shortest_number);
  if (kind == "integer") return simple(integer, 0, shortest_number);
  return std::nullopt;
}

std::optional<DeclaredType> RuleTypes::declare_array(const json::Object& schema, const std::string& name) {
  const json::Object* items = schema::item_schema(schema);
  const DeclaredType* item = items == nullptr ? nullptr : find(*items, name + ".@idx");
  if (item == nullptr) return std::nullopt;
  const k8s::View view(schema);
  cel::Type list = *cel::list_of(item->type);
  const std::string_view list_type = view.text("x-kubernetes-list-type");
  if (list_type == "set") list.equality = cel::ListEquality::set;
  if (list_type == "map") {
    list.equality = cel::ListEquality::map;
    list.keys = schema::list_keys(schema);
  }
  const std::int64_t most = (largest_request - empty_text) / (item->min_bytes + 1);
  return sized(std::move(list), view.find_integer("maxItems").value_or(most), empty_text);
}

std::optional<DeclaredType> RuleTypes::declare_object(const json::Object& schema, const std::string& name) {
  const k8s::View view(schema);
  const bool has_head =
      (&schema == &root_ || view.flag("x-kubernetes-embedded-resource")) && !has_own_head(schema);
  const json::Value* values = schema.if_contains("additionalProperties");
  if (values != nullptr && values->is_object()) {
    const DeclaredType* value = find(values->get_object(), name + ".@elem");
    if (value == nullptr) return std::nullopt;
    // Two bytes of a key, its quotes, a colon and a comma.
    constexpr std::int64_t around_value = 6;
    const std::int64_t most = (largest_request - empty_text) / (value->min_bytes + around_value);
    const cel::TypePtr key = simple(cel::TypeKind::string, 0, empty_text).type;
    return sized(*cel::map_of(key, value->type), view.find_integer("maxProperties").value_or(most),
                 empty_text);
  }
  cel::Type type{.kind = cel::TypeKind::object, .name = name};
  std::int64_t min_bytes = empty_text;
  for (const auto& property : view.at("properties").json()) {
    const json::Object* member = property.value().if_object();
    if (member == nullptr || (has_head && is_head(property.key()))) continue;
    const std::string_view key = property.key();
    const auto own_name = name_in_rules(key);
    const DeclaredType* declared = find(*member, name + "." + own_name.value_or(std::string(key)));
    if (declared == nullptr) continue;
    if (own_name) type.fields[*own_name] = field_of(key, *declared);
    const json::Value* preset = member->if_contains("default");
    const bool has_default = preset != nullptr && !preset->is_null();
    // Quotes, a colon and a comma.
    if (schema::is_required(schema, key) && !has_default) {
      min_bytes += static_cast<std::int64_t>(key.size()) + declared->min_bytes + 4;
    }
  }
  if (has_head) {
    add_head(type, name);
    for (const std::string_view key : {"kind", "apiVersion", "metadata"}) {
      if (schema::is_required(schema, key))
        min_bytes += static_cast<std::int64_t>(key.size()) + empty_text + 4;
    }
  }
  return sized(std::move(type), 0, min_bytes);
}

}  // namespace fairway::validation_rules
