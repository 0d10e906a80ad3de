// SPDX-License-Identifier: Apache-2.0

// How definitions and what they define begin, change and end.
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "apiserver/definition_case.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

const std::string size_field = R"("size":{"type":"integer","minimum":1,"default":3})";
const std::string only_color = R"("color":{"type":"string","default":"red"})";

class DefinitionLifecycle : public ::testing::Test {
 protected:
  std::unique_ptr<EmbeddedServer> server = start_server({.namespace_defaults = false});
  DefinitionCase on{*server};
};

std::string code_of(const json::Value& status) {
  const json::Value* code = json::find(status, "code");
  return code == nullptr ? "none" : json::to_text(*code);
}

std::string condition_of(const json::Value& definition, std::string_view type) {
  for (const json::Value& condition : definition.at("status").at("conditions").get_array()) {
    if (json::find_string(condition, "type") != type) continue;
    return std::string(*json::find_string(condition, "status")) + " " +
           std::string(*json::find_string(condition, "reason"));
  }
  return "none";
}

/// Returns a definition of a resource in a group that is the server's own.
std::string overlapping(const std::string& plural, const std::string& kind, const std::string& group,
                        const std::string& versions) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":")" +
         plural + "." + group +
         R"(","annotations":{"api-approved.kubernetes.io":"unapproved, a test"}},"spec":{"group":")" + group +
         R"(","scope":"Cluster","names":{"plural":")" + plural + R"(","kind":")" + kind +
         R"("},"versions":[)" + versions + "]}}";
}

/// Follows TestOverlappingCustomResourceAPIService of k8s.io/kubernetes/test/integration/etcd.
TEST_F(DefinitionLifecycle, WhatIsBuiltInStaysWhatItIs) {
  struct Case {
    std::string plural, group, kind_there, path_of_object;
  };
  const Case cases[] = {
      {"clusterroles", "rbac.authorization.k8s.io", "ClusterRole",
       "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin"},
      {"customresourcedefinitions", "apiextensions.k8s.io", "CustomResourceDefinition",
       "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com"},
  };
  on.define(definition_of(version_of("v1", true, size_field)));
  for (const auto& [plural, group, kind, object] : cases) {
    SCOPED_TRACE(plural);
    const std::string name = plural + "." + group;
    on.define(overlapping(plural, "Other", group,
                          version_of("v1", true, size_field) + "," + version_of("v2", false, size_field)));
    EXPECT_EQ(condition_of(on.get(on.definition_path(name)), "Established"), "True InitialNamesAccepted");
    const std::string before = json::to_text(on.get(object));
    EXPECT_EQ(json::find_string(on.get("/apis/" + group + "/v1/" + plural), "kind"), kind + "List");
    EXPECT_EQ(code_of(on.get("/apis/" + group + "/v2/" + plural)), "404");
    EXPECT_EQ(code_of(on.get("/apis/" + group + "/v2")), "404");
    on.remove(name);
    EXPECT_TRUE(on.wait_until_gone(name));
    EXPECT_EQ(json::to_text(on.get(object)), before);
    EXPECT_EQ(json::find_string(on.get("/apis/" + group + "/v1/" + plural), "kind"), kind + "List");
  }
}

TEST_F(DefinitionLifecycle, AKindOfABuiltInGroupIsNotTakenByAnotherResource) {
  on.define(overlapping("gates", "NetworkPolicy", "networking.k8s.io", version_of("v1", true, size_field)));
  EXPECT_EQ(code_of(on.get("/apis/networking.k8s.io/v1/gates")), "404");
  const auto applied = server->apply(
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, namespace: default}\n"
      "spec: {podSelector: {}}\n",
      "a.yaml");
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(
      json::find_string(on.get("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies/a"), "kind"),
      "NetworkPolicy");
}

TEST(DefinitionRestart, AfterItADefinitionGoesOnWaitingForItsObjects) {
  const fairway::testing::TempDirectory folder;
  const ServerOptions options{.data = folder / "data", .namespace_defaults = false};
  {
    const auto server = start_server(options);
    const DefinitionCase on(*server);
    on.define(definition_of(version_of("v1", true, size_field)));
    on.create("free");
    on.create("held", "{}", hold);
    on.remove();
  }
  const auto server = start_server(options);
  const DefinitionCase on(*server);
  server->wait_until_current();
  EXPECT_EQ(json::find_string(on.get(on.definition_path()), "kind"), "CustomResourceDefinition");
  EXPECT_EQ(code_of(on.read("free")), "404");
  const json::Value held = on.read("held");
  ASSERT_EQ(json::find_string(held, "kind"), "Widget") << json::to_text(held);
  EXPECT_NE(json::find(held.at("metadata"), "deletionTimestamp"), nullptr);
  EXPECT_EQ(code_of(on.create("late")), "403");
  on.patch("held", release_patch);
  EXPECT_TRUE(on.wait_until_gone());
  on.define(definition_of(version_of("v1", true, size_field)));
  EXPECT_TRUE(on.read("").at("items").get_array().empty());
}

TEST_F(DefinitionLifecycle, NothingIsCreatedWhileADefinitionIsBeingDeleted) {
  on.define(definition_of(version_of("v1", true, size_field)));
  on.create("held", "{}", hold);
  on.remove();
  EXPECT_EQ(condition_of(on.get(on.definition_path()), "Terminating"), "True InstanceDeletionInProgress");
  const json::Value refused = on.create("late");
  EXPECT_EQ(json::find_string(refused, "message"),
            "widgets.example.com \"late\" is forbidden: create not allowed while custom resource definition "
            "is terminating");
  EXPECT_EQ(code_of(refused), "403");
  EXPECT_EQ(json::find_string(on.patch("held", release_patch), "kind"), "Widget");
  EXPECT_TRUE(on.wait_until_gone());
  // The next definition of that name begins anew.
  on.define(definition_of(version_of("v1", true, size_field)));
  EXPECT_EQ(json::find_string(on.create("late"), "kind"), "Widget");
}

