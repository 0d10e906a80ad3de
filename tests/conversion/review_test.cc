// SPDX-License-Identifier: Apache-2.0

// The wire: the table is tests/conversion/data/reviews.json.
#include "conversion/internal/review.h"

#include <gtest/gtest.h>

#include "conversion/widgets.h"
#include "k8s/equality.h"

namespace fairway::conversion {
namespace {

TEST(Review, IsAnsweredAsTheTableSays) {
  Converters converters;
  testing::add_widgets(converters);
  ASSERT_TRUE(converters.prepare());
  for (const json::Value& row : testing::read_cases("reviews.json")) {
    SCOPED_TRACE(testing::text(row, "case"));
    const ReviewReply reply = answer_review(converters, json::to_text(testing::field(row, "review")));
    const auto body = json::parse(reply.body);
    ASSERT_TRUE(body) << body.error().message;
    const auto says = [&](const std::string& message, const char* expected) {
      EXPECT_NE(message.find(testing::text(row, expected)), std::string::npos) << message;
    };
    if (json::find(row, "refused") != nullptr) {
      EXPECT_EQ(reply.http_status, 400);
      EXPECT_EQ(testing::text(*body, "kind"), "Status");
      says(testing::text(*body, "message"), "refused");
      continue;
    }
    EXPECT_EQ(reply.http_status, 200);
    if (const json::Value* expected = json::find(row, "reply")) {
      EXPECT_TRUE(k8s::equal(*body, *expected)) << reply.body;
    } else {
      const json::Value& response = testing::field(*body, "response");
      const json::Value& result = testing::field(response, "result");
      EXPECT_EQ(testing::text(result, "status"), "Failure");
      EXPECT_EQ(testing::text(response, "uid"), "u");
      EXPECT_TRUE(testing::field(response, "convertedObjects").as_array().empty());
      says(testing::text(result, "message"), "failure");
    }
  }
}

TEST(Review, ThatIsNoJsonIsRefused) {
  Converters converters;
  for (const std::string text : {"", "{", "null", "\xff", "{\"kind\":\"ConversionReview\"} x"}) {
    const ReviewReply reply = answer_review(converters, text);
    EXPECT_EQ(reply.http_status, 400) << text;
    EXPECT_TRUE(json::parse(reply.body)) << reply.body;
  }
}

TEST(Review, HoldsNoMoreThanAnObjectMayHave) {
  Converters converters;
  testing::add_widgets(converters);
  ASSERT_TRUE(converters.prepare());
  const auto fill = [](const std::string& one, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += one;
    return text;
  };
  const auto review = [](const std::string& first, const std::string& then) {
    return R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{)" + first + then +
           R"("x":0}})";
  };
  const std::string asked = R"("uid":"u","desiredAPIVersion":"widgets.example.com/v1alpha1",)";
  const auto objects = [&](std::size_t bytes) {
    return R"("objects":[{"apiVersion":"widgets.example.com/v1beta1","kind":"Widget","metadata":{"name":"a"},)"
           R"("spec":{"l":[)" +
           fill("0,", bytes) + "0]}}],";
  };
  EXPECT_EQ(answer_review(converters, review(asked, objects(max_object_bytes / 2))).http_status, 200);
  for (const std::string& body :
       {review(asked, objects(max_object_bytes)), review(objects(max_object_bytes), asked),
        review(R"("objects":[)" + fill("{},", 2 * max_object_bytes) + "{}],", asked),
        review(asked, R"("else":[)" + fill("0,", max_object_bytes) + "0],")}) {
    const ReviewReply reply = answer_review(converters, body);
    EXPECT_EQ(reply.http_status, 413) << reply.error;
    EXPECT_EQ(testing::text(*json::parse(reply.body), "kind"), "Status");
  }
}

TEST(Review, IsReadWhateverTheOrderOfItsMembers) {
  Converters converters;
  testing::add_widgets(converters);
  ASSERT_TRUE(converters.prepare());
  const std::string objects =
      R"("objects":[{"apiVersion":"widgets.example.com/v1beta1","kind":"Widget","metadata":{"name":"a"}},)"
      R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"b"}}])";
  const std::string rest = R"("uid":"u","desiredAPIVersion":"widgets.example.com/v1alpha1")";
  const std::string head = R"("kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1")";
  const auto answer = [&](const std::string& text) { return answer_review(converters, text); };
  const ReviewReply usual = answer("{" + head + R"(,"request":{)" + rest + "," + objects + "}}");
  EXPECT_EQ(usual.error, "");
  EXPECT_EQ(answer("{" + head + R"(,"request":{)" + objects + "," + rest + "}}").body, usual.body);
  EXPECT_EQ(answer(R"({"request":{)" + objects + "," + rest + "}," + head + "}").body, usual.body);
  EXPECT_EQ(answer(R"({"request":{)" + rest + "," + objects + "}," + head + "}").body, usual.body);

  // What stands twice could be read in two ways.
  for (const std::string& text : std::vector<std::string>{
           "{" + head + R"(,"request":{)" + rest + "," + objects + "," + objects + "}}",
           "{" + head + R"(,"request":{)" + rest + "," + objects + R"(,"objects":null}})",
           "{" + head + R"(,"request":{)" + rest + "," + objects + R"(,"uid":"v"}})",
           "{" + head + R"(,"request":{)" + rest + "," + objects + R"(},"request":{"uid":"u"}})",
           "{" + head + R"(,"request":{)" + rest + "," + objects + R"(},"request":{)" + rest + "}}"}) {
    const ReviewReply reply = answer(text);
    EXPECT_EQ(reply.http_status, 400) << text;
    EXPECT_EQ(reply.body.find("convertedObjects"), std::string::npos) << reply.body;
  }
}

