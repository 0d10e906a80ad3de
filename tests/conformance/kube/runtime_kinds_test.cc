// SPDX-License-Identifier: Apache-2.0

// Kinds that are known only at run time: what a real API server says that it serves, and a controller of a
// kind whose CRD comes while the program runs.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>

#include "conformance/kube/on_cluster.h"
#include "k8s/conditions.h"
#include "kube/controller_kinds.h"
#include "support/eventually.h"
#include "support/generous.h"

namespace fairway::conformance {
namespace {

using namespace std::chrono_literals;
using k8s::ApiResource;
using k8s::Dynamic;
using kube::Context;
using kube::Key;
using kube::Requeue;
using testing::eventually;

std::string definition(const k8s::GroupVersionKind& kind, const std::string& singular,
                       const std::string& short_name) {
  return R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: )" +
         singular + "s." + kind.group + R"(}
spec:
  group: )" +
         kind.group + R"(
  scope: Namespaced
  names: {kind: )" +
         kind.kind + ", plural: " + singular + "s, singular: " + singular + ", shortNames: [" + short_name +
         R"(]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
)";
}

/// Returns a resource with only what the plain documents contain, lists sorted.
k8s::DiscoveredResource comparable(k8s::DiscoveredResource resource) {
  resource.storage_version_hash.clear();
  for (k8s::DiscoveredSubresource& subresource : resource.subresources) {
    subresource.accepted_kinds.clear();
    std::ranges::sort(subresource.verbs);
  }
  std::ranges::sort(resource.subresources, {}, &k8s::DiscoveredSubresource::name);
  for (auto* texts : {&resource.verbs, &resource.short_names, &resource.categories})
    std::ranges::sort(*texts);
  return resource;
}

using Resources = std::map<std::string, k8s::DiscoveredResource>;
Resources resources_of(const kube::ServedResources& served) {
  Resources all;
  for (const k8s::DiscoveredGroup& group : served.discovery.groups) {
    for (const k8s::DiscoveredVersion& version : group.versions) {
      for (const k8s::DiscoveredResource& resource : version.resources) {
        all[k8s::GroupVersionResource{group.name, version.version, resource.name}.to_string()] =
            comparable(resource);
      }
    }
  }
  return all;
}

using Discovery = OnCluster;

/// The versions of each group, in the server's order. The order of groups is the server's own: the two forms
/// need not agree on groups that came with CRDs.
std::map<std::string, std::vector<std::string>> versions_of(const kube::ServedResources& served) {
  std::map<std::string, std::vector<std::string>> versions;
  for (const auto& group : served.discovery.groups) {
    for (const auto& version : group.versions) versions[group.name].push_back(version.version);
  }
  return versions;
}

TEST_F(Discovery, IsTheSameFromTheAggregatedAndFromThePlainDocuments) {
  Result<kube::ServedResources> aggregated, plain;
  std::chrono::duration<double, std::milli> took_aggregated{}, took_plain{};
  // The server makes each document by itself some time after a CRD was established or removed, by another
  // test perhaps.
  eventually([&] {
    const auto begun = std::chrono::steady_clock::now();
    aggregated = kube::discover(*client);
    const auto between = std::chrono::steady_clock::now();
    plain = kube::discover(*client, {.aggregated = false});
    took_aggregated = between - begun;
    took_plain = std::chrono::steady_clock::now() - between;
    return aggregated && plain && aggregated->unavailable.empty() && plain->unavailable.empty() &&
           resources_of(*aggregated) == resources_of(*plain) &&
           versions_of(*aggregated) == versions_of(*plain);
  });
  ASSERT_OK(aggregated);
  ASSERT_OK(plain);
  EXPECT_TRUE(aggregated->unavailable.empty());
  EXPECT_TRUE(plain->unavailable.empty());
  EXPECT_EQ(versions_of(*aggregated), versions_of(*plain)) << "the preferred one first";
  const Resources one = resources_of(*aggregated), other = resources_of(*plain);
  EXPECT_GT(one.size(), 50U);
  std::size_t subresources = 0;
  for (const auto& [name, resource] : one) {
    SCOPED_TRACE(name);
    const auto found = other.find(name);
    ASSERT_NE(found, other.end());
    EXPECT_EQ(resource, found->second);
    subresources += resource.subresources.size();
  }
  EXPECT_EQ(one.size(), other.size());
  std::printf(
      "%zu groups, %zu resources and %zu subresources are the same in both forms: %.0f ms "
      "aggregated, %.0f ms plain\n",
      versions_of(*aggregated).size(), one.size(), subresources, took_aggregated.count(), took_plain.count());
}

