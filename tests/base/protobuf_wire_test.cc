// SPDX-License-Identifier: Apache-2.0

#include "base/protobuf_wire.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "base/hex.h"
#include "support/table.h"

namespace fairway::wire {
namespace {

std::string from_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(hex_value(digits[i]) * 16 + hex_value(digits[i + 1]));
  }
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char each : bytes) {
    text += digits[static_cast<unsigned char>(each) / 16];
    text += digits[static_cast<unsigned char>(each) % 16];
  }
  return text;
}

std::string text_of(const Entry& entry) {
  std::string text = std::to_string(entry.number) + ":" + std::to_string(static_cast<int>(entry.type));
  if (entry.type == Type::begin_group) return text;
  return text + "=" + (entry.type == Type::bytes ? to_hex(entry.bytes) : std::to_string(entry.value));
}

TEST(ProtobufWire, ReadsFieldsAsTheTableSays) {
  const auto rows =
      fairway::testing::read_table(std::string(FAIRWAY_SOURCE_DIR) + "/tests/base/data/protobuf_fields.tsv");
  ASSERT_GT(rows.size(), 20U);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.at(0));
    const std::string message = from_hex(row.at(0));
    std::string fields, parts, problem;
    for (Reader reader(message); problem.empty() && !reader.at_end();) {
      const auto entry = reader.next();
      if (entry) {
        fields += (fields.empty() ? "" : " ") + text_of(*entry);
        parts += entry->whole;
      } else {
        fields = "error";
        problem = reader.problem();
      }
    }
    EXPECT_EQ(fields, row.at(1));
    EXPECT_EQ(problem, row.at(2));
    EXPECT_EQ(problem.empty() ? parts : message, message) << "a message is its entries";
  }
}

TEST(ProtobufWire, ReadsTheElementsOfPackedLists) {
  const std::string numbers = from_hex("01ac0280");
  Reader varints(numbers);
  EXPECT_EQ(varints.varint(), 1U);
  EXPECT_EQ(varints.varint(), 300U);
  EXPECT_EQ(varints.varint(), std::nullopt);
  EXPECT_EQ(varints.problem(), "the data ends within a number");
  const std::string sized = from_hex("01000000020000000000000003");
  Reader fixed(sized);
  EXPECT_EQ(fixed.fixed(4), 1U);
  EXPECT_EQ(fixed.fixed(8), 2U);
  EXPECT_EQ(fixed.fixed(4), std::nullopt);
  EXPECT_FALSE(fixed.at_end());
}

TEST(ProtobufWire, ReadsWhatItWrites) {
  for (const std::uint64_t number :
       {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{16'384},
        std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()}) {
    std::string message;
    append_varint(message, number);
    Reader reader(message);
    EXPECT_EQ(reader.varint(), number);
    EXPECT_TRUE(reader.at_end());
  }
  for (const std::uint32_t number : {1U, 15U, 16U, (1U << 29) - 1}) {
    for (const std::size_t size : {0, 1, 127, 128, 100'000}) {
      std::string message = "\x08\x07";
      append_bytes(message, number, std::string(size, 'x'));
      Reader reader(message);
      ASSERT_TRUE(reader.next());
      const auto entry = reader.next();
      ASSERT_TRUE(entry) << number << " " << size;
      EXPECT_EQ(entry->number, number);
      EXPECT_EQ(entry->type, Type::bytes);
      EXPECT_EQ(entry->bytes, std::string(size, 'x'));
      EXPECT_EQ(entry->whole, std::string_view(message).substr(2));
      EXPECT_TRUE(reader.at_end());
    }
  }
}

}  // namespace
}  // namespace fairway::wire
