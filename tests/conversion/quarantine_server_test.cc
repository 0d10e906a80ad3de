// SPDX-License-Identifier: Apache-2.0

// Quarantined objects on an API server: in one test the version that is left is stored, in the other the new
// one.
#include <gtest/gtest.h>

#include <algorithm>

#include "conversion/quarantine_server.h"
#include "k8s/equality.h"
#include "k8s/quarantine.h"
#include "support/is_ok.h"

namespace fairway::conversion {
namespace {

using testing::quarantined_definition;
using testing::QuarantineServer;

/// Objects are stored in v1beta1; new ones in the version of the parameter.
class QuarantineOnServer : public ::testing::TestWithParam<const char*> {
 protected:
  QuarantineOnServer() {
    server.store("good", "S");
    server.store("bad", "huge");
    server.store("held", "huge", json::Object{{"finalizers", json::Array{"example.com/held"}}});
    if (std::string_view(GetParam()) != "v1beta1") server.serve(quarantined_definition(GetParam()));
  }

  void expect_refused(const kube::ApiResult<k8s::Dynamic>& written, std::string_view why) {
    ASSERT_FALSE(written);
    EXPECT_TRUE(written.error().message.contains(why)) << written.error().message;
  }
  /// Checks that the object is there as it was stored.
  void expect_original(const std::string& name) {
    const auto original = server.read(name, "v1beta1");
    ASSERT_OK(original);
    EXPECT_EQ(json::to_text(*original->find("spec")), R"({"size":"huge","number":9007199254740993})");
    EXPECT_FALSE(original->has("metadata.annotations")) << original->to_text();
    EXPECT_TRUE(k8s::is_quarantined(*server.read(name, "v1")));
  }

