// SPDX-License-Identifier: Apache-2.0

// The wire format of protobuf: messages field by field, where their types are not known or not wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::wire {

enum class Type : std::uint8_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  begin_group = 3,
  end_group = 4,
  fixed32 = 5
};

/// One field as it is on the wire.
struct Entry {
  std::uint32_t number = 0;
  Type type = Type::varint;
  /// The value of a varint, fixed64 or fixed32.
  std::uint64_t value = 0;
  /// The value of a field of bytes: a text, a message or a packed list. A group has neither value: it is
  /// skipped.
  std::string_view bytes = {};
  /// The entry with its tag and, if it has one, its length: appended to a message, it adds the same field.
  std::string_view whole = {};
};

/// Reads entry after entry. The results are views into the message.
class Reader {
 public:
  explicit Reader(std::string_view message) : rest_(message) {}

  bool at_end() const { return rest_.empty(); }
  /// Reads the next entry; std::nullopt if the bytes are malformed (`problem` says how).
  std::optional<Entry> next();
  /// Reads the next element of a packed list of varints.
  std::optional<std::uint64_t> varint();
  /// Reads the next element of a packed list of fixed32 (`size` 4) or fixed64 (8).
  std::optional<std::uint64_t> fixed(std::size_t size);
  std::string_view problem() const { return problem_; }

 private:
  bool read(Entry& entry);
  bool skip_group();
  bool fail(std::string_view problem);

  std::string_view rest_, problem_;
};

/// Appends a number.
void append_varint(std::string& message, std::uint64_t value);
/// Appends a field with a length: a text, or a message.
void append_bytes(std::string& message, std::uint32_t number, std::string_view value);

}  // namespace fairway::wire