TEST_F(DefinitionLifecycle, WritesOfOthersDoNotMakeWaitersWait) {
  on.define(definition_of(version_of("v1", true, size_field)));
  on.send("POST", "/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":"a"}})");
  std::promise<void> done;
  auto is_done = done.get_future();
  const std::jthread waiter([&] {
    server->wait_until_current();
    done.set_value();
  });
  EXPECT_EQ(is_done.wait_for(fairway::testing::generous(1s)), std::future_status::ready);
  // Ends the wait of one who waits for definitions only.
  on.set_fields(only_color);
}

TEST_F(DefinitionLifecycle, AnUnchangedDefinitionIsAppliedAgain) {
  const std::string documents = definition_of(version_of("v1", true, size_field)) +
                                "\n---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n";
  for (int start = 0; start < 2; ++start) {
    const auto applied = server->apply(documents, "widgets.yaml");
    ASSERT_TRUE(applied) << applied.error().message;
  }
}

TEST_F(DefinitionLifecycle, ListsAreOfTheKindThatItNames) {
  on.define(definition_of(version_of("v1", true, size_field), R"(,"listKind":"WidgetCollection")"));
  on.create("a");
  EXPECT_EQ(json::find_string(on.read(""), "kind"), "WidgetCollection");
}

/// A watch in a thread of its own.
class Watching {
 public:
  explicit Watching(std::shared_ptr<kube::Client> client)
      : thread_([this, client = std::move(client)](const std::stop_token& stop) {
          const auto take = [this](const k8s::WatchEvent& event) -> Result<void> {
            if (event.ends_initial_events()) begun_.set_value();
            if (event.type != k8s::WatchEvent::Type::bookmark) {
              types_ += std::string(k8s::to_string(event.type)) + " ";
            }
            return {};
          };
          const auto ended =
              client->watch(widgets, "default", {.bookmarks = true, .initial_events = true, .timeout = 600s},
                            take, Limits::within(Clock::system(), 600s, stop));
          ended_.set_value(ended ? types_ + "END" : ended.error().message);
        }) {}

  void wait_until_it_has_begun() { begun_.get_future().wait_for(60s); }
  /// Returns the types of its events, once it has ended.
  std::string end() {
    auto ended = ended_.get_future();
    const bool in_time = ended.wait_for(fairway::testing::generous(1s)) == std::future_status::ready;
    return in_time ? ended.get() : "it goes on";
  }

 private:
  std::promise<void> begun_;
  std::promise<std::string> ended_;
  std::string types_;
  std::jthread thread_;
};

TEST_F(DefinitionLifecycle, WatchesEndWithTheirDefinition) {
  on.define(definition_of(version_of("v1", true, size_field)));
  on.create("a");
  Watching watching(on.client());
  watching.wait_until_it_has_begun();
  on.remove();
  EXPECT_EQ(watching.end(), "ADDED DELETED END");
}

TEST_F(DefinitionLifecycle, WatchesEndWhereTheirDefinitionChanges) {
  on.define(definition_of(version_of("v1", true, size_field)));
  on.create("a");
  Watching watching(on.client());
  watching.wait_until_it_has_begun();
  on.set_fields(only_color);
  EXPECT_EQ(watching.end(), "ADDED END");
}

TEST_F(DefinitionLifecycle, ObjectsFollowASchemaThatIsNewerThanThey) {
  on.define(definition_of(version_of("v1", true, size_field) + "," + version_of("v2", false, size_field)));
  on.create("a", R"({"size":5})");
  for (const std::string version : {"v1", "v2"}) {
    EXPECT_EQ(on.read("a", version).at("spec"), parsed(R"({"size":5})")) << version;
  }
  on.set_fields(only_color);
  for (const std::string version : {"v1", "v2"}) {
    EXPECT_EQ(on.read("a", version).at("spec"), parsed(R"({"color":"red"})")) << version;
    EXPECT_EQ(on.read("", version).at("items").at(0).at("spec"), parsed(R"({"color":"red"})")) << version;
  }
  // An empty patch stores what is shown, once.
  const auto version_of_object = [](const json::Value& object) {
    return std::string(*json::find_string(object.at("metadata"), "resourceVersion"));
  };
  const std::string before = version_of_object(on.read("a")), stored = version_of_object(on.patch("a", "{}"));
  EXPECT_NE(stored, before);
  EXPECT_EQ(version_of_object(on.patch("a", "{}")), stored);
  on.set_fields(size_field);
  EXPECT_EQ(on.read("a").at("spec"), parsed(R"({"size":3})"));
}

TEST(DefinitionRestart, AfterItObjectsFollowASchemaThatIsNewerThanThey) {
  const fairway::testing::TempDirectory folder;
  const ServerOptions options{.data = folder / "data", .namespace_defaults = false};
  {
    const auto server = start_server(options);
    const DefinitionCase on(*server);
    on.define(definition_of(version_of("v1", true, size_field)));
    on.create("a", R"({"size":5})");
    on.set_fields(only_color);
  }
  const auto server = start_server(options);
  EXPECT_EQ(DefinitionCase(*server).read("a").at("spec"), parsed(R"({"color":"red"})"));
}

}  // namespace
}  // namespace fairway::apiserver::testing