  QuarantineServer server;
};

TEST_P(QuarantineOnServer, ListsAndWatchesGoOn) {
  const auto list = server.client()->list(QuarantineServer::widgets("v1"), "default");
  ASSERT_OK(list);
  ASSERT_EQ(list->items.size(), 3);
  for (const k8s::Dynamic& object : list->items) {
    EXPECT_EQ(k8s::is_quarantined(object), object.name() != "good") << object.to_text();
    EXPECT_EQ(object.has("spec"), object.name() == "good") << object.to_text();
    EXPECT_EQ(object.has_finalizer("example.com/held"), object.name() == "held");
  }
  // The watch goes on until all were seen, however long that takes.
  std::vector<std::string> seen;
  const auto watched = server.client()->watch(
      QuarantineServer::widgets("v1"), "default", {.timeout = std::chrono::seconds(300)},
      [&](const k8s::WatchEvent& event) -> Result<void> {
        if (event.type == k8s::WatchEvent::Type::added) seen.emplace_back(event.object.name());
        if (seen.size() < 3) return {};
        return fail(ErrorCode::cancelled, "all were seen");
      },
      Limits::within(Clock::system(), std::chrono::seconds(400)));
  ASSERT_FALSE(watched);
  EXPECT_TRUE(watched.error().message.contains("all were seen")) << watched.error().message;
  std::ranges::sort(seen);
  EXPECT_EQ(seen, (std::vector<std::string>{"bad", "good", "held"}));
  EXPECT_TRUE(server.metrics.text().contains(
      R"(fairway_conversion_objects_total{from="v1beta1",group="widgets.example.com",kind="Widget",)"
      R"(result="quarantined",to="v1"})"));
  EXPECT_FALSE(server.metrics.text().contains(R"(reviews_total{result="failure"} 1)"));
}

TEST_P(QuarantineOnServer, OtherWritesAreRefused) {
  for (const char* body :
       {R"({"metadata":{"labels":{"a":"b"}}})", R"({"spec":{"mode":"fast"}})",
        R"({"metadata":{"annotations":null}})", R"({"metadata":{"ownerReferences":[]},"x":1})",
        R"({"metadata":{"annotations":{"conversion.fairway.dev/original":"{}"}}})"}) {
    expect_refused(server.patch("bad", "v1", body), "the object is quarantined");
  }
  expect_refused(
      server.patch("good", "v1", R"({"metadata":{"annotations":{"conversion.fairway.dev/original":"{}"}}})"),
      "are set by the conversion webhook alone");
  expect_refused(server.patch("held", "v1", R"({"metadata":{"finalizers":null}})"),
                 "the object is quarantined");
  k8s::Dynamic copy = server.read("bad", "v1").value();
  copy.set_name("copy");
  copy.erase("metadata.uid");
  copy.erase("metadata.resourceVersion");
  expect_refused(server.client()->create(QuarantineServer::widgets("v1"), copy),
                 "by the conversion webhook alone");
  expect_original("bad");
  expect_original("held");
}

TEST_P(QuarantineOnServer, ItsScaleIsNotWritten) {
  server.serve(testing::with_scale(quarantined_definition(GetParam())));
  const char* three = R"({"spec":{"replicas":3}})";
  ASSERT_OK(server.patch("good", "v1", three, "scale"));
  EXPECT_EQ(server.read("good", "v1")->integer("spec.capacity.replicas"), 3);
  expect_refused(server.patch("bad", "v1", three, "scale"), "the object is quarantined");
  EXPECT_FALSE(server.patch("none", "v1", three, "scale"));
  // In its own version it is whole; whether it may be written goes by the one in which it would be stored.
  const auto older = server.patch("held", "v1beta1", three, "scale");
  if (std::string_view(GetParam()) == "v1") {
    expect_refused(older, "the object cannot be stored in v1");
    expect_original("held");
  } else {
    ASSERT_OK(older);
    EXPECT_EQ(server.read("held", "v1beta1")->integer("spec.replicas"), 3);
  }
  expect_original("bad");
}

TEST_P(QuarantineOnServer, AWholeObjectReplacesIt) {
  k8s::Dynamic whole = testing::widget("v1", json::Object{{"mode", "fast"}});
  whole.set_name("bad");
  whole.erase("metadata.uid");
  whole.set_resource_version(server.read("bad", "v1")->resource_version());
  ASSERT_OK(server.client()->replace(QuarantineServer::widgets("v1"), whole));
  const auto read = server.read("bad", "v1");
  ASSERT_OK(read);
  EXPECT_FALSE(read->has("metadata.annotations")) << read->to_text();
  if (std::string_view(GetParam()) == "v1") {
    EXPECT_EQ(read->text("spec.mode"), "fast");
  }
}

TEST_P(QuarantineOnServer, ItsRepairInItsOwnVersionEndsIt) {
  ASSERT_OK(server.patch("bad", "v1beta1", R"({"spec":{"size":"M"}})"));
  const auto read = server.read("bad", "v1");
  ASSERT_OK(read);
  EXPECT_EQ(read->text("spec.capacity.size"), "M");
  EXPECT_FALSE(read->has("metadata.annotations"));
}

TEST_P(QuarantineOnServer, DeletionGoesOnAndKeepsTheOriginalUntilTheEnd) {
  const auto widgets = QuarantineServer::widgets("v1");
  ASSERT_OK(server.client()->remove(widgets, {"default", "bad"}));
  EXPECT_TRUE(server.read("bad", "v1").error().is_not_found());

  ASSERT_OK(server.client()->remove(widgets, {"default", "held"}));
  EXPECT_TRUE(server.read("held", "v1")->is_being_deleted());
  EXPECT_TRUE(server.read("held", "v1beta1")->is_being_deleted());
  expect_original("held");
  expect_refused(server.patch("held", "v1", R"({"metadata":{"labels":{"a":"b"}}})"),
                 "the object is quarantined");
  ASSERT_OK(server.patch("held", "v1", R"({"metadata":{"finalizers":null}})"));
  EXPECT_TRUE(server.read("held", "v1beta1").error().is_not_found());
}

TEST_P(QuarantineOnServer, ItsFinalizersGoInItsOwnVersionToo) {
  ASSERT_OK(server.client()->remove(QuarantineServer::widgets("v1beta1"), {"default", "held"}));
  expect_original("held");
  ASSERT_OK(server.patch("held", "v1beta1", R"({"metadata":{"finalizers":null}})"));
  EXPECT_TRUE(server.read("held", "v1").error().is_not_found());
}

INSTANTIATE_TEST_SUITE_P(StoredIn, QuarantineOnServer, ::testing::Values("v1beta1", "v1"));

TEST(QuarantineStart, IsRefusedWithoutTheWebhookThatGuardsIt) {
  const auto definition = quarantined_definition();
  const auto converters = std::make_shared<Converters>();
  testing::prepare_quarantined_widgets(*converters);
  metrics::Registry metrics;
  auto api = fairway::testing::ApiServer::start();
  ASSERT_OK(api);
  const auto error = [&](std::vector<webhook::Handler> handlers,
                         std::vector<k8s::CustomResourceDefinition> definitions) {
    webhook::ServerOptions options;
    options.listen = "127.0.0.1:0";
    options.address.url = "https://127.0.0.1:9";
    options.handlers = std::move(handlers);
    options.definitions = std::move(definitions);
    options.secret = {"default", "webhook-certificates"};
    const auto started = webhook::WebhookServer::start((*api)->client(), std::move(options));
    return started ? "" : started.error().message;
  };
  const auto with = [&](const std::function<void(webhook::AdmissionWebhook&)>& change) {
    auto handlers = webhook_handlers(converters, {definition}, metrics);
    for (webhook::Handler& handler : handlers) {
      for (webhook::AdmissionWebhook& one : handler.webhooks) change(one);
    }
    return error(std::move(handlers), {definition});
  };
  const std::string needs =
      "Widget.widgets.example.com is to be quarantined, which needs a validating webhook that this server "
      "registers and that sees each write: ";
  const std::string none = "there is none that says so (AdmissionWebhook::guards_conversion)";
  EXPECT_EQ(error(webhook_handlers(converters, {definition}, metrics, {.guards = ""}), {definition}),
            needs + none);
  EXPECT_EQ(with([](auto& one) { one.guards_conversion = false; }), needs + none);
  EXPECT_EQ(error(webhook_handlers(converters, {definition}, metrics), {}),
            needs + "the server is given no definition of the kind");
  const std::string name = "quarantine.widgets.widgets.example.com: ";
  EXPECT_EQ(with([](auto& one) { one.failure_policy = "Ignore"; }),
            needs + name + "its failurePolicy is not Fail");
  EXPECT_EQ(with([](auto& one) { one.versions = {"v1"}; }), needs + name + "its versions are not \"*\"");
  EXPECT_EQ(with([](auto& one) { one.resources.pop_back(); }),
            needs + name + "its resources lack widgets/status");
  EXPECT_EQ(error(webhook_handlers(converters, {definition}, metrics), {testing::with_scale(definition)}),
            needs + name + "its resources lack widgets/scale");
  EXPECT_EQ(with([](auto& one) { one.operations = {"CREATE"}; }),
            needs + name + "its operations lack UPDATE");
  EXPECT_EQ(with([](auto& one) { one.object_selector = {{"matchLabels", json::Object{{"a", "b"}}}}; }),
            needs + name + "it has a selector");

  http::ServerOptions options;
  options.listen = "127.0.0.1:0";
  const auto bare = webhook::listen(options, webhook_handlers(converters, {definition}, metrics));
  ASSERT_FALSE(bare);
  EXPECT_TRUE(bare.error().message.contains("start a WebhookServer")) << bare.error().message;
}

}  // namespace
}  // namespace fairway::conversion
