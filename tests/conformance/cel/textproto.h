// SPDX-License-Identifier: Apache-2.0

// Reads protobuf's text format as a tree of names and values, without knowing the messages.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace fairway::test {

struct TextMessage;

struct TextField {
  std::string name;
  /// The text of a number, a boolean or an enum's name; a string with its escapes replaced.
  std::string scalar;
  /// nullptr for a scalar.
  std::shared_ptr<TextMessage> message;
};

struct TextMessage {
  std::vector<TextField> fields;

  /// The first field of a name, or nullptr.
  const TextField* find(std::string_view name) const;
  /// The scalar of a field, or "".
  std::string text(std::string_view name) const;
  /// A message field; an empty one if there is none.
  const TextMessage& message(std::string_view name) const;
  std::vector<const TextField*> all(std::string_view name) const;
};

Result<TextMessage> parse_textproto(std::string_view text);

}  // namespace fairway::test
