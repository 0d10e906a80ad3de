// Protobuf's encoding, field by field, where a message is to be taken apart without its type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairway::xds {

/// One field of a message.
struct WireField {
  std::uint64_t number = 0;
  /// With its tag and length.
  std::string_view whole;
  /// Of fields with a length.
  std::string_view value;
};

/// Reads the fields of a message one after the other.
class WireFields {
 public:
  explicit WireFields(std::string_view message) : rest_(message) {}

  bool is_at_end() const { return rest_.empty(); }
  /// std::nullopt: what follows is no field.
  std::optional<WireField> next();

 private:
  std::optional<std::uint64_t> varint();

  std::string_view rest_;
};

/// Appends a field with a length: a text, or a message. Numbers are below 16.
void append_wire_field(std::string& message, std::uint64_t number, std::string_view value);

}  // namespace fairway::xds
