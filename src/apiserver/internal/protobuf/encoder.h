// SPDX-License-Identifier: Apache-2.0

// JSON to messages of protobuf, by the table of their type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"

namespace fairway::apiserver::protobuf {

/// Encodes one object, and everything in it, as Kubernetes's Go code does: fields in the order of their
/// numbers, those that are no pointers also where they are zero, maps sorted by key. After `false` there is
/// an error.
class Encoder {
 public:
  /// Appends the fields of a message, whose members `object` has. Members that the type does not have are
  /// left out: what is stored has none.
  bool message(const kinds::MessageType& type, const json::Object& object, std::string& out);

  /// Returns the error with the path to it: "spec.replicas: it is not a number".
  std::string error() const;

 private:
  bool field(const kinds::Field& field, const json::Object& object, std::string& out);
  bool list(const kinds::Field& field, const json::Value& value, std::string& out);
  bool map(const kinds::Field& field, const json::Value& value, std::string& out);
  /// Appends one value with its tag. `value` may be null: the zero value.
  bool value(const kinds::Field& field, std::uint32_t number, const json::Value& value, std::string& out);
  /// Appends the content of a value that has a length on the wire.
  bool content(const kinds::Field& field, const json::Value& value, std::string& out);
  bool schema(const kinds::Field& field, const json::Value& value, std::string& out);
  bool bad(std::string_view problem);
  /// Adds a step to the path of the error, from the inside out. Returns false.
  bool at(std::string_view step);

  std::string path_, problem_;
};

}  // namespace fairway::apiserver::protobuf
