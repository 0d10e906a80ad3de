// SPDX-License-Identifier: Apache-2.0

#include "k8s/status.h"

#include <gtest/gtest.h>

#include "k8s/data.h"

namespace fairway::k8s {
namespace {

TEST(Status, OfARepliesIsAsTheTableSays) {
  for (const json::Value& row : testing::read_cases("status.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const json::Value& body = testing::field(row, "body");
    const Status status =
        Status::of_reply(static_cast<int>(testing::field(row, "http").as_int64()),
                         body.is_string() ? std::string(body.as_string()) : json::to_text(body));
    EXPECT_FALSE(status.is_success());
    EXPECT_EQ(status.reason(), testing::text(row, "reason"));
    EXPECT_EQ(status.code(), testing::field(row, "code").as_int64());
    const Error error = status.to_error();
    EXPECT_EQ(to_string(error.code), testing::text(row, "error"));
    EXPECT_EQ(error.message, testing::text(row, "message"));
  }
}

TEST(Status, CarriesDetails) {
  const Status status(json::parse(R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"token"},
      "status":"Failure","message":"m","reason":"Timeout","code":504,"details":{"name":"n","group":"g","kind":"k",
      "retryAfterSeconds":1,"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version","field":"f"}]}})")
                          .value()
                          .as_object());
  EXPECT_EQ(status.continue_token(), "token");
  EXPECT_EQ(status.retry_after(), std::chrono::seconds(1));
  EXPECT_EQ(status.object_name(), "n");
  EXPECT_EQ(status.object_group(), "g");
  EXPECT_EQ(status.object_kind(), "k");
  EXPECT_TRUE(status.has_cause(cause::resource_version_too_large));
  EXPECT_FALSE(status.has_cause(cause::field_manager_conflict));
  EXPECT_EQ(status.causes().front().field(), "f");
  EXPECT_TRUE(status.is_failure(reason::timeout));
  EXPECT_FALSE(status.is_failure(reason::expired));
}

TEST(Status, IsMadeWithTheCodeOfItsReason) {
  Status status = Status::failure(reason::invalid, "widgets \"w\" is invalid");
  status.add_cause(cause::field_value_required, "Required value", "spec.color");
  EXPECT_EQ(
      status.to_text(),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"widgets \"w\" is invalid",)"
      R"("reason":"Invalid","code":422,"details":{"causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.color"}]}})");
  EXPECT_EQ(Status::failure("Odd", "m").code(), 500);
  EXPECT_EQ(status.retry_after(), std::nullopt);
}

}  // namespace
}  // namespace fairway::k8s
