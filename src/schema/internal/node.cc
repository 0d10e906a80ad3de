// SPDX-License-Identifier: Apache-2.0

#include "schema/internal/node.h"

#include <re2/re2.h>

#include <algorithm>

#include "k8s/view.h"
#include "schema/internal/keywords.h"
#include "schema/internal/pattern.h"
#include "schema/schema.h"

namespace fairway::schema::internal {

Node::Node() = default;
Node::~Node() = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(Node&&) noexcept = default;

namespace {

constexpr std::pair<std::string_view, std::uint8_t> type_names[] = {
    {"object", type::object},   {"array", type::array},   {"string", type::string},
    {"integer", type::integer}, {"number", type::number}, {"boolean", type::boolean}};

std::uint8_t type_of(std::string_view name) {
  for (const auto& [known, bit] : type_names) {
    if (known == name) return bit;
  }
  return type::unknown;
}

std::optional<double> number_at(const json::Object& schema, std::string_view key) {
  const json::Value* value = schema.if_contains(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

/// Sets the format if it is one of the node's type; others are ignored.
void set_format(Node& node, std::string_view format) {
  const auto one_of = [&](std::string_view a, std::string_view b) { return format == a || format == b; };
  if (node.types == type::integer) {
    if (one_of("int32", "int64")) node.format = format;
  } else if (node.types == type::number) {
    if (one_of("float", "double")) node.format = format;
  } else if (node.types == 0 || node.types == type::string || node.types == (type::integer | type::string)) {
    node.format_check = find_format(format);
    if (node.format_check != nullptr) node.format = format;
  }
}

void fill(Node& node, const json::Object& schema);

std::unique_ptr<Node> child(const json::Object* schema) {
  return schema != nullptr ? compile(*schema) : nullptr;
}

std::vector<Node> children(const json::Array* schemas) {
  std::vector<Node> nodes;
  if (schemas == nullptr) return nodes;
  nodes.reserve(schemas->size());
  for (const json::Value& one : *schemas) {
    // A value that is not a schema allows everything, as an empty schema does.
    Node& node = nodes.emplace_back();
    if (const json::Object* schema = one.if_object()) fill(node, *schema);
  }
  return nodes;
}

void fill_values(Node& node, const json::Object& schema) {
  const k8s::View view(schema);
  if (const json::Array* choices = array_at(schema, "enum")) {
    node.choices.assign(choices->begin(), choices->end());
  }
  set_format(node, view.text("format"));
  node.pattern = view.text("pattern");
  if (!node.pattern.empty()) node.compiled_pattern = compile_pattern(node.pattern);
  node.minimum = number_at(schema, "minimum");
  node.maximum = number_at(schema, "maximum");
  node.multiple_of = number_at(schema, "multipleOf");
  node.exclusive_minimum = view.flag("exclusiveMinimum");
  node.exclusive_maximum = view.flag("exclusiveMaximum");
  node.min_length = view.find_integer("minLength");
  node.max_length = view.find_integer("maxLength");
  node.min_items = view.find_integer("minItems");
  node.max_items = view.find_integer("maxItems");
  node.min_properties = view.find_integer("minProperties");
  node.max_properties = view.find_integer("maxProperties");
  node.unique_items = view.flag("uniqueItems");
}

void fill_members(Node& node, const json::Object& schema) {
  if (const json::Object* properties = object_at(schema, "properties")) {
    node.properties.reserve(properties->size());
    for (const auto& property : *properties) {
      Node& made = node.properties.emplace_back(std::string(property.key()), Node{}).second;
      if (const json::Object* inner = property.value().if_object()) fill(made, *inner);
    }
    std::ranges::sort(node.properties, {}, &std::pair<std::string, Node>::first);
  }
  for (const std::string_view name : k8s::View(schema).texts("required")) node.required.emplace_back(name);
  if (const json::Value* additional = schema.if_contains("additionalProperties")) {
    node.additional_properties = child(additional->if_object());
    if (node.additional_properties) {
      node.additional = Node::Additional::checked;
    } else if (additional->is_bool() && !additional->get_bool()) {
      node.additional = Node::Additional::none;
    }
  }
}

void fill(Node& node, const json::Object& schema) {
  const k8s::View view(schema);
  if (view.flag("x-kubernetes-int-or-string")) {
    node.types = type::integer | type::string;
    node.type_name = "integer,string";
  } else if (const std::string_view name = view.text("type"); !name.empty()) {
    node.types = type_of(name);
    node.type_name = name;
  }
  node.nullable = view.flag("nullable");
  node.has_default = default_of(schema) != nullptr;
  fill_values(node, schema);
  fill_members(node, schema);
  node.items = child(object_at(schema, "items"));
  node.list_keys = list_keys(schema);
  node.forbidden = child(object_at(schema, "not"));
  node.all_of = children(array_at(schema, "allOf"));
  node.any_of = children(array_at(schema, "anyOf"));
  node.one_of = children(array_at(schema, "oneOf"));
}

}  // namespace

const Node* Node::find_property(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      properties, name, {}, [](const auto& property) { return std::string_view(property.first); });
  return found != properties.end() && found->first == name ? &found->second : nullptr;
}

std::unique_ptr<Node> compile(const json::Object& schema) {
  auto node = std::make_unique<Node>();
  fill(*node, schema);
  return node;
}

void add_to_index(const json::Object& schema, const Node& node, NodeIndex& index) {
  index.emplace(&schema, &node);
  if (const json::Object* properties = object_at(schema, "properties")) {
    for (const auto& property : *properties) {
      const json::Object* inner = property.value().if_object();
      const Node* made = inner != nullptr ? node.find_property(property.key()) : nullptr;
      if (made != nullptr) add_to_index(*inner, *made, index);
    }
  }
  if (node.additional_properties) {
    add_to_index(*object_at(schema, "additionalProperties"), *node.additional_properties, index);
  }
  if (node.items) add_to_index(*object_at(schema, "items"), *node.items, index);
}

}  // namespace fairway::schema::internal
