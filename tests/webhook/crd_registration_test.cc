// SPDX-License-Identifier: Apache-2.0

// Registering CRDs: what would be written, and what must not be.
#include "webhook/crd_registration.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "kube/object_shelf.h"
#include "support/eventually.h"
#include "support/temp_directory.h"

namespace fairway::webhook {
namespace {

using k8s::CustomResourceDefinition;

constexpr const char* yaml = R"(# Widgets
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
  labels: {team: a}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1alpha1, served: true, storage: false}
  - {name: v1, served: true, storage: true}
---
)";
const std::string path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";

CustomResourceDefinition widgets() {
  return read_definitions(yaml, "widgets.yaml").value().front();
}

CrdRegistration registration(const std::string& release = "1.2.0") {
  CrdRegistration result;
  result.release = Version::parse(release).value();
  result.webhook = {.service_namespace = "ns", .service_name = "webhook"};
  return result;
}

/// Returns the definition as a server has it after it was registered.
CustomResourceDefinition on_server(const std::string& release = "1.1.0") {
  auto existing = **plan_registration(widgets(), nullptr, registration(release));
  existing.set("metadata.uid", "u");
  existing.set_resource_version("7");
  existing.array("status.storedVersions").emplace_back("v1");
  existing.set("spec.conversion.webhook.clientConfig.caBundle", "Y2E=");
  for (const char* type : {"NamesAccepted", "Established"}) {
    k8s::Editor condition = existing.append("status.conditions");
    condition.set("type", type);
    condition.set("status", "True");
  }
  return existing;
}

std::string error_of(const auto& result) {
  return result ? "none" : result.error().message;
}

TEST(CrdRegistration, FillsInHowVersionsAreConverted) {
  const auto planned = plan_registration(widgets(), nullptr, registration());
  ASSERT_TRUE(planned && *planned) << error_of(planned);
  EXPECT_EQ(json::to_text((*planned)->at("spec.conversion").json()),
            R"({"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1","v1beta1"],"clientConfig":)"
            R"({"service":{"namespace":"ns","name":"webhook","path":"/convert","port":443}}}})");
  EXPECT_EQ((*planned)->annotation(release_annotation), "1.2.0");
  EXPECT_EQ((*planned)->label("team"), "a");

  CrdRegistration by_url = registration();
  by_url.webhook = {.url = "https://127.0.0.1:1/convert"};
  by_url.ca_bundle = "ca";
  EXPECT_EQ(json::to_text((**plan_registration(widgets(), nullptr, by_url))
                              .at("spec.conversion.webhook.clientConfig")
                              .json()),
            R"({"url":"https://127.0.0.1:1/convert","caBundle":"Y2E="})");

  CustomResourceDefinition own = widgets();
  own.set("spec.conversion.strategy", "None");
  EXPECT_EQ(json::to_text((**plan_registration(own, nullptr, registration())).at("spec.conversion").json()),
            R"({"strategy":"None"})");
  CustomResourceDefinition single = widgets();
  single.array("spec.versions").erase(single.array("spec.versions").begin());
  EXPECT_FALSE((**plan_registration(single, nullptr, registration())).has("spec.conversion"));
}

TEST(CrdRegistration, TakesOverWhatOlderReleasesHave) {
  const CustomResourceDefinition existing = on_server();
  const auto planned = plan_registration(widgets(), &existing, registration());
  ASSERT_TRUE(planned && *planned) << error_of(planned);
  EXPECT_EQ((*planned)->resource_version(), "7");
  EXPECT_EQ((*planned)->annotation(release_annotation), "1.2.0");
  // Whoever keeps the certificates has published it.
  EXPECT_EQ((*planned)->text("spec.conversion.webhook.clientConfig.caBundle"), "Y2E=");

  CustomResourceDefinition by_hand = on_server();
  by_hand.remove_annotation(release_annotation);
  EXPECT_TRUE(*plan_registration(widgets(), &by_hand, registration()));
}

TEST(CrdRegistration, LeavesWhatANewerReleaseOwns) {
  for (const char* newer : {"1.2.1", "2.0.0-rc.1", "1.10.0"}) {
    const CustomResourceDefinition existing = on_server(newer);
    const auto planned = plan_registration(widgets(), &existing, registration());
    ASSERT_TRUE(planned) << error_of(planned);
    EXPECT_FALSE(*planned) << newer;
  }
  for (const char* older : {"1.2.0", "1.2.0-rc.1", "1.2.0+build", "0.9.0"}) {
    const CustomResourceDefinition existing = on_server(older);
    EXPECT_TRUE(*plan_registration(widgets(), &existing, registration())) << older;
  }
  CustomResourceDefinition odd = on_server();
  odd.set_annotation(release_annotation, "newest");
  EXPECT_NE(error_of(plan_registration(widgets(), &odd, registration()))
                .find("which release owns it; fix or remove"),
            std::string::npos);
}

TEST(CrdRegistration, KeepsVersionsThatObjectsAreStoredIn) {
  CustomResourceDefinition existing = on_server();
  existing.array("status.storedVersions") = {"v1alpha1", "v0", "v1"};
  const auto planned = plan_registration(widgets(), &existing, registration());
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, ErrorCode::conflict);
  EXPECT_EQ(planned.error().message,
            "the new definition has no version v0, which objects may still be stored in "
            "(status.storedVersions); migrate "
            "them to v1 first, with a release that still has it");
}

