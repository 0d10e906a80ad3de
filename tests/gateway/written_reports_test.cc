// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/written_reports.h"

#include <gtest/gtest.h>

#include "gateway/internal/status/status.h"

namespace fairway::gateway {
namespace {

class WrittenReportsTest : public ::testing::Test {
 protected:
  WrittenReportsTest() {
    object_.set("apiVersion", "gateway.networking.k8s.io/v1");
    object_.set("kind", "GatewayClass");
    object_.set_name("fairway");
    object_.set("metadata.generation", json::Value(1));
    object_.set_resource_version("7");
    report_.own = Verdicts(Level::gateway_class);
    report_.own->set_true("Accepted", "Accepted", "the class is served");
  }

  const FakeClock clock_;
  k8s::Dynamic object_;
  Report report_{.object = &object_};
  WrittenReports written_;
};

TEST_F(WrittenReportsTest, HaveWhatTheStatusSays) {
  EXPECT_FALSE(written_.contains(report_, clock_));
  object_ = with_status(report_, clock_);
  EXPECT_TRUE(written_.contains(report_, clock_));
  written_.forget_others();
  EXPECT_TRUE(written_.contains(report_, clock_));
}

TEST_F(WrittenReportsTest, NoticeAnotherReportAndAnotherObject) {
  const k8s::Dynamic bare = object_;
  object_ = with_status(report_, clock_);
  ASSERT_TRUE(written_.contains(report_, clock_));
  Report other = report_;
  other.own->set_false("Accepted", "InvalidParameters", "there are none");
  EXPECT_FALSE(written_.contains(other, clock_));
  ASSERT_TRUE(written_.contains(report_, clock_));
  // Another object at the same address.
  object_ = bare;
  object_.set_resource_version("8");
  EXPECT_FALSE(written_.contains(report_, clock_));
}

TEST_F(WrittenReportsTest, KnowNothingOfObjectsWithoutAVersion) {
  object_.set_resource_version("");
  object_ = with_status(report_, clock_);
  ASSERT_TRUE(written_.contains(report_, clock_));
  object_.erase("status");
  EXPECT_FALSE(written_.contains(report_, clock_));
}

}  // namespace
}  // namespace fairway::gateway
