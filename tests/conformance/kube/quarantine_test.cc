// SPDX-License-Identifier: Apache-2.0

// Quarantined objects as client-go's informer sees them, of a kind whose schema requires fields, on a real
// API server and on ours.
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <vector>

#include "base/metrics.h"
#include "conformance/kube/on_cluster.h"
#include "conformance/kube/webhook_host.h"
#include "conversion/quarantined_widgets.h"
#include "conversion/webhook.h"
#include "k8s/quarantine.h"
#include "k8s/webhook_configuration.h"
#include "support/eventually.h"
#include "support/process.h"
#include "support/talking_process.h"
#include "webhook/server.h"

namespace fairway::conformance {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* group = "quarantined.example.com";

k8s::GroupVersionResource widgets(const std::string& version) {
  return {group, version, "widgets"};
}

/// The definition; v1 requires spec and spec.mode.
k8s::CustomResourceDefinition definition(const std::string& stored) {
  const std::string text = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.quarantined.example.com}
spec:
  group: quarantined.example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: )" + std::string(stored == "v1" ? "true" : "false") +
                           R"(
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec: {type: object, required: [mode], properties: {mode: {type: string}}}
  - name: v1beta1
    served: true
    storage: )" + std::string(stored == "v1" ? "false" : "true") +
                           R"(
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
)";
  return webhook::read_definitions(text, "the test").value().front();
}

/// Only texts have a newer form.
Result<k8s::Dynamic> to_v1(k8s::Dynamic object) {
  if (!object.find_text("spec.mode")) return conversion::invalid_field("spec.mode", "it is no text");
  return object;
}

class Quarantine : public OnCluster, public ::testing::WithParamInterface<const char*> {
 protected:
  Quarantine() { serve("v1beta1"); }
  ~Quarantine() override {
    for (const char* name : {"good", "bad", "turns", "held"}) [[maybe_unused]]
      const auto ended = patch(name, "v1beta1", R"({"metadata":{"finalizers":null}})");
    remove_definitions(*client, {definition("v1")});
    webhook_.reset();
  }

  void serve(const std::string& stored) {
    address_ = "127.0.0.1:" + std::to_string(testing::free_loopback_port());
    const auto converters = start(stored, true);
    const conversion::KindConverters& kind = *converters->find(group, "Widget");
    if (!testing::eventually([&] { return kind.is_quarantining(); }))
      throw std::runtime_error("the guard does not become effective");
  }
  /// Starts a replica in place of the one that is there, at its address.
  std::shared_ptr<conversion::Converters> start(const std::string& stored, bool quarantines) {
    webhook_.reset();
    auto converters = std::make_shared<conversion::Converters>();
    converters->kind(group, "Widget")
        .step("v1beta1", "v1", to_v1, [](k8s::Dynamic object) -> Result<k8s::Dynamic> { return object; })
        .quarantine(quarantines);
    if (auto ready = converters->prepare({definition(stored)}); !ready)
      throw std::runtime_error(ready.error().message);
    webhook::ServerOptions options;
    options.listen = address_;
    options.address.url = "https://" + address_;
    options.handlers = conversion::webhook_handlers(converters, {definition(stored)}, metrics_);
    options.definitions = {definition(stored)};
    options.release = Version::parse("1.0.0").value();
    options.secret = {namespace_name, "webhook-certificates"};
    auto started = webhook::WebhookServer::start(client, std::move(options));
    if (!started) throw std::runtime_error(started.error().message);
    webhook_ = *std::move(started);
    return converters;
  }
  void store(const std::string& name, const std::string& spec, const std::string& metadata = "") {
    const auto made = client->create(
        widgets("v1beta1"),
        object_of(R"({"apiVersion":"quarantined.example.com/v1beta1","kind":"Widget","metadata":{"name":")" +
                  name + R"(","namespace":")" + namespace_name + "\"" + metadata + R"(},"spec":)" + spec +
                  "}"));
    ASSERT_OK(made);
  }
  kube::ApiResult<k8s::Dynamic> read(const std::string& name, const std::string& version) {
    return client->get(widgets(version), key(name));
  }
  kube::ApiResult<k8s::Dynamic> patch(const std::string& name, const std::string& version,
                                      std::string_view body) {
    return client->patch(widgets(version), key(name), kube::PatchType::merge, parsed(body));
  }
  /// Waits until client-go's informer has said all of these.
  void expect_said(const Lines& lines) {
    std::unique_lock lock(mutex_);
    const bool all = heard_.wait_for(lock, std::chrono::seconds(60), [&] {
      return std::ranges::all_of(
          lines, [&](const std::string& line) { return std::ranges::find(said_, line) != said_.end(); });
    });
    EXPECT_TRUE(all) << ::testing::PrintToString(said_);
  }
  void listen() {
    informer_ = std::make_unique<testing::TalkingProcess>(
        Lines{cluster.programs() + "/client-go-informer", "--kubeconfig=" + cluster.kubeconfig().string(),
              "--namespace=" + namespace_name, "--group=" + std::string(group), "--version=v1",
              "--resource=widgets"},
        [this](std::string_view line) {
          const std::lock_guard lock(mutex_);
          said_.emplace_back(line);
          heard_.notify_all();
        });
  }
  Lines said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }

 private:
  std::string address_;
  metrics::Registry metrics_;
  std::unique_ptr<webhook::WebhookServer> webhook_;
  std::mutex mutex_;
  std::condition_variable heard_;
  Lines said_;
  std::unique_ptr<testing::TalkingProcess> informer_;
};

