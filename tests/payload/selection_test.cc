// SPDX-License-Identifier: Apache-2.0

#include "payload/selection.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::payload {
namespace {

Manifest manifest(const std::string& annotations, const std::string& name = "a",
                  const std::string& kind = "ConfigMap") {
  const std::string text = R"({"apiVersion":"v1","kind":")" + kind + R"(","metadata":{"name":")" + name +
                           R"(","namespace":"n","annotations":)" + annotations + "}}";
  return {.file = "0000_05_a.yaml", .document = 1, .line = 1, .object = k8s::Dynamic::parse(text).value()};
}

/// Returns the reason why the manifest is left out; "" if it is not.
std::string why(const std::string& annotations, const Selection& selection) {
  const auto selected = select({manifest(annotations)}, selection);
  if (!selected) return selected.error().message;
  return selected->left_out.empty() ? "" : selected->left_out.front().why;
}

TEST(SelectionTest, GoesByAnnotations) {
  struct Row {
    const char *annotations, *why;
  };
  const std::vector<Row> rows{
      {"{}", ""},
      {R"({"include.release.openshift.io/self-managed-high-availability":"true"})", ""},
      {R"({"include.release.openshift.io/ibm":"true","include.release.openshift.io/other":"true"})",
       "it is for the profiles ibm, other"},
      {R"({"include.release.openshift.io/self-managed-high-availability":"false"})",
       "it is for the profiles self-managed-high-availability"},
      {R"({"include.release.openshift.io/self-managed-high-availability":"true",)"
       R"("exclude.release.openshift.io/self-managed-high-availability":"true"})",
       "it is not for the profile self-managed-high-availability"},
      {R"({"exclude.release.openshift.io/ibm":"true"})", ""},
      {R"({"release.openshift.io/feature-set":"Default,TechPreviewNoUpgrade"})", ""},
      {R"({"release.openshift.io/feature-set":"Default, TechPreviewNoUpgrade"})",
       "unrecognized value \" TechPreviewNoUpgrade\" in release.openshift.io/feature-set; known values are: "
       "CustomNoUpgrade,Default,DevPreviewNoUpgrade,OKD,TechPreviewNoUpgrade"},
      {R"({"release.openshift.io/feature-set":"Default,Moon"})",
       "unrecognized value \"Moon\" in release.openshift.io/feature-set; known values are: "
       "CustomNoUpgrade,Default,DevPreviewNoUpgrade,OKD,TechPreviewNoUpgrade"},
      {R"({"release.openshift.io/feature-set":"Default","release.openshift.io/feature-gate":"On"})",
       "it has both release.openshift.io/feature-set and release.openshift.io/feature-gate"},
      // The order of the reasons.
      {R"({"exclude.release.openshift.io/self-managed-high-availability":"true",)"
       R"("release.openshift.io/feature-set":"Moon"})",
       "it is not for the profile self-managed-high-availability"},
      {R"({"release.openshift.io/feature-gate":"Off","include.release.openshift.io/ibm":"true"})",
       "it is for the feature gates Off"},
      {R"({"include.release.openshift.io/ibm":"true","capability.openshift.io/name":"Storage"})",
       "it is for the profiles ibm"},
      {R"({"release.openshift.io/feature-set":"TechPreviewNoUpgrade"})",
       "it is for the feature sets TechPreviewNoUpgrade"},
      {R"({"release.openshift.io/feature-gate":"On,-Off"})", ""},
      {R"({"release.openshift.io/feature-gate":"Off"})", "it is for the feature gates Off"},
      {R"({"release.openshift.io/feature-gate":"-On"})", "it is for the feature gates -On"},
      {R"({"capability.openshift.io/name":"Console"})", ""},
      {R"({"capability.openshift.io/name":"Console+Storage+Insights"})",
       "disabled capabilities: Storage, Insights"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.annotations);
    EXPECT_EQ(
        why(row.annotations, {.feature_gates = {"On"}, .capabilities = std::set<std::string>{"Console"}}),
        row.why);
  }
  EXPECT_EQ(why(R"({"capability.openshift.io/name":"Console"})", {}), "") << "all are enabled";
  // As they stand: nothing is trimmed, and nothing is dropped.
  for (const char* value : {"Console+", "+Console", "+", "Console + Storage", " Console", " "}) {
    const std::string annotations = R"({"capability.openshift.io/name":")" + std::string(value) + R"("})";
    const std::set<std::string> names{"Console", "Storage"};
    EXPECT_TRUE(why(annotations, {.capabilities = names, .known_capabilities = names})
                    .starts_with("unrecognized capability names"))
        << value;
  }
  EXPECT_EQ(why(R"({"capability.openshift.io/name":""})", {.capabilities = std::set<std::string>()}), "");
  EXPECT_EQ(why(R"({"capability.openshift.io/name":"Storage+Moon+Console"})",
                {.capabilities = std::set<std::string>{"Console"},
                 .known_capabilities = std::set<std::string>{"Console", "Storage"}}),
            "unrecognized capability names: Moon");
  EXPECT_EQ(why(R"({"release.openshift.io/feature-set":"TechPreviewNoUpgrade"})",
                {.feature_set = "TechPreviewNoUpgrade"}),
            "");
}

