// SPDX-License-Identifier: Apache-2.0

// One reading of a document by the table of its type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::kinds {

/// Makes the typed document. After `false` there is an error. For values of a wrong type the first error is
/// kept and the reading goes on, as in Go.
class TypedReader {
 public:
  explicit TypedReader(json::Storage storage) : storage_(std::move(storage)) {}

  /// Reads a message. `from`: nullptr is an absent value, which Go reads as the zero value.
  bool message(const MessageType& type, const json::Value* from, json::Object& into);
  const Error& error() const { return error_; }
  const std::optional<Error>& saved() const { return saved_; }

 private:
  using Members = std::vector<std::pair<const Field*, json::Value>>;

  bool member(const MessageType& type, std::string_view key, const json::Value& from, Members& read,
              json::Object& into);
  void add_inlined(const Field& outer, const Field& field);
  static void write(const Field& field, json::Value value, json::Object& into);
  bool list(const Field& field, const json::Value& from, json::Value& into);
  bool map(const Field& field, const json::Value& from, json::Value& into);
  /// Reads one value of the field's type.
  bool value(const Field& field, const json::Value* from, json::Value& into);
  bool number(const Field& field, const json::Value* from, json::Value& into);
  bool text(std::string_view type, const json::Value* from, json::Value& into);
  bool bytes(const json::Value* from, json::Value& into);
  bool quantity(const json::Value* from, json::Value& into);
  bool moment(FieldType type, const json::Value* from, json::Value& into);
  bool duration(const json::Value* from, json::Value& into);
  bool int_or_string(const json::Value* from, json::Value& into);
  bool strings(const Field& field, const json::Value* from, json::Value& into);
  bool schema(const Field& field, const json::Value* from, json::Value& into);
  bool schema_members(const Field& field, const json::Value& from, json::Value& into);

  /// Returns the error for a value of a wrong type: "json: cannot unmarshal ...".
  std::string mismatch(const json::Value& from, const std::string& type) const;
  /// Returns `from` if it fits; otherwise nullptr, and the mismatch is kept.
  const json::Value* expect(bool fits, const json::Value* from, const std::string& type);
  /// Sets the error that ends the reading: Go's own readers of a type refuse the text.
  bool bad(std::string message);

  json::Storage storage_;
  Error error_;
  std::optional<Error> saved_;
  /// Parts of Go's error: the innermost structure, and the names of the fields that lead into it.
  std::string_view structure_;
  /// Structure with the outermost value that Go reads by an UnmarshalJSON; empty outside of such a value.
  std::string_view unmarshaler_in_;
  std::vector<std::string_view> names_;
};

}  // namespace fairway::apiserver::kinds
