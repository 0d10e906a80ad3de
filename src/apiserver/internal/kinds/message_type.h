// SPDX-License-Identifier: Apache-2.0

// The types of Kubernetes's built-in kinds: their fields in JSON and protobuf, and what the API declares
// about them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::apiserver::kinds {

class MessageType;

/// The type of a field's value, or of each element of a list or map.
enum class FieldType : std::uint8_t {
  boolean,
  int32,
  int64,
  float64,
  string,
  bytes,              ///< base64 in JSON
  quantity,           ///< resource.Quantity: "500m"
  time,               ///< RFC 3339 with seconds, null if zero
  micro_time,         ///< RFC 3339 with six digits of a second, null if zero
  duration,           ///< "1h0m0s"
  int_or_string,      ///< util/intstr
  strings,            ///< a list of strings that is a message of its own in protobuf
  raw_extension,      ///< any JSON: runtime.RawExtension
  json,               ///< any JSON: apiextensions' JSON
  fields,             ///< any JSON: FieldsV1 of managedFields
  schema_or_array,    ///< JSONSchemaProps, or a list of them
  schema_or_bool,     ///< JSONSchemaProps, or true or false
  schema_or_strings,  ///< JSONSchemaProps, or a list of strings
  message             ///< an object with known fields
};

enum class FieldShape : std::uint8_t { one, list, map };

/// Values of `x-kubernetes-list-type`. Undeclared lists are atomic in server-side apply unless they have a
/// patch strategy.
enum class ListType : std::uint8_t { undeclared, atomic, set, map };

/// A field of a message. Strings have static lifetime.
struct Field {
  /// Name in JSON; empty if inlined.
  std::string_view name;
  /// Number in protobuf; 0: JSON only.
  std::uint32_t number = 0;
  FieldShape shape = FieldShape::one;
  FieldType type = FieldType::string;
  /// Type of a message, and of other values that hold one (JSONSchemaProps); nullptr for others.
  const MessageType* message = nullptr;
  /// Go's name of the value's type, for errors: "v1.Protocol"; empty if it follows from the rest ("int32").
  std::string_view go_type;
  /// Go's name of the list or map, if it has one: "v1.ResourceList".
  std::string_view go_collection;
  /// True if the fields of `message` are fields of this message in JSON; in protobuf they are a message of
  /// their own.
  bool inlined = false;
  /// True if Go has a pointer: an unset field differs from a zero one.
  bool pointer = false;
  /// True if Go's JSON omits an empty value: false, 0, "", an empty list or map, a null pointer
  /// (`omitempty`).
  bool omit_empty = false;
  /// True if Go's JSON omits a zero value (`omitzero`).
  bool omit_zero = false;
  /// True if OpenAPI names it as required.
  bool required = false;

  // Strategic merge patches.

  /// True if the list is merged item by item (`patchStrategy: merge`): by `merge_key`, or as a set if that is
  /// empty.
  bool patch_merge = false;
  bool patch_replace = false;
  bool patch_retain_keys = false;
  std::string_view merge_key;

  // Server-side apply.

  ListType list_type = ListType::undeclared;
  /// Members of `x-kubernetes-list-map-keys`.
  std::vector<std::string_view> list_keys;
  /// True for `x-kubernetes-map-type: atomic`, at the field or at its type.
  bool atomic = false;
  /// The default that OpenAPI declares, as JSON text; empty if there is none. Fields that are neither
  /// pointers nor omitted if empty also declare their zero value there.
  std::string_view default_json;
};

/// A type with fields: a kind, or a part of one.
class MessageType {
 public:
  /// Name of the type: "DeploymentSpec".
  std::string_view name() const { return name_; }
  /// Group of the type's table: "apps"; empty for the core group.
  std::string_view group() const { return group_; }
  /// Go's name, as in errors: "v1.DeploymentSpec".
  std::string go_name() const { return std::string(go_package_) + "." + std::string(name_); }
  /// Returns whether it has `kind` and `apiVersion` (in JSON; in protobuf the envelope of a request has
  /// them).
  bool has_type_meta() const { return has_type_meta_; }
  /// Returns whether it has `x-kubernetes-map-type: atomic`.
  bool atomic() const { return atomic_; }

  /// The declared fields, in the order of Go's JSON. Inlined fields stand for those of their message.
  std::span<const Field> fields() const { return fields_; }
  /// The fields of JSON objects: inlined ones are replaced by the fields of their message. Without `kind` and
  /// `apiVersion`.
  std::span<const Field* const> json_fields() const { return json_fields_; }
  /// The fields of protobuf messages, by number.
  std::span<const Field* const> numbered_fields() const { return by_number_; }
  /// Returns a field of JSON objects; nullptr: unknown. `kind` and `apiVersion` are unknown to it.
  const Field* find(std::string_view name) const;
  /// Returns a field of protobuf messages; nullptr: unknown.
  const Field* find(std::uint32_t number) const;

 private:
  friend class KindTable;
  std::string_view group_, name_, go_package_;
  bool has_type_meta_ = false, atomic_ = false;
  std::vector<Field> fields_;
  std::vector<const Field*> json_fields_, by_name_, by_number_;
};

}  // namespace fairway::apiserver::kinds