TEST(SelectionTest, GoesByTheMajorVersion) {
  const auto why_at = [](const char* value, std::uint64_t major, const char* api_version, const char* kind) {
    const std::string text =
        std::string(R"({"apiVersion":")") + api_version + R"(","kind":")" + kind +
        R"(","metadata":{"name":"a","annotations":{"release.openshift.io/major-version":")" + value +
        R"("}}})";
    Manifest one{
        .file = "0000_05_a.yaml", .document = 1, .line = 1, .object = k8s::Dynamic::parse(text).value()};
    Selection selection;
    selection.major_version = major;
    const auto selected = select({one}, selection);
    return !selected                    ? selected.error().message
           : selected->left_out.empty() ? ""
                                        : selected->left_out.front().why;
  };
  struct Row {
    const char* value;
    const char *at_4, *at_5;
  };
  const Row rows[] = {
      {"4", "", "it is for the major versions 4"},
      {"4,5", "", ""},
      {" 4 , 5", "", ""},
      {"-4", "it is for the major versions -4", ""},
      {"-4,-5", "it is for the major versions -4,-5", "it is for the major versions -4,-5"},
      {"-3", "", ""},
      {"5,-3", "it is for the major versions 5,-3", ""},
      {"4,-4", "release.openshift.io/major-version \"4,-4\": 4 is both included and excluded",
       "release.openshift.io/major-version \"4,-4\": 4 is both included and excluded"},
      {"four", "release.openshift.io/major-version \"four\": \"four\" is no major version",
       "release.openshift.io/major-version \"four\": \"four\" is no major version"},
      // Empty parts are as if they were not there.
      {"4,", "", "it is for the major versions 4,"},
      {"4, ,5", "", ""},
      {"-5,", "", "it is for the major versions -5,"},
      {"", "", ""},
      {" , ", "", ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.value);
    for (const auto& [api_version, kind] :
         {std::pair("config.openshift.io/v1", "FeatureGate"),
          std::pair("apiextensions.k8s.io/v1", "CustomResourceDefinition")}) {
      EXPECT_EQ(why_at(row.value, 4, api_version, kind), row.at_4);
      EXPECT_EQ(why_at(row.value, 5, api_version, kind), row.at_5);
    }
  }
  EXPECT_EQ(
      why_at("4", 4, "v1", "ConfigMap"),
      "release.openshift.io/major-version is for FeatureGates and CustomResourceDefinitions, and not for "
      "ConfigMap");
  EXPECT_EQ(
      why_at("4", 4, "example.com/v1", "FeatureGate"),
      "release.openshift.io/major-version is for FeatureGates and CustomResourceDefinitions, and not for "
      "FeatureGate");
}

TEST(SelectionTest, LeavesOutWhatSomebodyElseManages) {
  const auto left_out = [](const ObjectId& object, bool unmanaged) {
    return why("{}", {.overrides = {{.object = object, .unmanaged = unmanaged}}});
  };
  EXPECT_EQ(left_out({"", "ConfigMap", "n", "a"}, true), "spec.overrides declares it unmanaged");
  EXPECT_EQ(left_out({"", "ConfigMap", "n", "a"}, false), "");
  EXPECT_EQ(left_out({"", "ConfigMap", "m", "a"}, true), "");
  EXPECT_EQ(left_out({"", "ConfigMap", "n", "b"}, true), "");
  EXPECT_EQ(left_out({"", "Secret", "n", "a"}, true), "");
  EXPECT_EQ(left_out({"apps", "ConfigMap", "n", "a"}, true), "");
}

TEST(SelectionTest, RefusesTwoOfOneObjectAndActionsThatItDoesNotKnow) {
  struct Row {
    std::vector<Manifest> manifests;
    std::string error;
  };
  const std::string ibm = R"({"include.release.openshift.io/ibm":"true"})";
  const std::string removal = R"({"release.openshift.io/delete":"true"})";
  std::vector<Row> rows{
      {{manifest("{}"), manifest("{}")}, "configmap \"n/a\" is there already: 0000_05_a.yaml, document 1"},
      {{manifest("{}"), manifest(removal)}, "is there already"},
      {{manifest(R"({"release.openshift.io/delete":"false"})")},
       "Invalid annotation \"release.openshift.io/delete\": its value is \"false\""},
      {{manifest(R"({"release.openshift.io/create-only":""})")}, "can only be \"true\""},
      {{manifest(R"({"release.openshift.io/create-only":"true","release.openshift.io/delete":"true"})")},
       "it is to be created, and to be deleted"}};
  for (Row& row : rows) {
    SCOPED_TRACE(row.error);
    const auto selected = select(std::move(row.manifests), {});
    ASSERT_FALSE(selected);
    EXPECT_TRUE(selected.error().message.starts_with("0000_05_a.yaml, document 1 (line 1): "));
    EXPECT_TRUE(selected.error().message.contains(row.error)) << selected.error().message;
  }
  // One for each profile is no two.
  const auto selected = select({manifest("{}"), manifest(ibm), manifest("{}", "b"), manifest(removal, "c"),
                                manifest("{}", "a", "Secret")},
                               {});
  ASSERT_TRUE(selected) << selected.error().message;
  EXPECT_EQ(selected->manifests.size(), 4U);
  EXPECT_EQ(selected->left_out.size(), 1U);
  EXPECT_TRUE(is_removal(selected->manifests[2]));
}

}  // namespace
}  // namespace fairway::payload
