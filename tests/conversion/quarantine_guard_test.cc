// SPDX-License-Identifier: Apache-2.0

// Objects are quarantined only while API servers ask the webhook that guards them.
#include <gtest/gtest.h>

#include "conversion/quarantine_server.h"
#include "k8s/quarantine.h"
#include "k8s/webhook_configuration.h"
#include "support/is_ok.h"

namespace fairway::conversion {
namespace {

using fairway::testing::eventually;
using testing::quarantined_definition;
using testing::QuarantineServer;

class QuarantineGuard : public ::testing::Test {
 protected:
  QuarantineGuard() { server.store("bad", "huge"); }

  kube::ApiResult<k8s::Dynamic> configuration() { return server.client()->get(resource, key); }
  void patch(std::string_view operations) {
    ASSERT_OK(server.client()->patch(resource, key, kube::PatchType::json, json::parse(operations).value()));
  }
  /// Returns whether the kind can be listed, with its object in quarantine.
  bool is_quarantined() {
    const auto object = server.read("bad", "v1");
    return object && k8s::is_quarantined(*object);
  }
  bool is_unquarantined() {
    const auto object = server.read("bad", "v1");
    return !object && object.error().message.contains("'huge' is no size");
  }

  const k8s::GroupVersionResource resource =
      k8s::ValidatingWebhookConfiguration::resource.group_version_resource();
  const k8s::Key key{"", "quarantine.widgets.widgets.example.com"};
  QuarantineServer server;
};

TEST_F(QuarantineGuard, IsNotThereWhereANewerReleaseHasRegisteredAnother) {
  ASSERT_TRUE(eventually([&] { return is_quarantined(); }));
  patch(R"([{"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"},
            {"op": "replace", "path": "/metadata/annotations/conversion.fairway.dev~1release", "value": "9.0.0"}])");
  server.start(quarantined_definition("v1beta1"));
  EXPECT_TRUE(eventually([&] { return is_unquarantined(); }));
  EXPECT_EQ(configuration()->items("webhooks").front().text("failurePolicy"), "Ignore");
  EXPECT_TRUE(
      server.metrics.text().contains("fairway_conversion_quarantine_guarded{group=\"widgets.example.com\","
                                     "kind=\"Widget\"} 0"));
  // Its own is one.
  ASSERT_OK(server.client()->remove(resource, key));
  EXPECT_TRUE(eventually([&] { return is_quarantined(); }));
  EXPECT_TRUE(
      server.metrics.text().contains("fairway_conversion_quarantine_guarded{group=\"widgets.example.com\","
                                     "kind=\"Widget\"} 1"));
}

TEST_F(QuarantineGuard, SeesAllRequestsWhateverIsAddedToIt) {
  for (
      const char* added :
      {R"([{"op": "add", "path": "/webhooks/0/matchConditions", "value": [{"name": "none", "expression": "false"}]}])",
       R"([{"op": "replace", "path": "/webhooks/0/objectSelector", "value": {"matchLabels": {"a": "b"}}}])",
       R"([{"op": "replace", "path": "/webhooks/0/namespaceSelector",
             "value": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}])"}) {
    SCOPED_TRACE(added);
    ASSERT_TRUE(eventually([&] { return is_quarantined(); }));
    patch(added);
    EXPECT_TRUE(eventually([&] {
      const auto there = configuration();
      if (!there) return false;
      const k8s::View webhook = there->items("webhooks").front();
      return !webhook.has("matchConditions") && webhook.at("objectSelector").json().empty() &&
             webhook.at("namespaceSelector").json().empty();
    }));
    EXPECT_TRUE(eventually([&] { return is_quarantined(); }));
  }
}

/// The handlers of a program, and reviews that an API server sends it.
class QuarantineGuardUnseen : public ::testing::Test {
 protected:
  QuarantineGuardUnseen() {
    testing::prepare_quarantined_widgets(*converters_);
    handlers_ = webhook_handlers(converters_, {quarantined_definition()}, metrics_, {}, clock);
  }

  void tell(bool effective) {
    handlers_.front().conversion->on_guard({std::string(testing::group), "Widget"}, effective);
  }
  bool quarantines() {
    const k8s::Dynamic object = testing::widget("v1beta1", json::Object{{"size", "huge"}});
    const std::string body =
        R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u",)"
        R"("desiredAPIVersion":"widgets.example.com/v1","objects":[)" +
        object.to_text() + "]}}";
    const http::Field type{"Content-Type", "application/json"};
    const http::Response reply = handlers_.front().answer({.fields = {&type, 1}, .body = body});
    return reply.body && reply.body->contains(k8s::quarantined_annotation);
  }
  bool is_guarded() const {
    return metrics_.text().contains(
        "fairway_conversion_quarantine_guarded{group=\"widgets.example.com\",kind=\"Widget\"} 1");
  }

  FakeClock clock;

 private:
  const std::shared_ptr<Converters> converters_ = std::make_shared<Converters>();
  metrics::Registry metrics_;
  std::vector<webhook::Handler> handlers_;
};

TEST_F(QuarantineGuardUnseen, CountsForHalfAMinute) {
  EXPECT_FALSE(quarantines());
  tell(true);
  EXPECT_TRUE(quarantines());
  EXPECT_TRUE(is_guarded());
  clock.advance(std::chrono::seconds(29));
  EXPECT_TRUE(quarantines());
  tell(true);
  clock.advance(std::chrono::seconds(29));
  EXPECT_TRUE(quarantines());
  // Nobody has looked at it since then.
  clock.advance(std::chrono::seconds(1));
  EXPECT_FALSE(quarantines());
  EXPECT_FALSE(is_guarded());
  tell(true);
  EXPECT_TRUE(quarantines());
  tell(false);
  EXPECT_FALSE(quarantines());
}

}  // namespace
}  // namespace fairway::conversion
