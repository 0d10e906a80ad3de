// SPDX-License-Identifier: Apache-2.0

// The document of wire_discovery.json is written by Kubernetes's types, and its plain form is what client-go
// makes of it, but for the singular names of subresources, which kube-apiserver's plain documents leave
// empty.
#include <gtest/gtest.h>

#include "base/file.h"
#include "k8s/data.h"
#include "k8s/wire/discovery.h"

namespace fairway::k8s {
namespace {

json::Value recorded() {
  return json::parse(read_file(testing::data_path("wire_discovery.json")).value()).value();
}

Discovery model() {
  return read_aggregated(json::to_text(testing::field(recorded(), "aggregated"))).value();
}

TEST(Discovery, IsReadFromTheAggregatedDocument) {
  const Discovery discovery = model();
  ASSERT_EQ(discovery.groups.size(), 5U);
  const DiscoveredVersion* core = discovery.find("")->find("v1");
  ASSERT_NE(core, nullptr);
  ASSERT_EQ(core->resources.size(), 2U);
  EXPECT_EQ(core->resources[0].scope, Scope::cluster);
  const DiscoveredResource& pods = core->resources[1];
  EXPECT_EQ(pods.name, "pods");
  EXPECT_EQ(pods.singular, "pod");
  EXPECT_EQ(pods.response_kind, (GroupVersionKind{"", "v1", "Pod"}));
  EXPECT_EQ(pods.short_names, std::vector<std::string>{"po"});
  EXPECT_EQ(pods.categories, std::vector<std::string>{"all"});
  ASSERT_EQ(pods.subresources.size(), 2U);
  EXPECT_EQ(pods.subresources[0].name, "eviction");
  EXPECT_EQ(pods.subresources[0].response_kind, (GroupVersionKind{"policy", "v1", "Eviction"}));
  EXPECT_EQ(pods.subresources[0].verbs, std::vector<std::string>{"create"});
  EXPECT_EQ(discovery.find("nothing"), nullptr);
  EXPECT_EQ(discovery.find("apps")->find("v2"), nullptr);
}

TEST(Discovery, KeepsWhatCouldNotBeAsked) {
  const Discovery discovery = model();
  EXPECT_TRUE(discovery.find("metrics.k8s.io")->find("v1beta1")->stale);
  EXPECT_FALSE(discovery.find("apps")->find("v1")->stale);
  EXPECT_EQ(read_aggregated(write_aggregated(discovery)), discovery);
  // Plain documents cannot say it.
  const Discovery plain = read_group_list(write_group_list(discovery)).value();
  EXPECT_EQ(plain.find("metrics.k8s.io"), nullptr);
  ASSERT_EQ(plain.find("half.example.com")->versions.size(), 1U);
  EXPECT_EQ(plain.find("half.example.com")->versions[0].version, "v1");
}

TEST(Discovery, IsWrittenAsKubernetesWritesIt) {
  const json::Value document = recorded();
  const Discovery discovery = model();
  EXPECT_EQ(write_aggregated(discovery), json::to_text(testing::field(document, "aggregated")));
  EXPECT_EQ(write_group_list(discovery), json::to_text(testing::field(document, "groups")));
  for (const json::Value& list : testing::field(document, "resources").as_array()) {
    const GroupVersion of = GroupVersion::parse(testing::text(list, "groupVersion")).value();
    SCOPED_TRACE(of.to_string());
    EXPECT_EQ(write_resource_list(of, *discovery.find(of.group)->find(of.version)), json::to_text(list));
  }
}

TEST(Discovery, IsTheSameFromEitherForm) {
  const json::Value document = recorded();
  const Discovery discovery = model();
  for (const json::Value& list : testing::field(document, "resources").as_array()) {
    const auto read = read_resource_list(json::to_text(list));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->second, *discovery.find(read->first.group)->find(read->first.version));
  }
  EXPECT_EQ(read_aggregated(write_aggregated(discovery, AggregatedVersion::v2beta1)), discovery);
  const DiscoveredGroup& widgets = *discovery.find("widgets.example.com");
  const auto group = read_group(write_group(widgets));
  ASSERT_TRUE(group);
  ASSERT_EQ(group->versions.size(), 2U);
  EXPECT_EQ(group->versions[0].version, "v2");
  const auto core =
      read_api_versions(write_api_versions(*discovery.find(""), {{.server_address = "10.0.0.1:6443"}}));
  ASSERT_TRUE(core);
  EXPECT_EQ(core->versions, std::vector<DiscoveredVersion>{{.version = "v1"}});
}

TEST(Discovery, PutsThePreferredVersionFirst) {
  const auto group = read_group(R"({"kind":"APIGroup","apiVersion":"v1","name":"g","versions":[
      {"groupVersion":"g/v1","version":"v1"},{"groupVersion":"g/v2","version":"v2"},{"groupVersion":"g/v3","version":"v3"}],
      "preferredVersion":{"groupVersion":"g/v2","version":"v2"}})");
  ASSERT_TRUE(group) << group.error().message;
  std::string versions;
  for (const DiscoveredVersion& version : group->versions) versions += version.version + " ";
  EXPECT_EQ(versions, "v2 v1 v3 ");
}

TEST(Discovery, HasAResourceOfWhichThereAreSubresourcesOnly) {
  const auto read = read_resource_list(R"({"kind":"APIResourceList","groupVersion":"g/v1","resources":[
      {"name":"things/run","singularName":"","namespaced":true,"kind":"Run","verbs":["create"]}]})");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->second.resources.size(), 1U);
  EXPECT_EQ(read->second.resources[0].response_kind, GroupVersionKind{});
  EXPECT_EQ(read->second.resources[0].subresources[0].response_kind, (GroupVersionKind{"g", "v1", "Run"}));
  EXPECT_EQ(read_resource_list(write_resource_list(read->first, read->second)), *read);
  const Discovery discovery{{{.name = "g", .versions = {read->second}}}};
  EXPECT_EQ(read_aggregated(write_aggregated(discovery)), discovery);
}

TEST(Discovery, ErrorsNameTheMember) {
  for (const json::Value& row : testing::read_cases("wire_discovery_errors.json")) {
    const std::string text = json::to_text(testing::field(row, "document"));
    SCOPED_TRACE(text);
    const std::string form = testing::text(row, "form");
    std::string error = "none";
    const auto record = [&](const auto& read) {
      if (!read) error = read.error().message;
    };
    if (form == "aggregated") record(read_aggregated(text));
    if (form == "versions") record(read_api_versions(text));
    if (form == "groups") record(read_group_list(text));
    if (form == "group") record(read_group(text));
    if (form == "resources") record(read_resource_list(text));
    EXPECT_NE(error.find(testing::text(row, "error")), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace fairway::k8s
