// SPDX-License-Identifier: Apache-2.0

// What becomes of dependents where a delete does not say it.
#include <string>
#include <vector>

#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

constexpr const char* pod_template =
    R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"RESTART",)"
    R"("containers":[{"name":"c","image":"i"}]}})";

std::string spec(const char* restart, const std::string& members = "") {
  std::string text = pod_template;
  text.replace(text.find("RESTART"), 7, restart);
  return "{" + members + text + "}";
}

TEST(DefaultOrphans, AreThoseOfTheOldestKinds) {
  // Nobody removes the finalizers that a delete sets.
  const auto server = start_server({.garbage_collector = false, .namespace_defaults = false});
  const auto client = client_of(*server, {.max_retries = 0});
  struct Case {
    k8s::GroupVersionResource resource;
    const char* kind;
    std::string spec;
    k8s::Propagation propagation;
    std::vector<std::string> finalizers;
  };
  const std::string selector = R"("selector":{"matchLabels":{"a":"b"}},)";
  using k8s::Propagation;
  for (const Case& one :
       {Case{{"", "v1", "replicationcontrollers"},
             "ReplicationController",
             spec("Always"),
             Propagation::server_default,
             {"orphan"}},
        Case{{"", "v1", "replicationcontrollers"},
             "ReplicationController",
             spec("Always"),
             Propagation::background,
             {}},
        Case{{"", "v1", "replicationcontrollers"},
             "ReplicationController",
             spec("Always"),
             Propagation::foreground,
             {"foregroundDeletion"}},
        Case{{"batch", "v1", "jobs"}, "Job", spec("Never"), Propagation::server_default, {"orphan"}},
        Case{{"apps", "v1", "replicasets"},
             "ReplicaSet",
             spec("Always", selector),
             Propagation::server_default,
             {}}}) {
    SCOPED_TRACE(std::string(one.kind) + " " + std::to_string(static_cast<int>(one.propagation)));
    const k8s::Key key{"default", "x"};
    k8s::Dynamic object =
        object_of(R"({"metadata":{"name":"x","namespace":"default"},"spec":)" + one.spec + "}");
    object.set("kind", one.kind);
    object.set("apiVersion", one.resource.group.empty() ? "v1" : one.resource.group + "/v1");
    ASSERT_OK(client->create(one.resource, object));
    ASSERT_OK(client->remove(one.resource, key, {.propagation = one.propagation}));
    auto left = client->get(one.resource, key);
    EXPECT_EQ(left.has_value(), !one.finalizers.empty());
    if (!left) continue;
    const auto finalizers = left->finalizers();
    EXPECT_EQ(std::vector<std::string>(finalizers.begin(), finalizers.end()), one.finalizers);
    left->erase("metadata.finalizers");
    ASSERT_OK(client->replace(one.resource, *left));
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
