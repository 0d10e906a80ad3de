// SPDX-License-Identifier: Apache-2.0

#include "payload/capabilities.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"

namespace fairway::payload {
namespace {

std::string text_of(const CapabilityNames& names) {
  return join(std::vector<std::string>(names.begin(), names.end()), " ");
}

Capabilities of(const std::string& spec, const CapabilityNames& before = {},
                const CapabilityNames& in_release = {}, const std::set<std::string>& gates = {}) {
  const json::Value parsed = json::parse(spec).value();
  return capabilities_of(k8s::View(parsed.as_object()), before, in_release, gates);
}

TEST(Capabilities, AreTheSetAndTheAdditionalOnes) {
  struct Row {
    const char* spec;
    const char* enabled;
  };
  for (const Row& row : std::vector<Row>{
           {R"({"baselineCapabilitySet":"None"})", ""},
           {R"({"baselineCapabilitySet":"None","additionalEnabledCapabilities":["Console","Build"]})",
            "Build Console"},
           {R"({"baselineCapabilitySet":"v4.11"})", "MachineAPI baremetal marketplace openshift-samples"},
           {R"({"baselineCapabilitySet":"v4.11","additionalEnabledCapabilities":["MachineAPI","Storage"]})",
            "MachineAPI Storage baremetal marketplace openshift-samples"},
           // It does not exist here: the newest before it counts.
           {R"({"baselineCapabilitySet":"v4.10"})", ""},
           {R"({"baselineCapabilitySet":"Everything"})", ""},
           // Nothing is enabled that is not known.
           {R"({"baselineCapabilitySet":"None","additionalEnabledCapabilities":["Moon","ClusterAPI"]})", ""}})
    EXPECT_EQ(text_of(of(row.spec).enabled), row.enabled) << row.spec;
  EXPECT_EQ(of(R"({"baselineCapabilitySet":"v4.17"})").enabled.size(), 16U);
  EXPECT_EQ(of(R"({"baselineCapabilitySet":"v4.19"})"), of(R"({"baselineCapabilitySet":"v4.18"})"));
  EXPECT_EQ(of("{}"), of(R"({"baselineCapabilitySet":"vCurrent"})"));
}

TEST(Capabilities, OfTheReleaseAreKnownToo) {
  EXPECT_TRUE(of("{}", {}, {"Moon"}).enabled.contains("Moon"));
  const Capabilities none = of(R"({"baselineCapabilitySet":"v4.18"})", {}, {"Moon"});
  EXPECT_TRUE(none.known.contains("Moon"));
  EXPECT_FALSE(none.enabled.contains("Moon"));
  const Capabilities asked =
      of(R"({"baselineCapabilitySet":"None","additionalEnabledCapabilities":["Moon"]})", {}, {"Moon"});
  EXPECT_EQ(text_of(asked.enabled), "Moon");
  EXPECT_EQ(json::to_text(json::Value(asked.to_status())).find("Moon"), std::string::npos)
      << "the API has no such name";
}

TEST(Capabilities, SomeAreKnownOnlyWithAFeatureGate) {
  EXPECT_FALSE(of("{}").known.contains("ClusterAPI"));
  EXPECT_FALSE(of("{}", {}, {"ClusterAPI"}).enabled.contains("ClusterAPI"));
  EXPECT_TRUE(of("{}", {}, {}, {"ClusterAPIMachineManagement"}).enabled.contains("ClusterAPI"));
  const Capabilities one = of("{}", {}, {}, {"CRDCompatibilityRequirementOperator"});
  EXPECT_TRUE(one.enabled.contains("CompatibilityRequirements"));
  EXPECT_FALSE(one.known.contains("ClusterAPI"));
}

TEST(Capabilities, AreNeverDisabled) {
  const Capabilities now = of(R"({"baselineCapabilitySet":"None","additionalEnabledCapabilities":["Build"]})",
                              {"Build", "Console", "Gone"});
  EXPECT_EQ(text_of(now.enabled), "Build Console Gone");
  EXPECT_EQ(text_of(now.implicit), "Console Gone");
}

Manifest manifest(const std::string& name, const std::string& capabilities, const std::string& more = "") {
  Manifest made;
  made.object = k8s::Dynamic(json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                                         name + R"(","namespace":"n",)" + R"("annotations":{)" + more +
                                         R"("capability.openshift.io/name":")" + capabilities + R"("}}})")
                                 ->as_object());
  return made;
}

TEST(Capabilities, OfAnUpdateKeepWhatWasApplied) {
  Selection selection;
  selection.capabilities = {"Console"};
  const std::vector<Manifest> running{manifest("plain", ""), manifest("console", "Console"),
                                      manifest("off", "Storage")};
  const auto kept = [&](const Manifest& next) {
    return text_of(kept_by_update(running, {next}, selection, 5));
  };
  EXPECT_EQ(kept(manifest("plain", "Build")), "Build");
  EXPECT_EQ(kept(manifest("plain", "Build+Insights")), "Build Insights");
  EXPECT_EQ(kept(manifest("plain", "Build + Insights")), "") << "there are no such names";
  EXPECT_EQ(
      text_of(capability_names({manifest("a", "Build+"), manifest("b", " Console"), manifest("c", "")})),
      "Build");
  EXPECT_EQ(kept(manifest("console", "Console+Ingress")), "Ingress");
  EXPECT_EQ(kept(manifest("console", "Console")), "");
  EXPECT_EQ(kept(manifest("off", "Storage+Build")), "") << "it was not applied";
  EXPECT_EQ(kept(manifest("new", "Build")), "");
  EXPECT_EQ(kept(manifest("plain", "Build", R"("release.openshift.io/delete":"true",)")), "");
  EXPECT_EQ(kept(manifest("plain", "Build",
                          R"("exclude.release.openshift.io/self-managed-high-availability":"true",)")),
            "");
}

// Each release is judged by its own major version.
TEST(Capabilities, OfAnUpdateToAnotherMajorVersionKeepWhatWasApplied) {
  const auto definition = [](const std::string& capabilities, const std::string& major) {
    Manifest made;
    made.object = k8s::Dynamic(
        json::parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{
          "name":"d","annotations":{"release.openshift.io/major-version":")" +
                    major + R"(","capability.openshift.io/name":")" + capabilities + R"("}}})")
            ->as_object());
    return made;
  };
  Selection selection;
  selection.capabilities = {"Console"};
  selection.major_version = 4;
  const auto kept = [&](const char* running, const char* next) {
    return text_of(kept_by_update({definition("", running)}, {definition("Build", next)}, selection, 5));
  };
  EXPECT_EQ(kept("4", "5"), "Build");
  EXPECT_EQ(kept("5", "5"), "") << "it was not applied";
  EXPECT_EQ(kept("4", "4"), "") << "it will not be applied";
}

}  // namespace
}  // namespace fairway::payload
