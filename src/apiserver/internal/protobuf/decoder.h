// SPDX-License-Identifier: Apache-2.0

// Messages of protobuf to JSON, by the table of their type.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/kinds/message_type.h"
#include "apiserver/internal/protobuf/request_body.h"
#include "base/json.h"
#include "base/protobuf_wire.h"
#include "base/result.h"

namespace fairway::apiserver::protobuf {

/// Decodes one message, and everything in it. After `false` there is an error.
class Decoder {
 public:
  Decoder(const ProtobufLimits& limits, json::Storage storage)
      : limits_(limits), storage_(std::move(storage)) {}

  /// Appends the members of a message to an object.
  bool message(const kinds::MessageType& type, std::string_view bytes, json::Object& into);

  const Error& error() const { return error_; }
  std::vector<std::string>& unknown_fields() { return unknown_; }

 private:
  using Entries = std::span<const wire::Entry>;

  bool field(const kinds::Field& field, Entries found, json::Object& into);
  bool member(const kinds::Field& field, Entries found, json::Object& into);
  bool list(const kinds::Field& field, Entries found, json::Value& into);
  bool map(const kinds::Field& field, Entries found, json::Value& into);
  bool map_entry(const kinds::Field& field, std::string_view bytes, std::string& key, json::Value& value);
  /// Decodes one value from its entries on the wire: the last one counts, except that the parts of a message
  /// add up.
  bool value(const kinds::Field& field, Entries found, json::Value& into);
  bool number(kinds::FieldType type, std::uint64_t value, json::Value& into);
  bool text(std::string_view bytes, json::Value& into);
  bool bytes(std::string_view bytes, json::Value& into);
  bool quantity(std::string_view bytes, json::Value& into);
  bool moment(kinds::FieldType type, std::string_view bytes, json::Value& into);
  bool duration(std::string_view bytes, json::Value& into);
  bool int_or_string(std::string_view bytes, json::Value& into);
  bool strings(std::string_view bytes, json::Value& into);
  bool any_json(kinds::FieldType type, std::string_view bytes, json::Value& into);
  bool schema(const kinds::Field& field, std::string_view bytes, json::Value& into);
  bool schema_object(const kinds::MessageType& type, std::string_view bytes, json::Value& into);
  bool count(std::size_t values = 1);
  bool bad(std::string_view problem);

  /// Calls `take` for each entry of a message without a table.
  template <class Take>
  bool entries(std::string_view bytes, Take take);

  const ProtobufLimits& limits_;
  json::Storage storage_;
  Error error_;
  std::vector<std::string> unknown_;
  std::string path_;
  std::size_t values_ = 0, depth_ = 0;

  class Place;
};

}  // namespace fairway::apiserver::protobuf