TEST(CrdRegistration, TakesNoServedVersionAwayFromADefinitionThatIsNotItsOwn) {
  CustomResourceDefinition existing = on_server();
  existing.remove_annotation(release_annotation);
  EXPECT_TRUE(plan_registration(widgets(), &existing, registration()));
  k8s::Editor newer = existing.append("spec.versions");
  newer.set("name", "v2");
  newer.set("served", true);
  const auto planned = plan_registration(widgets(), &existing, registration());
  ASSERT_FALSE(planned);
  EXPECT_EQ(planned.error().code, ErrorCode::conflict);
  EXPECT_NE(planned.error().message.find("has no version v2"), std::string::npos) << planned.error().message;
}

TEST(CrdRegistration, ReadsDefinitionsOfFiles) {
  const fairway::testing::TempDirectory folder;
  folder.write("b.yaml", yaml);
  folder.write("a.yml", std::string(yaml) + yaml);
  folder.write("c.txt", "nothing of ours");
  EXPECT_EQ(read_definitions_of(folder.path())->size(), 3U);
  EXPECT_EQ(read_definitions_of(folder / "nowhere").error().code, ErrorCode::not_found);
  const auto replaced = [](std::string_view what, std::string_view by) {
    std::string text(yaml);
    return text.replace(text.find(what), what.size(), by);
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {replaced("name: widgets.example.com", "name: widgets"),
       "w.yaml: line 2: metadata.name is 'widgets', and must be spec.names.plural and spec.group: "
       "'widgets.example.com'"},
      {replaced("storage: false", "storage: true"),
       "w.yaml: line 2: spec.versions: exactly one must have storage: true"},
      {replaced("kind: CustomResourceDefinition", "kind: Deployment"),
       "w.yaml: line 2: expected a CustomResourceDefinition of apiextensions.k8s.io/v1, not Deployment"},
      {replaced("  scope: Namespaced", "  group: again"),
       "w.yaml: line 9: 'group' stands here again; it was set at line 8"},
      {"a: [", "w.yaml:"},
      {"text", "w.yaml: line 1: this is no object"}};
  for (const auto& [text, message] : cases) {
    const std::string error = error_of(read_definitions(text, "w.yaml"));
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
}

TEST(CrdRegistration, WaitsUntilItIsServed) {
  kube::testing::ObjectShelf shelf;
  FakeClock clock;
  const auto client = shelf.client(clock);
  // Nobody establishes anything here.
  Result<Registered> late = Registered::unchanged;
  {
    const std::jthread waiter([&] { late = register_definition(client, widgets(), registration()); });
    clock.wait_for_waiters(1);
    clock.advance(std::chrono::seconds(61));
  }
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded);
  EXPECT_NE(late.error().message.find(
                "registering CustomResourceDefinition widgets.example.com: it is not served yet"),
            std::string::npos);
  shelf.put(path, on_server("1.2.0"));
  EXPECT_EQ(register_definition(client, widgets(), registration()), Registered::updated);
  shelf.put(path, on_server("1.3.0"));
  const int writes = shelf.writes();
  EXPECT_EQ(register_definition(client, widgets(), registration()), Registered::owned_by_newer_release);
  EXPECT_EQ(shelf.writes(), writes);
}

// No clock moves here: the server tells it.
TEST(CrdRegistration, IsToldWhenItIsServed) {
  kube::testing::ObjectShelf shelf;
  FakeClock clock;
  const auto client = shelf.client(clock);
  std::stop_source stop;
  auto registered = std::async(std::launch::async, [&] {
    return register_definition(client, widgets(), registration(), stop.get_token());
  });
  EXPECT_TRUE(fairway::testing::eventually([&] { return shelf.reads(path) > 0; }));
  shelf.put(path, on_server("1.2.0"));
  EXPECT_EQ(registered.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  stop.request_stop();
  EXPECT_EQ(registered.get(), Registered::created);
}

TEST(CrdRegistration, WaitsUntilOneThatIsBeingDeletedIsGone) {
  kube::testing::ObjectShelf shelf;
  FakeClock clock;
  CustomResourceDefinition going = on_server();
  going.set_time("metadata.deletionTimestamp", parse_time("2026-03-01T12:00:00Z").value());
  shelf.put(path, going);
  Result<Registered> result = Registered::unchanged;
  {
    const auto client = shelf.client(clock);
    const std::jthread waiter([&] { result = register_definition(client, widgets(), registration()); });
    clock.wait_for_waiters(1);
    EXPECT_EQ(shelf.writes(), 0);
    shelf.put(path, on_server("1.2.0"));
    clock.advance(std::chrono::seconds(1));
  }
  EXPECT_EQ(result, Registered::updated) << error_of(result);
}

// Between our reading and our writing a newer release has registered its own.
TEST(CrdRegistration, DoesNotOverwriteWhatANewerReleaseHasJustWritten) {
  for (const bool existed : {false, true}) {
    kube::testing::ObjectShelf shelf;
    FakeClock clock;
    if (existed) shelf.put(path, on_server("1.0.0"));
    bool interfered = false;
    shelf.before_write([&](const std::string&) {
      if (!interfered) shelf.put(path, on_server("2.0.0"));
      interfered = true;
      return 0;
    });
    Result<Registered> result = Registered::unchanged;
    {
      const auto client = shelf.client(clock);
      const std::jthread loser([&] { result = register_definition(client, widgets(), registration()); });
      clock.wait_for_waiters(1);
      clock.advance(std::chrono::seconds(1));
    }
    EXPECT_EQ(result, Registered::owned_by_newer_release) << error_of(result);
    EXPECT_EQ(shelf.get(path).annotation(release_annotation), "2.0.0");
  }
}

}  // namespace
}  // namespace fairway::webhook
