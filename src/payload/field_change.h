// SPDX-License-Identifier: Apache-2.0

// The fields in which two versions of an object differ.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace fairway::payload {

/// A field that differs.
struct FieldChange {
  /// "spec.template.spec.containers[name=web].image", `metadata.annotations["a.example.com/b"]`, "args[2]".
  /// An item that came or went in a list whose items have no names: "spec.rules[]". Longer ones than
  /// `max_path_bytes`, and long keys in them, are cut.
  std::string path;
  /// Values as compact JSON, cut at `max_value_bytes`; std::nullopt: the field is not there. A field that is
  /// there on one side alone is one change, whatever is in it.
  std::optional<std::string> before, after;
  /// True if a list has the same items, in another order.
  bool order_only = false;
  friend bool operator==(const FieldChange&, const FieldChange&) = default;
};

/// The fields in which two objects differ.
struct FieldChanges {
  std::vector<FieldChange> fields;  ///< the first ones, by the order of the fields in the newer object
  std::size_t count = 0;            ///< number of all
};

/// Length at which values are cut, in bytes; an ellipsis follows.
inline constexpr std::size_t max_value_bytes = 120;
/// Length at which paths are cut, in bytes; an ellipsis follows.
inline constexpr std::size_t max_path_bytes = 400;
/// Number of fields that are kept.
inline constexpr std::size_t max_field_changes = 50;

/// Compares two objects. A member that is null equals an absent one. Lists whose items all have a `name` of
/// their own are compared by name; other lists by place if as many items differ as places do, and else as
/// items that came and went. `hides` keeps values out of the result: they may be secrets.
FieldChanges find_field_changes(const json::Object& before, const json::Object& after, bool hides = false);

}  // namespace fairway::payload
