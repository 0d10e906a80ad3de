// SPDX-License-Identifier: Apache-2.0

// A schema made ready for checking values: each keyword looked up once, patterns compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "schema/internal/formats.h"

namespace re2 {
class RE2;
}

namespace fairway::schema::internal {

/// Types that a schema allows, as bits.
namespace type {
inline constexpr std::uint8_t object = 1, array = 2, string = 4, integer = 8, number = 16, boolean = 32,
                              unknown = 64;
}

struct Node {
  Node();
  ~Node();
  Node(Node&&) noexcept;
  Node& operator=(Node&&) noexcept;

  /// The allowed types; no bits: any type.
  std::uint8_t types = 0;
  /// The types as messages name them: "string", "integer,string".
  std::string type_name;
  bool nullable = false, has_default = false;

  std::vector<json::Value> choices;
  /// The format, only if the API server knows it for the type.
  std::string format;
  FormatCheck format_check = nullptr;
  std::string pattern;
  /// The compiled pattern; nullptr if there is none, or if it is no regular expression.
  std::unique_ptr<re2::RE2> compiled_pattern;
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false, exclusive_maximum = false;
  std::optional<std::int64_t> min_length, max_length, min_items, max_items, min_properties, max_properties;
  bool unique_items = false;
  /// Keys by which items are found in the old list (x-kubernetes-list-map-keys); empty for other lists.
  std::vector<std::string> list_keys;

  /// The properties, sorted by name.
  std::vector<std::pair<std::string, Node>> properties;
  std::vector<std::string> required;
  enum class Additional { any, none, checked } additional = Additional::any;
  std::unique_ptr<Node> additional_properties, items, forbidden;
  std::vector<Node> all_of, any_of, one_of;

  const Node* find_property(std::string_view name) const;
};

/// Nodes by the schemas they are made of.
using NodeIndex = std::unordered_map<const json::Object*, const Node*>;

/// Compiles a schema. A member that is no schema keyword, or has the wrong type, is ignored; an unknown type
/// or an invalid pattern allows nothing.
std::unique_ptr<Node> compile(const json::Object& schema);
/// Adds a node, and those below it, to an index. The nodes must not move any more.
void add_to_index(const json::Object& schema, const Node& node, NodeIndex& index);

}  // namespace fairway::schema::internal