TEST_P(Quarantine, IsWhatAnInformerOfClientGoSees) {
  if (!std::filesystem::exists(cluster.programs() + "/client-go-informer"))
    GTEST_SKIP() << "client-go's informer is not built: it needs Go (./dev conformance kube)";
  store("good", R"({"mode":"a"})");
  store("bad", R"({"mode":1.0,"big":9007199254740993})");
  store("turns", R"({"mode":"b"})");
  store("held", R"({"mode":2})", R"(,"finalizers":["example.com/held"])");
  if (std::string_view(GetParam()) == "v1") serve("v1");
  listen();
  expect_said({"added good \"a\" whole", "added bad \"\" quarantined", "added turns \"b\" whole",
               "added held \"\" quarantined", "synced"});

  const auto bad = read("bad", "v1");
  ASSERT_OK(bad);
  EXPECT_EQ(bad->json().size(), 3) << bad->to_text();
  EXPECT_TRUE(read("bad", "v1beta1")->text("spec.big").empty());
  EXPECT_EQ(json::to_text(*read("bad", "v1beta1")->find("spec.big")), "9007199254740993");

  // What would lose the original is refused by the webhook, or before it by the schema.
  for (const char* body : {R"({"metadata":{"labels":{"a":"b"}}})", R"({"metadata":{"annotations":null}})",
                           R"({"spec":{"mode":"c"}})"}) {
    EXPECT_FALSE(patch("bad", "v1", body)) << body;
  }
  EXPECT_TRUE(k8s::is_quarantined(*read("bad", "v1")));
  // One that was whole enters quarantine: an update, and no deletion. That is possible where the old version
  // is stored; where the new one is, the write is refused.
  const auto turned = patch("turns", "v1beta1", R"({"spec":{"mode":3}})");
  if (std::string_view(GetParam()) == "v1") {
    ASSERT_FALSE(turned);
    EXPECT_TRUE(turned.error().message.contains("the object cannot be stored in v1"))
        << turned.error().message;
  } else {
    ASSERT_OK(turned);
    expect_said({"updated turns \"\" quarantined"});
    ASSERT_OK(patch("turns", "v1beta1", R"({"spec":{"mode":"d"}})"));
    expect_said({"updated turns \"d\" whole"});
  }
  // A whole object replaces it.
  k8s::Dynamic whole =
      object_of(R"({"apiVersion":"quarantined.example.com/v1","kind":"Widget","spec":{"mode":"e"}})");
  whole.set_name("bad");
  whole.set_namespace_name(namespace_name);
  whole.set_resource_version(read("bad", "v1")->resource_version());
  ASSERT_OK(client->replace(widgets("v1"), whole));
  expect_said({"updated bad \"e\" whole"});

  // Deletion goes on; its finalizers go in the stored version, as the schema of v1 requires what is not
  // there.
  ASSERT_OK(client->remove(widgets("v1"), key("held")));
  EXPECT_TRUE(read("held", "v1")->is_being_deleted());
  EXPECT_EQ(json::to_text(*read("held", "v1beta1")->find("spec")), R"({"mode":2})");
  const auto refused = patch("held", "v1", R"({"metadata":{"finalizers":null}})");
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("spec: Required value")) << refused.error().message;
  ASSERT_OK(patch("held", "v1beta1", R"({"metadata":{"finalizers":null}})"));
  expect_said({"deleted held"});
  const Lines all = said();
  EXPECT_EQ(std::ranges::count_if(all, [](const std::string& one) { return one.starts_with("deleted"); }), 1)
      << ::testing::PrintToString(all);
}