TEST(Review, NamesNoMoreFailuresThanAPersonReads) {
  Converters converters;
  testing::add_widgets(converters);
  ASSERT_TRUE(converters.prepare());
  json::Array objects;
  for (int i = 0; i < 500; ++i)
    objects.emplace_back(testing::widget("v1beta1", json::Object{{"size", "huge"}}).json());
  const ReviewReply reply = answer_review(
      converters,
      json::to_text(json::Object{{"apiVersion", "apiextensions.k8s.io/v1"},
                                 {"kind", "ConversionReview"},
                                 {"request", json::Object{{"uid", "u"},
                                                          {"desiredAPIVersion", "widgets.example.com/v1"},
                                                          {"objects", std::move(objects)}}}}));
  EXPECT_TRUE(reply.error.contains("request.objects[9]: ")) << reply.error;
  EXPECT_FALSE(reply.error.contains("request.objects[10]: ")) << reply.error;
  EXPECT_TRUE(reply.error.ends_with("; and 490 more objects")) << reply.error;
  ASSERT_EQ(reply.pairs.size(), 1U);
  EXPECT_EQ(reply.pairs[0].failed, 500U);
}

TEST(Review, CountsObjectsByPairOfVersions) {
  Converters converters;
  testing::add_widgets(converters);
  ASSERT_TRUE(converters.prepare());
  json::Object request{{"uid", "u"}, {"desiredAPIVersion", "widgets.example.com/v1"}};
  json::Array objects;
  for (const std::string version : {"v1beta1", "v1alpha1", "v1beta1"}) {
    objects.emplace_back(testing::widget(version, json::Object{}).json());
  }
  objects.emplace_back(testing::widget("v1alpha1", json::Object{{"size", "huge"}}).json());
  request["objects"] = objects;
  const ReviewReply reply = answer_review(
      converters,
      json::to_text(json::Object{
          {"apiVersion", "apiextensions.k8s.io/v1"}, {"kind", "ConversionReview"}, {"request", request}}));
  ASSERT_EQ(reply.pairs.size(), 2U);
  EXPECT_EQ(reply.pairs[0].from, "v1beta1");
  EXPECT_EQ(reply.pairs[0].converted, 2U);
  EXPECT_EQ(reply.pairs[1].from, "v1alpha1");
  EXPECT_EQ(reply.pairs[1].converted, 1U);
  EXPECT_EQ(reply.pairs[1].failed, 1U);
  EXPECT_NE(reply.error.find("request.objects[3]"), std::string::npos);
}

}  // namespace
}  // namespace fairway::conversion