TEST_F(Discovery, MapsEveryResourceOfTheServerByKindAndByName) {
  kube::ResourceMapper mapper(client);
  ASSERT_OK(mapper.refresh());
  const auto known = mapper.known();
  std::size_t mapped = 0;
  std::set<std::string> ambiguous;
  for (const k8s::DiscoveredGroup& group : known->discovery.groups) {
    for (const k8s::DiscoveredVersion& version : group.versions) {
      for (const k8s::DiscoveredResource& resource : version.resources) {
        const std::string full = resource.name + "." + version.version + "." + group.name;
        SCOPED_TRACE(full);
        const ApiResource expected{resource.response_kind, resource.name, resource.scope};
        EXPECT_EQ(mapper.find(resource.response_kind), expected);
        EXPECT_EQ(mapper.find_by_name(full), expected);
        EXPECT_EQ(mapper.find_by_name(resource.singular + "." + version.version + "." + group.name),
                  expected);
        const auto bare = mapper.find_by_name(resource.name);
        if (!bare && bare.error().code == ErrorCode::conflict)
          ambiguous.insert(resource.name);
        else
          EXPECT_OK(bare);
        ++mapped;
      }
    }
  }
  EXPECT_GT(mapped, 50U);
  EXPECT_TRUE(ambiguous.contains("events"));
  EXPECT_EQ(mapper.find_by_name("deploy")->plural, "deployments");
  EXPECT_EQ(mapper.find_by_name("crd")->plural, "customresourcedefinitions");
  std::printf("%zu resources are found by kind and by name; %zu names are of several groups\n", mapped,
              ambiguous.size());
}

class RuntimeKinds : public OnCluster {
 protected:
  // Of groups of this run alone.
  const k8s::GroupVersionKind ship{"fleet." + namespace_name + ".example.com", "v1", "Ship"};
  const k8s::GroupVersionKind harbour{"ports." + namespace_name + ".example.com", "v1", "Harbour"};

