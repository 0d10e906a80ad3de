// SPDX-License-Identifier: Apache-2.0

// Informers of a real API server for the metadata of objects alone, and for several namespaces.
#include <map>
#include <mutex>

#include "conformance/kube/on_cluster.h"
#include "kube/informer/informer.h"
#include "support/eventually.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

class InformerScope : public OnCluster {
 protected:
  k8s::ConfigMap map_in(const std::string& space, const std::string& name) const {
    auto map = k8s::make<k8s::ConfigMap>(name, space);
    map.set_label("app", "scope");
    map.set_data("text", std::string(10'000, 'x'));
    return map;
  }
  const std::string other_namespace = cluster.make_namespace(), third_namespace = cluster.make_namespace();
};

TEST_F(InformerScope, OfMetadataHasNothingElseOfTheObjects) {
  for (const bool streaming : {false, true}) {
    SCOPED_TRACE(streaming);
    const std::string name = streaming ? "streamed" : "listed", later = name + "-later";
    ASSERT_OK(client->create(config_maps, map_in(namespace_name, name)));
    kube::Informers informers(client, {.streaming_list = streaming});
    auto metadata = informers.get_metadata<k8s::ConfigMap>({.namespaces = {namespace_name}});
    std::mutex mutex;
    std::map<std::string, std::string> told;
    metadata.add_handler({.added =
                              [&](const auto& object, bool) {
                                const std::lock_guard lock(mutex);
                                told[std::string(object->name())] = object->resource_version();
                              },
                          .updated =
                              [&](const auto&, const auto& now) {
                                const std::lock_guard lock(mutex);
                                told[std::string(now->name())] = now->resource_version();
                              },
                          .deleted =
                              [&](const auto& last) {
                                const std::lock_guard lock(mutex);
                                told.erase(std::string(last->name()));
                              }});
    const auto told_of = [&](const std::string& one) {
      const std::lock_guard lock(mutex);
      const auto found = told.find(one);
      return found == told.end() ? std::string() : found->second;
    };
    informers.start();
    ASSERT_TRUE(informers.wait_for_sync(60s));
    const auto found = metadata.find(key(name));
    ASSERT_OK(found);
    ASSERT_TRUE(*found);
    EXPECT_EQ((*found)->label("app"), "scope");
    EXPECT_LT((*found)->to_text().size(), 2'000U) << (*found)->to_text();
    EXPECT_TRUE((*found)->to_text().contains(R"("kind":"PartialObjectMetadata")"));
    // A change of what it does not have moves the version, too.
    const auto patched = client->patch(config_maps, key(name), kube::PatchType::merge,
                                       json::Object{{"data", json::Object{{"text", "y"}}}});
    ASSERT_OK(patched);
    EXPECT_TRUE(eventually([&] { return told_of(name) == patched->resource_version(); }));
    const auto made = client->create(config_maps, map_in(namespace_name, later));
    ASSERT_OK(made);
    EXPECT_TRUE(eventually([&] { return told_of(later) == made->resource_version(); }));
    ASSERT_OK(client->remove(config_maps, key(name)));
    EXPECT_TRUE(eventually([&] { return told_of(name).empty(); }));
  }
}

TEST_F(InformerScope, OfSeveralNamespacesHasTheObjectsOfThoseAlone) {
  for (const bool streaming : {false, true}) {
    SCOPED_TRACE(streaming);
    const std::string name = streaming ? "streamed" : "listed", later = name + "-later";
    for (const std::string& space : {namespace_name, other_namespace, third_namespace})
      ASSERT_OK(client->create(config_maps, map_in(space, name)));
    kube::Informers informers(client, {.streaming_list = streaming});
    const auto maps =
        informers.get<k8s::ConfigMap>({.namespaces = {namespace_name, other_namespace},
                                       .labels = k8s::LabelSelector::parse("app=scope").value()});
    informers.start();
    ASSERT_TRUE(informers.wait_for_sync(60s));
    const auto has = [&](const std::string& space, const std::string& one) {
      const auto found = maps.find({space, one});
      EXPECT_OK(found);
      return found && *found;
    };
    EXPECT_TRUE(has(namespace_name, name));
    EXPECT_TRUE(has(other_namespace, name));
    const auto unwatched = maps.find({third_namespace, name});
    ASSERT_FALSE(unwatched);
    EXPECT_EQ(unwatched.error().code, ErrorCode::invalid);
    for (const std::string& space : {third_namespace, other_namespace, namespace_name})
      ASSERT_OK(client->create(config_maps, map_in(space, later)));
    EXPECT_TRUE(eventually([&] { return has(namespace_name, later) && has(other_namespace, later); }));
    ASSERT_OK(client->remove(config_maps, {other_namespace, name}));
    EXPECT_TRUE(eventually([&] { return !has(other_namespace, name); }));
    EXPECT_TRUE(has(namespace_name, name));
    const auto all = maps.list();
    ASSERT_OK(all);
    for (const auto& map : *all) EXPECT_NE(map->namespace_name(), third_namespace);
  }
}

}  // namespace
}  // namespace fairway::conformance
