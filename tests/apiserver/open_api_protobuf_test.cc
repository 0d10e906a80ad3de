// SPDX-License-Identifier: Apache-2.0

// OpenAPI documents as protobuf: single messages, values in YAML, and what cannot be written.
#include <gtest/gtest.h>

#include <string>

#include "apiserver/internal/openapi/document.h"
#include "apiserver/internal/openapi/message_encoder.h"
#include "apiserver/internal/openapi/node_yaml.h"
#include "support/is_ok.h"
#include "support/table.h"

namespace fairway::apiserver::openapi {
namespace {

/// Returns the bytes in hexadecimal, or the error.
std::string encoded(Dialect dialect, std::string_view document) {
  const auto bytes = to_protobuf(dialect, json::parse(document).value());
  if (!bytes) return bytes.error().message;
  std::string hex;
  for (const char c : *bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    hex += digits[static_cast<unsigned char>(c) >> 4];
    hex += digits[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

TEST(OpenApiProtobuf, IsWhatGnosticMakes) {
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/open_api_protobuf.tsv")) {
    const Dialect dialect = row.at(0) == "2" ? Dialect::v2 : Dialect::v3;
    EXPECT_EQ(encoded(dialect, row.at(1)), row.at(2)) << "line " << row.line;
  }
}

TEST(OpenApiProtobuf, NamesWhatItHasNoFieldFor) {
  const auto error = [](Dialect dialect, std::string_view document) {
    const auto bytes = to_protobuf(dialect, json::parse(document).value());
    return bytes ? "no error" : bytes.error().message;
  };
  const std::string begin = "writing the OpenAPI document as protobuf: ", end = "; ask for application/json";
  EXPECT_EQ(error(Dialect::v2, R"({"definitions":{"a.B":{"properties":{"c":{"oneOf":[]}}}}})"),
            begin + "definitions > a.B > properties > c > oneOf has no field in protobuf" + end);
  EXPECT_EQ(error(Dialect::v2, R"({"paths":{"/a":{"get":{"parameters":[{"in":"body"},{"in":"cookie"}]}}}})"),
            begin + "paths > /a > get > parameters > [1] is of a type that protobuf has no field for" + end);
  EXPECT_EQ(error(Dialect::v3, R"({"components":{"schemas":{"a":{"type":["string"]}}}})"),
            begin + "components > schemas > a > type is not a text" + end);
  EXPECT_EQ(error(Dialect::v3, R"({"components":{"schemas":{"a":{"maxLength":1.5}}}})"),
            begin + "components > schemas > a > maxLength is not an integer" + end);
}

TEST(OpenApiProtobuf, HasValuesInTheYamlOfGo) {
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/node_yaml.tsv")) {
    const auto value = json::parse(row.at(0)), yaml = json::parse(row.at(1));
    ASSERT_OK(value);
    ASSERT_OK(yaml);
    EXPECT_EQ(node_yaml(*value), std::string_view(yaml->as_string())) << "line " << row.line;
  }
}

TEST(OpenApiProtobuf, IsMadeOnce) {
  const Document document(Dialect::v2, R"({"swagger":"2.0"})", WallTime{});
  const auto first = document.protobuf(), second = document.protobuf();
  ASSERT_OK(first);
  ASSERT_OK(second);
  EXPECT_EQ(**first,
            "\x0A\x03"
            "2.0");
  EXPECT_EQ(first->get(), second->get());
}

}  // namespace
}  // namespace fairway::apiserver::openapi
