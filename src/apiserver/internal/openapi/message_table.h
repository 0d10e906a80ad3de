// SPDX-License-Identifier: Apache-2.0

// The messages of protobuf in which clients take OpenAPI documents, as tables: which member of JSON is which
// field. The messages and their numbers are those of gnostic (openapi.v2 and openapi.v3).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "apiserver/internal/openapi/dialect.h"

namespace fairway::apiserver::openapi {

/// The value of a field.
enum class Form : std::uint8_t {
  text,
  texts,
  boolean,
  integer,   ///< int64
  number,    ///< double
  any,       ///< any value of JSON: a message with its YAML
  anys,      ///< a list of such values
  message,   ///< the message of the row
  messages,  ///< a list of that message
};

struct Message;

/// A member of an object, or a group of members.
struct Row {
  /// Name of the member. A group is a list of pairs of a name and a value: "x-*" and "/*" are the members
  /// that begin so, and "*" are those that no other row of the message has.
  std::string_view member;
  std::uint32_t number;
  Form form;
  const Message* message = nullptr;

  constexpr bool is_group() const { return member.ends_with('*'); }
};

/// A value that one of several fields takes.
struct Choice {
  enum class When : std::uint8_t { boolean, text, number, list, has, equals, object };

  When when;
  std::uint32_t number;
  Form form;
  const Message* message = nullptr;
  /// Member that the value has (`has`), and the text of that member (`equals`).
  std::string_view member = {}, text = {};
};

/// A message of either kind: an object with members, or a value that the first fitting choice takes.
struct Message {
  /// Rows by number.
  std::span<const Row> rows = {};
  std::span<const Choice> choices = {};
  /// Members without a row are left out, and values that no choice takes are an empty message. Otherwise they
  /// are errors.
  bool is_tolerant = false;
};

/// Returns the message of a whole document.
const Message& document_message(Dialect dialect);
/// Returns openapi.v2.Document.
const Message& document_message_v2();
/// Returns openapi.v3.Document.
const Message& document_message_v3();

}  // namespace fairway::apiserver::openapi
