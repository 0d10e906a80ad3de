// SPDX-License-Identifier: Apache-2.0

// ConversionReviews from both sides. What a webhook makes of one is tested in tests/conversion.
#include <gtest/gtest.h>

#include "k8s/data.h"
#include "k8s/object.h"
#include "k8s/wire/conversion_review.h"

namespace fairway::k8s {
namespace {

/// A converter that returns each object unchanged, in the desired version.
class Echo : public ConversionRequestSink {
 public:
  void begin(ConversionRequest request) override {
    request_ = std::move(request);
    writer_.emplace(text_, request_);
  }
  void add(json::Value object) override {
    Dynamic converted(std::move(object.get_object()));
    converted.set("apiVersion", request_.desired_api_version);
    json::append_text(writer_->next(), converted.json());
  }
  std::string end() {
    writer_->end();
    return text_;
  }
  const ConversionRequest& request() const { return request_; }

 private:
  ConversionRequest request_;
  std::optional<ConversionResponseWriter> writer_;
  std::string text_;
};

TEST(ConversionReview, GoesThereAndBack) {
  std::vector<json::Object> objects;
  for (const std::string name : {"a", "b", "c"}) {
    objects.push_back(json::parse(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" +
                                  name + R"(","uid":"u-)" + name +
                                  R"(","labels":{"l":"x"}},"spec":{"size":1.50}})")
                          .value()
                          .as_object());
  }
  for (const auto version : {ConversionVersion::v1, ConversionVersion::v1beta1}) {
    ConversionQuestion question{.version = version,
                                .uid = "u1",
                                .desired = {"example.com", "v2"},
                                .of = {"example.com", "v1", "WidgetList"},
                                .is_list = true};
    for (const json::Object& object : objects) question.objects.push_back(&object);
    Echo webhook;
    const auto read = read_conversion_request(write_conversion_request(question), webhook, 1 << 20);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(webhook.request().uid, "u1");
    EXPECT_EQ(webhook.request().desired_api_version, "example.com/v2");
    const auto converted = read_conversion_response(webhook.end(), question);
    ASSERT_TRUE(converted) << converted.error().message;
    ASSERT_EQ(converted->size(), objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      json::Object wanted = objects[i];
      wanted["apiVersion"] = "example.com/v2";
      EXPECT_EQ((*converted)[i], wanted);
    }
  }
}

TEST(ConversionReview, ThatFailsSaysWhy) {
  const ConversionQuestion question{
      .uid = "u1", .desired = {"example.com", "v2"}, .of = {"example.com", "v1", "Widget"}};
  const ConversionRequest request{"apiextensions.k8s.io/v1", "u1", "example.com/v2"};
  const auto read = read_conversion_response(
      write_conversion_failure(request, Status::failure(reason::invalid, "no size")), question);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "conversion webhook for example.com/v1, Kind=Widget failed: no size");
}

TEST(ConversionReview, IsOnlySentWhereThereIsSomethingToConvert) {
  const auto needs = [](std::string_view text) {
    return needs_conversion(json::parse(text).value().as_object(), "example.com/v2");
  };
  EXPECT_TRUE(needs(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{}})"));
  EXPECT_FALSE(needs(R"({"apiVersion":"example.com/v2","kind":"Widget","metadata":{}})"));
  EXPECT_FALSE(needs(R"({"apiVersion":"example.com/v1","kind":"Widget"})"));
  EXPECT_EQ(choose_conversion_version({"v2", "v1beta1", "v1"}), ConversionVersion::v1beta1);
  EXPECT_EQ(choose_conversion_version({}), std::nullopt);
}

TEST(ConversionReview, AnswersAreCheckedAsKubernetesChecksThem) {
  const json::Object original =
      json::parse(
          R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","namespace":"n","uid":"u",
                     "labels":{"l":"x"},"annotations":{"a":"y"},"resourceVersion":"5","generation":2},"spec":{}})")
          .value()
          .as_object();
  int checked = 0;
  for (const json::Value& row : testing::read_cases("wire_conversion_responses.json")) {
    const json::Value& review = testing::field(row, "review");
    const std::string text = review.is_string() ? std::string(review.as_string()) : json::to_text(review);
    SCOPED_TRACE(text);
    ++checked;
    const bool is_list = json::find(row, "list") != nullptr;
    const ConversionQuestion question{
        .version = json::find(row, "v1beta1") != nullptr ? ConversionVersion::v1beta1 : ConversionVersion::v1,
        .uid = "r",
        .desired = {"example.com", "v2"},
        .of = {"example.com", "v1", is_list ? "WidgetList" : "Widget"},
        .is_list = is_list,
        .objects = {&original}};
    const auto read = read_conversion_response(text, question);
    if (const auto metadata = json::find(row, "metadata")) {
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(read->front().at("metadata"), *metadata) << json::to_text(read->front());
      EXPECT_EQ(read->front().at("apiVersion"), "example.com/v2");
      continue;
    }
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message.substr(0, testing::text(row, "error").size()),
              testing::text(row, "error"));
    EXPECT_EQ(read.error().failure_type, "conversion_webhook_" + testing::text(row, "type") + "_failure");
    EXPECT_EQ(read.error().is_refusal, json::find(row, "refusal") != nullptr);
    EXPECT_EQ(read.error().is_about_object, testing::text(row, "type") == "invalid_converted_object");
  }
  EXPECT_GT(checked, 25);
}

}  // namespace
}  // namespace fairway::k8s
