// SPDX-License-Identifier: Apache-2.0

// tests/k8s/data/readiness.json: objects, and whether they are ready.
#include "k8s/kinds/readiness.h"

#include <gtest/gtest.h>

#include <map>

#include "k8s/data.h"

namespace fairway::k8s {
namespace {

const std::map<std::string_view, std::string_view> api_versions = {
    {"APIService", "apiregistration.k8s.io/v1"},
    {"ConfigMap", "v1"},
    {"CustomResourceDefinition", "apiextensions.k8s.io/v1"},
    {"DaemonSet", "apps/v1"},
    {"Deployment", "apps/v1"},
    {"Job", "batch/v1"},
    {"StatefulSet", "apps/v1"},
};

Dynamic object_of(const View& one) {
  Dynamic object;
  const std::string_view kind = one.text("kind");
  object.set("apiVersion", one.text("api_version", api_versions.at(kind)));
  object.set("kind", kind);
  object.set_name("a");
  object.set("metadata.generation", one.integer("generation", 1));
  if (one.flag("deleted")) object.set("metadata.deletionTimestamp", "2026-01-02T03:04:05Z");
  for (const char* part : {"spec", "status"}) {
    if (one.has(part)) object.set(part, *one.find(part));
  }
  if (one.has("conditions")) object.set("status.conditions", *one.find("conditions"));
  return object;
}

std::string described(const Readiness& readiness) {
  if (readiness.is_ready()) return "ready" + readiness.reason;
  return (readiness.has_failed() ? "failed: " : "waiting: ") + readiness.reason;
}

TEST(ReadinessTest, FollowsTheRulesOfEachKind) {
  for (const json::Value& one : testing::read_cases("readiness.json")) {
    const View view(one.as_object());
    EXPECT_EQ(described(readiness(object_of(view))), view.text("is")) << view.text("case");
  }
}

}  // namespace
}  // namespace fairway::k8s
