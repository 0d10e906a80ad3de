// SPDX-License-Identifier: Apache-2.0

// AdmissionReviews: what an API server writes a webhook reads, and the other way round.
#include <gtest/gtest.h>

#include "base/base64.h"
#include "k8s/data.h"
#include "k8s/wire/admission_review.h"

namespace fairway::k8s {
namespace {

json::Object object(std::string_view text) {
  return json::parse(text).value().as_object();
}

TEST(AdmissionRequest, IsReadAsItIsWritten) {
  const json::Object now = object(R"({"kind":"Widget","spec":{"size":2}})"),
                     before = object(R"({"kind":"Widget","spec":{"size":1}})"),
                     options = object(R"({"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1"})");
  const AdmissionQuestion question{
      .uid = "u",
      .operation = AdmissionOperation::update,
      .kind = {"example.com", "v1", "Widget"},
      .resource = {"example.com", "v1", "widgets"},
      .subresource = "status",
      .request_kind = GroupVersionKind{"example.com", "v2", "Widget"},
      .name = "a",
      .namespace_name = "n",
      .user = {.name = "jane", .uid = "42", .groups = {"g"}, .extra = {{"x", {"y"}}}},
      .object = &now,
      .old_object = &before,
      .options = &options,
      .dry_run = true};
  const std::string text = write_admission_request(question);
  const json::Value review = json::parse(text).value();
  const auto request = read_admission_request(review);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->uid(), "u");
  EXPECT_EQ(request->operation(), AdmissionOperation::update);
  EXPECT_EQ(request->kind(), question.kind);
  EXPECT_EQ(request->resource(), question.resource);
  EXPECT_EQ(request->subresource(), "status");
  EXPECT_EQ(request->text("requestKind.version"), "v2");
  EXPECT_EQ(request->text("requestResource.version"), "v1");
  EXPECT_EQ(request->name(), "a");
  EXPECT_EQ(request->namespace_name(), "n");
  EXPECT_EQ(request->user(), "jane");
  EXPECT_EQ(request->user_groups(), std::vector<std::string_view>{"g"});
  EXPECT_TRUE(request->dry_run());
  EXPECT_EQ(*request->object(), now);
  EXPECT_EQ(*request->old_object(), before);
  EXPECT_EQ(*request->options(), options);
  EXPECT_EQ(json::to_text(testing::field(testing::field(review, "request"), "userInfo")),
            R"({"username":"jane","uid":"42","groups":["g"],"extra":{"x":["y"]}})");
}

TEST(AdmissionRequest, OfEachOperationIsReadAsItIsWritten) {
  for (const auto operation : {AdmissionOperation::create, AdmissionOperation::update,
                               AdmissionOperation::remove, AdmissionOperation::connect}) {
    const json::Value review =
        json::parse(write_admission_request({.uid = "u", .operation = operation})).value();
    const auto request = read_admission_request(review);
    ASSERT_TRUE(request);
    EXPECT_EQ(request->operation(), operation);
    EXPECT_EQ(request->object(), nullptr);
    EXPECT_EQ(request->old_object(), nullptr);
  }
  EXPECT_FALSE(read_admission_request(
      json::parse(write_admission_request({.uid = "u"}, AdmissionVersion::v1beta1)).value()));
}

TEST(AdmissionRequest, IsInTheFirstVersionThatIsKnown) {
  EXPECT_EQ(choose_admission_version({"v3", "v1beta1", "v1"}), AdmissionVersion::v1beta1);
  EXPECT_EQ(choose_admission_version({"v1"}), AdmissionVersion::v1);
  EXPECT_EQ(choose_admission_version({"v2"}), std::nullopt);
}

TEST(AdmissionResponse, IsReadAsItIsWritten) {
  for (const auto version : {AdmissionVersion::v1, AdmissionVersion::v1beta1}) {
    AdmissionResponse response{
        .uid = "u", .allowed = true, .warnings = {"w"}, .audit_annotations = {{"k", "v"}}};
    response.patch = json::parse(R"([{"op":"add","path":"/spec/size","value":2}])").value().as_array();
    const auto read =
        read_admission_response(write_admission_response(response, version), "u", true, version);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->uid, "u");
    EXPECT_TRUE(read->allowed);
    EXPECT_EQ(read->patch, response.patch);
    EXPECT_EQ(read->warnings, response.warnings);
    EXPECT_EQ(read->audit_annotations, response.audit_annotations);
  }
  AdmissionResponse denial{.uid = "u", .status = Status::failure(reason::invalid, "too large")};
  const auto read = read_admission_response(write_admission_response(denial), "u", false);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->allowed);
  EXPECT_EQ(read->status->message(), "too large");
  EXPECT_FALSE(read->patch);
}

TEST(AdmissionResponse, IsCheckedAsKubernetesChecksIt) {
  for (const json::Value& row : testing::read_cases("wire_admission_responses.json")) {
    const json::Value& review = testing::field(row, "review");
    const std::string text = review.is_string() ? std::string(review.as_string()) : json::to_text(review);
    SCOPED_TRACE(text);
    const bool mutating = testing::field(row, "mutating").as_bool();
    const AdmissionVersion version =
        testing::text(row, "version") == "v1" ? AdmissionVersion::v1 : AdmissionVersion::v1beta1;
    const auto read = read_admission_response(text, "u", mutating, version);
    if (const auto allowed = json::find(row, "allowed")) {
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->allowed, allowed->as_bool());
      EXPECT_EQ(read->patch ? json::to_text(json::Value(*read->patch)) : "",
                json::find_string(row, "patch").value_or(""));
      continue;
    }
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message.substr(0, testing::text(row, "error").size()),
              testing::text(row, "error"));
  }
}

TEST(AdmissionResponse, ThatDeniesNamesTheWebhook) {
  const auto denial = [](AdmissionResponse response) {
    const Status status = admission_denial("w.example.com", response);
    EXPECT_FALSE(status.is_success());
    return std::to_string(status.code()) + " " + std::string(status.reason()) + " " +
           std::string(status.message());
  };
  const std::string denied = "admission webhook \"w.example.com\" denied the request";
  EXPECT_EQ(denial({}), "400  " + denied + " without explanation");
  EXPECT_EQ(denial({.status = Status::failure(reason::forbidden, "not you")}),
            "403 Forbidden " + denied + ": not you");
  EXPECT_EQ(denial({.status = Status::failure(reason::forbidden, "")}),
            "403 Forbidden " + denied + ": Forbidden");
  EXPECT_EQ(denial({.status = Status::of({.success = true, .message = "m", .code = 200})}),
            "400  " + denied + ": m");
}

}  // namespace
}  // namespace fairway::k8s
