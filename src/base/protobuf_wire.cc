// SPDX-License-Identifier: Apache-2.0

#include "base/protobuf_wire.h"

namespace fairway::wire {

bool Reader::fail(std::string_view problem) {
  problem_ = problem;
  return false;
}

std::optional<std::uint64_t> Reader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) {
      fail("the data ends within a number");
      return std::nullopt;
    }
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail("a number has more than 64 bits");
  return std::nullopt;
}

std::optional<std::uint64_t> Reader::fixed(std::size_t size) {
  if (rest_.size() < size) {
    fail("the data ends within a number");
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
  }
  rest_.remove_prefix(size);
  return value;
}

bool Reader::read(Entry& entry) {
  const auto tag = varint();
  if (!tag) return false;
  // Field numbers have 29 bits.
  if (*tag >> 32 != 0 || *tag >> 3 == 0) return fail("a field has a number that is none");
  entry.number = static_cast<std::uint32_t>(*tag >> 3);
  entry.type = static_cast<Type>(*tag & 7);
  std::optional<std::uint64_t> value;
  switch (entry.type) {
    case Type::varint:
      value = varint();
      break;
    case Type::fixed64:
      value = fixed(8);
      break;
    case Type::fixed32:
      value = fixed(4);
      break;
    case Type::bytes:
      value = varint();
      if (!value) return false;
      if (*value > rest_.size()) return fail("a field is longer than the data");
      entry.bytes = rest_.substr(0, *value);
      rest_.remove_prefix(*value);
      return true;
    case Type::begin_group:
    case Type::end_group:
      return true;
    default:
      return fail("a field has a wire type that there is not");
  }
  if (!value) return false;
  entry.value = *value;
  return true;
}

bool Reader::skip_group() {
  Entry inner;
  for (std::size_t open = 1; open > 0;) {
    if (rest_.empty()) return fail("the data ends within a group");
    if (!read(inner)) return false;
    if (inner.type == Type::begin_group) ++open;
    if (inner.type == Type::end_group) --open;
  }
  return true;
}

std::optional<Entry> Reader::next() {
  const std::string_view begin = rest_;
  Entry entry;
  if (!read(entry)) return std::nullopt;
  if (entry.type == Type::end_group) {
    fail("a group ends that has not begun");
    return std::nullopt;
  }
  if (entry.type == Type::begin_group && !skip_group()) return std::nullopt;
  entry.whole = begin.substr(0, begin.size() - rest_.size());
  return entry;
}

void append_varint(std::string& message, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>((value & 0x7f) | 0x80);
  message += static_cast<char>(value);
}

void append_bytes(std::string& message, std::uint32_t number, std::string_view value) {
  append_varint(message, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(Type::bytes));
  append_varint(message, value.size());
  message += value;
}

}  // namespace fairway::wire
