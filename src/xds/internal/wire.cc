#include "xds/internal/wire.h"

namespace fairway::xds {

namespace {

// How long a value is, in the last bits of its tag.
constexpr std::uint64_t as_varint = 0, as_fixed64 = 1, with_length = 2, as_fixed32 = 5;

}  // namespace

std::optional<WireField> WireFields::next() {
  const std::string_view begin = rest_;
  const auto tag = varint();
  if (!tag) return std::nullopt;
  std::optional<std::uint64_t> size;
  switch (*tag & 7) {
    case as_varint:
      if (varint()) size = 0;
      break;
    case as_fixed64:
      size = 8;
      break;
    case with_length:
      size = varint();
      break;
    case as_fixed32:
      size = 4;
      break;
    default:
      break;
  }
  if (!size || *size > rest_.size()) return std::nullopt;
  WireField field{.number = *tag >> 3, .whole = {}, .value = rest_.substr(0, *size)};
  rest_.remove_prefix(*size);
  field.whole = begin.substr(0, begin.size() - rest_.size());
  return field;
}

std::optional<std::uint64_t> WireFields::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

void append_wire_field(std::string& message, std::uint64_t number, std::string_view value) {
  message += static_cast<char>(number << 3 | with_length);
  std::size_t size = value.size();
  for (; size >= 0x80; size >>= 7) message += static_cast<char>((size & 0x7f) | 0x80);
  message += static_cast<char>(size);
  message += value;
}

}  // namespace fairway::xds
