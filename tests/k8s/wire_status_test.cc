// SPDX-License-Identifier: Apache-2.0

// The table is what k8s.io/apimachinery/pkg/api/errors makes.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "k8s/data.h"
#include "k8s/wire/status_errors.h"

namespace fairway::k8s {
namespace {

using std::chrono::seconds;

std::map<std::string, Status> made() {
  const GroupResource widgets{"widgets.example.com", "widgets"}, pods{"", "pods"};
  return {
      {"not_found", answer::not_found(widgets, "a")},
      {"not_found core", answer::not_found(pods, "a\"b")},
      {"no_such_path", answer::no_such_path()},
      {"already_exists", answer::already_exists(widgets, "a")},
      {"generate_name_conflict", answer::generate_name_conflict(widgets, "a-x", seconds(1))},
      {"conflict", answer::conflict(widgets, "a",
                                    "the object has been modified; please apply your changes to the latest "
                                    "version and try again")},
      {"apply_conflict", answer::apply_conflict({{.reason = std::string(cause::field_manager_conflict),
                                                  .message = "conflict with \"m\"",
                                                  .field = ".spec.color"}},
                                                "Apply failed with 1 conflict")},
      {"gone", answer::gone("gone")},
      {"expired", answer::expired("The provided continue parameter is too old", "next")},
      {"invalid",
       answer::invalid(
           {"example.com", "Widget"}, "a",
           {FieldError::invalid("spec.size", 5, "too large"), FieldError::required("spec.color", ""),
            FieldError::duplicate("spec.ports[1]", json::Object{{"port", 80}}),
            FieldError::not_found("spec.ref", "x"), FieldError::too_long("spec.name", 1),
            FieldError::not_supported("spec.mode", "c", {"a", "b"}), FieldError::forbidden("spec.f", "no"),
            FieldError::required("spec.color", "")})},
      {"invalid without errors", answer::invalid({"", "Pod"}, "", {})},
      {"bad_request", answer::bad_request("bad")},
      {"unauthorized", answer::unauthorized()},
      {"unauthorized why", answer::unauthorized("Unauthorized")},
      {"forbidden", answer::forbidden(widgets, "a", "User \"u\" cannot get")},
      {"forbidden collection", answer::forbidden(widgets, "", "no")},
      {"forbidden path", answer::forbidden({}, "", "no")},
      {"method_not_allowed", answer::method_not_allowed(widgets, "patch")},
      {"request_entity_too_large", answer::request_entity_too_large("limit is 3145728")},
      {"too_many_requests", answer::too_many_requests("slow down", seconds(2))},
      {"internal_error", answer::internal_error("boom")},
      {"server_timeout", answer::server_timeout(widgets, "list", seconds(2))},
      {"service_unavailable", answer::service_unavailable("not ready")},
      {"timeout", answer::timeout("it took too long")},
  };
}

TEST(StatusErrors, ShowTheBeginningOfALongValue) {
  const std::string usual(8192, 'a');
  EXPECT_EQ(FieldError::invalid("f", json::Value(usual), "no").message,
            "Invalid value: \"" + usual + "\": no");
  const std::string text(8191, 'a');
  EXPECT_EQ(FieldError::invalid("f", json::Value(text + "\u00e4" + text), "no").message,
            "Invalid value: \"" + text + "\"... (16384 bytes): no");
  const json::Value list(json::Array(100'000, json::Value(1)));
  EXPECT_LT(FieldError::duplicate("f", list).message.size(), 8300);
  EXPECT_TRUE(FieldError::duplicate("f", list).message.ends_with(",1... (200001 bytes)"));
}

TEST(StatusErrors, CountTheErrorsBeyondTheFirstThousand) {
  std::vector<FieldError> errors;
  for (int i = 0; i < 1500; ++i) errors.push_back(FieldError::required("f" + std::to_string(i), ""));
  errors.push_back(FieldError::left_out("more", 200));
  const Status status = answer::invalid({"", "Pod"}, "p", errors);
  const auto causes = status.causes();
  ASSERT_EQ(causes.size(), most_errors);
  EXPECT_EQ(causes.back().field(), "f999");
  EXPECT_EQ(causes.back().reason(), "FieldValueTooMany");
  EXPECT_TRUE(causes.back().message().contains("701 more")) << causes.back().message();
}

TEST(StatusErrors, AreWrittenAsKubernetesWritesThem) {
  const auto statuses = made();
  const json::Array rows = testing::read_cases("wire_statuses.json");
  EXPECT_EQ(rows.size(), statuses.size());
  for (const json::Value& row : rows) {
    const std::string name = testing::text(row, "case");
    SCOPED_TRACE(name);
    ASSERT_TRUE(statuses.contains(name));
    EXPECT_EQ(statuses.at(name).to_text(), testing::text(row, "text"));
  }
}

TEST(StatusErrors, AreReadAndWrittenAsTheSame) {
  for (const json::Value& row : testing::read_cases("wire_statuses.json")) {
    const std::string text = testing::text(row, "text");
    SCOPED_TRACE(text);
    const auto status = Status::parse(text);
    ASSERT_TRUE(status) << status.error().message;
    EXPECT_EQ(Status::of(status->fields()).to_text(), text);
    EXPECT_EQ(Status::of(status->fields()).fields(), status->fields());
  }
}

TEST(StatusErrors, SayThatAServerIsNotAsFar) {
  const Status status = answer::resource_version_too_large(9, 5, seconds(1));
  EXPECT_EQ(status.code(), 504);
  EXPECT_EQ(status.message(), "Timeout: Too large resource version: 9, current: 5");
  EXPECT_TRUE(status.has_cause(cause::resource_version_too_large));
  EXPECT_EQ(status.retry_after(), seconds(1));
}

TEST(StatusErrors, NameTheMediaTypes) {
  EXPECT_EQ(answer::not_acceptable({"application/json"}).to_text(),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"only the following media types are accepted: application/json",)"
            R"("reason":"NotAcceptable","code":406})");
}

TEST(StatusErrors, OfADeleteAreASuccess) {
  EXPECT_EQ(answer::deleted({"widgets.example.com", "widgets"}, "a", "u").to_text(),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
            R"("details":{"name":"a","group":"widgets.example.com","kind":"widgets","uid":"u"}})");
}

TEST(Status, ThatIsNoneIsNotRead) {
  for (const std::string_view text :
       {"", "[]", "{}", R"({"kind":"Status"})", R"({"kind":"Status","apiVersion":"v2","status":"Failure"})",
        R"({"kind":"Status","apiVersion":"v1","status":"failure"})", R"({"kind":"Pod","apiVersion":"v1"})"}) {
    EXPECT_FALSE(Status::parse(text)) << text;
  }
  EXPECT_TRUE(Status::parse(R"({"kind":"Status","apiVersion":"meta.k8s.io/v1","status":"Success"})"));
}

}  // namespace
}  // namespace fairway::k8s