  void saw(const std::string& what) {
    const std::lock_guard lock(mutex_);
    ++seen_[what];
  }
  int count(const std::string& what) {
    const std::lock_guard lock(mutex_);
    return seen_[what];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, int> seen_;
};

TEST_F(RuntimeKinds, AreReconciledAsOthersAre) {
  kube::ManagerOptions options;
  options.informers.timings.served_check_interval = 500ms;
  kube::Manager manager(client, std::move(options));
  kube::ResourceMapper& mapper = *manager.mapper();

  // Not served: the server was asked. Then its CRD comes, and it is.
  const auto missed = mapper.find(ship);
  ASSERT_FALSE(missed);
  ASSERT_EQ(missed.error().code, ErrorCode::not_found) << missed.error().message;
  cluster.apply(definition(ship, "ship", "shp"));
  const auto begun = std::chrono::steady_clock::now();
  const auto ships = mapper.wait_for(ship, Limits::within(client->clock(), testing::generous(20s)));
  ASSERT_OK(ships);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  EXPECT_EQ(*ships, (ApiResource{ship, "ships", k8s::Scope::namespaced}));
  EXPECT_EQ(mapper.find_by_name("shp." + ship.group), *ships);
  ASSERT_EQ(mapper.find(harbour).error().code, ErrorCode::not_found);

  const ApiResource harbours{harbour, "harbours", k8s::Scope::namespaced};
  const ApiResource maps = *mapper.find_by_name("cm");
  const kube::Trigger signal;
  const k8s::ConditionPolicy policy = k8s::gateway_policy({"Ready"});
  manager.controller("ships", *ships)
      .of({.namespaces = {namespace_name}})
      .when(kube::generation_changed)
      .owns(maps, {}, {.namespaces = {namespace_name}})
      .watches(harbours,
               [](const Dynamic& one) -> std::vector<Key> {
                 return {{std::string(one.namespace_name()), std::string(one.text("spec.ship"))}};
               })
      .if_served()
      .on(signal)
      .reconcile([&](const Context& context, const Key& key,
                     const std::shared_ptr<const Dynamic>& object) -> Result<Requeue> {
        if (!object) {
          saw(key.name + " absent");
          return kube::done();
        }
        const Dynamic& one = *object;
        const auto cached = context.informers().get(harbours, {.if_served = true});
        const auto home = cached.find({context.key().namespace_name, "home"}, context.limits());
        if (!home) return fail(home.error());
        saw(!cached.is_served() ? "without harbours" : *home ? "at home" : "at sea");
        saw("looked");
        Dynamic log = k8s::make(maps, std::string(one.name()) + "-log", one.namespace_name());
        log.set("data.course", one.text("spec.course"));
        if (auto owned = log.set_owner(one); !owned) return fail(owned.error());
        const auto applied =
            context.dynamic().apply(log, {.field_manager = "ships", .force = true}, context.limits());
        if (!applied) return fail(applied.error());
        return context.update_status(*ships, one, [&](Dynamic& now) {
          k8s::Conditions conditions(now, policy, context.clock());
          conditions.set_true("Ready", "LogWritten", one.text("spec.course"));
        });
      });
  kube::testing::RunningManager running(manager);

  // By its document alone.
  const kube::DynamicClient objects(client, manager.mapper(), namespace_name);
  const auto ship_on = [&](const std::string& course) {
    Dynamic document = k8s::make(*ships, "s");
    document.set("spec.course", course);
    return objects.apply(document, {.field_manager = "test"});
  };
  ASSERT_OK(ship_on("north"));
  kube::DynamicApi api(client, *ships, namespace_name), logs(client, maps, namespace_name);
  const auto ready_for = [&](std::int64_t generation, std::string_view course) {
    const auto now = api.get("s");
    if (!now) return false;
    const auto ready = k8s::find_condition(*now, "Ready");
    return ready && ready->is_true() && ready->observed_generation() == generation &&
           ready->message() == course;
  };
  EXPECT_TRUE(eventually([&] { return ready_for(1, "north"); }));
  EXPECT_GT(count("without harbours"), 0) << "a kind that is not served holds up nothing";
  ASSERT_OK(ship_on("south"));
  EXPECT_TRUE(eventually([&] { return ready_for(2, "south"); }));
  EXPECT_EQ(logs.get("s-log")->text("data.course"), "south");
  ASSERT_OK(logs.remove("s-log"));
  EXPECT_TRUE(eventually([&] { return logs.get("s-log").has_value(); })) << "what it owns is made anew";

  // From outside: nothing but the trigger names it.
  EXPECT_EQ(count("none absent"), 0);
  signal.fire({namespace_name, "none"});
  EXPECT_TRUE(eventually([&] { return count("none absent") == 1; }));

  // The kind that was not served.
  EXPECT_EQ(count("at home") + count("at sea"), 0);
  cluster.apply(definition(harbour, "harbour", "hbr"));
  ASSERT_OK(mapper.wait_for(harbour, Limits::within(client->clock(), testing::generous(20s))));
  Dynamic home = k8s::make(harbours, "home");
  home.set("spec.ship", "s");
  ASSERT_OK(objects.apply(home, {.field_manager = "test"}));
  EXPECT_TRUE(eventually([&] { return count("at home") > 0; }));
  ASSERT_OK(objects.remove(home));
  EXPECT_TRUE(eventually([&] { return count("at sea") > 0; }));

  // Watched by its kind alone, from the version of a list.
  const auto list = objects.api(ship)->list();
  ASSERT_OK(list);
  ASSERT_OK(ship_on("west"));
  std::string course;
  const auto watched = objects.watch(
      ship, namespace_name, {.resource_version = list->resource_version},
      [&](const kube::WatchEvent& event) -> Result<void> {
        course = event.object.text("spec.course");
        return fail(ErrorCode::cancelled, "seen");
      },
      Limits::within(client->clock(), testing::generous(10s)));
  EXPECT_FALSE(watched);
  EXPECT_EQ(course, "west");

  EXPECT_OK(running.stop());
  std::printf("the mapper had the kind %.1f s after its CRD was applied; %d reconciles\n", took.count(),
              count("looked"));
}

}  // namespace
}  // namespace fairway::conformance
