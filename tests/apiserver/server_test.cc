// SPDX-License-Identifier: Apache-2.0

// Starting a server, and starting it again.
#include "apiserver/server.h"

#include "apiserver/server_case.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource services{"", "v1", "services"};

TEST(EmbeddedServer, PublishesItsServiceWithThePortThatItHas) {
  const fairway::testing::TempDirectory folder;
  std::string authority;
  for (int start = 0; start < 2; ++start) {
    const auto server = start_server({.data = folder / "data"});
    const auto client = client_of(*server);
    const auto service = client->get(services, {"default", "kubernetes"});
    ASSERT_OK(service);
    EXPECT_EQ(service->text("spec.clusterIP"), "10.96.0.1");
    const auto ports = service->items("spec.ports");
    ASSERT_EQ(ports.size(), 1U);
    EXPECT_EQ(ports.front().integer("port"), 443);
    EXPECT_TRUE(server->url().ends_with(":" + std::to_string(ports.front().integer("targetPort"))));
    // Clients go on trusting a server that was started again.
    if (start == 1) {
      EXPECT_EQ(server->authority(), authority);
    }
    authority = server->authority();
  }
}

TEST(EmbeddedServer, PublishesTheAuthorityOfClientCertificates) {
  const fairway::testing::TempDirectory folder;
  const k8s::Key key{"kube-system", "extension-apiserver-authentication"};
  for (const bool immutable : {false, true}) {
    {
      const auto server = start_server({.data = folder / "data", .namespace_defaults = false});
      const auto client = client_of(*server);
      const auto published = client->get(config_maps, key);
      ASSERT_OK(published);
      EXPECT_EQ(published->text("data.client-ca-file"), server->authority());
      // What somebody else has written into it stays.
      auto changed = *published;
      changed.set_entry("data", "client-ca-file", "none");
      changed.set_entry("data", "requestheader-allowed-names", "[]");
      if (immutable) changed.set("immutable", true);
      ASSERT_OK(client->replace(config_maps, changed));
    }
    const auto server = start_server({.data = folder / "data", .namespace_defaults = false});
    const auto again = client_of(*server)->get(config_maps, key);
    ASSERT_OK(again);
    EXPECT_EQ(again->text("data.client-ca-file"), immutable ? "none" : server->authority());
    EXPECT_EQ(again->text("data.requestheader-allowed-names"), "[]");
  }
}

TEST(EmbeddedServer, WarnsUsersOfEndpoints) {
  const auto server = start_server({.namespace_defaults = false});
  std::vector<std::string> warnings;
  const auto client =
      client_of(*server, {.on_warning = [&](std::string_view warning) { warnings.emplace_back(warning); }});
  ASSERT_OK(client->list({"", "v1", "endpoints"}, "default"));
  EXPECT_EQ(warnings, std::vector<std::string>{
                          "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"});
  warnings.clear();
  ASSERT_OK(client->list({"discovery.k8s.io", "v1", "endpointslices"}, "default"));
  EXPECT_EQ(warnings, std::vector<std::string>{});
}

TEST(EmbeddedServer, KeepsWhatWasWritten) {
  const fairway::testing::TempDirectory folder;
  const auto object = object_of(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"},"data":{"k":"v"}})");
  std::string version;
  {
    const auto server = start_server({.data = folder / "data"});
    const auto made = client_of(*server)->create(config_maps, object);
    ASSERT_OK(made);
    version = made->resource_version();
  }
  const auto server = start_server({.data = folder / "data"});
  const auto kept = client_of(*server)->get(config_maps, {"default", "a"});
  ASSERT_OK(kept);
  EXPECT_EQ(kept->resource_version(), version);
}

TEST(EmbeddedServer, RefusesThoseWithoutACertificate) {
  const auto server = start_server();
  kube::ClientConfig config;
  config.server = server->url();
  config.ca = server->authority();
  const auto client = kube::Client::create(config).value();
  const auto list = client->list(config_maps, "default");
  ASSERT_FALSE(list);
  EXPECT_TRUE(list.error().is(k8s::reason::unauthorized)) << list.error().message;
  std::string body;
  EXPECT_OK(client->send({.path = "/readyz"}, body));
  EXPECT_EQ(body, "ok");
}

TEST(EmbeddedServer, AppliesWhatItIsGiven) {
  const auto server = start_server();
  ASSERT_OK(
      server->apply("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team\n---\napiVersion: v1\nkind: "
                    "ConfigMap\nmetadata:\n  name: a\n  namespace: team\ndata:\n  k: v\n",
                    "a.yaml"));
  ASSERT_OK(server->apply(
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: team\ndata:\n  l: w\n", "b.yaml"));
  const auto object = client_of(*server)->get(config_maps, {"team", "a"});
  ASSERT_OK(object);
  EXPECT_EQ(object->text("data.k"), "v");
  EXPECT_EQ(object->text("data.l"), "w");
  const auto unknown =
      server->apply("apiVersion: example.com/v1\nkind: Nothing\nmetadata: {name: a}\n", "c.yaml");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().message.starts_with("c.yaml:1: no resource of kind"))
      << unknown.error().message;
}

TEST(EmbeddedServer, TakesListsApartThatItIsGiven) {
  const auto server = start_server();
  ASSERT_OK(server->apply(
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: team}\n"
      "- apiVersion: v1\n  kind: ConfigMapList\n  items:\n  - apiVersion: v1\n    kind: ConfigMap\n"
      "    metadata: {name: a, namespace: team}\n",
      "a.yaml"));
  EXPECT_OK(client_of(*server)->get(config_maps, {"team", "a"}));
  const auto wrong = server->apply(
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: more}}\n"
      "- {apiVersion: example.com/v1, kind: Nothing, metadata: {name: a}}\n",
      "b.yaml");
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().message.starts_with("b.yaml:1: item 1: no resource of kind"))
      << wrong.error().message;
}

}  // namespace
}  // namespace fairway::apiserver::testing
