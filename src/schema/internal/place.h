// SPDX-License-Identifier: Apache-2.0

// The position of a walk through a value: kept on the stack, and a text only where something is reported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairway::schema::internal {

struct Place {
  const Place* parent = nullptr;
  std::string_view name = {};
  std::size_t index = 0;
  /// `member` follows the value's own path; `key` is one of a map.
  enum class Kind { root, member, key, item } kind = Kind::root;

  static Place root() { return {}; }
  Place member(std::string_view of) const { return {this, of, 0, Kind::member}; }
  Place key(std::string_view of) const { return {this, of, 0, Kind::key}; }
  Place item(std::size_t at) const { return {this, {}, at, Kind::item}; }

  /// Returns the path as messages of the schema validation name it: keys of maps behind dots too
  /// ("spec.labels.app"), and one directly below the root with nothing before the dot.
  std::string in_body() const;
  /// Returns the path as Kubernetes writes paths to fields ("spec.labels[app].x[0]"), below `prefix`.
  std::string field(std::string_view prefix = {}) const;
  /// Returns the path as strict decoding reports unknown fields: names with dots between them, whichever
  /// characters they have.
  std::string in_document() const;
};

/// Joins `prefix` and the path below it; "<nil>" if both are empty, as the API server writes an empty path.
std::string below(std::string_view prefix, std::string_view path);

}  // namespace fairway::schema::internal
