// SPDX-License-Identifier: Apache-2.0

// What is told of quarantined objects, and how often.
#include "conversion/internal/quarantine_reports.h"

#include <gtest/gtest.h>

#include "conversion/internal/review.h"
#include "conversion/quarantined_widgets.h"

namespace fairway::conversion {
namespace {

using namespace std::chrono_literals;

QuarantinedObject object(const std::string& uid, int version) {
  return {.group = "widgets.example.com",
          .kind = "Widget",
          .version = "v1",
          .key = {"default", uid},
          .uid = uid,
          .resource_version = std::to_string(version),
          .reason = {.why = "w", .step = "v1beta1 to v1", .stored_version = "v1beta1"}};
}

class Reports : public ::testing::Test {
 protected:
  std::vector<std::string> record(const std::vector<QuarantinedObject>& objects) {
    told_.clear();
    reports_.record(objects);
    return told_;
  }

  FakeClock clock_;

 private:
  std::vector<std::string> told_;
  QuarantineReports reports_{clock_, [this](const QuarantinedObject& one) {
                               told_.push_back(one.uid + "@" + one.resource_version);
                             }};
};

using Texts = std::vector<std::string>;

TEST_F(Reports, TellOfAnObjectOnceAnHourAndWhenItHasChanged) {
  EXPECT_EQ(record({object("a", 1), object("b", 1)}), (Texts{"a@1", "b@1"}));
  EXPECT_EQ(record({object("a", 1), object("b", 2), object("c", 1)}), (Texts{"b@2", "c@1"}));
  clock_.advance(59min);
  EXPECT_EQ(record({object("a", 1)}), Texts{});
  clock_.advance(1min);
  EXPECT_EQ(record({object("a", 1), object("b", 2)}), (Texts{"a@1", "b@2"}));
}

TEST_F(Reports, CountWhatTheyDoNotLogAlsoBeyondTheNamedOnes) {
  const auto converters = std::make_shared<Converters>();
  testing::prepare_quarantined_widgets(*converters);
  const auto review = [&](const std::string& desired) {
    json::Array objects;
    for (std::size_t i = 0; i < most_named_quarantined + 50; ++i) {
      k8s::Dynamic one = testing::widget("v1beta1", json::Object{{"size", "huge"}});
      if (i == 3 && desired == "fails") one.set("apiVersion", "widgets.example.com/v0");
      objects.push_back(one.release());
    }
    return answer_review(
        *converters,
        json::to_text(json::Object{{"apiVersion", "apiextensions.k8s.io/v1"},
                                   {"kind", "ConversionReview"},
                                   {"request", json::Object{{"uid", "u"},
                                                            {"desiredAPIVersion", "widgets.example.com/v1"},
                                                            {"objects", objects}}}}));
  };
  const ReviewReply reply = review("v1");
  ASSERT_EQ(reply.pairs.size(), 1);
  EXPECT_EQ(reply.pairs[0].quarantined, most_named_quarantined + 50);
  QuarantineReports reports(clock_, {});
  reports.record(reply.quarantined, unnamed_quarantined(reply));
  EXPECT_EQ(reports.not_logged("Widget.widgets.example.com"), most_named_quarantined + 49);
  // Of a review that fails nobody gets one.
  const ReviewReply failed = review("fails");
  ASSERT_NE(failed.error, "");
  EXPECT_EQ(failed.pairs.front().quarantined, 0);
  EXPECT_TRUE(unnamed_quarantined(failed).empty());
}

TEST_F(Reports, AreBounded) {
  std::vector<QuarantinedObject> many;
  for (std::size_t i = 0; i <= QuarantineReports::most_objects; ++i)
    many.push_back(object(std::to_string(i), 1));
  EXPECT_EQ(record(many).size(), QuarantineReports::most_objects);
  EXPECT_EQ(record(many).size(), 0);
  clock_.advance(60min);
  EXPECT_EQ(record({many.back()}).size(), 1);
}

}  // namespace
}  // namespace fairway::conversion