TEST_P(Quarantine, ItsGuardSeesAllWhateverIsAddedToIt) {
  store("good", R"({"mode":"a"})");
  store("bad", R"({"mode":1.0})");
  if (std::string_view(GetParam()) == "v1") serve("v1");
  const auto resource = k8s::ValidatingWebhookConfiguration::resource.group_version_resource();
  const k8s::Key guard{"", "quarantine.widgets." + std::string(group)};
  for (const char* added :
       {R"([{"op":"add","path":"/webhooks/0/matchConditions","value":[{"name":"a","expression":"false"}]}])",
        R"([{"op":"add","path":"/webhooks/0/objectSelector","value":{"matchLabels":{"a":"b"}}}])"}) {
    SCOPED_TRACE(added);
    ASSERT_OK(client->patch(resource, guard, kube::PatchType::json, parsed(added)));
    EXPECT_TRUE(testing::eventually([&] {
      const auto there = client->get(resource, guard);
      if (!there) return false;
      const k8s::View webhook = there->items("webhooks").front();
      return !webhook.has("matchConditions") && webhook.at("objectSelector").json().empty();
    }));
    EXPECT_TRUE(testing::eventually([&] {
      const auto bad = read("bad", "v1");
      return bad && k8s::is_quarantined(*bad);
    }));
    EXPECT_FALSE(patch("bad", "v1", R"({"metadata":{"labels":{"a":"b"}}})"));
  }
}

// It does not serve the path of the guard: that API servers find nothing there has to be a refusal.
TEST_P(Quarantine, AReplicaWithoutItLetsNoWriteThrough) {
  store("good", R"({"mode":"a"})");
  store("bad", R"({"mode":1})");
  const std::string stored = GetParam();
  if (stored == "v1") serve("v1");
  start(stored, false);
  const char* labelled = R"({"metadata":{"labels":{"a":"b"}}})";
  for (const auto& refused : {patch("good", "v1", labelled), patch("good", "v1beta1", labelled)}) {
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.contains("quarantine.widgets." + std::string(group)))
        << refused.error().message;
  }
  // Where the new version is stored the conversion fails before the guard is asked.
  if (stored == "v1beta1") {
    EXPECT_FALSE(patch("bad", "v1beta1", labelled));
  }
  // Reads go on, as they are without quarantine.
  EXPECT_OK(read("good", "v1"));
  const auto failed = read("bad", "v1");
  ASSERT_FALSE(failed);
  EXPECT_TRUE(failed.error().message.contains("spec.mode: it is no text")) << failed.error().message;
  EXPECT_EQ(json::to_text(*read("bad", "v1beta1")->find("spec")), R"({"mode":1})");
  start(stored, true);
  EXPECT_OK(patch("good", "v1", labelled));
}

INSTANTIATE_TEST_SUITE_P(StoredIn, Quarantine, ::testing::Values("v1beta1", "v1"));

}  // namespace
}  // namespace fairway::conformance
